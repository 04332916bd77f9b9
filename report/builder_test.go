package report

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/internal/agg"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/config"
	"github.com/rdblens/rdblens/thresholds/naming"
)

const testCreated = 1_700_000_000 // seconds

// testEngine returns the rules of a profile, compiled for a snapshot of
// testCreated.
func testEngine(tb testing.TB, profile string) *thresholds.Engine {
	tb.Helper()
	policy, err := config.Load(config.Options{Profile: profile})
	if err != nil {
		tb.Fatal(err)
	}
	return policy.Compile(thresholds.Env{Server: "redis", Version: "7.0.15", Created: testCreated, Memory: true, Now: time.Unix(testCreated, 0)})
}

// testKeys returns keys of all types with names of a few shapes, some of them
// with many values of one segment.
func testKeys(seed uint64, n int) []parser.Key {
	r := rand.New(rand.NewPCG(seed, 1))
	keys := make([]parser.Key, n)
	for i := range keys {
		k := &keys[i]
		*k = parser.Key{DB: r.IntN(3) / 2, Idle: -1, Freq: -1, Live: -1, Offset: int64(100 + i*40)}
		if r.IntN(4) == 0 {
			k.Idle = r.Int64N(1 << 26)
		} else if r.IntN(3) == 0 {
			k.Freq = int16(r.IntN(256))
		}
		var name string
		switch r.IntN(8) {
		case 0:
			name = fmt.Sprintf("user:%s:profile", randomWord(r, 500))
		case 1:
			name = fmt.Sprintf("user:guest:%d", r.IntN(1000))
		case 2:
			name = fmt.Sprintf("tok:%s", randomText(r, 22))
		case 3:
			name = fmt.Sprintf("shop:%s:item:%d", randomWord(r, 30), r.IntN(1e6))
		case 4:
			name = randomWord(r, 5000)
		case 5:
			name = fmt.Sprintf("%s:%s:%s", randomWord(r, 20), randomWord(r, 20), randomWord(r, 20))
		case 6:
			name = fmt.Sprintf("bad name%d", r.IntN(100))
		default:
			name = fmt.Sprintf("order:%d", r.IntN(1e9))
		}
		k.Name, k.NameLen = []byte(name), int64(len(name))
		k.Type = parser.Type(r.IntN(int(parser.Stream) + 1))
		k.Encoding = parser.Encoding(1 + r.IntN(5))
		k.Elements = 1
		if k.Type != parser.String {
			k.Elements = int64(1) << r.IntN(14)
			k.LargestName = []byte("field")
			k.LargestNameLen = 5
		}
		k.ValueBytes = k.Elements * int64(r.IntN(20))
		k.Serialized = k.ValueBytes + 2
		k.Largest = min(k.ValueBytes, 20)
		k.Longest = k.Largest
		k.Memory = k.ValueBytes + 50
		k.MemoryUsage = k.Memory + 8
		k.CompactMemory = -1
		if k.Type != parser.String && i%3 != 0 {
			k.CompactMemory = k.Memory / 3
		}
		if r.IntN(3) == 0 {
			k.HasExpire = true
			k.ExpireAt = testCreated*1000 + r.Int64N(1<<r.IntN(40)+1) - 5000
		}
		if r.IntN(50) == 0 {
			k.Type, k.Elements, k.ValueBytes, k.Largest, k.Longest = parser.Module, -1, -1, -1, -1
			k.ModuleName, k.MemoryBound = "ReJSON-RL", true
		}
	}
	return keys
}

func randomWord(r *rand.Rand, n int) string {
	const letters = "ghijklmnopqrstuvwxyz" // no hexadecimal digits
	i := r.IntN(n)
	w := []byte{letters[i%20], letters[i/20%20], letters[i/400%20]}
	return string(w)
}

func randomText(r *rand.Rand, n int) []byte {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	b := make([]byte, n)
	for i := range b {
		b[i] = letters[r.IntN(len(letters))]
	}
	return b
}

// gathered is a Builder with the options of its report.
type gathered struct {
	*agg.Builder
	opt Options
}

func (g *gathered) Report() *Report { return newReport(g.Builder, &g.opt, nil) }

func (g *gathered) Merge(o *gathered) { g.Builder.Merge(o.Builder) }

func newBuilder(opt agg.Options) *gathered {
	if opt.Examples == 0 {
		opt.Examples = 10
	}
	return &gathered{agg.NewBuilder(opt), Options{Top: opt.Top, Examples: opt.Examples}}
}

// gather runs keys through a Builder, in blocks.
func gather(engine *thresholds.Engine, opt agg.Options, keys []parser.Key, block int) *gathered {
	b := newBuilder(opt)
	b.Start(engine)
	for len(keys) > 0 {
		n := min(block, len(keys))
		s := b.NewShard()
		for i := range keys[:n] {
			s.Key(&keys[i])
		}
		s.Flush(true)
		keys = keys[n:]
	}
	return b
}

func figuresOf(k *parser.Key) [agg.Measures]int64 {
	return [agg.Measures]int64{k.Memory, k.MemoryUsage, k.ValueBytes, k.Elements, k.Serialized, k.Largest}
}

// orZero returns a figure, 0 if it is unknown.
func orZero(v int64) int64 { return max(v, 0) }

// size is what examples of findings are ordered by after their rank.
func size(k *parser.Key) int64 {
	if k.Memory >= 0 {
		return k.Memory
	}
	return orZero(k.ValueBytes)
}

func jsonOf(tb testing.TB, r *Report) string {
	tb.Helper()
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

// TestTopsAreThoseOfASort compares the lists with a sort of all keys.
func TestTopsAreThoseOfASort(t *testing.T) {
	keys := testKeys(7, 30_000)
	for _, block := range []int{7, 1000, 1 << 20} {
		b := gather(testEngine(t, "default"), agg.Options{Top: 25}, keys, block)
		r := b.Report()
		for m, name := range Measures() {
			for typ := range parser.NumTypes + 1 {
				var want []*parser.Key
				for i := range keys {
					if k := &keys[i]; figuresOf(k)[m] >= 0 && (typ == parser.NumTypes || k.Type == typ) {
						want = append(want, k)
					}
				}
				slices.SortStableFunc(want, func(a, b *parser.Key) int { return int(figuresOf(b)[m] - figuresOf(a)[m]) })
				want = want[:min(25, len(want))]
				got := r.Top[name]
				if typ < parser.NumTypes {
					got = r.TopByType[typ.String()][name]
				}
				if len(got) != len(want) {
					t.Fatalf("blocks of %d, %s of %s: %d entries, want %d", block, name, typ, len(got), len(want))
				}
				for i := range got {
					if got[i].Offset != want[i].Offset || got[i].Key != Name(want[i].Name) {
						t.Fatalf("blocks of %d, %s of %s: entry %d is %q at %d, want %q at %d", block, name, typ, i, got[i].Key, got[i].Offset, want[i].Name, want[i].Offset)
					}
				}
			}
		}
	}
}

// TestFindingsAreThoseOfTheRules compares counts and worst examples with what the
// rules return for each key.
func TestFindingsAreThoseOfTheRules(t *testing.T) {
	keys := testKeys(8, 20_000)
	for _, profile := range config.Profiles() {
		engine := testEngine(t, profile)
		type sum struct {
			count, values, memory, usage int64
			worst                        thresholds.Finding
			worstAt                      int
		}
		want := map[string]*sum{}
		var facts naming.Facts
		for i := range keys {
			engine.Namer().Facts(keys[i].Name, &facts)
			for _, f := range engine.Check(&keys[i], &facts, nil) {
				name := f.Severity.String() + " " + f.Rule.Name()
				if want[name] == nil {
					want[name] = &sum{}
				}
				s := want[name]
				s.count++
				s.values += orZero(keys[i].ValueBytes)
				s.memory += orZero(keys[i].Memory)
				s.usage += orZero(keys[i].MemoryUsage)
				if s.count == 1 || f.Rank(&keys[i]) > s.worst.Rank(&keys[s.worstAt]) ||
					f.Rank(&keys[i]) == s.worst.Rank(&keys[s.worstAt]) && size(&keys[i]) > size(&keys[s.worstAt]) {
					s.worst, s.worstAt = f, i
				}
			}
		}
		r := gather(engine, agg.Options{Top: 5}, keys, 900).Report()
		n := 0
		for _, f := range r.Rules {
			if rule, _ := thresholds.Lookup(f.Rule); rule.Instance {
				if f.ValueBytes.Known() || !f.MemoryBytes.Known() {
					t.Errorf("%s: %s: %d value bytes and %d of memory", profile, f.Rule, f.ValueBytes, f.MemoryBytes)
				}
				continue
			}
			n++
			s := want[f.Severity+" "+f.Rule]
			if s == nil || f.Count != s.count || int64(f.ValueBytes) != s.values || int64(f.MemoryBytes) != s.memory || int64(f.MemoryUsage) != s.usage {
				t.Errorf("%s: %s %s counts %d, %d bytes; want %+v", profile, f.Severity, f.Rule, f.Count, f.ValueBytes, s)
				continue
			}
			measured, limit := Figure(s.worst.Measured), Figure(s.worst.Limit)
			if rule, _ := thresholds.Lookup(f.Rule); rule.Unit == message.None && measured == 0 && limit == 0 {
				measured, limit = Unknown, Unknown
			}
			if e, want := f.Examples[0], &keys[s.worstAt]; e.Offset != want.Offset || e.Measured != measured || e.Limit != limit {
				t.Errorf("%s: worst example of %s %s is %q at %d, want %q at %d: %+v", profile, f.Severity, f.Rule, e.Key, e.Offset, want.Name, want.Offset, s.worst)
			}
			var inGroups int64
			for _, g := range f.Groups {
				inGroups += g.Count
			}
			if f.GroupsMore == 0 && inGroups != f.Count {
				t.Errorf("%s: %s %s: groups count %d of %d", profile, f.Severity, f.Rule, inGroups, f.Count)
			}
		}
		if n != len(want) {
			t.Errorf("%s: %d findings, want %d", profile, n, len(want))
		}
	}
}

// TestTotals compares the totals with plain sums.
func TestTotals(t *testing.T) {
	keys := testKeys(9, 5000)
	engine := testEngine(t, "default")
	r := gather(engine, agg.Options{Top: 1}, keys, 333).Report()
	var want Totals
	var expiredKeys int64
	for i := range keys {
		k := &keys[i]
		want.Keys++
		want.Elements += orZero(k.Elements)
		want.ValueBytes += orZero(k.ValueBytes)
		want.SerializedBytes += k.Serialized
		want.MemoryBytes += Figure(k.Memory)
		want.MemoryUsage += Figure(k.MemoryUsage)
		want.NameBytes += k.NameLen
		want.MemoryBound = want.MemoryBound || k.MemoryBound
		var facts naming.Facts
		engine.Namer().Facts(k.Name, &facts)
		if slices.ContainsFunc(engine.Check(k, &facts, nil), func(f thresholds.Finding) bool { return f.Rule.Stalls(f.Severity) }) {
			want.Stalling++
		}
		if k.HasExpire {
			want.WithTTL++
			if k.ExpireAt < testCreated*1000 {
				expiredKeys++
			}
		} else {
			want.WithoutTTL++
			want.WithoutTTLBytes += orZero(k.ValueBytes)
			want.WithoutTTLMemory += Figure(k.Memory)
		}
	}
	want.Expired = Figure(expiredKeys)
	if r.Totals != want {
		t.Errorf("totals\n got %+v\nwant %+v", r.Totals, want)
	}
	for _, list := range [][]Bucket{r.Expiry, r.Histograms.KeyLength} {
		var n int64
		for _, b := range list {
			n += b.Keys
		}
		if n != want.Keys {
			t.Errorf("histogram of %d keys, want %d", n, want.Keys)
		}
	}
	var inTypes, inEncodings, inDatabases, inGroups int64
	for _, x := range r.Types {
		inTypes += x.Keys
	}
	for _, x := range r.Encodings {
		inEncodings += x.Keys
		var without, memory int64
		for i := range keys {
			k := &keys[i]
			if k.Type.String() == x.Type && k.Encoding.String() == x.Encoding && !k.HasExpire {
				without++
				memory += k.Memory
			}
		}
		if x.WithoutTTL != without || max(x.WithoutTTLMemory, 0) != Figure(memory) {
			t.Errorf("%s %s: %d keys without an expiry, %d bytes, want %d, %d", x.Type, x.Encoding, x.WithoutTTL, x.WithoutTTLMemory, without, memory)
		}
	}
	for _, x := range r.Databases {
		inDatabases += x.Keys
	}
	for _, x := range r.Groups {
		inGroups += x.Keys
	}
	if inTypes != want.Keys || inEncodings != want.Keys || inDatabases != want.Keys || inGroups != want.Keys {
		t.Errorf("keys: %d in types, %d in encodings, %d in databases, %d in groups, want %d", inTypes, inEncodings, inDatabases, inGroups, want.Keys)
	}
}

// TestShardsFilledInAnyOrder compares a report with that of shards that are
// filled and flushed one by one: what a shard knows of earlier ones only saves
// work.
func TestShardsFilledInAnyOrder(t *testing.T) {
	keys := testKeys(13, 20_000)
	engine := testEngine(t, "default")
	want := jsonOf(t, gather(engine, agg.Options{Top: 20}, keys, 1000).Report())
	r := rand.New(rand.NewPCG(1, 2))
	for range 3 {
		b := newBuilder(agg.Options{Top: 20})
		b.Start(engine)
		shards := make([]*agg.Shard, 20)
		folded := 0
		for _, n := range r.Perm(len(shards)) {
			shards[n] = b.NewShard()
			for i := range keys[n*1000 : (n+1)*1000] {
				shards[n].Key(&keys[n*1000+i])
			}
			for folded < len(shards) && shards[folded] != nil {
				shards[folded].Flush(true)
				folded++
			}
		}
		if got := jsonOf(t, b.Report()); got != want {
			t.Error("the report depends on the order in which shards are filled")
		}
	}
}

func TestReportOfNothing(t *testing.T) {
	for _, b := range []*gathered{newBuilder(agg.Options{}), gather(testEngine(t, "default"), agg.Options{}, nil, 1)} {
		r := b.Report()
		if r.Totals.Keys != 0 || len(r.Groups) != 0 || len(r.Rules) != 0 || len(r.Top) != len(Measures()) {
			t.Errorf("report of nothing: %+v", r)
		}
	}
}

// TestKeep checks that a key that is not kept is in no figure.
func TestKeep(t *testing.T) {
	keys := testKeys(14, 3000)
	var wanted []parser.Key
	keep := func(k *parser.Key, _ int) bool { return k.Type == parser.Hash }
	for i := range keys {
		if keep(&keys[i], 0) {
			wanted = append(wanted, keys[i])
		}
	}
	engine := testEngine(t, "default")
	b := gather(engine, agg.Options{Top: 20, Keep: keep}, keys, 500)
	if b.Keys != int64(len(wanted)) || b.Dropped != int64(len(keys)-len(wanted)) {
		t.Errorf("%d keys kept, %d dropped", b.Keys, b.Dropped)
	}
	if jsonOf(t, b.Report()) != jsonOf(t, gather(engine, agg.Options{Top: 20}, wanted, 500).Report()) {
		t.Error("the report of a filter is not that of the keys that it keeps")
	}
}

// testSnapshot writes a snapshot of strings with the names that name gives.
func testSnapshot(w io.Writer, keys int, name func(i int) []byte) error {
	buf := []byte("REDIS0011\xfa\x09redis-ver\x067.0.15\xfa\x05ctime\x0a1700000000\xfe\x00")
	length := func(n int) {
		if n < 64 {
			buf = append(buf, byte(n))
		} else {
			buf = append(buf, 0x40|byte(n>>8), byte(n))
		}
	}
	for i := range keys {
		if i%3 == 0 {
			buf = append(buf, 0xfc)
			buf = binary.LittleEndian.AppendUint64(buf, uint64(testCreated*1000+i%100_000*1000))
		}
		buf = append(buf, 0)
		n := name(i)
		length(len(n))
		buf = append(buf, n...)
		length(5 + i%7)
		buf = append(buf, "valuevaluevalue"[:5+i%7]...)
		if len(buf) > 1<<16 {
			if _, err := w.Write(buf); err != nil {
				return err
			}
			buf = buf[:0]
		}
	}
	buf = append(buf, 0xff, 0, 0, 0, 0, 0, 0, 0, 0)
	_, err := w.Write(buf)
	return err
}

// TestSameForAnyNumberOfWorkers compares a report, byte by byte, with that of one
// worker, for names that exceed every bound.
func TestSameForAnyNumberOfWorkers(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var file bytes.Buffer
	testSnapshot(&file, 150_000, func(i int) []byte {
		switch i % 4 {
		case 0:
			return append([]byte("tok:"), randomText(r, 22)...)
		case 1:
			return fmt.Appendf(nil, "user:%s%s:%s", randomWord(r, 8000), randomWord(r, 8000), randomWord(r, 60))
		case 2:
			return fmt.Appendf(nil, "%s:%s:%s:%d", randomWord(r, 40), randomWord(r, 40), randomWord(r, 40), i)
		}
		return fmt.Appendf(nil, "order:%d:detail", i)
	})
	var want string
	for _, jobs := range []int{1, 2, 4} {
		b := newBuilder(agg.Options{Top: 20})
		opt := parser.Options{Jobs: jobs, Wait: agg.Wait, Header: func(*parser.Info) { b.Start(testEngine(t, "typed")) }}
		_, err := parser.Run(context.Background(), bytes.NewReader(file.Bytes()), opt, func() parser.Sink { return b.NewShard() })
		if err != nil {
			t.Fatal(err)
		}
		report := b.Report()
		got := jsonOf(t, report)
		if want == "" {
			want = got
			t.Logf("%d groups, %d patterns folded", len(report.Groups), report.GroupsFolded)
		}
		if got != want {
			t.Errorf("the report of %d workers differs from that of one", jobs)
		}
	}
}
