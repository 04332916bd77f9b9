package report

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rdblens/rdblens/report/internal/cluster"
)

// TestFilterText checks the words of each condition of a filter, and none for what is
// not asked.
func TestFilterText(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	for want, f := range map[string]Filter{
		"": {}, "keys of type hash": {Types: []string{"hash"}}, "keys of type hash or set": {Types: []string{"hash", "set"}}, "keys in database 0 or 15": {Databases: []int{0, 15}},
		"keys that match a* or b*": {Match: []string{"a*", "b*"}}, "keys that match the expression ^a": {Regex: []string{"^a"}},
		"keys with values of at least 1 byte": {MinSize: 1}, "keys with values of at most 0 bytes": {MaxSize: n(0)}, "keys with at least 1 element": {MinElements: 1},
		"keys with at most 0 elements": {MaxElements: n(0)}, "keys without a TTL": {NoTTL: true}, "keys with a TTL under 0s": {TTLUnder: n(0)},
		"keys with a TTL over 1h": {TTLOver: n(3600)}, "keys idle for more than 1d": {IdleOver: n(86400)}, "keys of the owner a": {Owners: []string{"a"}},
		"keys of the owners a or b": {Owners: []string{"a", "b"}},
		"keys of type hash, in database 3, of the owner b, with values of at least 2 bytes": {Types: []string{"hash"}, Databases: []int{3}, MinSize: 2, Owners: []string{"b"}},
	} {
		if got := english(filterText(&f)); got != want {
			t.Errorf("%+v: %q, want %q", f, got, want)
		}
	}
	for want, c := range map[string]Config{"": {File: "x", Rules: "y"}, "profile a": {Profile: "a", FailOn: "never"}, "profile a with f": {Profile: "a", File: "f"}, "profile a, rules r": {Profile: "a", Rules: "r"},
		"profile a with f, rules r, fails on error": {Profile: "a", File: "f", Rules: "r", FailOn: "error"}} {
		if got := english(configText(&c)); got != want {
			t.Errorf("%+v: %q, want %q", c, got, want)
		}
	}
}

// TestAbout checks the sentences about what was read: times, checksums, used_memory and
// shares of one file and of several.
func TestAbout(t *testing.T) {
	input := func(name Name, created, used Figure, checksum string) Input {
		return Input{Name: name, Server: "redis", ServerVersion: "7.0", Format: "REDIS", Created: created, UsedMem: used, Checksum: checksum, Complete: true, Ended: true}
	}
	totals := Totals{Keys: 4, ValueBytes: 100, MemoryBytes: 200, WithoutTTL: 1, WithoutTTLBytes: 30, WithoutTTLMemory: 20}
	report := func(edit func(r *Report), inputs ...Input) *Report {
		r := &Report{Complete: true, Inputs: inputs, Totals: totals}
		if edit != nil {
			edit(r)
		}
		return r
	}
	a, b := input("d/a.rdb", 3600, 500, "ok"), input("d/b.rdb", 7200, 600, "none")
	unread := Input{Name: "d/c.rdb", Created: Unknown, UsedMem: Unknown, Checksum: "not checked"}
	const first = "d/a.rdb: redis 7.0, taken 1970-01-01 01:00:00 UTC, checksum ok, complete"
	const keys = "4 keys, 200 B (used_memory 500 B); no TTL: 25.0% (10.0% of bytes)"
	for name, c := range map[string]struct {
		r    *Report
		now  int64
		want []string
	}{
		"one":             {report(nil, a), 0, []string{first, keys}},
		"a minute ago":    {report(nil, a), 3660, []string{strings.Replace(first, "UTC", "UTC (1m ago)", 1), keys}},
		"now":             {report(nil, a), 3600, []string{strings.Replace(first, "UTC", "UTC (0s ago)", 1), keys}},
		"to come":         {report(nil, a), 3599, []string{first, keys}},
		"an unknown time": {report(nil, input("-", Unknown, 500, "ok")), 9, []string{"standard input: redis 7.0, taken at an unknown time, checksum ok, complete", keys}},
		"not complete":    {report(func(r *Report) { r.Complete = false }, a), 0, []string{strings.Replace(first, "complete", "NOT COMPLETE", 1), keys}},
		"two": {report(nil, a, b), 0, []string{"2 snapshots in d/, taken 1970-01-01 01:00:00 UTC to 1970-01-01 02:00:00 UTC, checksum ok in some only, complete",
			"4 keys, 200 B (used_memory 1.1 KB); no TTL: 25.0% (10.0% of bytes)"}},
		"at one time": {report(nil, a, input("x.rdb", 3600, 600, "ok")), 0, []string{"2 snapshots, taken 1970-01-01 01:00:00 UTC, checksum ok, complete",
			"4 keys, 200 B (used_memory 1.1 KB); no TTL: 25.0% (10.0% of bytes)"}},
		"none is ok": {report(nil, input("d/a", 1, Unknown, "none"), input("d/b", 1, 3, "not checked")), 0, []string{"2 snapshots in d/, taken 1970-01-01 00:00:01 UTC, checksum not known to be ok, complete",
			"4 keys, 200 B of memory; no TTL: 25.0% (10.0% of bytes)"}},
		"one was not read": {report(nil, a, unread), 0, []string{"2 snapshots in d/, taken 1970-01-01 01:00:00 UTC, checksum ok, complete", "4 keys, 200 B of memory; no TTL: 25.0% (10.0% of bytes)"}},
		"none":             {report(nil), 0, []string{"4 keys, 200 B of memory; no TTL: 25.0% (10.0% of bytes)"}},
		"filtered":         {report(func(r *Report) { r.Filter = &Filter{} }, a), 0, []string{first, "4 keys, 200 B of memory; no TTL: 25.0% (10.0% of bytes)"}},
		"no keys":          {report(func(r *Report) { r.Totals = Totals{} }, a), 0, []string{first, "no keys"}},
		"values":           {report(func(r *Report) { r.Totals.MemoryBytes = Unknown }, a), 0, []string{first, "4 keys, 100 B of values; no TTL: 25.0% (30.0% of bytes)"}},
		"at least":         {report(func(r *Report) { r.Totals.MemoryBound = true }, a), 0, []string{first, strings.Replace(keys, "200", "at least 200", 1)}},
		"hashes":           {report(func(r *Report) { r.Redaction = &Redaction{} }, a), 0, []string{first, keys, "names are hashes with a random salt: those of another report differ (--redact-salt)"}},
		"salted hashes":    {report(func(r *Report) { r.Redaction = &Redaction{Salt: "x"} }, a), 0, []string{first, keys, "names are hashes: reports with the same salt compare"}},
		"three warnings":   {report(func(r *Report) { r.Inputs[0].Warnings, r.Config.Warnings = []string{"v", "w"}, []string{"x"} }, a), 0, []string{first, keys, "warning: v", "warning: w", "warning: x"}},
		"four warnings":    {report(func(r *Report) { r.Config.Warnings = []string{"v", "w", "x", "y"} }, a), 0, []string{first, keys, "warning: v", "warning: w", "warning: and 2 more (--details)"}},
		"of a baseline": {report(func(r *Report) {
			for _, i := range []Ignored{{Unused: true, Baseline: "b", Pattern: "1"}, {Unused: true, Pattern: "2"}, {Baseline: "b", Pattern: "3"}, {Unused: true, Expired: true, Baseline: "b", Pattern: "4"},
				{Unused: true, Baseline: "b", Pattern: "5"}, {Unused: true, Baseline: "b", Pattern: "6"}} {
				i.Rule = "r"
				r.Ignored = append(r.Ignored, i)
			}
		}, a), 0, []string{first, keys, "warning: entries of the baseline that match nothing any more (rdblens baseline prune): r 1, r 5, r 6"}},
		"more of a baseline": {report(func(r *Report) {
			r.Ignored = slices.Repeat([]Ignored{{Rule: "r", Pattern: "1", Unused: true, Baseline: "b"}}, 4)
		}, a), 0,
			[]string{first, keys, "warning: entries of the baseline that match nothing any more (rdblens baseline prune): r 1, r 1, r 1 and 1 more"}},
	} {
		var now time.Time
		if c.now != 0 {
			now = time.Unix(c.now, 0)
		}
		v := newOverview(c.r, WriteOptions{Now: now})
		if !slices.Equal(englishLines(v.about), c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(englishLines(v.about), "\n"), strings.Join(c.want, "\n"))
		}
		p := &recordedPage{}
		v.head(p, 1) // three sentences at most
		if !slices.Equal(p.lines, c.want[:min(len(c.want), 3)]) && c.r.Complete && c.r.Filter == nil {
			t.Errorf("%s, with one alert:\n%s", name, strings.Join(p.lines, "\n"))
		}
	}
}

// TestWrong checks what is said first: of each state of a file, of a cluster and of a
// server that is too small, and how many of them.
func TestWrong(t *testing.T) {
	cut := Input{Name: "cut", Keys: 5, Error: &Damage{Offset: 70, Reason: "it ends"}}
	begun := Input{Name: "begun", Error: &Damage{Offset: 9, Reason: "odd"}}
	unread := Input{Name: "unread", Error: &Damage{Offset: Unknown, Reason: "a text"}}
	damaged := Input{Name: "damaged", Ended: true, Error: &Damage{Offset: 8, Reason: "checksum"}}
	small := Input{Name: "small", Complete: true, Memory: &Memory{Predicted: 500, Fit: &Fit{MaxMemory: 400, Fits: new(false), Free: p(-100)}}}
	fits := Input{Name: "fits", Complete: true, Memory: &Memory{Predicted: 500, Fit: &Fit{MaxMemory: 600, Fits: new(true), Free: p(100)}}}
	const (
		sayCut     = "INCOMPLETE: cut could be read up to offset 70 only: it ends. Counted: 5 keys before it."
		sayBegun   = "INCOMPLETE: begun could be read up to offset 9 only: odd. Counted: 0 keys before it."
		sayUnread  = "NOT READ: unread: a text."
		sayDamaged = "DAMAGED: damaged: checksum. Every key was read."
		saySmall   = "DOES NOT FIT: small: maxmemory 400 B: 125.0% full by the prediction of 500 B; 100 B too much."
	)
	inputs := func(complete bool, list ...Input) *Report { return &Report{Complete: complete, Inputs: list} }
	interrupted, filtered := inputs(false, cut), inputs(true)
	interrupted.Interrupted = true
	filtered.Filter = &Filter{NoTTL: true, Dropped: 1}
	twice := inputs(true)
	twice.Bounds = &Bounds{Repeated: 1, RepeatedIn: []Name{"x", "y"}}
	of := func(c cluster.Check) *Report {
		r := inputs(true, Input{Name: "n0"}, Input{Name: "n1"})
		c.Masters = []cluster.Master{{Address: "h:0", Slots: []cluster.Range{{First: 0, Last: 5}}}, {Address: "h:1", Slots: []cluster.Range{{First: 7, Last: 7}}}}
		r.Cluster = &c
		return r
	}
	for name, c := range map[string]struct {
		r    *Report
		want []string
	}{
		"nothing":     {inputs(true, fits), nil},
		"cut":         {inputs(false, cut), []string{sayCut}},
		"in order":    {inputs(false, damaged, unread, begun, cut), []string{sayBegun, sayCut, sayUnread, sayDamaged}},
		"five":        {inputs(false, damaged, damaged, damaged, damaged, unread), []string{sayUnread, sayDamaged, sayDamaged, sayDamaged, "Not shown here: 1 more (--details)."}},
		"interrupted": {interrupted, []string{"INTERRUPTED: all figures are about what was read until then.", sayCut}},
		"not whole":   {inputs(false), []string{"INCOMPLETE: not everything was read."}},
		"small":       {inputs(true, small, fits, small), []string{saySmall, saySmall}},
		"many small":  {inputs(true, slices.Repeat([]Input{small}, 9)...), slices.Repeat([]string{saySmall}, 8)},
		"filtered":    {filtered, []string{"FILTERED: only keys without a TTL; 1 key left out of everything below."}},
		"twice":       {twice, []string{"TWICE: several files, such as x, y, have 1 snapshot in common. All sums count these keys twice."}},
		"missing":     {of(cluster.Check{Missing: []int{1}}), []string{"MISSING: no snapshot has keys of the master h:1, slots 7."}},
		"many missing": {of(cluster.Check{Missing: []int{1, 1, 1, 1, 0, 0}}), []string{"MISSING: no snapshot has keys of the master h:1, slots 7.", "MISSING: no snapshot has keys of the master h:1, slots 7.",
			"MISSING: no snapshot has keys of the master h:1, slots 7.", "MISSING: no snapshot has keys of the master h:1, slots 7.", "Not shown here: 1 more (--details)."}},
		"shared": {of(cluster.Check{Shared: []cluster.Range{{First: 1, Last: 2}, {First: 9, Last: 9}}, Spare: []int{1}}), []string{
			"TWICE: 3 slots have keys in several snapshots: 1-2 9. All sums count these keys twice.", "TWICE: n1 has no slot of its own: it may be of a replica."}},
		"moved": {of(cluster.Check{Foreign: []cluster.Range{{First: 3, Last: 3}}, Unserved: []cluster.Range{{First: 4, Last: 5}}}), []string{
			"MOVED: keys of 1 slot are in the snapshot of another master than CLUSTER NODES says: 3.", "UNSERVED: no master serves 2 slots: 4-5."}},
	} {
		if v := newOverview(c.r, WriteOptions{}); !slices.Equal(englishLines(v.wrong), c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(englishLines(v.wrong), "\n"), strings.Join(c.want, "\n"))
		}
	}
	// All that a cluster lacks, before a screen cuts them.
	if list := of(cluster.Check{Missing: []int{1, 1, 1, 1, 0, 0}}).clusterAlerts(); len(list) != 5 || english(list[4]) != "MISSING: no snapshot has keys of 2 more masters." {
		t.Errorf("%q", list)
	}
	if list := of(cluster.Check{Missing: []int{1, 1, 1, 1}, Spare: []int{0, 0, 0, 0, 0}}).clusterAlerts(); len(list) != 8 {
		t.Errorf("%q", list)
	}
}

// TestBounds checks what of a report is not exact, and the sum of the bounds of several.
func TestBounds(t *testing.T) {
	var none *Bounds
	if none.sentences() != nil || none.repeatedAlert() != nil || (&Bounds{}).sentences() != nil || (&Bounds{RepeatedIn: []Name{"x"}}).repeatedAlert() != nil {
		t.Error("nothing is bounded")
	}
	all := &Bounds{GroupKeys: 1, Top: 3}
	want := []string{"A group may lack up to 1 key, which wider groups count: there were more patterns than a table holds.",
		"Lists of the largest keys have 3 keys each: the state of a scan would have been too large."}
	if got := englishLines(all.sentences()); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	b := &Bounds{Repeated: 4, RepeatedIn: []Name{"0", "x", "y", "1", "2"}}
	if got := englishLines(b.repeatedAlert())[0]; !strings.HasPrefix(got, "TWICE: several files, such as 0, x, y, 1, have 4 snapshots in common.") {
		t.Error(got)
	}
	// How many groups there are beside those that are shown.
	for _, c := range []struct {
		groups int
		folded int64
		want   string
	}{{10, 0, ""}, {11, 0, "10 of 11 groups of names"}, {10, 3, "3 more groups of names are folded into these"}, {11, 3, "10 of 11 groups of names, into which 3 more are folded"}, {0, 0, ""}} {
		if got := newOverview(&Report{Groups: make([]Group, c.groups), GroupsFolded: c.folded}, WriteOptions{}).groupsNote(); english(got) != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
	for by, want := range map[string]string{ByMemory: "memory is what you get back when you delete the key", ByElements: "by elements"} {
		if got := newOverview(&Report{By: by, Totals: Totals{MemoryBytes: 1}}, WriteOptions{}).keysNote(); english(got) != want {
			t.Errorf("%s: %q", by, got)
		}
	}
	if got := newOverview(&Report{By: ByMemory, Totals: Totals{MemoryBytes: Unknown}}, WriteOptions{}).keysNote(); english(got) != "by memory" {
		t.Error(got)
	}
}

// TestTTLRange checks the TTLs of a group on a screen.
func TestTTLRange(t *testing.T) {
	for _, c := range []struct {
		keys, without int64
		least, most   *int64
		want          string
	}{{4, 4, nil, nil, "none"}, {4, 4, p(5), p(6), "none"}, {4, 0, nil, nil, ""}, {4, 3, p(60), nil, ""}, {4, 3, nil, p(60), ""}, {4, 0, p(60), p(119), "1m"}, {4, 0, p(60), p(120), "1m to 2m"},
		{4, 1, p(-1), p(86400), "expired to 1d, 25.0% none"}} {
		if got := (&Group{Keys: c.keys, WithoutTTL: c.without, TTLMin: c.least, TTLMax: c.most}).ttlRange(); english(got) != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
