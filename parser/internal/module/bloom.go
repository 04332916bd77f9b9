package module

import (
	"math"

	"github.com/rdblens/rdblens/parser/internal/rdb"
)

// bloom walks a Bloom filter of RedisBloom. Encoding versions: 0 before 1.0, 1 of
// 1.0 and 1.1.0, 2 and 3 of 1.1.1 to 2.0.3, 4 since. Source: BFRdbSave in
// rebloom.c of each release.
func (r *Reader) bloom(version int) {
	r.Elements = r.count()
	filters := r.count()
	if version >= 2 {
		r.uint() // options
	}
	if version >= 4 {
		r.uint() // expansion
	}
	r.Filters = filters
	for i := int64(0); i < filters && !r.failed; i++ {
		r.Capacity += r.count()
		if rate := r.double(); i == 0 {
			r.ErrorRate = rate
		}
		r.uint()   // hash functions
		r.double() // bits an entry
		if version >= 1 {
			r.uints(2) // bits, and their logarithm
		}
		n := r.data()
		r.uint() // items in this filter
		r.Sizes.BloomFilter(n)
		if r.largest(n) {
			r.Index = i
		}
	}
	r.Sizes.Bloom(filters)
}

// valkeyBloom walks a Bloom filter of valkey-bloom. Encoding versions: 0 of its
// development, 1 since 1.0. Source: bloom_rdb_save in bloom_callback.rs.
func (r *Reader) valkeyBloom(version int) {
	filters := r.count()
	r.uint() // expansion
	if version == 0 && r.item(rdb.ModuleFloat) {
		r.ErrorRate = float64(math.Float32frombits(r.Uint32()))
	} else if version > 0 {
		r.ErrorRate = r.double()
		r.double() // tightening ratio
		r.uint()   // random seed
	}
	r.Filters = filters
	for i := int64(0); i < filters && !r.failed; i++ {
		n := r.data()
		if version == 0 {
			r.uints(2) // bits, hash functions
		}
		capacity := r.count()
		r.Capacity += capacity
		items := capacity // a filter is full before the next is made
		if i == filters-1 {
			items = r.count()
		}
		r.Elements += items
		r.Sizes.ValkeyBloomFilter(n)
		if r.largest(n) {
			r.Index = i
		}
	}
	r.Sizes.ValkeyBloom(filters)
}

// cuckoo walks a cuckoo filter of RedisBloom. Encoding versions: 1 and 3 of 1.1.0
// to 2.0.3, 4 since. Source: CFRdbSave in rebloom.c.
func (r *Reader) cuckoo(version int) {
	filters := r.count()
	buckets := r.count()
	r.Elements = r.count()
	size := int64(2)
	if version >= 4 {
		r.uint() // deleted items
		size = r.count()
		r.uints(2) // iterations, expansion
	}
	r.Filters = filters
	for i := int64(0); i < filters && !r.failed; i++ {
		if version >= 4 {
			r.uint() // buckets of this filter
		}
		n := r.data()
		r.Sizes.CuckooFilter(n)
		if r.largest(n) {
			r.Index = i
		}
	}
	if buckets < rdb.MaxLen>>16 && size < 1<<16 {
		r.Capacity = r.Bytes
	}
	r.Sizes.Cuckoo(filters, version)
}

// countMin walks a count-min sketch of RedisBloom. Its elements are the sum of
// all increments: how many distinct items it has seen, it does not know. Source:
// CMSRdbSave in rm_cms.c.
func (r *Reader) countMin(int) {
	r.uints(2) // width, depth
	r.Elements = r.count()
	n := r.data()
	r.largest(n)
	r.Sizes.CountMin(n)
}

// topK walks a top-k of RedisBloom, whose elements are the items in it. Source:
// TopKRdbSave in rm_topk.c.
func (r *Reader) topK(int) {
	k := r.count()
	r.uints(2) // width, depth
	r.double() // decay
	n := r.length()
	heap := r.length()
	r.Bytes, r.Capacity = n, k
	r.Sizes.TopK(n, heap)
	for i := int64(0); i < k && !r.failed; i++ {
		if !r.open() {
			return
		}
		// The item ends with a zero byte. A slot that is not in use has nothing
		// else.
		item := max(r.block.Size-1, 0)
		if item > 0 {
			r.Elements++
			r.Bytes += item
			r.Longest = max(r.Longest, item)
			r.Sizes.TopKItem(item)
			if r.largest(item) {
				r.named(r.block.Buf[r.block.Pos:min(len(r.block.Buf), r.block.Pos+int(min(item, MaxName)))], item)
			}
		}
		r.close()
	}
}

// tDigest walks a t-digest of RedisBloom, whose elements are the observations. Its
// signed numbers are written as unsigned ones. Source: TDigestRdbSave in
// rm_tdigest.c.
func (r *Reader) tDigest(int) {
	r.doubles(3) // compression, least, greatest
	capacity := r.count()
	centroids := r.count()
	r.uints(2) // not merged, compressions
	weight := r.double() + r.double()
	if !(weight >= 0 && weight < math.MaxInt64) {
		r.reject()
	}
	r.Elements = int64(weight)
	r.doubles(2 * min(centroids, rdb.MaxLen))
	r.Bytes, r.Capacity = 16*centroids, capacity
	r.Largest, r.Longest = min(16, r.Bytes), min(16, r.Bytes)
	r.Sizes.TDigest(capacity)
}
