package thresholds

import "strings"

// makeWords compiles the abbreviations of a policy.
func makeWords(list []Abbreviation) wordTable {
	t := wordTable{any: len(list) > 0}
	for i, a := range list {
		parts := strings.Fields(strings.ToLower(a.Long))
		t.first[parts[0][0]] = append(t.first[parts[0][0]], longWord{parts, i})
	}
	return t
}

// matches reports whether a text begins with the words, with at most one
// character that is neither letter nor digit between them, and ends a word
// there.
func (w *longWord) matches(text []byte) bool {
	i := 0
	for n, part := range w.parts {
		if n > 0 && i < len(text) && !isWord(text[i]) {
			i++
		}
		if len(text)-i < len(part) {
			return false
		}
		for j := range len(part) {
			if text[i+j]|0x20 != part[j] || !isLetter(text[i+j]) {
				return false
			}
		}
		i += len(part)
	}
	return i == len(text) || !isLetter(text[i]) || isHump(text, i)
}

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

func isUpper(b byte) bool { return b >= 'A' && b <= 'Z' }
