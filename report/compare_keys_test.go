package report

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/report/internal/agg"
)

// stringsSnapshot returns a snapshot of strings without expiries, each "name=length".
func stringsSnapshot(keys ...string) []byte {
	b := []byte("REDIS0009")
	text := func(s string) { b = append(append(b, 0x40|byte(len(s)>>8), byte(len(s))), s...) }
	b = append(b, 0xfa)
	text("redis-ver")
	text("5.0.9")
	for _, k := range keys {
		name, length, _ := strings.Cut(k, "=")
		var n int
		fmt.Sscan(length, &n)
		b = append(b, 0)
		text(name)
		text(strings.Repeat("x", n))
	}
	return append(b, 0xff, 0, 0, 0, 0, 0, 0, 0, 0)
}

// TestCompareReads checks which side is read first, and how often: the old one before
// the new one, unless the new one is a saved report, whose keys are then looked up.
func TestCompareReads(t *testing.T) {
	old, young := stringsSnapshot("a:1=9000", "a:2=9000", "b:1=100"), stringsSnapshot("a:1=9000", "b:1=15000", "c:1=12000")
	saved := func(data []byte) *Report {
		r, err := Scan(t.Context(), []Source{bytesSource("s.rdb", data)}, testPolicy(t), Options{Top: 10, Jobs: 1})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	var opened []string
	source := func(name string, data []byte) CompareInput {
		s := bytesSource(name, data)
		open := s.Open
		s.Open = func(ctx context.Context) (io.ReadCloser, error) {
			opened = append(opened, name)
			return open(ctx)
		}
		return CompareInput{Source: s}
	}
	for _, c := range []struct {
		name          string
		before, after CompareInput
		want          []string
	}{
		{"two snapshots", source("old", old), source("new", young), []string{"old", "old", "new", "new"}},
		{"a report before", CompareInput{Saved: saved(old)}, source("new", young), []string{"new", "new"}},
		{"a report after", source("old", old), CompareInput{Saved: saved(young)}, []string{"old", "old"}},
		{"two reports", CompareInput{Saved: saved(old)}, CompareInput{Saved: saved(young)}, nil},
	} {
		opened = nil
		d, err := Compare(t.Context(), c.before, c.after, testPolicy(t), Options{Top: 10, Jobs: 1}, CompareOptions{MinBytes: 1})
		if err != nil {
			t.Fatal(c.name, err)
		}
		if !slices.Equal(opened, c.want) {
			t.Errorf("%s: opened %q, want %q", c.name, opened, c.want)
		}
		var got []string
		for _, k := range d.shownKeys(true) {
			got = append(got, fmt.Sprintf("%s %s %s %d %d", k.change, k.Group, k.Key, k.ValueBytesBefore, k.ValueBytesAfter))
		}
		want := []string{"grown b:1 b:1 100 15000", "new c:1 c:1 -1 12000", "gone a:* a:2 9000 -1"}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", c.name, got, want)
		}
	}
}

// TestCompareAlerts checks what a comparison says of its two sides, at the bounds: 30 % of
// the keys or bytes that are gone, a time that is earlier.
func TestCompareAlerts(t *testing.T) {
	report := func(keys int64, bytes Figure, edit func(r *Report)) *Report {
		r := &Report{Schema: SchemaVersion, Complete: true, By: ByMemory, Config: Config{Profile: "default", Separators: ":"},
			Inputs: []Input{{Name: "dir/x.rdb", Server: "redis", ServerVersion: "7.0", Created: 1000, UsedMem: 50, Memory: &Memory{Predicted: 40}}},
			Totals: Totals{Keys: keys, ValueBytes: int64(bytes) / 2, MemoryBytes: bytes}}
		if edit != nil {
			edit(r)
		}
		return r
	}
	filter := func(types ...string) func(*Report) {
		return func(r *Report) { r.Filter = &Filter{Types: types} }
	}
	for name, c := range map[string]struct {
		old, new      *Report
		alerts, notes string
	}{
		"the same":         {report(1000, 100_000, nil), report(1000, 100_000, nil), "", ""},
		"nothing":          {report(0, 0, nil), report(0, 0, nil), "", ""},
		"grown":            {report(1000, 100_000, nil), report(9000, 900_000, nil), "", ""},
		"a key less":       {report(1000, 100_000, nil), report(701, 100_000, nil), "", ""},
		"30 % of the keys": {report(1000, 100_000, nil), report(700, 200_000, nil), "SHRUNK: 1,000 keys before, 700 now: 30.0% of the keys and 0.0% of the bytes are gone", ""},
		"a byte less":      {report(1000, 100_000, nil), report(1000, 70_001, nil), "", ""},
		"30 % of bytes":    {report(1000, 100_000, nil), report(2000, 70_000, nil), "SHRUNK: 1,000 keys before, 2,000 now: 0.0% of the keys and 30.0% of the bytes are gone", ""},
		"a second later":   {report(1, 9, nil), report(1, 9, func(r *Report) { r.Inputs[0].Created = 1001 }), "", ""},
		"earlier":          {report(1, 9, nil), report(1, 9, func(r *Report) { r.Inputs[0].Created = 999 }), "REVERSED: the old snapshot was taken after the new one", ""},
		"time unknown":     {report(1, 9, nil), report(1, 9, func(r *Report) { r.Inputs[0].Created = Unknown }), "", ""},
		"old cut":          {report(1, 9, func(r *Report) { r.Complete = false }), report(1, 9, nil), "INCOMPLETE: dir/x.rdb was not read to its end: what is missing there is not gone", ""},
		"other profile": {report(1, 9, nil), report(1, 9, func(r *Report) { r.Config.Profile, r.Config.Rules = "baidu", "big-string" }), "",
			"the rules differ: profile default before, baidu, rules big-string now"},
		"no profile": {report(1, 9, func(r *Report) { r.Config.Profile = "" }), report(1, 9, nil), "", "the rules differ: profile none before, default now"},
		"a filter":   {report(1, 9, nil), report(1, 9, filter("hash")), "", "the filters differ: none before, keys of type hash now"},
		"one filter": {report(1, 9, filter("hash")), report(1, 9, filter("hash")), "", "only keys of type hash"},
		"version": {report(1, 9, nil), report(1, 9, func(r *Report) { r.Inputs[0].ServerVersion = "7.2" }), "",
			"the server was redis 7.0 before and is redis 7.2 now: memory differs by that, too"},
		"server": {report(1, 9, nil), report(1, 9, func(r *Report) { r.Inputs[0].Server = "" }), "",
			"the server was redis 7.0 before and is unknown 7.0 now: memory differs by that, too"},
	} {
		d := compareSaved(t, c.old, c.new, CompareOptions{})
		if got := strings.Join(d.Alerts, "; "); got != c.alerts {
			t.Errorf("%s: %q, want %q", name, got, c.alerts)
		}
		if got := strings.Join(d.Notes, "; "); got != c.notes {
			t.Errorf("%s: notes %q, want %q", name, got, c.notes)
		}
		if want := d.Alerts != nil; d.Changed != want && name != "grown" && name != "a key less" && name != "a byte less" {
			t.Errorf("%s: changed %t", name, d.Changed)
		}
	}
	// What a side is: the first input's name and server, the latest time, sums that are
	// unknown if a part is, or if keys were left out.
	two := report(1, 9, func(r *Report) {
		r.Inputs = append(r.Inputs, Input{Name: "b.rdb", Server: "valkey", ServerVersion: "8.0", Created: 1500, UsedMem: 7, Memory: &Memory{Predicted: 3}})
	})
	if got, want := diffSide(two), (DiffSide{Name: "dir/x.rdb", Server: "redis", ServerVersion: "7.0", Created: 1500, Profile: "default", Complete: true, Predicted: 43, UsedMem: 57}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	two.Inputs[1].Memory = nil
	if got := diffSide(two); got.Predicted != Unknown || got.UsedMem != 57 {
		t.Errorf("%+v", got)
	}
	filter("hash")(two)
	if got := diffSide(two); got.Predicted != Unknown || got.UsedMem != Unknown {
		t.Errorf("%+v", got)
	}
	// The least change that counts: as asked, else 1 % of the larger side, at most 1 MB and
	// at least 1 byte.
	for _, c := range []struct {
		asked       int64
		before, now Figure
		want        int64
	}{{0, 9, 50, 1}, {0, 100_000, 200_000, 2000}, {0, 300_000, 200_000, 3000}, {0, 1 << 40, 0, DefaultMinBytes}, {77, 100_000, 1, 77}, {-1, 5000, 1, 50}} {
		if d := compareSaved(t, report(1, c.before, nil), report(1, c.now, nil), CompareOptions{MinBytes: c.asked}); d.MinBytes != c.want || d.MinShare != DefaultMinShare {
			t.Errorf("%+v: %d, %v", c, d.MinBytes, d.MinShare)
		}
	}
	// Value bytes are compared where a side that has keys does not know their memory.
	for _, c := range []struct {
		keys int64
		want string
	}{{1, ByValueBytes}, {0, ByMemory}} {
		if d := compareSaved(t, report(c.keys, Unknown, nil), report(1, 9, nil), CompareOptions{}); d.Measure != c.want {
			t.Errorf("%d keys: %s", c.keys, d.Measure)
		}
	}
}

// TestSavedKeys checks which keys of a report are compared, and how large others may be:
// as the last of a list that does not have all keys of its type.
func TestSavedKeys(t *testing.T) {
	key := func(typ, name string, memory Figure) KeyRow {
		return KeyRow{Key: Name(name), Type: typ, Memory: memory, ValueBytes: 5, Elements: 2}
	}
	rows := func(typ string, sizes ...Figure) (list []KeyRow) {
		for i, n := range sizes {
			list = append(list, key(typ, fmt.Sprint(typ, i), n))
		}
		return list
	}
	for name, c := range map[string]struct {
		types  []TypeRow
		lists  map[string][]KeyRow
		cutoff int64
		keys   int
	}{
		"all":           {[]TypeRow{{Type: "hash", Keys: 2}}, map[string][]KeyRow{"hash": rows("hash", 90, 80)}, -1, 2},
		"one is not":    {[]TypeRow{{Type: "hash", Keys: 3}}, map[string][]KeyRow{"hash": rows("hash", 90, 80)}, 80, 2},
		"two types":     {[]TypeRow{{Type: "hash", Keys: 3}, {Type: "set", Keys: 9}}, map[string][]KeyRow{"hash": rows("hash", 90, 80), "set": rows("set", 70)}, 80, 3},
		"the larger":    {[]TypeRow{{Type: "hash", Keys: 3}, {Type: "set", Keys: 9}}, map[string][]KeyRow{"hash": rows("hash", 90, 60), "set": rows("set", 70)}, 70, 3},
		"without lists": {[]TypeRow{{Type: "hash", Keys: 3}}, nil, 1<<63 - 1, 0},
	} {
		r := &Report{Types: c.types, Totals: Totals{MemoryBytes: 1000}, TopByType: map[string]map[string][]KeyRow{}}
		for typ, list := range c.lists {
			r.TopByType[typ] = map[string][]KeyRow{ByMemory: list}
		}
		if l := savedKeys(r); l.Cutoff != c.cutoff || len(l.Keys) != c.keys {
			t.Errorf("%s: %d keys, cutoff %d, want %d, %d", name, len(l.Keys), l.Cutoff, c.keys, c.cutoff)
		}
	}
	// Keys of groups and of findings are compared as well, each once. A name that was cut
	// has a hash, and only one that was cut where a scan cuts it can be compared.
	cut := strings.Repeat("n", agg.ListedName)
	group, example, whole := key("hash", "g", 7), key("set", "e", 6), key("set", cut, 5)
	short := whole
	short.Key, short.NameHash = short.Key[:agg.ListedName-1], "00000000000000ff"
	whole.NameHash = "00000000000000fe"
	r := &Report{Totals: Totals{MemoryBytes: 1000}, Groups: []Group{{LargestKey: &group}, {LargestKey: &group}},
		Rules: []Finding{{Examples: []Example{{KeyRow: &example}, {Subject: "minute"}, {KeyRow: &group}, {KeyRow: &whole}, {KeyRow: &short}}}}}
	l := savedKeys(r)
	var got []string
	for _, k := range l.Keys {
		got = append(got, fmt.Sprintf("%.3s %d %s %d %d %d", k.Name, k.Hash, k.Type, k.Elements, k.ValueBytes, k.Memory))
	}
	if !slices.Equal(got, []string{"g 0 hash 2 5 7", "e 0 set 2 5 6", "nnn 254 set 2 5 5"}) {
		t.Errorf("%q", got)
	}
}

// TestCompareReadsAgain compares a snapshot of more keys than its list has with one in
// which some are larger: what the first has of them is read in a second pass, and keys
// that it does not have are new.
func TestCompareReadsAgain(t *testing.T) {
	var old []string
	for i := range 10_100 { // a list has 10,000
		old = append(old, fmt.Sprintf("user:%d=300", i))
	}
	old = append(old, "grown:1=10", "b:1=20")
	young := []string{"grown:1=9000", "fresh:1=9000", "b:1=20"}
	young = append(young, old[:10_100]...)
	first, second := stringsSnapshot(old...), stringsSnapshot(young...)
	for _, again := range []bool{true, false} {
		opened := 0
		source := bytesSource("old.rdb", first)
		open := source.Open
		source.Open = func(ctx context.Context) (io.ReadCloser, error) {
			if opened++; opened > 2 && !again {
				return nil, io.ErrClosedPipe
			}
			return open(ctx)
		}
		d, err := Compare(t.Context(), CompareInput{Source: source}, CompareInput{Source: bytesSource("new.rdb", second)}, testPolicy(t), Options{Top: 3, Jobs: 1}, CompareOptions{MinBytes: 5000})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, k := range d.shownKeys(true) {
			got = append(got, fmt.Sprintf("%s %s %d %d %t", k.change, k.Key, k.ValueBytesBefore, k.ValueBytesAfter, k.Limit.Known()))
		}
		slices.Sort(got)
		want := []string{"grown grown:1 10 9000 false", "new fresh:1 -1 9000 false"}
		note := slices.ContainsFunc(d.Notes, func(s string) bool { return strings.Contains(s, "could not be read a second time: ") })
		if !again { // fresh:* is new as a group, and of grown:* nobody knows
			want = []string{"new fresh:1 -1 9000 false", "now listed grown:1 -1 9000 true"}
		}
		if !slices.Equal(got, want) || note == again || opened != 3 {
			t.Errorf("opened %d times, a second pass %t: %q, want %q; %q", opened, again, got, want, d.Notes)
		}
	}
}
