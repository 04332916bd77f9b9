// Package modules computes what values of modules and vector sets take in memory.
// There is one file for each module, with the sizes of its structures and what
// they were measured on.
//
// As in package memory there are two figures: what the allocator hands out, and
// what MEMORY USAGE counts, which is what the module's mem_usage callback returns.
package modules

import "github.com/rdblens/rdblens/parser/memory"

// Sizes sums what one value takes, without its key and the structure that every
// module value has. Without a model it stays 0.
type Sizes struct {
	model            *memory.Model
	Allocated, Usage int64 // bytes
	// Approximate reports that the sizes follow sources alone, or depend on what
	// a snapshot does not show.
	Approximate bool
	Links       int64 // allocated bytes of the links of a vector set

	document documentKind
	// texts are the sizes of short texts in documents of the kind textsIn by the
	// model textsOf.
	texts   [ShortTexts]textSize
	textsOf *memory.Model
	textsIn documentKind
	tree    memory.NameTree
	vectors vectors
}

// Reset prepares the Sizes for the next value.
func (s *Sizes) Reset(m *memory.Model) {
	s.model, s.Allocated, s.Usage, s.Approximate, s.Links = m, 0, 0, false, 0
}

// block adds a block of n bytes that MEMORY USAGE counts as requested.
func (s *Sizes) block(n int64) {
	if s.model != nil {
		s.Allocated += s.model.Block(n)
		s.Usage += n
	}
}

// full adds a block of n bytes that MEMORY USAGE counts as allocated.
func (s *Sizes) full(n int64) {
	if s.model != nil {
		b := s.model.Block(n)
		s.Allocated += b
		s.Usage += b
	}
}

// hidden adds a block of n bytes that MEMORY USAGE does not count.
func (s *Sizes) hidden(n int64) {
	if s.model != nil {
		s.Allocated += s.model.Block(n)
	}
}

// object adds a string object of n bytes. counted reports whether MEMORY USAGE
// counts it.
func (s *Sizes) object(n int64, counted bool) {
	if s.model == nil {
		return
	}
	size := s.model.StringObject(n)
	s.Allocated += size
	if counted {
		s.Usage += size
	}
}

// Facts is what a value of a module has besides the figures that all types
// have. Fields that its type does not have are 0.
type Facts struct {
	Version int // encoding version
	// Filters is the number of filters that a Bloom or cuckoo filter consists of,
	// Capacity the items that they are made for; of a top-k its k.
	Filters, Capacity int64
	ErrorRate         float64 // of a Bloom filter

	// Of a time series: chunks, labels, compaction rules, the time for which
	// samples are kept (ms, 0 for ever) and the first and the last sample (ms
	// since the epoch).
	Chunks, Labels, Rules  int64
	Retention, First, Last int64

	// Of a vector set: dimensions, and the bytes that vectors and links between
	// elements take in memory.
	Dimensions, VectorBytes, LinkBytes int64

	Depth int64 // levels of nested arrays and objects in a document
}
