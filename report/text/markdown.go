package text

import (
	"html"
	"regexp"
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

// compared is a sign between figures, or before one: > and <0.1%.
var compared = regexp.MustCompile(`^[<>]([0-9.]+%)?$`)

var clock = regexp.MustCompile(`^\d\d(:\d\d){1,2}$`)

// MarkdownText returns a sentence of ours, in which names are escaped for display.
// Words that could be a mark, a link, a mention or a reference become code.
func MarkdownText(s string) string {
	var b strings.Builder
	var code []string // words for one piece of code
	flush := func() {
		if code != nil {
			s := strings.Join(code, " ")
			inner := strings.TrimRight(s, ",.;:")
			b.WriteString(MarkdownCode(inner) + s[len(inner):])
			code = nil
		}
	}
	for i, word := range strings.Split(s, " ") {
		if compared.MatchString(word) {
			word = html.EscapeString(word)
		} else if word != "" && !harmlessWord(word, i == 0) {
			if code == nil && i > 0 {
				b.WriteByte(' ')
			}
			code = append(code, word)
			continue
		}
		flush()
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(word)
	}
	flush()
	return b.String()
}

// harmlessWord reports whether Markdown shows a word as it is. First is true for
// the first word of a line, which could begin a list.
func harmlessWord(word string, first bool) bool {
	if clock.MatchString(word) {
		return true
	}
	last := strings.LastIndexFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
	digits, letters := 0, 0
	for i, r := range word {
		switch {
		case '0' <= r && r <= '9':
			digits++
		case r == '_' || r == '-' || r == '+' || r == '=' || r == '/' || r == '.':
			// Part of a word, or a sign of its own.
			if r == '_' && (i == 0 || i > last) || (first && i == 0) {
				return false
			}
		case unicode.IsLetter(r):
			if unicode.ToLower(r) > 'f' || r >= 0x80 {
				letters = -1 << 30
			}
			letters++
		case strings.ContainsRune(",;:%?'\")", r):
			if i < last && r != ',' && r != '\'' {
				return false // inside of a word: a reference or a scheme
			}
		case r == '(' || r == '"':
			if i > 0 {
				return false
			}
		default:
			return false
		}
	}
	lower := strings.ToLower(word)
	commit := digits > 0 && letters > 0 && digits+letters >= 7
	list := first && digits > 0 && letters == 0 && strings.HasSuffix(word, ".")
	return !commit && !list && !strings.HasPrefix(strings.TrimLeft(lower, "(\"'"), "www.") && !strings.Contains(lower, "gh-") && !strings.Contains(word, "//")
}
