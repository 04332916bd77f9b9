package module

import (
	"encoding/binary"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser/internal/rdb"
)

// items are the items of a value, each with its opcode, as RedisModule_Save* writes
// them.
type items []string

func length(n uint64) string {
	return string(binary.BigEndian.AppendUint64([]byte{0x81}, n))
}

func stored(s string) string {
	return string(binary.BigEndian.AppendUint32([]byte{0x80}, uint32(len(s)))) + s
}

func le64(v uint64) string { return string(binary.LittleEndian.AppendUint64(nil, v)) }

func (l items) u(ns ...uint64) items {
	for _, n := range ns {
		l = append(l, "\x02"+length(n))
	}
	return l
}

func (l items) d(fs ...float64) items {
	for _, f := range fs {
		l = append(l, "\x04"+le64(math.Float64bits(f)))
	}
	return l
}

func (l items) f(v float32) items {
	return append(l, "\x03"+le64(uint64(math.Float32bits(v)))[:4])
}

func (l items) s(texts ...string) items {
	for _, s := range texts {
		l = append(l, "\x05"+stored(s))
	}
	return l
}

func (l items) z(n int) items { return l.s(strings.Repeat("\x00", n)) }

// cursor returns a cursor over data, of which k bytes come at once; 0: all is there.
func cursor(data string, k int) *rdb.Cursor {
	if k == 0 {
		return &rdb.Cursor{Buf: []byte(data)}
	}
	c := &rdb.Cursor{}
	next := 0
	c.Refill = func(keep int) bool {
		if next == len(data) {
			return false
		}
		n := min(k, len(data)-next)
		c.Buf = slices.Clip(append(slices.Clone(c.Buf[keep:]), data[next:next+n]...))
		c.Pos, c.Base, next = c.Pos-keep, c.Base+int64(keep), next+n
		return true
	}
	return c
}

// read reads a value, and returns how many bytes after it were not read.
func read(t *testing.T, name string, version int, data string, k int) (v Value, left int) {
	t.Helper()
	r := &Reader{Cursor: cursor(data+"\x00behind", k)}
	v = *r.Read(rdb.ModuleID(name)<<10|uint64(version), nil)
	v.Name = slices.Clone(v.Name)
	v.Head, v.Text = nil, nil
	return v, len(data) + len("\x00behind") - int(r.Offset())
}

// rows are values of each type at the limits of what they count, and what each has
// by construction: zero values of Index and TextLen stand for none.
func rows() []struct {
	name    string
	version int
	items   items
	want    Value
} {
	long := strings.Repeat("n", 70_000) // no block in memory takes it whole
	type facts = Facts
	type row = struct {
		name    string
		version int
		items   items
		want    Value
	}
	var list []row
	add := func(name string, version int, l items, want Value) {
		if want.Understood {
			if want.Index--; name != "ReJSON-RL" {
				want.TextLen = -1
			}
			if want.Name != nil {
				want.NameLen = cmpOr(want.NameLen, int64(len(want.Name)))
			}
		} else {
			want = Value{Elements: -1, Bytes: -1, Largest: -1, Longest: -1, Index: -1, TextLen: -1}
		}
		want.Version = version
		list = append(list, row{name, version, l, want})
	}
	bad := Value{}

	for version := range 5 {
		filter := func(l items, capacity uint64, rate float64, bytes int) items {
			if l = l.u(capacity).d(rate).u(7).d(9.5); version >= 1 {
				l = l.u(uint64(bytes)*8, 10)
			}
			return l.z(bytes).u(5)
		}
		head := func(items_, filters uint64) items {
			l := items{}.u(items_, filters)
			if version >= 2 {
				l = l.u(1)
			}
			if version >= 4 {
				l = l.u(2)
			}
			return l
		}
		add("MBbloom--", version, head(0, 0), Value{Understood: true})
		add("MBbloom--", version, filter(filter(filter(head(9, 3), 100, .01, 50), 200, .005, 80), 400, .0025, 80), Value{Understood: true, Elements: 9, Bytes: 210, Largest: 80, Longest: 80, Index: 2, Facts: facts{Filters: 3, Capacity: 700, ErrorRate: .01}})
	}
	add("MBbloom--", 4, items{}.u(1<<48, 0, 0, 0), Value{Understood: true, Elements: 1 << 48})
	add("MBbloom--", 4, items{}.u(1<<48+1, 0, 0, 0), bad)

	for _, version := range []int{1, 3, 4} {
		cuckoo := func(buckets, size uint64) items {
			l := items{}.u(2, buckets, 30)
			if version >= 4 {
				l = l.u(1, size, 20, 2)
			}
			for _, n := range []int{64, 128} {
				if version >= 4 {
					l = l.u(uint64(n) / 2)
				}
				l = l.z(n)
			}
			return l
		}
		want := Value{Understood: true, Elements: 30, Bytes: 192, Largest: 128, Longest: 128, Index: 2, Facts: facts{Filters: 2, Capacity: 192}}
		without := want
		without.Capacity = 0
		add("MBbloomCF", version, cuckoo(32, 2), want)
		add("MBbloomCF", version, cuckoo(1<<32-1, 1<<16-1), want)
		add("MBbloomCF", version, cuckoo(1<<32, 2), without)
		if version == 4 {
			add("MBbloomCF", version, cuckoo(32, 1<<16), without)
		}
	}
	add("MBbloomCF", 0, items{}.u(0, 0, 0), bad)
	add("MBbloomCF", 5, items{}.u(0, 0, 0), bad)

	add("bloomfltr", 0, items{}.u(1, 2).f(.25).z(50).u(400, 7, 100, 60), Value{Understood: true, Elements: 60, Bytes: 50, Largest: 50, Longest: 50, Index: 1, Facts: facts{Filters: 1, Capacity: 100, ErrorRate: .25}})
	add("bloomfltr", 1, items{}.u(3, 2).d(.25, .5).u(3).z(50).u(100).z(99).u(200).z(99).u(400, 60), Value{Understood: true, Elements: 360, Bytes: 248, Largest: 99, Longest: 99, Index: 2, Facts: facts{Filters: 3, Capacity: 700, ErrorRate: .25}})
	add("bloomfltr", 1, items{}.u(0, 2).d(.25, .5).u(3), Value{Understood: true, Facts: facts{ErrorRate: .25}})

	add("CMSk-TYPE", 0, items{}.u(10, 5, 77).z(400), Value{Understood: true, Elements: 77, Bytes: 400, Largest: 400, Longest: 400})
	add("CMSk-TYPE", 0, items{}.u(0, 0, 0).z(0), Value{Understood: true})

	add("TopK-TYPE", 0, items{}.u(6, 8, 7).d(.9).z(100).z(200).s("\x00", "", "bb\x00", "a\x00", "cc\x00", "dd\x00"), Value{Understood: true, Elements: 4, Bytes: 107, Largest: 2, Longest: 2, Name: []byte("bb"), Facts: facts{Capacity: 6}})
	add("TopK-TYPE", 0, items{}.u(2, 8, 7).d(.9).z(100).z(200).s(long+"\x00", "a\x00"), Value{Understood: true, Elements: 2, Bytes: 70_101, Largest: 70_000, Longest: 70_000, Name: []byte(long[:MaxName]), NameLen: 70_000, Facts: facts{Capacity: 2}})
	add("TopK-TYPE", 0, items{}.u(1, 8, 7).d(.9).z(100).z(200).s("a\x00", "b\x00"), bad)

	digest := func(centroids int, weights ...float64) items {
		l := items{}.d(100, 1, 9).u(610, uint64(centroids), 3, 4).d(weights...)
		for i := range 2 * centroids {
			l = l.d(float64(i))
		}
		return l
	}
	add("TDIS-TYPE", 0, digest(2, 5, 2), Value{Understood: true, Elements: 7, Bytes: 32, Largest: 16, Longest: 16, Facts: facts{Capacity: 610}})
	add("TDIS-TYPE", 0, digest(0, 0, 0), Value{Understood: true, Facts: facts{Capacity: 610}})
	add("TDIS-TYPE", 0, digest(0, 1<<62, 0), Value{Understood: true, Elements: 1 << 62, Facts: facts{Capacity: 610}})
	for _, w := range []float64{-1, math.NaN(), math.Inf(1), 1 << 63, -math.SmallestNonzeroFloat64} {
		add("TDIS-TYPE", 0, digest(1, w, 0), bad)
	}

	vectors := func(dimensions, n, quantization, flags uint64) items {
		return items{}.u(dimensions, n, quantization, flags)
	}
	node := func(l items, words uint64, layers uint64, rest ...uint64) items {
		return l.u(words, 1, layers).u(rest...)
	}
	add("vectorset", 0, vectors(3, 0, 0, 0), Value{Understood: true, Facts: facts{Dimensions: 3}})
	add("vectorset", 0, node(node(vectors(3, 2, 0x300, 0).s("bb").z(12), 6, 0, 0, 16, 98, 99).s("a").z(12), 6, 0, 0, 16, 98, 99), Value{Understood: true, Elements: 2, Bytes: 27, Largest: 14, Longest: 2, Name: []byte("bb"), Facts: facts{Dimensions: 3, VectorBytes: 24}})
	add("vectorset", 0, node(vectors(65, 1, 2, 1).u(130).z(40).s("e").z(16), 4, 0, 0, 16), Value{Understood: true, Elements: 1, Bytes: 17, Largest: 17, Longest: 1, Name: []byte("e"), Facts: facts{Dimensions: 65, VectorBytes: 16}})
	add("vectorset", 0, node(vectors(64, 1, 2, 0).s("e").z(8), 4, 0, 0, 16), Value{Understood: true, Elements: 1, Bytes: 9, Largest: 9, Longest: 1, Name: []byte("e"), Facts: facts{Dimensions: 64, VectorBytes: 8}})
	add("vectorset", 0, node(vectors(5, 1, 1, 2).s("e", "attr").z(5), 9, 1, 1, 16, 7, 2, 16, 8, 9), Value{Understood: true, Elements: 1, Bytes: 10, Largest: 10, Longest: 4, Name: []byte("e"), Facts: facts{Dimensions: 5, VectorBytes: 5}})
	// The worst link and its distance follow the links of each layer.
	add("vectorset", 0, node(vectors(5, 1, 1, 0).s("e").z(5), 2+4+3+1, 1<<24|1, 1, 16, 7, 70, 0, 1<<16, 80, 97), Value{Understood: true, Elements: 1, Bytes: 6, Largest: 6, Longest: 1, Name: []byte("e"), Facts: facts{Dimensions: 5, VectorBytes: 5}})
	add("vectorset", 0, node(node(vectors(5, 2, 1, 0).s(long).z(5), 4, 0, 0, 16).s("b").z(5), 4, 0, 0, 16), Value{Understood: true, Elements: 2, Bytes: 70_011, Largest: 70_005, Longest: 70_000, Name: []byte(long[:MaxName]), NameLen: 70_000, Facts: facts{Dimensions: 5, VectorBytes: 10}})
	add("vectorset", 0, node(vectors(5, 1, 1, 0).s("e").z(5), 4, 0, 0, 1<<16+1), bad)
	add("vectorset", 0, node(vectors(5, 1, 1, 0).s("e").z(5), 3, 0, 0, 16), bad)
	add("vectorset", 0, node(vectors(5, 1, 1, 0).s("e").z(4), 4, 0, 0, 16), bad)
	add("vectorset", 0, node(vectors(5, 1, 3, 0).s("e").z(5), 4, 0, 0, 16), bad)
	add("vectorset", 0, vectors(5, 0, 3, 0), bad)
	add("vectorset", 0, vectors(5, 1, 1, 0).s("e").z(4), bad)
	add("vectorset", 0, vectors(5, 1, 1, 0).s("e").z(5).u(4, 1, 0, 0, 1<<16+1), bad)
	add("vectorset", 0, node(vectors(5, 1, 1, 0).s("e").z(5), 5, 0, 0, 16), bad)

	doubles := func(l items, n int) items { return l.d(make([]float64, n)...) }
	for version := range 10 {
		l := items{}.s("key").u(math.MaxUint64, 128)
		if version >= 1 {
			l = l.u(2) // compressed
		}
		if version >= 2 {
			l = l.u(1005).d(1).u(9)
		}
		if version >= 3 {
			l = l.u(0)
		}
		if version >= 2 {
			l = l.u(1).s("source")
		}
		if version >= 8 {
			l = l.u(0).d(0)
		}
		l = l.u(2).s("label", "value", "l", "v")
		aggregations := map[uint64]items{}
		for a := uint64(1); a <= 15; a++ {
			r := items{}
			switch a {
			case 1, 2, 8:
				if r = doubles(r, 2); version < 6 {
					r = r.s("")
				}
			case 3, 5, 7, 14, 15:
				if r = r.d(0); version >= 3 && version < 7 {
					r = r.u(0)
				}
			case 6:
				if r = r.d(0); version >= 3 {
					r = r.u(0)
				}
			case 4:
				if r = doubles(r, 2); version >= 4 {
					r = r.u(0)
				}
			case 13:
				r = r.d(0).u(0).d(0).u(0, 0, 0, 0, 0, 0, 0)
			default:
				r = doubles(r, 2).u(0)
			}
			aggregations[a] = r
		}
		rule := func(l items, aggregation uint64) items {
			if l = l.s("to").u(60); version >= 6 {
				l = l.u(0)
			}
			if l = l.u(aggregation, 0); version >= 9 {
				l = l.u(1)
			}
			return append(l, aggregations[aggregation]...)
		}
		bare := slices.Clone(l)
		l = l.u(15)
		for a := uint64(1); a <= 15; a++ {
			l = rule(l, a)
		}
		want := Value{Understood: true, Elements: 3, Facts: facts{Labels: 2, Rules: 15, Retention: math.MaxInt64, First: 1000}}
		if version < 2 {
			l = l.u(3, 1000).d(1).u(1002).d(2).u(1001).d(3)
			want.Bytes, want.Largest, want.Longest, want.Last = 48, 16, 16, 1001
			add("TSDB-TYPE", version, rule(bare.u(1), 1).u(0), Value{Understood: true, Facts: facts{Labels: 2, Rules: 1, Retention: math.MaxInt64}})
		} else {
			l = l.u(2)
			for i, n := range []int{60, 90} {
				l = l.u(128, []uint64{1, 2}[i], 500, 0, uint64(1000+i), []uint64{1000, 1004}[i], 0, 0, 0, 0).z(n)
			}
			want.Bytes, want.Largest, want.Longest, want.Index, want.Last, want.Chunks = 150, 90, 90, 2, 1005, 2
			add("TSDB-TYPE", version, rule(slices.Clone(bare).u(1), 16).u(0), bad)
			add("TSDB-TYPE", version, rule(slices.Clone(bare).u(1), 0).u(0), bad)
		}
		add("TSDB-TYPE", version, l, want)
	}
	plain := items{}.s("key").u(50, 128, 1, 0).d(0).u(0, 0, 0, 0).d(0).u(0, 0)
	add("TSDB-TYPE", 9, append(slices.Clone(plain), items{}.u(2, 7, 2, 32).z(32).u(20, 3, 32).z(32)...), Value{Understood: true, Elements: 5, Bytes: 64, Largest: 32, Longest: 32, Index: 1, Facts: facts{Retention: 50, Chunks: 2, First: 7, Last: 20}})

	tree := func(l items, nodes ...any) items {
		for _, n := range nodes {
			switch n := n.(type) {
			case int:
				l = l.u(uint64(n))
			case string:
				l = l.s(n)
			case float64:
				l = l.d(n)
			}
		}
		return l
	}
	const null, text, number, integer, boolean, object, array, member = 1, 2, 4, 8, 16, 32, 64, 128
	for version := range 2 {
		document := func(n, bytes, largest, longest, depth int64, name string, index int64) Value {
			v := Value{Understood: true, Elements: n, Bytes: bytes, Largest: largest, Longest: longest, Index: index, TextLen: -1, Facts: facts{Depth: depth}}
			if name != "" {
				v.Name = []byte(name)
			}
			return v
		}
		add("ReJSON-RL", version, tree(nil, null), document(1, 0, 0, 0, 0, "", 0))
		add("ReJSON-RL", version, tree(nil, text, "abc"), document(1, 3, 3, 3, 0, "", 0))
		add("ReJSON-RL", version, tree(nil, number, 1.5), document(1, 8, 8, 0, 0, "", 0))
		add("ReJSON-RL", version, tree(nil, integer, 7), document(1, 8, 8, 0, 0, "", 0))
		add("ReJSON-RL", version, tree(nil, boolean, "1"), document(1, 1, 1, 0, 0, "", 0))
		add("ReJSON-RL", version, tree(nil, object, 0), document(0, 0, 0, 0, 1, "", 0))
		add("ReJSON-RL", version, tree(nil, array, 0), document(0, 0, 0, 0, 1, "", 0))
		add("ReJSON-RL", version, tree(nil, array, 3, text, "ab", array, 2, number, 1.5, null, integer, 7), document(3, 18, 8, 2, 2, "", 2))
		add("ReJSON-RL", version, tree(nil, object, 3, member, "a", null, member, "bb", object, 1, member, "c", text, "ddd", member, "e", boolean, "0"), document(3, 1+2+1+3+1+1, 6, 3, 2, "bb", 0))
		add("ReJSON-RL", version, tree(nil, object, 2, member, long, null, member, "bb", null), Value{Understood: true, Elements: 2, Bytes: 70_002, Largest: 70_000, Longest: 70_000, Name: []byte(long[:MaxName]), NameLen: 70_000, TextLen: -1, Facts: facts{Depth: 1}})
		add("ReJSON-RL", version, tree(nil, array, 1, member), bad)
		add("ReJSON-RL", version, tree(nil, object, 1, member+1, "a", null), bad)
		add("ReJSON-RL", version, tree(nil, 3), bad)
		add("ReJSON-RL", version, tree(nil, object, 1, member+1), bad)
		add("ReJSON-RL", version, tree(nil, array, 1), bad)
		add("ReJSON-RL", version, tree(nil, array, 1, 3), bad)
	}
	return list
}

func cmpOr(a, b int64) int64 {
	if a != 0 {
		return a
	}
	return b
}

// TestRead reads the values of rows, however the file comes. With an item of another
// kind in any place, with one less and with one more the value is passed.
func TestRead(t *testing.T) {
	for _, c := range rows() {
		whole := strings.Join(c.items, "")
		for _, k := range []int{0, 1 + len(whole)/100, 5000} {
			got, left := read(t, c.name, c.version, whole, k)
			if !reflect.DeepEqual(got, c.want) || left != len("behind") {
				t.Fatalf("%s version %d, %.60q:\n got %+v, %d bytes left\nwant %+v", c.name, c.version, whole, got, left, c.want)
			}
		}
		if !c.want.Understood || len(whole) > 10_000 {
			continue
		}
		not := Value{Elements: -1, Bytes: -1, Largest: -1, Longest: -1, Index: -1, TextLen: -1, Facts: Facts{Version: c.version}}
		for i := range c.items {
			for _, other := range []string{"\x01\x00", "\x05\x00", "\x02\x00", "\x0412345678", "\x031234"} {
				if other[0] == c.items[i][0] {
					continue
				}
				changed := slices.Clone(c.items)
				changed[i] = other
				if got, left := read(t, c.name, c.version, strings.Join(changed, ""), 0); !reflect.DeepEqual(got, not) || left != len("behind") {
					t.Errorf("%s version %d, item %d is %q: %+v, %d bytes left", c.name, c.version, i, other, got, left)
				}
			}
		}
		for what, changed := range map[string]string{"one item more": whole + "\x02\x00", "no last item": strings.Join(c.items[:len(c.items)-1], "")} {
			if got, left := read(t, c.name, c.version, changed, 0); !reflect.DeepEqual(got, not) || left != len("behind") {
				t.Errorf("%s version %d, %s: %+v, %d bytes left", c.name, c.version, what, got, left)
			}
		}
	}
}
