package parser

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser/internal/memory"
)

// A storedText is a string in one of its forms in a file.
type storedText struct{ stored, text string }

// storedTexts are strings of each form, at the limits of each.
func storedTexts() (list []storedText) {
	add := func(stored []byte, text string) { list = append(list, storedText{string(stored), text}) }
	for _, n := range []int{0, 1, 19, 20, 21, 31, 32, 33, 39, 40, 44, 45, 62, 63, 64, 65, 66, 67, 127, 128, 300, 4095, 4096, 4097, 16383, 16384} {
		text := strings.Repeat("x", n)
		add(newRDB("").str(text).b, text)
		if n > 0 {
			small := lzf(text)
			add(newRDB("").raw(0xc3).len(uint64(len(small))).len(uint64(n)).raw(small).b, text)
		}
	}
	for _, text := range []string{"0", "7", "-1", "-0", "00", "+1", "1.5", " 1", "9", "10", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "99999999999999999999", "100000000000000000000", "/", ":"} {
		add(newRDB("").str(text).b, text)
		add(newRDB("").raw(0x80, 0, 0, 0, len(text), text).b, text) // a length in more bytes than it needs
	}
	for _, v := range []int{0, 1, 9, 10, 63, 64, 127, -1, -64, -127, -128} {
		add(newRDB("").raw(0xc0, byte(v)).b, strconv.Itoa(v))
	}
	for _, v := range []int{128, 255, 256, 9999, 10000, 16383, 16384, math.MaxInt16, -129, -16384, -16385, math.MinInt16} {
		add(newRDB("").raw(0xc1, byte(v), byte(v>>8)).b, strconv.Itoa(v))
	}
	for _, v := range []int{1 << 16, 1 << 24, 1<<30 - 1, 1 << 30, math.MaxInt32, -1 << 24, -1<<30 - 1, math.MinInt32} {
		add(newRDB("").raw(0xc2).le32(uint32(v)).b, strconv.Itoa(v))
	}
	return list
}

// canonical returns the number whose text a string is.
func canonical(text string) (int64, bool) {
	v, err := strconv.ParseInt(text, 10, 64)
	return v, err == nil && strconv.FormatInt(v, 10) == text
}

// memoryOf returns the memory model of a server.
func memoryOf(t *testing.T, server string) *memory.Model {
	t.Helper()
	m, _, err := memory.Choose("", "", memory.Options{Server: server})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// keyCopies collects copies of keys.
type keyCopies struct{ keys []*Key }

func (s *keyCopies) Key(k *Key)       { k.NameLargest(); s.keys = append(s.keys, k.Clone()) }
func (s *keyCopies) Size() int        { return 0 }
func (s *keyCopies) Flush(bool) error { return nil }

// readings returns the keys of a snapshot, read in each way that there is.
func readings(t *testing.T, in []byte, opt Options) map[string][]*Key {
	t.Helper()
	all := map[string][]*Key{}
	for name, size := range map[string]int{"scanner": scanBlock, "scanner in small blocks": smallBlock} {
		s := newScanner(bytes.NewReader(in), opt, size)
		var list keyCopies
		for s.Scan() {
			list.Key(s.Key())
		}
		if s.Err() != nil {
			t.Fatalf("%s: %v", name, s.Err())
		}
		all[name] = list.keys
	}
	for name, size := range map[string]int{"blocks": blockSize, "small blocks": smallBlock} {
		opt.Jobs = 1
		list := &keyCopies{}
		if _, err := run(context.Background(), bytes.NewReader(in), opt, func() Sink { return list }, size); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[name] = list.keys
	}
	return all
}

// TestStringForms reads strings of each form as values and as names, without and with
// an expiry: their figures are those of the text.
func TestStringForms(t *testing.T) {
	model := memoryOf(t, "redis-7.2")
	opt := Options{Memory: func(*Info) *memory.Model { return model }}
	r := newRDB("REDIS0011").aux("redis-ver", "7.2.0")
	type key struct {
		name, text string
		stored     int
		ttl        int64
	}
	var want []key
	add := func(name, value storedText) {
		k := key{name.text, value.text, len(value.stored), 0}
		if len(want)%2 == 1 {
			k.ttl = 1_800_000_000_000 + int64(len(want))
			r.raw(0xfc).le64(k.ttl)
		}
		r.raw(0, name.stored, value.stored)
		want = append(want, k)
	}
	short := storedText{"\x01k", "k"}
	for _, s := range storedTexts() {
		add(short, s)
		add(short, s)
		add(s, short)
		add(s, short)
		add(s, s)
	}
	for how, keys := range readings(t, r.end(), opt) {
		if len(keys) != len(want) {
			t.Fatalf("%s: %d keys, want %d", how, len(keys), len(want))
		}
		for i, w := range want {
			k := keys[i]
			n := int64(len(w.text))
			v, number := canonical(w.text)
			encoding := EncRaw
			alloc, usage := model.TextSizes(int64(len(w.name)), n, w.ttl != 0)
			switch {
			case number && (w.stored <= 21 || n <= 20):
				encoding = EncInt
				alloc, usage = model.IntegerSizes(int64(len(w.name)), v, w.ttl != 0, false)
			case n <= 44:
				encoding = EncEmbstr
			}
			head := w.text[:min(n, MaxHead)]
			if encoding == EncInt && k.Head == nil {
				head = "" // a number that is not stored as a text
			}
			got := fmt.Sprint(k.Type, k.Encoding, k.Elements, k.ValueBytes, k.Largest, k.Longest, k.LongestValue, k.Serialized, k.HasExpire, k.ExpireAt, k.NameLen, k.Memory, k.MemoryUsage, k.Idle, k.Freq, k.Integers, k.Nodes)
			if text := fmt.Sprint(String, encoding, 1, n, n, n, 0, w.stored, w.ttl != 0, w.ttl, len(w.name), alloc, usage, -1, -1, false, 0); got != text || string(k.Name) != w.name[:min(len(w.name), MaxName)] || string(k.Head) != head {
				t.Errorf("%s: key %d, %.30q with %.30q:\n got %s %.20q\nwant %s %.20q", how, i, w.name, w.text, got, k.Head, text, head)
			}
		}
	}
}

// entrySize is what a text takes as an entry of a listpack (listpack.c).
func entrySize(text string) int64 {
	n := int64(len(listpack(text))) - 7
	if v, ok := canonical(text); ok {
		n = int64(len(listpack(int(v)))) - 7
	}
	return n
}

// TestElementForms reads collections of strings of each form, of which a listpack would
// be worked out and of which not: their figures are the sums of the texts.
func TestElementForms(t *testing.T) {
	model := memoryOf(t, "redis-7.2")
	opt := Options{Memory: func(*Info) *memory.Model { return model }}
	forms := storedTexts()
	integers := []storedText{}
	for _, f := range forms {
		if _, ok := canonical(f.text); ok && len(f.stored) < 22 && f.stored[0] != 0xc3 {
			integers = append(integers, f)
		}
	}
	short := []storedText{{"\x01a", "a"}, {"\x02bb", "bb"}, {"\x00", ""}}
	later := append(append([]storedText{}, integers...), storedText{"\x03abc", "abc"}, storedText{"\xc0\x05", "5"})
	for _, typ := range []byte{1, 2, 4, 5, 3} {
		for _, list := range [][]storedText{forms, integers, short, later, {{"\x00", ""}}} {
			for _, count := range []int{1, len(list), 1000, 2047, 2048, 2049} {
				if typ == 4 {
					count += count % 2
				}
				r := newRDB("REDIS0011").aux("redis-ver", "7.2.0").key(typ, "key")
				elements := count
				if typ == 4 {
					elements /= 2
				}
				value := newRDB("").len(uint64(elements))
				var sum, largest, longest, longestValue, size int64
				largest = -1
				name := ""
				all := true
				for i := range count {
					s := list[i%len(list)]
					value.raw(s.stored)
					n := int64(len(s.text))
					longest, sum = max(longest, n), sum+n
					_, ok := canonical(s.text)
					all = all && ok
					if typ != 4 || i%2 == 0 {
						size = 0
					}
					if size += n; typ != 4 || i%2 == 1 {
						if typ == 4 && size >= 1024 {
							longestValue = max(longestValue, n)
						}
						if size > largest {
							largest, name = size, s.text
							if typ == 4 {
								name = list[(i-1)%len(list)].text
							}
						}
					}
					switch typ {
					case 5:
						value.le64(int64(math.Float64bits(1.5)))
					case 3:
						value.raw(3, "1.5")
					}
				}
				if typ == 1 {
					name = ""
				}
				in := r.raw(value.b).end()
				for how, keys := range readings(t, in, opt) {
					k := keys[0]
					got := fmt.Sprint(k.Elements, k.ValueBytes, k.Largest, k.Longest, k.LongestValue, k.Integers, k.Serialized)
					if typ != 1 {
						got += fmt.Sprintf(" %.20q %d", k.LargestName, k.LargestNameLen)
					}
					want := fmt.Sprint(elements, sum, largest, longest, longestValue, all && typ == 2, len(value.b))
					if typ != 1 {
						want += fmt.Sprintf(" %.20q %d", name, len(name))
					}
					if got != want {
						t.Errorf("%s, type %d, %d strings of %d forms:\n got %s\nwant %s", how, typ, count, len(list), got, want)
					}
				}
			}
		}
	}
}

// TestListpackOfTables works out what a table takes as a listpack: it has the entries of
// a listpack of the same texts, with scores as the shortest text or an integer, up to
// 2,048 elements.
func TestListpackOfTables(t *testing.T) {
	d := &dialect{version: 11}
	d.compile()
	scores := map[float64]string{0: "0", 1.5: "1.5", -3: "-3", 4095: "4095", 4096: "4096", 1<<53 - 1: "9007199254740991", 1e300: "1e+300", math.Inf(1): "inf", math.Inf(-1): "-inf", .001: "0.001"}
	for _, count := range []int{1, 7, 2048, 2049} {
		for _, typ := range []byte{2, 4, 5} {
			value := newRDB("").key(typ, "key").len(uint64(count))
			want := int64(7)
			forms := storedTexts()
			next := 0
			put := func() {
				for next++; ; next++ {
					if f := forms[next%len(forms)]; len(f.text) < 5000 && f.stored[0] != 0xc3 {
						value.raw(f.stored)
						want += entrySize(f.text)
						return
					}
				}
			}
			i := 0
			for i < count {
				for score, text := range scores {
					if i++; i > count {
						break
					}
					if put(); typ == 4 {
						put()
					}
					if typ == 5 {
						value.le64(int64(math.Float64bits(score)))
						want += entrySize(text)
					}
				}
			}
			if count > 2048 {
				want = 0
			}
			w := newWalker(d)
			w.counters, w.model = newCounters(), memoryOf(t, "redis-7.2")
			w.Buf = append(value.b, make([]byte, 100)...)
			if fail := w.guard(func() { w.step() }); fail != nil || w.Pos != len(value.b) {
				t.Fatalf("type %d: %+v, %d of %d bytes", typ, fail, w.Pos, len(value.b))
			}
			if w.facts.ListpackBytes != want {
				t.Errorf("type %d of %d elements: a listpack of %d bytes, want %d", typ, count, w.facts.ListpackBytes, want)
			}
		}
	}
}
