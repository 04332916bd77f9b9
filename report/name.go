package report

import (
	"encoding/json"
	"strconv"
)

// Name is text that somebody else wrote: the bytes of a key, an element, a
// version. It is held as it is; each format escapes it in one place (escape.go).
type Name string

// MarshalText gives the machine writing.
func (n Name) MarshalText() ([]byte, error) { return AppendEscaped(nil, []byte(n)), nil }

// UnmarshalText reads the machine writing.
func (n *Name) UnmarshalText(text []byte) error {
	b, err := Unescape(text)
	*n = Name(b)
	return err
}

// Figure is a number that may be unknown. Unknown is negative in memory and null
// in JSON, never 0.
type Figure int64

// Unknown is the figure that is not known.
const Unknown Figure = -1

// Known reports whether the figure is known.
func (f Figure) Known() bool { return f >= 0 }

// MarshalJSON gives the number, or null.
func (f Figure) MarshalJSON() ([]byte, error) {
	if f < 0 {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(f), 10), nil
}

// UnmarshalJSON reads a number or null.
func (f *Figure) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*f = Unknown
		return nil
	}
	var n int64
	if err := json.Unmarshal(b, &n); err != nil {
		return err
	}
	*f = Figure(n)
	return nil
}
