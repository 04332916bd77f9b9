package report

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds"
)

// KeysHeader is the header line of the keys command's CSV. AppendKeyCSV and
// AppendKeyJSON write the same columns in the same order.
const KeysHeader = "db,key,type,encoding,elements,value_bytes,serialized_bytes,memory_bytes,memory_usage_bytes," +
	"largest_element_bytes,largest_element,expire_at_ms,fields_with_ttl,idle_seconds,freq,offset\n"

// rowSlack is more than a row takes besides its two names: sixteen numbers of
// twenty bytes, the JSON field names, type and encoding.
const rowSlack = 768

// typeCells and typeFields have the columns type and encoding, with the commas
// around them.
var typeCells, typeFields = func() (cells, fields [parser.NumTypes][parser.NumEncodings]string) {
	for t := range parser.NumTypes {
		for e := range parser.NumEncodings {
			cells[t][e] = "," + t.String() + "," + e.String() + ","
			enc := "null"
			if e != parser.EncUnknown {
				enc = `"` + e.String() + `"`
			}
			fields[t][e] = `,"type":"` + t.String() + `","encoding":` + enc + `,"elements":`
		}
	}
	return cells, fields
}()

// hasElementName reports whether the key's largest element has a name.
func hasElementName(k *parser.Key) bool {
	k.NameLargest()
	return k.LargestName != nil && k.Type != parser.String && k.Elements != 0
}

// AppendKeyCSV appends one key as a line of CSV (RFC 4180, but for the line
// feed) under KeysHeader. A cell whose figure is not known is empty. It
// allocates nothing but room in dst.
func AppendKeyCSV(dst []byte, k *parser.Key) []byte {
	dst = slices.Grow(dst, rowSlack+len(k.Name))
	dst = appendInt(dst, int64(k.DB))
	dst = append(dst, ',')
	dst = AppendCSV(dst, k.Name)
	dst = append(dst, typeCells[k.Type][k.Encoding]...)
	dst = appendCells(dst, k.Elements, k.ValueBytes, k.Serialized, k.Memory, k.MemoryUsage, k.Largest)
	if hasElementName(k) {
		dst = AppendCSV(dst, k.LargestName)
	}
	dst = append(dst, ',')
	if k.HasExpire {
		dst = appendInt(dst, k.ExpireAt)
	}
	dst = append(dst, ',')
	fields := int64(-1)
	if k.Type == parser.Hash {
		fields = k.FieldsWithTTL
	}
	dst = appendCells(dst, fields, k.Idle, int64(k.Freq), k.Offset)
	dst[len(dst)-1] = '\n'
	return dst
}

// AppendKeyJSON appends one key as a line of JSON. A figure that is not known
// is null. Behind the columns stand memory_is_lower_bound and key_bytes, where the
// type has no model and where the name was cut, and the findings, where there are
// any, each with its rule, severity, measure and limit.
// It allocates nothing but room in dst.
func AppendKeyJSON(dst []byte, k *parser.Key, found []thresholds.Finding) []byte {
	dst = slices.Grow(dst, rowSlack+len(k.Name))
	dst = append(dst, `{"db":`...)
	dst = appendInt(dst, int64(k.DB))
	dst = append(dst, `,"key":`...)
	dst = AppendJSON(dst, k.Name)
	dst = append(dst, typeFields[k.Type][k.Encoding]...)
	dst = appendNumber(dst, k.Elements)
	dst = append(dst, `,"value_bytes":`...)
	dst = appendNumber(dst, k.ValueBytes)
	dst = append(dst, `,"serialized_bytes":`...)
	dst = appendNumber(dst, k.Serialized)
	dst = append(dst, `,"memory_bytes":`...)
	dst = appendNumber(dst, k.Memory)
	dst = append(dst, `,"memory_usage_bytes":`...)
	dst = appendNumber(dst, k.MemoryUsage)
	dst = append(dst, `,"largest_element_bytes":`...)
	dst = appendNumber(dst, k.Largest)
	dst = append(dst, `,"largest_element":`...)
	if hasElementName(k) {
		dst = AppendJSON(dst, k.LargestName)
	} else {
		dst = append(dst, "null"...)
	}
	dst = append(dst, `,"expire_at_ms":`...)
	if k.HasExpire {
		dst = appendInt(dst, k.ExpireAt)
	} else {
		dst = append(dst, "null"...)
	}
	dst = append(dst, `,"fields_with_ttl":`...)
	if k.Type == parser.Hash {
		dst = appendNumber(dst, k.FieldsWithTTL)
	} else {
		dst = append(dst, "null"...)
	}
	dst = append(dst, `,"idle_seconds":`...)
	dst = appendNumber(dst, k.Idle)
	dst = append(dst, `,"freq":`...)
	dst = appendNumber(dst, int64(k.Freq))
	dst = append(dst, `,"offset":`...)
	dst = appendInt(dst, k.Offset)
	if k.MemoryBound {
		dst = append(dst, `,"memory_is_lower_bound":true`...)
	}
	if k.NameLen > int64(len(k.Name)) {
		dst = append(dst, `,"key_bytes":`...)
		dst = appendInt(dst, k.NameLen)
	}
	for i, f := range found {
		if i == 0 {
			dst = append(dst, `,"findings":[`...)
		} else {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, `{"rule":"`...), f.Rule.Name()...), `","severity":"`...)
		measured, limit := measure(f)
		dst = append(append(dst, f.Severity.String()...), `","measured":`...)
		dst = appendNumber(dst, int64(measured))
		dst = append(dst, `,"limit":`...)
		dst = appendNumber(dst, int64(limit))
		dst = append(dst, '}')
	}
	if len(found) > 0 {
		dst = append(dst, ']')
	}
	return append(dst, "}\n"...)
}

// appendCells appends cells of figures, each with the comma after it.
func appendCells(dst []byte, figures ...int64) []byte {
	dst = slices.Grow(dst, len(figures)*maxDigits)
	row := dst[:cap(dst)]
	i := len(dst)
	for _, n := range figures {
		if n >= 0 {
			i = putUint(row, i, uint64(n))
		}
		row[i] = ','
		i++
	}
	return row[:i]
}

// appendNumber appends a figure, or null.
func appendNumber(dst []byte, n int64) []byte {
	if n < 0 {
		return append(dst, "null"...)
	}
	return appendInt(dst, n)
}

// maxDigits is more room than putUint and a comma need.
const maxDigits = 32

// appendInt is strconv.AppendInt in base 10, faster by half: the rows of ten
// million keys hold a hundred million numbers.
func appendInt(dst []byte, n int64) []byte {
	if uint64(n) < 10 {
		return append(dst, '0'+byte(n))
	}
	u := uint64(n)
	if n < 0 {
		dst = append(dst, '-')
		u = -u
	}
	dst = slices.Grow(dst, maxDigits)
	row := dst[:cap(dst)]
	return row[:putUint(row, len(dst), u)]
}

// putUint writes a number at b[i:], with some bytes after it, and gives the
// index of its end.
func putUint(b []byte, i int, u uint64) int {
	if u < 10 {
		b[i] = '0' + byte(u)
		return i + 1
	}
	if u >= 1e8 {
		i = putUint(b, i, u/1e8)
		binary.LittleEndian.PutUint64(b[i:], eightDigits(u%1e8)|'0'*ones)
		return i + 8
	}
	d := eightDigits(u)
	zeros := bits.TrailingZeros64(d) // eight for each leading one, and up to three
	binary.LittleEndian.PutUint64(b[i:], d>>(zeros&56)|'0'*ones)
	return i + 8 - zeros/8
}

// eightDigits gives the decimal digits of a number below 10^8, the first in the
// lowest byte. It halves the groups: 8 digits, 2 of 4, 4 of 2, 8 of 1.
func eightDigits(u uint64) uint64 {
	fours := u/10000 | u%10000<<32
	high := fours * 10486 >> 20 & 0x7f0000007f // n/100 is n*10486>>20 for n < 10000
	twos := (fours-100*high)<<16 | high
	high = twos * 103 >> 10 & 0x000f000f000f000f // n/10 is n*103>>10 for n < 100
	return (twos-10*high)<<8 | high
}

// NewKeyRow gives the row of a key. It keeps nothing of the key.
func NewKeyRow(k *parser.Key) KeyRow {
	row := KeyRow{DB: k.DB, Key: Name(k.Name), Type: k.Type.String(), Encoding: k.Encoding.String(),
		Elements: Figure(k.Elements), ValueBytes: Figure(k.ValueBytes), Serialized: Figure(k.Serialized),
		Memory: Figure(k.Memory), MemoryUsage: Figure(k.MemoryUsage), Largest: Figure(k.Largest),
		FieldsWithTTL: Unknown, Idle: Figure(k.Idle), Freq: Figure(k.Freq), Offset: k.Offset,
		Longest: Figure(k.Longest), Pending: k.Pending, Bound: k.MemoryBound, Module: k.ModuleName}
	if hasElementName(k) {
		name := Name(k.LargestName)
		row.LargestElement = &name
	}
	if k.HasExpire {
		at := k.ExpireAt
		row.ExpireAt = &at
	}
	if k.Type == parser.Hash {
		row.FieldsWithTTL = Figure(k.FieldsWithTTL)
	}
	if k.NameLen > int64(len(k.Name)) {
		row.NameBytes = k.NameLen
	}
	return row
}
