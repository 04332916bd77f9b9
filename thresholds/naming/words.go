package naming

import "strings"

// Words finds words of a list in names.
type Words struct {
	byFirst [256][]listedWord // by first letter, in lower case; in the order of the list
	joins   [256]bool         // bytes that may occur between two words of an entry
}

type listedWord struct {
	parts []string // in lower case
	index int      // in the list
}

// NewWords compiles a list. Each entry is one word of ASCII letters, or several
// separated by white space. Letter case is ignored. Words of an entry are found in
// one segment only, and separators end a segment, except an underscore that is not
// the first of several: such names write words as in video_info.
func NewWords(list []string, separators string) *Words {
	w := new(Words)
	for b := range w.joins {
		i := strings.IndexByte(separators, byte(b))
		w.joins[b] = !isAlphanumeric(byte(b)) && (i < 0 || b == '_' && i > 0)
	}
	for i, entry := range list {
		parts := strings.Fields(strings.ToLower(entry))
		w.byFirst[parts[0][0]] = append(w.byFirst[parts[0][0]], listedWord{parts, i})
	}
	return w
}

// Find returns the index of the first listed word in a name and its offset, 0 and
// -1 if there is none. A word ends at anything but a letter and before a capital
// that follows a lower-case letter, as in filePath. Between the words of an entry
// at most one character may occur that is neither letter, digit nor separator.
func (w *Words) Find(name []byte) (index, offset int) {
	for i, c := range name {
		if !isLetter(c) || i > 0 && isLetter(name[i-1]) && !isHump(name, i) {
			continue
		}
		for _, l := range w.byFirst[c|0x20] {
			if w.begins(&l, name[i:]) {
				return l.index, i
			}
		}
	}
	return 0, -1
}

// begins reports whether text begins with the entry and the last word of it ends
// there.
func (w *Words) begins(l *listedWord, text []byte) bool {
	i := 0
	for n, part := range l.parts {
		if n > 0 && i < len(text) && w.joins[text[i]] {
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

// isHump reports whether byte i is a capital after a lower-case letter.
func isHump(name []byte, i int) bool { return isUpper(name[i]) && !isUpper(name[i-1]) }

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

func isUpper(b byte) bool { return b >= 'A' && b <= 'Z' }
