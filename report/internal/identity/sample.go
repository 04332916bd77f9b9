package identity

import (
	"github.com/rdblens/rdblens/parser"
)

// Group is what Identify needs to know of a group of keys.
type Group struct {
	Pattern string
	DB      int
	Keys    int64
	Samples []*Sample // some of its keys
}

// Sample is one key of a group: what is kept of its name and of the beginning of its
// value.
type Sample struct {
	Name     []byte      `json:"name"`
	DB       int         `json:"db"`
	Type     parser.Type `json:"type"`
	TTL      bool        `json:"ttl,omitempty"`
	Elements int64       `json:"elements,omitempty"`
	Bytes    int64       `json:"bytes,omitempty"` // length of a string
	// Text is the beginning of a string. Tail is its last byte, -1 if it is not known.
	Text []byte `json:"text,omitempty"`
	Tail int    `json:"tail,omitempty"`
	// Values are the first elements: fields with their values, items, members with
	// their scores; of a stream the fields of its first entry.
	Values []Value `json:"values,omitempty"`
	// NameOnly reports whether nothing is known of the value. Such a sample is no
	// sign, but it can be of a library that other signs name.
	NameOnly bool `json:"-"`
	// Unlike reports whether nothing known looks like the key: a state has not kept its value.
	Unlike bool
}

// Value is an element of a Sample, as far as it is kept.
type Value struct {
	Name  []byte  `json:"name,omitempty"` // of a hash or a stream
	Text  []byte  `json:"text"`
	Score float64 `json:"score,omitempty"`
}

// What is kept of a sample, in bytes and elements.
const (
	maxSampleName = 512
	maxString     = 256
	maxFirst      = 512 // of the first two elements
	maxOther      = 96
	maxFields     = 16
	maxItems      = 3
	wholeString   = 4 << 10 // strings up to that length have a Tail
)

// take makes a sample of a key, while its Sink has it.
func take(k *parser.Key) Sample {
	name, _ := k.CutName(maxSampleName)
	s := Sample{Name: append([]byte(nil), name...), DB: k.DB, Type: k.Type, TTL: k.HasExpire, Elements: k.Elements,
		Tail: -1}
	limit := maxItems
	if k.Type == parser.Hash || k.Type == parser.Stream {
		limit = maxFields
	}
	v := parser.Visitor{MaxText: maxFirst}
	switch k.Type {
	case parser.String:
		s.Bytes = k.ValueBytes
		v.MaxText = wholeString
		v.Element = func(e *parser.Element) bool {
			text := e.Value.Bytes
			if int64(len(text)) == e.Value.Len && len(text) > 0 {
				s.Tail = int(text[len(text)-1])
			}
			s.Text = clone(text, maxString)
			return false
		}
	case parser.Stream:
		v.Element = func(e *parser.Element) bool { return len(s.Values) == 0 }
		v.Field = func(name, value parser.Text) bool {
			s.Values = append(s.Values, Value{Name: clone(name.Bytes, maxOther), Text: clone(value.Bytes, kept(len(s.Values)))})
			return len(s.Values) < limit
		}
	default:
		v.Element = func(e *parser.Element) bool {
			s.Values = append(s.Values, Value{clone(e.Name.Bytes, maxOther), clone(e.Value.Bytes, kept(len(s.Values))), e.Score})
			return len(s.Values) < limit
		}
	}
	k.Peek(&v)
	return s
}

// kept returns how many bytes are kept of an element.
func kept(i int) int {
	if i < 2 {
		return maxFirst
	}
	return maxOther
}

func clone(b []byte, limit int) []byte { return append([]byte{}, b[:min(len(b), limit)]...) }

// size returns about how many bytes a sample takes.
func (s *Sample) size() int64 {
	n := int64(200 + len(s.Name) + len(s.Text))
	for i := range s.Values {
		n += int64(80 + len(s.Values[i].Name) + len(s.Values[i].Text))
	}
	return n
}
