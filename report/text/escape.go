package text

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The escaped form of a name is its UTF-8 text with `\\` for a backslash and
// \xNN (lower case) for each byte of a control character (C0, DEL, C1) and for
// each byte that is not UTF-8. It is a valid line of text. Unescape reverses it.
// Every output starts from it:
//
//	JSON, JSONL  the escaped form, as a JSON string
//	CSV          also \xNN for a character that begins a formula (= + - @, in
//	             ASCII or full width) at the beginning of a cell or after ; where
//	             some readers begin a cell; then quoted as in RFC 4180
//	display      also \xNN for characters that are invisible (see invisible) and
//	             for a space at either end
//
// An escaper states how the few ASCII characters that outputs treat differently
// are written. The rest is common.
type escaper struct {
	escape    string // the backslash before xNN
	backslash string // a backslash of the name
	quote     string // a double quote of the name
	invisible bool   // escape invisible characters
}

var (
	plainEscaper   = escaper{escape: `\`, backslash: `\\`, quote: `"`}
	jsonEscaper    = escaper{escape: `\\`, backslash: `\\\\`, quote: `\"`}
	csvEscaper     = escaper{escape: `\`, backslash: `\\`, quote: `""`}
	displayEscaper = escaper{escape: `\`, backslash: `\\`, quote: `"`, invisible: true}

	// For sentences of ours, in which names are escaped already: backslashes
	// stay, and any harmful character that is left is escaped.
	displaySentence = escaper{escape: `\`, backslash: `\`, quote: `"`, invisible: true}
	csvSentence     = escaper{escape: `\`, backslash: `\`, quote: `""`}
)

const hexDigits = "0123456789abcdef"

// The classes of bytes that an escaper distinguishes.
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

func (e *escaper) appendHex(dst, bytes []byte) []byte {
	for _, c := range bytes {
		dst = append(dst, e.escape...)
		dst = append(dst, 'x', hexDigits[c>>4], hexDigits[c&15])
	}
	return dst
}

// append appends the escaped name. It allocates only to grow dst.
func (e *escaper) append(dst, name []byte) []byte {
	start := 0 // of the run that needs no escape
	for i := 0; i < len(name); {
		size := 1
		switch byteClass[name[i]] {
		case classPlain:
			i++
			continue
		case classQuote:
			dst = append(dst, name[start:i]...)
			dst = append(dst, e.quote...)
		case classBackslash:
			dst = append(dst, name[start:i]...)
			dst = append(dst, e.backslash...)
		case classControl:
			dst = append(dst, name[start:i]...)
			dst = e.appendHex(dst, name[i:i+1])
		case classHigh:
			var r rune
			r, size = utf8.DecodeRune(name[i:])
			if !(r == utf8.RuneError && size == 1) && r > 0x9f && !(e.invisible && Invisible(r)) {
				i += size
				continue
			}
			dst = append(dst, name[start:i]...)
			dst = e.appendHex(dst, name[i:i+size])
		}
		i += size
		start = i
	}
	return append(dst, name[start:]...)
}

// Invisible reports whether a character above ASCII does not appear as itself:
// format characters (bidirectional controls, zero width), line and paragraph
// separators, spaces other than the ideographic one, characters that Unicode
// marks as ignorable (fillers, variation selectors), and unassigned code points,
// which fonts show as they like.
func Invisible(r rune) bool {
	if unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) {
		return true
	}
	return !unicode.IsGraphic(r) || unicode.Is(unicode.Zs, r) && r != '\u3000'
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// special returns a word with a high bit set if one of the eight bytes of w is
// below '-' (control characters, the double quote and the comma are), a
// backslash, DEL or above ASCII. Some harmless bytes set it too: it only selects
// the slow path.
func special(w uint64) uint64 {
	b := w ^ '\\'*ones
	return (w | (w-'-'*ones)&^w | (w + ones) | (b-ones)&^b) & highs
}

// plain reports whether every output writes the name unchanged, except for the
// first character of a CSV cell.
func plain(name []byte) bool {
	n := len(name)
	if n < 8 {
		return special(shortWord(name)) == 0
	}
	s := special(binary.LittleEndian.Uint64(name[n-8:]))
	for ; len(name) > 8; name = name[8:] {
		s |= special(binary.LittleEndian.Uint64(name))
	}
	return s == 0
}

// shortWord returns up to seven bytes in a word, padded with letters.
func shortWord(name []byte) uint64 {
	w := uint64('a' * ones)
	for _, c := range name {
		w = w<<8 | uint64(c)
	}
	return w
}

// AppendEscaped appends the escaped form of a name.
func AppendEscaped(dst, name []byte) []byte {
	if plain(name) {
		return append(dst, name...)
	}
	return plainEscaper.append(dst, name)
}

// AppendJSON appends the escaped form of a name as a JSON string.
func AppendJSON(dst, name []byte) []byte {
	dst = append(dst, '"')
	if plain(name) {
		dst = append(dst, name...)
	} else {
		dst = jsonEscaper.append(dst, name)
	}
	return append(dst, '"')
}

// AppendCSV appends the escaped form of a name as a CSV cell. A character that a
// spreadsheet would take for the beginning of a formula is written as \xNN: the
// first of the cell, and the first behind each semicolon, because many spreadsheets
// separate cells there. Spaces and quotes before it do not protect it.
func AppendCSV(dst, name []byte) []byte { return csvEscaper.appendCell(dst, name) }

// AppendCSVSentence appends a sentence of ours as a CSV cell. Names in it are
// escaped already, so its backslashes stay.
func AppendCSVSentence(dst []byte, s string) []byte { return csvSentence.appendCell(dst, []byte(s)) }

func (e *escaper) appendCell(dst, name []byte) []byte {
	if len(name) == 0 {
		return dst
	}
	if formulaLen(name) == 0 && plain(name) && bytes.IndexByte(name, ';') < 0 {
		return append(dst, name...)
	}
	quoted := name[0] == ' ' // some readers drop it otherwise
	for _, c := range name {
		if c == ',' || c == '"' || c == ';' {
			quoted = true
			break
		}
	}
	if quoted {
		dst = append(dst, '"')
	}
	start := 0
	begins := true // a cell may begin here
	for i := 0; i < len(name); i++ {
		if begins {
			if n := formulaLen(name[i:]); n > 0 {
				dst = e.append(dst, name[start:i])
				dst = e.appendHex(dst, name[i:i+n])
				start = i + n
				i += n - 1
				begins = false
				continue
			}
		}
		begins = name[i] == ';' || begins && (name[i] == ' ' || name[i] == '"' || name[i] == '\'')
	}
	dst = e.append(dst, name[start:])
	if quoted {
		dst = append(dst, '"')
	}
	return dst
}

// formulaLen returns the bytes of a first character that begins a formula, 0 if
// there is none.
func formulaLen(name []byte) int {
	if len(name) > 0 && (name[0] == '=' || name[0] == '+' || name[0] == '-' || name[0] == '@') {
		return 1
	}
	if len(name) >= 3 && name[0] == 0xef && name[1] == 0xbc {
		switch name[2] {
		case 0x9d, 0x8b, 0x8d, 0xa0: // U+FF1D, U+FF0B, U+FF0D, U+FF20
			return 3
		}
	}
	return 0
}

// AppendDisplay appends a name for a terminal: the escaped form, with \xNN for
// invisible characters and for a space at either end. No name can send escape
// sequences, change the direction of a line, or look like another name. Unescape
// reverses it.
func AppendDisplay(dst, name []byte) []byte {
	if plain(name) {
		return append(dst, name...)
	}
	dst, name = appendSpace(dst, name)
	end := len(name)
	if end > 0 && name[end-1] == ' ' {
		end--
	}
	dst = displayEscaper.append(dst, name[:end])
	dst, _ = appendSpace(dst, name[end:])
	return dst
}

func appendSpace(dst, name []byte) (escaped, rest []byte) {
	if len(name) > 0 && name[0] == ' ' {
		return displayEscaper.appendHex(dst, name[:1]), name[1:]
	}
	return dst, name
}

// Display returns a name as AppendDisplay writes it, and two quotes for the
// empty name.
func Display(name []byte) string {
	if len(name) == 0 {
		return `""`
	}
	return string(AppendDisplay(nil, name))
}

// Sanitize returns a sentence of ours, such as an error message, with harmful
// characters escaped. Backslashes stay, because names in it are escaped already.
func Sanitize(s string) string { return string(displaySentence.append(nil, []byte(s))) }

// SanitizeLines is Sanitize for text of several lines: line feeds and tabs stay.
func SanitizeLines(s string) string {
	var b []byte
	for {
		i := strings.IndexAny(s, "\n\t")
		if i < 0 {
			return string(displaySentence.append(b, []byte(s)))
		}
		b = append(displaySentence.append(b, []byte(s[:i])), s[i])
		s = s[i+1:]
	}
}

var errEscape = errors.New(`a backslash must be followed by \ or xNN`)

var errCut = errors.New("the name was cut here: its end is not known")

// Unescape returns the name that an escaped form stands for, of any output (of
// JSON and CSV: after the format's own quotes are removed). A backslash must
// begin `\\` or \xNN.
func Unescape(text []byte) ([]byte, error) {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			out = append(out, text[i])
			continue
		}
		rest := text[i+1:]
		if bytes.HasPrefix(rest, []byte(`\`)) {
			out = append(out, '\\')
			i++
			continue
		}
		if bytes.HasPrefix(rest, []byte("{")) {
			return nil, fmt.Errorf("character %d: %w", i+1, errCut)
		}
		digits, ok := bytes.CutPrefix(rest[:min(len(rest), 3)], []byte("x"))
		var err error
		if out, err = hex.AppendDecode(out, digits); !ok || len(digits) < 2 || err != nil {
			return nil, fmt.Errorf("character %d: %w", i+1, errEscape)
		}
		i += 3
	}
	return out, nil
}
