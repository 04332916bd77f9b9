package report

import (
	"cmp"
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
	groups   []Group  // those with most memory
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

// directory returns the directory that all inputs are in, with its last /, "" if there
// is none or only one input.
func (r *Report) directory() string {
	if len(r.Inputs) < 2 {
		return ""
	}
	dir := string(r.Inputs[0].Name)
	for i := range r.Inputs {
		name := string(r.Inputs[i].Name)
		n := 0
		for n < min(len(dir), len(name)) && dir[n] == name[n] {
			n++
		}
		dir = dir[:strings.LastIndexByte(dir[:n], '/')+1]
	}
	return dir
}

// inputColumn is a column with the names of inputs, below the directory of all; it is
// left out where there is one input only.
func (r *Report) inputColumn(input func(row int) int) column {
	dir := len(r.directory())
	return nameColumn("snapshot", func(row int) string {
		if i := input(row); i >= 0 && i < len(r.Inputs) {
			return r.Inputs[i].Name[dir:].Display()
		}
		return ""
	}).only(len(r.Inputs) > 1)
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
	v.wrong = slices.Concat(lost, unread, damaged)
	if n := len(v.wrong) - overviewAlerts; n > 0 {
		v.wrong = append(v.wrong[:overviewAlerts], thresholds.Fill("And {n} more files are damaged or were not read (--details).", "n", units.FormatCount(int64(n))))
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
		checksums[text.Sanitize(in.Checksum)] = true
	}
	checksum := "differs"
	for c := range checksums {
		if len(checksums) == 1 {
			checksum = c
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

// nodesNote says how many inputs a table of nodes omits.
func (r *Report) nodesNote(rows int) string {
	if rows < len(r.Inputs) {
		return thresholds.Fill("the worst {n} of {all}; x mean: memory against the mean", "n", units.FormatCount(int64(rows)), "all", units.FormatCount(int64(len(r.Inputs))))
	}
	return "x mean: memory against the mean"
}

// findProblems orders the findings by harm.
func (v *overview) findProblems() {
	rules := map[string]string{} // the worst severity of each
	for i := range v.r.Rules {
		p := problem{Finding: &v.r.Rules[i], findings: []*Finding{&v.r.Rules[i]}}
		if rule, ok := thresholds.Lookup(p.Rule); ok {
			p.harm, p.brief = rule.Harm, rule.Brief
		}
		v.problems = append(v.problems, p)
		if severityOf(p.Severity) > severityOf(rules[p.Rule]) {
			rules[p.Rule] = p.Severity
		}
	}
	slices.SortStableFunc(v.problems, func(a, b problem) int {
		return cmp.Or(cmp.Compare(b.harm, a.harm), cmp.Compare(severityOf(b.Severity), severityOf(a.Severity)), cmp.Compare(b.size(), a.size()),
			cmp.Compare(b.worst().bytes(), a.worst().bytes()))
	})
	all := v.problems
	v.problems = nil
	for _, p := range all {
		if i := slices.IndexFunc(v.problems, func(worse problem) bool { return worse.Rule == p.Rule && worse.Severity != p.Severity }); i >= 0 {
			v.problems[i].add(p.Finding)
		} else {
			v.problems = append(v.problems, p)
		}
	}
	counts := map[string]int64{}
	for _, severity := range rules {
		counts[severity]++
	}
	groups := int64(0)
	for i := range v.r.Groups {
		if v.r.Groups[i].Findings > 0 {
			groups++
		}
	}
	pairs := []string{"rules", units.FormatCountOf(int64(len(rules)), "rule", "rules"), "where", units.FormatCountOf(groups, "group", "groups"),
		"errors", units.FormatCountOf(counts["error"], "error", "errors"), "warnings", units.FormatCountOf(counts["warning"], "warning", "warnings"), "infos", units.FormatCount(counts["info"]),
		"ignored", units.FormatCountOf(v.r.Findings.Ignored, "finding", "findings")}
	if len(v.problems) == 0 {
		v.broken = "none"
		return
	}
	sentence := "{rules} broken in {where}: {errors}, {warnings}, {infos} info"
	if v.r.Findings.Ignored > 0 {
		sentence = "{rules} broken in {where}: {errors}, {warnings}, {infos} info; {ignored} ignored"
	}
	v.broken = thresholds.Fill(sentence, pairs...)
}

func severityOf(name string) thresholds.Severity {
	s, _ := thresholds.ParseSeverity(name)
	return s
}

func (f *Finding) size() Figure { return sizeOf(f.MemoryBytes, int64(f.ValueBytes)) }

// keyCount returns the keys that a finding is about. Those of an instance rule
// are known only if all its examples are there.
func (f *Finding) keyCount() Figure {
	if rule, ok := thresholds.Lookup(f.Rule); ok && !rule.Instance || len(f.Examples) == 0 || f.Examples[0].KeyRow != nil {
		return Figure(f.Count)
	}
	if f.Count > int64(len(f.Examples)) {
		return Unknown
	}
	n := Figure(0)
	for i := range f.Examples {
		n += Figure(f.Examples[i].Keys)
	}
	return n
}

// groupCount returns the groups that have findings.
func (f *Finding) groupCount() Figure {
	if len(f.Groups) == 0 {
		return Unknown
	}
	return Figure(len(f.Groups)) + max(0, f.GroupsMore)
}

// worst returns the worst example, nil if there is none.
func (f *Finding) worst() *Example {
	if len(f.Examples) == 0 {
		return nil
	}
	return &f.Examples[0]
}

// subject returns what an example is about: a key, or the subject of an instance
// rule.
func (e *Example) subject() Name {
	switch {
	case e == nil:
		return ""
	case e.KeyRow != nil:
		return e.Key
	}
	return e.Subject
}

// bytes returns what was measured if that is a size, else 0.
func (e *Example) bytes() Figure {
	if e == nil || e.Unit != units.Bytes.String() {
		return 0
	}
	return e.Measured
}

// against returns what was measured beside the limit: "5,200 > 5,000".
func (e *Example) against() string {
	if e == nil || !e.Measured.Known() || e.Limit <= 0 || e.Measured == e.Limit {
		return ""
	}
	sign := " > "
	if e.Measured < e.Limit {
		sign = " < "
	}
	measured, limit := units.FormatCount(int64(e.Measured)), units.FormatCount(int64(e.Limit))
	switch e.Unit {
	case units.Bytes.String():
		measured, limit = units.FormatBytes(int64(e.Measured)), units.FormatBytes(int64(e.Limit))
		if measured == limit {
			measured, limit = units.FormatCount(int64(e.Measured)), units.FormatCount(int64(e.Limit))+" B"
		}
	case units.Seconds.String():
		measured, limit = units.FormatDuration(int64(e.Measured)), units.FormatDuration(int64(e.Limit))
	case units.Ratio.String():
		measured, limit = units.Ratio.Format(int64(e.Measured)), units.Ratio.Format(int64(e.Limit))
	case units.Percent.String():
		measured, limit = units.Percent.Format(int64(e.Measured)), units.Percent.Format(int64(e.Limit))
	}
	return measured + sign + limit
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
