package thresholds

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// TestShares checks the arithmetic of shares against math/big's results: of products that
// do not fit into 64 bits, too.
func TestShares(t *testing.T) {
	for _, c := range []struct{ a, b, c, want int64 }{{3, 100, 4, 75}, {0, 100, 4, 0}, {1, 1, 3, 0}, {5, 3, 1, 15}, {1, 1, 0, 1 << 62}, {1, 1, -1, 1 << 62}, {1 << 62, 4, 4, 1 << 62},
		{1 << 61, 8, 8, 1 << 61}, {1 << 62, 1 << 62, 1, 1 << 62}, {1 << 40, 1 << 40, 1 << 30, 1 << 50}, {math.MaxInt64, 1, 1, 1 << 62}} {
		if got := share(c.a, c.b, c.c); got != c.want {
			t.Errorf("share(%d, %d, %d) = %d, want %d", c.a, c.b, c.c, got, c.want)
		}
	}
	for _, c := range []struct {
		a, b, c, d int64
		want       bool
	}{{2, 3, 1, 5, true}, {2, 3, 1, 6, false}, {2, 3, 1, 7, false}, {1 << 40, 1 << 40, 1 << 39, 1 << 40, true}, {1 << 40, 1 << 40, 1 << 41, 1 << 39, false}, {1 << 39, 1 << 40, 1 << 40, 1 << 40, false},
		{1 << 40, 1 << 24, 1<<40 - 1, 1 << 24, true}, {1, math.MaxInt64, 1 << 32, 1 << 32, false}, {1 << 32, 1 << 32, 1, math.MaxInt64, true}} {
		if got := more(c.a, c.b, c.c, c.d); got != c.want {
			t.Errorf("%d * %d > %d * %d is %t", c.a, c.b, c.c, c.d, got)
		}
	}
	levels := []level{{30, Error}, {20, Warning}, {10, Info}}
	for n, want := range map[int64]Severity{10: Off, 11: Info, 20: Info, 21: Warning, 31: Error} {
		l, ok := severest(levels, func(limit int64) bool { return n > limit })
		if l.severity != want || ok != (want != Off) {
			t.Errorf("%d: %v, %t", n, l.severity, ok)
		}
	}
}

// TestReadCost checks which rows of Baidu's tables (document 004) a value is compared
// with: the one that it is on, the two that it is between, and the last beyond the end.
func TestReadCost(t *testing.T) {
	e := mustLoad(t, LoadOptions{}).Compile(testEnv())
	value := func(bytes int64) *parser.Key { return key("a:b", str(bytes)) }
	hash := func(fields int64) *parser.Key {
		return key("a:b", collection(parser.Hash, parser.EncHashtable, fields))
	}
	const one = "One read of the whole value transfers "
	for _, c := range []struct {
		k    *parser.Key
		want []string
	}{
		{value(0), nil},
		{value(50), []string{one + "50 bytes: 2,684,354 reads", "Baidu measured 97,000 requests a second for values of 100 B (at most 10 ms each)."}},
		{value(100), []string{one + "100 bytes: 1,342,177 reads", "Baidu measured 97,000 requests a second for values of 100 B (at most 10 ms each)."}},
		{value(101), []string{one, "Baidu measured 97,000 requests a second for values of 100 B, and 78,000 for 1 KB (at most 10 ms each)."}},
		{value(1 << 10), []string{one, "Baidu measured 78,000 requests a second for values of 1 KB (at most 10 ms each)."}},
		{value(10<<10 - 1), []string{one, "Baidu measured 78,000 requests a second for values of 1 KB, and 73,000 for 10 KB (at most 10 ms each)."}},
		{value(50 << 10), []string{one, "Baidu measured 68,000 requests a second for values of 50 KB (at most 10 ms each)."}},
		{value(100<<10 + 1), []string{one, "Baidu measured 42,000 requests a second for values of 100 KB, and 6,400 for 500 KB (at most 10 ms each)."}},
		{value(500 << 10), []string{one + "512,000 bytes: 262 reads", "Baidu measured 6,400 requests a second for values of 500 KB (at most 10 ms each)."}},
		{value(500<<10 + 1), []string{one, "Baidu measured 6,400 requests a second for values of 500 KB (at most 10 ms each), the largest in its table."}},
		{value(64 << 20), []string{one + "67,108,864 bytes: 2 reads a second", "Baidu"}},
		{value(64<<20 + 1), []string{one + "67,108,865 bytes: a single read a second fills", "Baidu"}},
		{value(128 << 20), []string{one + "134,217,728 bytes: a single read a second fills", "Baidu"}},
		{hash(5), []string{one, "HGETALL of 10 fields of 10 bytes: Baidu measured 48,000 a second."}},
		{hash(10), []string{one, "HGETALL of 10 fields of 10 bytes: Baidu measured 48,000 a second."}},
		{hash(11), []string{one, "HGETALL of 10 fields of 10 bytes: Baidu measured 48,000 a second; of 100 fields 10,000."}},
		{hash(500), []string{one, "HGETALL of 500 fields of 10 bytes: Baidu measured 2,500 a second."}},
		{hash(700), []string{one, "HGETALL of 500 fields of 10 bytes: Baidu measured 2,500 a second; of 1,000 fields 870."}},
		{hash(3000), []string{one, "HGETALL of 3,000 fields of 10 bytes: Baidu measured 250 a second."}},
		{hash(5000), []string{one, "HGETALL of 5,000 fields of 10 bytes: Baidu measured 120 a second."}},
		{hash(5001), []string{one, "HGETALL of 5,000 fields of 10 bytes: Baidu measured 120 a second. Its table ends there"}},
		{key("a:b", with(collection(parser.Hash, parser.EncHashtable, 1), func(k *parser.Key) { k.Elements = 0 })), []string{one}},
	} {
		s := SubjectOf(c.k)
		x := e.explain(Finding{}, &s)
		x.readCost()
		var got []string
		for _, a := range x.advice {
			got = append(got, a.Text.String())
		}
		if !slices.EqualFunc(got, c.want, strings.HasPrefix) {
			t.Errorf("%s of %d bytes, %d elements: %q, want %q", c.k.Type, c.k.ValueBytes, c.k.Elements, got, c.want)
		}
	}
}

// TestDelete checks which command deletes a key on which server, at the bounds: 100
// elements, and batches of 500 from 100,000 elements on.
func TestDelete(t *testing.T) {
	old := Env{Server: "redis", Version: "3.2.12", Created: created}
	full := map[parser.Type]parser.Encoding{parser.List: parser.EncQuicklist, parser.ZSet: parser.EncSkiplist, parser.Hash: parser.EncHashtable, parser.Set: parser.EncHashtable, parser.Stream: parser.EncStream}
	of := func(typ parser.Type, n int64) *parser.Key { return key("a:b", collection(typ, full[typ], n)) }
	compact := of(parser.Hash, 500)
	compact.Encoding = parser.EncZiplist
	for _, c := range []struct {
		env  Env
		k    *parser.Key
		want string // the text's beginning, and the first command's
	}{
		{testEnv(), of(parser.Hash, 9), "UNLINK removes it|UNLINK \"a:b\""},
		{Env{Server: "redis", Version: "4.0.0"}, of(parser.Hash, 9), "UNLINK removes it|UNLINK \"a:b\""},
		{Env{Server: "keydb", Version: "1.0"}, of(parser.Hash, 9), "UNLINK removes it|UNLINK \"a:b\""},
		{Env{Server: "valkey"}, of(parser.Hash, 9), "UNLINK removes it|UNLINK \"a:b\""},
		{Env{Server: "dragonfly"}, of(parser.Hash, 9), "UNLINK removes it|UNLINK \"a:b\""},
		{old, key("a:b", str(1<<20)), "DEL of a string does not block.|DEL \"a:b\""},
		{old, of(parser.Hash, 0), "DEL is fast enough|DEL \"a:b\""},
		{old, of(parser.Hash, 100), "DEL is fast enough|DEL \"a:b\""},
		{old, compact, "DEL is fast enough|DEL \"a:b\""},
		{old, of(parser.List, 101), "In batches of 100. This|2 LTRIM \"a:b\" 100 -1"},
		{old, of(parser.List, 200), "In batches of 100. This|2 LTRIM \"a:b\" 100 -1"},
		{old, of(parser.List, 201), "In batches of 100. This|3 LTRIM \"a:b\" 100 -1"},
		{old, of(parser.ZSet, 100_000), "In batches of 100. This|1000 ZREMRANGEBYRANK \"a:b\" 0 99"},
		{old, of(parser.ZSet, 100_001), "In batches of 500. This|201 ZREMRANGEBYRANK \"a:b\" 0 499"},
		{old, of(parser.Hash, 101), "In batches of 100, from a shell|c=0; while"},
		{old, of(parser.Set, 101), "In batches of 100, from a shell|c=0; while"},
		{old, of(parser.Stream, 101), "This server has no UNLINK|DEL \"a:b\""},
		{old, of(parser.Hash, -1), "This server has no UNLINK|DEL \"a:b\""},
	} {
		e := mustLoad(t, LoadOptions{}).Compile(c.env)
		s := SubjectOf(c.k)
		if c.k.Elements < 0 {
			s.Type = parser.Module
		}
		x := e.explain(Finding{}, &s)
		x.delete()
		text, command, _ := strings.Cut(c.want, "|")
		a := adviceTexts(x.advice)
		if len(a) != 1 || !strings.HasPrefix(a[0].Text, text) || !strings.HasPrefix(a[0].Commands[len(a[0].Commands)-1], command) || a[0].Condition != "if it is no longer needed" {
			t.Errorf("%s %s, %s of %d: %+v, want %s", c.env.Server, c.env.Version, c.k.Type, c.k.Elements, x.advice, c.want)
		}
	}
}

// TestParts checks into how many parts a key is to be split, by hand.
func TestParts(t *testing.T) {
	e := mustLoad(t, LoadOptions{}).Compile(testEnv())
	rule := func(name string) RuleID { return ruleID(t, name) }
	list := func(n, bytes, largest int64) *parser.Key {
		return key("a:b", with(collection(parser.List, parser.EncQuicklist, n), func(k *parser.Key) { k.ValueBytes, k.Largest = bytes, largest }))
	}
	for _, c := range []struct {
		rule            string
		note            uint8
		k               *parser.Key
		measured, limit int64
		want            string
	}{
		{"big-string", 0, key("a:b", str(20_480)), 20_480, 10_240, "2 keys, key:(offset / 10240)"},
		{"big-string", 0, key("a:b", str(20_481)), 20_481, 10_240, "3 keys, key:(offset / 10240)"},
		{"big-string", 0, key("ab", str(10_241)), 10_241, 10_240, "2 keys, key:(offset / 10240)"},
		{"big-string", 0, key("ab#c", str(10_241)), 10_241, 10_240, "2 keys, key#(offset / 10240)"},
		// The limit is a part's; the parts are equal.
		{"big-collection", 0, list(12_000, 120_000, 10), 12_000, 5_000, "3 lists, key:(index / 4000)"},
		{"big-collection", 0, list(10_000, 100_000, 10), 10_000, 5_000, "2 lists, key:(index / 5000)"},
		{"big-collection", 0, list(10_001, 100_000, 10), 10_001, 5_000, "3 lists, key:(index / 3334)"},
		// By bytes: sqrt(1 MB + 4*4096) - 2*sqrt(4096) is 904, squared 817,160: 3.85 parts of 3 MB.
		{"big-value", 0, list(1000, 3<<20, 4096), 3 << 20, 1 << 20, "4 lists, key:(index / 250)"},
		{"big-value", 0, list(1, 3<<20, 3<<20), 3 << 20, 1 << 20, "2 lists, key:(index / 1)"},
		{"big-value", 0, list(3, 3<<20, 0), 3 << 20, 1 << 20, "3 lists, key:(index / 1)"},
		// Buckets by a hash: four deviations less than 5,000 is 4,725; 1,000 elements of 1,000 bytes each less than 1 MB.
		{"big-collection", 0, key("a:b", collection(parser.Hash, parser.EncHashtable, 9_451)), 9_451, 5_000, "3 buckets, key:(hash(field) % 3)"},
		{"big-collection", 0, key("a:b", collection(parser.Hash, parser.EncHashtable, 9_449)), 9_449, 5_000, "2 buckets, key:(hash(field) % 2)"},
		{"big-collection", 0, key("a:b", collection(parser.Set, parser.EncHashtable, 5_001)), 5_001, 5_000, "2 buckets, key:(hash(member) % 2)"},
		// Ranges of scores, by rank: as parts of a list.
		{"big-collection", 0, key("a:b", collection(parser.ZSet, parser.EncSkiplist, 10_001)), 10_001, 5_000, "3 ranges of scores, key:(range)"},
	} {
		s := SubjectOf(c.k)
		x := e.explain(Finding{Rule: rule(c.rule), Severity: Warning, Measured: c.measured, Limit: c.limit, note: c.note}, &s)
		if _, got := x.parts(c.limit, Error); got.String() != c.want {
			t.Errorf("%s of %d: %q, want %q", c.rule, c.measured, got, c.want)
		}
	}
	for _, c := range []struct{ total, limit, largest, want int64 }{{5, 5, 1, 1}, {6, 5, 1, 6}, {6, 0, 1, 1}, {6, -1, 1, 1}, {101, 100, 1, 2}, {10, 9, 0, 4}, {1000, 10, 1000, 1000}, {2, 1, 1, 2}} {
		if got := buckets(c.total, c.limit, c.largest); got != c.want {
			t.Errorf("buckets(%d, %d, %d) = %d, want %d", c.total, c.limit, c.largest, got, c.want)
		}
	}
	// A sorted set keeps its highest ranks.
	for _, c := range []struct {
		rule                     string
		largest, measured, limit int64
		want                     string
	}{{"big-collection", 10, 5_001, 5_000, "ZREMRANGEBYRANK key 0 -5001 keeps the 5,000 highest"}, {"big-value", 1000, 2 << 20, 1 << 20, "ZREMRANGEBYRANK key 0 -1049 keeps the 1,048 highest"}} {
		s := SubjectOf(key("a:b", with(collection(parser.ZSet, parser.EncSkiplist, 5_001), func(k *parser.Key) { k.Largest = c.largest })))
		x := e.explain(Finding{Rule: rule(c.rule), Severity: Warning, Measured: c.measured, Limit: c.limit}, &s)
		x.split(anyPart)
		if a := adviceTexts(x.advice); len(a) != 2 || !strings.Contains(a[0].Text, c.want) || !a[0].ChangesData || a[1].ChangesData {
			t.Errorf("%s: %+v, want %s", c.rule, a, c.want)
		}
	}
	// An element as large as the limit can be in a part of its own; a larger one cannot.
	for _, c := range []struct {
		largest int64
		moved   bool
	}{{1 << 20, false}, {1<<20 + 1, true}} {
		s := SubjectOf(key("a:b", with(collection(parser.Hash, parser.EncHashtable, 10), func(k *parser.Key) { k.ValueBytes, k.Largest = 3<<20, c.largest })))
		x := e.explain(Finding{Rule: rule("big-value"), Severity: Warning, Measured: 3 << 20, Limit: 1 << 20}, &s)
		x.split(wholeElements)
		if moved := strings.HasPrefix(x.advice[0].Text.String(), "One element alone has"); moved != c.moved || moved != (len(x.advice) == 1) {
			t.Errorf("largest element of %d: %+v", c.largest, x.advice)
		}
		x.advice = nil
		if x.split(anyPart); len(x.advice) != 2 {
			t.Errorf("%+v", x.advice)
		}
		x.advice, x.Limit = nil, 0
		if x.split(anyPart); x.advice != nil {
			t.Errorf("without a limit: %+v", x.advice)
		}
	}
}

// TestCompactLimits checks at which figures a collection is near the limits of the compact
// encoding: over one or within both, up to four times each.
func TestCompactLimits(t *testing.T) {
	l := &compactLimits{maxRatio: 4, full: parser.EncHashtable, plain: compactForm{512, 64}, integers: compactForm{100, 20}}
	for _, c := range []struct {
		typ               parser.Type
		enc               parser.Encoding
		elements, longest int64
		integers          bool
		want              string // note measured limit, "" none
	}{
		{parser.Hash, parser.EncHashtable, 512, 64, false, "0 512 512"}, {parser.Hash, parser.EncHashtable, 1, 1, false, "0 1 512"}, {parser.Hash, parser.EncListpack, 600, 64, false, ""},
		{parser.Hash, parser.EncHashtable, 513, 64, false, "1 513 512"}, {parser.Hash, parser.EncHashtable, 2048, 64, false, "1 2048 512"}, {parser.Hash, parser.EncHashtable, 2049, 64, false, ""},
		{parser.Hash, parser.EncHashtable, 512, 65, false, "2 65 64"}, {parser.Hash, parser.EncHashtable, 512, 256, false, "2 256 64"}, {parser.Hash, parser.EncHashtable, 512, 257, false, ""},
		{parser.Hash, parser.EncHashtable, 513, 65, false, "3 513 512"}, {parser.Hash, parser.EncHashtable, 513, 257, false, ""},
		{parser.Set, parser.EncHashtable, 101, 20, true, "1 101 100"}, {parser.Set, parser.EncHashtable, 101, 20, false, "0 101 512"}, {parser.Hash, parser.EncHashtable, 101, 20, true, "0 101 512"},
	} {
		var f Finding
		got := ""
		k := &parser.Key{Type: c.typ, Encoding: c.enc, Elements: c.elements, Longest: c.longest, Integers: c.integers}
		if l.confirm(k, nil, &f) {
			got = fmt.Sprint(f.note, " ", f.Measured, " ", f.Limit)
		}
		if got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
	l.plain = compactForm{}
	if l.confirm(&parser.Key{Type: parser.Set, Encoding: parser.EncHashtable, Elements: 0}, nil, &Finding{}) {
		t.Error("there is no compact encoding, but it is near its limits")
	}
	for _, c := range []struct{ memory, compact, want int64 }{{100, 30, 70}, {30, 100, 0}, {-1, 30, 7}, {100, -1, 7}, {0, 0, 0}} {
		if got := compactSaving(&parser.Key{Memory: c.memory, CompactMemory: c.compact, Elements: 7}); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
		s := Subject{Key: parser.Key{Memory: c.memory, CompactMemory: c.compact}}
		if got := s.savesMemory(); got != (c.want == 70) {
			t.Errorf("%+v: saves memory: %t", c, got)
		}
	}
	if got := compactSaving(&parser.Key{Memory: -1, CompactMemory: -1, Elements: -1}); got != 0 {
		t.Error(got)
	}
}

// TestTextKind checks how the first bytes of JSON, XML, text and others are recognized.
func TestTextKind(t *testing.T) {
	for head, want := range map[string]uint8{"": 0, " \t\r\n": noteText, "text": noteText, "{": noteJSON, "{}": noteJSON, "{ \n\"a\"": noteJSON, "{a}": noteText, "{'a'": noteText, "[": noteJSON, "[]": noteJSON, "[ 1": noteJSON,
		"[-1": noteJSON, "[\"": noteJSON, "[[": noteJSON, "[{": noteJSON, "[t": noteJSON, "[f": noteJSON, "[n": noteJSON, "[x": noteText, "[+1": noteText, "[9": noteJSON, "[/": noteText, "<a": noteXML, "<Z": noteXML, "<?": noteXML, "<!": noteXML,
		"< a": noteXML, "<1": noteText, "<": noteText, "<@": noteText, "<[": noteText, "<`": noteText, "<{": noteText, "\ufeff{": noteJSON, "\ufeff <a": noteXML, "a\x00": 0, "a\x1f": 0, "a\x7f": 0, "a b": noteText, "a\xff": 0, "\xe4": 0,
		"a\xe4\xb8": noteText, "a\xe4\xb8\xad": noteText, "\xe4\xb8": 0, "a\xe4x": 0, "\ufffd": noteText, "a\u0080": noteText, "a\x1b": 0, "\tx": noteText, "x\v": 0} {
		if got := textKind([]byte(head)); got != want {
			t.Errorf("%q: %d, want %d", head, got, want)
		}
	}
}

// TestCounters checks the table of counters: that it finds each part, whatever the
// collisions, drops some, and knows the n-th largest.
func TestCounters(t *testing.T) {
	var c counters
	if c.find(7, []byte("x"), 1) >= 0 {
		t.Error("found in an empty table")
	}
	part := func(i int) (uint64, []byte) { // all in four places
		return uint64(i%4) << 32, fmt.Append(nil, "part", i)
	}
	const n = 300
	for i := range n {
		hash, p := part(i)
		if at := c.get(hash, p, len(p), n); at != i {
			t.Fatalf("part %d is number %d", i, at)
		}
		c.list[i].keys, c.list[i].bytes = int64(i), int64(i*7%n)
	}
	if len(c.slots) < 2*n {
		t.Errorf("%d slots for %d parts", len(c.slots), n)
	}
	hash, p := part(n)
	if c.get(hash, p, len(p), n) >= 0 || c.find(hash, p, len(p)) >= 0 {
		t.Error("a part more than the limit")
	}
	hash, p = part(5)
	if c.find(hash, p, len(p)+1) >= 0 || c.find(hash, p[:len(p)-1], len(p)) >= 0 || c.find(hash+1, p, len(p)) >= 0 {
		t.Error("a part of another length, text or hash is the same")
	}
	for at, want := range map[int]int64{0: n - 1, 1: n - 2, n - 1: 0, 100: n - 101} {
		if got := c.nth(at, func(x *counter) int64 { return x.bytes }); got != want {
			t.Errorf("the largest but %d is %d, want %d", at, got, want)
		}
	}
	c.addLargest(n/2, NodeSums{Node: 3, Keys: 9, Bytes: 9})
	c.keep(func(x *counter) bool { x.bytes++; return x.keys%2 == 0 })
	for i := range n {
		hash, p := part(i)
		at := c.find(hash, p, len(p))
		if (at >= 0) != (i%2 == 0) || at >= 0 && (at != i/2 || c.list[at].keys != int64(i) || c.list[at].bytes != int64(i*7%n)+1 || string(c.part(&c.list[at])) != string(p)) {
			t.Fatalf("part %d is number %d", i, at)
		}
		if at >= 0 && c.largestOf(at) != (NodeSums{}) != (i == n/2) {
			t.Errorf("part %d: %+v", i, c.largestOf(at))
		}
	}
	if c.reset(); len(c.list) != 0 || len(c.parts) != 0 || len(c.largest) != 0 || c.find(hash, p, len(p)) >= 0 || c.size() == 0 {
		t.Errorf("%d parts are left", len(c.list))
	}
}

// TestTimeline checks which minutes a timeline covers, and what is in them.
func TestTimeline(t *testing.T) {
	for _, c := range []struct {
		first, length int64
		known         bool
		from, to      int64 // covered
	}{{1000, 128, true, 1000, 1127}, {1000, 129, true, 1000, 1191}, {1000, 1, true, 1000, 1063}, {1000, 64, false, 936, 1063}, {1000, 100, false, 900, 1155}} {
		var line timeline[totals]
		line.start(c.first, c.length, c.known)
		for n, want := range map[int64]bool{c.from - 1: false, c.from: true, c.to: true, c.to + 1: false, math.MinInt64: false, math.MaxInt64: false} {
			if got := line.at(n) != nil; got != want {
				t.Errorf("%+v: minute %d is covered: %t", c, n, got)
			}
		}
		line.at(c.from).add(totals{1, 10})
		line.at(c.to).add(totals{2, 20})
		line.at(c.to).add(totals{2, 20})
		var got []int64
		eachOf(&line, func(n int64, keys totals) { got = append(got, n, keys.keys, keys.bytes) })
		if want := []int64{c.from, 1, 10, c.to, 4, 40}; !slices.Equal(got, want) {
			t.Errorf("%+v: %d, want %d", c, got, want)
		}
		size := line.size()
		line.reset()
		line.start(c.first, c.length, c.known)
		eachOf(&line, func(n int64, keys totals) { t.Errorf("minute %d has %+v after a reset", n, keys) })
		if line.at(c.from).add(totals{1, 1}); len(line.spare) == 0 && size > 2000 || *line.at(c.from) != (totals{1, 1}) {
			t.Errorf("%+v: %d spare pages", c, len(line.spare))
		}
	}
}

// TestIgnoreBounds checks when an entry still ignores: up to twice what was accepted, and
// until its last day is over.
func TestIgnoreBounds(t *testing.T) {
	for _, c := range []struct {
		accepted, measured, limit int64
		want                      bool
	}{{0, 1 << 40, 10, false}, {50, 99, 10, false}, {50, 100, 10, true}, {50, 101, 10, true}, {50, 26, 100, false}, {50, 25, 100, true}, {50, 24, 100, true}, {50, 100, 100, true}, {51, 100, 100, false}, {-1, 1000, 1, false}} {
		if got := (&Ignore{Accepted: c.accepted}).exceeded(&Finding{Measured: c.measured, Limit: c.limit}); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
	for _, c := range []struct {
		accepted, findings int64
		want               bool
	}{{0, 1000, false}, {3, 5, false}, {3, 6, true}, {3, 7, true}, {1, 1, false}, {1, 2, true}} {
		if got := (&Ignore{Findings: c.accepted}).Grown(c.findings); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
}

// TestCompoundWords checks where a listed word begins and ends in a name: document 001
// writes file.path and filePath for the same.
func TestCompoundWords(t *testing.T) {
	for _, c := range []struct {
		list, separators, name string
		index, at              int
	}{
		{"file", ":", "file", 0, 0}, {"file", ":", "FILE:1", 0, 0}, {"file", ":", "files", 0, -1}, {"file", ":", "afile", 0, -1}, {"file", ":", "1file2", 0, 1}, {"file", ":", "aFile", 0, 1}, {"file", ":", "AFile", 0, -1}, {"file", ":", "filePath", 0, 0},
		{"file", ":", "fileP", 0, 0}, {"file", ":", "fil", 0, -1}, {"file", ":", "fil\x05", 0, -1}, {"file", ":", "FILEPath", 0, -1}, {"other,file", ":", "x:file", 1, 2}, {"file path", ":", "file.path", 0, 0}, {"file path", ":", "filepath", 0, 0},
		{"file path", ":", "filePath", 0, 0}, {"file path", ":", "file:path", 0, -1}, {"file path", ":", "file..path", 0, -1}, {"file path", ":", "file1path", 0, -1}, {"file path", ":", "file path", 0, 0}, {"file path", ":", "file", 0, -1}, {"file path", ":", "file.", 0, -1},
		{"file path", "_:", "file_path", 0, -1}, {"file path", ":_", "file_path", 0, 0}, {"file path", ":", "file_path", 0, 0}, {"file path", ":#", "file#path", 0, -1}, {"file path", ":", "file.paths", 0, -1}, {"file path", ":", "a:file.path:b", 0, 2}, {"b,a", ":", "a:b", 1, 0},
	} {
		index, at := naming.NewWords(strings.Split(c.list, ","), c.separators).Find([]byte(c.name))
		if index != c.index || at != c.at {
			t.Errorf("%q in %q (separators %q): entry %d at %d, want %d at %d", c.list, c.name, c.separators, index, at, c.index, c.at)
		}
	}
}

// TestBuckets checks that with the suggested number of buckets the largest of them
// is within the limit, with rare exceptions.
func TestBuckets(t *testing.T) {
	for _, c := range []struct{ total, limit, want int64 }{{2_000_000, 5000, 424}, {5001, 5000, 2}, {5000, 5000, 1}, {0, 10, 1}, {100, 1, 100}, {600, 512, 2}} {
		if got := buckets(c.total, c.limit, 1); got != c.want {
			t.Errorf("%d elements in buckets of %d: %d, want %d", c.total, c.limit, got, c.want)
		}
	}
	n := buckets(200_000, 1000, 1)
	counts := make([]int64, n)
	for i := range uint64(200_000) {
		counts[(i*i+7)*0x9e3779b97f4a7c15>>40%uint64(n)]++
	}
	for _, c := range counts {
		if c > 1000 {
			t.Errorf("a bucket of %d", c)
		}
	}
}

// TestSpanOver checks that what is over a limit never reads like the limit.
func TestSpanOver(t *testing.T) {
	for _, c := range []struct {
		n, limit int64
		want     string
	}{{30*day + 1, 30 * day, "30d 1s"}, {30*day + 3600, 30 * day, "30d 1h"}, {400*day + 3661, 400 * day, "400d 1h 1m 1s"},
		{3601, 3600, "1h 1s"}, {61, 60, "1m 1s"}, {1, 0, "1s"}, {0, 0, "0s"}, {30 * day, 30 * day, "30d"}, {90 * day, 30 * day, "90d"}} {
		x := explainer{Finding: Finding{Rule: ruleID(t, "ttl-too-long"), Measured: c.n, Limit: c.limit}}
		if got := x.found("{measured}").String(); got != c.want {
			t.Errorf("%d over %d: %s, want %s", c.n, c.limit, got, c.want)
		}
	}
}
