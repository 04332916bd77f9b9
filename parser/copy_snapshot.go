package parser

import (
	"encoding/binary"
	"math"
)

// Types of the small snapshot that AppendSnapshot writes: those that every
// reader knows, without packed encodings.
const (
	plainString = 0
	plainList   = 1
	plainSet    = 2
	plainHash   = 4
	plainZSet   = 5
)

// AppendSnapshot appends a small snapshot of the excerpt to dst, in plain types
// that any decoder reads. It holds the key with the copied elements, an array
// as a hash from index to value, a hash whose field names are not known as a
// list. A stream becomes one list for each entry, named by its ID, that holds
// fields and values by turns.
func (x *Excerpt) AppendSnapshot(dst []byte) []byte {
	k := x.Key
	dst = append(dst, "REDIS0009"...)
	dst = append(dst, 254)
	dst = appendLength(dst, uint64(k.DB))
	switch {
	case x.Opaque:
	case k.Type == Stream:
		for _, e := range x.Elements {
			dst = appendText(append(dst, plainList), e.Name)
			dst = appendLength(dst, uint64(len(e.Pairs)))
			for _, text := range e.Pairs {
				dst = appendText(dst, text)
			}
		}
	case k.Type == String || k.Type == JSON:
		if len(x.Elements) > 0 {
			dst = appendText(append(dst, plainString), k.Name)
			dst = appendText(dst, x.Elements[0].Value)
		}
	default:
		dst = appendText(append(dst, x.plainType()), k.Name)
		dst = appendLength(dst, uint64(len(x.Elements)))
		for _, e := range x.Elements {
			if e.Name != nil {
				dst = appendText(dst, e.Name)
			}
			dst = appendText(dst, e.Value)
			if k.Type == ZSet {
				dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(e.Score))
			}
		}
	}
	dst = append(dst, 255)
	return append(dst, make([]byte, 8)...) // checksum: off
}

func (x *Excerpt) plainType() byte {
	switch {
	case x.Key.Type == ZSet:
		return plainZSet
	case x.Key.Type == Set:
		return plainSet
	case len(x.Elements) > 0 && x.Elements[0].Name != nil:
		return plainHash
	}
	return plainList
}

func appendText(dst, text []byte) []byte {
	return append(appendLength(dst, uint64(len(text))), text...)
}

// appendLength writes a length of up to 32 bits.
func appendLength(dst []byte, n uint64) []byte {
	if n < 64 {
		return append(dst, byte(n))
	}
	return binary.BigEndian.AppendUint32(append(dst, 0x80), uint32(n))
}
