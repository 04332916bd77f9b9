package memory

import "encoding/binary"

// RedisTimeSeries: measured on its state of August 2026 with Redis 8.0: a reloaded
// series without labels is exact, both figures. Labels add to an index of all
// series what depends on how many others have them.

const (
	// labelBytes is what a label adds to the index of series on average, beside
	// its own strings: 190 to 410 bytes were measured.
	labelBytes = 250
	// dictNode is what MEMORY USAGE counts for a node of a radix tree
	// (RM_MallocSizeDict in module.c).
	dictNode = 244
)

// TimeSeries adds the structures of a series (Series in tsdb.h), by the lengths of
// its name and of that of its source in bytes, -1 none.
func (s *ModuleSizes) TimeSeries(key, source int64) {
	s.full(144)
	s.object(key, true)
	if source >= 0 {
		s.object(source, false)
	}
}

// Label adds a label, by the lengths of its name and value in bytes.
func (s *ModuleSizes) Label(name, value int64) {
	s.object(name, true)
	s.object(value, true)
}

// Labels adds the array of n labels, and what they take in the index.
func (s *ModuleSizes) Labels(n int64) {
	s.full(16 * n)
	if s.model != nil && n > 0 {
		s.Approximate = true
		s.Allocated += labelBytes * n
		s.Usage += labelBytes * n
	}
}

// Rule adds a compaction rule, by the bytes of its destination's name and of the
// state of its aggregation.
func (s *ModuleSizes) Rule(destination, context int64) {
	s.full(72)
	s.full(context)
	s.object(destination, false)
}

// Chunk adds a chunk that begins at a timestamp, with a buffer of n bytes.
func (s *ModuleSizes) Chunk(first uint64, n int64, compressed bool) {
	if s.model == nil {
		return
	}
	header := int64(32)
	if compressed {
		header = 80
	}
	s.full(header)
	s.full(n)
	var key [8]byte
	binary.BigEndian.PutUint64(key[:], first)
	s.tree.add(&s.model.allocator, key[:], 8)
}

// Chunks adds the tree of the chunks that were added.
func (s *ModuleSizes) Chunks() {
	if s.model == nil {
		return
	}
	nodes, bytes := s.tree.finishTree(s.model)
	s.Allocated += bytes
	s.Usage += 8 + 24 + nodes*dictNode
}

// PlainSamples adds n samples of a series that was written before there were
// chunks in snapshots: a module of today puts them into chunks of size bytes.
func (s *ModuleSizes) PlainSamples(n, size int64) {
	if s.model == nil {
		return
	}
	s.Approximate = true
	const sample, treeNodes = 16, 40
	chunks := max(1, (n*sample+size-1)/max(size, sample))
	s.Allocated += chunks*(s.model.usable(32)+s.model.usable(size)+treeNodes) + s.model.usable(8) + s.model.usable(24)
	s.Usage += chunks*(32+size+2*dictNode) + 8 + 24
}
