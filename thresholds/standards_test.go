package thresholds

import (
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/format"
)

// sentence is one of a team's standard: how a configuration says it, keys that pass and
// fail, and what a report says of the first that fails.
type sentence struct {
	says, rule, config string
	passes, fails      []*parser.Key
	text               string
}

// Changes of keys.
var (
	aHash  = collection(parser.Hash, parser.EncListpack, 2)
	aList  = collection(parser.List, parser.EncListpack, 2)
	aZSet  = collection(parser.ZSet, parser.EncListpack, 2)
	aSet   = collection(parser.Set, parser.EncListpack, 2)
	stream = collection(parser.Stream, parser.EncStream, 2)
)

func lives(seconds int64) func(*parser.Key) { return expires((created + seconds) * 1000) }

func longestField(n int64) func(*parser.Key) {
	return with(aHash, func(k *parser.Key) { k.LongestField = n })
}

func checkSentences(t *testing.T, list []sentence) {
	t.Helper()
	for _, c := range list {
		for _, profile := range profileNames {
			p := mustLoad(t, LoadOptions{Profile: profile, Config: writeConfig(t, c.config)})
			if len(p.Warnings) > 0 {
				t.Errorf("%s: %v", c.says, p.Warnings)
			}
			e := p.Compile(testEnv())
			for _, k := range c.passes {
				if f := found(t, e, c.rule, k); f.Severity != Off {
					t.Errorf("%s: %s: %q fails", c.says, profile, k.Name)
				}
			}
			for i, k := range c.fails {
				f := found(t, e, c.rule, k)
				if f.Severity != Error {
					t.Errorf("%s: %s: %q has no error", c.says, profile, k.Name)
					continue
				}
				if subject := SubjectOf(k); i == 0 && e.Text(f, &subject).String() != c.text {
					t.Errorf("%s: %q, not %q", c.says, e.Text(f, &subject), c.text)
				}
				if reason, _ := e.Reason(f, k.Name); strings.Contains(c.config, "reason:") && reason != c.says {
					t.Errorf("%s: the reason is %q", c.says, reason)
				}
			}
		}
	}
}

func keys(list ...*parser.Key) []*parser.Key { return list }

// TestMoreOfABank has those sentences of the bank's standard that are about values, owners
// and exceptions.
func TestMoreOfABank(t *testing.T) {
	checkSentences(t, []sentence{
		{"No serialized objects of Java.", "value-format", "rules: {value-format: {error: {forbidden: [java, pickle, php]}, reason: No serialized objects of Java.}}",
			keys(key("a:1", formats(format.JSON))), keys(key("a:1", formats(format.Java))), "format java is forbidden"},
		{"Customers are JSON.", "value-format", "overrides: [{key: 'prd:customer:*', reason: Customers are JSON., rules: {value-format: {error: {allowed: json}}}}]",
			keys(key("prd:customer:1", formats(format.JSON)), key("prd:x:1", formats(format.Text))), keys(key("prd:customer:1", formats(format.Text))), "format text, allowed: json"},
		{"Field names have at most 24 bytes.", "field-name-length", "rules: {field-name-length: {error: 24}}", keys(key("a:1", longestField(24))), keys(key("a:1", longestField(25))), "a field name of 25 bytes, over 24 B"},
		{"Every environment has the systems pay and loan.", "key-namespace", "namespaces: ['*:pay', '*:loan']\nrules: {key-namespace: error}", keys(key("prd:pay:1", nil), key("uat:loan:1", nil), key("uat:loan", nil)),
			keys(key("prd:risk:1", nil), key("prd", nil), key("pay:1", nil)), "prd:risk is not a listed namespace"},
		{"Names do not begin or end with a colon.", "key-empty-segment", "rules: {key-empty-segment: error}", keys(key("a:b", nil)), keys(key("a::b", nil), key("a:b:", nil)), "an empty segment"},
		{"Streams have at most 50,000 entries.", "big-stream", "rules: {big-stream: {error: 50000}}", keys(key("a:b", collection(parser.Stream, parser.EncStream, 50000))), keys(key("a:b", collection(parser.Stream, parser.EncStream, 50001))), "50,001 entries, over 50,000"},
		{"Collections hold at most 512 KB.", "big-value", "rules: {big-value: {error: 512KB}}", keys(key("a:b", with(aHash, str(512<<10)))), keys(key("a:b", with(aHash, str(512<<10+1)))), "524,289 bytes in 2 elements, over 512 KB"},
		{"Values of one field have at most 2 KB.", "big-element", "rules: {big-element: {error: 2KB}}", keys(key("a:b", with(aHash, str(2048)))), keys(key("a:b", with(aHash, str(2049)))), "value of 2,049 bytes, over 2 KB"},
		{"No quotes, spaces or control characters.", "key-special-char", "rules: {key-special-char: error}", keys(key("a:b", nil)), keys(key("a b", nil)), "white space at byte 1"},
		{"No hash tags.", "key-hashtag", "rules: {key-hashtag: error}", keys(key("a:b", nil)), keys(key("{a}:b", nil)), "hash tag {a}"},
		{"Economic is ec.", "key-abbreviation", "rules: {key-abbreviation: error}\nabbreviations: {economic: ec}", keys(key("ec:b", nil)), keys(key("economic:b", nil)), "economic has the short form ec"},
		{"Small sets of one element are strings.", "single-element", "rules: {single-element: error}", keys(key("a:b", aSet)), keys(key("a:b", collection(parser.Set, parser.EncListpack, 1))), "set with one element"},
	})
}

// TestStandardOfAStudio has the standard of a studio of games.
func TestStandardOfAStudio(t *testing.T) {
	lb := "overrides: [{key: 'lb:*', rules: {%}}]"
	board := func(rules string) string { return strings.Replace(lb, "%", rules, 1) }
	checkSentences(t, []sentence{
		{"Names are game:world:kind:id.", "key-pattern", `rules: {key-pattern: {error: '^[a-z]+:w[0-9]+:[a-z]+:[^:]+$'}}`, keys(key("orcs:w3:player:17", nil)), keys(key("orcs:player:17", nil)), "the name does not match ^[a-z]+:w[0-9]+:[a-z]+:[^:]+$"},
		{"Leaderboards are sorted sets.", "key-type", board("key-type: {error: {allowed: zset}}"), keys(key("lb:w1", aZSet), key("x:1", aHash)), keys(key("lb:w1", aHash)), "type hash, allowed: zset"},
		{"Leaderboards have at most 100,000 places.", "big-collection", board("big-collection: {error: 100000}"), keys(key("lb:w1", collection(parser.ZSet, parser.EncSkiplist, 100000))), keys(key("lb:w1", collection(parser.ZSet, parser.EncSkiplist, 100001))), "100,001 elements, over 100,000"},
		{"Leaderboards of a season never expire.", "ttl-unwanted", board("ttl-unwanted: error, no-ttl: off"), keys(key("lb:w1", with(aZSet, forever))), keys(key("lb:w1", aZSet)), "has an expiry"},
		{"Sessions end within a day.", "ttl-too-long", "overrides: [{key: 'session:*', rules: {ttl-too-long: {error: 1d}}}]", keys(key("session:1", lives(86400))), keys(key("session:1", lives(2*86400))), "expires in 2d, over 1d"},
		{"Matches live for at least five minutes.", "ttl-too-short", "overrides: [{key: 'match:*', rules: {ttl-too-short: {error: 5m}}}]", keys(key("match:1", lives(300))), keys(key("match:1", lives(60))), "expires in 1m, under 5m"},
		{"Players are MessagePack.", "value-format", "overrides: [{key: 'player:*', rules: {value-format: {error: {allowed: msgpack}}}}]", keys(key("player:1", formats(format.MessagePack))), keys(key("player:1", formats(format.JSON))), "format json, allowed: msgpack"},
		{"Replays are compressed.", "value-format", "overrides: [{key: 'replay:*', rules: {value-format: {error: {allowed: [zstd, lz4]}}}}]", keys(key("replay:1", formats(format.LZ4))), keys(key("replay:1", formats(format.Binary))), "format binary, allowed: zstd, lz4"},
		{"A player has at most 8 KB.", "big-string", "overrides: [{key: 'player:*', rules: {big-string: {error: 8KB}}}]", keys(key("player:1", str(8192))), keys(key("player:1", str(8193))), "8,193 bytes long, over 8 KB"},
		{"Inventories have at most 500 items.", "big-collection", "overrides: [{key: 'inv:*', rules: {big-collection: {error: 500}}}]", keys(key("inv:1", collection(parser.Hash, parser.EncListpack, 500))), keys(key("inv:1", collection(parser.Hash, parser.EncListpack, 501))), "501 elements, over 500"},
		{"Fields are short codes.", "field-name-length", "rules: {field-name-length: {error: 8B}}", keys(key("a:1", longestField(8))), keys(key("a:1", longestField(9))), "a field name of 9 bytes, over 8 B"},
		{"No cheats left in production.", "key-words", "rules: {key-words: {error: [cheat, godmode, debug]}}", keys(key("orcs:cheater:1", nil)), keys(key("orcs:cheat:1", nil)), "cheat at byte 5 is forbidden"},
		{"No names of e-mails.", "key-words", "rules: {key-words: {error: '/[a-z]+@[a-z.]+/'}}", keys(key("mail:17", nil)), keys(key("mail:bob@example.com", nil)), "bob@example.com at byte 5 matches /[a-z]+@[a-z.]+/, which is forbidden"},
		{"Names have at most 48 bytes.", "key-length", "rules: {key-length: {error: 48}}", keys(key("a:1", nil)), keys(key("a:"+strings.Repeat("x", 47), nil)), "name of 49 bytes, over 48 B"},
		{"Names have at least 5 bytes.", "key-length", "rules: {key-length: {under: {error: 5}}}", keys(key("abc:1", nil)), keys(key("ab:1", nil)), "name of 4 bytes, under 5 B"},
		{"Small letters only.", "key-charset", "rules: {key-charset: {severity: error, allowed: 'a-z0-9:'}}", keys(key("orcs:w3", nil)), keys(key("Orcs:w3", nil)), `"O" at byte 0 is not allowed`},
		{"Guilds and players are the only businesses.", "key-namespace", "namespaces: [guild, player]\nrules: {key-namespace: error}", keys(key("guild:1", nil)), keys(key("clan:1", nil)), "clan is not a listed namespace"},
		{"Chat is a stream.", "key-type", "overrides: [{key: 'chat:*', rules: {key-type: {error: {allowed: stream}}}}]", keys(key("chat:1", stream)), keys(key("chat:1", aList)), "type list, allowed: stream"},
		{"Everything but seasons expires.", "no-ttl", "rules: {no-ttl: error}\noverrides: [{key: 'season:*', rules: {no-ttl: off}}]", keys(key("season:1", forever)), keys(key("match:1", forever)), "never expires"},
		{"Nothing lives for more than a year.", "ttl-too-long", "rules: {ttl-too-long: {error: 365d}}", keys(key("a:1", lives(300*86400))), keys(key("a:1", lives(400*86400))), "expires in 400d, over 365d"},
	})
}

// TestStandardOfAHospital has the standard of a hospital.
func TestStandardOfAHospital(t *testing.T) {
	checkSentences(t, []sentence{
		{"Names say ward and system.", "key-pattern", `rules: {key-pattern: {error: '^w[0-9]{2}:(lis|ris|pas):'}}`, keys(key("w07:lis:1", nil)), keys(key("lis:1", nil)), "the name does not match ^w[0-9]{2}:(lis|ris|pas):"},
		{"No insurance numbers in names.", "key-words", `rules: {key-words: {error: '/[A-Z][0-9]{9}/'}}`, keys(key("pas:123", nil)), keys(key("pas:A123456789", nil)), "A123456789 at byte 4 matches /[A-Z][0-9]{9}/, which is forbidden"},
		{"No patient names.", "key-words", "rules: {key-words: {error: [patient name, surname]}}", keys(key("pas:patient", nil)), keys(key("pas:surname:1", nil)), "surname at byte 4 is forbidden"},
		{"Only laboratory, radiology and admission.", "key-namespace", "namespaces: [lis, ris, pas]\nrules: {key-namespace: error}", keys(key("lis:1", nil)), keys(key("tmp:1", nil)), "tmp is not a listed namespace"},
		{"Results are kept for 90 days at most.", "ttl-too-long", "overrides: [{key: 'lis:result:*', rules: {ttl-too-long: {error: 90d}}}]", keys(key("lis:result:1", lives(90*86400))), keys(key("lis:result:1", lives(91*86400))), "expires in 91d, over 90d"},
		{"Results are kept for an hour at least.", "ttl-too-short", "overrides: [{key: 'lis:result:*', rules: {ttl-too-short: {error: 1h}}}]", keys(key("lis:result:1", nil)), keys(key("lis:result:1", lives(600))), "expires in 10m, under 1h"},
		{"All data of patients expire.", "no-ttl", "overrides: [{key: 'pas:*', reason: All data of patients expire., source: § 4, rules: {no-ttl: error}}]", keys(key("pas:1", nil)), keys(key("pas:1", forever)), "never expires"},
		{"Wards never expire.", "ttl-unwanted", "overrides: [{key: 'ward:*', rules: {ttl-unwanted: error, no-ttl: off}}]", keys(key("ward:1", forever)), keys(key("ward:1", nil)), "has an expiry"},
		{"Messages are FHIR as JSON.", "value-format", "overrides: [{key: 'fhir:*', rules: {value-format: {error: {allowed: json}}}}]", keys(key("fhir:1", formats(format.JSON))), keys(key("fhir:1", formats(format.Text))), "format text, allowed: json"},
		{"No images.", "value-format", "rules: {value-format: {error: {forbidden: image}}}", keys(key("ris:1", formats(format.JSON))), keys(key("ris:1", formats(format.Image))), "format image is forbidden"},
		{"No pickles.", "value-format", "rules: {value-format: {error: {forbidden: pickle}}}", keys(key("ris:1", formats(format.JSON))), keys(key("ris:1", with(aHash, formats(format.Pickle)))), "an element in format pickle, which is forbidden"},
		{"Records are hashes.", "key-type", "overrides: [{key: 'pas:record:*', rules: {key-type: {error: {allowed: hash}}}}]", keys(key("pas:record:1", aHash)), keys(key("pas:record:1", nil)), "type string, allowed: hash"},
		{"No lists.", "key-type", "rules: {key-type: {error: {forbidden: list}}}", keys(key("a:1", aSet)), keys(key("a:1", aList)), "type list is forbidden"},
		{"Records have at most 100 fields.", "big-collection", "rules: {big-collection: {error: 5000, types: {hash: {error: 100}}}}", keys(key("a:1", collection(parser.Hash, parser.EncListpack, 100))), keys(key("a:1", collection(parser.Hash, parser.EncListpack, 101))), "101 elements, over 100"},
		{"Strings have at most 64 KB.", "big-string", "rules: {big-string: {error: 64KB}}", keys(key("a:1", str(64<<10))), keys(key("a:1", str(64<<10+1))), "65,537 bytes long, over 64 KB"},
		{"Field names have at most 32 bytes.", "field-name-length", "rules: {field-name-length: {error: 32}}", keys(key("a:1", longestField(32))), keys(key("a:1", longestField(33))), "a field name of 33 bytes, over 32 B"},
		{"Names have three segments.", "key-structure", "rules: {key-structure: {error: 3}}", keys(key("a:b:c", nil)), keys(key("a:b", nil)), "2 segments, fewer than 3"},
		{"Names have at most 100 bytes.", "key-length", "rules: {key-length: {error: 100}}", keys(key("a:1", nil)), keys(key("a:"+strings.Repeat("x", 99), nil)), "name of 101 bytes, over 100 B"},
		{"ASCII only.", "key-charset", "rules: {key-charset: {severity: error, allowed: 'A-Za-z0-9:_.-'}}", keys(key("Lis:a_b.c-d", nil)), keys(key("lis:ü", nil)), `2 characters are not allowed, the first is "\xc3" at byte 4`},
		{"No empty parts.", "key-empty-segment", "rules: {key-empty-segment: error}", keys(key("a:b", nil)), keys(key(":a", nil)), "an empty segment"},
	})
}

// TestExceptionsOfAStandard has sentences whose prefixes are held to more, to less or to
// something else than all other keys.
func TestExceptionsOfAStandard(t *testing.T) {
	checkSentences(t, []sentence{
		{"Capitals stand in the last segment alone.", "key-words", "rules: {key-words: {error: '/[A-Z][^:]*:/'}}",
			keys(key("prd:risk:a:Xy2", nil)), keys(key("prd:Risk:a:1", nil)), "Risk: at byte 4 matches /[A-Z][^:]*:/, which is forbidden"},
		{"No test in the names of prd.", "key-words", "rules: {key-words: {error: '/^prd:(.*[:_-])?test([:_-]|$)/'}}",
			keys(key("uat:risk:test:1", nil), key("prd:risk:latest:1", nil)), keys(key("prd:test", nil), key("prd:risk:x_test", nil)),
			"prd:test at byte 0 matches /^prd:(.*[:_-])?test([:_-]|$)/, which is forbidden"},
		{"One-time passwords are digests, never plain digits.", "value-format", "overrides: [{key: 'otp:*', rules: {value-format: {error: {forbidden: number}}}}]",
			keys(key("otp:1", formats(format.Text)), key("a:1", formats(format.Number))), keys(key("otp:1", formats(format.Number))), "format number is forbidden"},
		{"Models may be binary, all else is JSON.", "value-format",
			"rules: {value-format: {error: {allowed: json}}}\noverrides: [{key: 'prd:*:model:*', rules: {value-format: off}}]",
			keys(key("prd:risk:model:1", formats(format.Binary)), key("a:1", formats(format.JSON))), keys(key("a:1", formats(format.Binary))), "format binary, allowed: json"},
		{"Lists have 1,000 items, payment queues 2,000, all else 5,000.", "big-collection",
			"rules: {big-collection: {error: 5000, types: {list: {error: 1000}}}}\noverrides: [{key: 'pay:queue:*', rules: {big-collection: {types: {list: {error: 2000}}}}}]",
			keys(key("pay:queue:1", collection(parser.List, parser.EncQuicklist, 2000)), key("pay:queue:2", collection(parser.Set, parser.EncHashtable, 5000))),
			keys(key("a:1", collection(parser.List, parser.EncQuicklist, 1001)), key("pay:queue:1", collection(parser.List, parser.EncQuicklist, 2001)),
				key("pay:queue:2", collection(parser.Set, parser.EncHashtable, 5001))), "1,001 elements, over 1,000"},
		{"Streams for audit only, and audit is streams.", "key-type",
			"rules: {key-type: {error: {forbidden: stream}}}\noverrides: [{key: 'prd:*:audit:*', rules: {key-type: {error: {allowed: stream}}}}]",
			keys(key("prd:pay:audit:1", stream), key("prd:pay:x:1", nil)), keys(key("prd:pay:log:1", stream), key("prd:pay:audit:1", nil)), "type stream is forbidden"},
		{"Hash tags in pay alone.", "key-hashtag", "rules: {key-hashtag: error}\noverrides: [{key: 'prd:pay:*', rules: {key-hashtag: off}}]",
			keys(key("prd:pay:{acc1}:1", nil)), keys(key("prd:risk:{acc1}:1", nil)), "hash tag {acc1}"},
		{"A player's name ends with the tag.", "key-pattern", "overrides: [{key: 'orb:*:player:*', rules: {key-pattern: {error: ':player:[{][^{}]+[}]$'}}}]",
			keys(key("orb:eu1:player:{9}", nil), key("orb:eu1:room:9", nil)), keys(key("orb:eu1:player:9", nil)), "the name does not match :player:[{][^{}]+[}]$"},
	})
}
