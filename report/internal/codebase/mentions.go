package codebase

import (
	"iter"
	"strings"
	"sync/atomic"
)

// wordCounts counts the words of all sources by their hashes. Two words may share a count, which then is too high for
// either.
type wordCounts [1 << 20]atomic.Uint32

func (m *wordCounts) at(word string) *atomic.Uint32 { return &m[wordHash(word)] }

// wordHash is the place of a word in wordCounts.
func wordHash(word string) uint32 {
	return hash(strings.Trim(word, "$@?!")) % uint32(len(wordCounts{}))
}

// read counts the words of a source, and those of texts that may have expressions in them.
func (m *wordCounts) read(src string, tokens []token) {
	for i := range tokens {
		m.text(mentioned(src, &tokens[i]))
	}
}

// text counts the words of a text.
func (m *wordCounts) text(text string) {
	for word := range wordsIn(text) {
		m.at(word).Add(1)
	}
}

// wordsIn yields the words of a text.
func wordsIn(text string) iter.Seq[string] {
	return strings.FieldsFuncSeq(text, func(r rune) bool { return r < 0x80 && !isWord(byte(r)) })
}

// unread notes the constants without a command that nothing reads but functions for keys which nothing calls, and other
// such constants.
func (s *scanner) unread() {
	spare := map[string]int{} // places that do not count
	without := func(value *node) {
		value.rewrite(func(n *node, _ rewriter) *node {
			if n.kind == wordNode {
				spare[n.text]++
			}
			return nil
		})
	}
	for _, list := range s.program.functions {
		for _, f := range list {
			for _, r := range f.returns {
				if (keyLike(f.name) || keyLike(f.container)) && !s.named(f) { // a framework may call others
					without(r.value)
				}
			}
		}
	}
	for range maxRounds { // a constant may come before those that have it
		for _, d := range s.decls {
			if d.use.key == nil && d.use.needs == nil &&
				int(s.mentions.at(d.name).Load()) <= len(s.program.constants[d.name])+spare[d.name] {
				d.use.needs = unused
				without(d.value)
			}
		}
	}
}
