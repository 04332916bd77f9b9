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
