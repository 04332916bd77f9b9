package report

import (
	"fmt"
	"slices"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds"
)

// rowSlack is more than the bytes of a row besides its two names: sixteen numbers
// of twenty bytes, the JSON field names, type and encoding.
const rowSlack = 768

// typeCells and typeFields are the columns type and encoding, with the commas
// around them, in CSV and JSON.
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

func hasElementName(k *parser.Key) bool {
	k.NameLargest()
	return k.LargestName != nil && k.Type != parser.String && k.Elements != 0
}

// fieldsWithTTL returns the fields of a hash that have an expiry, -1 of other types.
func fieldsWithTTL(k *parser.Key) int64 {
	if k.Type != parser.Hash {
		return -1
	}
	return k.FieldsWithTTL
}

// AppendKeyCSV appends a key as a line of CSV under KeysHeader (RFC 4180, except
// that lines end with a line feed alone). The cell of an unknown figure is empty.
// It allocates memory only to grow dst.
func AppendKeyCSV(dst []byte, k *parser.Key) []byte {
	dst = slices.Grow(dst, rowSlack+len(k.Name))
	dst = text.AppendInt(dst, int64(k.DB))
	dst = append(dst, ',')
	dst = appendNameCSV(dst, k)
	dst = append(dst, typeCells[k.Type][k.Encoding]...)
	dst = text.AppendCells(dst, k.Elements, k.ValueBytes, k.Serialized, k.Memory, k.MemoryUsage, k.Largest)
	if hasElementName(k) {
		dst = text.AppendCSV(dst, k.LargestName)
	}
	dst = append(dst, ',')
	if k.HasExpire {
		dst = text.AppendInt(dst, k.ExpireAt)
	}
	dst = append(dst, ',')
	dst = text.AppendCells(dst, fieldsWithTTL(k), k.Idle, int64(k.Freq), k.Offset)
	dst[len(dst)-1] = '\n'
	return dst
}

// appendNameCSV appends the name of a key as a CSV cell. What was cut is marked:
// \{65536 bytes, 0123456789abcdef} has the length of the whole name and its hash.
// text.Unescape refuses the mark.
func appendNameCSV(dst []byte, k *parser.Key) []byte {
	from := len(dst)
	dst = text.AppendCSV(dst, k.Name)
	if k.NameLen <= int64(len(k.Name)) {
		return dst
	}
	if dst[from] == '"' {
		dst = dst[:len(dst)-1]
	} else {
		dst = slices.Insert(dst, from, '"')
	}
	return fmt.Appendf(dst, `\{%d bytes, %016x}"`, k.NameLen, k.NameHash)
}

// AppendKeyJSON appends a key as a line of JSON. An unknown figure is null. The
// columns are followed by memory_is_lower_bound if no memory model covers the type,
// key_bytes and key_hash if the name was cut, and the findings, if there are any, each with its
// rule, severity, measure, limit and unit. It allocates memory only to grow dst.
func AppendKeyJSON(dst []byte, k *parser.Key, found []thresholds.Finding) []byte {
	dst = slices.Grow(dst, rowSlack+len(k.Name))
	dst = append(dst, `{"db":`...)
	dst = text.AppendInt(dst, int64(k.DB))
	dst = append(dst, `,"key":`...)
	dst = text.AppendJSON(dst, k.Name)
	dst = append(dst, typeFields[k.Type][k.Encoding]...)
	dst = text.AppendNumber(dst, k.Elements)
	number := func(field string, n int64) {
		dst = text.AppendNumber(append(dst, field...), n)
	}
	number(`,"value_bytes":`, k.ValueBytes)
	number(`,"serialized_bytes":`, k.Serialized)
	number(`,"memory_bytes":`, k.Memory)
	number(`,"memory_usage_bytes":`, k.MemoryUsage)
	number(`,"largest_element_bytes":`, k.Largest)
	dst = append(dst, `,"largest_element":`...)
	if hasElementName(k) {
		dst = text.AppendJSON(dst, k.LargestName)
	} else {
		dst = append(dst, "null"...)
	}
	dst = append(dst, `,"expire_at_ms":`...)
	if k.HasExpire {
		dst = text.AppendInt(dst, k.ExpireAt)
	} else {
		dst = append(dst, "null"...)
	}
	number(`,"fields_with_ttl":`, fieldsWithTTL(k))
	number(`,"idle_seconds":`, k.Idle)
	number(`,"freq":`, int64(k.Freq))
	number(`,"offset":`, k.Offset)
	if k.MemoryBound {
		dst = append(dst, `,"memory_is_lower_bound":true`...)
	}
	if k.MemoryApproximate {
		dst = append(dst, `,"memory_is_approximate":true`...)
	}
	if k.NameLen > int64(len(k.Name)) {
		number(`,"key_bytes":`, k.NameLen)
		dst = fmt.Appendf(dst, `,"key_hash":"%016x"`, k.NameHash)
	}
	for i, f := range found {
		if i == 0 {
			dst = append(dst, `,"findings":[`...)
		} else {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, `{"rule":"`...), f.Rule.Name()...), `","severity":"`...)
		measured, limit := measure(f)
		dst = append(append(dst, f.Severity.String()...), '"')
		number(`,"measured":`, int64(measured))
		number(`,"limit":`, int64(limit))
		if unit := f.Unit().String(); unit != "" {
			dst = append(append(append(dst, `,"unit":"`...), unit...), '"')
		}
		dst = append(dst, '}')
	}
	if len(found) > 0 {
		dst = append(dst, ']')
	}
	return append(dst, "}\n"...)
}

func newKeyRow(k *parser.Key) KeyRow {
	row := KeyRow{DB: k.DB, Key: Name(k.Name), Type: k.Type.String(), Encoding: k.Encoding.String(),
		Elements: Figure(k.Elements), ValueBytes: Figure(k.ValueBytes), Serialized: Figure(k.Serialized),
		Memory: Figure(k.Memory), MemoryUsage: Figure(k.MemoryUsage), Largest: Figure(k.Largest),
		FieldsWithTTL: Figure(fieldsWithTTL(k)), Idle: Figure(k.Idle), Freq: Figure(k.Freq), Offset: k.Offset,
		Longest: Figure(k.Longest), Pending: k.Pending, Bound: k.MemoryBound, Approximate: k.MemoryApproximate, Module: k.ModuleName}
	if hasElementName(k) {
		name := Name(k.LargestName)
		row.LargestElement = &name
	}
	if k.HasExpire {
		at := k.ExpireAt
		row.ExpireAt = &at
	}
	if k.NameLen > int64(len(k.Name)) {
		row.NameBytes, row.NameHash = k.NameLen, fmt.Sprintf("%016x", k.NameHash)
	}
	return row
}
