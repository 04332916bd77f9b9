package thresholds

import "github.com/rdblens/rdblens/parser"

func consumers(lag, idle int64) func(*parser.Key) {
	return func(k *parser.Key) {
		k.Type, k.Encoding, k.Elements, k.Groups = parser.Stream, parser.EncStream, 1000, 1
		k.Behind = &parser.GroupState{Name: []byte("billing"), Lag: lag, Idle: idle, Consumers: idle + 2, Pending: 3, Oldest: 1_700_000_000_000}
	}
}

func init() {
	ruleCases["stream-consumers"] = []ruleCase{
		{key: key("a:b", consumers(10_000, 0)), want: "-----"}, {key: key("a:b", consumers(10_001, 0)), want: "wwwww"},
		{key: key("a:b", consumers(0, 100)), want: "-----"}, {key: key("a:b", consumers(-1, 101)), want: "wwwww"},
		{key: key("a:b", consumers(10_001, 101)), want: "wwwww"}, {key: key("a:b", collection(parser.Stream, parser.EncStream, 50)), want: "-----"},
		{key: key("a:b", consumers(0, 6)), want: "wwwww", config: "rules: {stream-consumers: {warning: 10000, idle_consumers: 5}}"},
	}
}
