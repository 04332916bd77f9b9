package thresholds

import (
	"testing"

	"github.com/rdblens/rdblens/parser"
)

// TestStandardOfABank writes sentences of a bank's standard as configurations: which keys
// pass each of them, and which fail.
func TestStandardOfABank(t *testing.T) {
	in := func(seconds int64) func(*parser.Key) { return expires((created + seconds) * 1000) }
	hash, list := collection(parser.Hash, parser.EncListpack, 2), collection(parser.List, parser.EncListpack, 2)
	for _, c := range []struct {
		sentence, rule, config string
		passes, fails          []*parser.Key
	}{
		{"Names begin with the environment and the system.", "key-pattern", "rules: {key-pattern: {error: '^(prd|uat):[a-z]+:.+$'}}",
			[]*parser.Key{key("prd:pay:1", nil)}, []*parser.Key{key("dev:pay:1", nil), key("prd:1", nil)}},
		{"Names of the old system keep their form.", "key-pattern", "rules: {key-pattern: {error: '^prd:'}}\noverrides: [{key: 'T24.*', rules: {key-pattern: {error: '^T24\\.[A-Z]+\\.[0-9]+$'}}}]",
			[]*parser.Key{key("T24.ACCT.17", nil)}, []*parser.Key{key("T24.acct.17", nil), key("X.ACCT.17", nil)}},
		{"Names contain small letters, digits and : _ . - only.", "key-charset", "rules: {key-charset: {severity: error, allowed: 'a-z0-9:_.-'}}",
			[]*parser.Key{key("user-info:1", nil), key("a_b.c:1", nil)}, []*parser.Key{key("User:1", nil), key("a#b", nil)}},
		{"Names have no test data in production.", "key-words", "rules: {key-words: {error: [test, demo, tmp]}}",
			[]*parser.Key{key("prd:contest:1", nil)}, []*parser.Key{key("prd:test:1", nil), key("prd:tmpFile", nil)}},
		{"Names have no number of a card.", "key-words", "rules: {key-words: {error: '/[0-9]{13,19}/'}}",
			[]*parser.Key{key("prd:card:9f86d081", nil)}, []*parser.Key{key("prd:card:6222020200112233445", nil)}},
		{"Names have at most 64 bytes.", "key-length", "rules: {key-length: {error: 64}}",
			[]*parser.Key{key("prd:pay:1", nil)}, []*parser.Key{key("prd:pay:0123456789012345678901234567890123456789012345678901234567890", nil)}},
		{"Names have at least three segments.", "key-structure", "rules: {key-structure: {error: 3}}",
			[]*parser.Key{key("prd:pay:1", nil)}, []*parser.Key{key("prd:pay", nil)}},
		{"Only registered systems write keys.", "key-namespace", "namespaces: ['prd:pay', 'prd:loan']",
			[]*parser.Key{key("prd:pay:1", nil)}, []*parser.Key{key("prd:risk:1", nil)}},
		{"Counters are strings.", "key-type", "overrides: [{key: 'prd:counter:*', rules: {key-type: {error: {allowed: string}}}}]",
			[]*parser.Key{key("prd:counter:1", nil), key("prd:pay:1", hash)}, []*parser.Key{key("prd:counter:1", hash)}},
		{"Lists are no queues here.", "key-type", "rules: {key-type: {error: {forbidden: list}}}",
			[]*parser.Key{key("prd:pay:1", hash)}, []*parser.Key{key("prd:pay:1", list)}},
		{"Sessions live for at least ten minutes.", "ttl-too-short", "overrides: [{key: 'prd:session:*', rules: {ttl-too-short: {error: 10m}}}]",
			[]*parser.Key{key("prd:session:1", in(600)), key("prd:pay:1", in(5))}, []*parser.Key{key("prd:session:1", in(599))}},
		{"Sessions live for at most a day.", "ttl-too-long", "overrides: [{key: 'prd:session:*', rules: {ttl-too-long: {error: 1d}}}]",
			[]*parser.Key{key("prd:session:1", in(86400))}, []*parser.Key{key("prd:session:1", in(86401))}},
		{"Configuration never expires.", "ttl-unwanted", "overrides: [{key: 'prd:config:*', rules: {ttl-unwanted: error}}]",
			[]*parser.Key{key("prd:config:1", forever), key("prd:pay:1", nil)}, []*parser.Key{key("prd:config:1", nil)}},
		{"All other keys expire.", "no-ttl", "rules: {no-ttl: error}\noverrides: [{key: 'prd:config:*', rules: {no-ttl: off}}]",
			[]*parser.Key{key("prd:config:1", forever), key("prd:pay:1", nil)}, []*parser.Key{key("prd:pay:1", forever)}},
		{"Strings have at most 4 KB.", "big-string", "rules: {big-string: {error: 4KB}}", []*parser.Key{key("a:b", str(4096))}, []*parser.Key{key("a:b", str(4097))}},
		{"Hashes have at most 200 fields.", "big-collection", "rules: {big-collection: {error: 5000, types: {hash: {error: 200}}}}",
			[]*parser.Key{key("a:b", collection(parser.Hash, parser.EncListpack, 200))}, []*parser.Key{key("a:b", collection(parser.Hash, parser.EncListpack, 201))}},
	} {
		for _, profile := range profileNames {
			e := mustLoad(t, LoadOptions{Profile: profile, Config: writeConfig(t, c.config)}).Compile(testEnv())
			for _, k := range c.passes {
				if f := found(t, e, c.rule, k); f.Severity != Off {
					t.Errorf("%s: %s: %q fails", c.sentence, profile, k.Name)
				}
			}
			for _, k := range c.fails {
				if f := found(t, e, c.rule, k); f.Severity == Off {
					t.Errorf("%s: %s: %q passes", c.sentence, profile, k.Name)
				}
			}
		}
	}
}
