package thresholds

import "github.com/rdblens/rdblens/parser/message"

// ClockSlack is by how many seconds the clocks of two machines may differ: a snapshot that was
// taken later than that from now was taken in the future.
const ClockSlack = 600

func init() {
	register(Rule{
		Name:       "max-age",
		Section:    SectionInstance,
		Title:      "snapshot that is older than the limit",
		fix:        &fix{action: adviseInstance, id: "Check the job that takes the snapshots: {text}."},
		Harm:       Misleads,
		Instance:   true,
		Unit:       message.Seconds,
		Optional:   true,
		bySnapshot: eachSnapshot,
		accumulate: func(e *Engine, s *Setting) func() accumulator {
			levels := s.levels(AnyType)
			return wholeSnapshot(func(total totals) []InstanceFinding {
				ms := e.created
				l, found := severest(levels, func(limit int64) bool {
					age := e.env.Now.Unix() - ms/1000
					return ms <= 0 || age > limit || age < -ClockSlack
				})
				if !found {
					return nil
				}
				// The age would differ between two scans, so nothing is measured. The oldest is the worst.
				return []InstanceFinding{{Finding: Finding{Rule: s.Rule.ID, Severity: l.severity, Measured: -max(ms, 1),
					Limit: l.limit}, Subject: snapshotSubject, Keys: total.keys, Bytes: total.bytes}}
			})
		},
		text: func(x *explainer) message.Message {
			if x.created <= 0 {
				return x.found("it does not say when it was taken, and the limit is {limit}")
			}
			if x.created/1000 > x.env.Now.Unix()+ClockSlack {
				return x.found("taken {created}, in the future", message.Time("created", x.env.Created))
			}
			return x.found("taken {created}, longer ago than {limit}", message.Time("created", x.env.Created))
		},
		advise: func(x *explainer) {
			x.advise(adviseInstance, literal("LASTSAVE", "INFO persistence"), "Check that the server still saves "+
				"(rdb_last_bgsave_status), and that the job that copies its snapshots still runs.")
		},
		Doc: Doc{
			What: "A snapshot that was taken longer ago than the limit, by its own time, or in the future, or that does not " +
				"say when it was taken. Off unless a limit is set: --max-age 26h, or max-age: {error: 26h} in the configuration. Each snapshot " +
				"is judged by itself.",
			Why: "If the server no longer saves, or the copy of its snapshots fails, a nightly job reads the same old " +
				"file again and again, and finds nothing new.",
			Fix: "Check rdb_last_bgsave_status and rdb_last_save_time in INFO persistence, and the job that copies the " +
				"snapshot.",
			Example: "A snapshot that was taken two days ago, longer ago than 1d 2h.",
		},
	})
}
