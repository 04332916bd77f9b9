package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/units"
)

// overview is a report in seven parts, as a terminal, a ticket and a mail show
// them: what is wrong with the files and what they are, the biggest keys, where the
// memory is, the problems, what to fix first, what could be saved, and where more
// is. It is computed from the report alone.
//
// Sentences stand here as English text with {names} in place of figures and pass
// through thresholds.Fill: English is the key by which a translation can be looked
// up.
type overview struct {
	r        *Report
	wrong    []string // what nobody must miss, worst first
	about    []string // what the files are and have
	keys     []KeyRow // the largest by Report.By
	groups   []Group  // those with most memory, or a cut of the tree of names
	cut      bool     // the groups are that
	nodes    []Node   // of several inputs the worst
	problems []problem
	broken   string   // the headline of the problems
	fixes    []string // what to do first
	savings  []saving
}

// The most rows that an overview has.
const (
	overviewKeys    = 10
	overviewGroups  = 10
	overviewPlaces  = 12 // the last one is everything else
	overviewNodes   = 8
	overviewFixes   = 5
	overviewSavings = 6
	overviewAlerts  = 4 // sentences about what is wrong
)

// nameWidth is the width, in columns, to which a name is cut in a sentence.
const nameWidth = 60

func newOverview(r *Report, o WriteOptions) *overview {
	v := &overview{r: r, keys: r.Top[r.By]}
	v.keys = v.keys[:min(len(v.keys), overviewKeys)]
	v.alerts()
	v.describe(o.Now)
	v.groups = slices.Clone(r.Groups)
	sortGroups(v.groups, "")
	v.groups = v.groups[:min(len(v.groups), overviewGroups)]
	if r.Tree != nil {
		if rows := cutRows(r.Tree, overviewPlaces); rows != nil {
			v.groups, v.cut = rows, true
		}
	}
	v.nodes = r.worstNodes()
	v.nodes = v.nodes[:min(len(v.nodes), overviewNodes)]
	v.findProblems()
	v.findSavings()
	v.findFixes()
	return v
}

// severalDatabases reports whether a database other than 0 has keys.
func severalDatabases(r *Report) bool {
	return slices.ContainsFunc(r.Databases, func(d Database) bool { return d.DB != 0 })
}

// shortName returns a name for a sentence.
func shortName(n Name) string { return text.ShortenMiddle(n.Display(), nameWidth) }

// shortSentence returns a sentence that quotes what somebody else wrote, on a few
// lines.
func shortSentence(s string) string {
	words := strings.Split(text.ShortenEnd(text.Sanitize(s), 3*nameWidth), " ")
	for i, word := range words {
		words[i] = text.ShortenMiddle(word, nameWidth)
	}
	return strings.Join(words, " ")
}

// fileName returns the name of an input.
func (in *Input) fileName() string {
	if in.Name == "-" {
		return "standard input"
	}
	return in.Name.Display()
}

// alerts states what is wrong with the files.
func (v *overview) alerts() {
	r := v.r
	var damaged, unread, lost []string
	for i := range r.Inputs {
		in := &r.Inputs[i]
		d := in.Error
		if d == nil {
			continue
		}
		pairs := []string{"file", text.ShortenMiddle(in.fileName(), nameWidth), "reason", shortSentence(d.Reason), "keys", units.FormatCountOf(in.Keys, "key", "keys"),
			"offset", countText(d.Offset), "share", ""}
		switch {
		case in.Ended:
			damaged = append(damaged, thresholds.Fill("DAMAGED: {file}: {reason}. Every key was read.", pairs...))
		case !d.Offset.Known():
			unread = append(unread, thresholds.Fill("NOT READ: {file}: {reason}.", pairs...))
		case in.Keys == 0:
			lost = append(lost, thresholds.Fill("INCOMPLETE: {file} could not be read at offset {offset}: {reason}. No key was read.", pairs...))
		default:
			lost = append(lost, thresholds.Fill("INCOMPLETE: {file} could be read up to offset {offset} only: {reason}. Only the {keys} before it are counted.", pairs...))
		}
	}
	v.wrong = slices.Concat(r.clusterAlerts(), r.Bounds.repeatedAlert(), lost, unread, damaged)
	if n := len(v.wrong) - overviewAlerts; n > 0 {
		v.wrong = append(v.wrong[:overviewAlerts], thresholds.Fill("Not shown here: {n} more (--details).", "n", units.FormatCount(int64(n))))
	}
	switch {
	case r.Interrupted:
		v.wrong = append([]string{"INTERRUPTED: all figures are about what was read until then."}, v.wrong...)
	case !r.Complete && len(v.wrong) == 0:
		v.wrong = []string{"INCOMPLETE: not everything was read."}
	}
	for i := range r.Inputs {
		in := &r.Inputs[i]
		if m := in.Memory; m != nil && m.Fit != nil && m.Fit.Fits != nil && !*m.Fit.Fits && m.Fit.Free != nil {
			v.wrong = append(v.wrong, thresholds.Fill("DOES NOT FIT: {file} needs {need}, {more} more than the maxmemory of {max}.", "file", text.ShortenMiddle(in.fileName(), nameWidth),
				"need", sizeText(m.Predicted), "more", units.FormatBytes(-*m.Fit.Free), "max", units.FormatBytes(m.Fit.MaxMemory)))
		}
	}
	v.wrong = v.wrong[:min(len(v.wrong), 2*overviewAlerts)]
	if r.Filter != nil {
		v.wrong = append(v.wrong, thresholds.Fill("FILTERED: only {filter}; {keys} left out of everything below.",
			"filter", shortSentence(filterText(r.Filter)), "keys", units.FormatCountOf(r.Filter.Dropped, "key", "keys")))
	}
	for i := range r.Inputs {
		if s, blocked := r.Inputs[i].targetSentence(); blocked {
			v.wrong = append(v.wrong, s)
		}
	}
}

// describe states what the files are and what they have.
func (v *overview) describe(now time.Time) {
	r := v.r
	state := "complete"
	if !r.Complete {
		state = "NOT COMPLETE"
	}
	used := Figure(0)
	var oldest, newest Figure = Unknown, Unknown
	checksums := map[string]bool{}
	for i := range r.Inputs {
		in := &r.Inputs[i]
		if in.UsedMem.Known() && used.Known() {
			used += in.UsedMem
		} else {
			used = Unknown
		}
		if in.Created.Known() && (!oldest.Known() || in.Created < oldest) {
			oldest = in.Created
		}
		newest = max(newest, in.Created)
		if in.Format != "" {
			checksums[text.Sanitize(in.Checksum)] = true
		}
	}
	checksum := "not known to be ok"
	for c := range checksums {
		if len(checksums) == 1 {
			checksum = c
		} else if c == "ok" {
			checksum = "ok in some only"
		}
	}
	taken := "at an unknown time"
	if newest.Known() {
		taken = units.FormatTime(int64(newest))
		if oldest != newest {
			taken = units.FormatTime(int64(oldest)) + " to " + taken
		}
		if age := now.Unix() - int64(newest); !now.IsZero() && age >= 0 {
			taken = thresholds.Fill("{time} ({age} ago)", "time", taken, "age", roughDuration(age))
		}
	}
	pairs := []string{"taken", taken, "checksum", checksum, "state", state, "n", units.FormatCount(int64(len(r.Inputs)))}
	switch {
	case len(r.Inputs) == 1:
		in := &r.Inputs[0]
		v.about = append(v.about, thresholds.Fill("{file}: {server}, taken {taken}, checksum {checksum}, {state}",
			append(pairs, "file", text.ShortenMiddle(in.fileName(), nameWidth), "server", text.ShortenEnd(serverText(in), nameWidth))...))
	case len(r.Inputs) > 1:
		snapshots := "{n} snapshots, taken {taken}, checksum {checksum}, {state}"
		if dir := r.directory(); dir != "" {
			snapshots = "{n} snapshots in {directory}, taken {taken}, checksum {checksum}, {state}"
			pairs = append(pairs, "directory", text.ShortenMiddle(Name(dir).Display(), nameWidth))
		}
		v.about = append(v.about, thresholds.Fill(snapshots, pairs...))
	}
	t := &r.Totals
	pairs = []string{"keys", units.FormatCountOf(t.Keys, "key", "keys"), "memory", sizeText(t.MemoryBytes), "used", sizeText(used), "value", units.FormatBytes(t.ValueBytes),
		"share", shareText(t.WithoutTTL, t.Keys), "bytes", shareText(int64(t.WithoutTTLMemory), int64(t.MemoryBytes)), "values", shareText(t.WithoutTTLBytes, t.ValueBytes)}
	if t.MemoryBound {
		pairs[3] = "at least " + pairs[3]
	}
	var sentence string
	switch {
	case t.Keys == 0:
		sentence = "no keys"
	case !t.MemoryBytes.Known():
		sentence = "{keys}, {value} of values; no TTL: {share} of keys, {values} of bytes"
	case used.Known() && r.Filter == nil && len(r.Inputs) > 0:
		sentence = "{keys}, {memory} (used_memory {used}); no TTL: {share} of keys, {bytes} of bytes"
	default:
		sentence = "{keys}, {memory} of memory; no TTL: {share} of keys, {bytes} of bytes"
	}
	v.about = append(v.about, thresholds.Fill(sentence, pairs...))
	if r.Redaction != nil && r.Redaction.Salt == "" {
		v.about = append(v.about, "names are hashes with a random salt: those of another report differ (--redact-salt)")
	} else if r.Redaction != nil {
		v.about = append(v.about, "names are hashes: reports with the same salt compare")
	}
	for i := range r.Inputs {
		if s, blocked := r.Inputs[i].targetSentence(); s != "" && !blocked {
			v.about = append(v.about, s)
		}
	}
	for i := range r.Inputs {
		if s := otherAllocator(&r.Inputs[i]); s != "" && len(r.Inputs) == 1 {
			v.about = append(v.about, s)
		}
	}
	var warnings []string
	for i := range r.Inputs {
		warnings = append(warnings, r.Inputs[i].Warnings...)
	}
	warnings = append(warnings, r.Config.Warnings...)
	var gone []string
	for _, in := range r.Ignored {
		if in.Unused && !in.Expired && in.Baseline != "" {
			gone = append(gone, in.Rule+" "+shortName(Name(in.Pattern)))
		}
	}
	if n := len(gone) - maxGone; n > 0 {
		warnings = append(warnings, thresholds.Fill("of the baseline, {names} and {n} more match nothing any more (rdblens baseline prune)",
			"names", strings.Join(gone[:maxGone], ", "), "n", units.FormatCount(int64(n))))
	} else if len(gone) > 0 {
		warnings = append(warnings, thresholds.Fill("of the baseline, {names} match nothing any more (rdblens baseline prune)", "names", strings.Join(gone, ", ")))
	}
	for i, w := range warnings {
		if i == 2 && len(warnings) > 3 {
			v.about = append(v.about, thresholds.Fill("warning: and {n} more (--details)", "n", units.FormatCount(int64(len(warnings)-2))))
			break
		}
		v.about = append(v.about, "warning: "+shortSentence(w))
	}
}

// maxGone is the number of entries of a baseline that are named.
const maxGone = 3

// head writes what is wrong with the files and what they are: at most so many
// alerts, and so many warnings.
func (v *overview) head(p page, alerts int) {
	for _, s := range v.wrong[:min(len(v.wrong), alerts)] {
		p.alert(s)
	}
	for _, s := range v.about[:min(len(v.about), 2+alerts)] {
		p.sentence(s)
	}
}

// keysNote says what ranks the keys, and what their memory is.
func (v *overview) keysNote() string {
	if !v.r.Totals.MemoryBytes.Known() || v.r.By != ByMemory {
		return thresholds.Fill("by {measure}", "measure", measureTitles[v.r.By])
	}
	return "memory is what you get back when you delete the key"
}

// groupsNote says how many groups there are.
func (v *overview) groupsNote() string {
	pairs := []string{"n", units.FormatCount(int64(len(v.groups))), "all", units.FormatCount(int64(len(v.r.Groups))), "folded", units.FormatCount(v.r.GroupsFolded)}
	switch part := len(v.groups) < len(v.r.Groups); {
	case part && v.r.GroupsFolded > 0:
		return thresholds.Fill("{n} of {all} groups of names, into which {folded} more are folded", pairs...)
	case part:
		return thresholds.Fill("{n} of {all} groups of names", pairs...)
	case v.r.GroupsFolded > 0:
		return thresholds.Fill("{folded} more groups of names are folded into these", pairs...)
	}
	return ""
}

// worstNodes returns the nodes, and the inputs that were not read: first those with
// damage, then those with most bytes.
func (r *Report) worstNodes() (list []Node) {
	if len(r.Inputs) < 2 {
		return nil
	}
	nodes, known := r.everyNode()
	if !known {
		return nil
	}
	read := map[int]bool{}
	for _, n := range nodes {
		read[n.Input] = true
	}
	for i := range r.Inputs {
		if !read[i] {
			list = append(list, Node{Input: i, Keys: -1, ValueBytes: -1, MemoryBytes: Unknown, Findings: Counts{-1, -1, -1, -1}})
		}
	}
	list = append(list, nodes...)
	slices.SortStableFunc(list, func(a, b Node) int {
		if damaged := r.Inputs[a.Input].Error != nil; damaged != (r.Inputs[b.Input].Error != nil) {
			if damaged {
				return -1
			}
			return 1
		}
		return 0
	})
	return list
}

// everyNode returns Nodes, or if one snapshot was read, which then has all keys, its
// totals. It returns false if a report of several does not have their nodes.
func (r *Report) everyNode() (nodes []Node, known bool) {
	if r.Nodes != nil {
		return r.Nodes, true
	}
	for i := range r.Inputs {
		if r.Inputs[i].Format == "" {
			continue // nothing was read
		}
		t := &r.Totals
		nodes = append(nodes, Node{Input: i, Keys: t.Keys, ValueBytes: t.ValueBytes, MemoryBytes: t.MemoryBytes, Share: 1, Skew: 1, WithoutTTL: t.WithoutTTL,
			Findings: Counts{Error: r.Findings.Error, Warning: r.Findings.Warning, Info: r.Findings.Info}})
	}
	return nodes, len(nodes) < 2
}

// nodesNote says how many inputs a table of nodes omits.
func (r *Report) nodesNote(rows int) string {
	if rows < len(r.Inputs) {
		return thresholds.Fill("the worst {n} of {all}; x mean: memory against the mean", "n", units.FormatCount(int64(rows)), "all", units.FormatCount(int64(len(r.Inputs))))
	}
	return "x mean: memory against the mean"
}

// configText describes the configuration in force.
func configText(c *Config) string {
	if c.Profile == "" {
		return ""
	}
	s := "profile " + text.Sanitize(c.Profile)
	if c.File != "" {
		s += " with " + text.Sanitize(c.File)
	}
	if c.Rules != "" {
		s += ", rules " + text.Sanitize(c.Rules)
	}
	if c.FailOn != "" && c.FailOn != "never" {
		s += ", fails on " + text.Sanitize(c.FailOn)
	}
	return s
}

// filterText describes which keys were counted.
func filterText(f *Filter) string {
	var parts []string
	words := func(label string, values []string) {
		if len(values) > 0 {
			shown := make([]string, len(values))
			for i, v := range values {
				shown[i] = Name(v).Display()
			}
			parts = append(parts, label+" "+strings.Join(shown, ","))
		}
	}
	words("type", f.Types)
	if len(f.Databases) > 0 {
		parts = append(parts, "database "+strings.Trim(strings.ReplaceAll(fmt.Sprint(f.Databases), " ", ","), "[]"))
	}
	words("match", f.Match)
	words("regex", f.Regex)
	words("under", f.Under)
	figure := func(before string, n *int64, format func(int64) string) {
		if n != nil {
			parts = append(parts, before+format(*n))
		}
	}
	elements := func(n int64) string { return units.FormatCountOf(n, "element", "elements") }
	if f.MinSize > 0 {
		figure("values of at least ", &f.MinSize, units.FormatExactBytes)
	}
	figure("values of at most ", f.MaxSize, units.FormatExactBytes)
	if f.MinElements > 0 {
		figure("at least ", &f.MinElements, elements)
	}
	figure("at most ", f.MaxElements, elements)
	if f.NoTTL {
		parts = append(parts, "without TTL")
	}
	figure("TTL under ", f.TTLUnder, units.FormatExactDuration)
	figure("TTL over ", f.TTLOver, units.FormatExactDuration)
	figure("idle over ", f.IdleOver, units.FormatExactDuration)
	words("owner", f.Owners)
	return strings.Join(parts, "; ")
}
