package thresholds

import "github.com/rdblens/rdblens/parser"

// The notes of compact-encoding: which limits of the compact encoding a
// collection is over. Without any it grew once and shrank.
const (
	notePassedNone  = 0
	notePassedCount = 1
	notePassedBytes = 2
	notePassedBoth  = notePassedCount | notePassedBytes
)

// compactForm are the limits of a compact encoding. Without a count there is
// none.
type compactForm struct{ count, bytes int64 }

// compacts are the compact encodings that the server that wrote a snapshot has
// for one type.
type compacts struct {
	family   string
	maxRatio int64
	full     parser.Encoding // the encoding that is looked at
	plain    compactForm
	integers compactForm // of a set of integers alone
}

// compactLimits gives the compact encodings of the type that is compiled for.
func compactLimits(c *compiler) *compacts {
	number := func(name string) int64 { return c.Param(name).Number }
	s := &compacts{family: c.engine.server.family, maxRatio: number("max_ratio")}
	switch c.typ {
	case parser.Hash:
		s.full, s.plain = parser.EncHashtable, compactForm{number("hash_count"), number("hash_bytes")}
	case parser.ZSet:
		s.full, s.plain = parser.EncSkiplist, compactForm{number("zset_count"), number("zset_bytes")}
	case parser.List:
		s.full, s.plain = parser.EncLinkedlist, compactForm{number("list_count"), number("list_bytes")}
	case parser.Set:
		s.full = parser.EncHashtable
		if c.engine.server.setListpacks() {
			s.plain = compactForm{number("set_count"), number("set_bytes")}
		}
		// No integer is longer than 20 characters, so only the count limits.
		s.integers = compactForm{number("intset_count"), 20}
	}
	return s
}

// compactSaving gives the bytes of memory that the compact encoding would save, or
// the number of elements where that is not known.
func compactSaving(k *parser.Key) int64 {
	if k.Memory < 0 || k.CompactMemory < 0 {
		return max(k.Elements, 0)
	}
	return max(k.Memory-k.CompactMemory, 0)
}

func (s *compacts) confirm(k *parser.Key, f *Facts, found *Finding) bool {
	form := s.plain
	if k.Type == parser.Set && k.Integers {
		form = s.integers
	}
	if k.Encoding != s.full || form.count == 0 || k.Elements > s.maxRatio*form.count {
		return false
	}
	found.Note, found.Measured, found.Limit = notePassedNone, k.Elements, form.count
	if k.Longest > form.bytes {
		found.Note |= notePassedBytes
		found.Measured, found.Limit = k.Longest, form.bytes
	}
	if k.Elements > form.count {
		found.Note |= notePassedCount
		found.Measured, found.Limit = k.Elements, form.count
	}
	return true
}
