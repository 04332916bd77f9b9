package report

import "github.com/rdblens/rdblens/parser/message"

// otherAllocator says which allocator explains used_memory better than the one that
// is assumed, zero if there is none or it was not asked for.
func otherAllocator(in *Input) message.Message {
	m := in.Memory
	if m == nil || m.Difference == nil || !m.Predicted.Known() {
		return message.Message{}
	}
	best, off := "", *m.Difference
	for _, w := range m.WhatIf {
		if d := int64(in.UsedMem - w.Predicted); w.Model == m.Model && w.State == m.State && max(d, -d) < max(off, -off) {
			best, off = w.Allocator, d
		}
	}
	before := max(*m.Difference, -*m.Difference)
	args := []message.Arg{message.Text("best", best), shareArg("off", max(off, -off), int64(in.UsedMem)),
		shareArg("before", before, int64(in.UsedMem)), message.Text("now", m.Allocator)}
	switch {
	case best != "":
		return message.New("used_memory fits --allocator {best} better: the prediction is {off} off, {before} with {now}", args...)
	case m.WhatIf == nil && m.Keys*2 > in.UsedMem && before > int64(in.UsedMem)*3/100:
		return message.New("used_memory is {before} off the prediction for {now}: --what-if tries the other allocators", args...)
	}
	return message.Message{}
}
