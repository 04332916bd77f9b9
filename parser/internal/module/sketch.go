package module

import (
	"math"

	"github.com/rdblens/rdblens/parser/internal/rdb"
)

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
