package thresholds

import "errors"

// count gives the number of bytes of a name that are outside of the set.
func (s *charset) count(name []byte) (n int64) {
	if len(name) == 0 {
		if s.limitsFirst {
			return 1
		}
		return 0
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

// first gives the offset of the first byte that is outside of the set, -1 where
// there is none.
func (s *charset) first(name []byte) int {
	for i, b := range name {
		if (s.bad[b] != 0 || i == 0 && s.badFirst[b]) && !s.spared(name, i) {
			return i
		}
	}
	return -1
}

// spared reports whether a byte is a forbidden one that stands between digits.
func (s *charset) spared(name []byte, i int) bool {
	return s.forbidden[name[i]] && i > 0 && i+1 < len(name) && isDigit(name[i-1]) && isDigit(name[i+1])
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
