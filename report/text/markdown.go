package text

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Markdown as GitHub and GitLab read it. Names become code, in which nothing is a
// mark, a link or a mention; the characters that could end the code, a cell of a
// table, or a tag around it are written as \xNN, which Unescape reverses.

var codeEscapes = strings.NewReplacer("`", `\x60`, "|", `\x7c`, "<", `\x3c`)

// MarkdownCode returns a name that is escaped for display as code.
func MarkdownCode(s string) string {
	if s == "" {
		return ""
	}
	return "`" + codeEscapes.Replace(s) + "`"
}

var entities = map[rune]string{'<': "&lt;", '>': "&gt;", '&': "&amp;"}

// MarkdownText returns text of ours, without names, such that Markdown shows it as it
// is: no character of it is a mark, and none begins a link, a mention or a reference.
func MarkdownText(s string) string {
	var b strings.Builder
	letter := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	runes := []rune(s)
	for i, r := range runes {
		before, after := rune(0), rune(0) // none
		if i > 0 {
			before = runes[i-1]
		}
		if i+1 < len(runes) {
			after = runes[i+1]
		}
		switch {
		case strings.ContainsRune("@#!$~%^&", r) && (letter(after) || after == '"'),
			r == '-' && unicode.IsDigit(after) && strings.EqualFold(string(runes[max(0, i-2):i]), "gh"):
			b.WriteString("`" + string(r) + "`") // nobody is called, and nothing referred to
		case entities[r] != "":
			b.WriteString(entities[r])
		case strings.ContainsRune("\\`*[]|~", r), r == '_' && !(letter(before) && letter(after)),
			r == '/' && after == '/', r == '.' && i > 0 && after == ' ' && allDigits(runes[:i]),
			r == '.' && strings.EqualFold(string(runes[max(0, i-3):i]), "www"),
			i == 0 && strings.ContainsRune("-+#=", r) && after == ' ':
			b.WriteString(`\` + string(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// allDigits reports whether a line begins as a numbered list.
func allDigits(line []rune) bool {
	return !slices.ContainsFunc(line, func(r rune) bool { return !unicode.IsDigit(r) })
}

// MarkdownURL returns the address of a link: what could end the link or a cell of a
// table is written as %NN.
func MarkdownURL(url string) string {
	var b strings.Builder
	for i := range len(url) {
		if c := url[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("()<>[]|`\\\"'*_", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
