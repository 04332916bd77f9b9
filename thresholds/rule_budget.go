package thresholds

import (
	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

func init() {
	register(Rule{
		Name:       "budget",
		Section:    SectionInstance,
		Title:      "group, owner, database or snapshot over a budget of the configuration",
		Harm:       UsesMemory,
		fix:        &fix{action: adviseInstance, id: "Bring {key} back under its budget: {text}."},
		Instance:   true,
		Optional:   true,
		bySnapshot: func(e *Engine, f *InstanceFinding) bool { return e.policy.Budgets[f.budget].bySnapshot(e) },
		unit:       func(note uint8) message.Unit { return BudgetMeasure(note).Unit() },
		idle: func(p *Policy, s *Setting) string {
			if len(p.Budgets) == 0 {
				return "there are no budgets"
			}
			return ""
		},
		accumulate: func(e *Engine, s *Setting) func() accumulator {
			if len(e.policy.Budgets) == 0 {
				return nil
			}
			return func() accumulator {
				n := len(e.policy.Budgets)
				return &budgetSums{engine: e, setting: s, sums: make([]BudgetSums, n), nodes: make([]NodeSums, n)}
			}
		},
		text: func(x *explainer) message.Message {
			switch BudgetMeasure(x.note) {
			case BudgetMemory:
				return x.found("{measured} of memory, over the budget of {limit}")
			case BudgetWithoutTTL:
				return x.found("{measured} of the keys have no TTL, over the budget of {limit}")
			case BudgetGrowth:
				return x.found("{measured} growth a day, over the budget of {limit}")
			}
			return x.found("{measured} keys, over the budget of {limit}")
		},
		advise: func(x *explainer) {
			x.advise(adviseInstance, nil, "Find out what is no longer needed, or agree on a larger budget.")
		},
		Doc: Doc{
			What: "Keys over a limit that budgets in the configuration set for a group of names (a glob), an owner, a " +
				"database or the whole snapshot: their number, their memory, the share of them without a TTL, or their growth a " +
				"day (which only diff can see). Each limit has its own severity. Groups and owners are added up over the " +
				"snapshots of a report, databases over the shards of a cluster; other databases, and whole snapshots, are judged " +
				"one by one.",
			Why: "Groups outgrow what was planned for them long before a single key does, and nobody notices until the " +
				"server is full.",
			Fix:     "Delete or expire what is no longer needed, or agree on a larger budget.",
			Example: "session:*, 1.2 GB of memory, over the budget of 1 GB.",
		},
	})
}

// BudgetMeasure is what a budget limits.
type BudgetMeasure uint8

// The measures of budgets.
const (
	BudgetKeys       BudgetMeasure = iota // number of keys
	BudgetMemory                          // their bytes of memory, of values where memory is unknown
	BudgetWithoutTTL                      // share of them without an expiry, in hundredths of a percent
	BudgetGrowth                          // of memory a day, in hundredths of a percent
	NumBudgetMeasures
)

var budgetMeasures = [NumBudgetMeasures]struct {
	name string
	unit message.Unit
}{{"keys", message.Count}, {"memory", message.Bytes}, {"without_ttl", message.Percent}, {"growth", message.Percent}}

// String returns the name that configurations use.
func (m BudgetMeasure) String() string { return budgetMeasures[m].name }

// Unit returns the unit of the limits.
func (m BudgetMeasure) Unit() message.Unit { return budgetMeasures[m].unit }

// MaxBudgets is the largest number of budgets in a policy: every key is compared
// with each.
const MaxBudgets = 200

// Budget limits some keys together. At most one of Keys, Owner and Database is set;
// without any it is about all keys of a snapshot.
type Budget struct {
	Keys     []*naming.Glob
	Owner    string
	Database *int
	Limits   []BudgetLimit
	Reason   string
	Source   string // where the reason stands, "" unknown
	Origin   Origin
}

// BudgetLimit is one limit of a budget.
type BudgetLimit struct {
	Measure  BudgetMeasure
	Severity Severity
	Value    int64 // in the unit of Measure
}

// Subject returns what the budget is about: a glob, "owner checkout", "database 3"
// or "snapshot".
func (b *Budget) Subject() message.Message {
	switch {
	case len(b.Keys) > 0:
		return message.New("{keys}", message.Name("keys", joinGlobs(b.Keys)))
	case b.Owner != "":
		return message.New("owner {owner}", message.Element("owner", b.Owner))
	case b.Database != nil:
		return message.New("database {db}", plainNumber("db", int64(*b.Database)))
	}
	return snapshotSubject
}

// bySnapshot reports whether a budget is one of each snapshot: that of all its keys,
// and that of a database except in a cluster, whose shards share their databases.
func (b *Budget) bySnapshot(e *Engine) bool {
	return len(b.Keys) == 0 && b.Owner == "" && (b.Database == nil || !e.env.Cluster)
}

// BudgetSums are the sums of the keys that a budget is about.
type BudgetSums struct{ Keys, Bytes, WithoutTTL int64 }

// Measure returns the figure that a limit is compared with, 0 for the growth, which
// takes two snapshots.
func (s BudgetSums) Measure(m BudgetMeasure) int64 {
	switch m {
	case BudgetKeys:
		return s.Keys
	case BudgetMemory:
		return s.Bytes
	case BudgetWithoutTTL:
		return share(s.WithoutTTL, 10000, max(s.Keys, 1))
	}
	return 0
}

func (b *Budget) limit(m BudgetMeasure, measured int64) (worst BudgetLimit, exceeded bool) {
	for _, l := range b.Limits {
		if l.Measure == m && measured > l.Value && l.Severity > worst.Severity {
			worst, exceeded = l, true
		}
	}
	return worst, exceeded
}

type budgetSums struct {
	engine  *Engine
	setting *Setting
	sums    []BudgetSums
	nodes   []NodeSums // of a Fleet
}

func (s *budgetSums) add(k *parser.Key, f *naming.Facts, size int64) {
	owner := -1
	for i := range s.engine.policy.Budgets {
		b := &s.engine.policy.Budgets[i]
		switch {
		case len(b.Keys) > 0:
			if !matchAny(b.Keys, k.Name) {
				continue
			}
		case b.Owner != "":
			if owner < 0 {
				owner = s.engine.Owner(k, f)
			}
			if s.engine.owners[owner] != b.Owner {
				continue
			}
		case b.Database != nil && *b.Database != k.DB:
			continue
		}
		sum := &s.sums[i]
		sum.Keys++
		sum.Bytes += size
		if !k.HasExpire {
			sum.WithoutTTL++
		}
	}
}

func (s *budgetSums) merge(next accumulator) { next.counts(s.put) }

func (s *budgetSums) counts(do func(*Count)) {
	for i, sum := range s.sums {
		do(&Count{ID: int64(i), Keys: sum.Keys, Bytes: sum.Bytes, WithoutTTL: sum.WithoutTTL, Largest: s.nodes[i]})
	}
}

func (s *budgetSums) put(c *Count) {
	if uint64(c.ID) < uint64(len(s.sums)) {
		sum := &s.sums[c.ID]
		sum.Keys += c.Keys
		sum.Bytes += c.Bytes
		sum.WithoutTTL += c.WithoutTTL
		s.nodes[c.ID].larger(c.Largest, true)
	}
}

func (s *budgetSums) findings(totals, []NodeSums) (list []InstanceFinding) {
	for i, sum := range s.sums {
		for m := range BudgetGrowth {
			if found, ok := s.setting.overBudget(s.engine.policy, i, m, sum.Measure(m), sum); ok {
				found.Largest = s.nodes[i]
				list = append(list, found)
			}
		}
	}
	return list
}

// overBudget returns the finding about a measure of a budget. A severity that the
// team gave the rule replaces that of the limit.
func (s *Setting) overBudget(p *Policy, budget int, m BudgetMeasure, measured int64,
	sum BudgetSums) (found InstanceFinding, ok bool) {
	b := &p.Budgets[budget]
	l, ok := b.limit(m, measured)
	if s.Origin.Kind >= FromFile && s.Severity != Off {
		l.Severity = s.Severity
	}
	return InstanceFinding{Finding: Finding{Rule: s.Rule.ID, Severity: l.Severity, Measured: measured, Limit: l.Value,
		note: uint8(m)}, Subject: b.Subject(), Keys: sum.Keys, Bytes: sum.Bytes, budget: budget}, ok
}

func (s *budgetSums) reset() { clear(s.sums) }

func (s *budgetSums) size() int64 { return sliceSize(s.sums) }

// JudgedBudget is what a snapshot, or several, have of a budget.
type JudgedBudget struct {
	Index   int // in Policy.Budgets
	Sums    BudgetSums
	Largest NodeSums // as in InstanceFinding
}

// Budgets returns the budgets that are judged by the snapshot.
func (i *Instance) Budgets() []JudgedBudget { return judgedBudgets(i.accumulators, true) }

// Budgets returns the budgets that are judged over the snapshots together.
func (f *Fleet) Budgets() []JudgedBudget { return judgedBudgets(f.accumulators, false) }

func judgedBudgets(accumulators []accumulator, bySnapshot bool) (list []JudgedBudget) {
	for _, a := range accumulators {
		s, ok := a.(*budgetSums)
		if !ok {
			continue
		}
		for i := range s.sums {
			if s.engine.policy.Budgets[i].bySnapshot(s.engine) == bySnapshot {
				list = append(list, JudgedBudget{i, s.sums[i], s.nodes[i]})
			}
		}
	}
	return list
}

// Growth returns the finding about the growth of a budget's keys, from before to
// after, which were taken so many seconds apart; ok is false if the growth a day is
// within the budget, or no time is between the two. index is that in
// Policy.Budgets.
func (e *Engine) Growth(index int, before, after BudgetSums, seconds int64) (found InstanceFinding, ok bool) {
	rule, _ := Lookup("budget")
	s := &e.policy.Settings[rule.ID]
	if !s.On || before.Bytes <= 0 || seconds <= 0 {
		return found, false
	}
	grown := max(after.Bytes-before.Bytes, 0)
	aDay := share(share(grown, 10000, before.Bytes), 86400, seconds)
	return s.overBudget(e.policy, index, BudgetGrowth, aDay, after)
}
