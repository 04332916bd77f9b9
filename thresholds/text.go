package thresholds

import (
	"bytes"
	"unicode/utf8"

	"github.com/rdblens/rdblens/parser"
)

// The notes of large-text: what the text looks like, and where it is.
const (
	noteJSON    = 1
	noteXML     = 2
	noteText    = 3
	noteElement = 4 // in the largest element of a collection
)

// confirmText confirms a key whose head is that of an uncompressed text.
func confirmText(where uint8) confirmation {
	return func(k *parser.Key, f *Facts, found *Finding) bool {
		kind := textKind(k.Head)
		found.Note = kind | where
		return kind != 0
	}
}

// textKind tells what a value is by its first bytes: one of the notes, 0 where
// it is no text. Compressed and binary forms have control characters or bytes
// that are not UTF-8 among the first few.
func textKind(head []byte) uint8 {
	if len(head) == 0 || !isText(head) {
		return 0
	}
	trimmed := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	if len(trimmed) == 0 {
		return noteText
	}
	next := byte(0)
	if rest := bytes.TrimLeft(trimmed[1:], " \t\r\n"); len(rest) > 0 {
		next = rest[0]
	}
	switch trimmed[0] {
	case '{':
		if next == '"' || next == '}' || next == 0 {
			return noteJSON
		}
	case '[':
		if next == 0 || bytes.IndexByte([]byte(`{["-0123456789tfn]`), next) >= 0 {
			return noteJSON
		}
	case '<':
		if next == '?' || next == '!' || next|0x20 >= 'a' && next|0x20 <= 'z' {
			return noteXML
		}
	}
	return noteText
}

// isText reports whether bytes are UTF-8 without control characters, the last
// character perhaps cut.
func isText(b []byte) bool {
	for i := 0; i < len(b); {
		r, size := utf8.DecodeRune(b[i:])
		switch {
		case r == utf8.RuneError && size <= 1:
			return i > 0 && !utf8.FullRune(b[i:])
		case r < ' ' && r != '\t' && r != '\n' && r != '\r', r == 0x7f:
			return false
		}
		i += size
	}
	return true
}
