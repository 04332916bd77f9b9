package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/internal/agg"
	"github.com/rdblens/rdblens/report/internal/cluster"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/naming"
)

const maxFindingGroups = 1000

// rules makes the findings: those of single keys from the tables, those of instance
// rules from each snapshot.
func (f *finisher) rules() {
	groups := f.findingGroups()
	f.r.Findings.Explained = f.explained.keys()
	f.selects = map[int]bool{}
	for i := range f.Tables.Databases {
		if d := &f.Tables.Databases[i]; d.DB != 0 {
			f.selects[d.Input] = true
		}
	}
	ignored := make([]int64, len(f.Tables.Ignored))
	for i := range ignored {
		ignored[i] = f.Tables.Ignored[i].Keys
	}
	for severity := thresholds.Error; severity >= thresholds.Info; severity-- {
		for _, rule := range thresholds.Rules() {
			var found *Finding
			if rule.Instance {
				found = f.instanceFinding(rule, severity)
			} else {
				found = f.keyFinding(rule, severity, groups)
			}
			if found == nil {
				continue
			}
			found.Raised = f.Engine(0).Policy().Raised(rule.ID, severity)
			f.r.Rules = append(f.r.Rules, *found)
			f.r.Findings.add(severity, found.Count)
		}
	}
	for i := range f.Judgements {
		for _, w := range f.Judgements[i].Findings {
			if w.Ignored != 0 {
				ignored[w.Ignored-1]++
			}
		}
		for _, o := range f.Judgements[i].Omitted {
			if o.Ignored != 0 {
				ignored[o.Ignored-1] += o.Count
			}
		}
	}
	f.ignored(ignored)
	f.count()
	f.passed()
}

// count sets the findings that the policy only counts.
func (f *finisher) count() {
	for at, counted := range f.counted {
		sums := &f.Tables.Rules[at]
		if !counted || sums.Keys == 0 {
			continue
		}
		id := agg.RuleOf(at)
		rule, setting := thresholds.Rules()[id], &f.Engine(0).Policy().Settings[id]
		row := Counted{Rule: rule.Name, Severity: agg.SeverityOf(at).String(), Title: rule.Title, Count: sums.Keys,
			ValueBytes: sums.ValueBytes, MemoryBytes: memoryFigure(sums.Memory, sums.Keys), Unit: rule.Unit.String()}
		var rest int64
		for _, t := range f.r.Types {
			if typ, ok := parser.ParseType(t.Type); ok && rule.AppliesTo(typ) {
				rest += t.Keys
			}
		}
		row.Of = rest
		for severity := thresholds.Info; severity <= thresholds.Error; severity++ {
			limit, ok := setting.Limit(parser.String, false, severity)
			if !ok {
				continue
			}
			over := int64(0)
			for above := severity; above <= thresholds.Error; above++ {
				over += f.Tables.Rules[agg.RuleSeverity(id, above)].Keys
			}
			if severity == thresholds.Info {
				row.Limit = limit
			}
			row.Histogram = append(row.Histogram, CountedBucket{UpTo: Figure(limit), Keys: max(0, rest-over)})
			rest = over
		}
		row.Histogram = append(row.Histogram, CountedBucket{UpTo: Unknown, Keys: rest})
		f.r.Counted = append(f.r.Counted, row)
	}
}

func (f *finisher) passed() {
	applied := f.Engine(0).Judges()
	for _, rule := range thresholds.Rules() {
		if applied.Has(rule.ID) && !f.r.broken()[rule.Name] {
			f.r.Passed = append(f.r.Passed, rule.Name)
		}
	}
}

// broken are the names of the rules that found something, if only to count it.
func (r *Report) broken() map[string]bool {
	names := map[string]bool{}
	for i := range r.Rules {
		names[r.Rules[i].Rule] = true
	}
	for i := range r.Counted {
		names[r.Counted[i].Rule] = true
	}
	return names
}

func newFinding(rule *thresholds.Rule, severity thresholds.Severity) *Finding {
	return &Finding{Rule: rule.Name, Severity: severity.String(), Title: rule.Title}
}

// keyFinding returns the findings of a rule of single keys, nil if there are none.
func (f *finisher) keyFinding(rule *thresholds.Rule, severity thresholds.Severity, groups [][]FindingGroup) *Finding {
	at := agg.RuleSeverity(rule.ID, severity)
	o := f.Tables.Rules[at]
	f.explained.takeFrom(&o, at)
	for _, b := range f.backlogs {
		if b.at == at {
			o.Keys += b.count.Keys
			o.ValueBytes += b.count.ValueBytes
			o.Memory += b.count.Memory
		}
	}
	grown, more := f.grown(rule, severity, &o)
	if o.Keys == 0 {
		return nil
	}
	found := newFinding(rule, severity)
	found.Count, found.ValueBytes, found.MemoryBytes = o.Keys, Figure(o.ValueBytes), memoryFigure(o.Memory, o.Keys)
	found.MemoryUsage, found.SavedBytes = memoryFigure(o.MemoryUsage, o.Keys), o.Saved
	if f.explained.apart[at] {
		found.MemoryUsage = Unknown
	}
	found.Groups, found.Examples = append(groups[at], more...), grown
	f.worstGroups(found)
	for _, e := range f.examplesOf(rule, severity) {
		found.Examples = append(found.Examples, f.example(e))
	}
	return found
}

// grown returns an example for each entry of a baseline that no longer ignores the
// findings of a rule, because there are twice as many as were accepted, and adds the
// keys to sums. They count at their worst severity, in the groups that are returned.
func (f *finisher) grown(rule *thresholds.Rule, severity thresholds.Severity, sums *agg.RuleSums) (list []Example,
	groups []FindingGroup) {
	ignores := f.Engine(0).Ignores()
	for i := range f.Tables.Ignored {
		now, in := &f.Tables.Ignored[i], &ignores[i]
		if now.Worst != severity || !in.Rules.Has(rule.ID) || !f.growing()[i] {
			continue
		}
		sums.Keys += now.Keys
		sums.ValueBytes += now.ValueBytes
		sums.Memory += now.Memory
		if len(in.Groups) == 1 {
			groups = append(groups, FindingGroup{Group: Name(in.Groups[0]), Count: now.Keys, ValueBytes: Figure(now.ValueBytes),
				MemoryBytes: memoryFigure(now.Memory, now.Keys)})
		}
		text := message.New("{now} now, {accepted} accepted in the baseline", message.Int("now", now.Keys),
			message.Number("accepted", in.Findings, "1 finding", "{n} findings"))
		find := message.New("Find out why there are more, or accept them as well: rdblens baseline update.")
		list = append(list, Example{Subject: Name(in.Pattern()), SubjectMessage: only(message.Name("pattern", in.Pattern())),
			Keys:  now.Keys,
			Bytes: int64(sizeOf(memoryFigure(now.Memory, now.Keys), now.ValueBytes)), Measured: Figure(now.Keys),
			Limit: Figure(in.Findings),
			Unit:  message.Count.String(), Text: text.String(), Message: text,
			Advice: []Advice{{Kind: "look", Text: find.String(), Message: find}}})
	}
	return list, groups
}

// growing reports which entries of a baseline have twice as many findings as accepted.
func (f *finisher) growing() []bool {
	if f.grownEntries == nil {
		engine := f.Engine(0)
		f.grownEntries = thresholds.Growing(engine.Ignores(), func(i int) int64 { return f.Tables.Ignored[i].Keys },
			engine.Namer())
	}
	return f.grownEntries
}

// worstGroups keeps the groups with most findings, or all, and sets the number
// of the others.
func (f *finisher) worstGroups(found *Finding) {
	slices.SortFunc(found.Groups, func(a, b FindingGroup) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count),
			cmp.Compare(sizeOf(b.MemoryBytes, int64(b.ValueBytes)), sizeOf(a.MemoryBytes, int64(a.ValueBytes))),
			cmp.Compare(a.Group, b.Group))
	})
	more := max(0, len(found.Groups)-maxFindingGroups)
	if f.opt.AllGroups {
		more = 0
	}
	found.Groups, found.GroupsMore = slices.Clone(found.Groups[:len(found.Groups)-more]), Figure(more)
}

func (f *finisher) example(e keyExample) Example {
	key := e.key.Key()
	row := f.rowOf(&key, e.key, e.group)
	engine := f.Engine(row.Input)
	subject := f.subject(&key, e)
	subject.SelectDB = f.selects[row.Input]
	measured, limit := measure(e.found)
	text := engine.Text(e.found, &subject)
	reason, source := engine.Reason(e.found, key.Name)
	return Example{Reason: reason, Source: source, KeyRow: &row, Input: row.Input, Measured: measured, Limit: limit,
		Unit: e.found.Unit().String(),
		Text: text.String(), Message: text, Advice: advice(engine.Advise(e.found, &subject))}
}

// measure returns the figures of a finding, unknown if there is nothing to
// measure.
func measure(f thresholds.Finding) (measured, limit Figure) {
	if f.Measured == 0 && f.Limit == 0 && f.Unit() == message.None {
		return Unknown, Unknown
	}
	return Figure(f.Measured), Figure(f.Limit)
}

func advice(list []thresholds.Advice) []Advice {
	out := []Advice{}
	for _, a := range list {
		row := Advice{Kind: a.Kind, Text: a.Text.String(), Message: a.Text, ChangesData: a.ChangesData,
			Condition: a.Condition.String(), ConditionMessage: a.Condition, CommandMessages: a.Commands}
		for _, c := range a.Commands {
			row.Commands = append(row.Commands, thresholds.CommandText(c))
		}
		out = append(out, row)
	}
	return out
}

func (f *finisher) findingGroups() [][]FindingGroup {
	lists := make([][]FindingGroup, agg.RuleSeverities)
	for pattern, g := range f.Tables.Groups.All {
		for at, count := range f.findings(pattern, g) {
			lists[at] = append(lists[at], FindingGroup{Group: f.pattern(pattern), Count: count.Keys,
				ValueBytes: Figure(count.ValueBytes), MemoryBytes: memoryFigure(count.Memory, count.Keys), SavedBytes: count.Saved})
		}
	}
	return lists
}

// instanceFinding returns the findings of an instance rule in all snapshots, nil if
// there are none.
func (f *finisher) instanceFinding(rule *thresholds.Rule, severity thresholds.Severity) *Finding {
	found := newFinding(rule, severity)
	found.ValueBytes, found.MemoryBytes, found.MemoryUsage = Unknown, Unknown, Unknown
	type finding struct {
		of *agg.Judgement
		*thresholds.InstanceFinding
	}
	var list []finding
	for i := range f.Judgements {
		s := &f.Judgements[i]
		bytes := &found.ValueBytes // a snapshot has one or the other
		if s.Memory {
			bytes = &found.MemoryBytes
		}
		*bytes = max(*bytes, 0)
		for n := range s.Findings {
			if w := &s.Findings[n]; w.Rule == rule.ID && w.Severity == severity && w.Ignored == 0 {
				found.Count++
				*bytes += Figure(w.Bytes)
				list = append(list, finding{s, w})
			}
		}
		for _, o := range s.Omitted {
			if o.Rule == rule.ID && o.Severity == severity && o.Ignored == 0 {
				found.Count += o.Count
				*bytes += Figure(o.Bytes)
			}
		}
	}
	if found.Count == 0 {
		return nil
	}
	slices.SortStableFunc(list,
		func(a, b finding) int { return thresholds.CompareInstance(*a.InstanceFinding, *b.InstanceFinding) })
	groups := map[Name]int64{}
	for i, w := range list {
		measured, limit := measure(w.Finding)
		example := Example{Input: nodeOf(w.of.Nodes, w.Largest), Subject: Name(thresholds.SubjectText(w.Subject)),
			SubjectMessage: w.Subject,
			Keys:           w.Keys, Bytes: w.Bytes, Measured: measured, Limit: limit, Unit: w.Unit().String()}
		for _, text := range w.Groups {
			pattern := f.pattern(text)
			if slices.Contains(example.Groups, pattern) {
				continue // several were folded into one
			}
			example.Groups = append(example.Groups, pattern)
			groups[pattern]++
		}
		if i < f.opt.Examples {
			engine := f.Engine(example.Input)
			example.Message, example.Advice = engine.InstanceText(*w.InstanceFinding),
				advice(engine.AdviseInstance(*w.InstanceFinding))
			example.Reason, example.Source = engine.InstanceReason(w.InstanceFinding)
			if n := len(w.of.Nodes); n > 1 {
				example.Inputs, example.InputKeys, example.InputBytes = n, w.Largest.Keys, w.Largest.Bytes
				if w.Largest.Keys > 0 && w.Largest.Keys < w.Keys {
					example.Message = message.New("{text}; at most {keys} in one snapshot", message.Phrase("text", example.Message),
						keysArg("keys", w.Largest.Keys))
				}
			}
			example.Text = example.Message.String()
			found.Examples = append(found.Examples, example)
		}
	}
	for pattern, count := range groups {
		found.Groups = append(found.Groups,
			FindingGroup{Group: pattern, Count: count, ValueBytes: Unknown, MemoryBytes: Unknown})
	}
	f.worstGroups(found)
	found.GroupsMore = Unknown // a finding names those with most keys
	return found
}

// ignored lists the entries of the configuration that ignore findings, with the
// number of findings that they ignored.
func (f *finisher) ignored(counts []int64) {
	engine := f.Engine(0)
	grown := thresholds.Growing(engine.Ignores(), func(i int) int64 { return counts[i] }, engine.Namer())
	for i, in := range engine.Ignores() {
		row := Ignored{Rule: strings.Join(in.Names, ", "), Pattern: in.Pattern(), Database: in.Database, By: in.By,
			Reason: in.Reason, Source: in.Source, Until: in.LastDay(),
			Expired: in.Ended(engine.Env().Now), Grown: f.Tables.Ignored[i].Exceeded, Count: counts[i]}
		if grown[i] {
			row.Grown = true
		} else {
			f.r.Findings.Ignored += counts[i]
		}
		if in.Baseline {
			row.Baseline = in.Origin.String()
		}
		f.r.Ignored = append(f.r.Ignored, row)
	}
}

// checkCluster compares the slots of the snapshots with those of Options.Cluster. The
// errors are the masters that there is no snapshot of. Snapshots without keys may be
// theirs.
func (s *scan) checkCluster(all *agg.Builder) (check *cluster.Check, missing ScanError) {
	if s.opt.Cluster == nil || !all.Finish() {
		return nil, nil
	}
	slots := make([]cluster.Slot, naming.Slots)
	var withKeys []int
	empty, known := 0, false
	for _, f := range all.Fleets {
		for _, n := range f.Nodes() {
			if n.Keys > 0 {
				withKeys = append(withKeys, n.Node)
			} else {
				empty++
			}
		}
		known = f.Slots(func(slot int, keys int64, largest thresholds.NodeSums) {
			to := &slots[slot]
			if to.Keys == 0 || largest.Node < to.Node {
				to.Node = largest.Node
			}
			to.Shared = to.Shared || to.Keys > 0 || largest.Keys < keys
			to.Keys += keys
		}) || known
	}
	if !known {
		return nil, nil
	}
	slices.Sort(withKeys)
	check = s.opt.Cluster.Check(slots, withKeys)
	if len(check.Missing) > empty {
		for _, i := range check.Missing {
			m := &check.Masters[i]
			missing = append(missing, &SourceError{Name: m.Address, Err: &cluster.MissingError{Master: m}})
		}
	}
	return check, missing
}
