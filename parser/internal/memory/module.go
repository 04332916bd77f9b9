package memory

// A ModuleSizes sums what a value of a module, or a vector set, takes without its
// key and the structure that every module value has. Without a model it stays 0.
// There is one file for each module, with the sizes of its structures and what
// they were measured on. MEMORY USAGE is what the module's mem_usage callback
// returns.
type ModuleSizes struct {
	model            *Model
	Allocated, Usage int64 // bytes
	// Approximate reports that the sizes follow sources alone, or depend on what
	// a snapshot does not show.
	Approximate bool
	Links       int64 // allocated bytes of the links of a vector set

	document documentKind
	// texts are the sizes of short texts in documents of the kind textsIn by the
	// model textsOf.
	texts   [ShortTexts]textSize
	textsOf *Model
	textsIn documentKind
	tree    nameTree
	vectors vectors
}

// Reset prepares the Sizes for the next value.
func (s *ModuleSizes) Reset(m *Model) {
	s.model, s.Allocated, s.Usage, s.Approximate, s.Links = m, 0, 0, false, 0
}

// block adds a block of n bytes that MEMORY USAGE counts as requested.
func (s *ModuleSizes) block(n int64) {
	if s.model != nil {
		s.Allocated += s.model.usable(n)
		s.Usage += n
	}
}

// full adds a block of n bytes that MEMORY USAGE counts as allocated.
func (s *ModuleSizes) full(n int64) {
	if s.model != nil {
		b := s.model.usable(n)
		s.Allocated += b
		s.Usage += b
	}
}

// hidden adds a block of n bytes that MEMORY USAGE does not count.
func (s *ModuleSizes) hidden(n int64) {
	if s.model != nil {
		s.Allocated += s.model.usable(n)
	}
}

// object adds a string object of n bytes. counted reports whether MEMORY USAGE
// counts it.
func (s *ModuleSizes) object(n int64, counted bool) {
	if s.model == nil {
		return
	}
	size := s.model.stringObject(n)
	s.Allocated += size
	if counted {
		s.Usage += size
	}
}
