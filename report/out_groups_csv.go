package report

import "bufio"

// CSV of the groups, in the report's order. TTLs are seconds left when the
// snapshot was taken; a group without a TTL has an empty cell.

func init() {
	register(&Format{Name: "groups.csv", Doc: "groups of keys", Extension: ".groups.csv", rank: 5, write: writeGroupsCSV})
}

func writeGroupsCSV(w *bufio.Writer, r *Report, _ WriteOptions) error {
	c := newCSVWriter(w, "group,keys,elements,value_bytes,memory_bytes,memory_usage_bytes,without_ttl,ttl_min,ttl_median,ttl_max,"+
		"largest_key,largest_key_value_bytes,largest_key_memory_bytes,findings,errors,owner,profile,config")
	for i := range r.Groups {
		g := &r.Groups[i]
		largest := g.LargestKey
		if largest == nil {
			largest = &KeyRow{ValueBytes: Unknown, Memory: Unknown}
		}
		c.names(g.Group)
		c.counts(g.Keys, g.Elements, g.ValueBytes)
		c.figures(g.MemoryBytes, g.MemoryUsage)
		c.counts(g.WithoutTTL)
		c.optional(g.TTLMin, g.TTLMedian, g.TTLMax)
		c.names(largest.Key)
		c.figures(largest.ValueBytes, largest.Memory)
		c.counts(g.Findings, g.Errors)
		c.sentences(g.Owner)
		c.config(r)
		c.end()
	}
	return nil
}
