package parser

import "fmt"

// DamageError says where a snapshot is damaged or could not be read further. All
// keys before Offset were read whole; the key being read was not counted.
type DamageError struct {
	Offset  int64  // of the first invalid byte, counted as Key.Offset is
	Reason  string // in words, lower case
	LastKey []byte // name of the last whole key, nil where there was none
	Key     []byte // name of the key being read, nil outside of a key
	Err     error  // an error of the reader below, or nil
}

func (e *DamageError) Error() string {
	s := fmt.Sprintf("offset %d: %s", e.Offset, e.Reason)
	if e.Key != nil {
		const most = 200 // bytes of a name in a message
		dots := ""
		if len(e.Key) > most {
			dots = "..."
		}
		s += fmt.Sprintf(" (in key %q%s)", cut(e.Key, most), dots)
	}
	return s
}

// Unwrap returns the error of the reader below, if that was the reason.
func (e *DamageError) Unwrap() error { return e.Err }

// FormatError is the reason why an input is no snapshot. Nothing of it was read.
type FormatError struct {
	Reason string
	Hint   string // what to do, "" if nothing is known
}

func (e *FormatError) Error() string { return e.Reason }

// cut returns the first n bytes of p, or all if there are fewer.
func cut(p []byte, n int) []byte { return p[:min(len(p), n)] }
