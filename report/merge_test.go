package report

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/memory"
	"github.com/rdblens/rdblens/report/internal/agg"
	"github.com/rdblens/rdblens/report/internal/redact"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/config"
)

// fleetPolicy has owners, findings that are ignored, a baseline and budgets.
func fleetPolicy(tb testing.TB, edit ...func(*config.Options)) *thresholds.Policy {
	tb.Helper()
	baseline := filepath.Join(tb.TempDir(), "baseline.yaml")
	if err := os.WriteFile(baseline, []byte("ignore:\n  - {rule: no-ttl, group: \"kind*:thing:*\", findings: 3, reason: accepted}\n"), 0o666); err != nil {
		tb.Fatal(err)
	}
	opt := config.Options{Config: "team.yaml", Baseline: baseline}
	for _, e := range edit {
		e(&opt)
	}
	p, err := config.LoadText(opt, []byte(`extends: aliyun
namespaces: {user: {owner: accounts}, shop: {owner: sales}}
ignore:
  - {rule: no-ttl, key: "session:*", reason: wanted}
  - {rule: key-length, key: "shop:*", reason: ended, until: 2020-01-01}
budgets:
  - {group: "shop:*", keys: {error: 40}, reason: planned}
  - {owner: accounts, memory: {warning: 1 MB}}
`))
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// nodeSnapshot returns a snapshot of strings whose patterns are few in one snapshot and
// too many in several.
func nodeSnapshot(seed uint64, keys int) []byte {
	r := rand.New(rand.NewPCG(seed, 5))
	b := []byte("REDIS0010")
	text := func(s string) {
		n := len(s)
		b = append(append(b, 0x40|byte(n>>8), byte(n)), s...)
	}
	b = append(b, 0xfa)
	text("redis-ver")
	text("7.0.15")
	b = append(b, 0xfa)
	text("ctime")
	text(fmt.Sprint(testCreated + int(seed)*60))
	for db := range 2 {
		b = append(b, 0xfe, byte(db*3))
		for range keys {
			if r.IntN(3) > 0 {
				b = binary.LittleEndian.AppendUint64(append(b, 0xfc), uint64(testCreated*1000+r.Int64N(1<<(20+r.IntN(16)))))
			}
			name := fmt.Sprintf("user:%s:cart", randomText(r, 8))
			switch r.IntN(6) {
			case 0:
				name = fmt.Sprintf("shop:%s:item:%d", randomWord(r, 90), r.IntN(1e6))
			case 1:
				name = fmt.Sprintf("kind%s:thing:%s", randomWord(r, 8000), randomWord(r, 3))
			case 2:
				name = fmt.Sprintf("session:%s", randomText(r, 20))
			case 3:
				name = fmt.Sprintf("{%s}:%s", randomWord(r, 20), randomWord(r, 400))
			}
			b = append(b, 0)
			text(name)
			text(string(randomText(r, r.IntN(1<<r.IntN(14)))))
		}
	}
	return append(b, 0xff, 0, 0, 0, 0, 0, 0, 0, 0)
}

// fleet returns sources of several kinds, among them damaged ones.
func fleet(tb testing.TB) []Source {
	tb.Helper()
	sources := []Source{FileSource("../testdata/shop.rdb"), bytesSource("b cut", nodeSnapshot(90, 300)[:9000]), bytesSource("c text", []byte("hello")), FileSource("missing.rdb")}
	for i := range 9 {
		sources = append(sources, bytesSource(fmt.Sprintf("node-%d", i), nodeSnapshot(uint64(i), []int{40, 300, 1200}[i%3])))
	}
	return sources
}

// stateSource returns a Source of the state of a report.
func stateSource(tb testing.TB, name string, r *Report) Source {
	tb.Helper()
	var b bytes.Buffer
	if err := Write("shard", &b, r, WriteOptions{}); err != nil {
		tb.Fatal(err)
	}
	return plainSource(name, b.Bytes())
}

func plainSource(name string, data []byte) Source {
	return Source{Name: name, Size: int64(len(data)), Open: func(context.Context) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }}
}

func writtenJSON(tb testing.TB, r *Report) string {
	tb.Helper()
	var b bytes.Buffer
	if err := Write("json", &b, r, WriteOptions{}); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}

// TestMergeOfStates checks that states of single snapshots, merged in any grouping and
// order, are the report of one scan of all.
func TestMergeOfStates(t *testing.T) {
	policy := fleetPolicy(t)
	now := time.Unix(testCreated+100, 0)
	opt := Options{Top: 7, Examples: 3, By: ByElements, GroupOrder: "keys", FailOn: thresholds.Warning, Now: now, Shard: true, MaxMemory: 1 << 20}
	sources := fleet(t)
	var failed ScanError
	all, err := Scan(t.Context(), sources, policy, opt)
	if !errors.As(err, &failed) || len(failed) != 3 {
		t.Fatal(err)
	}
	want := writtenJSON(t, all)
	if all.GroupsFolded == 0 || all.Findings.Ignored == 0 || all.Findings.Error+all.Findings.Warning == 0 || len(all.Owners) != 3 || len(all.Budgets) == 0 {
		t.Errorf("the fleet tests too little: %d folded, %+v, %d owners, %d budgets", all.GroupsFolded, all.Findings, len(all.Owners), len(all.Budgets))
	}
	var single []Source
	for i, s := range sources {
		r, err := Scan(t.Context(), []Source{s}, policy, opt)
		if r == nil {
			t.Fatal(err)
		}
		single = append(single, stateSource(t, fmt.Sprintf("state %d", i), r))
	}
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 9))
		states := slices.Clone(single)
		for n := 0; ; n++ {
			r.Shuffle(len(states), func(i, k int) { states[i], states[k] = states[k], states[i] })
			part := states[:1+r.IntN(len(states))]
			merged, err := Merge(t.Context(), part, Options{Shard: true})
			if merged == nil {
				t.Fatal(err)
			}
			if len(part) < len(states) {
				states = append(slices.Clone(states[len(part):]), stateSource(t, fmt.Sprintf("merged %d", n), merged))
				continue
			}
			if got := writtenJSON(t, merged); got != want {
				t.Fatalf("seed %d: the report differs from that of a scan\n%s", seed, firstDifference(got, want))
			}
			var again ScanError
			if !errors.As(err, &again) || !slices.EqualFunc(again, failed, func(a, b *SourceError) bool { return a.Name == b.Name && a.Keys == b.Keys }) {
				t.Fatalf("seed %d: error\n%v\nwant\n%v", seed, err, failed)
			}
			break
		}
	}
	redacted := func() *redact.Redactor { return redact.New("salt", 20) }
	merged, _ := Merge(t.Context(), single, Options{})
	opt.Shard = false
	scanned, _ := Scan(t.Context(), sources, policy, opt)
	if got, want := writtenJSON(t, merged.Redacted(redacted())), writtenJSON(t, scanned.Redacted(redacted())); got != want {
		t.Errorf("redacted\n%s", firstDifference(got, want))
	}
}

func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("got  %.600s\nwant %.600s", a[i], b[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(a), len(b))
}

// TestMergeOrder checks that the order of a report may differ from those of the scans.
func TestMergeOrder(t *testing.T) {
	source := []Source{bytesSource("node", nodeSnapshot(1, 50))}
	var states []Source
	for _, by := range []string{ByElements, ByElements, ByValueBytes} {
		r, err := Scan(t.Context(), source, fleetPolicy(t, func(o *config.Options) { o.Baseline = "" }), Options{Top: 3, By: by, Shard: true})
		if err != nil {
			t.Fatal(err)
		}
		states = append(states, stateSource(t, by, r))
	}
	for _, c := range []struct {
		states []Source
		by     string
		want   string
	}{{states[:2], "", ByElements}, {states, "", ByMemory}, {states, BySerialized, BySerialized}} {
		r, err := Merge(t.Context(), c.states, Options{By: c.by})
		if err != nil || r.By != c.want {
			t.Errorf("%d states by %q: %q, %v", len(c.states), c.by, r.By, err)
		}
	}
}

// TestMismatch checks that states of different scans are refused, and what is said.
func TestMismatch(t *testing.T) {
	source := []Source{bytesSource("node", nodeSnapshot(1, 50))}
	plain := func(o *config.Options) { o.Baseline = "" }
	state := func(opt Options, edit ...func(*config.Options)) Source {
		opt.Shard = true
		r, err := Scan(t.Context(), source, fleetPolicy(t, append([]func(*config.Options){plain}, edit...)...), opt)
		if err != nil {
			t.Fatal(err)
		}
		return stateSource(t, "other", r)
	}
	one := state(Options{Top: 5})
	rule, _ := thresholds.Lookup("min-keys")
	for what, other := range map[string]Source{
		"--top (5 and 6)":                   state(Options{Top: 6}),
		`--profile ("" and "baidu")`:        state(Options{Top: 5}, func(o *config.Options) { o.Profile = "baidu" }),
		`--rules ("" and "no-ttl")`:         state(Options{Top: 5}, func(o *config.Options) { o.Rules = "no-ttl" }),
		"--max-age or --min-keys":           state(Options{Top: 5}, func(o *config.Options) { o.Edits = []thresholds.Edit{{Rule: rule.ID, Kind: thresholds.EditLimit}} }),
		"the filter":                        state(Options{Top: 5, Keep: func(*parser.Key, string, int64) bool { return true }, Filter: Filter{Types: []string{"string"}}}),
		`--server ("" and "redis-6.2")`:     state(Options{Top: 5, Memory: memory.Options{Server: "redis-6.2"}}),
		`the number of examples (10 and 2)`: state(Options{Top: 5, Examples: 2}),
	} {
		r, err := Merge(t.Context(), []Source{one, other}, Options{})
		var mismatch *MismatchError
		if r != nil || !errors.As(err, &mismatch) || !strings.HasPrefix(mismatch.What, what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// stateFile returns the state of a snapshot, and its uncompressed header and records.
func stateFile(tb testing.TB, source Source) (file, header, records []byte) {
	tb.Helper()
	r, err := Scan(tb.Context(), []Source{source}, fleetPolicy(tb), Options{Top: 3, Examples: 2, Shard: true, Now: time.Unix(testCreated, 0)})
	if r == nil {
		tb.Fatal(err)
	}
	file = r.State()
	from := len(shardMagic) + 4
	to := from + int(binary.BigEndian.Uint32(file[from-4:]))
	z, err := zstd.NewReader(nil)
	if err != nil {
		tb.Fatal(err)
	}
	defer z.Close()
	header, err = z.DecodeAll(file[from:to], nil)
	if err == nil {
		records, err = z.DecodeAll(file[to:], nil)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return file, header, records
}

// TestDamagedStates checks that a state of which a byte differs, or the end is missing,
// is refused, and that other states are merged nevertheless.
func TestDamagedStates(t *testing.T) {
	file, _, _ := stateFile(t, bytesSource("node", nodeSnapshot(1, 30)))
	good, _, _ := stateFile(t, bytesSource("other", nodeSnapshot(2, 30)))
	merge := func(data []byte) (*Report, error) {
		return Merge(t.Context(), []Source{plainSource("bad", data), plainSource("good", good)}, Options{})
	}
	both, err := merge(file)
	if err != nil {
		t.Fatal(err)
	}
	want := writtenJSON(t, both)
	check := func(what, word string, data []byte) {
		t.Helper()
		r, err := merge(data)
		var failed ScanError
		if err == nil && len(data) == len(file) && writtenJSON(t, r) == want {
			return // a bit that means nothing to zstd
		}
		if !errors.As(err, &failed) || len(failed) != 1 || !strings.Contains(err.Error(), "bad: ") || !strings.Contains(err.Error(), word) {
			t.Errorf("%s: %v", what, err)
		} else if r.Complete || len(r.Inputs) != 2 || r.Totals.Keys != 60 {
			t.Errorf("%s: %d inputs, %d keys", what, len(r.Inputs), r.Totals.Keys)
		}
	}
	for n := 0; n < len(file); n += 1 + n/40 {
		check(fmt.Sprintf("cut at %d of %d", n, len(file)), "", file[:n])
		flipped := slices.Clone(file)
		flipped[n] ^= 1 << (n % 8)
		check(fmt.Sprintf("bit of byte %d", n), "", flipped)
	}
	check("more bytes after it", "damaged", append(slices.Clone(file), "more"...))
	check("another form", "form rdblens-shard/0", bytes.Replace(file, []byte(shardMagic), []byte("rdblens-shard/0\n"), 1))
	check("snapshot", "not the state of a scan", nodeSnapshot(1, 5))
	check("nothing", "not the state of a scan", nil)
	again := plainSource("good", good)
	again.Open = func(context.Context) (io.ReadCloser, error) { return nil, os.ErrPermission }
	r, err := Merge(t.Context(), []Source{again}, Options{})
	if err == nil || len(r.Inputs) != 1 || r.Totals.Keys != 0 {
		t.Errorf("of nothing: %v", err)
	}
}

// TestCoarseState checks that a state that is made smaller says so, and that no group
// lacks more keys than that.
func TestCoarseState(t *testing.T) {
	keys := testKeys(4, 20_000)
	engine := fleetPolicy(t).Compile(thresholds.Env{Server: "redis", Version: "7.0.15", Created: testCreated, Memory: true})
	size := func(b *gathered) (state []byte) {
		var out bytes.Buffer
		if err := b.WriteState(&out); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	b := gather(engine, agg.Options{Top: 64}, keys, 700)
	before := size(b)
	steps := 0
	for b.Coarsen() {
		steps++
	}
	after := size(b)
	if steps < 5 || len(after)*8 > len(before) {
		t.Errorf("%d steps from %d to %d bytes", steps, len(before), len(after))
	}
	read := func() *gathered {
		back, err := agg.ReadState(bytes.NewReader(after), agg.StateOptions{Options: agg.Options{Top: 64, Examples: 10}, Engine: engine, Numbers: []int{0}})
		if err != nil {
			t.Fatal(err)
		}
		return &gathered{back, b.opt}
	}
	want, got := b.Report(), read().Report()
	if writtenJSON(t, got) != writtenJSON(t, want) {
		t.Error(firstDifference(writtenJSON(t, got), writtenJSON(t, want)))
	}
	sum := int64(0)
	for _, g := range got.Groups {
		sum += g.Keys
	}
	// The same keys in another snapshot have groups that were folded in the first.
	both := read()
	both.Merge(gather(engine, agg.Options{Top: 64, Input: 1}, keys, 700))
	both.Finish()
	counted := map[string]int64{}
	for i := range keys {
		counted[both.Tables.Groups.PatternOf(keys[i].Name)] += 2
	}
	lacks := int64(0)
	for pattern, g := range both.Tables.Groups.All {
		lacks = max(lacks, counted[pattern]-g.Keys)
	}
	bounds := both.Report().Bounds
	if bounds == nil || bounds.Top != 1 || bounds.GroupKeys < lacks || lacks == 0 || bounds.GroupKeys > 2*lacks {
		t.Errorf("bounds %+v, a group lacks %d keys", bounds, lacks)
	}
	if sum != int64(len(keys)) || got.Totals.Keys != sum || len(got.Top[ByMemory]) != 1 {
		t.Errorf("groups of %d keys, totals of %d, %d on a list", sum, got.Totals.Keys, len(got.Top[ByMemory]))
	}
}

// FuzzState merges states whose header and records are hostile, and writes the report.
func FuzzState(f *testing.F) {
	for _, s := range []Source{bytesSource("node", nodeSnapshot(1, 4)), bytesSource("cut", nodeSnapshot(2, 9)[:300])} {
		_, header, records := stateFile(f, s)
		f.Add(header, records)
	}
	good, _, _ := stateFile(f, bytesSource("other", nodeSnapshot(3, 3)))
	z, err := zstd.NewWriter(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, header, records []byte) {
		frame := z.EncodeAll(header, nil)
		file := append(binary.BigEndian.AppendUint32([]byte(shardMagic), uint32(len(frame))), frame...)
		file = z.EncodeAll(records, file)
		for _, sources := range [][]Source{{plainSource("hostile", file)}, {plainSource("hostile", file), plainSource("good", good)}} {
			r, _ := Merge(t.Context(), sources, Options{Shard: true})
			if r == nil {
				continue
			}
			for _, format := range []string{"json", "details", "shard"} {
				if err := Write(format, io.Discard, r, WriteOptions{}); err != nil {
					t.Errorf("%s: %v", format, err)
				}
			}
		}
	})
}

// TestClock checks that no format depends on when snapshots are scanned, as long as
// limits of their age are exceeded and entries of the ignore list have ended both times.
func TestClock(t *testing.T) {
	rule, _ := thresholds.Lookup("max-age")
	policy := fleetPolicy(t, func(o *config.Options) {
		o.Edits = []thresholds.Edit{{Rule: rule.ID, Kind: thresholds.EditLimit, Limit: thresholds.Limit{Type: thresholds.AnyType, Severity: thresholds.Error, Value: 3600}}}
	})
	written := func(month time.Month) map[string]string {
		now := time.Date(2030, month, 1, 0, 0, 0, 0, time.UTC)
		r, err := Scan(t.Context(), fleet(t)[:6], policy, Options{Top: 7, Now: now, Shard: true})
		if r == nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(r.Rules, func(f Finding) bool { return f.Rule == "max-age" })
		if at < 0 || r.Rules[at].Count != 4 {
			t.Fatalf("%d rules, max-age is rule %d", len(r.Rules), at)
		}
		if e := &r.Rules[at].Examples[0]; r.Inputs[e.Input].Name != "node-0" || e.Measured.Known() || e.Text != "taken 2023-11-14 22:13:20 UTC, longer ago than 1h" {
			t.Errorf("the oldest: %q, %+v", r.Inputs[e.Input].Name, e)
		}
		out := map[string]string{}
		for _, format := range append(realFormats(), "shard") {
			var b bytes.Buffer
			if err := Write(format, &b, r, WriteOptions{Now: time.Unix(testCreated, 0)}); err != nil {
				t.Fatal(err)
			}
			out[format] = b.String()
		}
		return out
	}
	one, other := written(time.May), written(time.July)
	for format := range one {
		if one[format] != other[format] {
			t.Errorf("%s\n%s", format, firstDifference(one[format], other[format]))
		}
	}
}
