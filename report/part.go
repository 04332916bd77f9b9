package report

import (
	"bytes"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// Part is what a Builder gathers of one block of a snapshot. It is given out by
// Begin, filled by Key and handed back by Fold.
type Part struct {
	*partial // nil until the first key: blocks that only wait cost nothing
}

// Bounds of the groups of one block. When it has earlyCohorts, places with so
// many values that they will be folded anyway are folded, which is all that
// random names need; else there may be maxCohorts before groups.shrink is
// called to leave few.
const (
	earlyCohorts  = 1024
	maxPartGroups = 2 * maxCohorts
	fewPartGroups = maxCohorts / 2
)

// partial are the sums of a block.
type partial struct {
	names   *naming.Cache
	found   []thresholds.Finding // room for them
	pattern []byte
	cohorts cohorts
	spreads spreads
	tops    tops
	whole   *thresholds.Instance
	room    int // cohorts before the next spill
	spilled bool
	tables  *tables // cohorts that found no room; nil until there were any
	// Shortcuts past the places of tables, which hold until the next spill.
	shortcuts [8]shortcut
	keys      int64
	dropped   int64
	weighed   int64 // keys when it was weighed last
	weight    int64 // in bytes; see Builder.Full
}

func (p *partial) reset() {
	p.cohorts.reset()
	p.spreads.reset()
	p.tops.reset()
	p.whole.Reset()
	if p.spilled {
		p.tables.reset()
		for i := range p.shortcuts {
			p.shortcuts[i].open = false
		}
	}
	p.room, p.spilled, p.keys, p.dropped, p.weighed = earlyCohorts, false, 0, 0, 0
}

// spill makes room for cohorts.
func (p *partial) spill(e *thresholds.Engine, input int) {
	if p.tables == nil {
		p.tables = &tables{}
		p.tables.init(e, maxPartGroups)
	}
	p.spilled = true
	for i := range p.shortcuts {
		p.shortcuts[i].open = false
	}
	p.tables.take(&p.cohorts, input)
	p.cohorts.reset()
	g := &p.tables.groups
	if p.room == earlyCohorts {
		g.shrinkEarly()
		if len(g.list) > earlyCohorts/2 {
			p.room = maxCohorts
		}
	}
	if len(g.list) > fewPartGroups {
		g.shrink(fewPartGroups)
	}
}

// cohort gives the cohort of a key.
func (p *partial) cohort(b *Builder, k *parser.Key, f *naming.Facts, found []thresholds.Finding, owner int) int {
	alike, marks := alikeOf(k, owner), marksOf(found)
	group := f.Group
	i, at := p.cohorts.find(group, alike, marks)
	if i >= 0 {
		return i
	}
	// The pattern may belong to a place that was folded already.
	prefix := k.Name[:f.LastStart]
	s := &p.shortcuts[(len(prefix)*31+int(f.First))%len(p.shortcuts)]
	if s.open && bytes.Equal(s.prefix, prefix) {
		if i, at = p.cohorts.find(s.group, alike, marks); i >= 0 {
			p.tables.groups.folded.add(group)
			return i
		}
	}
	text := b.namer.AppendPattern(p.pattern[:0], k.Name)
	p.pattern = text
	if p.spilled {
		folded, node, differs := p.tables.groups.places.appendFolded(text, text)
		p.pattern = folded[:0]
		if differs {
			p.tables.groups.folded.add(group)
			raw := text
			text = folded[len(text):]
			group = p.tables.groups.hashAt(node, text)
			s.set(p.tables.groups.places, prefix, raw, text, node, group)
			if i, at = p.cohorts.find(group, alike, marks); i >= 0 {
				return i
			}
		}
	}
	if len(p.cohorts.list) >= p.room {
		p.spill(b.engine, b.input)
		_, at = p.cohorts.find(group, alike, marks)
	}
	return p.cohorts.insert(at, group, alike, marks, text, found)
}

// shortcut knows the pattern of names whose last segment, whatever it is, is
// folded: random names are mostly that.
type shortcut struct {
	open   bool
	prefix []byte // all segments but the last
	group  uint64 // hash of the pattern
}

// set notes the pattern of a name, raw before places folded it and text after,
// if every name that begins alike has it: the place of the last segment keeps
// no value, and nothing in the prefix can be folded together with what follows.
func (s *shortcut) set(p *places, prefix, raw, text []byte, node int32, group uint64) {
	n := len(prefix)
	if node == 0 || len(text) != n+1 || !bytes.HasPrefix(raw, prefix) || !bytes.HasPrefix(text, prefix) ||
		bytes.IndexByte(prefix, '{') >= 0 || p.namer.IsSeparator('-') {
		return
	}
	if parent := &p.nodes[p.nodes[node].parent]; parent.folded && parent.literals == 0 && parent.plain == node {
		s.open, s.prefix, s.group = true, append(s.prefix[:0], prefix...), group
	}
}

// add adds a key.
func (p *partial) add(b *Builder, k *parser.Key, f *naming.Facts, found []thresholds.Finding, owner int) {
	p.keys++
	elements, values, memory := known(k.Elements), known(k.ValueBytes), known(k.Memory)
	size := size(k)
	i := p.cohort(b, k, f, found, owner)
	h := &p.cohorts.list[i]
	h.keys++
	h.elements += elements
	h.values += values
	h.memory += memory
	h.usage += known(k.MemoryUsage)
	h.serialized += k.Serialized
	h.names += k.NameLen
	if k.Type == parser.Hash {
		h.fieldsTTL += k.FieldsWithTTL
	} else if k.Type == parser.Stream {
		h.streamGroups += k.Groups
		h.pending += k.Pending
	}
	if size > h.biggest {
		h.biggest = size
		p.cohorts.keys[i].set(k, size, int32(b.input), int32(owner))
	}

	s := &p.spreads
	if k.HasExpire {
		if b.timed {
			left := timeLeft(k.ExpireAt, b.created)
			p.cohorts.expires(h, left)
			s.expiry[expiryBar(left)].count(values, memory)
		} else {
			s.expiry[unknownExpiry].count(values, memory)
		}
	}
	if uint64(k.NameLen) < uint64(len(lengthBar)) {
		s.lengths[lengthBar[k.NameLen]].count(values, memory)
	} else {
		s.lengths[lengthScale.bar(k.NameLen)].count(values, memory)
	}
	if k.Type != parser.String && k.Elements >= 0 {
		if k.Elements < int64(len(elementsBar)) {
			s.elements[elementsBar[k.Elements]].count(values, memory)
		} else {
			s.elements[elementsScale.bar(k.Elements)].count(values, memory)
		}
	}
	if k.Idle >= 0 {
		s.idle[idleScale.bar(k.Idle)].count(values, memory)
	}
	if k.Freq >= 0 {
		s.freqs = true
		s.freq[k.Freq&255].count(values, memory)
	}

	// The lists of keys. Nearly every key stays under all bars.
	floor := &p.tops.floors.types[k.Type&15]
	wanted := k.Memory > floor[0] || k.MemoryUsage > floor[1] || k.ValueBytes > floor[2] || k.Elements > floor[3] ||
		k.Serialized > floor[4] || k.Largest > floor[5] || int64(k.Freq) > p.tops.floors.freq
	for i := range found {
		f := &found[i]
		wanted = wanted || p.tops.floors.examples[outcome(f.Rule, f.Severity)].under(f.Rank(k), size)
	}
	if wanted {
		p.list(b, k, found, owner)
	}
}

// list puts a key on the lists where it belongs.
func (p *partial) list(b *Builder, k *parser.Key, found []thresholds.Finding, owner int) {
	c := candidate{key: k, input: int32(b.input), owner: int32(owner), row: -1}
	v := figures{k.Memory, k.MemoryUsage, k.ValueBytes, k.Elements, k.Serialized, k.Largest}
	p.tops.rank(&c, &v)
	for i := range found {
		f := &found[i]
		if f.Ignored == 0 && p.tops.floors.examples[outcome(f.Rule, f.Severity)].under(f.Rank(k), size(k)) {
			p.tops.example(&c, f, size(k))
		}
	}
	p.tops.done(&c)
}

func (t *tally) count(values, memory int64) {
	t.keys++
	t.values += values
	t.memory += memory
}

// timeLeft gives the milliseconds between two times since the epoch.
func timeLeft(at, now int64) int64 {
	if left := at - now; at >= 0 || left < 0 {
		return left
	}
	return -1 << 63 // at is before all times
}
