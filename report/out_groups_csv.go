package report

import (
	"bufio"
	"strconv"

	"github.com/rdblens/rdblens/internal/text"
)

// CSV of the groups, in the report's order. Times are seconds left when the
// snapshot was taken; that of a key without an expiry is an empty cell.

func init() {
	register(&Format{Name: "groups.csv", Doc: "groups of keys", rank: 5, write: writeGroupsCSV})
}

func writeGroupsCSV(w *bufio.Writer, r *Report, _ WriteOptions) error {
	w.WriteString("group,keys,elements,value_bytes,memory_bytes,memory_usage_bytes,without_ttl,ttl_min,ttl_median,ttl_max," +
		"largest_key,largest_key_value_bytes,largest_key_memory_bytes,findings,errors,owner\n")
	for i := range r.Groups {
		g := &r.Groups[i]
		b := text.AppendCSV(w.AvailableBuffer(), []byte(g.Group))
		b = append(b, ',')
		b = text.AppendCells(b, g.Keys, g.Elements, g.ValueBytes, int64(g.MemoryBytes), int64(g.MemoryUsage), g.WithoutTTL)
		for _, t := range []*int64{g.TTLMin, g.TTLMedian, g.TTLMax} {
			if t != nil {
				b = strconv.AppendInt(b, *t, 10)
			}
			b = append(b, ',')
		}
		if k := g.LargestKey; k != nil {
			b = text.AppendCSV(b, []byte(k.Key))
			b = append(b, ',')
			b = text.AppendCells(b, int64(k.ValueBytes), int64(k.Memory))
		} else {
			b = append(b, ",,,"...)
		}
		b = text.AppendCells(b, g.Findings, g.Errors)
		b = text.AppendCSVSentence(b, g.Owner)
		w.Write(append(b, '\n'))
	}
	return nil
}
