package codebase

import "strings"

// The kinds of tokens.
const (
	endToken = iota
	wordToken
	textToken // a string, with its quotes
	numberToken
	markToken // anything else, one character or an operator of two
)

// A token is a piece of source. It has offsets, not text, because a file has many.
type token struct {
	kind       byte
	mark       byte  // first character of a mark
	first      bool  // it is the first of its line
	style      byte  // of a text, see the styles
	column     int32 // bytes before it in its line
	line       int32 // from 1
	start, end int32
	body, tail int32 // the content of a text, without prefix and quotes
}

// The styles of texts.
const (
	rawText    = 1 << iota // a backslash is itself
	dollarText             // ${expression}, and $name where the language has it
	hashText               // #{expression}
	braceText              // {expression}
	byteText               // a character, or what else is no string
)

const (
	maxTokens  = 400_000 // of a file, which has at most maxFile bytes
	maxNesting = 12      // of strings in expressions in strings
	maxWork    = 8       // times that a byte is searched on average for the ends of strings
)

type lexer struct {
	*syntax
	src    string
	pos    int
	line   int32
	begin  int // of the line
	fresh  bool
	work   int // bytes that were searched for the ends of strings
	tokens []token
}

// lex cuts a source into tokens, which are appended to the given ones. It never
// fails: what is not well formed becomes tokens that mean nothing.
func (s *syntax) lex(src string, tokens []token) []token {
	x := lexer{syntax: s, src: src, line: 1, fresh: true, tokens: tokens}
	if s == php {
		x.skipMarkup()
	}
	for x.pos < len(src) && len(x.tokens) < maxTokens {
		x.next()
	}
	return x.end()
}

// end returns the tokens and some behind the last, so that it has others after it.
func (x *lexer) end() []token {
	end := token{kind: endToken, first: true, line: x.line, start: int32(len(x.src)), end: int32(len(x.src))}
	return append(x.tokens, end, end, end, end)
}

// at returns the byte i behind the position, 0 at the end.
func (x *lexer) at(i int) byte {
	if x.pos+i < len(x.src) {
		return x.src[x.pos+i]
	}
	return 0
}

func (x *lexer) has(prefix string) bool { return strings.HasPrefix(x.src[x.pos:], prefix) }

// advance moves to a position and counts the lines on the way.
func (x *lexer) advance(to int) {
	to = min(to, len(x.src))
	for i := x.pos; i < to; i++ {
		if x.src[i] == '\n' {
			x.line++
			x.begin = i + 1
			x.fresh = true
		}
	}
	x.pos = to
}

// until moves behind the next occurrence of a word, or to the end.
func (x *lexer) until(word string) {
	if i := strings.Index(x.src[x.pos:], word); i >= 0 {
		x.advance(x.pos + i + len(word))
		return
	}
	x.advance(len(x.src))
}

func (x *lexer) endOfLine() int {
	if i := strings.IndexByte(x.src[x.pos:], '\n'); i >= 0 {
		return x.pos + i
	}
	return len(x.src)
}

// skipMarkup moves behind the next <?php or <?=.
func (x *lexer) skipMarkup() {
	i := strings.Index(x.src[x.pos:], "<?")
	if i < 0 {
		x.advance(len(x.src))
		return
	}
	x.advance(x.pos + i + 2)
	if x.has("php") {
		x.pos += 3
	}
}

func (x *lexer) next() {
	c := x.src[x.pos]
	switch {
	case c == '\n' || c == ' ' || c == '\t' || c == '\r':
		x.advance(x.pos + 1)
	case x.indent && c == '\\' && x.at(1) == '\n': // the line goes on
		fresh := x.fresh
		x.advance(x.pos + 2)
		x.fresh = fresh
	case x.slashes && c == '/' && x.at(1) == '/', x.hash && c == '#' && !(x.syntax == php && x.at(1) == '['):
		x.comment()
	case x.slashes && c == '/' && x.at(1) == '*':
		x.advance(x.pos + 2)
		x.until("*/")
	case x.syntax == php && c == '?' && x.at(1) == '>':
		x.skipMarkup()
	case x.syntax == php && x.has("<<<"),
		x.syntax == ruby && c == '<' && x.at(1) == '<' && strings.IndexByte("~-", x.at(2)) >= 0 && x.at(2) != 0:
		x.heredoc()
	case x.syntax == ruby && x.fresh && (x.has("=begin") || x.has("__END__")):
		if c == '_' {
			x.advance(len(x.src))
			return
		}
		x.until("\n=end")
	case x.text():
	case isWordStart(c) || c == '$' && (x.syntax == php || x.syntax == ruby || x.syntax == javaScript),
		c == '@' && x.syntax == ruby:
		x.word()
	case c >= '0' && c <= '9':
		end := x.pos + 1
		for end < len(x.src) && (isWord(x.src[end]) || x.src[end] == '.' && end+1 < len(x.src) && isDigit(x.src[end+1])) {
			end++
		}
		x.add(numberToken, end)
	case c == '/' && x.regexes && x.regex():
	default:
		end := x.pos + 1
		if pair := x.src[x.pos:min(x.pos+2, len(x.src))]; len(pair) == 2 && isPair(pair) {
			end++
		}
		x.add(markToken, end)
	}
}

// comment skips a comment of one line. In PHP it ends before ?>.
func (x *lexer) comment() {
	end := x.endOfLine()
	if x.syntax == php {
		if i := strings.Index(x.src[x.pos:end], "?>"); i >= 0 {
			end = x.pos + i
		}
	}
	x.advance(end)
}

func isPair(s string) bool {
	switch s {
	case "::", "->", "=>", ":=", "==", "!=", "<=", ">=", "&&", "||", "+=", "-=", "?.", "??", "?:", "<<", ".=", "*=":
		return true
	}
	return false
}

func isDigit(c byte) bool     { return c >= '0' && c <= '9' }
func isWordStart(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c >= 0x80 }
func isWord(c byte) bool      { return isWordStart(c) || isDigit(c) }

func (x *lexer) add(kind byte, end int) *token {
	x.tokens = append(x.tokens, token{kind: kind, mark: x.src[x.pos], first: x.fresh, line: x.line,
		column: int32(x.pos - x.begin), start: int32(x.pos), end: int32(end)})
	x.fresh = false
	x.pos = end
	return &x.tokens[len(x.tokens)-1]
}

func (x *lexer) word() {
	end := x.pos
	for end < len(x.src) && (x.src[end] == '@' || x.src[end] == '$') {
		end++
	}
	for end < len(x.src) && (isWord(x.src[end]) || x.src[end] == '$') {
		end++
	}
	if x.syntax == ruby && end < len(x.src) && (x.src[end] == '?' || x.src[end] == '!') &&
		(end+1 == len(x.src) || x.src[end+1] != '=') {
		end++
	}
	x.add(wordToken, max(end, x.pos+1))
}

// regex skips a regular expression, if the slash can begin one.
func (x *lexer) regex() bool {
	if n := len(x.tokens); n > 0 {
		switch t := x.tokens[n-1]; {
		case t.kind == numberToken, t.kind == textToken, t.kind == markToken && strings.IndexByte(")]}", t.mark) >= 0:
			return false
		case t.kind == wordToken && x.src[t.start:t.end] != "return" &&
			!(x.syntax == ruby && x.at(1) != ' ' && x.src[x.pos-1] == ' '):
			return false
		}
	}
	class := false
	for i := x.pos + 1; i < len(x.src) && x.src[i] != '\n'; i++ {
		switch c := x.src[i]; {
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			t := x.add(textToken, i+1)
			t.body, t.tail, t.style = t.end, t.end, byteText
			return true
		}
	}
	return false
}

// heredoc skips a text that a line with its word ends.
func (x *lexer) heredoc() {
	i := x.pos + 2
	for i < len(x.src) && strings.IndexByte("<~- '\"", x.src[i]) >= 0 {
		i++
	}
	end := i
	for end < len(x.src) && isWord(x.src[end]) {
		end++
	}
	word := x.src[i:end]
	if word == "" {
		x.add(markToken, x.pos+2)
		return
	}
	// Tokens that follow on the line belong to the statement; they are dropped.
	x.advance(x.endOfLine())
	for x.pos < len(x.src) {
		x.advance(x.pos + 1)
		end := x.endOfLine()
		if line := strings.TrimLeft(x.src[x.pos:end], " \t"); strings.HasPrefix(line, word) &&
			(len(line) == len(word) || !isWord(line[len(word)])) {
			x.pos += len(x.src[x.pos:end]) - len(line) + len(word)
			return
		}
		x.advance(end)
	}
}
