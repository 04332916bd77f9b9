package agg

import (
	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report/internal/tree"
	"github.com/rdblens/rdblens/thresholds"
)

// Tables are the sums of a report that are computed from aggregates.
type Tables struct {
	Cells     [parser.NumTypes][parser.NumEncodings]Cell
	Databases []Database
	Owners    []OwnerSums // by index in thresholds.Engine.Owners
	Rules     [RuleSeverities]RuleSums
	Ignored   []IgnoredSums // by entry of thresholds.Engine.Ignores
	Groups    Groups

	Counters

	Compact thresholds.CompactSums // collections that larger limits would make compact
}

// Counters are sums that no table has.
type Counters struct {
	MemoryBound, MemoryApproximate             int64 // keys
	FieldsWithTTL, StreamGroups, StreamPending int64
	Stalling                                   int64 // keys that make other clients wait
}

func (c *Counters) add(o *Counters) {
	c.MemoryBound += o.MemoryBound
	c.MemoryApproximate += o.MemoryApproximate
	c.FieldsWithTTL += o.FieldsWithTTL
	c.StreamGroups += o.StreamGroups
	c.StreamPending += o.StreamPending
	c.Stalling += o.Stalling
}

func (t *Tables) NameBytes() (n int64) {
	for typ := range t.Cells {
		for enc := range t.Cells[typ] {
			n += t.Cells[typ][enc].NameBytes
		}
	}
	return n
}

// Cell has the keys of one type in one encoding.
type Cell struct {
	Sums
	WithTTL, WithTTLMemory int64 // keys with an expiry
}

// Add adds the keys of another cell.
func (c *Cell) Add(o *Cell) {
	c.Sums.add(&o.Sums)
	c.WithTTL += o.WithTTL
	c.WithTTLMemory += o.WithTTLMemory
}

// Database has the keys of one database of one input.
type Database struct {
	Input, DB int
	Cell
}

// maxDatabases is the number of databases of an input that are distinguished;
// the others are counted in OtherDatabases.
const maxDatabases = 1024

// OtherDatabases is the number of the Database that has the keys of databases
// that are not distinguished.
const OtherDatabases = -1

// OwnerSums has the keys of one owner.
type OwnerSums struct {
	Sums
	WithoutTTL int64
	Findings   [severities]int64 // by thresholds.Severity
	Ignored    int64
}

// IgnoredSums has the keys with findings that an entry of the configuration ignores.
type IgnoredSums struct {
	Count
	Worst    thresholds.Severity
	Exceeded bool // others are at least twice as bad as the entry accepts
}

func (s *IgnoredSums) add(o *IgnoredSums) {
	s.Count.add(&o.Count)
	s.Worst = max(s.Worst, o.Worst)
	s.Exceeded = s.Exceeded || o.Exceeded
}

// RuleSums has the keys with findings of one rule at one severity.
type RuleSums struct {
	Count
	MemoryUsage int64
}

// database returns the sums of a database. Those of one input are contiguous, and
// those of the input that is being read are the last.
func (t *Tables) database(input, db int) *Database {
	n := 0
	for i := len(t.Databases) - 1; i >= 0 && t.Databases[i].Input == input; i-- {
		if d := &t.Databases[i]; d.DB == db {
			return d
		}
		n++
	}
	if n >= maxDatabases && db != OtherDatabases {
		return t.database(input, OtherDatabases)
	}
	t.Databases = append(t.Databases, Database{Input: input, DB: db})
	return &t.Databases[len(t.Databases)-1]
}

func (t *Tables) flush(from *aggregates, names *tree.Block, input int) {
	for _, i := range from.used {
		a := from.list.At(int(i))
		names.Add(a.leaf, a.Keys, a.Sums.size())
	}
	nodeOf := t.Groups.tree.Merge(names)
	if names.AnyFolded {
		t.Groups.folded.Merge(&names.Folded)
	}
	var last *Database
	for _, i := range from.used {
		a := from.list.At(int(i))
		cell := Cell{Sums: a.Sums}
		if last == nil || last.DB != a.db() {
			last = t.database(input, a.db())
		}
		group := t.Groups.leaf(nodeOf[a.leaf])
		t.Groups.addSums(group, &a.Sums, common{int32(a.owner()), int32(a.typ()), int32(a.db())}, from.largest.At(int(i)))
		group.types |= 1 << a.typ()
		if a.hasExpire() {
			cell.WithTTL, cell.WithTTLMemory = a.Keys, a.Memory
		} else {
			group.WithoutTTL += a.Keys
			group.MemoryWithoutTTL += a.Memory
		}
		t.Cells[a.typ()%parser.NumTypes][a.encoding()%parser.NumEncodings].Add(&cell)
		last.Add(&cell)
		if a.ttlHistogram != 0 {
			t.Groups.addTTLs(group, &from.ttls[a.ttlHistogram-1], a.ttl)
		} else if a.ttl != noTTL {
			t.Groups.addTTL(group, a.ttl.least)
		}
		if a.soon != 0 {
			t.Groups.addSoon(group, &from.soon[a.soon-1])
		}
		if a.memoryBound() {
			t.MemoryBound += a.Keys
		}
		if a.memoryApproximate() {
			t.MemoryApproximate += a.Keys
		}
		t.FieldsWithTTL += a.fieldsWithTTL
		t.StreamGroups += a.streamGroups
		t.StreamPending += a.pending
		t.flushFindings(group, a, from.found[a.found:a.foundEnd])
	}
	t.Groups.foldExcess()
}

func (t *Tables) flushFindings(group *Group, a *aggregate, found []findingKind) {
	var owner *OwnerSums
	if len(t.Owners) > 1 {
		owner = &t.Owners[a.owner()]
		owner.Sums.add(&a.Sums)
		if !a.hasExpire() {
			owner.WithoutTTL += a.Keys
		}
	}
	stalls := false
	for _, f := range found {
		if f.ignored != 0 {
			t.Ignored[f.ignored-1].add(&IgnoredSums{Count{Keys: a.Keys, ValueBytes: a.ValueBytes, Memory: a.Memory}, f.severity,
				false})
			if owner != nil {
				owner.Ignored += a.Keys
			}
			continue
		}
		stalls = stalls || f.rule.Stalls(f.severity)
		rs := RuleSeverity(f.rule, f.severity)
		count := Count{Keys: a.Keys, ValueBytes: a.ValueBytes, Memory: a.Memory}
		if f.rule.Compacts() {
			count.Saved = a.compact
		}
		t.Rules[rs].add(&count)
		t.Rules[rs].MemoryUsage += a.MemoryUsage
		t.Groups.addFindings(group, int32(rs), count)
		if f.rule.IsCold() {
			group.idle.add(a.idle)
		}
		if owner != nil {
			owner.Findings[f.severity%severities] += a.Keys
		}
	}
	if stalls {
		t.Stalling += a.Keys
	}
}

// merge adds the tables of a later block or snapshot.
func (t *Tables) merge(o *Tables) {
	for typ := range o.Cells {
		for enc := range o.Cells[typ] {
			t.Cells[typ][enc].Add(&o.Cells[typ][enc])
		}
	}
	for i := range o.Databases {
		from := &o.Databases[i]
		t.database(from.Input, from.DB).Add(&from.Cell)
	}
	for i := range o.Owners {
		to, from := &t.Owners[i], &o.Owners[i]
		to.Sums.add(&from.Sums)
		to.WithoutTTL += from.WithoutTTL
		to.Ignored += from.Ignored
		for s, n := range from.Findings {
			to.Findings[s] += n
		}
	}
	for i := range o.Rules {
		t.Rules[i].add(&o.Rules[i].Count)
		t.Rules[i].MemoryUsage += o.Rules[i].MemoryUsage
	}
	for i := range o.Ignored {
		t.Ignored[i].add(&o.Ignored[i])
	}
	t.Counters.add(&o.Counters)
	t.Compact.Add(&o.Compact)
	t.Groups.merge(&o.Groups)
}
