package text

import (
	"html"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
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

// compared is a sign between figures, or before one: >, ->, <0.1%, +28.
var compared = regexp.MustCompile(`^(->|[<>]([0-9.]+%)?|[+-][0-9][0-9,.]*%?)$`)

var clock = regexp.MustCompile(`^\d\d(:\d\d){1,2}$`)

// MarkdownText returns a sentence of ours, in which names are escaped for display.
// Words that could be a mark, a link, a mention or a reference become code. A word
// ends at a space and at a wide character.
func MarkdownText(s string) string {
	var b strings.Builder
	code := "" // of one or more words
	flush := func() {
		inner := strings.TrimRight(code, ",.;:")
		b.WriteString(MarkdownCode(inner) + code[len(inner):])
		code = ""
	}
	for rest := s; rest != ""; {
		space := rest[:len(rest)-len(strings.TrimLeft(rest, " "))]
		word := rest[len(space):]
		if end := strings.IndexFunc(word, func(r rune) bool { return r == ' ' || isWide(r) }); end > 0 {
			word = word[:end]
		} else if end == 0 {
			_, n := utf8.DecodeRuneInString(word)
			word = word[:n]
		}
		first := len(rest) == len(s) && space == ""
		rest = rest[len(space)+len(word):]
		switch {
		case compared.MatchString(word):
			word = html.EscapeString(word)
		case word == "" || isWide([]rune(word)[0]) || harmlessWord(word, first):
		default:
			if code == "" {
				b.WriteString(space)
				space = ""
			}
			code += space + word
			continue
		}
		flush()
		b.WriteString(space + word)
	}
	flush()
	return b.String()
}

// isWide reports whether a character is a Chinese one or its punctuation.
func isWide(r rune) bool {
	return unicode.Is(unicode.Han, r) || r >= 0x3001 && r <= 0x301f || r >= 0xff01 && r <= 0xff60
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
		case r == '(':
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
