package report

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// The machine writing of a name is its UTF-8 text with `\\` for a backslash and
// \xNN (lower case) for each byte of a control character (C0, DEL, C1) and for
// each byte that is not UTF-8. It is a valid line of text, and Unescape gives
// the bytes back. Every format starts from it:
//
//	JSON, JSONL  the machine writing, as a JSON string
//	CSV          \xNN also for a first = + - or @, then RFC 4180 quotes
//	terminal     \xNN also for what cannot be seen: see hidden, and a space at an end
//
// A writing says how the few ASCII characters that formats treat differently
// are written; the rest is common.
type writing struct {
	escape    string // the backslash before xNN
	backslash string // a backslash of the name
	quote     string // a double quote of the name
	hidden    bool   // escape characters that cannot be seen
}

var (
	plainWriting   = writing{escape: `\`, backslash: `\\`, quote: `"`}
	jsonWriting    = writing{escape: `\\`, backslash: `\\\\`, quote: `\"`}
	csvWriting     = writing{escape: `\`, backslash: `\\`, quote: `""`}
	displayWriting = writing{escape: `\`, backslash: `\\`, quote: `"`, hidden: true}

	// Text of ours, in which names are escaped already: what is left of
	// characters that do harm is escaped, backslashes stay.
	displayText = writing{escape: `\`, backslash: `\`, quote: `"`, hidden: true}
	csvText     = writing{escape: `\`, backslash: `\`, quote: `""`}
)

const hexDigits = "0123456789abcdef"

// What a byte of a name is to a writing.
const (
	classPlain = iota
	classQuote
	classBackslash
	classControl
	classHigh
)

var byteClass = func() (t [256]uint8) {
	for i := range t {
		switch {
		case i < 0x20 || i == 0x7f:
			t[i] = classControl
		case i >= utf8.RuneSelf:
			t[i] = classHigh
		}
	}
	t['"'], t['\\'] = classQuote, classBackslash
	return t
}()

// appendHex appends \xNN for each byte.
func (w *writing) appendHex(dst, bytes []byte) []byte {
	for _, c := range bytes {
		dst = append(dst, w.escape...)
		dst = append(dst, 'x', hexDigits[c>>4], hexDigits[c&15])
	}
	return dst
}

// append appends the name. It allocates nothing but room in dst.
func (w *writing) append(dst, name []byte) []byte {
	start := 0 // of the run that needs no escape
	for i := 0; i < len(name); {
		size := 1
		switch byteClass[name[i]] {
		case classPlain:
			i++
			continue
		case classQuote:
			dst = append(dst, name[start:i]...)
			dst = append(dst, w.quote...)
		case classBackslash:
			dst = append(dst, name[start:i]...)
			dst = append(dst, w.backslash...)
		case classControl:
			dst = append(dst, name[start:i]...)
			dst = w.appendHex(dst, name[i:i+1])
		case classHigh:
			var r rune
			r, size = utf8.DecodeRune(name[i:])
			if !(r == utf8.RuneError && size == 1) && r > 0x9f && !(w.hidden && hidden(r)) {
				i += size
				continue
			}
			dst = append(dst, name[start:i]...)
			dst = w.appendHex(dst, name[i:i+size])
		}
		i += size
		start = i
	}
	return append(dst, name[start:]...)
}

// hidden reports whether a character above ASCII is not shown as itself: format
// characters (bidirectional controls, zero width), line and paragraph
// separators, other spaces than the ideographic one, characters that Unicode
// says to ignore (fillers, variation selectors), and code points without a
// character, which fonts show as they like.
func hidden(r rune) bool {
	if unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) {
		return true
	}
	return !unicode.IsGraphic(r) || unicode.Is(unicode.Zs, r) && r != '\u3000'
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// special has a high bit set if one of the eight bytes of w is below '-' (the
// control characters, the double quote and the comma are), a backslash, DEL or
// above ASCII. It says so of harmless bytes too: it only chooses the fast way.
func special(w uint64) uint64 {
	b := w ^ '\\'*ones
	return (w | (w-'-'*ones)&^w | (w + ones) | (b-ones)&^b) & highs
}

// plain reports whether every format writes the name as it stands, but for a
// first character of a cell of CSV.
func plain(name []byte) bool {
	n := len(name)
	if n < 8 {
		return special(short(name)) == 0
	}
	s := special(binary.LittleEndian.Uint64(name[n-8:]))
	for ; len(name) > 8; name = name[8:] {
		s |= special(binary.LittleEndian.Uint64(name))
	}
	return s == 0
}

// short gives up to seven bytes in a word, filled up with letters.
func short(name []byte) uint64 {
	w := uint64('a' * ones)
	for _, c := range name {
		w = w<<8 | uint64(c)
	}
	return w
}

// AppendEscaped appends the machine writing of a name.
func AppendEscaped(dst, name []byte) []byte {
	if plain(name) {
		return append(dst, name...)
	}
	return plainWriting.append(dst, name)
}

// AppendJSON appends the machine writing of a name as a JSON string.
func AppendJSON(dst, name []byte) []byte {
	dst = append(dst, '"')
	if plain(name) {
		dst = append(dst, name...)
	} else {
		dst = jsonWriting.append(dst, name)
	}
	return append(dst, '"')
}

// AppendCSV appends the machine writing of a name as a cell of CSV. A first
// character that a spreadsheet would take for a formula is written as \xNN.
func AppendCSV(dst, name []byte) []byte { return csvWriting.appendCell(dst, name) }

// appendCell appends a cell of CSV.
func (w *writing) appendCell(dst, name []byte) []byte {
	if len(name) == 0 {
		return dst
	}
	first := name[0]
	formula := first == '=' || first == '+' || first == '-' || first == '@'
	if !formula && plain(name) {
		return append(dst, name...)
	}
	quoted := first == ' ' // some readers drop it otherwise
	for _, c := range name {
		if c == ',' || c == '"' {
			quoted = true
			break
		}
	}
	if quoted {
		dst = append(dst, '"')
	}
	if formula {
		dst = w.appendHex(dst, name[:1])
		name = name[1:]
	}
	dst = w.append(dst, name)
	if quoted {
		dst = append(dst, '"')
	}
	return dst
}

// AppendDisplay appends a name as it is shown to people on a terminal: the
// machine writing, with \xNN for characters that cannot be seen, so that no
// name can send escape sequences, change the direction of a line or look like
// another one by them. Unescape gives the bytes back.
func AppendDisplay(dst, name []byte) []byte {
	if plain(name) {
		return append(dst, name...)
	}
	dst, name = appendSpace(dst, name)
	end := len(name)
	if end > 0 && name[end-1] == ' ' {
		end--
	}
	dst = displayWriting.append(dst, name[:end])
	dst, _ = appendSpace(dst, name[end:])
	return dst
}

// appendSpace escapes a space at an end of a name, where nobody sees it.
func appendSpace(dst, name []byte) (shown, rest []byte) {
	if len(name) > 0 && name[0] == ' ' {
		return displayWriting.appendHex(dst, name[:1]), name[1:]
	}
	return dst, name
}

// Display gives a name as AppendDisplay writes it, and "" in quotes for the
// empty one.
func (n Name) Display() string {
	if n == "" {
		return `""`
	}
	return string(AppendDisplay(nil, []byte(n)))
}

// DisplayText gives a text of ours, such as an error's, as it may be shown:
// nothing in it can do harm, and backslashes of names that are escaped already
// stay as they are.
func DisplayText(text string) string { return string(displayText.append(nil, []byte(text))) }

var errEscape = errors.New(`a backslash is followed by neither \ nor xNN`)

// Unescape gives the bytes behind the writing of a name in any format (of JSON
// and CSV: when the format's own quotes are read). A backslash must begin `\\`
// or \xNN.
func Unescape(text []byte) ([]byte, error) {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			out = append(out, text[i])
			continue
		}
		switch rest := text[i+1:]; {
		case len(rest) >= 1 && rest[0] == '\\':
			out = append(out, '\\')
			i++
		case len(rest) >= 3 && rest[0] == 'x' && isHex(rest[1]) && isHex(rest[2]):
			out = append(out, unhex(rest[1])<<4|unhex(rest[2]))
			i += 3
		default:
			return nil, fmt.Errorf("character %d: %w", i+1, errEscape)
		}
	}
	return out, nil
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func unhex(c byte) byte {
	switch {
	case c <= '9':
		return c - '0'
	case c <= 'F':
		return c - 'A' + 10
	}
	return c - 'a' + 10
}
