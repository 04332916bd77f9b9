package parser

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/rdblens/rdblens/parser/internal/memory"
)

// oldValues is a snapshot of Redis 6.2 whose values a server from 7.0 on
// converts when it loads them.
func oldValues() []byte {
	var fields, wide, texts, members, old []any
	for j := range 30 {
		fields = append(fields, fmt.Sprintf("f%02d", j), 100+130*j)
		edges := []int{0, 12, 13, 127, 128, -1, -4096, 4095, 4096, -4097, 32767, 32768, 1<<23 - 1, 1 << 23, -1 << 31, 1 << 31}
		wide = append(wide, fmt.Sprintf("f%02d", j), edges[j%len(edges)])
		lengths := []int{0, 1, 63, 64, 252, 253, 254, 255, 300, 20000}
		texts = append(texts, fmt.Sprintf("f%02d", j), strings.Repeat("x", lengths[j%len(lengths)]))
		members = append(members, 1000+7*j, j, 2000+7*j, j+30)
	}
	for j := range 3000 {
		old = append(old, 100+j)
	}
	var maps []string
	for j := range 20 {
		maps = append(maps, fmt.Sprintf("f%02d", j), []string{"12", "4000", "40000", "007", "text", strings.Repeat("9", 30)}[j%6])
	}
	r := newRDB("REDIS0009").aux("redis-ver", "6.2.14").raw(0xfe, 0)
	r.key(13, "fields").str(ziplist(fields...))
	r.key(13, "wide").str(ziplist(wide...))
	r.key(13, "texts").str(ziplist(texts...))
	r.key(12, "members").str(ziplist(members...))
	r.key(14, "one").len(1).str(ziplist(old[:1000]...))
	r.key(14, "three").len(3).str(ziplist(old[:2000]...), ziplist(old[1000:]...), ziplist(old[:500]...))
	r.key(10, "small").str(ziplist(old[:50]...))
	r.key(10, "pushed").str(ziplist(old...))
	r.key(9, "maps").str(zipmap(0, maps...))
	return r.end()
}

// MEMORY USAGE with SAMPLES 0 of servers that have loaded oldValues: Redis
// 7.0.15 and 8.0.2 with Debian's jemalloc 5.3.0, Valkey 9.1.2 with 5.3.1. (8.0.2
// says 14031 of three: it multiplies an average of the nodes and cuts it off.)
func TestConvertedMemory(t *testing.T) {
	want := map[string][3]int64{
		"fields": {304, 304, 288}, "wide": {368, 368, 352}, "texts": {65584, 65584, 65568}, "members": {376, 376, 352},
		"one": {3200, 3120, 3104}, "three": {14032, 14032, 14016}, // quicklists of ziplists
		"small": {288, 288, 272}, "pushed": {9256, 9256, 9240}, // lists of one ziplist
		"maps": {368, 368, 352},
	}
	for i, server := range []string{"redis-7.0", "redis-8.0", "valkey-9"} {
		allocator := "jemalloc-system"
		if i == 2 {
			allocator = "jemalloc-5.3.1"
		}
		s := NewScanner(bytes.NewReader(oldValues()), Options{Memory: func(*Info) *memory.Model {
			m, _, err := memory.Choose("", "", memory.Options{Server: server, State: "reloaded", Allocator: allocator})
			if err != nil {
				t.Fatal(err)
			}
			return m
		}})
		for s.Scan() {
			k := s.Key()
			if k.MemoryUsage != want[string(k.Name)][i] {
				t.Errorf("%s: MEMORY USAGE of %q is %d, the server says %d", server, k.Name, k.MemoryUsage, want[string(k.Name)][i])
			}
		}
		if err := s.Err(); err != nil {
			t.Fatal(err)
		}
	}
}

// Names of consumers take the same whether they stand in the file as they are,
// compressed, or as a number; and whether it is read in blocks or not. Names that
// differ in their first byte take a chain each, those that differ in the last one
// share it.
func TestConsumerNames(t *testing.T) {
	node := listpack(1, 0, 1, "a", 0, 2, 0, 0, "b", 4)
	run := strings.Repeat("n", 3000)
	var numbers, apart, alike, long []string
	for i := range 10 {
		numbers = append(numbers, fmt.Sprint(10000+i))
		alike = append(alike, run+string(rune('k'+i)))
		apart = append(apart, string(rune('k'+i))+run)
	}
	alike, apart = append(numbers, alike...), append(numbers, apart...)
	long = append(append(long, alike...), strings.Repeat("z", memory.MaxStreamName), strings.Repeat("z", memory.MaxStreamName+1))
	spread := []string{"10000", "20000", "30000", "40000", "50000", "60000", "70000", "80000", "90000"}
	snapshot := func(names []string, packed bool) []byte {
		r := newRDB("REDIS0009").raw(0xfe, 0).key(15, "k").len(1).raw(16).id(1000, 1).str(node).len(1).len(1000).len(1)
		r.len(1).str("g").len(0).len(0).len(0) // no pending entries
		r.len(uint64(len(names)))
		for _, name := range names {
			n, err := strconv.Atoi(name)
			switch {
			case !packed:
				r.str(name)
			case err == nil:
				r.raw(0xc2, n, n>>8, n>>16, n>>24)
			default:
				r.raw(0xc3).len(uint64(len(lzf(name)))).len(uint64(len(name))).raw(lzf(name))
			}
			r.le64(0).len(0)
		}
		return r.end()
	}
	opt := Options{Memory: func(*Info) *memory.Model {
		m, _, _ := memory.Choose("redis", "6.2.14", memory.Options{})
		return m
	}}
	size := func(names []string) (first int64) {
		for _, packed := range []bool{false, true} {
			in := snapshot(names, packed)
			s := NewScanner(bytes.NewReader(in), opt)
			if !s.Scan() {
				t.Fatal(s.Err())
			}
			if first == 0 {
				first = s.Key().Memory
			}
			if got := s.Key().Memory; got != first || got <= 0 {
				t.Errorf("%.10q, packed %v: %d bytes, before there were %d", names[len(names)-1], packed, got, first)
			}
			whole := scanned(bytes.NewReader(in), opt, blockSize)
			for _, o := range []outcome{scanned(iotest.OneByteReader(bytes.NewReader(in)), opt, smallBlock), ranSmall(bytes.NewReader(in), opt, 2), ran(bytes.NewReader(in), opt, 2)} {
				if d := difference(whole, o); d != "" {
					t.Errorf("packed %v: %s", packed, d)
				}
			}
		}
		return first
	}
	if one, many := size(alike), size(apart); many-one < 9*3000 || many-one > 9*4096 {
		t.Errorf("names that share all but a byte: %d bytes, nothing: %d", one, many)
	}
	if one, many := size(numbers[:9]), size(spread); many-one < 9*8 {
		t.Errorf("numbers that share all but a byte: %d bytes, nothing: %d", one, many)
	}
	size(long)
}

// MEMORY USAGE with SAMPLES 0 of Redis 7.0.15 with Debian's jemalloc for sets of
// integers and one text, as it had loaded them: where the text stands decides
// whether the table of those before it is still there.
func TestSetsBegunAsIntset(t *testing.T) {
	r := newRDB("REDIS0010").aux("redis-ver", "7.0.15").raw(0xfe, 0)
	sets := []struct {
		n, before int
		want      int64
	}{
		{10, 1, 560}, {10, 5, 560}, {10, 7, 624}, {10, 8, 624}, {10, 9, 560}, {40, 1, 1904}, {40, 20, 1904}, {40, 28, 2160}, {40, 32, 2160},
		{40, 36, 1904}, {100, 50, 4336}, {100, 99, 4336}, {129, 1, 6408}, {129, 64, 6408}, {129, 77, 7432}, {129, 103, 7432},
		{129, 116, 7424}, {129, 128, 7424}, {200, 1, 9248}, {200, 199, 9240}, {300, 75, 15296}, {300, 180, 17336}, {300, 240, 17336},
		{500, 1, 23296}, {500, 499, 23288},
	}
	for _, c := range sets {
		r.key(2, fmt.Sprintf("s%03d:%03d", c.n, c.before)).len(uint64(c.n))
		for i := range c.n {
			if i == c.before {
				r.str("text")
			} else {
				r.str(fmt.Sprint(100000 + 7919*i))
			}
		}
	}
	in := r.end()
	s := NewScanner(bytes.NewReader(in), Options{Memory: func(*Info) *memory.Model {
		m, _, _ := memory.Choose("redis", "7.0.15", memory.Options{State: "reloaded", Allocator: "jemalloc-system"})
		return m
	}})
	for _, c := range sets {
		if !s.Scan() {
			t.Fatal(s.Err())
		}
		if got := s.Key().MemoryUsage; got != c.want {
			t.Errorf("%d members, the text behind %d of them: %d, the server says %d", c.n, c.before, got, c.want)
		}
	}
}

// TestSetsBegunAsIntsetInPieces checks that the position of the first text is
// known of a set that is larger than a block, too.
func TestSetsBegunAsIntsetInPieces(t *testing.T) {
	opt := Options{Memory: func(*Info) *memory.Model {
		m, _, _ := memory.Choose("redis", "6.2.14", memory.Options{State: "reloaded"})
		return m
	}}
	for _, before := range []int{0, 1, 75, 250, 299, 300} {
		r := newRDB("REDIS0009").raw(0xfe, 0).key(2, "s").len(300)
		for i := range 300 {
			if i < before {
				r.str(fmt.Sprint(1000 + i))
			} else {
				r.str(fmt.Sprint(i) + strings.Repeat("x", 12000))
			}
		}
		in := r.end()
		whole := scanned(bytes.NewReader(in), opt, 8<<20)
		for _, o := range []outcome{ran(bytes.NewReader(in), opt, 1), ran(bytes.NewReader(in), opt, 3), ranSmall(bytes.NewReader(in), opt, 2)} {
			if d := difference(whole, o); d != "" {
				t.Errorf("%d integers before: %s", before, d)
			}
		}
	}
}
