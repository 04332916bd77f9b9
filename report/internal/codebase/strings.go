package codebase

import "strings"

// text adds the string that begins here, if one does.
func (x *lexer) text() bool {
	c, n := x.src[x.pos], 0
	for n < 3 && strings.IndexByte(x.prefixes, x.at(n)) >= 0 && x.at(n) != 0 {
		n++
	}
	quote := x.at(n)
	if x.syntax == rust {
		if n > 0 && quote == '#' || n > 0 && quote == '"' && x.src[x.pos+n-1] == 'r' {
			return x.rustRaw(n)
		}
		if c == '\'' {
			return x.rustCharacter()
		}
	}
	if quote == 0 || strings.IndexByte(x.quotes, quote) < 0 {
		return false
	}
	prefix := strings.ToLower(x.src[x.pos : x.pos+n])
	style := x.style(quote, prefix)
	open := string(quote)
	multiline := x.multiline || quote == '`' || strings.ContainsRune(prefix, '@')
	if triple := strings.Repeat(open, 3); x.triple && strings.HasPrefix(x.src[x.pos+n:], triple) {
		open, multiline = triple, true
		if x.syntax == csharp {
			style |= rawText
		}
	}
	body := x.pos + n + len(open)
	tail, ok := x.closing(body, open, style, multiline, 0)
	if !ok {
		tail = min(tail, len(x.src))
		open = ""
	}
	x.addText(body, tail, tail+len(open), style)
	return true
}

// style returns the style of a string with a quote and letters before it.
func (x *lexer) style(quote byte, prefix string) (style byte) {
	for bit, quotes := range x.styles {
		if strings.IndexByte(quotes, quote) >= 0 {
			style |= 1 << bit
		}
	}
	if strings.ContainsAny(prefix, "r@") {
		style |= rawText
	}
	if x.syntax == python && strings.Contains(prefix, "f") || x.syntax == csharp && strings.Contains(prefix, "$") {
		style |= braceText
	}
	return style
}

func (x *lexer) addText(body, tail, end int, style byte) {
	lines := x.line
	begin, t := x.begin, x.add(textToken, end)
	t.body, t.tail, t.style = int32(body), int32(tail), style
	x.pos, x.line, x.begin = int(t.start), lines, begin
	x.advance(end)
	x.fresh = false
}

// closing returns the offset of the quotes that close a string, or where a string
// that nothing closes ends.
func (x *lexer) closing(i int, quotes string, style byte, multiline bool, depth int) (int, bool) {
	for ; i < len(x.src); i++ {
		if x.work++; x.work > maxWork*len(x.src) {
			break
		}
		switch c := x.src[i]; {
		case c == '\\' && style&rawText == 0:
			i++
		case c == '\n' && !multiline:
			return i, false
		case c == quotes[0] && strings.HasPrefix(x.src[i:], quotes):
			if style&rawText != 0 && x.syntax == csharp && len(quotes) == 1 && i+1 < len(x.src) && x.src[i+1] == c {
				i++ // two quotes are one
				continue
			}
			return i, true
		default:
			if n := holeAt(x.src[i:], style, x.syntax); n > 0 {
				if c == '{' && i+1 < len(x.src) && x.src[i+1] == '{' {
					i++
					continue
				}
				i = x.closingBrace(i+n, style, multiline, depth+1)
			}
		}
	}
	return len(x.src), false
}

// holeAt returns the number of bytes that open an expression at the beginning of s,
// 0 if none does.
func holeAt(s string, style byte, in *syntax) int {
	if len(s) < 2 {
		return 0
	}
	switch {
	case style&dollarText != 0 && s[0] == '$' && s[1] == '{', style&hashText != 0 && s[0] == '#' && s[1] == '{':
		return 2
	case style&braceText != 0 && s[0] == '{' && (in != php || s[1] == '$'):
		return 1
	}
	return 0
}

// closingBrace returns the offset of the brace that ends an expression in a string.
func (x *lexer) closingBrace(i int, style byte, multiline bool, depth int) int {
	open := 0
	for ; i < len(x.src) && x.work <= maxWork*len(x.src); i++ {
		x.work++
		switch c := x.src[i]; {
		case c == '{':
			open++
		case c == '}':
			if open == 0 {
				return i
			}
			open--
		case c == '\n' && !multiline:
			return i - 1
		case strings.IndexByte(x.quotes, c) >= 0 && depth < maxNesting:
			inner := x.style(c, "")
			end, ok := x.closing(i+1, string(c), inner, c == '`', depth)
			if !ok {
				return i // an apostrophe
			}
			i = end
		}
	}
	return i
}

// rustRaw adds r"..." or r#"..."#, whose first n letters are a prefix.
func (x *lexer) rustRaw(n int) bool {
	i := x.pos + n
	hashes := 0
	for i+hashes < len(x.src) && x.src[i+hashes] == '#' {
		hashes++
	}
	if i+hashes >= len(x.src) || x.src[i+hashes] != '"' || x.src[x.pos+n-1] != 'r' {
		return false
	}
	body := i + hashes + 1
	quotes := `"` + x.src[i:i+hashes]
	tail := strings.Index(x.src[body:], quotes)
	if tail < 0 {
		tail, quotes = len(x.src)-body, ""
	}
	x.addText(body, body+tail, body+tail+len(quotes), rawText)
	return true
}

// rustCharacter adds a character, or skips the apostrophe of a parameter of a type.
func (x *lexer) rustCharacter() bool {
	if x.at(1) == '\\' || x.at(2) == '\'' {
		if i := strings.IndexByte(x.src[min(x.pos+2, len(x.src)):], '\''); i >= 0 && i < 12 {
			x.addText(x.pos+1, x.pos+2+i, x.pos+3+i, byteText)
			return true
		}
	}
	x.add(markToken, x.pos+1)
	return true
}

// A piece is a part of a string: a text, or an expression.
type piece struct {
	text string
	hole bool
}

// pieces cuts the content of a string into texts and expressions.
func (s *syntax) pieces(content string, style byte) (list []piece) {
	x := lexer{syntax: s, src: content}
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			list = append(list, piece{text: text.String()})
			text.Reset()
		}
	}
	for i := 0; i < len(content) && len(list) < maxParts; {
		c := content[i]
		if n := holeAt(content[i:], style, s); n > 0 {
			if c == '{' && i+1 < len(content) && content[i+1] == '{' {
				text.WriteByte('{')
				i += 2
				continue
			}
			end := min(x.closingBrace(i+n, style, true, 0), len(content))
			flush()
			list = append(list, piece{content[i+n : end], true})
			i = end + 1
			continue
		}
		switch {
		case c == '\\' && style&rawText == 0 && i+1 < len(content):
			text.WriteByte(unescape(content[i+1]))
			i += 2
		case c == '}' && style&braceText != 0 && s != php && i+1 < len(content) && content[i+1] == '}':
			text.WriteByte('}')
			i += 2
		case c == '$' && style&dollarText != 0 && s != javaScript && i+1 < len(content) && isWordStart(content[i+1]):
			end := i + 1
			for end < len(content) && isWord(content[end]) {
				end++
			}
			name := content[i+1 : end]
			if s == php {
				if strings.HasPrefix(content[end:], "->") {
					for end += 2; end < len(content) && isWord(content[end]); end++ {
					}
				} else if strings.HasPrefix(content[end:], "[") {
					if n := strings.IndexByte(content[end:], ']'); n >= 0 {
						end += n + 1
					}
				}
				name = content[i:end]
			}
			flush()
			list = append(list, piece{name, true})
			i = end
		default:
			text.WriteByte(c)
			i++
		}
	}
	flush()
	return list
}

// unescape returns what a character stands for behind a backslash.
func unescape(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case '0':
		return 0
	}
	return c
}
