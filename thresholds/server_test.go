package thresholds

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// These tests check the rules with keys that real servers wrote, under all five
// profiles. The names of the keys say what they have (testdata/gen), so what a
// rule must say of each follows from the name alone.

// ruleFiles are the snapshots, without those for the whole instance.
var ruleFiles = []string{"sizes.rdb.gz", "texts.rdb.gz", "streams.rdb.gz", "compact.rdb", "compact-valkey.rdb", "names.rdb", "expiries.rdb", "lfu.rdb", "fields.rdb",
	"expiring.rdb.gz", "expiring-valkey.rdb.gz", "cluster.rdb.gz"}

// readSnapshot calls a function for each key of a snapshot, and returns the engine
// of a profile for it.
func readSnapshot(t *testing.T, file string, p *Policy, do func(e *Engine, k *parser.Key)) *Engine {
	t.Helper()
	src, err := parser.Open(filepath.Join("..", "testdata", "rules", file))
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	s := parser.NewScanner(src, parser.Options{})
	var e *Engine
	for s.Scan() {
		if e == nil {
			info := s.Info()
			e = p.Compile(Env{Server: info.Server, Version: info.ServerVersion, Created: info.Created, Cluster: info.Cluster})
		}
		do(e, s.Key())
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	return e
}

// about is what a name says: its words, and the number at its end.
type about struct {
	file  string
	name  string
	words []string
	n     int64
}

func aboutKey(file, name string) about {
	a := about{file: file, name: name, words: strings.Split(name, ":")}
	a.n = -1
	if n, err := strconv.ParseInt(a.words[len(a.words)-1], 10, 64); err == nil {
		a.n = n
	}
	return a
}

func (a about) is(words ...string) bool {
	return len(a.words) > len(words) && slices.Equal(a.words[:len(words)], words)
}

// by returns one severity for each profile: default, aliyun, baidu, typed, upper.
func by(profile string, letters string) Severity {
	return Severity(strings.IndexByte("-iwe", letters[slices.Index(profileNames, profile)]))
}

// list reports whether the name is among others.
func (a about) list(names ...string) bool { return slices.Contains(names, a.name) }

// expectations are what each rule must find about a key; a rule without
// one here must find nothing in files that are not named for it.
var expectations = map[string]func(profile string, a about, k *parser.Key) Severity{
	"big-string": func(p string, a about, k *parser.Key) Severity {
		if a.name == "size:hyperloglog:12304" || k.Type != parser.String {
			return Off
		}
		n := int64(1)
		if a.is("size", "string") || a.words[0] == "text" {
			n = a.n
		} else if a.is("{warm}") {
			n = 100
		}
		switch {
		case n > 10240:
			return Error
		case p == "baidu" && n > 1024:
			return Warning
		case p == "baidu" && n > 100:
			return Info
		}
		return Off
	},
	"big-collection": func(p string, a about, k *parser.Key) Severity {
		n := int64(0)
		switch {
		case a.is("elements") && a.words[1] != "stream", a.is("expiring"), a.is("compact", "list"):
			n = a.n
		case a.is("compact") && a.n > 65:
			n = a.n
		case a.is("value") && a.words[1] != "stream" && a.n > 20000:
			n = 256
		case a.is("fields", "600"):
			n = 600
		case a.list("elements:stream:100001"):
			return Off
		}
		switch {
		case n > 5000:
			return Error
		case p == "baidu" && n > 1000:
			return Warning
		case p == "typed" && k.Type == parser.Hash && n > 100:
			return Warning
		}
		return Off
	},
	"big-stream": func(p string, a about, k *parser.Key) Severity {
		if a.list("elements:stream:100001") {
			return Warning
		}
		return Off
	},
	"big-value": func(p string, a about, k *parser.Key) Severity {
		n := int64(0)
		switch {
		case a.is("value"):
			n = a.n
		case a.words[0] == "text" && len(a.words) == 4:
			n = a.n
			if k.Type == parser.Hash {
				n++ // its field
			}
		case a.is("elements", "stream"):
			n = 2 * a.n
		case a.is("elements"), a.is("expiring"), a.is("compact"):
			n = k.ValueBytes // counted by the truth of these files, not by the name
		}
		switch {
		case n > 1<<20:
			return by(p, "wweew")
		case n > 10240:
			return by(p, "---w-")
		}
		return Off
	},
	"big-element": func(p string, a about, k *parser.Key) Severity {
		n := int64(0)
		switch {
		case k.Type == parser.Hash && a.words[0] != "text": // fields, of empty values
		case a.is("element"):
			n = a.n
		case a.words[0] == "text" && len(a.words) == 4:
			n = a.n
		case a.is("value") && a.n > 1<<20: // its first element has the byte more
			n = 4097
		}
		if n > 4096 {
			return by(p, "w-w--")
		}
		return Off
	},
	"compact-encoding": func(p string, a about, k *parser.Key) Severity {
		limit, flagged := int64(0), false
		strings128 := a.file == "compact-valkey.rdb"
		switch {
		case a.name == "compact:hash:shrunk", a.name == "compact:zset:shrunk":
			flagged = true
		case a.is("compact", "hash", "element"), a.is("compact", "zset", "element"), a.is("compact", "hash", "value"):
			flagged = a.n > 64
		case a.is("compact", "set", "element"):
			flagged = a.n > 64 && strings128
		case a.is("compact", "hash"), a.is("compact", "intset"):
			limit = 512
		case a.is("compact", "zset"):
			limit = 128
		case a.is("compact", "set"):
			if strings128 {
				limit = 128
			}
		case a.is("elements", "hash"), a.is("elements", "set"):
			limit = 512 // of integers
		case a.is("elements", "zset"):
			limit = 128
		case a.is("element"), a.is("value"), a.words[0] == "text":
			return Off // at least 1 KB, more than four times 64 bytes
		case a.is("fields", "600"):
			limit = 512
		}
		if flagged || limit > 0 && max(a.n, number(a.words)) > limit && max(a.n, number(a.words)) <= 4*limit {
			return by(p, "iwi--")
		}
		return Off
	},
	"single-element": func(p string, a about, k *parser.Key) Severity {
		if a.is("elements") && a.n == 1 || a.is("text", "hash") || a.is("text", "list") || a.name == "ttl:none:hash" || a.name == "fields:and:key" {
			return by(p, "---w-")
		}
		return Off
	},
	"no-ttl": func(p string, a about, k *parser.Key) Severity {
		expires := a.is("idle", "expiring") || a.is("freq", "expiring") || a.is("expiring") || a.is("ttl") && !strings.HasPrefix(a.name, "ttl:none") ||
			a.list("fields:3:expiring:3", "fields:600:expiring:600", "fields:and:key")
		if expires {
			return Off
		}
		return by(p, "wwwe-")
	},
	"big-key-expiry": func(p string, a about, k *parser.Key) Severity {
		compact := a.is("expiring", "compact") && k.Type != parser.List // a list is a chain of nodes in either file
		if a.is("expiring") && a.n > 5000 && !compact {
			if a.file == "expiring-valkey.rdb.gz" {
				return Info
			}
			return Warning
		}
		return Off
	},
	"ttl-too-long": func(p string, a about, k *parser.Key) Severity {
		switch {
		case k.HasExpire && k.ExpireAt/1000 == 4102444800 || a.name == "fields:and:key": // in the year 2100
			return Warning
		case a.list("ttl:30d:1s", "ttl:365d"):
			return by(p, "---i-")
		}
		return Off
	},
	"already-expired": func(p string, a about, k *parser.Key) Severity {
		if a.list("ttl:past:1ms", "ttl:past:1s") {
			return Info
		}
		return Off
	},
	"cold-key": func(p string, a about, k *parser.Key) Severity {
		if a.is("idle") && a.words[1] != "expiring" && a.n > 30*day || a.name == "freq:0" {
			return by(p, "iw-w-")
		}
		return Off
	},
	"queue-backlog": func(p string, a about, k *parser.Key) Severity {
		switch {
		case a.name == "pending:stream:1001":
			return by(p, "www--")
		case k.Type == parser.List && (a.is("elements") || a.is("expiring") || a.is("compact")) && a.n > 1000:
			return by(p, "--w--")
		}
		return Off
	},
	"large-text": func(p string, a about, k *parser.Key) Severity {
		switch {
		case a.words[0] == "text" && (strings.Contains(a.name, "binary") || strings.Contains(a.name, "gzip")):
			return Off
		case a.words[0] == "text" && len(a.words) == 3:
			if a.n > 102400 {
				return by(p, "i-i--")
			} else if a.n > 10240 {
				return by(p, "--i--")
			}
		case k.Type == parser.Hash && a.words[0] != "text", k.Type == parser.Stream:
			return Off // the texts are fields, of empty values
		case a.words[0] == "text" && a.n > 4096, a.is("element") && a.n > 4096, a.is("value") && a.n > 1<<20:
			return by(p, "--i--") // their elements are text
		}
		return Off
	},
}

// number returns the second segment of a name, such as fields:600:..., as a number.
func number(words []string) int64 {
	if len(words) < 2 {
		return 0
	}
	n, _ := strconv.ParseInt(words[1], 10, 64)
	return n
}

func TestRulesOnServersKeys(t *testing.T) {
	hits := map[string]int{}
	for _, profile := range profileNames {
		p := mustLoad(t, LoadOptions{Profile: profile})
		for _, file := range ruleFiles {
			var list []Finding
			readSnapshot(t, file, p, func(e *Engine, k *parser.Key) {
				got := map[string]Severity{}
				list = e.Check(k, facts(e, k), list[:0])
				for _, f := range list {
					got[f.Rule.Name()] = f.Severity
				}
				a := aboutKey(file, string(k.Name))
				for name, want := range expectations {
					w := want(profile, a, k)
					if got[name] != w {
						t.Errorf("%s: %s: %q (%s %s): %s says %v, want %v", profile, file, k.Name, k.Type, k.Encoding, name, got[name], w)
					}
					if w != Off {
						hits[name]++
					}
				}
			})
		}
	}
	for name := range expectations {
		if hits[name] == 0 && name != "key-namespace" && name != "key-abbreviation" {
			t.Errorf("%s found nothing in any file", name)
		}
	}
}

// TestFixturesAreTold fails where a snapshot of testdata/rules is in no test.
func TestFixturesAreTold(t *testing.T) {
	known := append([]string{"stampede.rdb.gz", "databases.rdb", "businesses-10.rdb", "businesses-11.rdb", "cluster-skewed.rdb.gz", "groups.rdb.gz", "values.rdb.gz"}, ruleFiles...)
	files, err := os.ReadDir(filepath.Join("..", "testdata", "rules"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !slices.Contains(known, f.Name()) {
			t.Errorf("%s is read by no test", f.Name())
		}
	}
}

func TestInstanceOnServersKeys(t *testing.T) {
	hits, misses := map[string]bool{}, map[string]bool{}
	for _, c := range []struct{ file, rule, letters, subject string }{
		{"stampede.rdb.gz", "ttl-stampede", "www-i", ""},
		{"cluster.rdb.gz", "ttl-stampede", "-----", ""},
		{"databases.rdb", "multiple-databases", "ww---", "db 0, 3"}, {"names.rdb", "multiple-databases", "-----", ""},
		{"businesses-11.rdb", "mixed-business", "-w---", "first segments"}, {"businesses-10.rdb", "mixed-business", "-----", ""},
		{"cluster-skewed.rdb.gz", "slot-skew", "www--", "slot " + strconv.Itoa(naming.Slot([]byte("hot")))}, {"cluster.rdb.gz", "slot-skew", "-----", ""},
		{"cluster-skewed.rdb.gz", "hashtag-skew", "www--", "{hot}"}, {"cluster.rdb.gz", "hashtag-skew", "-----", ""},
		{"sizes.rdb.gz", "slot-skew", "-----", ""}, {"sizes.rdb.gz", "hashtag-skew", "-----", ""},
	} {
		for _, profile := range profileNames {
			var x *Instance
			readSnapshot(t, c.file, mustLoad(t, LoadOptions{Profile: profile}), func(e *Engine, k *parser.Key) {
				if x == nil {
					x = e.NewInstance()
				}
				x.Add(k, facts(e, k))
			})
			var worst InstanceFinding
			kept, _ := x.Findings()
			for _, f := range slices.Backward(kept) {
				if f.Rule.Name() == c.rule {
					worst = f
				}
			}
			want := by(profile, c.letters)
			hits[c.rule] = hits[c.rule] || want != Off
			misses[c.rule] = misses[c.rule] || want == Off && strings.Trim(c.letters, "-") == ""
			if worst.Severity != want || want != Off && c.subject != "" && SubjectText(worst.Subject) != c.subject {
				t.Errorf("%s: %s under %s: %s %q, want %s %q", c.file, c.rule, profile, worst.Severity, worst.Subject, want, c.subject)
			}
		}
	}
	for _, profile := range []string{"default", "aliyun", "baidu"} {
		for _, first := range []string{"cluster-skewed.rdb.gz", "cluster.rdb.gz"} {
			var fleet *Fleet
			for node, file := range []string{first, "cluster.rdb.gz", "cluster.rdb.gz"} {
				var x *Instance
				readSnapshot(t, file, mustLoad(t, LoadOptions{Profile: profile, Config: writeConfig(t, "rules: {node-skew: {min_size: 1 MB}}")}), func(e *Engine, k *parser.Key) {
					if x == nil {
						x = e.NewInstance()
					}
					x.Add(k, facts(e, k))
				})
				if fleet == nil {
					fleet = x.engine.NewFleet()
				}
				fleet.Add(x, node)
			}
			kept, _ := fleet.Findings()
			found := slices.ContainsFunc(kept, func(f InstanceFinding) bool {
				return f.Rule.Name() == "node-skew" && f.Largest.Node == 0 && f.Severity == Warning
			})
			hits["node-skew"] = hits["node-skew"] || found
			misses["node-skew"] = misses["node-skew"] || !found
			if found != (first == "cluster-skewed.rdb.gz") {
				t.Errorf("%s under %s beside two smaller nodes: %+v", first, profile, kept)
			}
		}
	}
	for _, r := range Rules() {
		if r.accumulate != nil && !r.Optional && (!hits[r.Name] || !misses[r.Name]) {
			t.Errorf("%s: a server's snapshot with a finding: %v, one without: %v", r.Name, hits[r.Name], misses[r.Name])
		}
	}
}

// TestInstanceRulesCount checks that each rule over the instance that is on has an
// accumulator, and no other.
func TestInstanceRulesCount(t *testing.T) {
	for _, profile := range profileNames {
		p := mustLoad(t, LoadOptions{Profile: profile})
		for _, cluster := range []bool{false, true} {
			env := testEnv()
			env.Cluster = cluster
			want := 0
			for _, r := range Rules() {
				if s := &p.Settings[r.ID]; r.accumulate != nil && s.On && s.Idle(p) == "" && (cluster || !slices.Contains([]string{"slot-skew", "hashtag-skew", "node-skew"}, r.Name)) {
					want++
				}
			}
			x := p.Compile(env).NewInstance()
			without := 0 // those that need no keys
			for _, a := range x.accumulators {
				if _, ok := a.(totalsOnly); ok {
					without++
				}
			}
			if len(x.accumulators) != want || len(x.ofAll)+len(x.ofExpiring)+without != want {
				t.Errorf("%s, cluster %v: %d accumulators, %d and %d, want %d", profile, cluster, len(x.accumulators), len(x.ofAll), len(x.ofExpiring), want)
			}
		}
	}
}

// TestStampedeOnServersKeys: neighbouring minutes of 10001, 10000, 1001 and 1000
// keys, and twenty of 5.
func TestStampedeOnServersKeys(t *testing.T) {
	for profile, want := range map[string][]int64{"default": {10001}, "aliyun": {10001}, "baidu": {10001 + 10000 + 1001}, "typed": nil, "upper": {10001}} {
		var x *Instance
		readSnapshot(t, "stampede.rdb.gz", mustLoad(t, LoadOptions{Profile: profile}), func(e *Engine, k *parser.Key) {
			if x == nil {
				x = e.NewInstance()
			}
			x.Add(k, facts(e, k))
		})
		var got []int64
		kept, _ := x.Findings()
		for _, f := range kept {
			got = append(got, f.Keys)
			groups := []string{"over:*:*"}
			if profile == "baidu" {
				groups = []string{"over:*:*", "at:*:*"}
			}
			if f.Measured != 10001 || !slices.Equal(f.Groups, groups) {
				t.Errorf("%s: %d in one minute, groups %q", profile, f.Measured, f.Groups)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", profile, got, want)
		}
	}
}

func TestHashTagsMatterInClusters(t *testing.T) {
	p := mustLoad(t, LoadOptions{Profile: "baidu"})
	for file, want := range map[string]Severity{"names.rdb": Info, "cluster.rdb.gz": Warning} {
		n := 0
		readSnapshot(t, file, p, func(e *Engine, k *parser.Key) {
			if f := found(t, e, "key-hashtag", k); f.Severity != Off {
				n++
				if f.Severity != want {
					t.Errorf("%s: %q: %s", file, k.Name, f.Severity)
				}
			}
		})
		if n == 0 {
			t.Errorf("%s: no findings", file)
		}
	}
}

// TestBigKeyExpiryByServer: an error where nothing can be freed in the background.
func TestBigKeyExpiryByServer(t *testing.T) {
	for _, c := range []struct {
		server, version string
		want            Severity
	}{{"redis", "3.2.13", Error}, {"redis", "4.0.0", Warning}, {"redis", "8.0.2", Warning}, {"redis", "", Warning}, {"valkey", "7.2.5", Warning}, {"valkey", "8.0.0", Info}} {
		env := testEnv()
		env.Server, env.Version = c.server, c.version
		for _, profile := range profileNames {
			e := mustLoad(t, LoadOptions{Profile: profile}).Compile(env)
			if got := found(t, e, "big-key-expiry", key("a:b", collection(parser.ZSet, parser.EncSkiplist, 5001))).Severity; got != c.want {
				t.Errorf("%s %s under %s: %v, want %v", c.server, c.version, profile, got, c.want)
			}
		}
	}
}
