package report

import (
	"fmt"

	"github.com/rdblens/rdblens/parser/memory"
)

// Capacity says of the only input of a report what its keys would take in a
// server's memory: predicted used_memory beside what the snapshot says, and
// whether it fits into maxMemory (0: not asked). The model is nil where there is
// none; note says why this one. Of a part of the keys (damage, a filter)
// nothing is predicted.
func (r *Report) Capacity(model *memory.Model, note string, maxMemory int64) *Memory {
	m := &Memory{Note: note, Predicted: Unknown, Startup: Unknown, Keys: Unknown, Tables: Unknown}
	if model == nil {
		return m
	}
	m.Model, m.Allocator, m.State, m.Approximate = model.Name(), model.Allocator(), model.State(), model.Approximate()
	if !r.Complete || r.Filter != nil || !r.Totals.MemoryBytes.Known() {
		m.Explanation = append(m.Explanation, "not predicted: only a part of the keys was counted")
		return m
	}
	var databases []memory.Database
	for _, d := range r.Databases {
		databases = append(databases, memory.Database{Keys: d.Keys, Expires: d.WithTTL})
	}
	in := model.Instance(int64(r.Totals.MemoryBytes), databases)
	m.Predicted, m.Startup, m.Keys, m.Tables = Figure(in.UsedMemory), Figure(in.Startup), Figure(in.Keys), Figure(in.Tables)
	if used := r.Inputs[0].UsedMem; used.Known() {
		d := int64(used) - in.UsedMemory
		m.Difference = &d
		m.Explanation = append(m.Explanation, r.explainDifference(d, in.UsedMemory)...)
	}
	if maxMemory > 0 {
		m.Fit = r.fit(in.UsedMemory, maxMemory)
	}
	return m
}

// explainDifference says what the difference between a snapshot's used-mem and
// the prediction may be.
func (r *Report) explainDifference(d, predicted int64) (list []string) {
	modules := 0
	for _, m := range r.Inputs[0].Modules {
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

// fit holds predicted memory against a maxmemory.
func (r *Report) fit(predicted, maxMemory int64) *Fit {
	t := &r.Totals
	all := int64(t.MemoryBytes)
	volatile := max(0, all-int64(t.WithoutTTLMemory))
	share := func(n int64) float64 {
		if all == 0 {
			return 0
		}
		return float64(n) / float64(all)
	}
	return &Fit{MaxMemory: maxMemory, Fits: predicted <= maxMemory, Free: maxMemory - predicted, Policies: []Eviction{
		{Policy: "allkeys-*", Keys: t.Keys, MemoryBytes: t.MemoryBytes, Share: share(all)},
		{Policy: "volatile-*", Keys: t.WithTTL, MemoryBytes: Figure(volatile), Share: share(volatile)},
		{Policy: "noeviction"},
	}}
}
