package memory

// valkey-bloom: by its source alone (BloomObject and BloomFilter in
// bloom/utils.rs); the sizes of structures are those of their fields.

// ValkeyBloom adds the structures of a Bloom filter of valkey-bloom.
func (s *ModuleSizes) ValkeyBloom(filters int64) {
	s.Approximate = true
	s.block(48)
	s.block(8 * filters)
}

// ValkeyBloomFilter adds one of its filters with a bitmap of n bytes.
func (s *ModuleSizes) ValkeyBloomFilter(n int64) {
	s.block(112)
	s.block(n)
}
