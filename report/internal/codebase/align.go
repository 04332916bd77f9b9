package codebase

import (
	"bytes"
	"strings"
)

// An alignment says how the pattern of a line of source agrees with that of a group.
type alignment struct {
	agreed int     // letters and digits of fixed parts that both have
	cost   float64 // of what one has fixed and the other has not, 0 none
	filled bool    // a word of the group stands where the source has a variable
	folded bool    // a word of the source is a * of the group
	spans  bool    // a variable of the source stands for several segments
}

const varies = 0 // the symbol of what varies, in a pattern of the source

// symbols returns a pattern of the source as characters, with varies for what varies.
func symbols(parts []string) (list []byte) {
	for _, p := range parts {
		switch {
		case p != "":
			list = append(list, p...)
		case len(list) == 0 || list[len(list)-1] != varies:
			list = append(list, varies)
		}
	}
	return list
}

// fixed returns the number of letters and digits of a pattern.
func fixed(pattern []byte) (n int) {
	for _, c := range pattern {
		if c != varies && isWord(c) && c != '_' {
			n++
		}
	}
	return n
}

func separates(c byte) bool { return strings.IndexByte(":/|.;,#", c) >= 0 }
func isLetter(c byte) bool  { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// An aligner finds the best alignment of two patterns. It remembers the alignments of
// their ends, so that time is bounded by the product of their lengths and one of them.
type aligner struct {
	source []byte // with varies
	group  string // with *
	known  map[int]*alignment
}

const maxPattern = 160 // bytes of either pattern that are compared

// align returns the best alignment, nil if there is none.
func align(source []byte, group string) *alignment {
	if len(source) > maxPattern || len(group) > maxPattern {
		return nil
	}
	a := &aligner{source: source, group: group, known: map[int]*alignment{}}
	return a.from(0, 0)
}

func (a *aligner) from(i, j int) *alignment {
	if i == len(a.source) && j == len(a.group) {
		return &alignment{}
	}
	if i == len(a.source) {
		return nil
	}
	key := i<<16 | j
	best, ok := a.known[key]
	if ok {
		return best
	}
	a.known[key] = nil
	if a.source[i] == varies {
		best = a.variable(i, j)
	} else {
		best = a.literal(i, j)
	}
	a.known[key] = best
	return best
}

func better(a, b *alignment) *alignment {
	if a == nil || b != nil && float64(b.agreed)-20*b.cost > float64(a.agreed)-20*a.cost {
		return b
	}
	return a
}

// literal aligns a character of the source.
func (a *aligner) literal(i, j int) (best *alignment) {
	if j == len(a.group) {
		return nil
	}
	c := a.source[i]
	if c == a.group[j] {
		if rest := a.from(i+1, j+1); rest != nil {
			next := *rest
			if isWord(c) && c != '_' {
				next.agreed++
			}
			best = &next
		}
	}
	if a.group[j] != '*' {
		return best
	}
	// A * of a group stands for digits, and for a segment with too many values.
	end := i
	for end < len(a.source) && isDigit(a.source[end]) {
		end++
	}
	if end > i {
		best = better(best, a.from(end, j+1))
	}
	if i > 0 && !separates(a.source[i-1]) || j+1 < len(a.group) && !separates(a.group[j+1]) || separates(c) {
		return best
	}
	for end = i; end < len(a.source) && !separates(a.source[end]); end++ {
	}
	if rest := a.from(end, j+1); rest != nil {
		next := *rest
		next.cost += 0.3
		next.folded = true
		best = better(best, &next)
	}
	return best
}

// variable aligns what varies in the source with any number of characters of the group.
func (a *aligner) variable(i, j int) (best *alignment) {
	for end := j; end <= len(a.group); end++ {
		cost, filled, ok := a.fill(i, j, end)
		if !ok {
			continue
		}
		if rest := a.from(i+1, end); rest != nil {
			next := *rest
			if next.cost += cost; filled && rest.filled {
				next.cost -= 0.12 // where one has a word, others have, too
			}
			next.filled = next.filled || filled
			next.spans = next.spans || a.separated(a.group[j:end])
			best = better(best, &next)
		}
	}
	return best
}

// separated reports whether a value has a separator that the source has, too.
func (a *aligner) separated(value string) bool {
	for n := range len(value) {
		if separates(value[n]) && bytes.IndexByte(a.source, value[n]) >= 0 {
			return true
		}
	}
	return false
}

// fill returns the cost of a variable whose value is a part of the group's pattern.
func (a *aligner) fill(i, from, to int) (cost float64, filled, ok bool) {
	value := a.group[from:to]
	if value == "" {
		return 0.05, false, true
	}
	joins := func(c byte) bool { return isLetter(c) || c == '_' }
	if i > 0 && isLetter(a.source[i-1]) && joins(value[0]) {
		return 0, false, false // it would cut a word
	}
	if last := value[len(value)-1]; i+1 < len(a.source) && isLetter(a.source[i+1]) && (joins(last) || last == '-') {
		return 0, false, false
	}
	if isNumber(value) {
		return 0, false, true
	}
	letters, separators := false, 0
	for n := 0; n < len(value); n++ {
		switch c := value[n]; {
		case separates(c):
			separators++
		case isLetter(c):
			if separators > 0 && i > 0 { // a word behind a separator is hardly part of a value
				return a.ownText(value)
			}
			letters = true
		}
	}
	switch {
	case i == 0 && separators > 2:
		return 0, false, false
	case i == 0 && separators > 0: // a prefix
		if a.separated(value) {
			return 0.2, false, true
		}
		return 0.1, false, true
	case letters && separators > 0, strings.Contains(value, " "):
		return a.ownText(value)
	case letters:
		return 0.2, true, true
	}
	return 0.1 * float64(separators), false, true
}

// ownText returns the cost of a variable whose value has separators of its own: an address of
// mail, a digest, words with spaces, or the name of a host or a type where the source joins
// nothing with points.
func (a *aligner) ownText(value string) (cost float64, filled, ok bool) {
	name, rest, _ := strings.Cut(value, "@")
	algorithm, digest, _ := strings.Cut(value, ":")
	words, _, spaces := strings.Cut(value, " ")
	last := value[len(value)-1]
	switch cost = 0.1 + 0.002*float64(len(value)); {
	case separates(last), strings.ContainsAny(value, "/|;"):
	case name != "" && rest != "" && !strings.ContainsAny(value, ": ,"), digests[algorithm] && !strings.Contains(digest, ":"),
		spaces && words != "" && !strings.Contains(words, ":"):
		return cost, true, true
	case !strings.ContainsAny(value, ":,#") && !separates(value[0]) && bytes.IndexByte(a.source, '.') < 0:
		return cost + 0.1, true, true
	}
	return 0, false, false
}

var digests = wordSet("md5 sha1 sha256 sha384 sha512 blake3")

func isNumber(value string) bool {
	digits := false
	for i := range len(value) {
		switch c := value[i]; {
		case isDigit(c):
			digits = true
		case c == '*' || c == '-' || c|0x20 >= 'a' && c|0x20 <= 'f':
		default:
			return false
		}
	}
	return digits && len(value) >= 8
}

// covers reports whether a group has the fixed parts of a pattern in their order.
func covers(source []byte, group string) bool {
	for i, part := range strings.Split(string(source), string(rune(varies))) {
		at := strings.Index(group, part)
		if at < 0 || i == 0 && at > 0 {
			return false
		}
		group = group[at+len(part):]
	}
	return true
}

// spans reports whether a group has the fixed parts of a pattern, and ends as it does.
func spans(source []byte, group string) bool {
	return covers(source, group) && strings.HasSuffix(group, string(source[bytes.LastIndexByte(source, varies)+1:]))
}

// glob reports whether a group agrees with a pattern whose variables stand for any text, but none for an identifier and
// a word behind it: crawl:*:kickoff:jobs is none of crawl:*:jobs.
func glob(source []byte, group string) bool {
	before, _, _ := bytes.Cut(source, []byte{varies})
	if !spans(source, group) {
		return false
	}
	value := group[len(before):]
	return len(value) < 2 || value[0] != '*' || !separates(value[1]) ||
		strings.Count(group, value[1:2]) <= bytes.Count(source, []byte(value[1:2]))
}

// firstWord returns what a pattern begins with, up to its first separator or variable.
func firstWord(pattern string) string {
	end := strings.IndexFunc(pattern, func(r rune) bool { return r < 0x80 && !isWord(byte(r)) })
	return pattern[:max(0, end)]
}
