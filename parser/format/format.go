// Package format recognises the format of a value by its first bytes.
//
// A value has one format: the first of the constants that fits. Magic numbers decide for
// gzip (RFC 1952), zlib (RFC 1950), zstd (RFC 8878), LZ4 and Snappy frames, images and
// Java's serialization; the grammar of the first bytes for PHP's serialize and igbinary,
// Python's pickle (protocols 2 to 5) and MessagePack. Protocol Buffers have neither: that
// format is a guess, made only of bytes that are no text.
package format

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math/bits"
	"regexp"
	"strconv"
	"sync"
	"unicode/utf8"
)

// Format is the format of a value.
type Format uint8

// The formats. None is that of an empty value.
const (
	None Format = iota
	JSON
	Java
	PHP
	Pickle
	MessagePack
	Gzip
	Zlib
	Zstd
	LZ4
	Snappy
	Protobuf
	Image
	Text   // UTF-8 without control characters but white space
	Number // an integer or a decimal fraction, as text
	Binary // what is in none of the other formats
	count
)

var names = [count]string{"", "json", "java", "php", "pickle", "msgpack", "gzip", "zlib", "zstd", "lz4", "snappy",
	"protobuf", "image", "text", "number", "binary"}

// String returns the word for the format, "" for None.
func (f Format) String() string {
	if f < count {
		return names[f]
	}
	return ""
}

// Parse returns the format of a word, None for another one.
func Parse(word string) Format {
	for f, name := range names {
		if name == word {
			return Format(f)
		}
	}
	return None
}

// Names returns the words for all formats.
func Names() []string { return append([]string(nil), names[JSON:]...) }

// A Set is a set of formats.
type Set uint32

// Add adds a format, unless it is None.
func (s *Set) Add(f Format) { *s |= 1 << f &^ 1 }

// Has reports whether the set has a format.
func (s Set) Has(f Format) bool { return s>>f&1 != 0 }

// First returns the first format of the set, None if it is empty.
func (s Set) First() Format {
	if s == 0 {
		return None
	}
	return Format(bits.TrailingZeros32(uint32(s)))
}

// Includes reports whether a value of format other is also one of f: a number is JSON and
// text, JSON is text.
func (f Format) Includes(other Format) bool {
	return f == other || other == Number && (f == JSON || f == Text) || other == JSON && f == Text
}

// MaxWhole is the length in bytes up to which a value must be given whole to be judged
// whole: JSON is then checked from end to end. Of longer values only the beginning counts.
const MaxWhole = 64 << 10

var (
	numberText = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)
	})
	phpText = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^([aOCs]:[0-9]+:["{]|i:-?[0-9]+;|d:[-0-9.E+]+;|b:[01];|N;$|E:[0-9]+:")`)
	})
)

// Of returns the format of a value. b is its beginning, all of it if whole is true.
func Of(b []byte, whole bool) Format {
	switch {
	case len(b) == 0:
		return None
	case IsText(b):
		return ofText(b, whole)
	case bytes.HasPrefix(b, []byte{0xac, 0xed, 0, 5}):
		return Java
	case bytes.HasPrefix(b, []byte{0, 0, 0, 2}) || phpText().Match(b[:min(len(b), 64)]):
		return PHP
	case IsPickle(b, whole):
		return Pickle
	case bytes.HasPrefix(b, []byte{0x1f, 0x8b}):
		return Gzip
	case IsZlib(b):
		return Zlib
	case bytes.HasPrefix(b, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return Zstd
	case bytes.HasPrefix(b, []byte{4, 0x22, 0x4d, 0x18}):
		return LZ4
	case bytes.HasPrefix(b, []byte("\xff\x06\x00\x00sNaPpY")):
		return Snappy
	case isImage(b):
		return Image
	case isMessagePack(b, whole):
		return MessagePack
	case isProtobuf(b, whole):
		return Protobuf
	}
	return Binary
}

func ofText(b []byte, whole bool) Format {
	switch {
	case whole && len(b) <= 64 && numberText().Match(b):
		return Number
	case phpText().Match(b[:min(len(b), 64)]):
		return PHP
	case whole && json.Valid(b), !whole && beginsJSON(b):
		return JSON
	}
	return Text
}

// beginsJSON reports whether a text begins as a JSON object or array does.
func beginsJSON(b []byte) bool {
	b = bytes.TrimLeft(b, " \t\r\n")
	if len(b) < 2 {
		return false
	}
	rest := bytes.TrimLeft(b[1:], " \t\r\n")
	switch b[0] {
	case '{':
		return len(rest) == 0 || rest[0] == '"'
	case '[':
		return len(rest) == 0 || bytes.IndexByte([]byte(`{["-0123456789tfn]`), rest[0]) >= 0
	}
	return false
}

// IsText reports whether b is UTF-8 without control characters but white space, except
// that the last character may be cut.
func IsText(b []byte) bool {
	for i := 0; i < len(b); {
		c := b[i]
		if c >= ' ' && c < 0x7f {
			i++
			continue
		}
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

// IsPickle reports whether bytes begin as a pickle of protocol 2 to 5.
func IsPickle(b []byte, whole bool) bool {
	switch {
	case len(b) < 3 || b[0] != 0x80:
		return false
	case b[1] == 4 || b[1] == 5: // a frame, or a value that needs none and ends with .
		return b[2] == 0x95 || whole && b[len(b)-1] == '.'
	case b[1] == 2 || b[1] == 3:
		return bytes.IndexByte([]byte("}](cXKMJGU\x8a\x8cNq\x88\x89)"), b[2]) >= 0
	}
	return false
}

// IsZlib reports whether bytes begin as RFC 1950 has it, with the usual window.
func IsZlib(b []byte) bool {
	return len(b) > 6 && b[0] == 0x78 && binary.BigEndian.Uint16(b)%31 == 0 && b[1]&0x20 == 0
}

func isImage(b []byte) bool {
	return bytes.HasPrefix(b, []byte("\x89PNG\r\n")) || bytes.HasPrefix(b, []byte("\xff\xd8\xff")) ||
		bytes.HasPrefix(b, []byte("GIF8")) ||
		len(b) >= 12 && string(b[:4]) == "RIFF" && string(b[8:12]) == "WEBP"
}

// isMessagePack reports whether bytes are a map or an array of MessagePack that is not
// empty, as far as they are given.
func isMessagePack(b []byte, whole bool) bool {
	switch c := b[0]; {
	case c > 0x80 && c < 0xa0 && c != 0x90, c >= 0xdc && c <= 0xdf:
	default:
		return false
	}
	at := 0
	for left := uint64(1); left > 0; left-- {
		if at >= len(b) {
			return !whole && at >= 8
		}
		size, children, ok := messagePackItem(b[at:])
		if !ok || children > 1<<32 || left+children > 1<<33 {
			return false
		}
		if size == 0 || size > uint64(len(b)-at) {
			return !whole && at >= 8
		}
		at += int(size)
		left += children
	}
	return at == len(b)
}

// messagePackItem returns the bytes of the item that b begins with, without those that it
// contains, and how many these are; 0 bytes: b ends in its header.
func messagePackItem(b []byte) (size, children uint64, ok bool) {
	number := func(bytes int) (n uint64) {
		if len(b) <= bytes {
			return 0
		}
		for _, c := range b[1 : 1+bytes] {
			n = n<<8 | uint64(c)
		}
		return n
	}
	header := func(bytes int) uint64 {
		if len(b) <= bytes {
			return 0
		}
		return uint64(1 + bytes)
	}
	withPayload := func(bytes int, more uint64) (uint64, uint64, bool) {
		h := header(bytes)
		if h == 0 {
			return 0, 0, true
		}
		return h + number(bytes) + more, 0, true
	}
	switch c := b[0]; {
	case c < 0x80, c >= 0xe0, c == 0xc0, c == 0xc2, c == 0xc3:
		return 1, 0, true
	case c < 0x90:
		return 1, 2 * uint64(c&0xf), true
	case c < 0xa0:
		return 1, uint64(c & 0xf), true
	case c < 0xc0:
		return 1 + uint64(c&0x1f), 0, true
	case c >= 0xc4 && c <= 0xc6: // binary
		return withPayload(1<<(c-0xc4), 0)
	case c >= 0xc7 && c <= 0xc9: // extension
		return withPayload(1<<(c-0xc7), 1)
	case c == 0xca:
		return 5, 0, true
	case c == 0xcb:
		return 9, 0, true
	case c >= 0xcc && c <= 0xd3: // integers
		return 1 + 1<<(c&3), 0, true
	case c >= 0xd4 && c <= 0xd8: // extensions of fixed lengths
		return 2 + 1<<(c-0xd4), 0, true
	case c >= 0xd9 && c <= 0xdb: // texts
		return withPayload(1<<(c-0xd9), 0)
	case c == 0xdc, c == 0xdd:
		n := 2 << (c - 0xdc)
		return header(n), number(n), true
	case c == 0xde, c == 0xdf:
		n := 2 << (c - 0xde)
		return header(n), 2 * number(n), true
	}
	return 0, 0, false // 0xc1 is never used
}

// isProtobuf guesses whether bytes that are no text are a message of Protocol Buffers: at
// least two fields of numbers up to 1,000 that end where the bytes do, one of them with a
// length.
func isProtobuf(b []byte, whole bool) bool {
	fields, lengths := 0, 0
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 || tag>>3 == 0 || tag>>3 > 1000 {
			return false
		}
		b = b[n:]
		skip := uint64(0)
		switch tag & 7 {
		case 0:
			_, n := binary.Uvarint(b)
			if n < 0 || n == 0 && whole {
				return false
			}
			skip = uint64(max(n, 1))
		case 1:
			skip = 8
		case 2:
			size, n := binary.Uvarint(b)
			if n < 0 || n == 0 && whole || size > 1<<31 {
				return false
			}
			skip = uint64(n) + size
			lengths++
		case 5:
			skip = 4
		default:
			return false
		}
		if skip > uint64(len(b)) {
			if whole {
				return false
			}
			skip = uint64(len(b))
		}
		b = b[skip:]
		fields++
	}
	return fields >= 2 && lengths > 0
}

// IsInteger reports whether b is a whole number of 64 bits as text, without a plus sign.
func IsInteger(b []byte) bool {
	_, err := strconv.ParseInt(string(b), 10, 64)
	return err == nil && b[0] != '+'
}
