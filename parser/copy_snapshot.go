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
	plainZSet   = 5
)

// AppendSnapshot appends to dst a small snapshot of a key with some elements of
// its value, in plain types that any decoder reads: a string, a list, a set or
// a sorted set of that name. Elements with a name are a list of names and values
// by turns, as a decoder's map would lose their order, and one of two names that
// were cut to the same bytes. A stream becomes one such list for each entry,
// named by its ID.
func AppendSnapshot(dst []byte, k *Key, elements []Element) []byte {
	dst = append(dst, "REDIS0009"...)
	dst = append(dst, 254)
	dst = appendLength(dst, uint64(k.DB))
	switch {
	case len(elements) == 0:
	case k.Type == Stream:
		for _, e := range elements {
			dst = appendText(append(dst, plainList), e.Name.Bytes)
			dst = appendLength(dst, uint64(len(e.Pairs)))
			for _, text := range e.Pairs {
				dst = appendText(dst, text.Bytes)
			}
		}
	case k.Type == String || k.Type == JSON:
		dst = appendText(append(dst, plainString), k.Name)
		dst = appendText(dst, elements[0].Value.Bytes)
	default:
		plain := map[Type]byte{Set: plainSet, ZSet: plainZSet}[k.Type]
		if plain == 0 {
			plain = plainList
		}
		named := elements[0].Name.Bytes != nil
		n := len(elements)
		if named {
			n *= 2
		}
		dst = appendText(append(dst, plain), k.Name)
		dst = appendLength(dst, uint64(n))
		for _, e := range elements {
			if named {
				dst = appendText(dst, e.Name.Bytes)
			}
			dst = appendText(dst, e.Value.Bytes)
			if k.Type == ZSet {
				dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(e.Score))
			}
		}
	}
	dst = append(dst, 255)
	return append(dst, make([]byte, 8)...) // checksum: off
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
