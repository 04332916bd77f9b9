package parser

import "github.com/rdblens/rdblens/parser/format"

// Details are figures of values that are computed only where Options asks for them, since
// they cost time: every value concerned is walked element by element.
type Details uint8

// The details.
const (
	// DetailFormats asks for Key.Formats.
	DetailFormats Details = 1 << iota
	// DetailFieldNames asks for Key.LongestField.
	DetailFieldNames
)

// formatElements is how many elements of a collection, or fields of a stream's first
// entry, Key.Formats is about.
const formatElements = 8

func (w *walker) detailsOf(t Type) (d Details) {
	switch t {
	case Hash:
		d = DetailFormats | DetailFieldNames
	case String, List, Set, ZSet, Stream:
		d = DetailFormats
	}
	return w.src.details & d
}

// detailed walks a value with f for its details. A visitor of the value, if there is
// one, comes first: its values have no details.
func (w *walker) detailed(f func()) {
	k := &w.key
	k.Formats, k.LongestField = 0, -1
	wanted := w.detailsOf(w.src.types[k.RDBType].typ)
	if wanted == 0 || w.visiting {
		f()
		return
	}
	if wanted&DetailFieldNames != 0 {
		k.LongestField = 0
	}
	left := formatElements
	if wanted&DetailFormats == 0 {
		left = 0
	}
	add := func(value Text) bool {
		if left > 0 {
			left--
			k.Formats.Add(format.Of(value.Bytes, int64(len(value.Bytes)) == value.Len))
		}
		return left > 0
	}
	v := Visitor{MaxText: format.MaxWhole, Element: func(e *Element) bool {
		if wanted&DetailFieldNames != 0 {
			k.LongestField = max(k.LongestField, e.Name.Len)
		}
		switch {
		case e.Value.Bytes == nil: // an entry of a stream
			return left == formatElements
		case !add(e.Value):
			w.visit.keep, w.block.MaxHead = 0, MaxElementName
			return wanted&DetailFieldNames != 0
		}
		return true
	}, Field: func(_, value Text) bool { return add(value) }}
	of := w.visit
	w.visit = visit{to: &v, keep: v.MaxText}
	if left == 0 {
		w.visit.keep = 0
	}
	w.visiting = true
	w.keepMore()
	defer func() {
		w.leave()
		w.visit = of
	}()
	f()
}
