package thresholds

import "github.com/rdblens/rdblens/parser"

func init() {
	const all, some = "rules: {ttl-unwanted: error}", "overrides: [{key: 'config:*', rules: {ttl-unwanted: warning}}]"
	fields := with(collection(parser.Hash, parser.EncListpackEx, 3), func(k *parser.Key) { forever(k); k.FieldsWithTTL = 1 })
	ruleCases["ttl-unwanted"] = []ruleCase{
		{key: key("a:b", nil), want: "-----"}, {key: key("a:b", nil), want: "eeeee", config: all}, {key: key("a:b", forever), want: "-----", config: all},
		{key: key("a:b", fields), want: "eeeee", config: all}, {key: key("a:b", nil), want: "eeeee", config: all, env: undated},
		{key: key("config:b", nil), want: "wwwww", config: some}, {key: key("config:b", forever), want: "-----", config: some}, {key: key("a:b", nil), want: "-----", config: some},
	}
}
