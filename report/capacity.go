package report

import (
	"fmt"

	"github.com/rdblens/rdblens/parser/memory"
)

// Capacity is what NewMemory must know of one input.
type Capacity struct {
	Model     *memory.Model // nil: there is none
	Note      string        // why this one, or none
	Other     bool          // it is not that of the server that wrote the input
	Databases []Database    // sums over all keys of the input
	Partial   bool          // not all keys are in these sums: nothing is predicted
	MaxMemory int64         // 0: not asked whether the keys fit
}

// NewMemory says what the keys of an input would take in a server's memory:
// predicted used_memory beside what the snapshot says, and whether it fits into
// a maxmemory.
func NewMemory(in *Input, c Capacity) *Memory {
	m := &Memory{Note: c.Note, Predicted: Unknown, Startup: Unknown, Keys: Unknown, Tables: Unknown}
	if c.Model == nil {
		return m
	}
	m.Model, m.Allocator, m.State, m.Approximate = c.Model.Name(), c.Model.Allocator(), c.Model.State(), c.Model.Approximate()
	if c.Partial {
		m.Explanation = append(m.Explanation, "not predicted: only a part of the keys was counted")
		return m
	}
	var databases []memory.Database
	var keys, expires, alloc, volatile int64
	for _, d := range c.Databases {
		databases = append(databases, memory.Database{Keys: d.Keys, Expires: d.WithTTL})
		keys += d.Keys
		expires += d.WithTTL
		alloc += max(0, int64(d.MemoryBytes))
		volatile += max(0, int64(d.WithTTLMemory))
	}
	p := c.Model.Instance(alloc, databases)
	m.Predicted, m.Startup, m.Keys, m.Tables = Figure(p.UsedMemory), Figure(p.Startup), Figure(p.Keys), Figure(p.Tables)
	if in.UsedMem.Known() {
		d := int64(in.UsedMem) - p.UsedMemory
		m.Difference = &d
		if c.Other {
			m.Explanation = append(m.Explanation, fmt.Sprintf("the prediction is for %s, the snapshot's figure is that of the server that wrote it", m.Model))
		} else {
			m.Explanation = append(m.Explanation, explainDifference(in, d, p.UsedMemory)...)
		}
	}
	if c.MaxMemory > 0 {
		m.Fit = &Fit{MaxMemory: c.MaxMemory, Fits: p.UsedMemory <= c.MaxMemory, Free: c.MaxMemory - p.UsedMemory, Policies: []Eviction{
			{Policy: "allkeys-*", Keys: keys, MemoryBytes: Figure(alloc), Share: shareOf(alloc, alloc)},
			{Policy: "volatile-*", Keys: expires, MemoryBytes: Figure(volatile), Share: shareOf(volatile, alloc)},
			{Policy: "noeviction"},
		}}
	}
	return m
}

// shareOf is the part of a whole, 0 where there is nothing.
func shareOf(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// explainDifference says what the difference between a snapshot's used-mem and
// the prediction may be.
func explainDifference(in *Input, d, predicted int64) (list []string) {
	modules := 0
	for _, m := range in.Modules {
		modules += int(m.Keys + m.Aux)
	}
	switch {
	case d > 0:
		list = append(list, fmt.Sprintf("about %s that a restart would give back: buffers of clients and replicas, and what values keep of larger times", bytesText(d)))
	case d < 0:
		list = append(list, "the server needed less than its keys take by this model")
	}
	if d > predicted/10 || -d > predicted/10 {
		why := "over 10 %: history (values that shrank, tables that were larger once) or another allocator (--allocator)"
		if d < 0 {
			why = "over 10 %: another allocator (--allocator), or a build that differs"
		}
		if modules > 0 {
			why += ", and what modules keep, which no model covers"
		}
		list = append(list, why)
	}
	return list
}
