package tree

import (
	"bytes"

	"github.com/rdblens/rdblens/thresholds/naming"
)

// A user of a Block may remember the leaf of a pattern, and look up only the keys that Skip
// does not pass.

// Shared reports whether all keys with the pattern and the number of segments of f have a leaf, until the
// generation changes, and returns their rate for Skip.
func (b *Block) Shared(leaf int32, f *naming.Facts) (rate int32, generation uint32, ok bool) {
	e := &b.patterns[f.Group*0x9e3779b97f4a7c15>>(64-patternBits)]
	ok = e.pattern == f.Group && e.generation == b.generation && e.segments == int32(f.Segments) && e.leaf == leaf &&
		!e.pins
	return b.nodes[leaf].rate, b.generation, ok
}

// Generation changes when leaves that keys of a pattern shared may change.
func (b *Block) Generation() uint32 { return b.generation }

// Cleared changes when leaves are removed.
func (b *Block) Cleared() uint32 { return b.cleared }

// sharesPattern reports whether the pattern of a name is made of those of its segments:
// nothing that is replaced contains a separator.
func (b *Block) sharesPattern(name []byte) bool {
	if len(name) > naming.MaxPattern {
		return false
	}
	text := b.text[:0]
	from := 0
	for depth := 0; from < len(name); depth++ {
		to := b.cut.next(name, from, depth)
		text = b.cut.namer.AppendPattern(text, name[from:to])
		from = to
	}
	n := len(text)
	text = b.cut.namer.AppendPattern(text, name)
	b.text = text
	return bytes.Equal(text[:n], text[n:])
}
