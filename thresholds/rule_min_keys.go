package thresholds

import "github.com/rdblens/rdblens/parser/message"

func init() {
	register(Rule{
		Name:       "min-keys",
		Section:    SectionInstance,
		Title:      "snapshot with fewer keys than the limit",
		fix:        &fix{action: adviseInstance, id: "Check whether keys were lost: {text}."},
		Harm:       Misleads,
		Instance:   true,
		Unit:       message.Count,
		Bound:      Under,
		Optional:   true,
		bySnapshot: eachSnapshot,
		accumulate: func(e *Engine, s *Setting) func() accumulator {
			levels := s.levels(AnyType)
			return wholeSnapshot(func(total totals) []InstanceFinding {
				l, found := severest(levels, func(limit int64) bool { return total.keys < limit })
				if !found {
					return nil
				}
				return []InstanceFinding{{Finding: Finding{Rule: s.Rule.ID, Severity: l.severity, Measured: total.keys,
					Limit: l.limit}, Subject: snapshotSubject, Keys: total.keys, Bytes: total.bytes}}
			})
		},
		text: func(x *explainer) message.Message {
			return x.counted("1 key, under {limit}", "{measured} keys, under {limit}")
		},
		advise: func(x *explainer) {
			x.advise(adviseInstance, literal("INFO keyspace", "INFO commandstats"),
				"Check whether somebody ran FLUSHALL or FLUSHDB (cmdstat_flushall, cmdstat_flushdb), "+
					"whether the server restarted without its data, and whether this is the snapshot of the right server.")
		},
		Doc: Doc{
			What: "A snapshot with fewer keys than the limit, after the filters of the command line. Off unless a limit is " +
				"set: --min-keys 100000, or min-keys: {error: 100000} in the configuration. Each snapshot is judged by itself: " +
				"an empty shard must not hide among full ones.",
			Why: "An empty or half-empty snapshot breaks no other rule: after FLUSHALL, or a restart without the data, " +
				"every other finding is gone.",
			Fix: "Check the commands FLUSHALL and FLUSHDB in INFO commandstats, the last restart, and whether it is the " +
				"snapshot of the right server.",
			Example: "A snapshot with 12 keys, under 100,000.",
		},
	})
}
