package thresholds

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rdblens/rdblens/parser"
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
