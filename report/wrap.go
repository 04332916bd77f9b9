package report

import (
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// East Asian characters are wide everywhere; characters whose width depends on
// the locale are narrow, so that a report does not depend on it.
func init() { twwidth.SetEastAsian(false) }

// Width gives the columns that a text takes on a terminal: two for a Chinese or
// another wide character, none for what combines with the one before.
func Width(s string) int { return twwidth.Width(s) }

// Wrap sets a text in lines of at most so many columns, each with its newline:
// the first begins with first, the others with next. A line breaks at a space,
// and before or behind a wide character; what has neither stays whole, however
// long it is. A no-break space (U+00A0) is no space.
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

// What no line begins with, and what none ends with, beside wide characters.
const (
	closing = ",.;:!?)]}>%，。、；：！？）】》〉」』”’…"
	opening = "([{<（【《〈「『“‘"
)

// unbroken gives the parts of a word between which a line may break: at least
// one.
func unbroken(word string) []string {
	var parts []string
	start := 0
	before, wasWide := ' ', false
	for i, c := range word {
		n := 1
		if c >= 0x300 { // the first that combines; those before are narrow
			n = Width(string(c))
		}
		if i > start && n > 0 && (n > 1 || wasWide) && !strings.ContainsRune(closing, c) && !strings.ContainsRune(opening, before) {
			parts = append(parts, word[start:i])
			start = i
		}
		if n > 0 {
			before, wasWide = c, n > 1
		}
	}
	return append(parts, word[start:])
}
