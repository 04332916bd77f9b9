package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// Dragonfly's files are made by hand from its sources (rdb_save.cc, rdb_extensions.h,
// detail/compressor.cc of 1.40): no Dragonfly wrote them.

// dragonflyEpoch is what member expiry counts from, in seconds since the epoch
// (kMemberExpiryBase in rdb_extensions.h).
const dragonflyEpoch = 1675209600

// dragonflyKey is a key, and what is true of it.
type dragonflyKey struct {
	db          int
	name, typ   string
	expire      uint64 // ms since the epoch, 0 none
	mask, flags uint32 // of opcode 220, if mask is not 0
	number      byte   // type byte
	// pieces are the value. Dragonfly may cut it behind each of them but the last.
	pieces          [][]byte
	elements, bytes int
	fieldTTLs       int
	fieldTTL        int64 // the earliest, ms since the epoch
}

func dfLen(n int) []byte {
	switch {
	case n < 64:
		return []byte{byte(n)}
	case n < 1<<14:
		return []byte{0x40 | byte(n>>8), byte(n)}
	}
	return binary.BigEndian.AppendUint32([]byte{0x80}, uint32(n))
}

func dfLens(list ...int) (b []byte) {
	for _, n := range list {
		b = append(b, dfLen(n)...)
	}
	return b
}

// dfText is a string. One that is a number of up to 8 bits is written as such.
func dfText(s string) []byte {
	if n, err := strconv.ParseInt(s, 10, 8); err == nil && strconv.FormatInt(n, 10) == s {
		return []byte{0xc0, byte(n)}
	}
	return append(dfLen(len(s)), s...)
}

func dfDouble(f float64) []byte { return binary.LittleEndian.AppendUint64(nil, math.Float64bits(f)) }

func dfJoin(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// dfListpack is a listpack of texts of under 64 bytes, and of numbers up to 127.
func dfListpack(entries ...any) []byte {
	body := []byte{}
	for _, e := range entries {
		switch e := e.(type) {
		case int:
			body = append(body, byte(e), 1)
		case string:
			body = append(body, 0x80|byte(len(e)))
			body = append(append(body, e...), byte(len(e)+1))
		}
	}
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(body)+7))
	b = binary.LittleEndian.AppendUint16(b, uint16(len(entries)))
	return append(append(b, body...), 0xff)
}

// counted has n elements, of texts each, behind their number.
func (k *dragonflyKey) counted(n int, element func(i int) (texts []string, after []byte)) *dragonflyKey {
	for i := range n {
		var piece []byte
		if i == 0 {
			piece = dfLen(n)
		}
		texts, after := element(i)
		for _, t := range texts {
			piece = append(piece, dfText(t)...)
			k.bytes += len(t)
		}
		k.pieces = append(k.pieces, append(piece, after...))
	}
	k.elements = n
	return k
}

// expiring adds the expiry of every third element, and returns its text.
func (k *dragonflyKey) expiring(i int) []byte {
	if i%3 != 1 {
		return dfText("-1")
	}
	seconds := 150_000_000 - i
	at := (dragonflyEpoch + int64(seconds)) * 1000
	if k.fieldTTLs++; k.fieldTTL == 0 || at < k.fieldTTL {
		k.fieldTTL = at
	}
	return dfText(strconv.Itoa(seconds))
}

// dragonflyKeys are keys of every type, with n elements where they have several.
func dragonflyKeys(prefix string, db, n int) []*dragonflyKey {
	key := func(number byte, typ string) *dragonflyKey {
		return &dragonflyKey{db: db, name: fmt.Sprintf("%s:%s:%d", prefix, typ, number), typ: typ, number: number}
	}
	one := func(k *dragonflyKey, elements, size int, value ...[]byte) *dragonflyKey {
		k.elements, k.bytes, k.pieces = elements, size, [][]byte{dfJoin(value...)}
		return k
	}
	text := func(i int) string { return fmt.Sprintf("%s-%05d", strings.Repeat("v", i%30), i) }
	str := one(key(0, "string"), 1, 5, dfText("hello"))
	str.expire = 4102444800000
	sticky := one(key(0, "string"), 1, 2, dfText("42"))
	sticky.name, sticky.mask, sticky.flags = prefix+":sticky", 3, 7
	hash := key(31, "hash")
	hash.counted(n, func(i int) ([]string, []byte) { return []string{"f" + strconv.Itoa(i), text(i)}, hash.expiring(i) })
	set := key(32, "set")
	set.counted(n, func(i int) ([]string, []byte) { return []string{text(i)}, set.expiring(i) })
	document := `{"a":[1,2,{"b":"x"}],"c":"` + strings.Repeat("y", n) + `"}`
	list := key(18, "list")
	for i := range (n + 9) / 10 {
		var piece []byte
		if i == 0 {
			piece = dfLen((n + 9) / 10)
		}
		var items []any
		for j := i * 10; j < min(n, i*10+10); j++ {
			items = append(items, text(j))
			list.bytes += len(text(j))
		}
		lp := dfListpack(items...)
		list.pieces = append(list.pieces, dfJoin(piece, dfLen(2), dfText(string(lp))))
	}
	list.elements = n
	stream := key(21, "stream")
	for i := range n {
		var piece []byte
		if i == 0 {
			piece = dfLen(n)
		}
		id := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(1000+i)), 0)
		lp := dfListpack(1, 0, 1, "f", 0, 2, 0, 0, text(i), 4)
		stream.pieces = append(stream.pieces, dfJoin(piece, dfText(string(id)), dfText(string(lp))))
		stream.bytes += 1 + len(text(i))
	}
	stream.elements = n
	last := len(stream.pieces) - 1 // the last node and what follows it stay together
	stream.pieces[last] = dfJoin(stream.pieces[last], dfLens(n, 1000+n-1, 0, 1000, 0, 0, 0, n, 0))
	bits := func(n int) (b []byte) {
		for i := range n {
			b = append(b, byte(i*i))
		}
		return b
	}
	pieces := func(k *dragonflyKey, head []byte, sizes ...int) *dragonflyKey {
		for _, size := range sizes {
			if k.number == 34 {
				head = append(head, dfLen(7)...)
			}
			head = append(head, dfLen(size)...)
			for at := 0; at < size; at += n {
				part := bits(size)[at:min(size, at+n)]
				k.pieces = append(k.pieces, dfJoin(head, dfLen(len(part)), part))
				head = nil
			}
			k.bytes += size
		}
		return k
	}
	bloom := dfJoin(dfLen(0), dfDouble(2), dfDouble(0.01), dfLens(100, 50, 400, 2))
	sbf2 := pieces(key(34, "MBbloom--"), bloom, 4*n, 8*n)
	sbf2.elements = 150
	cuckoo := pieces(key(37, "MBbloomCF"), dfLens(2, 20, 1, 64, 100, 3, 2), 3*n, 2*n)
	cuckoo.elements = 100
	return []*dragonflyKey{
		str, sticky, list, stream, hash, set, sbf2, cuckoo,
		key(2, "set").counted(n, func(i int) ([]string, []byte) { return []string{text(i)}, nil }),
		key(4, "hash").counted(n, func(i int) ([]string, []byte) { return []string{"f" + strconv.Itoa(i), text(i)}, nil }),
		key(5, "zset").counted(n, func(i int) ([]string, []byte) { return []string{text(i)}, dfDouble(float64(i) / 2) }),
		one(key(16, "hash"), 2, 8, dfText(string(dfListpack("f1", "v1", "f2", "v2")))),
		one(key(17, "zset"), 2, 2, dfText(string(dfListpack("a", 1, "b", 2)))),
		one(key(30, "ReJSON-RL"), 2, len(document), dfText(document)),
		one(key(33, "MBbloom--"), 150, 3*n, bloom, dfLen(7), dfText(string(bits(n))), dfLen(8), dfText(string(bits(2*n)))),
		one(key(35, "CMSk-TYPE"), 9, 8*5*3, dfLens(5, 3, 9), bits(8*5*3)),
		one(key(36, "TopK-TYPE"), 3, 6+4*4*2, dfLens(0, 5, 4, 2), dfDouble(0.9), dfLen(3),
			dfText("a"), dfLen(10), dfText("bbb"), dfLen(7), dfText("42"), dfLen(3), dfLen(4*4*2), bits(4*4*2)),
	}
}

// record is the key as far as the piece, its first if that is 0.
func (k *dragonflyKey) record(piece int) []byte {
	if piece > 0 {
		return k.pieces[piece]
	}
	var b []byte
	if k.expire > 0 {
		b = binary.LittleEndian.AppendUint64([]byte{252}, k.expire)
	}
	if k.mask > 0 {
		b = binary.LittleEndian.AppendUint32(append(b, 220), k.mask)
		b = binary.LittleEndian.AppendUint32(b, k.flags)
	}
	return dfJoin(b, []byte{k.number}, dfText(k.name), k.pieces[0])
}

func selectDB(db int) []byte { return append([]byte{254}, dfLen(db)...) }

// whole are keys in records.
func whole(keys []*dragonflyKey) (b []byte) {
	for _, k := range keys {
		b = append(b, selectDB(k.db)...)
		for i := range k.pieces {
			b = append(b, k.record(i)...)
		}
	}
	return b
}

// tagged are keys in chunks of some pieces each, of which up to open values are
// not complete at a time.
func tagged(keys []*dragonflyKey, open, pieces int) (b []byte) {
	type value struct {
		k    *dragonflyKey
		id   uint32
		next int
	}
	var values []*value
	for i, k := range keys {
		values = append(values, &value{k: k, id: uint32(i + 1)})
	}
	for at := 0; len(values) > 0; {
		at %= min(open, len(values))
		v := values[at]
		var part []byte
		if v.next == 0 {
			b = append(b, selectDB(v.k.db)...)
		}
		for end := min(v.next+pieces, len(v.k.pieces)); v.next < end; v.next++ {
			part = append(part, v.k.record(v.next)...)
		}
		b = append(b, 224)
		b = binary.LittleEndian.AppendUint32(b, v.id)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(part)))
		b = append(b, part...)
		if at++; v.next == len(v.k.pieces) {
			at--
			values = append(values[:at], values[at+1:]...)
		}
	}
	return b
}

// zstdBlob is a compressed block with a zstd frame.
func zstdBlob(b []byte) []byte {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false), zstd.WithSingleSegment(true))
	if err != nil {
		panic(err)
	}
	frame := w.EncodeAll(b, nil)
	return dfJoin([]byte{201}, dfLen(len(frame)), frame)
}

// lz4Blob is one with an LZ4 frame, whose length is stated. Its blocks are
// independent.
func lz4Blob(b []byte) []byte {
	var frame bytes.Buffer
	w := lz4.NewWriter(&frame)
	if err := w.Apply(lz4.BlockSizeOption(lz4.Block64Kb), lz4.ChecksumOption(false), lz4.SizeOption(uint64(len(b)))); err != nil {
		panic(err)
	}
	w.Write(b)
	w.Close()
	return dfJoin([]byte{202}, dfLen(frame.Len()), frame.Bytes())
}

// dragonflyHeader is the beginning of a file: of a shard, or of the summary of a
// set of them if shard is -1.
func dragonflyHeader(shard, shards int) []byte {
	b := []byte("REDIS0009")
	aux := func(name, value string) {
		b = append(append(append(b, 250), dfText(name)...), dfText(value)...)
	}
	aux("snapshot-id", "0123456789abcdef0123")
	aux("redis-ver", "6.2.11")
	aux("df-ver", "df-v1.40.1")
	aux("redis-bits", "64")
	aux("ctime", "1790000000")
	aux("used-mem", "52428800")
	aux("aof-preamble", "0")
	if shard < 0 {
		aux("shard-count", strconv.Itoa(shards))
		aux("table-mem", "1048576")
		shard = 0
	}
	aux("shard-id", strconv.Itoa(shard))
	return b
}

// writeDragonfly writes a file, and the truth beside it. Behind the end there is
// what a buffer of whole pages held.
func writeDragonfly(dir, name string, header, body []byte, keys []*dragonflyKey) error {
	b := dfJoin(header, body, []byte{255}, make([]byte, 8))
	b = append(b, bytes.Repeat([]byte{0xa5}, -len(b)&511)...)
	if err := os.WriteFile(filepath.Join(dir, name+".dfs"), b, 0o666); err != nil {
		return err
	}
	var tsv strings.Builder
	tsv.WriteString("db\tkey\ttype\telements\tvalue_bytes\tttl_ms\tfields_ttl\tmin_field_ttl_ms\n")
	for _, k := range keys {
		ttl := int64(-1)
		if k.expire > 0 {
			ttl = int64(k.expire)
		}
		fmt.Fprintf(&tsv, "%d\t%s\t%s\t%d\t%d\t%d\t%d\t%d\n", k.db, k.name, k.typ, k.elements, k.bytes, ttl, k.fieldTTLs, k.fieldTTL)
	}
	return os.WriteFile(filepath.Join(dir, name+".tsv"), []byte(tsv.String()), 0o666)
}

// makeDragonfly writes Dragonfly's files in a directory.
func makeDragonfly(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	small, large, other := dragonflyKeys("small", 0, 4), dragonflyKeys("large", 1, 200), dragonflyKeys("other", 0, 60)
	journal := dfJoin([]byte{210}, dfLen(1), dfText("\x01\x00\x03SET\x01x"), []byte{211}, make([]byte, 8), []byte{200}, make([]byte, 8))
	all := append(append([]*dragonflyKey{}, small...), large...)
	for _, f := range []struct {
		name   string
		header []byte
		body   []byte
		keys   []*dragonflyKey
	}{
		{"types", dragonflyHeader(0, 0), dfJoin(whole(small), journal), small},
		{"lz4", dragonflyHeader(0, 0), dfJoin(lz4Blob(whole(small)), lz4Blob(whole(large))), all},
		{"zstd", dragonflyHeader(0, 0), dfJoin(whole(small), zstdBlob(whole(large))), all},
		{"tagged", dragonflyHeader(0, 0), tagged(all, 7, 2), all},
		{"tagged-lz4", dragonflyHeader(0, 0), dfJoin(lz4Blob(tagged(all, 5, 3)), lz4Blob(whole(other))), append(all, other...)},
		{"set-summary", dragonflyHeader(-1, 2), nil, nil},
		{"set-0000", dragonflyHeader(0, 0), lz4Blob(tagged(large, 3, 20)), large},
		{"set-0001", dragonflyHeader(1, 0), dfJoin(zstdBlob(whole(small)), whole(other)), append(append([]*dragonflyKey{}, small...), other...)},
	} {
		if err := writeDragonfly(dir, f.name, f.header, f.body, f.keys); err != nil {
			return err
		}
	}
	return nil
}
