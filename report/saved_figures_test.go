package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestMergedFigures merges three saved reports whose figures are powers of ten, so that
// each sum shows what is in it, and checks everything that is no sum: largest keys,
// extremes, orders, and which row keeps what all have in common.
func TestMergedFigures(t *testing.T) {
	db := func(n int) *int { return &n }
	report := func(n int64, edit func(r *Report)) *Report {
		key := KeyRow{Key: Name(fmt.Sprint("k", n)), Type: "hash", Memory: Figure(n), MemoryUsage: Figure(n), ValueBytes: Figure(n), Elements: Figure(n), Serialized: Figure(n), Largest: Figure(n), Freq: Figure(n), Offset: n}
		r := &Report{Schema: SchemaVersion, Complete: true, By: ByMemory, Config: Config{Profile: "default", Separators: ":"},
			Inputs: []Input{{Name: Name(fmt.Sprint("in", n)), Created: 5, Bytes: n, Keys: n, Format: "REDIS", Complete: true}},
			Totals: Totals{Keys: n, Elements: n, ValueBytes: n, SerializedBytes: n, MemoryBytes: Figure(n), MemoryUsage: Figure(n), NameBytes: n, WithTTL: n, WithoutTTL: n, WithoutTTLBytes: n, WithoutTTLMemory: Figure(n), Expired: Figure(n)},
			Types: []TypeRow{{Type: "hash", Keys: n, Elements: n, ValueBytes: 2 * n, SerializedBytes: n, MemoryBytes: Figure(n), MemoryUsage: Figure(n), WithTTL: n, MaxElements: Figure(n), MaxValueBytes: Figure(n), MaxMemoryBytes: Figure(n), LargestKey: &key},
				{Type: "set", Keys: 1, MemoryBytes: Figure(5 * n), MaxElements: Unknown, MaxValueBytes: Unknown, MaxMemoryBytes: Unknown}},
			Encodings: []Encoding{{Type: "hash", Encoding: "listpack", Keys: n, MemoryBytes: Figure(n)}, {Type: "hash", Encoding: "hashtable", Keys: n, MemoryBytes: Figure(2 * n)}},
			Databases: []Database{{Input: 0, DB: 3, Keys: n}, {Input: 0, DB: 1, Keys: n}},
			Findings:  Counts{Error: n, Warning: n, Info: n, Ignored: n},
			Rules: []Finding{{Rule: "no-ttl", Severity: "warning", Count: n, ValueBytes: Figure(n), MemoryBytes: Figure(n), Groups: []FindingGroup{{Group: "a:*", Count: n}, {Group: Name(fmt.Sprint("b", n)), Count: 7}},
				Examples: []Example{{KeyRow: &key, Measured: Figure(n), Limit: 1}}},
				{Rule: "big-string", Severity: "error", Count: n}},
			Ignored: []Ignored{{Rule: "no-ttl", Pattern: "x", Count: n}},
			Groups: []Group{{Group: "a:*", Keys: n, Elements: n, ValueBytes: n, MemoryBytes: Figure(n), WithoutTTL: n, Findings: n, Errors: n, Type: "hash", Owner: "o", DB: db(3), TTLMin: p(n), TTLMedian: p(n), TTLMax: p(n), LargestKey: &key},
				{Group: "same:*", Keys: 1, MemoryBytes: 7, Type: "hash", Owner: "o", DB: db(3)}},
			GroupsFolded: n,
			Owners:       []Owner{{Owner: "o", Keys: n, MemoryBytes: 1, Findings: Counts{Error: n}}, {Owner: "q", Keys: n, MemoryBytes: Figure(n)}},
			Expiry:       []Bucket{{Label: "x", Keys: n, ValueBytes: n, MemoryBytes: Figure(n)}},
			Histograms:   Histograms{KeyLength: []Bucket{{Label: "x", Keys: n}}, Elements: []Bucket{{Label: "x", Keys: n}}, Idle: []Bucket{{Label: "x", Keys: n}}, LFU: []Bucket{{Label: "x", Keys: n}}},
			Top:          map[string][]KeyRow{}, TopByType: map[string]map[string][]KeyRow{"hash": {}}, Hot: []KeyRow{key}}
		for _, m := range Measures() {
			r.Top[m], r.TopByType["hash"][m] = []KeyRow{key}, []KeyRow{key}
		}
		if edit != nil {
			edit(r)
		}
		return r
	}
	third := func(r *Report) {
		r.Groups[0].Type, r.Groups[0].Owner, r.Groups[0].DB, r.Groups[0].TTLMin, r.Groups[0].TTLMax = "set", "q", db(1), nil, nil
		r.Interrupted, r.Complete = true, false
	}
	names := []string{"one", "two", "three"}
	got, err := MergeSaved(names, []*Report{report(10, nil), report(1000, nil), report(100, third)}, Tool{Name: "t"})
	if err != nil {
		t.Fatal(err)
	}
	if want := (Totals{Keys: 1110, Elements: 1110, ValueBytes: 1110, SerializedBytes: 1110, MemoryBytes: 1110, MemoryUsage: 1110, NameBytes: 1110, WithTTL: 1110, WithoutTTL: 1110, WithoutTTLBytes: 1110, WithoutTTLMemory: 1110, Expired: 1110}); got.Totals != want {
		t.Errorf("totals %+v", got.Totals)
	}
	if got.Complete || !got.Interrupted || got.GroupsFolded != 1000 || got.Tool.Name != "t" || got.By != ByMemory || got.Findings != (Counts{1110, 1110, 1110, 1110}) {
		t.Errorf("%t, %t, %d, %+v", got.Complete, got.Interrupted, got.GroupsFolded, got.Findings)
	}
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	largest := func(k *KeyRow) string {
		if k == nil {
			return "-"
		}
		return fmt.Sprint(k.Key, " of ", got.Inputs[k.Input].Name)
	}
	for _, r := range got.Types {
		add("type %s %d keys, %d B, most %d %d %d, average %d, share %.3f, %s", r.Type, r.Keys, r.MemoryBytes, r.MaxElements, r.MaxValueBytes, r.MaxMemoryBytes, r.AverageBytes, r.Share, largest(r.LargestKey))
	}
	for _, r := range got.Encodings {
		add("encoding %s %d %d", r.Encoding, r.Keys, r.MemoryBytes)
	}
	for _, r := range got.Databases {
		add("database %s %d %d", got.Inputs[r.Input].Name, r.DB, r.Keys)
	}
	for _, g := range got.Groups {
		ttl := func(n *int64) string {
			if n == nil {
				return "-"
			}
			return fmt.Sprint(*n)
		}
		of := -1
		if g.DB != nil {
			of = *g.DB
		}
		add("group %s %d keys, %d findings, %d errors, type %q, owner %q, db %d, TTL %s %s %s, %s", g.Group, g.Keys, g.Findings, g.Errors, g.Type, g.Owner, of, ttl(g.TTLMin), ttl(g.TTLMedian), ttl(g.TTLMax), largest(g.LargestKey))
	}
	for _, r := range got.Owners {
		add("owner %s %d keys, %d B, %d errors", r.Owner, r.Keys, r.MemoryBytes, r.Findings.Error)
	}
	for _, f := range got.Rules {
		var groups, examples []string
		for _, g := range f.Groups {
			groups = append(groups, fmt.Sprint(g.Group, " ", g.Count))
		}
		for _, e := range f.Examples {
			examples = append(examples, largest(e.KeyRow)+" "+string(got.Inputs[e.Input].Name))
		}
		add("%s %s %d in %s: %s", f.Severity, f.Rule, f.Count, strings.Join(groups, ", "), strings.Join(examples, ", "))
	}
	for _, i := range got.Ignored {
		add("ignored %s %d", i.Pattern, i.Count)
	}
	for _, list := range [][]Bucket{got.Expiry, got.Histograms.KeyLength, got.Histograms.Elements, got.Histograms.Idle, got.Histograms.LFU} {
		add("bars %d %d", len(list), list[0].Keys)
	}
	for _, n := range got.Nodes {
		add("node %s %d keys, %d B, share %.3f, skew %.3f, %d errors", got.Inputs[n.Input].Name, n.Keys, n.MemoryBytes, n.Share, n.Skew, n.Findings.Error)
	}
	// A list has as many keys as are known to be the largest: one here, of a report that has
	// more keys than its list.
	for _, list := range [][]KeyRow{got.Top[ByMemory], got.Top[ByElements], got.TopByType["hash"][ByLargest], got.Hot} {
		var keys []string
		for i := range list {
			keys = append(keys, largest(&list[i]))
		}
		add("list %s", strings.Join(keys, ", "))
	}
	want := `type set 3 keys, 5550 B, most -1 -1 -1, average 0, share 5.000, -
type hash 1110 keys, 1110 B, most 1000 1000 1000, average 2, share 1.000, k1000 of in1000
encoding hashtable 1110 2220
encoding listpack 1110 1110
database in10 1 10
database in10 3 10
database in100 1 100
database in100 3 100
database in1000 1 1000
database in1000 3 1000
group a:* 1110 keys, 1110 findings, 1110 errors, type "", owner "", db -1, TTL 10 - 1000, k1000 of in1000
group same:* 3 keys, 0 findings, 0 errors, type "hash", owner "o", db 3, TTL - - -, -
owner q 1110 keys, 1110 B, 0 errors
owner o 1110 keys, 3 B, 1110 errors
error big-string 1110 in : 
warning no-ttl 1110 in a:* 1110, b10 7, b100 7, b1000 7: k1000 of in1000 in1000, k100 of in100 in100, k10 of in10 in10
ignored x 1110
bars 1 1110
bars 1 1110
bars 1 1110
bars 1 1110
bars 1 1110
node in1000 1000 keys, 1000 B, share 0.901, skew 2.703, 1000 errors
node in100 100 keys, 100 B, share 0.090, skew 0.270, 100 errors
node in10 10 keys, 10 B, share 0.009, skew 0.027, 10 errors
list k1000 of in1000
list k1000 of in1000
list k1000 of in1000
list k1000 of in1000`
	if all := strings.Join(lines, "\n"); all != want {
		t.Errorf("got\n%s\nwant\n%s", all, want)
	}
	// Lists of all keys of a report cut none of the others.
	few := func(r *Report) {
		r.Totals.Keys, r.Types[0].Keys = 1, 1
	}
	got, err = MergeSaved(names[:2], []*Report{report(10, few), report(20, few)}, Tool{})
	if err != nil || len(got.Top[ByMemory]) != 2 || got.Top[ByMemory][0].Key != "k20" || len(got.TopByType["hash"][ByMemory]) != 2 || len(got.Hot) != 2 {
		t.Errorf("%v, %v", err, got.Top[ByMemory])
	}
	// What a report does not know adds nothing, and makes a bound of the sum.
	got, err = MergeSaved(names[:2], []*Report{report(10, nil), report(20, func(r *Report) { r.Totals.MemoryBytes, r.Types[0].MaxElements = Unknown, Unknown })}, Tool{})
	if err != nil || got.Totals.MemoryBytes != 10 || !got.Totals.MemoryBound || got.Totals.WithoutMemory != 20 || got.Types[1].MaxElements != 10 {
		t.Errorf("%v, %+v", err, got.Totals)
	}
	// Filters have to be the same; how much they dropped is a sum.
	filter := func(dropped int64, types ...string) func(r *Report) {
		return func(r *Report) { r.Filter = &Filter{Types: types, Dropped: dropped} }
	}
	got, err = MergeSaved(names, []*Report{report(10, filter(1, "hash")), report(20, filter(20, "hash")), report(30, filter(300, "hash"))}, Tool{})
	if err != nil || got.Filter.Dropped != 321 {
		t.Errorf("%v, %+v", err, got.Filter)
	}
	for what, edit := range map[string]func(r *Report){"their rules": func(r *Report) { r.Config.Rules = "x" }, "the separators of names": func(r *Report) { r.Config.Separators = "#" },
		"the filter": filter(0, "set"), "how names are replaced": func(r *Report) { r.Redaction = &Redaction{Salt: "x"} }} {
		_, err := MergeSaved(names[1:], []*Report{report(10, nil), report(20, edit)}, Tool{})
		if err == nil || err.Error() != `"two" and "three" cannot be merged: their scans differ in `+what {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, c := range []struct {
		a, b Redaction
		ok   bool
	}{{Redaction{Salt: "x"}, Redaction{Salt: "x"}, true}, {Redaction{Salt: "x"}, Redaction{Salt: "y"}, false}, {Redaction{}, Redaction{}, false}, {Redaction{Salt: "x", MinKeys: 1}, Redaction{Salt: "x"}, false}} {
		redacted := func(by Redaction) func(r *Report) { return func(r *Report) { r.Redaction = &by } }
		if _, err := MergeSaved(names[:2], []*Report{report(10, redacted(c.a)), report(20, redacted(c.b))}, Tool{}); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c, err)
		}
		if _, err := MergeSaved(names[:1], []*Report{report(10, redacted(c.a))}, Tool{}); err != nil {
			t.Errorf("%+v alone: %v", c.a, err)
		}
	}
	// A number that is none of an input's is the first.
	r := report(10, func(r *Report) { r.Databases[0].Input, r.Databases[1].Input = -1, 1 })
	if got, err = MergeSaved(names[:1], []*Report{r}, Tool{}); err != nil || got.Databases[0].Input != 0 || got.Databases[1].Input != 0 || got.Nodes != nil {
		t.Errorf("%v, %+v", err, got.Databases)
	}
	// A finding has at most a thousand groups and ten examples.
	many := func(r *Report) {
		f := &r.Rules[0]
		for i := range maxFindingGroups {
			f.Groups = append(f.Groups, FindingGroup{Group: Name(fmt.Sprint("m", i)), Count: 1})
		}
		f.Examples = slices.Repeat(f.Examples, 9)
	}
	if got, err = MergeSaved(names[:2], []*Report{report(10, many), report(20, many)}, Tool{}); err != nil || len(got.Rules[1].Groups) != maxFindingGroups || len(got.Rules[1].Examples) != 10 || got.Rules[1].Groups[0].Count != 30 {
		t.Errorf("%v, %d groups, %d examples", err, len(got.Rules[1].Groups), len(got.Rules[1].Examples))
	}
}
