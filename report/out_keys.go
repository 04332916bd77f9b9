package report

import (
	"fmt"
	"slices"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds"
)

// KeyRow is one key: the columns of the keys command, and what a report adds.
type KeyRow struct {
	DB             int    `json:"db"`
	Key            Name   `json:"key"`
	Type           string `json:"type"`
	Encoding       string `json:"encoding,omitempty"` // "" unknown
	Elements       Figure `json:"elements"`
	ValueBytes     Figure `json:"value_bytes"`
	Serialized     Figure `json:"serialized_bytes"`
	Memory         Figure `json:"memory_bytes"`
	MemoryUsage    Figure `json:"memory_usage_bytes"`
	Largest        Figure `json:"largest_element_bytes"`
	LargestElement *Name  `json:"largest_element"` // its name, nil if it has none
	ExpireAt       *int64 `json:"expire_at_ms"`    // ms since the epoch; nil: no expiry
	FieldsWithTTL  Figure `json:"fields_with_ttl"` // of a hash
	Idle           Figure `json:"idle_seconds"`
	Freq           Figure `json:"freq"`
	Offset         int64  `json:"offset"` // in the decompressed snapshot

	Input       int    `json:"input,omitempty"`     // index into inputs
	NameBytes   int64  `json:"key_bytes,omitempty"` // of the whole name if Key is cut, else 0
	NameHash    string `json:"key_hash,omitempty"`  // of the whole name if Key is cut, see parser.Key.CutName
	TTL         *int64 `json:"ttl_seconds"`         // when the snapshot was taken; nil: no expiry, or that time is unknown
	Group       Name   `json:"group,omitempty"`
	Owner       string `json:"owner,omitempty" redact:"text"`
	Longest     Figure `json:"longest_string_bytes"` // longest single string of the value
	Pending     int64  `json:"pending,omitempty"`    // entries pending in a stream's groups
	Bound       bool   `json:"memory_is_lower_bound,omitempty"`
	Approximate bool   `json:"memory_is_approximate,omitempty"`
	Module      string `json:"module,omitempty" redact:"module"`
	// Findings are what the rules found about the key, but for those that are ignored.
	// Those that depend on the content of the value are there if the key is an example of
	// the rule: large-text, filter-growth, series-retention, vector-links, and big-string for
	// values as long as a HyperLogLog.
	Findings []KeyFinding `json:"findings,omitempty"`
}

// KeyFinding is what a rule found about a key.
type KeyFinding struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`       // "error", "warning" or "info"
	Measured Figure `json:"measured"`       // in Unit; unknown if there is nothing to measure
	Limit    Figure `json:"limit"`          // that was exceeded; unknown as above
	Unit     string `json:"unit,omitempty"` // as in Example
}

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
	fields := int64(-1)
	if k.Type == parser.Hash {
		fields = k.FieldsWithTTL
	}
	dst = text.AppendCells(dst, fields, k.Idle, int64(k.Freq), k.Offset)
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
	figure := func(field string, n int64, known bool) {
		if dst = append(dst, field...); known {
			dst = text.AppendInt(dst, n)
		} else {
			dst = append(dst, "null"...)
		}
	}
	figure(`{"db":`, int64(k.DB), true)
	dst = append(dst, `,"key":`...)
	dst = text.AppendJSON(dst, k.Name)
	dst = append(dst, typeFields[k.Type][k.Encoding]...)
	figure("", k.Elements, k.Elements >= 0)
	figure(`,"value_bytes":`, k.ValueBytes, k.ValueBytes >= 0)
	figure(`,"serialized_bytes":`, k.Serialized, k.Serialized >= 0)
	figure(`,"memory_bytes":`, k.Memory, k.Memory >= 0)
	figure(`,"memory_usage_bytes":`, k.MemoryUsage, k.MemoryUsage >= 0)
	figure(`,"largest_element_bytes":`, k.Largest, k.Largest >= 0)
	dst = append(dst, `,"largest_element":`...)
	if hasElementName(k) {
		dst = text.AppendJSON(dst, k.LargestName)
	} else {
		dst = append(dst, "null"...)
	}
	figure(`,"expire_at_ms":`, k.ExpireAt, k.HasExpire)
	figure(`,"fields_with_ttl":`, k.FieldsWithTTL, k.Type == parser.Hash && k.FieldsWithTTL >= 0)
	figure(`,"idle_seconds":`, k.Idle, k.Idle >= 0)
	figure(`,"freq":`, int64(k.Freq), k.Freq >= 0)
	figure(`,"offset":`, k.Offset, true)
	if k.MemoryBound {
		dst = append(dst, `,"memory_is_lower_bound":true`...)
	}
	if k.MemoryApproximate {
		dst = append(dst, `,"memory_is_approximate":true`...)
	}
	if k.NameLen > int64(len(k.Name)) {
		dst = append(dst, `,"key_bytes":`...)
		dst = text.AppendInt(dst, k.NameLen)
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
		dst = append(append(dst, f.Severity.String()...), `","measured":`...)
		dst = text.AppendNumber(dst, int64(measured))
		dst = append(dst, `,"limit":`...)
		dst = text.AppendNumber(dst, int64(limit))
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
		FieldsWithTTL: Unknown, Idle: Figure(k.Idle), Freq: Figure(k.Freq), Offset: k.Offset,
		Longest: Figure(k.Longest), Pending: k.Pending, Bound: k.MemoryBound, Approximate: k.MemoryApproximate,
		Module: k.ModuleName}
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
		row.NameBytes, row.NameHash = k.NameLen, fmt.Sprintf("%016x", k.NameHash)
	}
	return row
}
