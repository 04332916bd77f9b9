package module

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser/internal/memory"
	"github.com/rdblens/rdblens/parser/internal/rdb"
)

// TestTypedArrays has the widths of numbers by the tags of their arrays (RFC 8746,
// section 2.1; 0x10000 is ijson's own for bfloat16).
func TestTypedArrays(t *testing.T) {
	widths := map[uint64]int64{64: 1, 72: 1, 69: 2, 77: 2, 84: 2, 0x10000: 2, 70: 4, 78: 4, 85: 4, 71: 8, 79: 8, 86: 8}
	for tag := uint64(0); tag <= 0x10001; tag++ {
		if got := typedWidth(tag); got != widths[tag] {
			t.Errorf("tag %d: %d bytes, want %d", tag, got, widths[tag])
		}
	}
}

// TestCBOR reads documents of CBOR by their bytes (RFC 8949, section 3).
func TestCBOR(t *testing.T) {
	type doc struct {
		n, largest, longest, depth int64
		name                       string
		index                      int64
	}
	long := strings.Repeat("n", 70_000)
	textHead := "\x7a\x00\x01\x11\x70"
	for in, want := range map[string]doc{
		"\x00": {1, 1, 0, 0, "", -1}, "\x17": {1, 1, 0, 0, "", -1}, "\x18\x18": {1, 2, 0, 0, "", -1}, "\x19\x01\x00": {1, 3, 0, 0, "", -1}, "\x1a\x00\x01\x00\x00": {1, 5, 0, 0, "", -1}, "\x1b\x00\x00\x00\x01\x00\x00\x00\x00": {1, 9, 0, 0, "", -1}, "\x20": {1, 1, 0, 0, "", -1}, "\x3b\xff\xff\xff\xff\xff\xff\xff\xff": {1, 9, 0, 0, "", -1},
		"\xf4": {1, 1, 0, 0, "", -1}, "\xf5": {1, 1, 0, 0, "", -1}, "\xf6": {1, 1, 0, 0, "", -1}, "\xf9\x3c\x00": {1, 3, 0, 0, "", -1}, "\xfa\x00\x00\x00\x00": {1, 5, 0, 0, "", -1}, "\xfb\x00\x00\x00\x00\x00\x00\x00\x00": {1, 9, 0, 0, "", -1},
		"\x60": {1, 1, 0, 0, "", -1}, "\x63abc": {1, 4, 3, 0, "", -1}, "\x78\x03abc": {1, 5, 3, 0, "", -1}, "\x43abc": {1, 4, 3, 0, "", -1},
		"\x80": {0, 0, 0, 1, "", -1}, "\xa0": {0, 0, 0, 1, "", -1}, "\x83\x01\x63abc\x02": {3, 4, 3, 1, "", 1}, "\x82\x80\x81\x80": {2, 2, 0, 3, "", 1}, "\x82\x62ab\x62cd": {2, 3, 2, 1, "", 0},
		"\xa2\x61a\x01\x62bb\x82\x01\x02": {2, 6, 2, 2, "bb", -1}, "\xa2\x61a\xa1\x61c\x63ddd\x61b\x02": {2, 9, 3, 2, "a", -1}, "\xa1\x60\x60": {1, 2, 0, 1, "", -1},
		// Arrays of numbers of one type.
		"\xd8\x40\x43abc": {3, 1, 0, 1, "", 0}, "\xd8\x46\x48abcdefgh": {2, 4, 0, 1, "", 0}, "\xd8\x46\x40": {0, 0, 0, 1, "", -1}, "\xda\x00\x01\x00\x00\x44abcd": {2, 2, 0, 1, "", 0}, "\x82\x01\xd8\x47\x48abcdefgh": {2, 11, 0, 2, "", 1}, "\xa1\x61a\xd8\x47\x48abcdefgh": {1, 13, 1, 2, "a", -1}, "\x83\xd8\x40\x41a\x01\x61b": {3, 4, 1, 2, "", 0}, "\xa2\x61a\xd8\x40\x41a\x61b\xd8\x40\x40": {2, 6, 1, 2, "a", -1},
		"\xa2" + textHead + long + "\x01\x61b\x02": {2, 70_006, 70_000, 1, long[:MaxName], -1}, "\x82" + textHead + long + "\x01": {2, 70_005, 70_000, 1, "", 0},
	} {
		for _, k := range []int{0, 1 + len(in)/50, 3000} {
			got, left := read(t, "ReJSON-RL", 4, "\x05"+stored(in), k)
			if d := (doc{got.Elements, got.Largest, got.Longest, got.Depth, string(got.Name), got.Index}); !got.Understood || d != want || got.Bytes != int64(len(in)) || got.TextLen != int64(len(in)) || left != 6 {
				t.Errorf("%.40q: %+v, %d bytes left, want %+v", in, got, left, want)
			}
		}
	}
	for _, in := range []string{
		"", "\x18", "\x19\x01", "\x1a\x00\x00\x00", "\x1b\x00\x00\x00\x00\x00\x00\x00", "\x1c", "\x1f", "\x5f", "\x9f\xff", "\xbf\xff", "\xff", "\x61", "\x62a", "\x41", "\x81", "\x82\x01", "\xa1", "\xa1\x61a", "\xa1\x61a\x01\x02", "\x01\x01", "\x81\x01\x01",
		"\xa1\x01\x01", "\xa1\x41a\x01", "\xa1\x80\x01", "\xa1\xd8\x40\x41a\x01", "\xf3", "\xf7", "\xf8\x20", "\xe0", "\xd8\x41\x42ab", "\xd8\x40\x62ab", "\xd8\x40\x01", "\xd8\x47\x44abcd", "\xd8\x40", "\xc0\x41a", "\x9b\x00\x01\x00\x00\x00\x00\x00\x00", "\xbb\x80\x00\x00\x00\x00\x00\x00\x01\x61a\x01",
	} {
		if got, left := read(t, "ReJSON-RL", 4, "\x05"+stored(in), 0); got.Understood || got.Elements != -1 || left != 6 {
			t.Errorf("%q: %+v, %d bytes left", in, got, left)
		}
	}
	for _, levels := range []int{maxLevels, maxLevels + 1} {
		for version, in := range map[int]string{4: strings.Repeat("\x81", levels) + "\x01", 3: strings.Repeat("[", levels) + strings.Repeat("]", levels)} {
			if got, _ := read(t, "ReJSON-RL", version, "\x05"+stored(in), 0); got.Understood != (levels == maxLevels) || got.Understood && got.Depth != maxLevels {
				t.Errorf("version %d, %d levels: %+v", version, levels, got)
			}
		}
	}
}

// TestDocumentVersions has what surrounds a text.
func TestDocumentVersions(t *testing.T) {
	for _, c := range []struct {
		version int
		items   items
		ok      bool
	}{
		{2, items{}.s("[1]").u(0), true}, {2, items{}.s("[1]").u(1).s("index", "path"), true}, {2, items{}.s("[1]"), false}, {2, items{}.s("[1]").u(1), false}, {2, items{}.s("[1]").u(1).s("index"), false},
		{3, items{}.s("[1]"), true}, {3, items{}.s("[1]").u(0), false}, {4, items{}.s("\x81\x01"), true}, {5, items{}.s("\x81\x01"), false},
	} {
		if got, left := read(t, "ReJSON-RL", c.version, strings.Join(c.items, ""), 0); got.Understood != c.ok || c.ok && got.Elements != 1 || left != 6 {
			t.Errorf("version %d, %q: %+v, %d bytes left", c.version, c.items, got, left)
		}
	}
}

// TestJSONText reads texts with their largest members, and what is no JSON.
func TestJSONText(t *testing.T) {
	long := strings.Repeat("n", 70_000)
	for in, want := range map[string]string{
		`1`: "1 1 0 0  -1", ` "ab" `: "1 6 2 0  -1", `null`: "1 4 0 0  -1", `-1.5e+3`: "1 7 0 0  -1",
		`[]`: "0 0 0 1  -1", `{}`: "0 0 0 1  -1", `[1,22,3]`: "3 2 0 1  1", `[11,22]`: "2 2 0 1  0", `[1, [22,3] ,4]`: "3 7 0 2  1", "[\t1,\n2,\r3 ]": "3 2 0 1  2",
		`{"a":1,"bb":[22]}`: "2 9 2 2 bb -1", `{"a" : 1}`: "1 7 1 1 a -1", `{"a":{"b":{"c":1}}}`: "1 17 1 3 a -1", `{"":""}`: "1 5 0 1  -1", `{"a":"\u00e9\n\ud83d\ude00"}`: "1 26 7 1 a -1",
		`{"aaaaaaaa":1,"bbbbbbbb":"cccccccc"}`: "2 21 8 1 bbbbbbbb -1",
		`{"` + long + `":1}`:                   fmt.Sprintf("1 70004 70000 1 %s -1", long[:MaxName]), `["` + long + `",1]`: "2 70002 70000 1  0", `{"\"` + long + `":1}`: fmt.Sprintf(`1 70006 70001 1 \"%s -1`, long[:MaxName-2]),
		`[` + strings.Repeat("1", 70_000) + `,2]`: "2 70000 0 1  0", `[` + strings.Repeat(" ", 70_000) + `1,22]`: "2 2 0 1  1",
		// No JSON, though not all that is none is refused.
		``: "", ` `: "", `[`: "", `]`: "", `{`: "", `}`: "", `[}`: "", `{]`: "", `[1]]`: "", `[1}`: "", `1,2`: "", `,`: "", `[,1]`: "", `[1,,2]`: "", `{"a":1,,}`: "", `1 2`: "", `[1] [2]`: "", `"a`: "", `"\`: "", `"\u12`: "", `"a\"`: "", `[1 [2]]`: "", `{"a":1 {}}`: "", `{{}}`: "", `{[]}`: "", `#`: "", `[#]`: "", `{"a"`: "", `["a"`: "", `["a" [`: "",
	} {
		for _, k := range []int{0, 1 + len(in)/50, 3000} {
			got, left := read(t, "ReJSON-RL", 3, "\x05"+stored(in), k)
			text := ""
			if got.Understood {
				text = fmt.Sprint(got.Elements, got.Largest, got.Longest, got.Depth) + " " + string(got.Name) + fmt.Sprint(" ", got.Index)
			}
			if text != want || left != 6 {
				t.Errorf("%.40q: %.80q, %d bytes left, want %.80q", in, text, left, want)
			}
		}
	}
}

// TestKeep keeps the first bytes of a document, whether it lies in memory whole or not.
func TestKeep(t *testing.T) {
	for _, size := range []int{0, 5, 31, 32, 33, 1000, 64 << 10, 64<<10 + 1, 300_000} {
		text := `"` + strings.Repeat("abcdefg", size)[:size] + `"`
		for _, keep := range []int{0, 1, 500, 200_000, 1 << 20} {
			for _, k := range []int{0, 10_000} {
				r := &Reader{Cursor: cursor("\x05"+stored(text)+"\x00", k), Keep: keep}
				v := r.Read(rdb.ModuleID("ReJSON-RL")<<10|3, nil)
				if want := text[:min(len(text), keep)]; !v.Understood || string(v.Text) != want || string(v.Head) != text[:min(len(text), MaxHead)] || v.TextLen != int64(len(text)) {
					t.Fatalf("%d bytes of %d, in pieces of %d: %d bytes and a head of %d are there", keep, len(text), k, len(v.Text), len(v.Head))
				}
			}
		}
	}
}

// TestNames adds names up to the bound, and beyond it.
func TestNames(t *testing.T) {
	var none *Names
	for range 2 {
		if !none.add(1, nil) {
			t.Error("a name that nothing notes is there")
		}
	}
	names := new(Names)
	waited := 0
	wait := func() { waited++ }
	hash := func(i int) uint64 { return uint64(i)*0x9e3779b97f4a7c15 | 1 }
	last := uint64(2*maxNames-1)<<40 | 1 // in the last slot
	for i, h := range []uint64{last, last + 2, last + 4} {
		if !names.add(h, wait) || waited != i+1 {
			t.Errorf("%x is there, waited %d times", h, waited)
		}
	}
	for _, h := range []uint64{last, last - 1, last + 2, last + 4} {
		if names.add(h, wait) || waited != 3 {
			t.Errorf("%x is not there, waited %d times", h, waited)
		}
	}
	for i := range maxNames - 3 {
		if !names.add(hash(i+1), nil) {
			t.Fatalf("name %d is there", i)
		}
	}
	if names.n.Load() != maxNames {
		t.Fatalf("%d names", names.n.Load())
	}
	waited = 0
	for range 2 { // beyond the bound every document pays
		if !names.add(hash(maxNames), wait) || waited != 0 || names.n.Load() != maxNames {
			t.Error("a name beyond the bound is there")
		}
	}
	if names.add(hash(7), nil) {
		t.Error("a name within the bound is not there any more")
	}
	// What another goroutine has added while this one waited is there.
	names = new(Names)
	if names.add(77, func() { names.add(77, nil) }) {
		t.Error("a name that was added meanwhile is new")
	}
}

// TestHashName has names that differ in one byte or in length, each with a hash of its
// own, and those of which no more is looked at than the first 4,096 bytes.
func TestHashName(t *testing.T) {
	seen := map[uint64]string{}
	for n := range 40 {
		for at := range n + 1 {
			for _, c := range []byte{'b', 'c', 0x80} {
				name := []byte(strings.Repeat("a", n))
				if at < n {
					name[at] = c
				}
				h := hashName(name, int64(n))
				if n < 4 && at != 0 && at != n-1 && at != n/2 {
					continue
				}
				if before, ok := seen[h]; ok && before != string(name) {
					t.Errorf("%q and %q have the same hash", name, before)
				}
				seen[h] = string(name)
			}
		}
	}
	a, b := strings.Repeat("a", maxHashed+10), strings.Repeat("a", maxHashed)+"bbbbbbbbbb"
	if hashName([]byte(a), int64(len(a))) != hashName([]byte(b), int64(len(b))) {
		t.Error("what is behind 4,096 bytes changes the hash")
	}
	if hashName([]byte(a[:maxHashed]), int64(len(a))) != hashName([]byte(b), int64(len(b))) {
		t.Error("the hash depends on how much is in memory")
	}
	c := a[:maxHashed-1] + "b"
	if hashName([]byte(c), int64(len(a))) == hashName([]byte(a), int64(len(a))) || hashName([]byte(a), int64(len(a))) == hashName([]byte(a), int64(len(a)+1)) {
		t.Error("names that differ have the same hash")
	}
}

// TestJSONSizes has what texts take in memory, by the size of each part: see package
// modules. A document has 8 bytes in ijson, 32 in valkey-json.
func TestJSONSizes(t *testing.T) {
	long := strings.Repeat("t", 128)
	for in, want := range map[string][2]int64{ // in ijson, in valkey-json
		`1`: {8, 32}, `-17`: {8, 32}, `true`: {8, 32}, `null`: {8, 32}, `1.5`: {8 + 8, 32}, `1e5`: {8 + 8, 32}, `-1.23456789012345`: {8 + 8, 32 + 24},
		`1234567890123456789`: {8, 32}, `123456789012345678`: {8, 32}, `-123456789012345678`: {8, 32}, `-1234567890123456789`: {8, 32}, `9999999999999999999`: {8 + 8, 32 + 24}, `-9999999999999999999`: {8 + 8, 32 + 24}, `[1234567890123456789,9999999999999999999]`: {8 + 16 + 16 + 8, 32 + 32 + 24},
		`"abc"`: {8 + 16, 32}, `"` + long[:13] + `"`: {8 + 24, 32}, `"` + long[:14] + `"`: {8 + 24, 32 + 16}, `"` + long[:127] + `"`: {8 + 160, 32 + 128}, `"` + long + `"`: {8 + 160, 32 + 160}, `"\u00e9` + long[:12] + `"`: {8 + 24, 32 + 16},
		`[]`: {8 + 16, 32}, `[1,2]`: {8 + 16 + 16, 32 + 32}, `{}`: {8 + 16, 32}, `{"a":1}`: {8 + 16 + 16 + 8 + 16, 32 + 24 + 16}, `{"a":{"a":1}}`: {8 + 2*(16+16+8) + 16, 32 + 2*24 + 16}, `[{"a":1},{"b":1},{"a":2}]`: {8 + 40 + 3*40 + 2*16, 32 + 48 + 3*24 + 2*16},
		`{"abcdefgh":1,"abcdefgh":2}`: {8 + 64 + 16, 32 + 48 + 24}, `{"abcdefgi":1,"abcdefgh":2}`: {8 + 64 + 2*16, 32 + 48 + 2*24}, // 16+32+16
	} {
		for i, server := range []string{"redis-8.0", "valkey-9"} {
			model, _, err := memory.Choose("", "", memory.Options{Server: server})
			if err != nil {
				t.Fatal(err)
			}
			for _, k := range []int{0, 1 + len(in)/3} {
				r := &Reader{Cursor: cursor("\x05"+stored(in)+"\x00", k), Names: new(Names)}
				if v := r.Read(rdb.ModuleID("ReJSON-RL")<<10|3, model); !v.Understood || r.Sizes.Allocated != want[i] {
					t.Errorf("%s, %.40s: %d bytes, want %d", server, in, r.Sizes.Allocated, want[i])
				}
			}
		}
	}
}

// TestDragonflySketches has count-min sketches of Dragonfly: width, depth, increments and as
// many counters of 8 bytes, of which no file has more than 2^48 bytes.
func TestDragonflySketches(t *testing.T) {
	for _, c := range []struct {
		width, depth uint64
		bytes        int
		ok           bool
	}{{0, 5, 0, true}, {5, 0, 0, true}, {0, 0, 0, true}, {2, 3, 48, true}, {0, 1 << 48, 0, true}, {1 << 48, 0, 0, true}, {0, 1<<48 + 1, 0, false}, {1<<48 + 1, 0, 0, false}, {1 << 48, 1, 0, false}, {1 << 24, 1<<21 + 1, 0, false}} {
		r := &Reader{Cursor: cursor(length(c.width)+length(c.depth)+length(77)+strings.Repeat("\x00", c.bytes)+"behind", 0)}
		var v *Value
		refused := func() (reason string) {
			defer func() {
				if f, ok := recover().(*rdb.Failure); ok {
					reason = f.Reason.Quoted()
				}
			}()
			v = r.Dragonfly(rdb.CountMin, 0)
			return ""
		}()
		if (refused == "") != c.ok || c.ok && (v.Elements != 77 || v.Bytes != int64(c.bytes) || v.Largest != int64(c.bytes) || r.Pos != 27+c.bytes) || !c.ok && !strings.Contains(refused, "larger than any file") {
			t.Errorf("%+v: %+v, %s", c, v, refused)
		}
	}
}

// TestEscapes has the length of escaped characters in UTF-8 (RFC 3629), each half of a pair
// with two bytes, at the limits of each.
func TestEscapes(t *testing.T) {
	for escape, want := range map[string]int64{
		`\n`: 1, `\"`: 1, `\\`: 1, `\/`: 1, `\u0000`: 1, `\u0041`: 1, `\u007f`: 1, `\u0080`: 2, `\u00e9`: 2, `\u0100`: 2, `\u0141`: 2, `\u07ff`: 2, `\u0800`: 3, `\u0f41`: 3, `\u1041`: 3, `\u1000`: 3, `\u8041`: 3, `\ud7ff`: 3, `\uD7FF`: 3,
		`\ud800`: 2, `\uDBFF`: 2, `\udc00`: 2, `\uDFFF`: 2, `\ud83d\ude00`: 4, `\ue000`: 3, `\uffff`: 3, `\u20ac`: 3, `\u5d41`: 3, `\u4800`: 3,
	} {
		for _, around := range []string{"", "a", "longer than a word "} {
			for _, in := range []string{`"` + around + escape + around + `"`, `{"` + around + escape + around + `":1}`, `["` + around + escape + escape + `"]`} {
				n := want + 2*int64(len(around))
				if in[0] == '[' {
					n = 2*want + int64(len(around))
				}
				if v, left := read(t, "ReJSON-RL", 3, "\x05"+stored(in), 0); !v.Understood || v.Longest != n || left != 6 {
					t.Errorf("%s: the longest text has %d bytes, want %d", in, v.Longest, n)
				}
			}
		}
	}
}
