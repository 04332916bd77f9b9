package report

import (
	"bufio"
	"slices"
	"strconv"

	"github.com/rdblens/rdblens/internal/text"
)

// CSV of the top keys: the list by --by first, then those by the other measures,
// then those of each type. `by` and `rank` say where in which list a key stands,
// `of` is "all" or a type, and the other columns are those of the keys command.
// Lines end in a line feed; unknown figures are empty cells.

func init() {
	register(&Format{Name: "csv", Doc: "the largest keys", rank: 2, write: writeCSV})
}

func writeCSV(w *bufio.Writer, r *Report, _ WriteOptions) error {
	w.WriteString("by,of,rank,snapshot," + KeysHeader[:len(KeysHeader)-1] + ",ttl_seconds,group,owner\n")
	measures := orderedMeasures(r.By)
	for _, by := range measures {
		writeTopCSV(w, r, by, "all", r.Top[by])
	}
	for i := range r.Types {
		name := r.Types[i].Type
		for _, by := range measures {
			writeTopCSV(w, r, by, name, r.TopByType[name][by])
		}
	}
	return nil
}

// orderedMeasures gives the measures with one first.
func orderedMeasures(first string) []string {
	measures := Measures()
	if i := slices.Index(measures, first); i > 0 {
		measures = slices.Insert(slices.Delete(measures, i, i+1), 0, first)
	}
	return measures
}

func writeTopCSV(w *bufio.Writer, r *Report, by, of string, rows []KeyRow) {
	for i := range rows {
		k := &rows[i]
		b := append(w.AvailableBuffer(), by...)
		b = append(append(append(b, ','), of...), ',')
		b = strconv.AppendInt(b, int64(i+1), 10)
		b = append(b, ',')
		b = appendInputCSV(b, r, k.Input)
		b = append(b, ',')
		b = appendRowCSV(b, k)
		b = append(b, ',')
		if k.TTL != nil {
			b = strconv.AppendInt(b, *k.TTL, 10)
		}
		b = append(b, ',')
		b = text.AppendCSV(b, []byte(k.Group))
		b = append(b, ',')
		b = text.AppendCSVSentence(b, k.Owner)
		w.Write(append(b, '\n'))
	}
}

func appendInputCSV(dst []byte, r *Report, input int) []byte {
	if input < 0 || input >= len(r.Inputs) {
		return dst
	}
	return text.AppendCSV(dst, []byte(r.Inputs[input].Name))
}

// appendRowCSV appends the columns of KeysHeader.
func appendRowCSV(dst []byte, k *KeyRow) []byte {
	dst = strconv.AppendInt(dst, int64(k.DB), 10)
	dst = append(dst, ',')
	dst = text.AppendCSV(dst, []byte(k.Key))
	dst = append(append(append(dst, ','), k.Type...), ',')
	dst = append(append(dst, k.Encoding...), ',')
	dst = text.AppendCells(dst, int64(k.Elements), int64(k.ValueBytes), int64(k.Serialized), int64(k.Memory), int64(k.MemoryUsage), int64(k.Largest))
	if k.LargestElement != nil {
		dst = text.AppendCSV(dst, []byte(*k.LargestElement))
	}
	dst = append(dst, ',')
	if k.ExpireAt != nil {
		dst = strconv.AppendInt(dst, *k.ExpireAt, 10)
	}
	dst = append(dst, ',')
	dst = text.AppendCells(dst, int64(k.FieldsWithTTL), int64(k.Idle), int64(k.Freq))
	return strconv.AppendInt(dst, k.Offset, 10)
}
