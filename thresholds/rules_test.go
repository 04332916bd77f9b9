package thresholds

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
)

// ruleCase is a key, and the finding of a rule about it under default, aliyun, baidu,
// typed and upper: a letter each, e error, w warning, i info, - nothing.
type ruleCase struct {
	key    *parser.Key
	want   string
	config string // fields of a configuration, "" none
	env    func(*Env)
}

func str(n int64) func(*parser.Key) {
	return func(k *parser.Key) { k.ValueBytes, k.Largest, k.Longest, k.LongestValue = n, n, n, n }
}

// pair sets the largest field and value of a hash.
func pair(field, value int64) func(*parser.Key) {
	return func(k *parser.Key) {
		k.ValueBytes, k.Largest, k.Longest, k.LongestValue = field+value, field+value, max(field, value), value
	}
}

func head(n int64, head string) func(*parser.Key) {
	return func(k *parser.Key) {
		k.ValueBytes, k.Largest, k.Longest, k.LongestValue, k.Head = n, n, n, n, []byte(head)
	}
}

// with changes a key twice.
func with(a, b func(*parser.Key)) func(*parser.Key) {
	return func(k *parser.Key) { a(k); b(k) }
}

func forever(k *parser.Key) { k.HasExpire, k.ExpireAt = false, 0 }

func idle(seconds int64) func(*parser.Key) {
	return func(k *parser.Key) { forever(k); k.Idle = seconds }
}

func expires(ms int64) func(*parser.Key) { return func(k *parser.Key) { k.ExpireAt = ms } }

func valkey8(e *Env)   { e.Server, e.Version = "valkey", "8.1.1" }
func valkey7(e *Env)   { e.Server, e.Version = "valkey", "7.2.5" }
func redis72(e *Env)   { e.Version = "7.2.4" }
func inCluster(e *Env) { e.Cluster = true }
func undated(e *Env)   { e.Created = -1 }

func filter(filters int64) func(*parser.Key) {
	return func(k *parser.Key) {
		k.Type, k.Encoding, k.Module = parser.Bloom, parser.EncUnknown, &parser.ModuleFacts{Filters: filters}
	}
}

func series(samples, retention int64) func(*parser.Key) {
	return with(forever, func(k *parser.Key) {
		k.Type, k.Encoding, k.Elements, k.Module = parser.TimeSeries, parser.EncUnknown, samples, &parser.ModuleFacts{Retention: retention}
		k.HasExpire = false
	})
}

func vectors(n, links, bytes int64) func(*parser.Key) {
	return func(k *parser.Key) {
		k.Type, k.Encoding, k.Elements, k.Module = parser.VectorSet, parser.EncUnknown, n, &parser.ModuleFacts{LinkBytes: links, VectorBytes: bytes}
	}
}

// ruleCases are the fixtures of the rules about keys. A new rule adds its own in
// rule_<name>_test.go:
//
//	func init() { ruleCases["my-rule"] = []ruleCase{...} }
//
// and a rule about the instance, in the same way, to instanceCases.
var ruleCases = map[string][]ruleCase{
	"big-string": {
		{key: key("a:b", str(100)), want: "-----"}, {key: key("a:b", str(101)), want: "--i--"},
		{key: key("a:b", str(1024)), want: "--i--"}, {key: key("a:b", str(1025)), want: "--w--"},
		{key: key("a:b", str(10240)), want: "--w--"}, {key: key("a:b", str(10241)), want: "eeeee"},
		{key: key("a:b", head(12304, "HYLL\x00")), want: "-----"}, {key: key("a:b", head(12305, "HYLL\x00")), want: "eeeee"}, {key: key("a:b", head(3000, "HYLL\x00")), want: "--w--"},
		{key: key("a:b", head(12304, "HYLL\x01")), want: "-----"}, {key: key("a:b", head(3000, "HYLL\x01")), want: "-----"}, {key: key("a:b", head(12305, "HYLL\x01")), want: "eeeee"},
		{key: key("a:b", head(12304, "HYLL\x02")), want: "eeeee"}, {key: key("a:b", head(12304, "HYLL")), want: "eeeee"}, {key: key("a:b", head(150_000, "HYLL is a word ")), want: "eeeee"},
		{key: key("a:b", with(collection(parser.Set, parser.EncHashtable, 1), str(99999))), want: "-----"},
	},
	"big-collection": {
		{key: key("a:b", collection(parser.Hash, parser.EncListpack, 100)), want: "-----"}, {key: key("a:b", collection(parser.Hash, parser.EncListpack, 101)), want: "---w-"},
		{key: key("a:b", collection(parser.Set, parser.EncHashtable, 101)), want: "-----"},
		{key: key("a:b", collection(parser.List, parser.EncQuicklist, 1000)), want: "-----"}, {key: key("a:b", collection(parser.List, parser.EncQuicklist, 1001)), want: "--w--"},
		{key: key("a:b", collection(parser.ZSet, parser.EncSkiplist, 5000)), want: "--w--"}, {key: key("a:b", collection(parser.ZSet, parser.EncSkiplist, 5001)), want: "eeeee"},
		{key: key("a:b", collection(parser.Hash, parser.EncHashtable, 5000)), want: "--ww-"}, {key: key("a:b", collection(parser.Hash, parser.EncHashtable, 5001)), want: "eeeee"},
		{key: key("a:b", collection(parser.Stream, parser.EncStream, 50000)), want: "-----"},
		{key: key("a:b", collection(parser.JSON, parser.EncUnknown, 1001)), want: "--w--"}, {key: key("a:b", collection(parser.JSON, parser.EncUnknown, 5001)), want: "eeeee"},
		{key: key("a:b", collection(parser.VectorSet, parser.EncUnknown, 50000)), want: "-----"},
	},
	"filter-growth": {
		{key: key("a:b", filter(4)), want: "-----"}, {key: key("a:b", filter(5)), want: "i----"},
		{key: key("a:b", collection(parser.Bloom, parser.EncUnknown, 5)), want: "-----"},
	},
	"series-retention": {
		{key: key("a:b", series(100000, 0)), want: "-----"}, {key: key("a:b", series(100001, 0)), want: "i----"}, {key: key("a:b", series(100001, 1)), want: "-----"},
		{key: key("a:b", with(series(100001, 0), func(k *parser.Key) { k.HasExpire = true })), want: "-----"},
	},
	"vector-links": {
		{key: key("a:b", vectors(1000, 257, 256)), want: "-----"}, {key: key("a:b", vectors(1001, 257, 256)), want: "i----"}, {key: key("a:b", vectors(1001, 256, 256)), want: "-----"},
	},
	"big-stream": {
		{key: key("a:b", collection(parser.Stream, parser.EncStream, 100000)), want: "-----"}, {key: key("a:b", collection(parser.Stream, parser.EncStream, 100001)), want: "wwwww"},
		{key: key("a:b", collection(parser.List, parser.EncQuicklist, 100001)), want: "-----"},
	},
	"big-value": {
		{key: key("a:b", with(collection(parser.Hash, parser.EncHashtable, 9), str(10240))), want: "-----"},
		{key: key("a:b", with(collection(parser.Hash, parser.EncHashtable, 9), str(10241))), want: "---w-"},
		{key: key("a:b", with(collection(parser.Stream, parser.EncStream, 9), str(1<<20))), want: "---w-"},
		{key: key("a:b", with(collection(parser.Stream, parser.EncStream, 9), str(1<<20+1))), want: "wweew"},
		{key: key("a:b", str(5<<20)), want: "-----"},
		{key: key("a:b", with(collection(parser.JSON, parser.EncUnknown, 9), str(10241))), want: "---w-"},
		{key: key("a:b", with(collection(parser.JSON, parser.EncUnknown, 1), str(1<<20+1))), want: "wweew"},
	},
	"big-element": {
		{key: key("a:b", with(collection(parser.Hash, parser.EncHashtable, 9), str(4096))), want: "-----"},
		{key: key("a:b", with(collection(parser.Hash, parser.EncHashtable, 9), str(4097))), want: "w-w--"},
		{key: key("a:b", with(collection(parser.Hash, parser.EncHashtable, 9), pair(100, 4096))), want: "-----"}, // the value alone counts
		{key: key("a:b", with(collection(parser.Hash, parser.EncHashtable, 9), pair(5000, 10))), want: "-----"},
		{key: key("a:b", with(collection(parser.Hash, parser.EncHashtable, 9), pair(100, 4097))), want: "w-w--"},
		{key: key("a:b", with(collection(parser.Stream, parser.EncStream, 9), str(4097))), want: "w-w--"},
		{key: key("a:b", str(4097)), want: "-----"},
	},
	"compact-encoding": {
		{key: key("a:b", collection(parser.Hash, parser.EncHashtable, 513)), want: "iwi--"}, {key: key("a:b", collection(parser.Hash, parser.EncListpack, 513)), want: "-----"},
		{key: key("a:b", collection(parser.Hash, parser.EncHashtable, 2048)), want: "iwi--"}, {key: key("a:b", collection(parser.Hash, parser.EncHashtable, 2049)), want: "-----"},
		{key: key("a:b", with(collection(parser.Hash, parser.EncHashtable, 3), func(k *parser.Key) { k.Longest = 65 })), want: "iwi--"},
		{key: key("a:b", with(collection(parser.Hash, parser.EncHashtable, 3), func(k *parser.Key) { k.Longest = 256 })), want: "iwi--"},
		{key: key("a:b", with(collection(parser.Hash, parser.EncHashtable, 3), func(k *parser.Key) { k.Longest = 257 })), want: "-----"}, // 4 times the limit
		{key: key("a:b", collection(parser.Hash, parser.EncHashtable, 3)), want: "iwi--"},                                                // it shrank
		{key: key("a:b", collection(parser.ZSet, parser.EncSkiplist, 512)), want: "iwi--"}, {key: key("a:b", collection(parser.ZSet, parser.EncSkiplist, 513)), want: "-----"},
		{key: key("a:b", collection(parser.Set, parser.EncHashtable, 129)), want: "-----"},
		{key: key("a:b", collection(parser.Set, parser.EncHashtable, 129)), want: "iwi--", env: redis72},
		{key: key("a:b", collection(parser.Set, parser.EncHashtable, 129)), want: "iwi--", env: valkey7},
		{key: key("a:b", collection(parser.Set, parser.EncHashtable, 513)), want: "-----", env: valkey8},
		{key: key("a:b", with(collection(parser.Set, parser.EncHashtable, 2048), func(k *parser.Key) { k.Integers = true })), want: "iwi--"},
		{key: key("a:b", with(collection(parser.Set, parser.EncHashtable, 2049), func(k *parser.Key) { k.Integers = true })), want: "-----"},
		{key: key("a:b", collection(parser.List, parser.EncQuicklist, 600)), want: "-----"}, {key: key("a:b", collection(parser.List, parser.EncLinkedlist, 600)), want: "iwi--"},
	},
	"single-element": {
		{key: key("a:b", collection(parser.Hash, parser.EncListpack, 1)), want: "---w-"}, {key: key("a:b", collection(parser.Hash, parser.EncListpack, 2)), want: "-----"},
		{key: key("a:b", collection(parser.ZSet, parser.EncListpack, 0)), want: "-----"}, {key: key("a:b", nil), want: "-----"},
		{key: key("a:b", collection(parser.Stream, parser.EncStream, 1)), want: "-----"},
	},
	"no-ttl": {
		{key: key("a:b", forever), want: "wwwe-"}, {key: key("a:b", nil), want: "-----"},
		{key: key("a:b", with(collection(parser.Hash, parser.EncListpackEx, 3), func(k *parser.Key) { forever(k); k.FieldsWithTTL = 3 })), want: "-----"},
		{key: key("a:b", with(collection(parser.Hash, parser.EncListpackEx, 3), func(k *parser.Key) { forever(k); k.FieldsWithTTL = 2 })), want: "wwwe-"},
	},
	"big-key-expiry": {
		{key: key("a:b", collection(parser.ZSet, parser.EncSkiplist, 5001)), want: "wwwww"}, {key: key("a:b", collection(parser.ZSet, parser.EncSkiplist, 5000)), want: "-----"},
		{key: key("a:b", collection(parser.ZSet, parser.EncSkiplist, 5001)), want: "iiiii", env: valkey8},
		{key: key("a:b", collection(parser.ZSet, parser.EncSkiplist, 5001)), want: "wwwww", env: valkey7},
		{key: key("a:b", collection(parser.ZSet, parser.EncListpack, 5001)), want: "-----"},
		{key: key("a:b", with(collection(parser.ZSet, parser.EncSkiplist, 5001), forever)), want: "-----"},
		{key: key("a:b", collection(parser.ZSet, parser.EncSkiplist, 51)), want: "wwwww", config: "rules: {big-collection: {error: 50}}"},
		{key: key("a:b", collection(parser.ZSet, parser.EncSkiplist, 5001)), want: "wwwww", config: "rules: {big-collection: off}"},
	},
	"ttl-too-long": {
		{key: key("a:b", expires((created+30*day)*1000)), want: "-----"}, {key: key("a:b", expires((created+30*day)*1000+999)), want: "-----"},
		{key: key("a:b", expires((created+30*day)*1000+1000)), want: "---i-"},
		{key: key("a:b", expires((created+1825*day)*1000)), want: "---i-"}, {key: key("a:b", expires((created+1825*day+1)*1000)), want: "wwwww"},
		{key: key("a:b", expires(1<<62)), want: "wwwww"}, {key: key("a:b", forever), want: "-----"}, {key: key("a:b", expires(-1<<63)), want: "-----"},
		{key: key("a:b", expires(1<<62)), want: "-----", env: undated},
	},
	"already-expired": {
		{key: key("a:b", expires(created*1000-1)), want: "iiiii"}, {key: key("a:b", expires(created*1000)), want: "-----"},
		{key: key("a:b", expires(-1<<63)), want: "iiiii"}, {key: key("a:b", expires(1<<63-1)), want: "-----"}, {key: key("a:b", expires(0)), want: "iiiii"},
		{key: key("a:b", expires(1)), want: "-----", env: undated}, {key: key("a:b", forever), want: "-----"},
	},
	"cold-key": {
		{key: key("a:b", idle(30*day)), want: "-----"}, {key: key("a:b", idle(30*day+1)), want: "iw-w-"},
		{key: key("a:b", with(idle(99*day), func(k *parser.Key) { k.HasExpire = true })), want: "-----"},
		{key: key("a:b", with(forever, func(k *parser.Key) { k.Freq = 0 })), want: "iw-w-"}, {key: key("a:b", with(forever, func(k *parser.Key) { k.Freq = 1 })), want: "-----"},
		{key: key("a:b", forever), want: "-----"},
	},
	"key-special-char": {
		{key: key("user 1", nil), want: "eeeee"}, {key: key("user'1", nil), want: "eeeee"}, {key: key("user\"1", nil), want: "eeeee"}, {key: key("user`1", nil), want: "eeeee"},
		{key: key(`user\1`, nil), want: "eeeee"}, {key: key("user\x001", nil), want: "eeeee"}, {key: key("user\x7f", nil), want: "eeeee"}, {key: key("user\xff", nil), want: "eeeee"},
		{key: key("用户:1", nil), want: "-----"}, {key: key("用\u3000户:1", nil), want: "eeeee"}, {key: key("a_b-c.d:1{x}#+=@", nil), want: "-----"}, {key: key("a:b", nil), want: "-----"},
		{key: key("用户:\xe7\x94", nil), want: "eeeee"},
		// Control and format characters by Unicode's tables (general categories Cc and Cf).
		{key: key("a:\u200bb", nil), want: "eeeee"}, {key: key("a:\u200c", nil), want: "eeeee"}, {key: key("a:\u200d", nil), want: "eeeee"}, {key: key("\ufeffa:b", nil), want: "eeeee"},
		{key: key("a:\u200e", nil), want: "eeeee"}, {key: key("a:\u200f", nil), want: "eeeee"}, {key: key("a:\u202e", nil), want: "eeeee"}, {key: key("a:\u2066", nil), want: "eeeee"},
		{key: key("a:\u2060", nil), want: "eeeee"}, {key: key("a:\u00ad", nil), want: "eeeee"}, {key: key("a:\U000e0041", nil), want: "eeeee"}, {key: key("a:\u0085", nil), want: "eeeee"},
		{key: key("a:\u009b", nil), want: "eeeee"}, {key: key("a:\u00a0b", nil), want: "eeeee"}, {key: key("a:\u2028b", nil), want: "eeeee"}, {key: key("a:\u2003b", nil), want: "eeeee"},
		{key: key("a:\xed\xa0\x80", nil), want: "eeeee"}, {key: key("a:\xc0\x80", nil), want: "eeeee"}, // a surrogate, an overlong NUL
		{key: key("a:\u00e9", nil), want: "-----"}, {key: key("a:\U0001f600", nil), want: "-----"}, {key: key("a:e\u0301", nil), want: "-----"}, {key: key("a:\ufffd", nil), want: "-----"},
		{key: key(strings.Repeat("a", 200)+"\u200b", nil), want: "eeeee"},
		{key: key("用户:\xe7\x94", func(k *parser.Key) { k.NameLen++ }), want: "-----"}, // cut within a character
	},
	"key-charset": {
		{key: key("a-b:1", nil), want: "--iei"}, {key: key("a.b:1", nil), want: "--i-i"}, {key: key("2020-08-29:x", nil), want: "---ei"}, {key: key("v1.2:x", nil), want: "----i"},
		{key: key("v1.x:y", nil), want: "--i-i"}, {key: key("a:b", nil), want: "----i"}, {key: key("A:B", nil), want: "---e-"}, {key: key("1a:b", nil), want: "---ei"},
		{key: key("a_b:1", nil), want: "---ei"}, {key: key("", nil), want: "---e-"}, {key: key("a+b", nil), want: "--iei"}, {key: key("-1", nil), want: "--iei"}, {key: key("用:A", nil), want: "---ei"},
		{key: key("s:550e8400-e29b-41d4-a716.446655440000", nil), want: "--iei"}, {key: key("s:ABCDEFAB-CDEF-ABCD-EFAB-CDEFABCDEFAB", nil), want: "---ei"},
		{key: key("s:550e8400-e29b-41d4-a716-446655440000:x-y", nil), want: "--iei"}, {key: key("s:550e8400-e29b-41d4-a716-44665544000", nil), want: "--iei"},
		{key: key("s:550e8400-e29b-41d4-a716-446655440000-x", nil), want: "--iei"}, {key: key("s:550e8400-e29b-41d4-a716.446655440000", nil), want: "--iei"},
		{key: key("a=1", nil), want: "--iei"}, {key: key("1=1", nil), want: "--iei"},
		// The list of operators is open.
		{key: key("1*2", nil), want: "--iei"}, {key: key("a/b", nil), want: "--iei"}, {key: key("a%", nil), want: "--iei"}, {key: key("a<b>c", nil), want: "--iei"},
		{key: key("a&b", nil), want: "--iei"}, {key: key("a|b", nil), want: "--iei"}, {key: key("a^b", nil), want: "--iei"}, {key: key("!a~b", nil), want: "--iei"},
		{key: key("a@b;c,d", nil), want: "---ei"}, {key: key("2020/08/29", nil), want: "--iei"},
		// What a team allows replaces what a profile forbids.
		{key: key("user-info:1", nil), want: "eeeee", config: `rules: {key-charset: {severity: error, allowed: "a-z0-9:_"}}`},
		{key: key("user-info:1", nil), want: "-----", config: `rules: {key-charset: {severity: error, allowed: "a-z0-9:_.-"}}`},
		{key: key("1a-user-info:1", nil), want: "-----", config: `rules: {key-charset: {allowed: "a-z0-9:_.-"}}`},
	},
	"key-length": {
		{key: key("ab", nil), want: "----i"}, {key: key("abc", nil), want: "-----"}, {key: key(strings.Repeat("a", 30), nil), want: "-----"}, {key: key(strings.Repeat("a", 31), nil), want: "--i-i"},
		{key: key(strings.Repeat("a", 128), nil), want: "--i-i"}, {key: key(strings.Repeat("a", 129), nil), want: "wiwwi"},
	},
	"key-structure": {
		{key: key("user", nil), want: "wiwew"}, {key: key("user:1", nil), want: "---ew"}, {key: key("user:1:x", nil), want: "----w"}, {key: key("a:b:c:d", nil), want: "-----"},
		{key: key("user#1", nil), want: "-i-ew"}, {key: key("uid#0#0", nil), want: "-i-ew"}, {key: key("user_1", nil), want: "-i-ew"}, {key: key("user_", nil), want: "wiwew"}, {key: key("_user", nil), want: "wiwew"},
		{key: key("user_1", nil), want: "wiwew", config: "separators: ':#'"}, {key: key("a_b", nil), want: "-----", config: "separators: ':'\nrules: {key-structure: {error: 2, also: '_'}}"},
		{key: key("a_b", nil), want: "wwwww", config: "rules: {key-structure: {error: 2, warning: 3, also: '_'}}"}, {key: key("a:b::d", nil), want: "-----"}, {key: key(":a", nil), want: "---ew"},
		{key: key("", nil), want: "wiwew"}, {key: key("a:b:c__d", nil), want: "----w"},
	},
	"key-empty-segment": {
		{key: key("a:b::d", nil), want: "iiiii"}, {key: key("a:b:c:", nil), want: "iiiii"}, {key: key(":a:b:c", nil), want: "iiiii"}, {key: key("", nil), want: "iiiii"},
		{key: key("a:b:c__d", nil), want: "-----"}, {key: key("a##b", nil), want: "i-i--"}, {key: key("a:b:c:d", nil), want: "-----"}, {key: key("user", nil), want: "-----"},
	},
	"key-type-suffix": {
		{key: key("user:1:string", nil), want: "-----"}, {key: key("user:1:hash", nil), want: "---e-"}, {key: key("user:1:hash", collection(parser.Hash, parser.EncListpack, 2)), want: "-----"},
		{key: key("user:1:rank", collection(parser.ZSet, parser.EncListpack, 2)), want: "---e-"},
		{key: key("a:b:geo", collection(parser.ZSet, parser.EncListpack, 2)), want: "-----"}, {key: key("a:b:sortedset", collection(parser.ZSet, parser.EncListpack, 2)), want: "-----"},
		{key: key("a:b:geospatial", collection(parser.ZSet, parser.EncListpack, 2)), want: "-----"}, {key: key("a:b:geo", nil), want: "---e-"},
		{key: key("a:b:bitmap", nil), want: "-----"}, {key: key("a:b:hyperloglog", nil), want: "-----"}, {key: key("a:b:hll", nil), want: "-----"},
		{key: key("a:b:hll", nil), want: "-----", config: "rules: {key-type-suffix: {aliases: {string: [json]}}}"}, {key: key("user:1:STRING", nil), want: "---e-"},
		{key: key("user:1:rank", collection(parser.ZSet, parser.EncListpack, 2)), want: "-----", config: "rules: {key-type-suffix: {aliases: {zset: [rank, geo]}}}"},
		{key: key("user:1", func(k *parser.Key) { k.Type = parser.Module }), want: "-----"},
	},
	"key-namespace": {
		{key: key("tmp:1", nil), want: "-----"},
		{key: key("tmp:1", nil), want: "eieee", config: "namespaces: [user, order]"}, {key: key("user:1", nil), want: "-----", config: "namespaces: [user, order]"},
		{key: key("user", nil), want: "-----", config: "namespaces: [user, order]"}, {key: key("users:1", nil), want: "eieee", config: "namespaces: [user, order]"},
		{key: key("shop:order:1", nil), want: "-----", config: "namespaces: ['shop:order']"}, {key: key("shop:orders:1", nil), want: "eieee", config: "namespaces: ['shop:order']"},
		{key: key("", nil), want: "eieee", config: "namespaces: [user]"},
		{key: key("tmp:1", nil), want: "-----", config: "namespaces: {cart: {owner: checkout}}"}, {key: key("tmp:1", nil), want: "-----", config: "namespaces: {cart: checkout}"},
		{key: key("tmp:1", nil), want: "eieee", config: "namespaces: {cart: checkout}\nrules: {key-namespace: {closed: true}}"},
		{key: key("cart:1", nil), want: "-----", config: "namespaces: {cart: checkout}\nrules: {key-namespace: {closed: true}}"},
		{key: key("tmp:1", nil), want: "-----", config: "namespaces: [cart]\nrules: {key-namespace: {closed: false}}"},
		{key: key("tmp:1", nil), want: "wwwww", config: "namespaces: [cart]\nrules: {key-namespace: warning}"},
		{key: key("tmp:1", nil), want: "-----", config: "namespaces: [cart]\noverrides: [{key: 'tmp:*', rules: {key-namespace: {closed: false}}}]"},
	},
	"key-hashtag": {
		{key: key("{user}:1", nil), want: "--i--"}, {key: key("{user}:1", nil), want: "--w--", env: inCluster}, {key: key("a{}b", nil), want: "--i--"},
		{key: key("{user}:1", nil), want: "eeeee", config: "rules: {key-hashtag: error}"}, {key: key("{user}:1", nil), want: "eeeee", config: "rules: {key-hashtag: error}", env: inCluster}, {key: key("a{b", nil), want: "-----"},
		{key: key("a}b{c", nil), want: "-----"}, {key: key("{user}:1", nil), want: "-----", config: "hashtags: false"}, {key: key("a:b", nil), want: "-----"},
	},
	"key-abbreviation": {
		{key: key("economic:1", nil), want: "-----"}, {key: key("economic:1", nil), want: "iiiii", config: "abbreviations: {economic: ec}"},
		{key: key("x:Economic2", nil), want: "iiiii", config: "abbreviations: {economic: ec}"}, {key: key("economics:1", nil), want: "-----", config: "abbreviations: {economic: ec}"},
		{key: key("uneconomic:1", nil), want: "-----", config: "abbreviations: {economic: ec}"},
		{key: key("filePath:1", nil), want: "iiiii", config: "abbreviations: {file path: fp}"}, {key: key("x:file_path", nil), want: "iiiii", config: "abbreviations: {file path: fp}"},
		{key: key("file:x:path", nil), want: "-----", config: "abbreviations: {file path: fp}"},
		{key: key("file:path", nil), want: "-----", config: "abbreviations: {file path: fp}"}, {key: key("x:file.path", nil), want: "iiiii", config: "abbreviations: {file path: fp}"},
		{key: key("file#path", nil), want: "-i-ii", config: "abbreviations: {file path: fp}"}, {key: key("a:file_path", nil), want: "-----", config: "separators: '_:'\nabbreviations: {file path: fp}"}, {key: key("profilePath:1", nil), want: "-----", config: "abbreviations: {file path: fp}"},
		{key: key("myFilePathName", nil), want: "iiiii", config: "abbreviations: {file path: fp}"},
	},
	"queue-backlog": {
		{key: key("a:b", collection(parser.List, parser.EncQuicklist, 1000)), want: "-----"}, {key: key("a:b", collection(parser.List, parser.EncQuicklist, 1001)), want: "--w--"},
		{key: key("a:b", with(collection(parser.Stream, parser.EncStream, 5), func(k *parser.Key) { k.Pending = 1000 })), want: "-----"},
		{key: key("a:b", with(collection(parser.Stream, parser.EncStream, 5), func(k *parser.Key) { k.Pending = 1001 })), want: "www--"},
		{key: key("a:b", collection(parser.Stream, parser.EncStream, 1001)), want: "-----"},
	},
	"large-text": {
		{key: key("a:b", head(10241, `{"a":1,`)), want: "--i--"}, {key: key("a:b", head(10240, `{"a":1,`)), want: "-----"}, {key: key("a:b", head(102400, `<?xml ver`)), want: "--i--"},
		{key: key("a:b", head(102401, `<?xml ver`)), want: "i-i--"}, {key: key("a:b", head(102401, "once upon a time 从前")), want: "i-i--"}, {key: key("a:b", head(102401, "\x1f\x8b\x08")), want: "-----"},
		{key: key("a:b", head(102401, "\x00\x00\x00")), want: "-----"}, {key: key("a:b", head(102401, "")), want: "-----"},
		{key: key("a:b", with(collection(parser.Hash, parser.EncHashtable, 3), head(4097, `["a"`))), want: "--i--"},
		{key: key("a:b", with(collection(parser.Hash, parser.EncHashtable, 3), head(4096, `["a"`))), want: "-----"},
		{key: key("a:b", with(collection(parser.Hash, parser.EncHashtable, 3), with(head(0, `["a"`), pair(5000, 4096)))), want: "-----"},
	},
}

var letters = map[Severity]byte{Off: '-', Info: 'i', Warning: 'w', Error: 'e'}

func TestRules(t *testing.T) {
	for name, cases := range ruleCases {
		t.Run(name, func(t *testing.T) {
			for _, c := range cases {
				var got []byte
				for _, profile := range profileNames {
					opt := LoadOptions{Profile: profile}
					if c.config != "" {
						opt.Config = writeConfig(t, c.config)
					}
					env := testEnv()
					if c.env != nil {
						c.env(&env)
					}
					got = append(got, letters[found(t, mustLoad(t, opt).Compile(env), name, c.key).Severity])
				}
				if string(got) != c.want {
					t.Errorf("%q (%s, %d elements, %d bytes; %s): %s, want %s", c.key.Name, c.key.Type, c.key.Elements, c.key.ValueBytes, c.config, got, c.want)
				}
			}
		})
	}
}

// TestRulesAreComplete checks that each rule has all its parts, and a key with a
// finding and one without (for the instance: a snapshot).
func TestRulesAreComplete(t *testing.T) {
	for _, r := range Rules() {
		hit, miss := false, false
		if r.Instance {
			hit, miss = instanceCases[r.Name].hit != nil, instanceCases[r.Name].miss != nil
			for _, c := range groupCases[r.Name] {
				hit, miss = hit || c.want != "", miss || c.want == ""
			}
		}
		for _, c := range ruleCases[r.Name] {
			hit = hit || strings.Trim(c.want, "-") != ""
			miss = miss || strings.Contains(c.want, "-")
		}
		if !hit || !miss {
			t.Errorf("%s: a key with a finding: %v, one without: %v", r.Name, hit, miss)
		}
		if err := r.validate(); err != nil {
			t.Error(err)
		}
		for _, profile := range profileNames {
			covered := false
			for _, s := range r.Basis().Sources {
				covered = covered || slices.Contains(s.Profiles, profile)
			}
			for _, n := range r.Basis().Notes {
				covered = covered || slices.Contains(n.Profiles, profile)
			}
			if on := profileOf(profile).Settings[r.ID].On; on && !covered && len(r.Basis().Sources) > 0 {
				t.Errorf("%s is on under %s, and nothing says why", r.Name, profile)
			}
		}
		// A rule that is on and idle, as budget is, needs no limit of its own.
		if on := mustLoad(t, LoadOptions{}).Fallback(r.ID).On; on != (!r.Optional || r.idle != nil) {
			t.Errorf("%s is optional: %v, and on in a profile: %v", r.Name, r.Optional, on)
		}
	}
	for name := range ruleCases {
		if _, ok := Lookup(name); !ok {
			t.Errorf("%s is no rule", name)
		}
	}
}

// TestSettingsOfTheProfiles compares the profiles with the table of the conventions,
// which has each rule that a document demands.
func TestSettingsOfTheProfiles(t *testing.T) {
	want := map[string][5]string{
		"big-string":         {"error 10 KB", "error 10 KB", "info 100 B, warning 1 KB, error 10 KB", "error 10 KB", "error 10 KB"},
		"big-collection":     {"error 5,000", "error 5,000", "warning 1,000, error 5,000", "error 5,000; hash: warning 100", "error 5,000"},
		"big-stream":         {"warning 100,000", "warning 100,000", "warning 100,000", "warning 100,000", "warning 100,000"},
		"big-value":          {"warning 1 MB", "warning 1 MB", "error 1 MB", "warning 10 KB, error 1 MB", "warning 1 MB"},
		"big-element":        {"warning 4 KB", "off", "warning 4 KB", "off", "off"},
		"compact-encoding":   {"info", "warning", "info", "off", "off"},
		"single-element":     {"off", "off", "off", "warning", "off"},
		"no-ttl":             {"warning", "warning", "warning", "error", "off"},
		"ttl-stampede":       {"warning 10,000", "warning 10,000", "warning 1,000", "off", "info 10,000"},
		"big-key-expiry":     {"warning", "warning", "warning", "warning", "warning"},
		"ttl-too-long":       {"warning 1825d", "warning 1825d", "warning 1825d", "info 30d, warning 1825d", "warning 1825d"},
		"already-expired":    {"info", "info", "info", "info", "info"},
		"cold-key":           {"info 30d", "warning 30d", "off", "warning 30d", "off"},
		"key-special-char":   {"error", "error", "error", "error", "error"},
		"key-charset":        {"off", "off", "info", "error", "info"},
		"key-length":         {"warning over 128 B", "info over 128 B", "info over 30 B, warning over 128 B", "warning over 128 B", "info over 30 B, info under 3 B"},
		"key-empty-segment":  {"info", "info", "info", "info", "info"},
		"key-structure":      {"warning under 2", "info under 2", "warning under 2", "error under 3", "warning under 4"},
		"key-type-suffix":    {"off", "off", "off", "error", "off"},
		"key-namespace":      {"error", "info", "error", "error", "error"},
		"key-hashtag":        {"off", "off", "warning", "off", "off"},
		"key-abbreviation":   {"info", "info", "info", "info", "info"},
		"multiple-databases": {"warning", "warning", "off", "off", "off"},
		"mixed-business":     {"off", "warning 10", "off", "off", "off"},
		"slot-skew":          {"warning 10x", "warning 10x", "warning 10x", "off", "off"},
		"node-skew":          {"warning 1.5x", "warning 1.5x", "warning 1.5x", "off", "off"},
		"hashtag-skew":       {"warning 1%", "warning 1%", "warning 1%", "off", "off"},
		"queue-backlog":      {"warning 1,000; list: off", "warning 1,000; list: off", "warning 1,000", "warning 10,000; list: off; stream: off", "warning 10,000; list: off; stream: off"},
		"stream-consumers":   {"warning 10,000", "warning 10,000", "warning 10,000", "warning 10,000", "warning 10,000"},
		"mixed-ttl":          {"warning", "warning", "warning", "warning", "off"},
		"outlier":            {"info 1 MB", "info 1 MB", "info 1 MB", "info 1 MB", "off"},
		"large-text":         {"info 100 KB", "off", "info 10 KB", "off", "off"},
		"filter-growth":      {"info 4", "off", "off", "off", "off"},
		"series-retention":   {"info 100,000", "off", "off", "off", "off"},
		"budget":             {"error", "error", "error", "error", "error"},
		"max-age":            {"off", "off", "off", "off", "off"},
		"min-keys":           {"off", "off", "off", "off", "off"},
		"vector-links":       {"info", "off", "off", "off", "off"},
	}
	for _, r := range Rules() {
		settings, ok := want[r.Name]
		if !ok {
			if len(r.Basis().Sources) > 0 {
				t.Errorf("%s has a source, and no row in this table", r.Name)
			}
			continue
		}
		for i, profile := range profileNames {
			if got := profileOf(profile).Settings[r.ID].Summary(); got != settings[i] {
				t.Errorf("%s under %s: %s, want %s", r.Name, profile, got, settings[i])
			}
		}
	}
	separators := map[string]string{"default": ":#", "aliyun": ":", "baidu": ":#", "typed": ":", "upper": ":"}
	for _, profile := range profileNames {
		if got := mustLoad(t, LoadOptions{Profile: profile}).Separators.Value; got != separators[profile] {
			t.Errorf("%s: separators %q", profile, got)
		}
	}
}

// TestIncompleteRules removes one part of a rule after the other.
func TestIncompleteRules(t *testing.T) {
	for missing, remove := range map[string]func(*Rule){
		"a text": func(r *Rule) { r.text = nil }, "advice": func(r *Rule) { r.advise = nil }, "a check": func(r *Rule) { r.check = nil },
		"documentation": func(r *Rule) { r.Doc.Fix = "" }, "a title": func(r *Rule) { r.Title = "" },
		"a name": func(r *Rule) { r.Name = "" }, "an accumulator": func(r *Rule) { r.Instance = true },
		"the documentation of limit": func(r *Rule) { r.Params = []Param{{Name: "limit"}} },
	} {
		r := *Rules()[ruleID(t, "big-string")]
		remove(&r)
		if err := r.validate(); err == nil || !strings.Contains(err.Error(), "lacks "+missing) {
			t.Errorf("without %s: %v", missing, err)
		}
	}
}

// validate returns what the rule lacks.
func (r *Rule) validate() error {
	missing := map[string]bool{
		"a name": r.Name == "", "a title": r.Title == "", "a text": r.text == nil, "advice": r.advise == nil,
		"documentation": r.Doc.What == "" || r.Doc.Why == "" || r.Doc.Fix == "" || r.Doc.Example == "",
		"a check":       r.check == nil && !r.Instance, "an accumulator": r.accumulate == nil && r.ofGroup == nil && r.Instance,
	}
	for _, p := range r.Params {
		missing["the documentation of "+p.Name] = p.Doc == ""
	}
	for _, what := range slices.Sorted(maps.Keys(missing)) {
		if missing[what] {
			return fmt.Errorf("rule %q lacks %s", r.Name, what)
		}
	}
	if r.check != nil && r.accumulate != nil {
		return fmt.Errorf("rule %q is about keys and about the instance", r.Name)
	}
	return nil
}
