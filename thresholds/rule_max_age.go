package thresholds

import "github.com/rdblens/rdblens/thresholds/units"

func init() {
	register(Rule{
		Name:       "max-age",
		Section:    SectionInstance,
		Title:      "snapshot that is older than the limit",
		Brief:      "Check the job that takes the snapshots: {text}.",
		Harm:       Misleads,
		Instance:   true,
		Unit:       units.Seconds,
		Optional:   true,
		bySnapshot: eachSnapshot,
		accumulate: func(e *Engine, s *Setting) func() accumulator {
			levels := s.levels(AnyType)
			return wholeSnapshot(func(total totals) []InstanceFinding {
				age := int64(-1)
				if ms := e.createdMilli(); ms > 0 {
					age = max(e.env.Now.Unix()-ms/1000, 0)
				}
				l, found := severest(levels, func(limit int64) bool { return age < 0 || age > limit })
				if !found {
					return nil
				}
				return []InstanceFinding{{Finding: Finding{Rule: s.Rule.ID, Severity: l.severity, Measured: age, Limit: l.limit, note: noteIf(age < 0)},
					Subject: snapshotSubject, Keys: total.keys, Bytes: total.bytes}}
			})
		},
		text: func(x *explainer) string {
			if x.note == noteAtLeast {
				return x.found("it does not say when it was taken, and the limit is {limit}")
			}
			return x.found("taken {measured} ago, over {limit}")
		},
		advise: func(x *explainer) {
			x.advise(adviseInstance, []string{"LASTSAVE", "INFO persistence"}, "Check that the server still saves (rdb_last_bgsave_status), and that the job that copies its snapshots still runs.")
		},
		Doc: Doc{
			What: "A snapshot that was taken longer ago than the limit, by its own time, or that does not say when it was taken. Off unless a limit is set: --max-age 26h, or " +
				"max-age: {error: 26h} in the configuration. Each snapshot is judged by itself.",
			Why:     "If the server no longer saves, or the copy of its snapshots fails, a nightly job reads the same old file again and again, and finds nothing new.",
			Fix:     "Check rdb_last_bgsave_status and rdb_last_save_time in INFO persistence, and the job that copies the snapshot.",
			Example: "A snapshot that was taken 2d 3h ago, over 1d 2h.",
			Notes:   []Note{{everyProfile, "ours: off until a limit is set; no document speaks of the age of snapshots"}},
		},
	})
}
