package memory

// RedisBloom: sizes of structures by its debug information, measured on 1.0.3 to
// 2.2.4 with Redis 7.0 and on its state of June 2026 with Redis 8.0: exact, both
// figures. A server has the present structures whichever release wrote the file.

// BloomFilter adds a filter of n bytes of a Bloom filter.
func (s *ModuleSizes) BloomFilter(n int64) { s.block(n) }

// Bloom adds the structures of a Bloom filter (SBChain and SBLink in sb.h).
func (s *ModuleSizes) Bloom(filters int64) {
	s.block(32)
	s.block(64 * filters)
}

// CuckooFilter adds a filter of n bytes of a cuckoo filter.
func (s *ModuleSizes) CuckooFilter(n int64) { s.block(n) }

// Cuckoo adds the structures of a cuckoo filter (CuckooFilter and SubCF in
// cuckoo.h). Releases that write encoding versions under 4 have an array of
// pointers, which MEMORY USAGE does not count.
func (s *ModuleSizes) Cuckoo(filters int64, version int) {
	s.block(40)
	if version >= 4 {
		s.block(16 * filters)
	} else {
		s.hidden(8 * filters)
	}
}

// CountMin adds a count-min sketch with n bytes of counters (CMSketch in cms.h).
func (s *ModuleSizes) CountMin(n int64) {
	s.block(32)
	s.block(n)
}

// TopK adds a top-k by the bytes of its counters and of its heap (TopK in topk.h).
func (s *ModuleSizes) TopK(counters, heap int64) {
	s.block(2088)
	s.block(counters)
	s.block(heap)
}

// TopKItem adds an item of n bytes of a top-k.
func (s *ModuleSizes) TopKItem(n int64) { s.hidden(n + 1) }

// TDigest adds a t-digest for so many centroids (td_histogram in tdigest.h).
func (s *ModuleSizes) TDigest(capacity int64) {
	s.block(80)
	s.block(8 * capacity)
	s.block(8 * capacity)
}
