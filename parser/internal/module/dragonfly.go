package module

import "github.com/rdblens/rdblens/parser/internal/rdb"

// Dragonfly walks a value of one of Dragonfly's own types, which have the meaning of
// module types but a layout without opcodes: kind and variant are those of its
// rdb.Layout. Sources: rdb_save.cc and rdb_load.cc.
func (r *Reader) Dragonfly(kind rdb.Kind, variant uint8) *Value {
	r.begin(0, nil)
	switch kind {
	case rdb.Text:
		r.dragonflyJSON()
	case rdb.Filter:
		r.dragonflyBloom(variant)
	case rdb.CountMin:
		r.dragonflyCountMin()
	case rdb.TopK:
		r.dragonflyTopK()
	case rdb.Cuckoo:
		r.dragonflyCuckoo()
	}
	if r.Understood = !r.failed; !r.Understood {
		r.unknown(0)
	}
	return &r.Value
}

// dragonflyJSON walks a JSON document, whose elements are those of a document of
// RedisJSON. Dragonfly reads and writes it as one string: that is its largest part.
func (r *Reader) dragonflyJSON() {
	r.newDocument()
	r.openString()
	r.openDocument()
	r.jsonText()
	r.close()
	r.Largest, r.Longest, r.Name, r.NameLen, r.Index = r.Bytes, r.Bytes, nil, 0, -1
}

// quantity reads a length that counts something. A larger one than any file has is
// cut.
func (r *Reader) quantity() int64 { return int64(min(r.Length(), rdb.MaxLen)) }

// dragonflyBloom walks a Bloom filter: options, growth, error rate, items in all
// filters but the newest and in the newest, capacity, and the filters, each with the
// number of its hash functions before its bits. In variant 2 the bits come in pieces.
func (r *Reader) dragonflyBloom(variant uint8) {
	if options := r.Length(); options != 0 {
		r.Failf("a Bloom filter has the unknown options %d", options)
	}
	r.Take(8)
	r.ErrorRate = rdb.Float64(r.Take(8))
	r.Elements = r.quantity()
	r.Elements += r.quantity()
	r.Capacity = r.quantity()
	filters := r.Length()
	r.Filters = r.CheckCount(filters, "filters")
	for i := range filters {
		r.Ahead()
		r.Length()
		if variant == 1 {
			r.filter(r.passString(), i)
		} else {
			r.filter(r.pieces(), i)
		}
	}
}

// dragonflyCuckoo walks a cuckoo filter: the slots of a bucket, the most
// iterations, growth, buckets, items, deleted items, and the filters, whose bits come
// in pieces.
func (r *Reader) dragonflyCuckoo() {
	r.Lengths(4)
	r.Elements = r.quantity()
	r.Length()
	filters := r.Length()
	r.Filters = r.CheckCount(filters, "filters")
	for i := range filters {
		r.Ahead()
		r.filter(r.pieces(), i)
	}
}

func (r *Reader) filter(n int64, i uint64) {
	r.Bytes = r.CheckLen(uint64(r.Bytes + n))
	r.Longest = max(r.Longest, n)
	if r.largest(n) {
		r.Index = int64(i)
	}
}

// pieces passes a total, and pieces that add up to it.
func (r *Reader) pieces() int64 {
	total := r.CheckLen(r.Length())
	for left := uint64(total); left > 0; {
		n := r.Length()
		if n == 0 || n > left {
			r.Failf("a filter's piece of %d bytes does not fit into the %d that are left", n, left)
		}
		r.Cursor.Skip(n)
		left -= n
	}
	return total
}

// dragonflyCountMin walks a count-min sketch: width, depth, the sum of all
// increments, which are its elements, and as many counters of 8 bytes.
func (r *Reader) dragonflyCountMin() {
	width, depth := r.Length(), r.Length()
	r.Elements = r.quantity()
	if width > rdb.MaxLen || depth > rdb.MaxLen || width > 0 && depth > rdb.MaxLen/8/width {
		r.Failf("a sketch of %d by %d counters is larger than any file", width, depth)
	}
	n := width * depth * 8
	r.Cursor.Skip(n)
	r.Bytes, r.Largest, r.Longest = int64(n), int64(n), int64(n)
}

// dragonflyTopK walks a top-k: options, k, width, depth, decay, the items, each with
// its count, and the counters.
func (r *Reader) dragonflyTopK() {
	r.Length()
	r.Capacity = r.quantity()
	r.Lengths(2)
	r.Take(8)
	items := r.Length()
	r.Elements = r.CheckCount(items, "items")
	for range items {
		r.Ahead()
		r.openString()
		n := r.block.Size
		r.Bytes = r.CheckLen(uint64(r.Bytes + n))
		r.Longest = max(r.Longest, n)
		if r.largest(n) {
			r.named(r.block.Buf[r.block.Pos:], n)
		}
		r.close()
		r.Length()
	}
	n := r.Length()
	r.Bytes = r.CheckLen(uint64(r.Bytes + r.CheckLen(n)))
	r.Cursor.Skip(n)
}
