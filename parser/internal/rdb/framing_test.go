package rdb

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"
)

// testFraming has a type of each layout, by a number of the test's own.
func testFraming() *Framing {
	f := new(Framing)
	for number, l := range map[byte]Layout{
		typeText:       {Kind: Text},
		typePacked:     {Kind: Packed},
		typeMinExpire:  {Kind: Packed, MinExpire: true},
		typeList:       {Kind: Counted, Strings: 1},
		typeHash:       {Kind: Counted, Strings: 2},
		typeZSetText:   {Kind: Counted, Strings: 1, Beside: ScoreText},
		typeZSetBinary: {Kind: Counted, Strings: 1, Beside: ScoreBinary},
		typeHashTTL:    {Kind: Counted, Strings: 2, Beside: ExpiryAbsolute},
		typeHashDelta:  {Kind: Counted, Strings: 2, Beside: ExpiryRelative, MinExpire: true},
		typeHashBinary: {Kind: Counted, Strings: 2, Beside: ExpiryBinary},
		typeSeconds:    {Kind: Counted, Strings: 1, Beside: ExpirySeconds},
		typeQuicklist:  {Kind: Quicklist, Strings: 1, Variant: 1},
		typeQuicklist2: {Kind: Quicklist, Strings: 1, Variant: 2},
		typeModule:     {Kind: Module},
		typeArray:      {Kind: Array},
		typeStream:     {Kind: Stream, Variant: StreamPlain},
		typeStream + 1: {Kind: Stream, Variant: StreamCounters},
		typeStream + 2: {Kind: Stream, Variant: StreamActive},
		typeStream + 3: {Kind: Stream, Variant: StreamIdempotent},
		typeStream + 4: {Kind: Stream, Variant: StreamNacked},
	} {
		f.Set(number, l)
	}
	return f
}

const (
	typeText = iota
	typePacked
	typeMinExpire
	typeList
	typeHash
	typeZSetText
	typeZSetBinary
	typeHashTTL
	typeHashDelta
	typeHashBinary
	typeSeconds
	typeQuicklist
	typeQuicklist2
	typeModule
	typeArray
	typeStream
)

// text is a string of n bytes with its length in the shortest form.
func text(n int) string {
	body := strings.Repeat("x", n)
	switch {
	case n < 64:
		return string(rune(n)) + body
	case n < 1<<14:
		return string([]byte{0x40 | byte(n>>8), byte(n)}) + body
	}
	return string(binary.BigEndian.AppendUint32([]byte{0x80}, uint32(n))) + body
}

// The same length in each of its forms, and strings in each of theirs.
var (
	lengths5 = []string{"\x05", "\x40\x05", "\x80\x00\x00\x00\x05", "\x81\x00\x00\x00\x00\x00\x00\x00\x05"}
	strings5 = []string{
		text(0), text(1), text(5), text(63), text(64), text(300), text(16383), text(16384), "\x80\x00\x00\x00\x05abcde", "\x81\x00\x00\x00\x00\x00\x00\x00\x05abcde",
		"\xc0\x80", "\xc1\x80\x80", "\xc2\x80\x80\x80\x80", "\xc3\x05\x05\x04abcd", "\xc3\x40\x05\x05\x04abcd", "\xc3\x05\x40\x05\x04abcd", "\xc3\x00\x00",
	}
)

func key(typ byte, value ...string) string {
	return string([]byte{typ}) + "\x03key" + strings.Join(value, "")
}

// frames are the records that framing knows: each ends at its last byte.
func frames() []string {
	const id = "0123456789abcdef"
	list := []string{
		// Each opcode: those of keys belong to the key behind.
		"\xfc12345678" + key(typeText, "\x01v"), "\xfd1234" + key(typeText, "\x01v"), "\xf9\xff" + key(typeText, "\x01v"),
		"\xfc12345678" + key(typeList, "\x00"), "\xfc12345678\xf9\x00\xf8\x05" + key(typePacked, "\x01v"),
		"\xf5" + text(70), "\xfa" + text(3) + text(70), "\xfa\xc3\x02\x05ab\xc2abcd",
		"\xfb\x05\x40\x05", "\xf4\x05\x40\x05\x80\x00\x00\x00\x05",
		key(typeMinExpire, "12345678", text(20)),
		key(typeList, "\x00"), key(typeList, "\x03", text(1), text(64), "\xc0\x07"), key(typeHash, "\x02", text(1), text(2), text(64), text(0)),
		key(typeZSetBinary, "\x02", text(1), "12345678", text(70), "12345678"),
		key(typeHashTTL, "\x02", "\x00", text(1), text(2), "\x81\x00\x00\x00\x00\x00\x00\x00\x05", text(64), text(3)),
		key(typeHashDelta, "12345678", "\x02", "\x00", text(1), text(2), "\x40\x05", text(64), text(3)),
		key(typeHashBinary, "\x02", text(1), text(2), "12345678", text(64), text(3), "12345678"),
		key(typeSeconds, "\x02", text(1), "\xc2abcd", text(64), "\xc0\xff"),
		key(typeQuicklist, "\x02", text(64), text(1)), key(typeQuicklist2, "\x02", "\x01", text(64), "\x02", text(1)),
		key(typeModule, "\x81abcdefgh", "\x02\x05", "\x01\x40\x05", "\x031234", "\x0412345678", "\x05"+text(3), "\x05"+text(70), "\x00"),
		key(typeModule, "\x81abcdefgh", "\x00"),
	}
	for _, n := range lengths5 {
		list = append(list, "\xfb"+n+n, "\xf4"+n+n+n, "\xf8"+n+key(typeText, "\x01v"), key(typeList, n, strings.Repeat(text(1), 5)), key(typeModule, n, "\x02"+n, "\x00"))
	}
	for _, s := range strings5 {
		list = append(list, key(typeText, s), "\xfa"+s+s, "\xf5"+s, key(typePacked, s), "\xfc12345678"+key(typeText, s), "\xfd1234"+key(typeText, s), key(typeHash, "\x01", s, s), string([]byte{typeText})+s+"\x01v")
	}
	for variant := range 5 {
		nodes := "\x02" + text(16) + text(70) + text(16) + text(1)
		head, group := "\x05\x40\x05\x05", "\x05\x05"
		if variant >= 1 {
			head, group = "\x05\x05\x05\x05\x05\x05\x05\x40\x05", "\x05\x05\x40\x05"
		}
		times := "12345678"
		if variant >= 2 {
			times += "12345678"
		}
		pel := "\x02" + id + "12345678\x05" + id + "12345678\x40\x05"
		consumers := "\x02" + text(5) + times + "\x02" + id + id + text(70) + times + "\x00"
		behind, nacked := "", ""
		if variant >= 3 {
			behind = "\x05\x40\x05\x00\x05\x40\x05"
		}
		if variant >= 4 {
			nacked = "\x02" + id + id
		}
		typ := byte(typeStream + variant)
		none := ""
		if variant >= 4 {
			none = "\x00"
		}
		list = append(list,
			key(typ, "\x00", head, "\x00", behind),
			key(typ, nodes, head, "\x00", behind),
			key(typ, nodes, head, "\x02", text(3), group, "\x00", "\x00", none, text(70), group, pel, consumers, nacked, behind),
			key(typ, nodes, head, "\x01", text(3), group, "\x00", consumers, nacked, behind),
			key(typ, nodes, head, "\x01", text(3), group, pel, "\x00", nacked, behind))
	}
	return list
}

// steps are the lengths to which n bytes are cut: each up to 200, and near the end.
func steps(n int) (list []int) {
	for i := range n {
		if i < 200 || n-i < 40 {
			list = append(list, i)
		}
	}
	return list
}

// TestRecordsEnd cuts each record at each byte: only whole ones count, with what
// follows as with nothing behind.
func TestRecordsEnd(t *testing.T) {
	f := testFraming()
	f.Enterprise, f.Dragonfly = true, true
	value := key(typeText, "\x01v")
	for _, record := range append(frames(),
		"\x6b\x05"+value, "\x6b\x40\x05"+key(typeHash, "\x00"), "\x79\x05"+value, "\x79\x40\x05"+key(typeList, "\x00"), // of Redis Enterprise
		"\xdc1\x00\x00\x00"+value, "\xdc\x02\x00\x00\x00abcd"+value, // of Dragonfly
	) {
		b := []byte("??" + value + record)
		start := len(b) - len(record)
		for _, n := range steps(len(record)) {
			cut := slices.Clip(slices.Clone(b[:start+n]))
			db := 7
			if end, why := f.RecordsEnd(cut, 2, &db); end != start || why != StopShort || db != 7 {
				t.Errorf("%.40q, %d of %d bytes: records end at %d (%v), database %d", record, n, len(record), end-start, why, db)
			}
		}
		for _, behind := range []string{"", "\xff", value + key(typeText, "\x00"), strings.Repeat(value, 20), "\xfe\x03", "\xfe\x40\x03", "\xfe\x7f\xfe", "\xfe\x81\x00\x00\x00\x00\x01\x02\x03\x04", "\xfe\x80\x7f\xff\xff\xff"} {
			whole := slices.Clip([]byte(string(b) + behind))
			want, wantWhy, wantDB, db := len(whole), StopShort, 7, 7
			switch behind {
			case "\xff":
				want, wantWhy = len(b), StopEnd
			case "\xfe\x03", "\xfe\x40\x03":
				wantDB = 3
			case "\xfe\x7f\xfe":
				wantDB = 16382
			case "\xfe\x81\x00\x00\x00\x00\x01\x02\x03\x04":
				wantDB = 0x01020304
			case "\xfe\x80\x7f\xff\xff\xff":
				wantDB = 1<<31 - 1
			}
			if end, why := f.RecordsEnd(whole, len(whole), &db); end != len(whole) || why != StopShort {
				t.Errorf("nothing behind %d bytes: records end at %d (%v)", len(whole), end, why)
			}
			if end, why := f.RecordsEnd(whole, 2, &db); end != want || why != wantWhy || db != wantDB {
				t.Errorf("%.40q with %.10q behind: records end at %d of %d (%v), database %d", record, behind, end, len(whole), why, db)
			}
		}
	}
}

// TestRecordsEndRare has what framing leaves to the walker: it stops where the record
// begins, with the opcodes of its key.
func TestRecordsEndRare(t *testing.T) {
	value := key(typeText, "\x01v")
	id := strings.Repeat("i", 16)
	rare := []string{
		"\xfe\x80\x80\x00\x00\x00", "\xfe\x81\x00\x00\x00\x00\x80\x00\x00\x00", "\xfe\xc0", "\xfc12345678\xfe\x03" + value, "\xf8\x05\xfe\x03" + value, "\xfc12345678\xff",
		"\xf8\xc0\x05" + value, "\xf8\x82\x05" + value, "\xfb\x05\xc0\x05", "\xfb\xc0\x05\x05", "\xf4\xc0\x05\x05", "\xf4\x05\xc0\x05", "\xf4\x05\x05\xc0",
		"\xfa\xc4\x00" + text(3), "\xfa" + text(3) + "\xc4", "\xf5\xc4", "\xf5\xc3\xc0\x05abcde", "\xf5\xc3\x05\xc0abcde",
		"\x6b\x05" + value, "\x79\x05" + value, "\xdc\x00\x00\x00\x00" + value, // of other servers
		"\xc9\x05abcde", "\xca\x05abcde", "\xe0abcd",
		"\xf7" + value, "\xf6" + value, "\xf3" + value, "\xf2" + value, "\x70" + value, // no types
		key(typeArray, "\x00"), key(typeZSetText, "\x01", text(1), "\x011"), key(typeText, "\xc4"), key(typeList, "\xc0"), key(typeList, "\x02", text(1), "\xc4", text(1)),
		key(typeHashTTL, "\x01", "\xc0", text(1), text(1)), key(typeModule, "\xc0", "\x00"), key(typeModule, "\x05", "\x06"), key(typeModule, "\x05", "\x02\xc0"), key(typeModule, "\x05", "\x05\xc4"),
		key(typeStream, "\x01", text(16), "\xc4"), key(typeStream, "\x00", "\x00\xc0\x00\x00"), key(typeStream, "\x00", "\x00\x00\x00\xc0"),
		key(typeStream, "\x00", "\x00\x00\x00", "\x01\xc4"), key(typeStream, "\x00", "\x00\x00\x00", "\x01", text(3), "\x00\xc0"), key(typeStream, "\x00", "\x00\x00\x00", "\x01", text(3), "\x00\x00\xc0"),
		key(typeStream, "\x00", "\x00\x00\x00", "\x01", text(3), "\x00\x00", "\x01"+id+"12345678\xc0\x00"), key(typeStream, "\x00", "\x00\x00\x00", "\x01", text(3), "\x00\x00\x00\xc0"),
		key(typeStream, "\x00", "\x00\x00\x00", "\x01", text(3), "\x00\x00\x00\x01\xc4"), key(typeStream, "\x00", "\x00\x00\x00", "\x01", text(3), "\x00\x00\x00\x01"+text(3)+"12345678\xc0"),
		key(typeStream+3, "\x00", "\x00\x00\x00\x00\x00\x00\x00\x00", "\x00", "\x00\x00\x01"), key(typeStream+3, "\x00", "\x00\x00\x00\x00\x00\x00\x00\x00", "\x00", "\xc0\x00\x00"),
		key(typeStream+3, "\x00", "\x00\x00\x00\x00\x00\x00\x00\x00", "\x00", "\x00\x00\xc0"), key(typeStream+3, "\x00", "\x00\x00\x00\x00\x00\x00\x00\x00", "\x00", "\x00\x00\x00\x00\xc0"),
		key(typeStream+4, "\x00", "\x00\x00\x00\x00\x00\x00\x00\x00", "\x01", text(3), "\x00\x00\x00\x00\x00\xc0"),
	}
	f := testFraming()
	for _, record := range rare {
		for _, ahead := range []string{"", "\xf9\x07", "\xfc12345678"} {
			b := []byte(value + ahead + record + strings.Repeat("\x00", 100))
			db := 7
			if end, why := f.RecordsEnd(b, 0, &db); end != len(value) || why != StopRare || db != 7 {
				t.Errorf("%q behind %q: records end at %d (%v), database %d", record, ahead, end-len(value), why, db)
			}
		}
	}
}

// TestSkimStrings has records of one string: those that lie in the buffer whole are
// passed as long as the longest head could still be read.
func TestSkimStrings(t *testing.T) {
	const longestHead = 1 + 8 + 1 + 1 + 63 + 2 // expiry, type, name and the length of the value
	f := testFraming()
	name := text(63)
	small := string([]byte{typeText}) + text(1) + text(1)
	for _, c := range []struct {
		b    string
		want int
	}{
		{"\xfc12345678\x00" + name + "\x40\x00", longestHead},
		{"\xfc12345678\x00" + name + "\x01", 0},
		{"\xfc12345678\x01" + name + text(64), longestHead + 64},
		{"\xfc12345678\x01" + name + text(300), longestHead + 300},
		{"\xfc12345678\x01" + name + text(300)[:301], 0},
		{"\x00" + text(5) + text(16384), 1 + 6 + 5 + 16384},
		{"\x00" + text(5) + text(16384)[:16388], 0},
		{"\x00" + text(5) + text(63) + strings.Repeat("\xff", 76), 1 + 6 + 64},
		{"\x00" + text(5) + "\xc0\x07" + strings.Repeat("\xff", 76), 1 + 6 + 2},
		{"\x00" + text(5) + "\xc3\x05\x05\x04abcd" + strings.Repeat("\xff", 76), 1 + 6 + 8},
		{"\x00" + text(5) + "\xc4" + strings.Repeat("\xff", 76), 0},
		{"\x03" + text(5) + strings.Repeat("\x01", 76), 0},     // a list
		{"\x00" + text(64) + strings.Repeat("\x01", 76), 0},    // a long name
		{"\x00\x40\x00\x01v" + strings.Repeat("\x00", 150), 0}, // a length in two bytes
		{strings.Repeat(small, 30), len(small) * ((30*len(small)-longestHead)/len(small) + 1)},
	} {
		b := slices.Clip([]byte("x" + c.b))
		if got := skimStrings(&f.OneString, b, 1) - 1; got != c.want {
			t.Errorf("%.50q: %d of %d bytes passed, want %d", c.b, got, len(c.b), c.want)
		}
	}
}

// TestSkipElements cuts elements at each byte: those that lie in the buffer whole are
// passed, and no more than are wanted.
func TestSkipElements(t *testing.T) {
	f := testFraming()
	for typ, element := range map[byte]string{
		typeList: text(70), typeHash: text(3) + text(63), typeZSetBinary: text(64) + "12345678", typeHashTTL: "\x40\x05" + text(1) + text(64),
		typeHashDelta: "\x05" + "\xc1ab" + text(0), typeHashBinary: text(1) + text(2) + "12345678", typeSeconds: text(1) + "\xc2abcd", typeQuicklist2: "\x01" + text(300),
	} {
		l, n := &f.Layouts[typ], len(element)
		whole := "?" + strings.Repeat(element, 3)
		for size := 1; size <= len(whole); size++ {
			for _, want := range []uint64{0, 1, 3, 5} {
				done, next := l.SkipElements(slices.Clip([]byte(whole[:size])), 1, want)
				if least := min((size-1)/n, int(want)); done != uint64(least) || next != 1+least*n {
					t.Errorf("%q, %d bytes: %d of %d elements end at %d", element, size, done, want, next)
				}
			}
		}
	}
	for typ, bad := range map[byte]string{typeList: "\xc4", typeHash: text(1) + "\x82", typeHashTTL: "\xc0" + text(1) + text(1)} {
		l := &f.Layouts[typ]
		if done, next := l.SkipElements([]byte("?"+bad+strings.Repeat("\x00", 9)), 1, 1); done != 0 || next != 1 {
			t.Errorf("%q: %d elements end at %d", bad, done, next)
		}
	}
}
