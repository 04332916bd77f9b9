package thresholds

import (
	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

func init() {
	register(Rule{
		Name:     "hashtag-skew",
		Section:  SectionInstance,
		Title:    "hash tag that holds too large a share of the memory",
		Harm:     Blocks,
		fix:      &fix{action: adviseInstance, id: "Spread the keys of tag {key}: {text}."},
		Instance: true,
		Unit:     message.Percent,
		Params: []Param{{Name: "min_size", Unit: message.Bytes, Default: "10 MB",
			Doc: "tags of no more than this are never reported"}},
		idle: withoutTags,
		accumulate: func(e *Engine, s *Setting) func() accumulator {
			if !e.env.Cluster {
				return nil
			}
			levels, minSize := s.levels(AnyType), s.Param("min_size").Number
			return func() accumulator { return &tagSizes{rule: s.Rule.ID, levels: levels, minSize: minSize} }
		},
		text: func(x *explainer) message.Message {
			size := message.Figure("size", x.instance.Bytes, message.FormSize)
			if x.note == noteAtLeast {
				return x.found("at least {size}, {measured} of the memory, over {limit}", size)
			}
			return x.found("{size}, {measured} of the memory, over {limit}", size)
		},
		advise: func(x *explainer) {
			var commands []message.Message
			if tag := SubjectText(x.instance.Subject); len(tag) < maxTag+len("{}") { // it is whole
				commands = []message.Message{message.New("CLUSTER KEYSLOT {tag}", message.Name("tag", tag))}
			}
			x.advise(adviseInstance, commands,
				"Make the tag more specific, so that its keys spread over many slots, or omit it. First see that no command, "+
					"transaction or script needs these keys in one slot.")
		},
		Doc: Doc{
			What: "One {tag} whose keys hold more than 1 % of all memory and more than 10 MB. Only in snapshots that show " +
				"cluster mode, or with --cluster. Sums are exact for up to 16,384 tags; beyond that, they may be low by at most " +
				"the memory of all tags divided by 8192, in each snapshot and over all of them. The tags of all cluster " +
				"snapshots of a report are added up.",
			Why: "All keys with one tag are in one slot, on one node. Resharding cannot spread them.",
			Fix: "Make the tag more specific (the user's number, not the word user), or omit it if no command needs the " +
				"keys together.",
			Example: "{user}: 2.1 GB in 1,200,000 keys, 38% of the memory.",
		},
	})
}

const (
	maxTags = 8192 // hash tags that are kept when there are twice as many
	maxTag  = 128  // leading bytes of a tag that are kept, for display
)

// tagSizes adds up keys and bytes by hash tag. Sums are exact while a snapshot has
// at most 2 * maxTags tags. With more, those with the fewest bytes are dropped
// (Misra and Gries, "Finding repeated elements", 1982, with weights): a sum can
// then be low by at most the bytes of all tags divided by maxTags, and no tag with
// more bytes than that is lost.
type tagSizes struct {
	rule    RuleID
	levels  []level
	minSize int64 // bytes that a tag must exceed
	tags    counters
	pruned  bool
}

func (t *tagSizes) add(k *parser.Key, f *naming.Facts, size int64) {
	if f.TagEnd > f.TagStart {
		tag := k.Name[f.TagStart:f.TagEnd]
		t.count(hashBytes(tag), tag[:min(len(tag), maxTag)], len(tag), 1, size)
	}
}

func (t *tagSizes) count(hash uint64, kept []byte, length int, keys, size int64) int {
	i := t.tags.get(hash, kept, length, 2*maxTags)
	if i < 0 {
		t.prune()
		i = t.tags.get(hash, kept, length, 2*maxTags)
	}
	t.tags.list[i].keys += keys
	t.tags.list[i].bytes += size
	return i
}

// prune subtracts the bytes of the largest tag that cannot be kept from all tags,
// and drops those that have none left.
func (t *tagSizes) prune() {
	least := t.tags.nth(maxTags, func(n *counter) int64 { return n.bytes })
	t.tags.keep(func(n *counter) bool {
		n.bytes -= least
		return n.bytes > 0
	})
	t.pruned = true
}

func (t *tagSizes) merge(next accumulator) {
	o := next.(*tagSizes)
	for i := range o.tags.list {
		n := &o.tags.list[i]
		t.count(n.hash, o.tags.part(n), int(n.length), n.keys, n.bytes)
	}
	t.pruned = t.pruned || o.pruned
}

func (t *tagSizes) counts(do func(*Count)) {
	var c Count
	for i := range t.tags.list {
		n := &t.tags.list[i]
		c = Count{ID: int64(n.hash), Part: t.tags.part(n), Length: int(n.length), Keys: n.keys, Bytes: n.bytes,
			Largest: t.tags.largestOf(i)}
		do(&c)
	}
	if t.pruned {
		do(&Count{List: 1})
	}
}

func (t *tagSizes) put(c *Count) {
	if c.List == 0 {
		t.tags.addLargest(t.count(uint64(c.ID), c.Part[:min(len(c.Part), maxTag)], c.Length, c.Keys, c.Bytes), c.Largest)
	} else {
		t.pruned = true
	}
}

func (t *tagSizes) findings(total totals, _ []NodeSums) []InstanceFinding {
	var list []InstanceFinding
	for i := range t.tags.list {
		n := &t.tags.list[i]
		if n.bytes <= t.minSize {
			continue
		}
		if l, found := severest(t.levels,
			func(limit int64) bool { return more(n.bytes, 100_00, limit, total.bytes) }); found {
			list = append(list, InstanceFinding{Finding: Finding{Rule: t.rule, Severity: l.severity,
				Measured: share(n.bytes, 100_00, total.bytes), Limit: l.limit, note: noteIf(t.pruned)},
				Subject: message.New("{tag}", message.Name("tag", "{"+string(t.tags.part(n))+"}")), Keys: n.keys, Bytes: n.bytes,
				Largest: t.tags.largestOf(i)})
		}
	}
	return list
}

func (t *tagSizes) reset() {
	t.tags.reset()
	t.pruned = false
}

func (t *tagSizes) size() int64 { return t.tags.size() }
