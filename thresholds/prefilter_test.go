package thresholds

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// TestPrefilter checks that the prefilter finds what all gates find, on keys whose
// figures are around every limit of every profile.
func TestPrefilter(t *testing.T) {
	names := []string{"", "a", "user:12", "User.Info:7", "order_2024:{7}:x", "a b:c", "x::y", "cache:page:string", "q\xff:1"}
	types := []struct {
		typ  parser.Type
		encs []parser.Encoding
	}{
		{parser.String, []parser.Encoding{parser.EncRaw, parser.EncInt}},
		{parser.List, []parser.Encoding{parser.EncQuicklist, parser.EncListpack}},
		{parser.Set, []parser.Encoding{parser.EncHashtable, parser.EncIntset, parser.EncListpack}},
		{parser.ZSet, []parser.Encoding{parser.EncSkiplist, parser.EncListpack}},
		{parser.Hash, []parser.Encoding{parser.EncHashtable, parser.EncListpack}},
		{parser.Stream, []parser.Encoding{parser.EncStream}},
	}
	for _, profile := range []string{"default", "aliyun", "baidu", "typed", "upper"} {
		e := mustLoad(t, LoadOptions{Profile: profile}).Compile(testEnv())
		rnd := rand.New(rand.NewPCG(1, 2))
		var limits [parser.NumTypes][]int64
		for i := range e.base.types {
			for _, g := range e.base.types[i].gates {
				limits[i] = append(limits[i], g.limit, -g.limit, ^g.limit)
			}
		}
		short := 0
		for range 200_000 {
			kind := types[rnd.IntN(len(types))]
			near := func(usual int64) int64 {
				if all := limits[kind.typ]; rnd.IntN(4) == 0 {
					return all[rnd.IntN(len(all))] + int64(rnd.IntN(3)) - 1
				}
				return usual
			}
			k := key(names[rnd.IntN(len(names))], func(k *parser.Key) {
				k.Type, k.Encoding = kind.typ, kind.encs[rnd.IntN(len(kind.encs))]
				k.Elements, k.ValueBytes, k.Largest = near(2), near(40), near(20)
				k.Longest = k.Largest
				k.HasExpire = rnd.IntN(2) == 0
				k.ExpireAt, k.Idle = near(k.ExpireAt), near(-1)
				k.Freq = int16(rnd.IntN(3)) - 1
				if k.Type == parser.Stream {
					k.Pending = near(0)
				}
				if k.Type == parser.Hash {
					k.FieldsWithTTL = int64(rnd.IntN(4))
				}
			})
			f := facts(e, k)
			table := &e.base.types[k.Type]
			want := table.check(nil, k, f, e.created)
			for range 2 { // again with what f keeps
				if got := e.Check(k, f, nil); !slices.Equal(got, want) {
					t.Fatalf("%s: %q %+v: found %+v, want %+v", profile, k.Name, k, got, want)
				}
			}
			if _, ok := table.passes(k, f, e.created); ok {
				short++
			}
		}
		// In the others rules look at every name.
		if (profile == "default" || profile == "aliyun" || profile == "baidu") && short < 20_000 {
			t.Errorf("%s: the prefilter passes only %d keys", profile, short)
		}
	}
}

// TestPrefilterRanges checks what the prefilter decides by itself: keys at all limits,
// which are not over them, and none beyond one; and that it asks about a name once.
func TestPrefilterRanges(t *testing.T) {
	finding := []Finding{{Severity: Warning}}
	tbl := &table{prefilter: prefilter{minElements: 5, maxElements: 10, maxValueBytes: 100, maxLargest: 20, maxPending: 7, maxExpiringElements: 8, maxFullElements: 9,
		minLeft: 1000, maxLeft: 5000, maxIdleTime: 60, findingsWithoutExpiry: finding, nameGates: []gate{{measure: nameLength, limit: 6, mask: -1}}}}
	const created = 100_000
	for name, c := range map[string]struct {
		edit  func(k *parser.Key)
		known bool
		found int
	}{
		"usual":                {func(*parser.Key) {}, true, 1},
		"fewest elements":      {func(k *parser.Key) { k.Elements = 5 }, true, 1},
		"too few":              {func(k *parser.Key) { k.Elements = 4 }, false, 0},
		"most elements":        {func(k *parser.Key) { k.Elements = 10 }, true, 1},
		"too many":             {func(k *parser.Key) { k.Elements = 11 }, false, 0},
		"longest value":        {func(k *parser.Key) { k.ValueBytes = 100 }, true, 1},
		"too long":             {func(k *parser.Key) { k.ValueBytes = 101 }, false, 0},
		"largest element":      {func(k *parser.Key) { k.Largest = 20 }, true, 1},
		"too large":            {func(k *parser.Key) { k.Largest = 21 }, false, 0},
		"most pending":         {func(k *parser.Key) { k.Pending = 7 }, true, 1},
		"too many pending":     {func(k *parser.Key) { k.Pending = 8 }, false, 0},
		"longest idle":         {func(k *parser.Key) { k.Idle = 60 }, true, 1},
		"too idle":             {func(k *parser.Key) { k.Idle = 61 }, false, 0},
		"counter of 1":         {func(k *parser.Key) { k.Freq = 1 }, true, 1},
		"counter of 0":         {func(k *parser.Key) { k.Freq = 0 }, false, 0},
		"a field that expires": {func(k *parser.Key) { k.FieldsWithTTL = 1 }, false, 0},
		"expires first":        {func(k *parser.Key) { k.HasExpire, k.ExpireAt = true, created+1000 }, true, 0},
		"expires too early":    {func(k *parser.Key) { k.HasExpire, k.ExpireAt = true, created+999 }, false, 0},
		"expires last":         {func(k *parser.Key) { k.HasExpire, k.ExpireAt = true, created+5000 }, true, 0},
		"expires too late":     {func(k *parser.Key) { k.HasExpire, k.ExpireAt = true, created+5001 }, false, 0},
		"idle, expires":        {func(k *parser.Key) { k.HasExpire, k.ExpireAt, k.Idle, k.Freq = true, created+2000, 99, 0 }, true, 0},
		"large, expires": {func(k *parser.Key) {
			k.HasExpire, k.ExpireAt, k.Elements, k.Encoding = true, created+2000, 9, parser.EncHashtable
		}, false, 0},
		"as large as may expire": {func(k *parser.Key) {
			k.HasExpire, k.ExpireAt, k.Elements, k.Encoding = true, created+2000, 8, parser.EncHashtable
		}, true, 0},
		"large and compact, expires":     {func(k *parser.Key) { k.HasExpire, k.ExpireAt, k.Elements = true, created+2000, 9 }, true, 0},
		"large, does not expire":         {func(k *parser.Key) { k.Elements, k.Encoding = 9, parser.EncHashtable }, true, 1},
		"longest name":                   {func(k *parser.Key) { k.Name, k.NameLen = []byte("abcdef"), 6 }, true, 1},
		"name too long":                  {func(k *parser.Key) { k.Name, k.NameLen = []byte("abcdefg"), 7 }, false, 0},
		"name too long, in another type": {func(k *parser.Key) { k.Name, k.NameLen, k.Type = []byte("abcdefg"), 7, parser.String }, false, 0},
	} {
		k := parser.Key{Name: []byte("abc"), NameLen: 3, Type: parser.Hash, Encoding: parser.EncListpack, Elements: 7, ValueBytes: 50, Largest: 10, Pending: 3, Idle: 30, Freq: -1}
		c.edit(&k)
		var f naming.Facts
		naming.NewNamer(":").Facts(k.Name, &f)
		for range 2 { // the second time the name is known
			found, known := tbl.passes(&k, &f, created)
			if known != c.known || len(found) != c.found {
				t.Errorf("%s: %v, %t", name, found, known)
			}
			passed := uint32(1) << k.Type
			if len(k.Name) > 6 {
				passed = 0
			}
			if f.Checked != 1<<k.Type || f.Passed != passed {
				t.Errorf("%s: names checked %b, passed %b", name, f.Checked, f.Passed)
			}
		}
		// What is kept of a name counts: a name that passed is not looked at again, and one
		// that did not neither.
		f.Checked, f.Passed = 1<<k.Type, 0
		if _, known := tbl.passes(&k, &f, created); known {
			t.Errorf("%s: a name that did not pass passes", name)
		}
		f.Passed = 1 << k.Type
		long := k
		long.Name = []byte("a name that is too long")
		if _, known := tbl.passes(&long, &f, created); known != (c.known || len(k.Name) > 6) {
			t.Errorf("%s: a name that passed does not", name)
		}
	}
}

// TestRangesOfGates checks which range each gate leaves, and which gates the prefilter
// cannot express.
func TestRangesOfGates(t *testing.T) {
	plain := prefilterOf()
	if plain.maxElements != math.MaxInt64 || plain.minElements != math.MinInt64 || plain.maxValueBytes != math.MaxInt64 || plain.maxLargest != math.MaxInt64 || plain.maxPending != math.MaxInt64 || plain.maxFullElements != math.MaxInt64 ||
		plain.maxExpiringElements != math.MaxInt64 || plain.minLeft != math.MinInt64 || plain.maxLeft != math.MaxInt64 || plain.maxIdleTime != math.MaxInt64 || plain.nameGates != nil || plain.findingsWithoutExpiry != nil {
		t.Errorf("without gates: %+v", plain)
	}
	gateOf := func(m measure, limits ...int64) (list []gate) {
		for _, l := range limits {
			list = append(list, gate{l, -1, m})
		}
		return list
	}
	for m, c := range map[measure]struct {
		limits []int64
		field  func(p *prefilter) int64
		want   int64
	}{
		elements: {[]int64{9, 7, 8}, func(p *prefilter) int64 { return p.maxElements }, 7}, fewElements: {[]int64{-2, -4, -3}, func(p *prefilter) int64 { return p.minElements }, 4},
		valueBytes: {[]int64{9, 7, 8}, func(p *prefilter) int64 { return p.maxValueBytes }, 7}, largest: {[]int64{9, 7, 8}, func(p *prefilter) int64 { return p.maxLargest }, 7},
		pending: {[]int64{9, 7, 8}, func(p *prefilter) int64 { return p.maxPending }, 7}, expiringElements: {[]int64{9, 7, 8}, func(p *prefilter) int64 { return p.maxExpiringElements }, 7},
		timeLeft: {[]int64{9, 7, 8}, func(p *prefilter) int64 { return p.maxLeft }, 7}, timeExpired: {[]int64{-2, -4, -3}, func(p *prefilter) int64 { return p.minLeft }, 4},
		idleTime: {[]int64{9, 7, 8}, func(p *prefilter) int64 { return p.maxIdleTime }, 7},
	} {
		if got := prefilterOf(gateOf(m, c.limits...)...); c.field(&got) != c.want || got.nameGates != nil {
			t.Errorf("measure %d: %d, want %d", m, c.field(&got), c.want)
		}
	}
	for _, m := range []measure{always, nameLength, shortName, fewSegments, emptySegments, classes} {
		if got := prefilterOf(gateOf(m, 3, 4)...); len(got.nameGates) != 2 || got.maxElements != math.MaxInt64 {
			t.Errorf("measure %d: %+v", m, got)
		}
	}
	never := func(what string, want bool, p prefilter) {
		t.Helper()
		if got := p.maxElements == math.MinInt64; got != want {
			t.Errorf("%s: no key passes: %t", what, got)
		}
	}
	never("a measure without a range", true, prefilterOf(gateOf(filters, 3)...))
	never("a mask", true, prefilterOf(gate{3, 1, elements}))
	never("full elements without a confirmation", true, prefilterOf(gateOf(fullElements, 3)...))
	tbl := &table{gates: gateOf(fullElements, 3, 2), checks: []check{{confirm: confirmText(0)}, {confirm: confirmText(0)}}}
	if p := newPrefilter(tbl); len(p.fullChecks) != 2 || p.maxFullElements != 2 || p.maxElements != math.MaxInt64 {
		t.Errorf("%+v", p)
	}
	for limit, c := range map[int64]struct {
		x     check
		found int
		never bool
	}{0: {check{plain: true}, 1, false}, 1: {check{plain: true}, 0, false}, -1: {check{}, 1, true}, -2: {check{plain: true, second: true}, 1, true}, -3: {check{plain: true, counted: true}, 1, true}} {
		p := newPrefilter(&table{gates: gateOf(withoutExpiry, limit), checks: []check{c.x}})
		never("without expiry", c.never, p)
		if len(p.findingsWithoutExpiry) != c.found {
			t.Errorf("limit %d: %+v", limit, p)
		}
	}
}

func prefilterOf(gates ...gate) prefilter {
	return newPrefilter(&table{gates: gates, checks: make([]check, len(gates))})
}
