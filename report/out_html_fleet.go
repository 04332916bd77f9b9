package report

import (
	"cmp"
	"slices"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds"
)

// What the page shows of several snapshots, and the rules that nothing broke.

// passed lists the rules that were in force and found nothing.
func (v *htmlView) passed(r *Report) {
	for _, name := range r.Config.Checked {
		rule, ok := thresholds.Lookup(name)
		if ok && !slices.ContainsFunc(r.Rules, func(f Finding) bool { return f.Rule == name }) {
			v.Passed = append(v.Passed, htmlPassed{text.Sanitize(name), rule.Title})
		}
	}
	v.PassedTitle = message.Plural(int64(len(v.Passed)), "1 rule found nothing", "{n} rules found nothing")
}

// htmlNodes is the most bars of the strip of nodes.
const htmlNodes = 256

// strip fills in the strip of nodes, a bar for each, in the order of the inputs.
func (v *htmlView) strip(r *Report) {
	nodes, known := r.everyNode()
	if !known || len(nodes) < 2 {
		return
	}
	nodes = slices.Clone(nodes[:min(len(nodes), htmlNodes)])
	slices.SortFunc(nodes, func(a, b Node) int { return cmp.Compare(a.Input, b.Input) })
	s, most := &htmlSlots{}, int64(1)
	for i := range nodes {
		most = max(most, int64(sizeOf(nodes[i].MemoryBytes, nodes[i].ValueBytes)))
	}
	for i := range nodes {
		n := &nodes[i]
		size := max(0, int64(sizeOf(n.MemoryBytes, n.ValueBytes)))
		height := max(2, int(float64(size)/float64(most)*100))
		class := ""
		switch {
		case r.Inputs[n.Input].Error != nil:
			class = "s-error"
		case n.Skew >= 1.5:
			class = "s-warning"
		}
		s.Bars = append(s.Bars, htmlBar{i, 100 - height, height, class, r.inputName(n.Input).Display() + ": " + message.FormatBytes(size) + ", " + message.FormatCount(n.Keys)})
	}
	s.Note = message.New("Each bar is a node: its height is its memory, marked if it has half as much again as the mean, or is damaged.")
	v.Nodes = s
}

// keysOfNodes is a table of keys, in which one row stands for the keys of one name on several
// inputs: it has the figures of the largest.
func (r *Report) keysOfNodes(keys []KeyRow) table {
	type identity struct {
		db  int
		key Name
	}
	rows := keys[:0:0]
	on, at := []int64{}, map[identity]int{}
	for i := range keys {
		k := &keys[i]
		id := identity{k.DB, k.Key}
		if n, ok := at[id]; ok && len(r.Inputs) > 1 {
			on[n]++
			continue
		}
		at[id] = len(rows)
		rows, on = append(rows, *k), append(on, 1)
	}
	t := r.keysTable(rows, true)
	if len(rows) < len(keys) {
		t.columns = slices.Insert(t.columns, 1, countColumn("listed on nodes", func(i int) Figure { return Figure(on[i]) }))
	}
	return t
}

// fleet writes the sections about several inputs: a row for each.
func (d *details) fleet() {
	rows := d.r.worstNodes()
	rows = rows[:min(len(rows), htmlDiffRows)]
	d.section(word("Nodes"), d.r.nodesNote(len(rows)))
	d.table(d.r.nodesTable(rows))
	d.section(word("Snapshots"), message.Message{})
	d.snapshotRows()
	var with []int
	for i := range d.r.Inputs {
		if d.r.Inputs[i].Memory != nil && len(with) < htmlDiffRows {
			with = append(with, i)
		}
	}
	memory := func(i int) *Memory { return d.r.Inputs[with[i]].Memory }
	d.section(word("Memory"), message.Message{})
	d.table(table{len(with), []column{
		d.r.inputColumn(func(i int) int { return with[i] }),
		wordColumn("model", func(i int) string { return memory(i).Model }),
		wordColumn("allocator", func(i int) string { return memory(i).Allocator }),
		sizeColumn("used_memory", func(i int) Figure { return d.r.Inputs[with[i]].UsedMem }),
		sizeColumn("predicted", func(i int) Figure { return memory(i).Predicted }),
		rightColumn("difference", func(i int) message.Message {
			if memory(i).Difference == nil {
				return message.Message{}
			}
			return signedSize(*memory(i).Difference)
		}),
		sizeColumn("keys", func(i int) Figure { return memory(i).Keys }),
		sizeColumn("key tables", func(i int) Figure { return memory(i).Tables }),
		sizeColumn("empty server", func(i int) Figure { return memory(i).Startup }),
	}})
}
