package thresholds

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// Ignore excludes findings from the counts: an entry of the configuration, or of a
// baseline.
type Ignore struct {
	Rules    RuleSet
	Names    []string       // the rules as they were written
	Keys     []*naming.Glob // nil: any key, and the instance
	Groups   []string       // patterns of names, as reports show groups; nil: any key
	Database *int           // of the keys, nil: any, and the instance
	By       string         // who accepted the findings, "" unknown
	Reason   string
	Source   string    // where the reason stands, "" unknown
	Until    time.Time // end of the last day on which it applies, zero if it has no end
	// Accepted is the worst figure that was accepted, in the unit of the rule; 0
	// is none. A finding that is at least twice as bad is not ignored.
	Accepted int64
	// Findings is the number of findings that were accepted, 0 is any. If there are
	// at least twice as many, none is ignored.
	Findings int64
	Baseline bool // of a baseline, not of the configuration
	Origin   Origin
}

// Pattern returns the patterns of keys or groups as one text, "*" if it applies to
// any key.
func (i *Ignore) Pattern() string {
	if len(i.Groups) > 0 {
		return strings.Join(i.Groups, ", ")
	}
	return joinGlobs(i.Keys)
}

func joinGlobs(list []*naming.Glob) string {
	if len(list) == 0 {
		return "*"
	}
	words := make([]string, len(list))
	for i, g := range list {
		words[i] = g.String()
	}
	return strings.Join(words, ", ")
}

// Ended reports whether the last day of the entry is over.
func (i *Ignore) Ended(now time.Time) bool { return !i.Until.IsZero() && !now.Before(i.Until) }

// LastDay returns the last day on which the entry applies, as 2006-01-02, "" if it
// has no end.
func (i *Ignore) LastDay() string {
	if i.Until.IsZero() {
		return ""
	}
	return i.Until.AddDate(0, 0, -1).Format(time.DateOnly)
}

// exceeded reports whether a finding is at least twice as bad as what was accepted.
func (i *Ignore) exceeded(f *Finding) bool {
	switch {
	case i.Accepted <= 0:
		return false
	case f.Measured < f.Limit:
		return i.Accepted < f.Limit && f.Measured <= i.Accepted/2
	}
	return f.Measured/2 >= i.Accepted
}

// Grown reports whether there are at least twice as many findings as were accepted.
func (i *Ignore) Grown(findings int64) bool { return i.Findings > 0 && findings/2 >= i.Findings }

// Growing returns the indexes of the entries of a list, with findings[i] of entry i each,
// that have at least twice as many findings as were accepted. The first entry that
// matches counts a finding, and names can match several, so those that later entries
// accepted are accepted of the first as well.
func Growing(list []Ignore, findings func(i int) int64, n *naming.Namer) []bool {
	grown := make([]bool, len(list))
	var groups [][]*naming.GroupPattern // of each entry
	for i := range list {
		in := list[i]
		if !in.Grown(findings(i)) {
			continue
		}
		if groups == nil {
			groups = make([][]*naming.GroupPattern, len(list))
			for k := range list {
				for _, text := range list[k].Groups {
					groups[k] = append(groups[k], n.ParseGroup(text))
				}
			}
		}
		for k := i + 1; k < len(list) && in.Grown(findings(i)); k++ {
			if later := &list[k]; later.Rules&in.Rules != 0 && in.overlaps(later, groups[i], groups[k]) {
				in.Findings += max(later.Findings, 1)
			}
		}
		grown[i] = in.Grown(findings(i))
	}
	return grown
}

// overlaps reports whether a name can match both entries.
func (i *Ignore) overlaps(o *Ignore, groups, others []*naming.GroupPattern) bool {
	switch {
	case i.Database != nil && o.Database != nil && *i.Database != *o.Database:
		return false
	case len(groups)+len(i.Keys) == 0 || len(others)+len(o.Keys) == 0:
		return true // one is about any key
	}
	for _, a := range groups {
		if slices.ContainsFunc(others, a.Overlaps) {
			return true
		}
	}
	return false
}

// Ignores is a list of entries that is indexed, since a baseline has thousands. It may
// be used by several goroutines.
type Ignores struct {
	list   []Ignore
	namer  *naming.Namer
	groups [][]*naming.GroupPattern // of each entry
	rules  [maxRules]ignoreIndex
}

// NewIgnores indexes the entries of a list that have not ended. n is the Namer of the
// policy.
func NewIgnores(list []Ignore, n *naming.Namer, now time.Time) *Ignores {
	x := &Ignores{list: list, namer: n, groups: make([][]*naming.GroupPattern, len(list))}
	for i := range list {
		in := &list[i]
		if in.Ended(now) {
			continue
		}
		for _, text := range in.Groups {
			x.groups[i] = append(x.groups[i], n.ParseGroup(text))
		}
		for id := range Rules() {
			if in.Rules.Has(RuleID(id)) {
				x.rules[id].add(uint16(i), in, x.groups[i])
			}
		}
	}
	return x
}

// Numbers that stand for a database.
const (
	AnyDatabase = -2 // entries of all databases match
	NoDatabase  = -1 // of a finding about the instance: entries without a database match
)

// Each calls f with the index of each entry that is about what a rule finds of a key of
// a database. If f returns false, some of those with higher indexes are left out.
func (x *Ignores) Each(rule RuleID, db int, name []byte, f func(i int) bool) {
	r := &x.rules[rule%maxRules]
	x.try(r.other, db, f, func(i uint16) bool { return x.list[i].Keys == nil || matchAny(x.list[i].Keys, name) })
	if r.names != nil {
		x.try(r.names[string(name)], db, f, func(uint16) bool { return true })
	}
	if r.groups != nil && db != NoDatabase {
		var buf [naming.MaxPattern + 1]byte
		x.eachGroup(r, db, [2][]byte{x.namer.AppendPattern(buf[:0], name), name}, f)
	}
}

// EachOfGroup is like Each for the keys of a group.
func (x *Ignores) EachOfGroup(rule RuleID, db int, pattern []byte, f func(i int) bool) {
	r := &x.rules[rule%maxRules]
	x.try(r.other, db, f, func(i uint16) bool { return x.list[i].Keys == nil })
	if r.groups != nil {
		x.eachGroup(r, db, [2][]byte{pattern, pattern}, f)
	}
}

// eachGroup calls f for the entries whose groups match a pattern, or the name that it is of.
func (x *Ignores) eachGroup(r *ignoreIndex, db int, texts [2][]byte, f func(i int) bool) {
	matches := func(i uint16) bool {
		for _, g := range x.groups[i] {
			if g.Has(texts[1], texts[0]) {
				return true
			}
		}
		return false
	}
	var tried []groupID
	for _, text := range texts {
		segments, first := x.namer.Segments(text)
		for _, id := range []groupID{{segments, string(first)}, {segments, "*"}} {
			if !slices.Contains(tried, id) {
				tried = append(tried, id)
				x.try(r.groups[id], db, f, matches)
			}
		}
	}
}

func (x *Ignores) try(list []uint16, db int, f func(i int) bool, matches func(i uint16) bool) {
	for _, i := range list {
		if in := &x.list[i]; in.Database != nil && db != AnyDatabase && *in.Database != db || !matches(i) {
			continue
		}
		if !f(int(i)) {
			return
		}
	}
}

// ignoreIndex finds the entries for one rule. The numbers are indexes of Ignores.list,
// ascending in each list.
type ignoreIndex struct {
	other  []uint16 // that apply to any key, or have globs
	names  map[string][]uint16
	groups map[groupID][]uint16
}

// groupID is what a pattern and the names that it matches have in common.
type groupID struct {
	segments int
	first    string // first segment, "*" if it has wildcards
}

func (x *ignoreIndex) add(i uint16, in *Ignore, groups []*naming.GroupPattern) {
	for _, g := range groups {
		if x.groups == nil {
			x.groups = map[groupID][]uint16{}
		}
		segments, first := g.Index()
		id := groupID{segments, first}
		x.groups[id] = append(x.groups[id], i)
	}
	for _, g := range in.Keys {
		if naming.IsGlob(g.String()) {
			x.other = append(x.other, i)
			return
		}
	}
	for _, g := range in.Keys {
		if x.names == nil {
			x.names = map[string][]uint16{}
		}
		x.names[g.String()] = append(x.names[g.String()], i)
	}
	if in.Keys == nil && groups == nil {
		x.other = append(x.other, i)
	}
}

// Worse reports whether a key was found that is at least twice as bad as what an
// entry of Ignores accepts.
func (e *Engine) Worse(entry int) bool { return e.worse[entry].Load() }

func (e *Engine) ignore(k *parser.Key, found []Finding) {
	for i := range found {
		found[i].Ignored = e.ignoring(&found[i], k.DB, k.Name)
	}
}

// ignoring returns 1 + the index of the first entry that ignores a finding about a
// key, or about a subject of the instance (NoDatabase), 0 if none does.
func (e *Engine) ignoring(f *Finding, db int, name []byte) uint16 {
	best := math.MaxUint16
	e.ignored.Each(f.Rule, db, name, func(i int) bool {
		switch {
		case i >= best:
			return false
		case e.ignores[i].exceeded(f):
			e.worse[i].Store(true)
			return true
		}
		best = i
		return false
	})
	if best == math.MaxUint16 {
		return 0
	}
	return uint16(best) + 1
}
