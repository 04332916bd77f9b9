package report

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report/internal/agg"
	"github.com/rdblens/rdblens/report/internal/identity"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/naming"
)

func (f *finisher) identities() map[string]*Identity {
	byPattern := map[string]*identity.Group{}
	f.longest = map[string][2]int64{}
	for _, s := range f.Samples.Samples() {
		pattern := f.Tables.Groups.PatternOf(s.Name)
		g := byPattern[pattern]
		if g == nil {
			g = &identity.Group{Pattern: pattern}
			byPattern[pattern] = g
		}
		g.Samples = append(g.Samples, &s.Sample)
		longest := f.longest[pattern]
		f.longest[pattern] = [2]int64{max(longest[0], int64(len(s.Name))), max(longest[1], s.Bytes)}
	}
	var groups []*identity.Group
	for pattern, from := range f.Tables.Groups.All {
		g := byPattern[pattern]
		if g == nil {
			if g = withoutSample(from); g == nil {
				continue
			}
		}
		g.Pattern, g.Keys = pattern, from.Keys
		groups = append(groups, g)
	}
	known := map[string]*Identity{}
	for i, id := range identity.Identify(groups) {
		if id != nil {
			known[groups[i].Pattern] = id
		}
	}
	policy := f.Engine(0).Policy()
	if policy.Identities == nil {
		return known
	}
	for pattern, g := range f.Tables.Groups.All {
		var name []byte
		if largest := g.Largest(); largest != nil {
			k := largest.Key()
			name = k.Name
		}
		if id, ok := policy.IdentityOf([]byte(pattern), name); ok && id == nil {
			delete(known, pattern)
		} else if ok {
			known[pattern] = id
		}
	}
	return known
}

// withoutSample returns a group with the name of its largest key, nil if its keys have
// several types.
func withoutSample(g *agg.Group) *identity.Group {
	t, one := g.Type()
	largest := g.Largest()
	if !one || largest == nil {
		return nil
	}
	k := largest.Key()
	return &identity.Group{Samples: []*identity.Sample{{Name: k.Name, DB: k.DB, Type: t, TTL: k.HasExpire,
		NameOnly: true}}}
}

// explained are the findings that the identities of their groups explain, because nobody can
// act on them, and those that the policy only counts. A report counts them apart.
type explained struct {
	sums [agg.RuleSeverities]agg.RuleSums
	// apart is true if what MEMORY USAGE would state about them is not known, because there are
	// other keys in their groups.
	apart  [agg.RuleSeverities]bool
	owners map[int]*Counts // by index in thresholds.Engine.Owners
}

// identify sets what the groups are, and which findings that explains.
func (f *finisher) identify() {
	f.known = f.identities()
	f.explained.owners = map[int]*Counts{}
	for id := range thresholds.Rules() {
		for severity := thresholds.Info; severity <= thresholds.Error; severity++ {
			id := thresholds.RuleID(id)
			f.counted[agg.RuleSeverity(id, severity)] = f.Engine(0).Policy().CountsOnly(id, severity)
		}
	}
	for pattern, g := range f.Tables.Groups.All {
		id := f.known[pattern]
		for at, count := range f.Tables.Groups.Findings(g) {
			if !f.explains(id, at) {
				continue
			}
			to := &f.explained.sums[at]
			to.Keys += count.Keys
			to.ValueBytes += count.ValueBytes
			to.Memory += count.Memory
			to.Saved += count.Saved
			to.MemoryUsage += g.MemoryUsage
			f.explained.apart[at] = f.explained.apart[at] || count.Keys != g.Keys
			if owner := g.Owner(); owner >= 0 {
				c := f.explained.owners[owner]
				if c == nil {
					c = new(Counts)
					f.explained.owners[owner] = c
				}
				c.add(agg.SeverityOf(at), count.Keys)
			}
		}
	}
}

// explains reports whether findings of a rule and severity are counted apart in groups of an
// identity.
func (f *finisher) explains(id *Identity, ruleSeverity int) bool {
	return f.counted[ruleSeverity] || id.Explains(agg.RuleOf(ruleSeverity).Name())
}

func (e *explained) keys() (n int64) {
	for i := range e.sums {
		n += e.sums[i].Keys
	}
	return n
}

func (e *explained) takeFrom(o *agg.RuleSums, ruleSeverity int) {
	from := &e.sums[ruleSeverity]
	o.Keys -= from.Keys
	o.ValueBytes -= from.ValueBytes
	o.Memory -= from.Memory
	o.Saved -= from.Saved
	o.MemoryUsage -= from.MemoryUsage
}

// findings returns the findings in a group that its identity does not explain.
func (f *finisher) findings(pattern string, g *agg.Group) iter.Seq2[int, agg.Count] {
	id := f.known[pattern]
	return func(yield func(int, agg.Count) bool) {
		for at, count := range f.Tables.Groups.Findings(g) {
			if !f.explains(id, at) && !yield(at, count) {
				return
			}
		}
		if b, ok := f.backlogs[pattern]; ok {
			yield(b.at, b.count)
		}
	}
}

// backlog is a finding of queue-backlog that only the identity of a group shows: one about
// its largest key.
type backlog struct {
	at    int // RuleSeverity
	count agg.Count
	found thresholds.Finding
	key   *agg.RetainedKey
}

// backlogIn returns the backlog of a group, if its key is the largest of a leaf of that group.
func (f *finisher) backlogIn(pattern string, leaf *agg.RetainedKey) (ruleSeverity int, count agg.Count, ok bool) {
	b, ok := f.backlogs[pattern]
	return b.at, b.count, ok && leaf != nil && leaf.Input == b.key.Input && leaf.Offset == b.key.Offset
}

// judgeGroups sets what rules find that compare the keys of groups, or need their identity.
func (f *finisher) judgeGroups() {
	sums := make([]thresholds.GroupSums, 0, f.Tables.Groups.Len())
	engine := f.Engine(0)
	large := f.largeKeys()
	f.backlogs, f.ttls = map[string]backlog{}, map[string]int64{}
	for pattern, g := range f.Tables.Groups.All {
		s := f.sumsOf(pattern, g)
		s.Large = large[pattern]
		if s.LongestTTL > 0 {
			f.ttls[pattern] = s.LongestTTL
		}
		if largest := g.Largest(); s.Identity.IsBacklog() && largest != nil {
			key := largest.Key()
			if found, ok := engine.Backlog(&key, s.Identity); ok {
				f.backlogs[pattern] = backlog{agg.RuleSeverity(found.Rule, found.Severity),
					agg.Count{Keys: 1, ValueBytes: max(key.ValueBytes, 0), Memory: max(key.Memory, 0)}, found, largest}
			}
		}
		sums = append(sums, s)
	}
	f.Judgements = f.Builder.Judgements
	if kept, omitted := engine.JudgeGroups(sums); len(kept)+len(omitted) > 0 {
		nodes := []thresholds.NodeSums{{}}
		if len(f.Snapshots) > 0 {
			nodes[0].Node = f.Snapshots[0].Input
		}
		f.Judgements = append(slices.Clone(f.Judgements),
			agg.Judgement{Memory: engine.Env().Memory, Nodes: nodes, Findings: kept, Omitted: omitted})
	}
}

// largeKeys returns the keys of the lists of largest keys by the patterns of their groups,
// the largest first, that rule outlier may be about.
func (f *finisher) largeKeys() map[string][]thresholds.Subject {
	large := map[string][]thresholds.Subject{}
	for t := range parser.NumTypes {
		list := f.Top.Type(t, agg.ByMemory)
		for i := range list {
			key := f.Top.Key(&list[i])
			if key.Memory > thresholds.LeastLarge {
				k := key.Key()
				group := string(key.Group())
				large[group] = append(large[group], f.subject(&k, keyExample{key: key, group: group}))
			}
		}
	}
	for pattern, g := range f.Tables.Groups.All {
		key := g.Largest()
		list := large[pattern]
		if key != nil && key.Memory > thresholds.LeastLarge &&
			!slices.ContainsFunc(list, func(s thresholds.Subject) bool { return s.Offset == key.Offset }) {
			k := key.Key()
			large[pattern] = append(list, f.subject(&k, keyExample{key: key, group: pattern}))
		}
	}
	for _, list := range large {
		slices.SortStableFunc(list, func(a, b thresholds.Subject) int {
			return cmp.Or(cmp.Compare(b.Memory, a.Memory), cmp.Compare(a.Offset, b.Offset))
		})
	}
	return large
}

// sumsOf returns the sums of a group as rules and advice need them.
func (f *finisher) sumsOf(pattern string, g *agg.Group) thresholds.GroupSums {
	s := thresholds.GroupSums{Group: f.Tables.Groups.Name(pattern), DB: g.DB(), Type: parser.NumTypes, Elements: -1,
		Identity: f.known[pattern],
		Keys:     g.Keys, AllElements: g.Elements, WithoutTTL: g.WithoutTTL, ValueBytes: g.ValueBytes,
		Serialized: g.Serialized, NameBytes: g.NameBytes, Memory: int64(memoryFigure(g.Memory, g.Keys)),
		MemoryWithoutTTL: int64(memoryFigure(g.MemoryWithoutTTL, g.WithoutTTL)),
		IsFolded:         strings.Trim(pattern, "*:#_") == ""}
	for at, count := range f.findings(pattern, g) {
		if agg.RuleOf(at).IsCold() {
			s.Cold, s.ColdMemory = s.Cold+count.Keys, s.ColdMemory+count.Memory
		}
	}
	s.IdleLeast, s.IdleMost = -1, -1
	if least, most, ok := g.Idle(); ok {
		s.IdleLeast, s.IdleMost = least, most
	}
	if _, _, most, ok := f.Tables.Groups.TTL(g); ok {
		s.LongestTTL = max(0, floorSeconds(most))
	}
	if s.DB < 0 {
		s.DB = thresholds.AnyDatabase
	}
	if t, ok := g.Type(); ok {
		s.Type = t
	}
	if largest := g.Largest(); largest != nil {
		key := largest.Key()
		s.Content, s.Elements = largest.Content, largest.Elements
		longest := f.longest[pattern]
		s.LargestName, s.LargestValue = max(int64(len(key.Name)), longest[0]), max(key.ValueBytes, longest[1])
		s.IsNumber = key.Encoding == parser.EncInt
		s.WasLarger = f.Engine(0).WasLarger(&key)
		s.IsNumbered = isNumbered(s.Group, string(key.Name))
	}
	return s
}

func isNumbered(pattern, name string) bool {
	before, after, _ := strings.Cut(pattern, "*")
	number := strings.TrimSuffix(strings.TrimPrefix(name, before), after)
	if number == "" || number[0] == '0' || number[0] > '9' {
		return false // without the memory of an error
	}
	_, err := strconv.ParseInt(number, 10, 64)
	return err == nil
}

type keyExample struct {
	key   *agg.RetainedKey
	group string // pattern
	found thresholds.Finding
}

// subject returns the key of an example as advice needs it.
func (f *finisher) subject(k *parser.Key, e keyExample) thresholds.Subject {
	s := thresholds.SubjectOf(k)
	s.Content, s.Identity, s.GroupTTL = e.key.Content, f.known[e.group], f.ttls[e.group]
	return s
}

// examplesOf returns the examples of a rule and severity, the worst first. Where those
// that the pass kept are explained, the largest keys of other groups take their place.
func (f *finisher) examplesOf(rule *thresholds.Rule, severity thresholds.Severity) (list []keyExample) {
	at := agg.RuleSeverity(rule.ID, severity)
	kept := f.Top.Examples(at)
	for pattern, b := range f.backlogs {
		if b.at == at {
			list = append(list, keyExample{b.key, pattern, b.found})
		}
	}
	slices.SortFunc(list, func(a, b keyExample) int {
		return cmp.Or(cmp.Compare(b.found.Measured, a.found.Measured), cmp.Compare(a.group, b.group))
	})
	list = list[:min(len(list), f.opt.Examples)]
	known := len(list)
	for i := range kept {
		key := f.Top.Key(&kept[i])
		if group := string(key.Group()); !f.explains(f.known[group], at) {
			list = append(list, keyExample{key, group, kept[i].Finding})
		}
	}
	if len(list) == len(kept)+known {
		return list
	}
	var others []keyExample
	for pattern, g := range f.Tables.Groups.All {
		largest := g.Largest()
		if largest == nil || f.explains(f.known[pattern], at) {
			continue
		}
		key := largest.Key()
		same := func(e keyExample) bool {
			return e.key.Input == largest.Input && e.key.Offset == largest.Offset
		}
		if slices.ContainsFunc(list, same) {
			continue
		}
		for flagged := range f.Tables.Groups.Findings(g) {
			if flagged == at {
				if found, ok := f.findingOf(&key, largest, rule.ID, severity); ok {
					others = append(others, keyExample{largest, pattern, found})
				}
			}
		}
	}
	slices.SortFunc(others, func(a, b keyExample) int {
		x, y := a.key.Key(), b.key.Key()
		return cmp.Or(cmp.Compare(b.found.Rank(&y), a.found.Rank(&x)),
			cmp.Compare(max(y.Memory, y.ValueBytes), max(x.Memory, x.ValueBytes)),
			cmp.Compare(a.key.Input, b.key.Input), cmp.Compare(a.key.Offset, b.key.Offset))
	})
	return append(list, others[:min(len(others), max(len(kept)+known-len(list), 0))]...)
}

func (f *finisher) findingOf(k *parser.Key, from *agg.RetainedKey, rule thresholds.RuleID,
	severity thresholds.Severity) (thresholds.Finding, bool) {
	engine := f.Engine(int(from.Input))
	var facts naming.Facts
	engine.Namer().Facts(k.Name, &facts)
	for _, found := range engine.Check(k, &facts, nil) {
		if found.Rule == rule && found.Severity == severity && found.Ignored == 0 {
			return found, true
		}
	}
	return thresholds.Finding{}, false
}
