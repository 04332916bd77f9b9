package thresholds

import "errors"

// count gives the number of bytes of a name that are outside of the set, and
// the offset of the first, -1 where there is none.
func (s *charset) count(name []byte) (n int64, first int) {
	first = -1
	if len(name) == 0 {
		if s.limitsFirst {
			return 1, 0
		}
		return 0, -1
	}
	for i, b := range name {
		if !s.bad[b] && !(i == 0 && s.badFirst[b]) {
			continue
		}
		if s.forbidden[b] && i > 0 && i+1 < len(name) && isDigit(name[i-1]) && isDigit(name[i+1]) {
			continue
		}
		if n++; first < 0 {
			first = i
		}
	}
	return n, first
}

// parseChars reads a set of ASCII characters and ranges, such as a-z0-9.: where
// a - at an end, or after a range, stands for itself.
func parseChars(text string) (set [256]bool, err error) {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= 0x80 {
			return set, errors.New("only ASCII characters can be listed")
		}
		if i+2 < len(text) && text[i+1] == '-' && isWord(c) {
			to := text[i+2]
			if !isWord(to) || to < c {
				return set, errors.New("range " + text[i:i+3] + " is empty")
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

func isWord(b byte) bool { return isDigit(b) || b|0x20 >= 'a' && b|0x20 <= 'z' }
