package text

import "strings"

// NBSP is a space at which Wrap breaks no line. Display and Sanitize escape it,
// so that a caller can replace it by a space afterwards.
const NBSP = "\u00a0"

// Wrap breaks text into lines of at most the given number of columns, each
// ending in a newline. The first line begins with first, the others with next.
// A line breaks at a space, and before or after a wide character; a word without
// either stays whole, however long it is.
func Wrap(first, next, text string, columns int) string {
	var b strings.Builder
	line, used, empty := first, Width(first), true
	for word := range strings.SplitSeq(text, " ") {
		gap := " "
		for _, part := range unbroken(word) {
			if empty {
				gap = ""
			}
			n := Width(part)
			if !empty && used+len(gap)+n > columns {
				b.WriteString(strings.TrimRight(line, " ") + "\n")
				line, used, gap = next, Width(next), ""
			}
			line += gap + part
			used += len(gap) + n
			empty, gap = false, ""
		}
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
	return b.String()
}

// Characters that no line begins with, and that no line ends with, next to wide
// characters.
const (
	closing = ",.;:!?)]}>%，。、；：！？）】》〉」』”’…"
	opening = "([{<（【《〈「『“‘"
)

// unbroken splits a word into the parts between which a line may break. There is
// at least one.
func unbroken(word string) []string {
	var parts []string
	start := 0
	before, wasWide := ' ', false
	for i, c := range word {
		n := 1
		if c >= 0x300 { // the first combining character; those before are narrow
			n = Width(string(c))
		}
		if i > start && n > 0 && (n > 1 || wasWide) && !strings.ContainsRune(closing, c) &&
			!strings.ContainsRune(opening, before) {
			parts = append(parts, word[start:i])
			start = i
		}
		if n > 0 {
			before, wasWide = c, n > 1
		}
	}
	return append(parts, word[start:])
}
