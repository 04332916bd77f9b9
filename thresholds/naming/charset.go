package naming

import (
	"errors"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
)

// A Charset limits the characters of names.
type Charset struct {
	bad         [256]uint8 // 1: not allowed
	badFirst    [256]bool
	forbidden   [256]bool // - or . that is bad, but accepted between two digits, and - in a UUID
	suspect     Class     // kinds of bytes some of which are bad
	limitsFirst bool
	spares      bool // some are accepted there
}

// NewCharset returns the set of the allowed characters, without the forbidden
// ones, and with those that a name may begin with. Each is a text as ParseSet
// takes it; "" for allowed or first means that all characters are. With
// betweenDigits, a forbidden - or . is accepted between two digits, as in dates and
// versions, and the dashes of a UUID are.
func NewCharset(allowed, first, forbidden string, betweenDigits bool) (*Charset, error) {
	allow, err1 := ParseSet(allowed)
	begin, err2 := ParseSet(first)
	forbid, err3 := ParseSet(forbidden)
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	s := &Charset{limitsFirst: first != "", spares: betweenDigits}
	for b := range 256 {
		outside := allowed != "" && !allow[b]
		s.forbidden[b] = (b == '-' || b == '.') && forbid[b] && betweenDigits && !outside
		s.badFirst[b] = s.limitsFirst && !begin[b]
		if outside || forbid[b] {
			s.bad[b] = 1
			s.suspect |= ClassOf(byte(b))
		}
	}
	return s, nil
}

// LimitsFirst reports whether the set limits the first character of a name.
func (s *Charset) LimitsFirst() bool { return s.limitsFirst }

// Suspect returns the kinds of bytes of which at least one is not in the set. A
// name without such bytes can violate the set only in its first character.
func (s *Charset) Suspect() Class { return s.suspect }

// Violations returns the number of bytes of a name that are not in the set. f
// must be the facts about the name.
func (s *Charset) Violations(name []byte, f *Facts) (n int64) {
	if f.Class&s.suspect == 0 && !s.badFirst[f.First] {
		return 0
	}
	if len(name) == 0 {
		return 1 // badFirst holds for 0, the first byte of an empty name
	}
	if s.badFirst[name[0]] && s.bad[name[0]] == 0 {
		n = 1
	}
	for _, b := range name {
		n += int64(s.bad[b])
	}
	if n == 0 || !s.spares {
		return n
	}
	for i := range name {
		if s.spared(name, i) {
			n--
		}
	}
	return n
}

// FirstViolation returns the offset of the first byte of a name that is not in
// the set, -1 if all are.
func (s *Charset) FirstViolation(name []byte) int {
	for i, b := range name {
		if (s.bad[b] != 0 || i == 0 && s.badFirst[b]) && !s.spared(name, i) {
			return i
		}
	}
	return -1
}

// spared reports whether byte i is a forbidden one between two digits or in a UUID.
func (s *Charset) spared(name []byte, i int) bool {
	if !s.forbidden[name[i]] || i == 0 || i+1 == len(name) {
		return false
	}
	return isDigit(name[i-1]) && isDigit(name[i+1]) || name[i] == '-' && inUUID(name, i)
}

// inUUID reports whether byte i of a name is a dash of a UUID. Hexadecimal digits
// right before or after it belong to a longer number, not to a UUID.
func inUUID(name []byte, i int) bool {
	for _, offset := range [...]int{8, 13, 18, 23} {
		start := i - offset
		if uuidAt(name, start) && (start == 0 || !isHex(name[start-1])) && (start+36 == len(name) || !isHex(name[start+36])) {
			return true
		}
	}
	return false
}

// ParseSet parses a set of ASCII characters and ranges of letters or digits, such
// as a-z0-9.: where a - that begins, ends or follows a range is literal.
func ParseSet(text string) (set [256]bool, err error) {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= 0x80 {
			return set, message.Errorf("only ASCII characters can be listed")
		}
		if i+2 < len(text) && text[i+1] == '-' && isAlphanumeric(c) {
			to := text[i+2]
			if !isAlphanumeric(to) || to < c {
				return set, message.Errorf("range {range} is empty", message.Code("range", text[i:i+3]))
			}
			for b := c; b <= to; b++ {
				set[b] = true
			}
			i += 2
			continue
		}
		set[c] = true
	}
	return set, nil
}

func isAlphanumeric(b byte) bool { return isDigit(b) || isLetter(b) }

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
