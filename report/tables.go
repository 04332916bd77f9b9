package report

import (
	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds"
)

// tables are the sums of a report that are made from cohorts.
type tables struct {
	cells     [parser.NumTypes][parser.NumEncodings]cell
	databases []database
	owners    []ownerSums
	outcomes  [maxRules * severities]outcomeSums
	ignored   []int64 // by entry of thresholds.Engine.Ignores
	groups    groups

	bound, fieldsTTL, streamGroups, pending int64
}

// cell are the keys of one type in one encoding.
type cell struct {
	sums
	expiring int64 // keys with an expiry
}

// database are the keys of one database of one input.
type database struct {
	input, db int
	sums
	expiring, expiringMemory int64 // keys with an expiry
}

// maxDatabases is how many databases of one input are told apart; what is beyond
// is counted in OtherDatabases.
const maxDatabases = 1024

// ownerSums are the keys of one owner.
type ownerSums struct {
	sums
	without  int64 // keys without an expiry
	findings [severities]int64
	ignored  int64
}

// outcomeSums are the findings of one rule at one severity.
type outcomeSums struct{ keys, values, memory, usage int64 }

func (t *tables) init(e *thresholds.Engine, most int) {
	t.groups.init(e.Namer(), most)
	t.owners = make([]ownerSums, len(e.Owners()))
	t.ignored = make([]int64, len(e.Ignores()))
}

func (t *tables) reset() {
	t.cells = [parser.NumTypes][parser.NumEncodings]cell{}
	t.databases = t.databases[:0]
	clear(t.owners)
	clear(t.outcomes[:])
	clear(t.ignored)
	t.groups.reset()
	t.bound, t.fieldsTTL, t.streamGroups, t.pending = 0, 0, 0, 0
}

// database gives the sums of a database. Those of one input stand together, and
// the last input is the one that is being counted.
func (t *tables) database(input, db int) *database {
	n := 0
	for i := len(t.databases) - 1; i >= 0 && t.databases[i].input == input; i-- {
		if d := &t.databases[i]; d.db == db {
			return d
		}
		n++
	}
	if n >= maxDatabases && db != OtherDatabases {
		return t.database(input, OtherDatabases)
	}
	t.databases = append(t.databases, database{input: input, db: db})
	return &t.databases[len(t.databases)-1]
}

// take adds the cohorts of one input.
func (t *tables) take(c *cohorts, input int) {
	var last *database
	for i := range c.list {
		h := &c.list[i]
		cell := &t.cells[h.typ()%parser.NumTypes][h.encoding()%parser.NumEncodings]
		cell.add(&h.sums)
		if last == nil || last.db != h.db() {
			last = t.database(input, h.db())
		}
		last.add(&h.sums)
		to := t.groups.get(t.groups.at(h.group, c.texts[h.text:h.textEnd]))
		to.addSums(&h.sums, int32(h.owner()), &c.keys[i])
		if h.expires() {
			cell.expiring += h.keys
			last.expiring += h.keys
			last.expiringMemory += h.memory
		} else {
			to.without += h.keys
			to.withoutValues += h.values
			to.withoutMemory += h.memory
		}
		if h.life != 0 {
			t.groups.addLives(to, &c.lives[h.life-1], h.left)
		} else if h.left != noLife {
			t.groups.addLife(to, h.left.least)
		}
		if h.bound() {
			t.bound += h.keys
		}
		t.fieldsTTL += h.fieldsTTL
		t.streamGroups += h.streamGroups
		t.pending += h.pending
		t.takeMarks(to, h, c.found[h.found:h.foundEnd])
	}
}

// takeMarks adds what was found of a cohort's keys.
func (t *tables) takeMarks(to *group, h *cohort, found []mark) {
	var owner *ownerSums
	if len(t.owners) > 1 {
		owner = &t.owners[h.owner()]
		owner.add(&h.sums)
		if !h.expires() {
			owner.without += h.keys
		}
	}
	for _, m := range found {
		if m.ignored != 0 {
			t.ignored[m.ignored-1] += h.keys
			if owner != nil {
				owner.ignored += h.keys
			}
			continue
		}
		o := outcome(m.rule, m.severity)
		t.outcomes[o].keys += h.keys
		t.outcomes[o].values += h.values
		t.outcomes[o].memory += h.memory
		t.outcomes[o].usage += h.usage
		t.groups.addMark(to, groupMark{outcome: int32(o), keys: h.keys, values: h.values, memory: h.memory})
		if owner != nil {
			owner.findings[m.severity%severities] += h.keys
		}
	}
}

// merge adds the tables of a part that comes later.
func (t *tables) merge(o *tables) {
	for typ := range o.cells {
		for enc := range o.cells[typ] {
			c, oc := &t.cells[typ][enc], &o.cells[typ][enc]
			c.add(&oc.sums)
			c.expiring += oc.expiring
		}
	}
	for i := range o.databases {
		d := &o.databases[i]
		to := t.database(d.input, d.db)
		to.add(&d.sums)
		to.expiring += d.expiring
		to.expiringMemory += d.expiringMemory
	}
	for i := range o.owners {
		to, from := &t.owners[i], &o.owners[i]
		to.add(&from.sums)
		to.without += from.without
		to.ignored += from.ignored
		for s, n := range from.findings {
			to.findings[s] += n
		}
	}
	for i := range o.outcomes {
		to, from := &t.outcomes[i], &o.outcomes[i]
		to.keys += from.keys
		to.values += from.values
		to.memory += from.memory
		to.usage += from.usage
	}
	for i, n := range o.ignored {
		t.ignored[i] += n
	}
	t.bound += o.bound
	t.fieldsTTL += o.fieldsTTL
	t.streamGroups += o.streamGroups
	t.pending += o.pending
	t.groups.merge(&o.groups)
}

// spreads are the histograms, which keys are added to one by one.
type spreads struct {
	expiry, lengths, elements, idle bars
	freq                            [256]tally
	freqs                           bool // some key has a counter
}

// complete counts the keys without an expiry: all those that are not in another
// bar of that histogram. Every key is in one bar of the lengths.
func (s *spreads) complete() {
	none := &s.expiry[noExpiry]
	*none = tally{}
	var all, others tally
	for i := range s.lengths {
		all.add(&s.lengths[i])
		others.add(&s.expiry[i])
	}
	*none = tally{all.keys - others.keys, all.values - others.values, all.memory - others.memory}
}

func (s *spreads) merge(o *spreads) {
	s.expiry.add(&o.expiry)
	s.lengths.add(&o.lengths)
	s.elements.add(&o.elements)
	s.idle.add(&o.idle)
	if o.freqs {
		s.freqs = true
		for i := range s.freq {
			s.freq[i].add(&o.freq[i])
		}
	}
}

func (s *spreads) reset() {
	s.expiry, s.lengths, s.elements, s.idle = bars{}, bars{}, bars{}, bars{}
	if s.freqs {
		clear(s.freq[:])
		s.freqs = false
	}
}
