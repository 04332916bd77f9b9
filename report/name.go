package report

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/rdblens/rdblens/report/internal/identity"
	"github.com/rdblens/rdblens/report/text"
)

// Name is text that somebody else wrote: the bytes of a key, an element, a
// version. It holds the bytes unchanged; each format escapes them.
type Name string

// MarshalText returns the escaped form: UTF-8 with `\\` for a backslash and \xNN
// for each byte of a control character and each byte that is not UTF-8.
func (n Name) MarshalText() ([]byte, error) { return text.AppendEscaped(nil, []byte(n)), nil }

// UnmarshalText reverses the escaping, that of any format.
func (n *Name) UnmarshalText(b []byte) error {
	name, err := text.Unescape(b)
	*n = Name(name)
	return err
}

// Display returns the name for a terminal: escaped so that no name can send
// escape sequences, change the direction of a line, or look like another name.
// UnmarshalText reverses it. The empty name is written as two quotes.
func (n Name) Display() string { return text.Display([]byte(n)) }

// Figure is a number that may be unknown: negative in memory, null in JSON, never
// 0.
type Figure int64

// Unknown is the unknown Figure.
const Unknown Figure = -1

// Known reports whether the figure is known.
func (f Figure) Known() bool { return f >= 0 }

// MarshalJSON returns the number, or null.
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

// sortBySize sorts rows by a size, the largest first.
func sortBySize[T any](rows []T, size func(*T) Figure) {
	slices.SortStableFunc(rows, func(a, b T) int { return cmp.Compare(size(&b), size(&a)) })
}

// sizeOf returns memory where it is known, else value bytes.
func sizeOf(memory Figure, value int64) Figure {
	if memory.Known() {
		return memory
	}
	return Figure(value)
}

func optionalName(b []byte) *Name {
	if b == nil {
		return nil
	}
	n := Name(b)
	return &n
}

// Recognisers returns all libraries and products whose keys are recognised, by name.
// Nobody may change them.
func Recognisers() []*Recogniser { return identity.Recognisers() }

// FindRecogniser returns the one of a library, by its name or another word for it; nil if
// there is none.
func FindRecogniser(library string) *Recogniser { return identity.Find(library) }
