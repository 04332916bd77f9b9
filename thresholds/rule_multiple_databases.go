package thresholds

import (
	"slices"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

func init() {
	register(Rule{
		Name:       "multiple-databases",
		Section:    SectionInstance,
		Title:      "keys in more than one database",
		Instance:   true,
		bySnapshot: unlessCluster,
		unit:       func(uint8) message.Unit { return message.Count },
		accumulate: func(e *Engine, s *Setting) func() accumulator {
			return func() accumulator { return &usedDatabases{rule: s.Rule.ID, severity: s.Severity} }
		},
		text: func(x *explainer) message.Message {
			if x.note == noteAtLeast {
				return x.found("at least {measured} databases with keys")
			}
			return x.found("{measured} databases with keys")
		},
		advise: func(x *explainer) {
			x.advise(adviseInstance, literal("INFO keyspace"), "Give each business an instance of its own; within an "+
				"instance, separate keys by prefixes. Before Valkey 9 a cluster has only database 0.")
		},
		Doc: Doc{
			What: "A snapshot with keys in more than one database. One finding for the snapshot; the shards of a cluster are " +
				"one instance, with one finding.",
			Why: "All databases share one thread and one memory: what one business does slows down the others. Many clients " +
				"and proxies support SELECT poorly, and before Valkey 9 a cluster has only database 0.",
			Fix:     "Give each business an instance of its own, and separate keys by prefixes within it.",
			Example: "db 0, 1, 7: 3 databases with keys.",
		},
	})
}

const maxDatabases = 1024

type usedDatabases struct {
	rule     RuleID
	severity Severity
	list     []int // ascending
	last     int   // of the last key
	more     bool  // there are others beyond maxDatabases
}

func (d *usedDatabases) add(k *parser.Key, f *naming.Facts, size int64) {
	if k.DB != d.last || len(d.list) == 0 {
		d.use(k.DB)
	}
}

func (d *usedDatabases) use(db int) {
	d.last = db
	i, found := slices.BinarySearch(d.list, db)
	switch {
	case found:
	case len(d.list) == maxDatabases:
		d.more = true
	default:
		d.list = slices.Insert(d.list, i, db)
	}
}

func (d *usedDatabases) merge(next accumulator) { next.counts(d.put) }

func (d *usedDatabases) counts(do func(*Count)) {
	for _, db := range d.list {
		do(&Count{ID: int64(db)})
	}
	if d.more {
		do(&Count{List: 1})
	}
}

func (d *usedDatabases) put(c *Count) {
	if c.List == 0 {
		d.use(int(c.ID))
	} else {
		d.more = true
	}
}

func (d *usedDatabases) findings(total totals, _ []NodeSums) []InstanceFinding {
	n := len(d.list)
	if n <= 1 {
		return nil
	}
	var shown []message.Message
	for _, db := range d.list[:min(n, 16)] {
		shown = append(shown, message.New("{db}", plainNumber("db", int64(db))))
	}
	if n > 16 {
		shown = append(shown, message.New("..."))
	}
	return []InstanceFinding{{Finding: Finding{Rule: d.rule, Severity: d.severity, Measured: int64(n), Limit: 1,
		note: noteIf(d.more)},
		Subject: message.New("db {list}", message.List("list", ", ", shown)), Keys: total.keys, Bytes: total.bytes}}
}

func (d *usedDatabases) reset() { d.list, d.more = d.list[:0], false }

func (d *usedDatabases) size() int64 { return sliceSize(d.list) }
