package parser

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// TestHostile has snapshots with one false claim each: the key before it is read,
// the key with it is named, and the reason fits.
func TestHostile(t *testing.T) {
	good := func(magic string) *rdbBuilder { return newRDB(magic).key(0, "good").str("1") }
	lp := func(t byte, block string) []byte { return good("REDIS0012").key(t, "bad").str(block).end() }
	patch := func(s string, at int, with string) string { return s[:at] + with + s[at+len(with):] }
	node := func(entries ...any) []byte {
		return good("REDIS0012").key(15, "bad").len(1).len(16).id(1, 0).str(listpack(entries...)).len(0).len(0).len(0).len(0).end()
	}
	pair := listpack("f", "v")
	zpair := ziplist("f", "v")
	const huge = 1 << 60
	tests := []struct {
		name   string
		in     []byte
		reason string
		key    string // being read, "" none
	}{
		{"string of 2^60", good("REDIS0012").key(0, "bad").len(huge).raw("x").end(), "1152921504606846976 bytes is claimed", "bad"},
		{"string of 2^64-1", good("REDIS0012").key(0, "bad").len(1<<64 - 1).end(), "is claimed", "bad"},
		{"string beyond the file", good("REDIS0012").key(0, "bad").len(1 << 40).raw("x").end(), "the file ends", "bad"},
		{"name of 2^60", good("REDIS0012").raw(0).len(huge).raw("x").end(), "is claimed", ""},
		{"members of 2^60", good("REDIS0012").key(2, "bad").len(huge).str("a").end(), "a count of 1152921504606846976 elements is claimed", "bad"},
		{"members of 2^40", good("REDIS0012").key(2, "bad").len(1 << 40).str("a").b, "the file ends", "bad"},
		{"fields of 2^63", good("REDIS0012").key(4, "bad").len(1<<63).str("a", "b").end(), "a count of 9223372036854775808 elements is claimed", "bad"},
		{"scores of 2^60", good("REDIS0012").key(5, "bad").len(huge).str("a").le64(0).end(), "a count of 1152921504606846976 elements is claimed", "bad"},
		{"nodes of 2^60", good("REDIS0012").key(18, "bad").len(huge).len(1).str("a").end(), "a count of 1152921504606846976 nodes is claimed", "bad"},
		{"stream nodes of 2^60", good("REDIS0012").key(15, "bad").len(huge).end(), "a count of 1152921504606846976 nodes is claimed", "bad"},
		{"groups of 2^60", good("REDIS0012").key(15, "bad").raw(0, 0, 0, 0).len(huge).end(), "a count of 1152921504606846976 groups is claimed", "bad"},
		{"pending entries of 2^60", good("REDIS0012").key(15, "bad").raw(0, 0, 0, 0, 1, 1, "g", 0, 0).len(huge).end(), "a count of 1152921504606846976 pending entries is claimed", "bad"},
		{"consumer's entries of 2^60", good("REDIS0012").key(15, "bad").raw(0, 0, 0, 0, 1, 1, "g", 0, 0, 0, 1, 1, "c").le64(0).len(huge).end(), "the file ends", "bad"},
		{"consumers of 2^60", good("REDIS0012").key(15, "bad").raw(0, 0, 0, 0, 1, 1, "g", 0, 0, 0).len(huge).end(), "a count of 1152921504606846976 consumers is claimed", "bad"},
		{"database beyond an int", good("REDIS0012").raw(0xfe).len(1<<31).key(0, "k").str("v").end(), "database number 2147483648", ""},
		{"string form 63", good("REDIS0012").key(0, "bad").raw(0xff, 0).end(), "string form 63", "bad"},
		{"length byte 0xbf", good("REDIS0012").key(0, "bad").raw(0xbf, 0).end(), "length byte 0xbf", "bad"},
		{"string form as a count", good("REDIS0012").key(1, "bad").raw(0xc0, 1).end(), "a string form stands where a plain length must be", "bad"},
		{"type 8", good("REDIS0012").key(8, "bad").end(), "unknown type or opcode 8", ""},
		{"type 150", good("REDIS0012").key(150, "bad").end(), "unknown type or opcode 150", ""},
		{"type 22 of a Dragonfly", newRDB("REDIS0009").aux("df-ver", "1").key(0, "good").str("1").key(22, "bad").end(), "unknown type or opcode 22", ""},
		{"type 24 of a Valkey", good("VALKEY080").key(24, "bad").end(), "unknown type or opcode 24", ""},
		{"newer version, unknown type", good("REDIS0099").key(40, "bad").end(), "(RDB version 99) is newer than this rdblens", ""},
		{"module of a release candidate", good("REDIS0008").key(6, "bad").len(1).end(), "type 6", "bad"},
		{"module opcode 9", good("REDIS0012").key(7, "bad").len(1).len(9).end(), "unknown opcode 9", "bad"},
		{"module without an end", good("REDIS0012").key(7, "bad").len(1).len(2).len(5).end(), "a string form stands", "bad"},
		{"module aux that begins wrong", good("REDIS0012").raw(0xf7).len(1).len(1).len(1).len(0).end(), "does not begin as one", ""},
		{"list node of kind 3", good("REDIS0012").key(18, "bad").len(1).len(3).str("a").end(), "container kind 3", "bad"},
		{"list node that is no listpack", good("REDIS0012").key(18, "bad").len(1).len(2).str("hello").end(), "shorter than its header", "bad"},
		{"listpack as a number", good("REDIS0012").key(16, "bad").raw(0xc0, 5).end(), "a number stands where a packed encoding must be", "bad"},
		{"listpack total", lp(16, patch(pair, 0, "\x63\x00\x00\x00")), "says it has 99 bytes", "bad"},
		{"listpack count", lp(16, patch(pair, 4, "\x04")), "says it has 4 entries, but 2 are there", "bad"},
		{"listpack without an end", lp(16, patch(pair, len(pair)-1, "\x00")), "past the end of its block", "bad"},
		{"listpack of a missing end", lp(16, string(new(rdbBuilder).le32(9).raw(1, 0, 5, 1, 5).b)), "past the end", "bad"},
		{"listpack that ends early", lp(20, string(new(rdbBuilder).le32(12).raw(1, 0, 5, 1, 0xff, 5, 1, 0xff).b[:12])), "before its block does", "bad"},
		{"listpack entry of 4 GB", lp(20, string(new(rdbBuilder).le32(14).raw(1, 0, 0xf0, 0xfc, 0xff, 0xff, 0xff, 1, 1, 0xff).b[:14])), "past the end of its block", "bad"},
		{"listpack entry 0xf5", lp(16, patch(pair, 6, "\xf5")), "begins with 0xf5", "bad"},
		{"listpack entry past the end", lp(16, patch(pair, 6, "\xbf")), "past the end of its block", "bad"},
		{"odd listpack of a hash", lp(16, listpack("f", "v", "g")), "in the middle of an element", "bad"},
		{"odd listpack of a sorted set", lp(17, listpack("m")), "in the middle of an element", "bad"},
		{"two of three in a listpack", good("REDIS0012").key(25, "bad").le64(0).str(listpack("f", "v", 0, "g", "w")).end(), "in the middle of an element", "bad"},
		{"expiry that is a text", good("REDIS0012").key(25, "bad").le64(0).str(listpack("f", "v", "soon")).end(), "expiry is not a number", "bad"},
		{"ziplist total", lp(13, patch(zpair, 0, "\x09")), "says it has 9 bytes", "bad"},
		{"ziplist count", lp(13, patch(zpair, 8, "\x09")), "says it has 9 entries, but 2 are there", "bad"},
		{"ziplist entry past the end", lp(13, patch(zpair, 11, "\x3f")), "past the end of its block", "bad"},
		{"ziplist entry of 4 GB", lp(10, string(new(rdbBuilder).le32(18).le32(10).raw(1, 0, 0, 0x80, 0xff, 0xff, 0xff, 0xff, 1, 0xff).b)), "past the end of its block", "bad"},
		{"ziplist entry 0xc1", lp(13, patch(zpair, 11, "\xc1")), "begins with 0xc1", "bad"},
		{"odd ziplist of a hash", lp(13, ziplist("f")), "in the middle of an element", "bad"},
		{"ziplist of ten bytes", lp(10, "\x0a\x00\x00\x00\x0a\x00\x00\x00\x00\x00"), "shorter than its header", "bad"},
		{"intset of width 3", lp(11, patch(intset(2, 1), 0, "\x03")), "numbers of 3 bytes", "bad"},
		{"intset of seven bytes", lp(11, "\x02\x00\x00\x00\x00\x00\x00"), "shorter than its header", "bad"},
		{"intset count", lp(11, patch(intset(2, 1), 4, "\x02")), "says it has 2 numbers", "bad"},
		{"intset count of 2^32-1", lp(11, patch(intset(8, 1), 4, "\xff\xff\xff\xff")), "says it has 4294967295 numbers", "bad"},
		{"zipmap past the end", lp(9, "\x01\x03f\x01\x00v\xff"), "past the end of its block", "bad"},
		{"zipmap field of 4 GB", lp(9, "\x01\xfe\xff\xff\xff\xfff\x01\x00v\xff"), "past the end of its block", "bad"},
		{"zipmap count", lp(9, patch(zipmap(0, "f", "v"), 0, "\x02")), "says it has 2 fields, but 1 are there", "bad"},
		{"zipmap without a value", lp(9, "\x01\x01f\xff"), "between a field and its value", "bad"},
		{"zipmap without an end", lp(9, "\x01\x01f\x01\x00v"), "past the end", "bad"},
		{"LZF before the beginning", good("REDIS0012").key(0, "bad").raw(0xc3, 4, 4, 0, "a", 0x20, 5).end(), "does not decompress", "bad"},
		{"LZF too short", good("REDIS0012").key(0, "bad").raw(0xc3, 2, 5, 0, "a").end(), "does not decompress", "bad"},
		{"LZF too long", good("REDIS0012").key(0, "bad").raw(0xc3, 4, 2, 2, "abc").end(), "does not decompress", "bad"},
		{"LZF that ends in a match", good("REDIS0012").key(0, "bad").raw(0xc3, 3, 10, 0, "a", 0xe0).end(), "does not decompress", "bad"},
		{"LZF of a terabyte", good("REDIS0012").key(0, "bad").raw(0xc3, 5).len(1 << 40).raw("12345").end(), "more than LZF can", "bad"},
		{"LZF of 2^60 bytes", good("REDIS0012").key(0, "bad").raw(0xc3).len(huge).len(huge).end(), "is claimed", "bad"},
		{"LZF around a listpack", good("REDIS0012").key(16, "bad").raw(0xc3, 4, 20, 0, "a", 0x20, 5).end(), "does not decompress", "bad"},
		{"stream node key of 8 bytes", good("REDIS0012").key(15, "bad").len(1).str("12345678", "x").end(), "8 bytes instead of 16", "bad"},
		{"stream node without a master", node(), "ends in the middle", "bad"},
		{"stream count negative", node(-1, 0, 1, "f", 0), "negative count", "bad"},
		{"stream count that is a text", node("1", 0, 1, "f", 0), "not a number", "bad"},
		{"stream fields of 2^60", node(1, 0, huge, "f", 0), "ends in the middle", "bad"},
		{"stream counts that overflow", node(1<<63-1, 1<<63-1, 0, 0), "says it has 18446744073709551614 entries", "bad"},
		{"stream entries missing", node(2, 0, 1, "f", 0, 2, 0, 0, "v", 4), "says it has 2 entries, but 1 are there", "bad"},
		{"stream master entry without its 0", node(1, 0, 1, "f", 1), "does not end in 0", "bad"},
		{"stream entry of 2^60 fields", node(1, 0, 0, 0, 0, 0, 0, huge, 4), "claims 1152921504606846976 fields", "bad"},
		{"stream entry that says another length", node(1, 0, 1, "f", 0, 2, 0, 0, "v", 5), "has 4 parts but says 5", "bad"},
		{"array without elements", good("REDIS0014").key(28, "bad").len(0).len(0).end(), "an array without elements", "bad"},
		{"array element of kind 4", good("REDIS0014").key(28, "bad").len(1).len(0).len(0).len(4).end(), "unknown kind 4", "bad"},
		{"template never defined", good("REDIS0015").key(32, "bad").len(9).str("v").end(), "template 9 was never defined", "bad"},
		{"template defined twice", good("REDIS0015").raw(0xf2, 1, 1, 1, "f", 0xf2, 1, 1, 1, "f").end(), "template 1 is defined twice", ""},
		{"template without fields", good("REDIS0015").raw(0xf2, 1, 0).end(), "template without fields", ""},
		{"template with more values", good("REDIS0015").raw(0xf2, 1, 1, 1, "f").key(30, "bad").str(listpack(1, "a", "b")).end(), "more values than its template", "bad"},
		{"template with fewer values", good("REDIS0015").raw(0xf2, 1, 2, 1, "f", 1, "g").key(30, "bad").str(listpack(1, "a")).end(), "1 values, but its template 2 fields", "bad"},
		{"templates of form 2", good("REDIS0015").key(29, "bad").len(2).end(), "unknown form 2", "bad"},
		{"sketch that overflows", newRDB("REDIS0009").aux("df-ver", "1").key(0, "good").str("1").key(35, "bad").len(1 << 40).len(1 << 40).len(0).end(), "larger than any file", "bad"},
		{"filter chunk too long", newRDB("REDIS0009").aux("df-ver", "1").key(0, "good").str("1").key(37, "bad").raw(1, 2, 3, 4, 5, 6, 1, 3, 4, "abcd").end(), "piece of 4 bytes does not fit", "bad"},
		{"compressed blocks of Dragonfly", newRDB("REDIS0009").aux("df-ver", "1").key(0, "good").str("1").raw(202).str("x").end(), "the lz4 data ends early", ""},
		{"chunks of Dragonfly", newRDB("REDIS0009").aux("df-ver", "1").key(0, "good").str("1").raw(224).le32(1).le32(1).raw("x").end(), "begins with opcode 120", ""},
		{"update that is no command", good("VALKEY081").raw(242, "PING\r\n").end(), "does not begin as a command", ""},
		{"update without arguments", good("VALKEY081").raw(242, "*1\r\n").end(), "does not begin as a command", ""},
		{"update with a length that is no number", good("VALKEY081").raw(242, "*1\r\n$-1\r\n").end(), "length that is not a number", ""},
		{"update with a length of 19 digits", good("VALKEY081").raw(242, "*1\r\n$1000000000000000000\r\n").end(), "length that is not a number", ""},
		{"update with an empty length", good("VALKEY081").raw(242, "*\r\n").end(), "line that does not end", ""},
		{"update with a longer length than the file", good("VALKEY081").raw(242, "*1\r\n$999999999999\r\n").end(), "the file ends", ""},
		{"path without fields", good("VALKEY081").key(23, "bad").len(1).str("p").len(0).end(), "a path without fields", "bad"},
		{"more paths than bytes", good("VALKEY081").key(23, "bad").len(1 << 40).str("p").len(1 << 40).b, "the file ends", "bad"},
		{"no end", good("REDIS0012").b, "the file ends before its end mark", ""},
		{"cut in an expiry", good("REDIS0012").raw(0xfc, 1, 2).b, "the file ends", ""},
		{"cut in a name", good("REDIS0012").raw(0, 9, "na").b, "the file ends", ""},
		{"nothing but an expiry", good("REDIS0012").raw(0xfc).le64(1).b, "the file ends before its end mark", ""},
	}
	for _, tt := range tests {
		o := scanned(bytes.NewReader(tt.in), withMemory, smallBlock)
		var damage *DamageError
		if !errors.As(o.err, &damage) || !strings.Contains(damage.Reason.Quoted(), tt.reason) {
			t.Errorf("%s: %v, want %q", tt.name, o.err, tt.reason)
			continue
		}
		if len(o.lines) != 1 || string(damage.LastKey) != "good" || string(damage.Key) != tt.key || (damage.Key == nil) != (tt.key == "") {
			t.Errorf("%s: %d keys, last key %q, key %q", tt.name, len(o.lines), damage.LastKey, damage.Key)
		}
		if damage.Offset < 9 || damage.Offset > int64(len(tt.in)) || o.info.Bytes != damage.Offset {
			t.Errorf("%s: offset %d, %d bytes read of %d", tt.name, damage.Offset, o.info.Bytes, len(tt.in))
		}
		if d := difference(o, ranSmall(bytes.NewReader(tt.in), withMemory, 2)); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
	}
}

// TestOffsetInPackedBlocks puts an entry that does not exist at each place of a
// listpack: the failure is behind that byte of the file, or, of a compressed listpack,
// where its compressed bytes begin.
func TestOffsetInPackedBlocks(t *testing.T) {
	lp := listpack("f", "v", "field", "value", 1, 2)
	for i, at := range []int{6, 9, 12, 19, 26, 28} {
		bad := []byte(lp)
		bad[at] = 0xf5
		for what, block := range map[string][]byte{"plain": append([]byte{byte(len(bad))}, bad...), "compressed": append([]byte{0xc3, byte(len(bad) + 1), byte(len(bad)), byte(len(bad) - 1)}, bad...)} {
			in := newRDB("REDIS0011").key(16, "k").raw(block).end()
			begin := len("REDIS0011") + 3
			want := int64(begin + 1 + at + 1)
			if what == "compressed" {
				want = int64(begin + 3)
			}
			o := scanned(bytes.NewReader(in), Options{}, smallBlock)
			var damage *DamageError
			if !errors.As(o.err, &damage) || damage.Offset != want {
				t.Errorf("entry %d, %s: %v, want the offset %d", i, what, o.err, want)
			}
		}
	}
}
