package thresholds

import (
	"math"
	"strings"
	"sync/atomic"
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
		return f.Measured <= i.Accepted/2
	}
	return f.Measured/2 >= i.Accepted
}

// Grown reports whether there are at least twice as many findings as were accepted.
func (i *Ignore) Grown(findings int64) bool { return i.Findings > 0 && findings/2 >= i.Findings }

// Matches reports whether the entry is about what a rule finds of a key of a
// database (-1: unknown), of a group, or of a subject of the instance. n is the Namer
// of the policy.
func (i *Ignore) Matches(n *naming.Namer, rule RuleID, db int, name []byte, isGroup bool) bool {
	if !i.Rules.Has(rule) || i.Database != nil && db >= 0 && *i.Database != db {
		return false
	}
	pattern := name
	if !isGroup {
		if i.Groups == nil {
			return i.Keys == nil || matchAny(i.Keys, name)
		}
		pattern = n.AppendPattern(nil, name)
	}
	for _, g := range i.Groups {
		if n.ParseGroup(g).Match(pattern) {
			return true
		}
	}
	return i.Groups == nil && i.Keys == nil
}

// ignoreIndex finds the entries for one rule, of which a baseline has thousands.
// The numbers are indexes of Engine.ignores, ascending in each list.
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

func (e *Engine) compileIgnores(list []Ignore) {
	e.groups, e.worse = make([][]*naming.GroupPattern, len(list)), make([]atomic.Bool, len(list))
	for i := range list {
		in := &list[i]
		if in.Ended(e.env.Now) {
			continue
		}
		for _, text := range in.Groups {
			e.groups[i] = append(e.groups[i], e.namer.ParseGroup(text))
		}
		for id := range Rules() {
			if in.Rules.Has(RuleID(id)) {
				e.ignored[id].add(uint16(i), in, e.groups[i])
			}
		}
	}
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

// anyDatabase is the database of a finding about the instance.
const anyDatabase = -1

// ignore marks the findings that the policy ignores.
func (e *Engine) ignore(k *parser.Key, found []Finding) {
	for i := range found {
		found[i].Ignored = e.ignoring(&found[i], k.DB, k.Name)
	}
}

// ignoring returns 1 + the index of the first entry that ignores a finding about a
// key, or about a subject of the instance, 0 if none does.
func (e *Engine) ignoring(f *Finding, db int, name []byte) uint16 {
	x := &e.ignored[f.Rule%maxRules]
	best := uint16(math.MaxUint16)
	try := func(list []uint16, matches func(i uint16) bool) {
		for _, i := range list {
			if i >= best {
				return
			}
			in := &e.ignores[i]
			switch {
			case in.Database != nil && *in.Database != db || !matches(i):
			case in.exceeded(f):
				e.worse[i].Store(true)
			default:
				best = i
				return
			}
		}
	}
	try(x.other, func(i uint16) bool { return e.ignores[i].Keys == nil || matchAny(e.ignores[i].Keys, name) })
	if x.names != nil {
		try(x.names[string(name)], func(uint16) bool { return true })
	}
	if x.groups != nil && db != anyDatabase {
		var buf [naming.MaxPattern + 1]byte
		pattern := e.namer.AppendPattern(buf[:0], name)
		segments, first := e.namer.Segments(pattern)
		matches := func(i uint16) bool {
			for _, g := range e.groups[i] {
				if g.Match(pattern) {
					return true
				}
			}
			return false
		}
		try(x.groups[groupID{segments, string(first)}], matches)
		try(x.groups[groupID{segments, "*"}], matches)
	}
	if best == math.MaxUint16 {
		return 0
	}
	return best + 1
}
