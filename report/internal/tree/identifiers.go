package tree

import (
	"bytes"
	"slices"
)

// lengths are those of the values that are identifiers at a place, with their separators. most is 0
// if none are known.
type lengths struct{ least, most int16 }

func (l *lengths) has(length int) bool {
	return l.most > 0 && length >= int(l.least) && length <= int(l.most)
}

func (l *lengths) join(o lengths) {
	if l.most == 0 {
		*l = o
	} else if o.most > 0 {
		l.least, l.most = min(l.least, o.least), max(l.most, o.most)
	}
}

// enoughIdentifiers is the least number of values that show the lengths of identifiers: of different
// patterns with digits between letters, or words of one length over shortWord, which most words of
// the place have.
const (
	enoughIdentifiers = 16
	shortWord         = 8
)

// noteLengths notes the lengths of the identifiers at a place, unless some are known.
func (t *Tree) noteLengths(p *place, s spot) {
	if p.most == 0 {
		p.lengths = t.identify(s)
	}
}

// identify returns the lengths of the identifiers among the values of a place. Those of ends are
// lengths of patterns, which are shorter.
func (t *Tree) identify(s spot) (l lengths) {
	var mixed, words [2*maxValue + 9]int      // by length
	shortest, allWords := map[string]int{}, 0 // length of the values of a pattern
	for c := range t.Children(s.node) {
		n := t.Node(c)
		if n.kind != s.kind || n.wide || n.rest || n.Keys >= keysOfNumber {
			continue
		}
		if n.word {
			words[len(n.label)]++
			allWords++
		} else if pattern, scattered := t.scattered(n); scattered {
			if length, ok := shortest[string(pattern)]; !ok || len(n.label) < length {
				shortest[string(pattern)] = len(n.label)
			}
		}
	}
	for _, length := range shortest {
		mixed[length]++
	}
	if len(shortest) >= enoughIdentifiers {
		for length, k := range mixed {
			if enoughIdentifiers*k > len(shortest) {
				if l.most = int16(length); l.least == 0 {
					l.least = l.most
				}
			}
		}
		if s.kind == end {
			l.least = l.most - l.most/4
		}
		return l
	}
	for length, k := range words[shortWord+1:] {
		if length += shortWord + 1; k >= enoughIdentifiers && 4*k >= 3*allWords {
			return lengths{int16(length), int16(length)}
		}
	}
	return l
}

// scattered returns the pattern of a value, and whether it replaces something between letters, or all that an inner
// value has: then it returns the value, which no other has.
func (t *Tree) scattered(n *Node) (pattern []byte, scattered bool) {
	t.text = t.cut.appendPattern(t.text[:0], []byte(n.label), n.kind)
	if n.kind == inner && lettersOf(t.text) == 0 && string(t.text) != n.label {
		return append(t.text[:0], n.label...), true
	}
	for i := 1; i+1 < len(t.text) && !scattered; i++ {
		scattered = t.text[i] == '*' && isLetter(t.text[i-1]) && isLetter(t.text[i+1])
	}
	return t.text, scattered
}

// foldIdentifiers folds identifiers of letters and digits at a place of few values, and at any place those
// that happen to have no digit, which are words. Values with keysOfNumber keys or a share of the place
// stay, and so do words of other lengths, or with children that no other value has: they may be parts of
// an application. Of many words in hash tags, those with a share stay.
func (t *Tree) foldIdentifiers(s spot) {
	n := t.Node(s.node)
	known := place{letters: true}
	if p := n.place[s.kind]; p != 0 {
		known = t.places[p-1]
		known.letters = true
	}
	if n.values[s.kind]+n.words[s.kind] >= enoughIdentifiers {
		t.noteLengths(&known, s)
	}
	tags := 0
	for c := range t.Children(s.node) {
		if child := t.Node(c); child.kind == s.kind && child.taggedWord() {
			tags++
		}
	}
	if known.most == 0 && tags < enoughIdentifiers {
		return
	}
	all, list := t.rank(s, nil)
	part := max(1, min(finalShare, int64(len(list))/8)) // of few, 8 times the mean
	kept := t.heaviest(list, len(list), (all.keys-1)/part, (all.size-1)/part)
	below := map[string]int{} // how many values have a child
	for c := range t.Children(s.node) {
		for child := range t.Children(c) {
			if below[t.Node(child).label]++; t.Node(c).wide {
				below[t.Node(child).label]++
			}
		}
	}
	for _, v := range list {
		kept[v.node] = kept[v.node] ||
			!t.identifier(v.node, known.lengths, below) && !(tags >= enoughIdentifiers && t.Node(v.node).taggedWord())
	}
	if slices.ContainsFunc(list, func(v ranked) bool { return !kept[v.node] }) {
		t.placeOf(s.node, s.kind).join(&known)
		t.absorbOthers(s, kept, part)
	}
}

// taggedWord reports whether a value is a hash tag without anything that a pattern replaces.
func (n *Node) taggedWord() bool {
	from, to := varying(n.label, n.kind)
	return from == 1 && to < len(n.label)-int(1-n.kind) && !varies([]byte(n.label[from:to]))
}

// identifier reports whether a value with few keys is one of identifiers with such lengths.
func (t *Tree) identifier(i int32, l lengths, below map[string]int) bool {
	n := t.Node(i)
	length := int16(len(n.label))
	if n.wide || n.Keys >= keysOfNumber || length > l.most {
		return false
	}
	if n.word {
		for c := range t.Children(i) {
			if below[t.Node(c).label] == 1 {
				return false
			}
		}
		return length >= l.least
	}
	pattern, scattered := t.scattered(n)
	if n.kind == end { // a pattern: the value is longer
		return scattered || bytes.Count(pattern, []byte("*")) > 1 || lettersOf(pattern) > 0 && 2*length >= l.most
	}
	return (scattered || lettersOf(pattern) > 0) && length >= l.least
}
