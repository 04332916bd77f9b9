package report

import (
	"cmp"
	"iter"
	"slices"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report/internal/agg"
	"github.com/rdblens/rdblens/report/internal/identity"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// identities returns what is known of groups, by their patterns.
func (f *finisher) identities() map[string]*Identity {
	byPattern := map[string]*identity.Group{}
	for _, s := range f.Samples.Samples() {
		pattern := string(f.Tables.Groups.PatternOf(s.Name))
		g := byPattern[pattern]
		if g == nil {
			g = &identity.Group{Pattern: pattern}
			byPattern[pattern] = g
		}
		g.Samples = append(g.Samples, &s.Sample)
	}
	var groups []*identity.Group
	for pattern, from := range f.Tables.Groups.All {
		g := byPattern[string(pattern)]
		if g == nil {
			if g = withoutSample(from); g == nil {
				continue
			}
		}
		g.Pattern, g.Keys = string(pattern), from.Keys
		groups = append(groups, g)
	}
	known := map[string]*Identity{}
	for i, id := range identity.Identify(groups) {
		if id != nil {
			known[groups[i].Pattern] = id
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
	return &identity.Group{Samples: []*identity.Sample{{Name: k.Name, DB: k.DB, Type: t, TTL: k.HasExpire, NameOnly: true}}}
}

// explained are the findings that the identities of their groups explain. A report counts
// them apart: nobody can act on them.
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
	for pattern, g := range f.Tables.Groups.All {
		id := f.known[string(pattern)]
		for at, count := range f.Tables.Groups.Findings(g) {
			if !explains(id, at) {
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

// explains reports whether an identity explains findings of a rule and severity.
func explains(id *Identity, ruleSeverity int) bool {
	return id != nil && id.Explains(agg.RuleOf(ruleSeverity).Name())
}

func (e *explained) keys() (n int64) {
	for i := range e.sums {
		n += e.sums[i].Keys
	}
	return n
}

// takeFrom takes the findings from the sums of a rule and severity.
func (e *explained) takeFrom(o *agg.RuleSums, ruleSeverity int) {
	from := &e.sums[ruleSeverity]
	o.Keys -= from.Keys
	o.ValueBytes -= from.ValueBytes
	o.Memory -= from.Memory
	o.Saved -= from.Saved
	o.MemoryUsage -= from.MemoryUsage
}

// findings returns the findings in a group that its identity does not explain.
func (f *finisher) findings(pattern []byte, g *agg.Group) iter.Seq2[int, agg.Count] {
	id := f.known[string(pattern)]
	return func(yield func(int, agg.Count) bool) {
		for at, count := range f.Tables.Groups.Findings(g) {
			if !explains(id, at) && !yield(at, count) {
				return
			}
		}
	}
}

// keyExample is a key with a finding.
type keyExample struct {
	key   *agg.RetainedKey
	group []byte // pattern
	found thresholds.Finding
}

// subject returns the key of an example as advice needs it.
func (f *finisher) subject(k *parser.Key, e keyExample) thresholds.Subject {
	s := thresholds.SubjectOf(k)
	s.Content, s.Role = e.key.Content, roleOf(f.known[string(e.group)])
	return s
}

// examplesOf returns the examples of a rule and severity, the worst first. Where those
// that the pass kept are explained, the largest keys of other groups take their place.
func (f *finisher) examplesOf(rule *thresholds.Rule, severity thresholds.Severity) (list []keyExample) {
	at := agg.RuleSeverity(rule.ID, severity)
	kept := f.Top.Examples(at)
	for i := range kept {
		key := f.Top.Key(&kept[i])
		if !explains(f.known[string(key.Group())], at) {
			list = append(list, keyExample{key, key.Group(), kept[i].Finding})
		}
	}
	if len(list) == len(kept) {
		return list
	}
	var others []keyExample
	for pattern, g := range f.Tables.Groups.All {
		largest := g.Largest()
		if largest == nil || explains(f.known[string(pattern)], at) {
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
					others = append(others, keyExample{largest, slices.Clone(pattern), found})
				}
			}
		}
	}
	slices.SortFunc(others, func(a, b keyExample) int {
		x, y := a.key.Key(), b.key.Key()
		return cmp.Or(cmp.Compare(b.found.Rank(&y), a.found.Rank(&x)), cmp.Compare(max(y.Memory, y.ValueBytes), max(x.Memory, x.ValueBytes)),
			cmp.Compare(a.key.Input, b.key.Input), cmp.Compare(a.key.Offset, b.key.Offset))
	})
	return append(list, others[:min(len(others), len(kept)-len(list))]...)
}

// findingOf returns what a rule finds about a key that was retained.
func (f *finisher) findingOf(k *parser.Key, from *agg.RetainedKey, rule thresholds.RuleID, severity thresholds.Severity) (thresholds.Finding, bool) {
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

// roleOf returns the role of keys as advice knows it. A layout never hides that a key has
// no TTL by mistake.
func roleOf(id *Identity) (r thresholds.Role) {
	if id == nil {
		return 0
	}
	if id.FixedName() && (id.ByDesign || id.Deletion != "yes") {
		r |= thresholds.RoleByDesign
	}
	if id.OfQueue() {
		r |= thresholds.RoleQueue
	}
	switch id.Role {
	case identity.Leaderboard:
		r |= thresholds.RoleRanked
	case identity.Delayed, identity.Schedule, identity.Completed, identity.Failed:
		r |= thresholds.RoleTimed
	case identity.Setting:
		r |= thresholds.RoleSetting
	}
	return r
}
