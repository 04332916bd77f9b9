package identity

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"strconv"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/format"
)

// text is what a kind looks at: the beginning of a string, of an item or of a member.
type text struct {
	b     []byte
	whole bool // b is all of it
	tail  int  // the last byte, -1 unknown
}

// kinds are the forms of values that recognisers ask for by name. All look at a few
// bytes only.
var kinds = map[string]func(t text) bool{
	"empty":   func(t text) bool { return t.whole && len(t.b) == 0 },
	"integer": func(t text) bool { return t.whole && format.IsInteger(t.b) },
	"float":   func(t text) bool { return t.whole && floatText().Match(t.b) },
	"number":  func(t text) bool { return t.whole && (format.IsInteger(t.b) || floatText().Match(t.b)) },
	"seconds": func(t text) bool { v, ok := integer(t); return ok && isSeconds(float64(v)) },
	"ms":      func(t text) bool { v, ok := integer(t); return ok && isSeconds(float64(v)/1000) },
	"time": func(t text) bool {
		v, err := strconv.ParseFloat(string(t.b), 64)
		return err == nil && (isSeconds(v) || isSeconds(v/1000))
	},
	"one":  func(t text) bool { return t.whole && string(t.b) == "1" },
	"json": func(t text) bool { return isJSON(t.b) },
	"json-list": func(t text) bool {
		return len(t.b) > 1 && t.b[0] == '[' && bytes.IndexByte([]byte("\"{[]0123456789-tfn"), t.b[1]) >= 0
	},
	"pickle":  func(t text) bool { return format.IsPickle(t.b, true) },
	"!pickle": func(t text) bool { return len(t.b) > 3 && t.b[0] == '!' && format.IsPickle(t.b[1:], true) },
	"marshal": func(t text) bool {
		return len(t.b) > 2 && t.b[0] == 4 && t.b[1] == 8 && bytes.IndexByte([]byte("{[\"IioTF0:ef;lucm@C"), t.b[2]) >= 0
	},
	"rails":       isRailsCache,
	"java":        func(t text) bool { return bytes.HasPrefix(t.b, []byte{0xac, 0xed, 0, 5}) },
	"php":         func(t text) bool { return phpText().Match(t.b) || bytes.HasPrefix(t.b, []byte{0, 0, 0, 2}) },
	"php-session": func(t text) bool { return phpSession().Match(t.b) },
	"compressed": func(t text) bool {
		return format.IsZlib(t.b) || bytes.HasPrefix(t.b, []byte{0x1f, 0x8b}) ||
			bytes.HasPrefix(t.b, []byte{0x28, 0xb5, 0x2f, 0xfd}) ||
			bytes.HasPrefix(t.b, []byte{4, 0x22, 0x4d, 0x18}) || bytes.HasPrefix(t.b, []byte{0xfd, '7', 'z', 'X', 'Z'})
	},
	"python-cache": func(t text) bool {
		return format.IsPickle(t.b, true) || t.whole && format.IsInteger(t.b) || format.IsZlib(t.b)
	},
	"gob-any": func(t text) bool { // a map of anything to anything, as gorilla/sessions has
		return isGob(t.b) && bytes.Contains(t.b[:min(16, len(t.b))], []byte{1, 0x10, 1, 0x10})
	},
	"gob":      func(t text) bool { return isGob(t.b) },
	"msgpack":  isMsgpackMap,
	"go-cache": isGoCache,
	"hex32":    func(t text) bool { return t.whole && len(t.b) == 32 && isHex(t.b) },
	"hex40":    func(t text) bool { return t.whole && len(t.b) == 40 && isHex(t.b) },
	"hex32-random": func(t text) bool { // and no UUID of version 1 or 4
		return t.whole && len(t.b) == 32 && isHex(t.b) && !isUUID1(t) &&
			!(t.b[12] == '4' && bytes.IndexByte([]byte("89ab"), t.b[16]) >= 0)
	},
	"uuid":      func(t text) bool { return t.whole && uuidText().Match(t.b) },
	"uuid1-hex": isUUID1,
	"base64-16": func(t text) bool { return t.whole && isBase64(t.b, base64.StdEncoding, 16) },
	"base64url-16": func(t text) bool {
		return len(t.b) >= 22 && isBase64(t.b[:22], base64.RawURLEncoding.Strict(), 16) && (t.whole && len(t.b) == 22)
	},
	"alnum16": func(t text) bool { return t.whole && len(t.b) == 16 && isAlnum(t.b) },
	"channels-message": func(t text) bool {
		return len(t.b) > 16 && (t.b[12]&0xf0 == 0x80 || t.b[12] == 0xde) && bytes.Contains(t.b[12:], []byte("\xa4type"))
	},
	"symfony-item": func(t text) bool { // with its expiry: ContractsTrait and CacheItem of symfony/cache
		return len(t.b) > 10 && t.b[0] == 0x9d && t.b[9] == '_'
	},
	"length|id": func(t text) bool { // the length of the ID in two digits, |, the ID
		n, err := strconv.Atoi(string(t.b[:min(2, len(t.b))]))
		return err == nil && len(t.b) > 3 && t.b[2] == '|' && t.whole && len(t.b)-3 == n
	},
	"since-2017": func(t text) bool { // seconds since 2017-01-01, with fractions
		v, err := strconv.ParseFloat(string(t.b), 64)
		return err == nil && t.whole && bytes.IndexByte(t.b, '.') > 0 && v > 1e8 && v < 1e9
	},
	"django-signed": func(t text) bool { return djangoSigned().Match(t.b) },
}

var (
	floatText    = lazy(`^-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?$`)
	phpText      = lazy(`^([aOCs]:[0-9]+:["{]|i:-?[0-9]+;|d:[-0-9.E+]+;|b:[01];|N;$|E:[0-9]+:")`)
	phpSession   = lazy(`^[A-Za-z_][\w.-]{0,63}\|([aOCs]:[0-9]+:["{]|i:-?[0-9]+;|d:[-0-9.E+]+;|b:[01];|N;)`)
	djangoSigned = lazy(`^\.?[A-Za-z0-9_-]{8,}:1[0-9A-Za-z]{5}:[A-Za-z0-9_-]+`)
	uuidText     = lazy(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
)

func integer(t text) (int64, bool) {
	v, err := strconv.ParseInt(string(t.b), 10, 64)
	return v, err == nil && t.whole
}

// isSeconds reports whether a number is a time between 2017 and 2060, in seconds.
func isSeconds(v float64) bool { return v > 1.48e9 && v < 2.85e9 }

func isJSON(b []byte) bool {
	return len(b) > 1 && b[0] == '{' && (b[1] == '"' || b[1] == '}' || b[1] == '\n' || b[1] == ' ')
}

// isRailsCache reports whether a value is an entry of Rails' cache: of format 7.1, of
// 7.0, or a marshalled ActiveSupport::Cache::Entry.
func isRailsCache(t text) bool {
	b := t.b
	switch {
	case len(b) < 4:
		return false
	case b[0] == 0 && b[1] == 0x11, b[0] == 0 && b[1] == 4 && b[2] == 8, b[0] == 1 && format.IsZlib(b[1:]):
		return true
	}
	return bytes.Contains(b, []byte("ActiveSupport::Cache::Entry"))
}

// isGob reports whether bytes begin as package encoding/gob writes a type that is not
// predeclared: a length, and a negative type ID.
func isGob(b []byte) bool {
	return len(b) > 12 && b[0] > 8 && b[0] < 0x80 && (b[1] == 0x7f || b[1] == 0xff && b[2] >= 0x80 && b[2] < 0x90) &&
		(bytes.Contains(b[:12], []byte{1, 2, 0xff}) || bytes.Contains(b[:12], []byte{0xff, 0x80, 0}))
}

func isHex(b []byte) bool {
	digits, letters := false, false
	for _, c := range b {
		switch {
		case c >= '0' && c <= '9':
			digits = true
		case c >= 'a' && c <= 'f':
			letters = true
		default:
			return false
		}
	}
	return digits && (letters || len(b) < 16)
}

// isUUID1 reports whether a value is 32 hexadecimal digits of a UUID of version 1, the
// time of which is after 2010.
func isUUID1(t text) bool {
	return t.whole && len(t.b) == 32 && isHex(t.b) && t.b[12] == '1' && t.b[13] >= '1' && t.b[13] <= 'f' &&
		bytes.IndexByte([]byte("89ab"), t.b[16]) >= 0 && string(t.b[12:16]) > "11d0" && string(t.b[12:16]) < "1300"
}

func isBase64(b []byte, e *base64.Encoding, n int) bool {
	if e.EncodedLen(n) != len(b) {
		return false
	}
	var out [64]byte
	got, err := e.Strict().Decode(out[:], b)
	return err == nil && got == n && !isHex(b)
}

func isAlnum(b []byte) bool {
	upper, lower := false, false
	for _, c := range b {
		switch {
		case c >= 'A' && c <= 'Z':
			upper = true
		case c >= 'a' && c <= 'z':
			lower = true
		case c < '0' || c > '9':
			return false
		}
	}
	return upper && lower
}

// isMsgpackMap reports whether a value begins as a map of MessagePack whose first key
// is a text.
func isMsgpackMap(t text) bool {
	b := t.b
	if len(b) < 3 || format.IsPickle(b, true) {
		return false
	}
	at := 1
	switch {
	case b[0] > 0x80 && b[0] <= 0x8f:
	case b[0] == 0xde:
		at = 3
	case b[0] == 0xdf:
		at = 5
	default:
		return false
	}
	return msgpackText(b, at)
}

func msgpackText(b []byte, at int) bool {
	if at >= len(b) {
		return false
	}
	n, from := 0, at+1
	switch c := b[at]; {
	case c > 0xa0 && c <= 0xbf:
		n = int(c & 0x1f)
	case c == 0xd9 && at+1 < len(b):
		n, from = int(b[at+1]), at+2
	default:
		return false
	}
	if from+n > len(b) {
		return false
	}
	for _, c := range b[from : from+n] {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return n > 0
}

// isGoCache reports whether a value is what go-redis/cache writes: MessagePack and a
// byte 0; or, from 64 bytes on, the same compressed with S2, and a byte 1. Source:
// cache.go of go-redis/cache.
func isGoCache(t text) bool {
	switch b := t.b; t.tail {
	case 0:
		return isMsgpackMap(t)
	case 1:
		n, at := binary.Uvarint(b)
		if at <= 0 || n < 64 || n > 64<<20 || at+2 >= len(b) || b[at]&3 != 0 {
			return false
		}
		// The first element is a literal: its length, less one, in the upper bits.
		from := at + 1
		switch l := b[at] >> 2; {
		case l == 60:
			from++
		case l == 61:
			from += 2
		case l > 61:
			return false
		}
		return from < len(b) && isMsgpackMap(text{b: b[from:]})
	}
	return false
}

// textOf returns what tests look at in a sample: a string, or the first elements.
func (s *Sample) texts(yield func(text) bool) {
	if s.Type == parser.String {
		yield(text{s.Text, int64(len(s.Text)) == s.Bytes, s.Tail})
		return
	}
	for i := range s.Values {
		v := &s.Values[i]
		if !yield(text{v.Text, len(v.Text) < kept(i), -1}) {
			return
		}
	}
}
