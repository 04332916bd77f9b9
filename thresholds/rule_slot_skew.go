package thresholds

import (
	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

func init() {
	register(Rule{
		Name:     "slot-skew",
		Section:  SectionInstance,
		Title:    "hash slot with many times its fair share of the memory",
		Harm:     Blocks,
		fix:      &fix{action: adviseInstance, id: "Spread the keys of {key}: {text}."},
		Instance: true,
		Unit:     message.Ratio,
		Params: []Param{
			{Name: "min_size", Unit: message.Bytes, Default: "10 MB", Doc: "slots of no more than this are never reported"},
			{Name: "min_keys", Unit: message.Count, Default: "1000", Doc: "snapshots with fewer keys are not checked"},
		},
		accumulate: func(e *Engine, s *Setting) func() accumulator {
			if !e.env.Cluster {
				return nil
			}
			rule := slotSizes{rule: s.Rule.ID, levels: s.levels(AnyType), minSize: s.Param("min_size").Number,
				minKeys: s.Param("min_keys").Number, slotOf: naming.Slot}
			if !e.policy.HashTags.Value {
				rule.slotOf = naming.SlotIgnoringTag
			}
			return func() accumulator {
				a := rule
				return &a
			}
		},
		text: func(x *explainer) message.Message {
			return x.found("{size}, {measured} its fair share, over {limit}",
				message.Figure("size", x.instance.Bytes, message.FormSize))
		},
		advise: func(x *explainer) {
			slot := x.instance.Subject.Args
			x.advise(adviseInstance, []message.Message{message.New("CLUSTER COUNTKEYSINSLOT {slot}", slot...),
				message.New("CLUSTER GETKEYSINSLOT {slot} 100", slot...)},
				"Check what is in it: a big key, or the keys of one hash tag. Resharding cannot split a slot.")
		},
		Doc: Doc{
			What: "A hash slot over 10 MB that holds more than 10 times its fair share: all memory divided by the number of " +
				"slots that have keys. Only in snapshots that show cluster mode, or with --cluster, and with at least 1000 keys. " +
				"The slots of all cluster snapshots of a report are added up.",
			Why: "A slot cannot be split: its node fills up and is overloaded while others are idle, and moving slots " +
				"does not help.",
			Fix:     "Find the big key or the hash tag in the slot; split the key, or remove the tag from the names.",
			Example: "slot 5474: 812 MB, 340 times its fair share.",
		},
	})
}

// slotSizes adds up keys and bytes by hash slot.
type slotSizes struct {
	rule    RuleID
	levels  []level // hundredths of the fair share
	minSize int64   // bytes that a slot must exceed
	minKeys int64   // that the snapshot must have
	slotOf  func(name []byte) int
	slots   []totals   // by slot, nil before the first key
	nodes   []NodeSums // by slot, of a Fleet
}

func (s *slotSizes) add(k *parser.Key, f *naming.Facts, size int64) {
	if s.slots == nil {
		s.slots = make([]totals, naming.Slots)
	}
	s.slots[s.slotOf(k.Name)&(naming.Slots-1)].add(totals{1, size})
}

// A SlotRange has the keys of adjacent hash slots.
type SlotRange struct {
	First int   `json:"first"` // slot
	Last  int   `json:"last"`
	Keys  int64 `json:"keys"`
	Bytes int64 `json:"bytes"` // their memory, or value bytes if memory is unknown
}

const slotRanges = 256

// SlotRanges returns the sums of all hash slots in 256 ranges, nil unless slot-skew
// adds them up and there are keys.
func (f *Fleet) SlotRanges() []SlotRange {
	for _, a := range f.accumulators {
		s, ok := a.(*slotSizes)
		if !ok || s.slots == nil {
			continue
		}
		const each = naming.Slots / slotRanges
		list := make([]SlotRange, slotRanges)
		for n := range list {
			r := &list[n]
			r.First, r.Last = n*each, (n+1)*each-1
			for _, slot := range s.slots[r.First : r.Last+1] {
				r.Keys += slot.keys
				r.Bytes += slot.bytes
			}
		}
		return list
	}
	return nil
}

// Slots calls a function for each hash slot that has keys, with their number and the
// snapshot that has most of it. It returns false if slot-skew does not add slots up.
func (f *Fleet) Slots(do func(slot int, keys int64, largest NodeSums)) bool {
	for _, a := range f.accumulators {
		if s, ok := a.(*slotSizes); ok {
			s.counts(func(c *Count) {
				if len(f.nodes) == 1 { // of Alone, nobody compared it with others
					c.Largest = NodeSums{f.nodes[0].Node, c.Keys, c.Bytes}
				}
				do(int(c.ID), c.Keys, c.Largest)
			})
			return true
		}
	}
	return false
}

func (s *slotSizes) merge(next accumulator) {
	o := next.(*slotSizes)
	if s.slots == nil && o.slots != nil {
		s.slots = make([]totals, naming.Slots)
	}
	for i := range o.slots {
		s.slots[i].add(o.slots[i])
	}
}

func (s *slotSizes) counts(do func(*Count)) {
	var c Count
	for i, slot := range s.slots {
		if slot.keys == 0 {
			continue
		}
		c = Count{ID: int64(i), Keys: slot.keys, Bytes: slot.bytes}
		if s.nodes != nil {
			c.Largest = s.nodes[i]
		}
		do(&c)
	}
}

func (s *slotSizes) put(c *Count) {
	if s.nodes == nil {
		s.slots, s.nodes = make([]totals, naming.Slots), make([]NodeSums, naming.Slots)
	}
	slot := c.ID & (naming.Slots - 1)
	s.slots[slot].add(totals{c.Keys, c.Bytes})
	s.nodes[slot].larger(c.Largest, true)
}

func (s *slotSizes) findings(total totals, _ []NodeSums) []InstanceFinding {
	if total.keys < s.minKeys {
		return nil
	}
	used := int64(0)
	for i := range s.slots {
		if s.slots[i].keys > 0 {
			used++
		}
	}
	var list []InstanceFinding
	for i, slot := range s.slots {
		if slot.bytes <= s.minSize {
			continue
		}
		if l, found := severest(s.levels,
			func(limit int64) bool { return more(slot.bytes, used*100, limit, total.bytes) }); found {
			found := InstanceFinding{Finding: Finding{Rule: s.rule, Severity: l.severity,
				Measured: share(slot.bytes, used*100, total.bytes), Limit: l.limit},
				Subject: message.New("slot {slot}", plainNumber("slot", int64(i))), Keys: slot.keys, Bytes: slot.bytes}
			if s.nodes != nil {
				found.Largest = s.nodes[i]
			}
			list = append(list, found)
		}
	}
	return list
}

func (s *slotSizes) reset() { clear(s.slots) }

func (s *slotSizes) size() int64 { return sliceSize(s.slots) }
