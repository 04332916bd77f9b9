package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
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
		rightColumn("share", func(i int) message.Message {
			return shareText(int64(sizeOf(rows[i].Memory, int64(rows[i].ValueBytes))), int64(whole))
		}).drop(10),
		barColumn(func(i int) float64 {
			return ratio(int64(sizeOf(rows[i].Memory, int64(rows[i].ValueBytes))), int64(whole))
		}).only(!full),
		wordColumn("type", func(i int) string { return rows[i].Type }),
		wordColumn("encoding", func(i int) string { return rows[i].Encoding }).only(full).drop(9),
		countColumn("elements", func(i int) Figure { return rows[i].Elements }),
		measured(ByLargest, sizeColumn("largest", func(i int) Figure {
			if k := &rows[i]; full || r.By == ByLargest || k.Elements > 1 && k.Largest*2 >= k.ValueBytes {
				return k.Largest
			}
			return Unknown
		}), 6, true),
		nameColumn("largest element", func(i int) message.Message {
			if rows[i].LargestElement == nil {
				return message.Message{}
			}
			return only(message.Element("element", string(*rows[i].LargestElement)))
		}).only(full).drop(7),
		rightColumn("TTL", func(i int) message.Message { return ttlText(&rows[i]) }).drop(2),
		rightColumn("db", func(i int) message.Message { return verbatim(strconv.Itoa(rows[i].DB)) }).only(several).drop(4),
		r.inputColumn(func(i int) int { return rows[i].Input }).drop(5),
		r.ownerColumn(func(i int) string { return rows[i].Owner }).only(full).drop(7),
		nameColumn("key", func(i int) message.Message { return named(rows[i].Key) }),
		sentenceColumn("findings", func(i int) message.Message { return rows[i].rules() }).only(full).drop(11),
	}}
}

// rules names the rules that found something about a key, the severest first; zero if none
// did.
func (k *KeyRow) rules() message.Message {
	var list []message.Message
	for i := range k.Findings {
		list = append(list, verbatim(k.Findings[i].Rule))
	}
	return parts(", ", list...)
}

func (r *Report) nodesTable(rows []Node) table {
	ofRead := func(i int, m message.Message) message.Message {
		if rows[i].Keys <= 0 {
			return message.Message{}
		}
		return m
	}
	findings := func(severity string, count func(*Counts) int64) column {
		return countColumn(severity, func(i int) Figure { return Figure(count(&rows[i].Findings)) })
	}
	return table{len(rows), []column{
		sizeColumn("memory", func(i int) Figure { return rows[i].MemoryBytes }),
		sizeColumn("value", func(i int) Figure { return Figure(rows[i].ValueBytes) }).only(!r.Totals.MemoryBytes.Known()),
		rightColumn("share", func(i int) message.Message { return ofRead(i, percentText(rows[i].Share)) }).drop(5),
		barColumn(func(i int) float64 { return rows[i].Share }),
		rightColumn("x mean", func(i int) message.Message {
			return ofRead(i, only(message.Figure("n", int64(math.Round(rows[i].Skew*100)), message.FormRatio)))
		}),
		sizeColumn("used_memory", func(i int) Figure { return r.Inputs[rows[i].Input].UsedMem }).drop(2),
		countColumn("keys", func(i int) Figure { return Figure(rows[i].Keys) }),
		rightColumn("no TTL", func(i int) message.Message { return shareText(rows[i].WithoutTTL, rows[i].Keys) }).drop(4),
		findings("errors", func(c *Counts) int64 { return c.Error }),
		findings("warnings", func(c *Counts) int64 { return c.Warning }).drop(3),
		leftColumn("state", func(i int) message.Message {
			if in := &r.Inputs[rows[i].Input]; in.Error != nil {
				return word(stateText(in))
			}
			return message.Message{}
		}),
		nameColumn("node", func(i int) message.Message { return r.master(rows[i].Input) }).drop(1),
		nameColumn("snapshot", func(i int) message.Message { return fileText(r.inputName(rows[i].Input)) }),
	}}
}

func (r *Report) groupsTable(rows []memoryPlace, full bool) table {
	memory := r.Totals.MemoryBytes.Known()
	ttl := func(seconds *int64) message.Message {
		if seconds == nil {
			return message.Message{}
		}
		return only(message.Duration("time", *seconds))
	}
	return table{len(rows), []column{
		sizeColumn("memory", func(i int) Figure { return rows[i].MemoryBytes }),
		sizeColumn("value", func(i int) Figure { return Figure(rows[i].ValueBytes) }).only(full || !memory).drop(3),
		rightColumn("share", func(i int) message.Message {
			if rows[i].share > 0 {
				return percentText(rows[i].share)
			}
			return shareText(int64(sizeOf(rows[i].MemoryBytes, rows[i].ValueBytes)), int64(sizeOf(r.Totals.MemoryBytes, r.Totals.ValueBytes)))
		}).drop(3),
		barColumn(func(i int) float64 {
			return ratio(int64(sizeOf(rows[i].MemoryBytes, rows[i].ValueBytes)), int64(sizeOf(r.Totals.MemoryBytes, r.Totals.ValueBytes)))
		}).only(!full),
		countColumn("keys", func(i int) Figure { return Figure(rows[i].Keys) }),
		countColumn("elements", func(i int) Figure { return Figure(rows[i].Elements) }).only(full).drop(4),
		leftColumn("TTL", func(i int) message.Message { return rows[i].ttlRange() }).only(!full),
		rightColumn("no TTL", func(i int) message.Message { return shareText(rows[i].WithoutTTL, rows[i].Keys) }).only(full),
		rightColumn("min TTL", func(i int) message.Message { return ttl(rows[i].TTLMin) }).only(full).drop(5),
		rightColumn("median", func(i int) message.Message { return ttl(rows[i].TTLMedian) }).only(full).drop(2),
		rightColumn("max", func(i int) message.Message { return ttl(rows[i].TTLMax) }).only(full).drop(6),
		countColumn("findings", func(i int) Figure { return Figure(rows[i].Findings) }).only(full),
		nameColumn("owner", func(i int) message.Message { return ownerText(rows[i].Owner) }).drop(1).below(full),
		leftColumn("what it is", func(i int) message.Message { return rows[i].Identity.Label() }).drop(4).below(full),
		nameColumn("group", func(i int) message.Message { return rows[i].called() }),
		sourceColumn(len(rows), func(i int) []SourceLine { return rows[i].Source }).below(full),
		nameColumn("largest key", func(i int) message.Message {
			if rows[i].Keys < 2 {
				return message.Message{}
			}
			return keyText(rows[i].LargestKey)
		}).only(full).drop(7),
	}}
}

// ownerText is the name of an owner, zero for "".
func ownerText(owner string) message.Message {
	if owner == "" {
		return message.Message{}
	}
	return only(message.Element("owner", owner))
}

func keyText(k *KeyRow) message.Message {
	if k == nil {
		return message.Message{}
	}
	return named(k.Key)
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
func (g *Group) ttlRange() message.Message {
	if g.WithoutTTL == g.Keys {
		return word("none")
	}
	if g.TTLMin == nil || g.TTLMax == nil {
		return message.Message{}
	}
	m := RoughDuration(*g.TTLMin)
	if most := RoughDuration(*g.TTLMax); most.String() != m.String() {
		m = message.New("{from} to {to}", message.Phrase("from", m), message.Phrase("to", most))
	}
	if g.WithoutTTL > 0 {
		m = message.New("{time}, {share} none", message.Phrase("time", m), shareArg("share", g.WithoutTTL, g.Keys))
	}
	return m
}

// RoughDuration returns seconds in their largest unit: "59m", "4d"; "expired" for
// a time that has passed.
func RoughDuration(seconds int64) message.Message {
	if seconds < 0 {
		return word("expired")
	}
	for _, unit := range []int64{86400, 3600, 60} {
		if seconds >= unit {
			seconds -= seconds % unit
			break
		}
	}
	return only(message.Duration("time", seconds))
}

func (v *overview) problemsTable(n int) table {
	rows := v.problems[:min(len(v.problems), n)]
	return table{len(rows), []column{
		wordColumn("severity", func(i int) string { return rows[i].Severity }),
		wordColumn("rule", func(i int) string { return rows[i].Rule }),
		countColumn("keys", func(i int) Figure { return rows[i].keyCount() }),
		sizeColumn("memory", func(i int) Figure { return rows[i].size() }).drop(1),
		rightColumn("worst", func(i int) message.Message { return rows[i].worst().against() }),
		v.r.inputColumn(func(i int) int {
			if e := rows[i].worst(); e != nil {
				return e.Input
			}
			return -1
		}).drop(3),
		nameColumn("key", func(i int) message.Message { return rows[i].worst().subjectText() }),
	}}
}

// savingsNote says what the figures of savings are.
func (r *Report) savingsNote() message.Message {
	if r.Filter == nil {
		return word("estimates")
	}
	return word("estimates for the keys of the filter, down to 0.2% of their memory; a scan of all keys leaves out small ones")
}

func (v *overview) savingsTable(n int) table {
	rows := v.savings[:min(len(v.savings), n)]
	return table{len(rows), []column{
		sizeColumn("saves", func(i int) Figure { return Figure(rows[i].SavesBytes - rows[i].SavesGoing) }),
		countColumn("keys", func(i int) Figure { return Figure(rows[i].Keys) }),
		sentenceColumn("how", func(i int) message.Message { return rows[i].How }),
		nameColumn("group", func(i int) message.Message {
			switch {
			case rows[i].Group != "":
				return named(rows[i].Group)
			case rows[i].Kind == "setting":
				return message.New("the whole server")
			}
			return message.New("{server}, {need}", rows[i].How.Args...)
		}),
	}}
}

// problem has the findings of one rule at one severity.
type problem struct {
	*Finding
	harm thresholds.Harm
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
	return nameColumn("snapshot", func(row int) message.Message {
		if i := input(row); i >= 0 && i < len(r.Inputs) {
			return fileText(r.Inputs[i].Name[dir:])
		}
		return message.Message{}
	}).only(len(r.Inputs) > 1)
}

// findProblems orders the findings: by severity, those that the team itself gave it first,
// then by harm.
func (v *overview) findProblems() {
	rules := map[string]string{} // the worst severity of each
	for i := range v.r.Rules {
		p := problem{Finding: &v.r.Rules[i]}
		if rule, ok := thresholds.Lookup(p.Rule); ok {
			p.harm = rule.Harm
		}
		v.problems = append(v.problems, p)
		if severityOf(p.Severity) > severityOf(rules[p.Rule]) {
			rules[p.Rule] = p.Severity
		}
	}
	slices.SortStableFunc(v.problems, func(a, b problem) int {
		return cmp.Or(cmp.Compare(severityOf(b.Severity), severityOf(a.Severity)), cmp.Compare(boolFigure(b.Raised), boolFigure(a.Raised)),
			cmp.Compare(b.harm, a.harm), cmp.Compare(b.size(), a.size()),
			cmp.Compare(b.worst().bytes(), a.worst().bytes()))
	})
	counts := map[string]int64{}
	for _, severity := range rules {
		counts[severity]++
	}
	config := v.r.Config
	config.FailOn = "" // that judges nothing
	id := "{n} of {rules} of {config}: {errors}, {warnings}, {infos} info"
	switch {
	case len(v.problems) == 0:
		id = "none, by {rules} of {config}"
	case v.r.Findings.Ignored > 0:
		id = "{n} of {rules} of {config}: {errors}, {warnings}, {infos} info; {ignored} ignored"
	}
	v.broken = message.New(id, message.Int("n", int64(len(rules))),
		message.Number("rules", int64(len(rules)+len(v.r.Passed)), "1 rule", "{n} rules"),
		message.Phrase("config", configText(&config)), message.Number("errors", counts["error"], "1 error", "{n} errors"),
		message.Number("warnings", counts["warning"], "1 warning", "{n} warnings"), message.Int("infos", counts["info"]),
		message.Number("ignored", v.r.Findings.Ignored, "1 finding", "{n} findings"))
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

// subjectText is subject as a message, zero if there is no example.
func (e *Example) subjectText() message.Message {
	switch {
	case e == nil:
		return message.Message{}
	case e.KeyRow == nil && !e.SubjectMessage.IsZero():
		return e.SubjectMessage
	}
	return named(e.subject())
}

// against returns what was measured beside the limit: "5,200 > 5,000"; zero if there is
// nothing to compare.
func (e *Example) against() message.Message {
	if e == nil || !e.Measured.Known() || e.Limit <= 0 || e.Measured == e.Limit {
		return message.Message{}
	}
	id := "{measured} > {limit}"
	if e.Measured < e.Limit {
		id = "{measured} < {limit}"
	}
	measured, limit := e.figure("measured", e.Measured), e.figure("limit", e.Limit)
	if e.Unit == message.Bytes.String() && measured.Text == limit.Text { // rounded, they are the same
		return message.New(id, message.Int("measured", int64(e.Measured)), message.ExactSize("limit", int64(e.Limit)))
	}
	return message.New(id, measured, limit)
}

// figure returns a figure of the example in its unit, rounded.
func (e *Example) figure(name string, n Figure) message.Arg {
	form := message.FormCount
	switch e.Unit {
	case message.Bytes.String():
		form = message.FormBytes
	case message.Seconds.String():
		form = message.FormDuration
	case message.Ratio.String():
		form = message.FormRatio
	case message.Percent.String():
		form = message.FormPercent
	}
	return message.Figure(name, int64(n), form)
}
