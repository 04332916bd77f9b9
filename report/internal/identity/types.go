package identity

import "github.com/rdblens/rdblens/parser"

// The types of keys, as the tables of shapes write them.
const (
	str    = parser.String
	list   = parser.List
	set    = parser.Set
	zset   = parser.ZSet
	hash   = parser.Hash
	stream = parser.Stream
	// document is one of RedisJSON.
	document = parser.JSON
)
