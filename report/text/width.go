package text

import (
	"strings"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// East Asian characters are wide everywhere. Characters whose width depends on
// the locale are narrow, so that a report does not depend on it. A cache of widths would
// take a megabyte.
func init() {
	twwidth.SetEastAsian(false)
	twwidth.SetCacheCapacity(0)
}

// Width returns the number of columns that text takes on a terminal: two for a
// Chinese or another wide character, none for a combining one.
func Width(s string) int {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return twwidth.Width(s)
		}
	}
	return len(s)
}

// Heading returns a title in capitals, unless it is Chinese, where a Latin word in it
// stays as it is.
func Heading(title string) string {
	if Width(title) < len(title) {
		return title
	}
	return strings.ToUpper(title)
}

const ellipsis = "..."

// ShortenMiddle cuts escaped text in the middle to at most width columns, because
// names differ at both ends. It does not cut a \xNN apart.
func ShortenMiddle(text string, width int) string {
	if len(text) <= width || Width(text) <= width {
		return text
	}
	left := width - len(ellipsis) // columns
	if left < 2 {
		return ellipsis[:max(0, min(width, len(ellipsis)))]
	}
	// Escapes stay whole, and so do characters with those that combine with them,
	// which have no width.
	var ends []int
	for i := 0; i < len(text); {
		i += unitLen(text[i:])
		ends = append(ends, i)
	}
	head, used := 0, 0
	for at, end := range ends {
		start := 0
		if at > 0 {
			start = ends[at-1]
		}
		used += Width(text[start:end])
		if used > (left+1)/2 {
			break
		}
		head = end
	}
	left -= Width(text[:head])
	tail, used := len(text), 0
	for at := len(ends) - 1; at > 0; at-- {
		used += Width(text[ends[at-1]:ends[at]])
		if used > left {
			break
		}
		tail = ends[at-1]
	}
	return text[:head] + ellipsis + text[tail:]
}

// ShortenPath leaves out as many of the first directories of a path as need be, but not its last part.
func ShortenPath(path string, width int) string {
	short := path
	for rest, more := path, true; more && Width(short) > width; {
		if _, rest, more = strings.Cut(rest, "/"); more && len(ellipsis+"/"+rest) < len(path) {
			short = ellipsis + "/" + rest
		}
	}
	return short
}

// longWord is the length, in bytes, from which a word may be cut.
const longWord = 24

// ShortenEnd cuts a sentence at its end to at most width columns, before a word if that is short.
func ShortenEnd(text string, width int) string {
	if len(text) <= width || Width(text) <= width {
		return text
	}
	head, used := 0, 0
	for head < len(text) {
		n := unitLen(text[head:])
		if used += Width(text[head : head+n]); used > width-len(ellipsis) {
			break
		}
		head += n
	}
	if space := strings.LastIndexByte(text[:head], ' '); text[head] != ' ' && space > max(head-longWord, head/2) {
		head = space // a word stays whole
	}
	return strings.TrimRight(text[:head], " ,;:.") + ellipsis
}

// unitLen returns the number of bytes of the first character or escape.
func unitLen(text string) int {
	if text[0] == '\\' && len(text) > 1 {
		if text[1] == 'x' && len(text) >= 4 {
			return 4
		}
		return 2
	}
	_, n := utf8.DecodeRuneInString(text)
	return n
}
