package naming

import (
	"bytes"
	"strings"
)

// maxSegments is the number of segments of a pattern that reports distinguish: the
// last one has the rest of the name.
const maxSegments = 12

// GroupPattern is the pattern of a group of names as reports show it, such as
// user:*:cart. A * matches any bytes within a segment; in the last of 12 segments,
// it matches the rest. A ? matches one byte.
type GroupPattern struct {
	namer    *Namer
	text     string
	segments []*Glob
	ends     []byte // the separator behind each segment but the last
}

var segmentEscapes = strings.NewReplacer(`\`, `\\`, `[`, `\[`)

// ParseGroup compiles the pattern of a group.
func (n *Namer) ParseGroup(text string) *GroupPattern {
	g := &GroupPattern{namer: n, text: text}
	for rest := []byte(text); ; {
		segment, end := n.cutSegment(rest, len(g.segments))
		// A segment may be empty, and only * and ? are special.
		glob, err := ParseGlob(segmentEscapes.Replace(string(segment)))
		if err != nil {
			glob = &Glob{}
		}
		g.segments = append(g.segments, glob)
		if len(segment) == len(rest) {
			return g
		}
		g.ends = append(g.ends, end)
		rest = rest[len(segment)+1:]
	}
}

// cutSegment returns the first segment of what remains of a pattern behind so many
// segments, and the separator that ends it.
func (n *Namer) cutSegment(rest []byte, before int) (segment []byte, end byte) {
	if before < maxSegments-1 {
		for i, c := range rest {
			if n.isSep[c] {
				return rest[:i], c
			}
		}
	}
	return rest, 0
}

// Index returns the number of segments and the first one, "*" if it has wildcards.
// They are those that Segments returns of the patterns that g matches.
func (g *GroupPattern) Index() (segments int, first string) {
	segment, _ := g.namer.cutSegment([]byte(g.text), 0)
	if strings.ContainsAny(string(segment), "*?") {
		return len(g.segments), "*"
	}
	return len(g.segments), string(segment)
}

// Segments returns the number of segments of a pattern, at most 12, and the first.
func (n *Namer) Segments(pattern []byte) (segments int, first []byte) {
	for rest := pattern; ; segments++ {
		segment, _ := n.cutSegment(rest, segments)
		if segments == 0 {
			first = segment
		}
		if len(segment) == len(rest) {
			return segments + 1, first
		}
		rest = rest[len(segment)+1:]
	}
}

// Match reports whether a pattern that AppendPattern returned, in which nothing is
// folded yet, belongs to the group.
func (g *GroupPattern) Match(pattern []byte) bool { return g.match(pattern, nil) }

// match is Match, where segments of the name may match, too.
func (g *GroupPattern) match(pattern, name []byte) bool {
	for i, glob := range g.segments {
		segment, end := g.namer.cutSegment(pattern, i)
		own, _ := g.namer.cutSegment(name, i)
		if !glob.Match(segment) && (name == nil || !glob.Match(own)) {
			return false
		}
		name = name[min(len(name), len(own)+1):]
		last := i == len(g.segments)-1
		if last || len(segment) == len(pattern) {
			return last && len(segment) == len(pattern)
		}
		if end != g.ends[i] {
			return false
		}
		pattern = pattern[len(segment)+1:]
	}
	return false
}

// Has reports whether the group has a name, whose pattern is that of AppendPattern: words
// with digits stand in the pattern of a group as they are (i18n), but not in that of a name.
func (g *GroupPattern) Has(name, pattern []byte) bool {
	name = name[:min(len(name), MaxPattern)]
	return g.match(pattern, name) || g.match(name, nil)
}

// Overlaps reports whether a name can belong to both groups.
func (g *GroupPattern) Overlaps(o *GroupPattern) bool {
	if len(g.segments) != len(o.segments) {
		return false
	}
	for i := range g.segments {
		if !g.segments[i].overlaps(o.segments[i]) {
			return false
		}
	}
	return true
}

// overlaps reports whether a name can match both patterns.
func (g *Glob) overlaps(o *Glob) bool {
	n := min(len(g.prefix), len(o.prefix))
	if !bytes.Equal(g.prefix[:n], o.prefix[:n]) {
		return false
	}
	a, b := g.operations(), o.operations()
	// reach[j] tells whether a name can match what is before a[i] and before b[j].
	reach := make([]bool, len(b)+1)
	for i := 0; i <= len(a); i++ {
		next := make([]bool, len(b)+1)
		reach[0] = reach[0] || i == 0
		for j := 0; j <= len(b); j++ {
			if !reach[j] {
				continue
			}
			aStar, bStar := i < len(a) && a[i].star, j < len(b) && b[j].star
			if bStar || aStar && j < len(b) {
				reach[j+1] = true
			}
			if aStar || bStar && i < len(a) {
				next[j] = true
			}
			if i < len(a) && j < len(b) && !aStar && !bStar && a[i].set.meets(&b[j].set) {
				next[j+1] = true
			}
		}
		if i == len(a) {
			return reach[len(b)]
		}
		reach = next
	}
	return false
}

// operations returns the pattern without a prefix.
func (g *Glob) operations() []globOp {
	ops := make([]globOp, len(g.prefix), len(g.prefix)+len(g.rest))
	for i, c := range g.prefix {
		ops[i].set.add(c, c)
	}
	return append(ops, g.rest...)
}

func (s *byteSet) meets(o *byteSet) bool {
	return s[0]&o[0]|s[1]&o[1]|s[2]&o[2]|s[3]&o[3] != 0
}
