package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/cluster"
	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds"
)

// The tables of an overview.

// keysTable is a table of keys: in an overview with the largest element only where
// it is the reason for the size, in full with all columns.
func (r *Report) keysTable(rows []KeyRow, full bool) table {
	several := severalDatabases(r)
	for i := range rows {
		several = several || rows[i].DB != 0
	}
	whole := sizeOf(r.Totals.MemoryBytes, r.Totals.ValueBytes)
	// measured is a column that is always shown if it ranks the keys.
	measured := func(measure string, c column, drop int, shown bool) column {
		if r.By == measure {
			return c
		}
		return c.only(shown).drop(drop)
	}
	return table{len(rows), []column{
		measured(ByMemory, sizeColumn("memory", func(i int) Figure { return rows[i].Memory }), 0, true),
		measured(ByMemoryUsage, sizeColumn("usage", func(i int) Figure { return rows[i].MemoryUsage }), 8, full),
		measured(BySerialized, sizeColumn("serialized", func(i int) Figure { return rows[i].Serialized }), 9, full),
		measured(ByValueBytes, sizeColumn("value", func(i int) Figure { return rows[i].ValueBytes }), 3, full || !r.Totals.MemoryBytes.Known()),
		rightColumn("share", func(i int) string {
			return shareText(int64(sizeOf(rows[i].Memory, int64(rows[i].ValueBytes))), int64(whole))
		}).drop(10),
		leftColumn("type", func(i int) string { return rows[i].Type }),
		leftColumn("encoding", func(i int) string { return rows[i].Encoding }).only(full).drop(9),
		countColumn("elements", func(i int) Figure { return rows[i].Elements }),
		measured(ByLargest, sizeColumn("largest", func(i int) Figure {
			if k := &rows[i]; full || r.By == ByLargest || k.Elements > 1 && k.Largest*2 >= k.ValueBytes {
				return k.Largest
			}
			return Unknown
		}), 6, true),
		nameColumn("largest element", func(i int) string {
			if rows[i].LargestElement == nil {
				return ""
			}
			return rows[i].LargestElement.Display()
		}).only(full).drop(7),
		rightColumn("TTL", func(i int) string { return ttlText(&rows[i]) }).drop(2),
		rightColumn("db", func(i int) string { return strconv.Itoa(rows[i].DB) }).only(several).drop(4),
		r.inputColumn(func(i int) int { return rows[i].Input }).drop(5),
		nameColumn("key", func(i int) string { return rows[i].Key.Display() }),
	}}
}

// clusterAlerts says what snapshots lack or have twice of a cluster.
func (r *Report) clusterAlerts() (list []string) {
	c := r.Cluster
	if c == nil {
		return nil
	}
	alert := func(sentence string, pairs ...string) { list = append(list, thresholds.Fill(sentence, pairs...)) }
	for n, i := range c.Missing {
		if n == overviewAlerts {
			alert("MISSING: no snapshot has keys of {n} more masters.", "n", message.FormatCount(int64(len(c.Missing)-n)))
			break
		}
		m := &c.Masters[i]
		alert("MISSING: no snapshot has keys of the master {address}, slots {slots}.", "address", shortName(Name(m.Address)), "slots", cluster.Text(m.Slots))
	}
	if len(c.Shared) > 0 {
		alert("TWICE: {count} have keys in several snapshots: {slots}. All sums count these keys twice.", "count", message.FormatCountOf(int64(cluster.Count(c.Shared)), "slot", "slots"), "slots", cluster.Text(c.Shared))
	}
	for n, i := range c.Spare {
		if n == overviewAlerts {
			break
		}
		alert("TWICE: {file} has no slot of its own: it may be of a replica.", "file", shortName(r.inputName(i)))
	}
	if len(c.Foreign) > 0 {
		alert("MOVED: keys of {count} are in the snapshot of another master than CLUSTER NODES says: {slots}.", "count", message.FormatCountOf(int64(cluster.Count(c.Foreign)), "slot", "slots"), "slots", cluster.Text(c.Foreign))
	}
	if len(c.Unserved) > 0 {
		alert("UNSERVED: no master serves {count}: {slots}.", "count", message.FormatCountOf(int64(cluster.Count(c.Unserved)), "slot", "slots"), "slots", cluster.Text(c.Unserved))
	}
	return list
}

// master returns the address of the master whose snapshot an input is, "" if that is
// not known.
func (r *Report) master(input int) string {
	if r.Cluster != nil {
		for i := range r.Cluster.Masters {
			if m := &r.Cluster.Masters[i]; len(m.Inputs) == 1 && m.Inputs[0] == input {
				return Name(m.Address).Display()
			}
		}
	}
	return ""
}

// nodesTable is a table of nodes.
func (r *Report) nodesTable(rows []Node) table {
	ofRead := func(i int, s string) string {
		if rows[i].Keys <= 0 {
			return ""
		}
		return s
	}
	findings := func(severity string, count func(*Counts) int64) column {
		return countColumn(severity, func(i int) Figure { return Figure(count(&rows[i].Findings)) })
	}
	return table{len(rows), []column{
		sizeColumn("memory", func(i int) Figure { return rows[i].MemoryBytes }),
		sizeColumn("value", func(i int) Figure { return Figure(rows[i].ValueBytes) }).only(!r.Totals.MemoryBytes.Known()),
		rightColumn("share", func(i int) string { return ofRead(i, message.FormatPercent(rows[i].Share)) }).drop(5),
		rightColumn("x mean", func(i int) string {
			return ofRead(i, message.Ratio.Format(int64(math.Round(rows[i].Skew*100))))
		}),
		sizeColumn("used_memory", func(i int) Figure { return r.Inputs[rows[i].Input].UsedMem }).drop(2),
		countColumn("keys", func(i int) Figure { return Figure(rows[i].Keys) }),
		rightColumn("no TTL", func(i int) string { return shareText(rows[i].WithoutTTL, rows[i].Keys) }).drop(4),
		findings("errors", func(c *Counts) int64 { return c.Error }),
		findings("warnings", func(c *Counts) int64 { return c.Warning }).drop(3),
		leftColumn("state", func(i int) string {
			if in := &r.Inputs[rows[i].Input]; in.Error != nil {
				return stateText(in)
			}
			return ""
		}),
		nameColumn("node", func(i int) string { return r.master(rows[i].Input) }).drop(1),
		nameColumn("snapshot", func(i int) string { return r.inputName(rows[i].Input).Display() }),
	}}
}

// groupsTable is a table of groups, in an overview or in full.
func (r *Report) groupsTable(rows []Group, full bool) table {
	memory := r.Totals.MemoryBytes.Known()
	ttl := func(seconds *int64) string {
		if seconds == nil {
			return ""
		}
		return message.FormatDuration(*seconds)
	}
	return table{len(rows), []column{
		sizeColumn("memory", func(i int) Figure { return rows[i].MemoryBytes }),
		sizeColumn("value", func(i int) Figure { return Figure(rows[i].ValueBytes) }).only(full || !memory).drop(3),
		rightColumn("share", func(i int) string {
			return shareText(int64(sizeOf(rows[i].MemoryBytes, rows[i].ValueBytes)), int64(sizeOf(r.Totals.MemoryBytes, r.Totals.ValueBytes)))
		}).drop(8),
		countColumn("keys", func(i int) Figure { return Figure(rows[i].Keys) }),
		countColumn("elements", func(i int) Figure { return Figure(rows[i].Elements) }).only(full).drop(4),
		leftColumn("TTL", func(i int) string { return rows[i].ttlRange() }).only(!full),
		rightColumn("no TTL", func(i int) string { return shareText(rows[i].WithoutTTL, rows[i].Keys) }).only(full),
		rightColumn("min TTL", func(i int) string { return ttl(rows[i].TTLMin) }).only(full).drop(5),
		rightColumn("median", func(i int) string { return ttl(rows[i].TTLMedian) }).only(full).drop(2),
		rightColumn("max", func(i int) string { return ttl(rows[i].TTLMax) }).only(full).drop(6),
		countColumn("findings", func(i int) Figure { return Figure(rows[i].Findings) }).only(full),
		nameColumn("owner", func(i int) string { return text.Sanitize(rows[i].Owner) }).drop(1),
		nameColumn("group", func(i int) string { return rows[i].name().Display() }),
		nameColumn("largest key", func(i int) string {
			if rows[i].Keys < 2 {
				return ""
			}
			return displayKey(rows[i].LargestKey)
		}).only(full).drop(7),
	}}
}

// name returns the pattern of a group, or the name of its only key.
func (g *Group) name() Name {
	if g.Keys == 1 && g.LargestKey != nil {
		return g.LargestKey.Key
	}
	return g.Group
}

// ttlRange returns the shortest and the longest TTL of a group, and how many of
// its keys have none.
func (g *Group) ttlRange() string {
	if g.WithoutTTL == g.Keys || g.TTLMin == nil || g.TTLMax == nil {
		if g.WithoutTTL == g.Keys {
			return "none"
		}
		return ""
	}
	s := roughDuration(*g.TTLMin)
	if most := roughDuration(*g.TTLMax); most != s {
		s += " to " + most
	}
	if g.WithoutTTL > 0 {
		s += ", " + shareText(g.WithoutTTL, g.Keys) + " none"
	}
	return s
}

// roughDuration returns seconds in their largest unit: "59m", "4d"; "expired" for
// a time that has passed.
func roughDuration(seconds int64) string {
	if seconds < 0 {
		return "expired"
	}
	for _, unit := range []int64{86400, 3600, 60} {
		if seconds >= unit {
			return message.FormatDuration(seconds - seconds%unit)
		}
	}
	return message.FormatDuration(seconds)
}

// problemsTable has at most n problems.
func (v *overview) problemsTable(n int) table {
	rows := v.problems[:min(len(v.problems), n)]
	return table{len(rows), []column{
		leftColumn("severity", func(i int) string { return rows[i].Severity }),
		leftColumn("rule", func(i int) string { return rows[i].Rule }),
		rightColumn("keys", func(i int) string { return rows[i].keysText() }),
		countColumn("groups", func(i int) Figure { return rows[i].groupCount() }).drop(2),
		sizeColumn("memory", func(i int) Figure { return rows[i].size() }).drop(1),
		rightColumn("worst", func(i int) string { return rows[i].worst().against() }),
		v.r.inputColumn(func(i int) int {
			if e := rows[i].worst(); e != nil {
				return e.Input
			}
			return -1
		}).drop(3),
		nameColumn("key", func(i int) string { return rows[i].worst().subject().Display() }),
	}}
}

// savingsTable has at most n savings.
func (v *overview) savingsTable(n int) table {
	rows := v.savings[:min(len(v.savings), n)]
	return table{len(rows), []column{
		sizeColumn("saves", func(i int) Figure { return Figure(rows[i].bytes) }),
		countColumn("keys", func(i int) Figure { return Figure(rows[i].keys) }),
		sentenceColumn("how", func(i int) string { return rows[i].how }),
		nameColumn("group", func(i int) string { return rows[i].group }),
	}}
}

// problem is one rule that is broken.
type problem struct {
	*Finding            // of the worst severity; of several, the sums of all
	findings []*Finding // by severity, the worst first
	harm     thresholds.Harm
	brief    string // Rule.Brief
}

// add adds the finding of a milder severity. No key has both.
func (p *problem) add(f *Finding) {
	p.findings = append(p.findings, f)
	all := *p.Finding
	all.Count += f.Count
	all.ValueBytes, all.MemoryBytes = addFigures(all.ValueBytes, f.ValueBytes), addFigures(all.MemoryBytes, f.MemoryBytes)
	all.Examples = slices.Concat(all.Examples, f.Examples)
	all.Groups = slices.Clone(all.Groups)
	for _, g := range f.Groups {
		i := slices.IndexFunc(all.Groups, func(known FindingGroup) bool { return known.Group == g.Group })
		if i < 0 {
			all.Groups = append(all.Groups, g)
			continue
		}
		known := &all.Groups[i]
		known.Count += g.Count
		known.ValueBytes, known.MemoryBytes = addFigures(known.ValueBytes, g.ValueBytes), addFigures(known.MemoryBytes, g.MemoryBytes)
	}
	p.Finding = &all
}

// addFigures returns a sum, unknown if both are.
func addFigures(a, b Figure) Figure {
	if !a.Known() || !b.Known() {
		return max(a, b)
	}
	return a + b
}

// keysText returns the number of keys, of several severities with that of the worst.
func (p *problem) keysText() string {
	if n := p.findings[0].keyCount(); len(p.findings) > 1 && n.Known() && p.keyCount().Known() {
		return thresholds.Fill("{n} of {all}", "n", countText(n), "all", countText(p.keyCount()))
	}
	return countText(p.keyCount())
}

// groupCount returns the groups that have findings, unknown if not all are named.
func (p *problem) groupCount() Figure {
	for _, f := range p.findings {
		if len(p.findings) > 1 && f.GroupsMore > 0 {
			return Unknown
		}
	}
	return p.Finding.groupCount()
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
	pairs := []string{"rules", message.FormatCountOf(int64(len(rules)), "rule", "rules"), "where", message.FormatCountOf(groups, "group", "groups"),
		"errors", message.FormatCountOf(counts["error"], "error", "errors"), "warnings", message.FormatCountOf(counts["warning"], "warning", "warnings"), "infos", message.FormatCount(counts["info"]),
		"ignored", message.FormatCountOf(v.r.Findings.Ignored, "finding", "findings")}
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
	if e == nil || e.Unit != message.Bytes.String() {
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
	measured, limit := message.FormatCount(int64(e.Measured)), message.FormatCount(int64(e.Limit))
	switch e.Unit {
	case message.Bytes.String():
		measured, limit = message.FormatBytes(int64(e.Measured)), message.FormatBytes(int64(e.Limit))
		if measured == limit {
			measured, limit = message.FormatCount(int64(e.Measured)), message.FormatCount(int64(e.Limit))+" B"
		}
	case message.Seconds.String():
		measured, limit = message.FormatDuration(int64(e.Measured)), message.FormatDuration(int64(e.Limit))
	case message.Ratio.String():
		measured, limit = message.Ratio.Format(int64(e.Measured)), message.Ratio.Format(int64(e.Limit))
	case message.Percent.String():
		measured, limit = message.Percent.Format(int64(e.Measured)), message.Percent.Format(int64(e.Limit))
	}
	return measured + sign + limit
}
