package naming

import (
	"errors"

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
