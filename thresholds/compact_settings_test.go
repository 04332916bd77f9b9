package thresholds

import (
	"fmt"
	"testing"

	"github.com/rdblens/rdblens/parser"
)

// TestCompactSettings counts collections by the multiple of the limits that they are
// within, and checks which value of which setting is advised: the smallest that saves
// four fifths of what four times the limit does.
func TestCompactSettings(t *testing.T) {
	e := mustLoad(t, LoadOptions{}).Compile(testEnv())
	key := func(typ parser.Type, elements, longest, saves int64) *parser.Key {
		enc := parser.EncHashtable
		if typ == parser.ZSet {
			enc = parser.EncSkiplist
		}
		return &parser.Key{Type: typ, Encoding: enc, Elements: elements, Longest: longest, Memory: 10_000 + 100*saves, CompactMemory: 10_000}
	}
	var sums CompactSums
	for _, k := range []*parser.Key{
		key(parser.ZSet, 129, 64, 1000), key(parser.ZSet, 256, 10, 2000), key(parser.ZSet, 257, 10, 400), key(parser.ZSet, 512, 10, 300), // 2, 2, 4 and 4 times
		key(parser.ZSet, 513, 10, 9000), key(parser.ZSet, 129, 65, 7000), // more than 4 times; over both limits
		key(parser.ZSet, 128, 64, 50),                                   // was larger
		key(parser.Hash, 512, 65, 500), key(parser.Hash, 20, 256, 4500), // 2 and 4 times the bytes
		key(parser.Hash, 20, 257, 4500), key(parser.Hash, 600, 10, 0), // more than 4 times; saves nothing
		{Type: parser.Hash, Encoding: parser.EncListpack, Elements: 600, Longest: 10, Memory: 10, CompactMemory: 5},
		{Type: parser.ZSet, Encoding: parser.EncSkiplist, Elements: 200, Longest: 10, Memory: 10, CompactMemory: 5, HasExpire: true, ExpireAt: 1},
	} {
		e.CountCompact(k, &sums)
	}
	var twice CompactSums
	twice.Add(&sums)
	twice.Add(&sums)
	if got, want := twice.upTo(compactZSet, 2, 2), (CompactSum{12, 200 * (1000 + 2000 + 400 + 300 + 7000 + 50)}); got != want {
		t.Errorf("both limits: %+v, want %+v", got, want)
	}
	got := ""
	for _, a := range e.CompactSettings(&sums, nil, 10_000_000) {
		got += fmt.Sprintln(a.Setting, a.Value, a.Keys, a.Saves, a.Steps)
	}
	want := `hash-max-listpack-value 256 2 500000 [{64 0 0} {128 1 50000} {256 2 500000}]
zset-max-listpack-entries 256 2 300000 [{128 1 5000} {256 3 305000} {512 5 375000}]
`
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if list := e.CompactSettings(&sums, nil, 300_000*minSavingShare+1); len(list) != 1 {
		t.Errorf("less than a 500th: %+v", list)
	}
	var few CompactSums
	for range 2 {
		e.CountCompact(key(parser.ZSet, 200, 10, minSavingBytes/200-1), &few)
	}
	if list := e.CompactSettings(&few, nil, 1); len(list) != 0 {
		t.Errorf("less than used_memory changes by itself: %+v", list)
	}
	if text := e.CompactSettings(&sums, nil, 1)[1].Text.String(); text != "Set zset-max-listpack-entries to 256 (128 now): 2 sorted sets become compact when the server restarts, "+
		"or when they are written again. Saves 293 KB. The cost: a look-up then reads up to 256 elements one after the other, some 2 µs. Others would save: 512: 361 KB." {
		t.Error(text)
	}
}
