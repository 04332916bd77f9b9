package thresholds

import "github.com/rdblens/rdblens/parser"

func init() {
	const allowed = "overrides: [{key: 'counter:*', rules: {key-type: {error: {allowed: string}}}}]"
	const forbidden = "rules: {key-type: {warning: {forbidden: [list, stream]}}}"
	hash, list := collection(parser.Hash, parser.EncListpack, 2), collection(parser.List, parser.EncListpack, 2)
	ruleCases["key-type"] = []ruleCase{
		{key: key("counter:1", hash), want: "-----"},
		{key: key("counter:1", hash), want: "eeeee", config: allowed}, {key: key("counter:1", nil), want: "-----", config: allowed}, {key: key("other:1", hash), want: "-----", config: allowed},
		{key: key("a:1", list), want: "wwwww", config: forbidden}, {key: key("a:1", hash), want: "-----", config: forbidden},
		{key: key("a:1", func(k *parser.Key) { k.Type = parser.JSON }), want: "iiiii", config: "rules: {key-type: {info: {allowed: [string, hash, list, set, zset]}}}"},
	}
}
