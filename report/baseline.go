package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/config"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// Acceptance says who accepts findings, and why.
type Acceptance struct {
	By, Reason string
	Until      time.Time // end of the last day on which they are accepted, zero if there is none
}

// Accept returns an entry of a baseline for each finding of the report: by group, or
// by key where a group has only one. If those are more than a baseline can have, the
// rules with most of them have one entry each. What is wrong with the snapshot itself
// is never accepted.
func (r *Report) Accept(a Acceptance) []thresholds.Ignore { return acceptRules(r.acceptEach(a)) }

func (r *Report) acceptEach(a Acceptance) []thresholds.Ignore {
	groups := map[Name]*Group{}
	for i := range r.Groups {
		groups[r.Groups[i].Group] = &r.Groups[i]
	}
	var list []thresholds.Ignore
	index := map[string]int{}
	for i := range r.Rules {
		f := &r.Rules[i]
		rule, ok := thresholds.Lookup(f.Rule)
		if !ok || rule.Harm == thresholds.Misleads {
			continue
		}
		add := func(key, group string, db *int, findings int64, worst int64) {
			key, group = patternText(key), patternText(group)
			id := fmt.Sprint(rule.ID, key, "\x00", group)
			if at, ok := index[id]; ok { // of another severity, or other bytes that are not UTF-8
				same := &list[at]
				same.Findings += findings
				same.Accepted = max(same.Accepted, worst)
				if same.Database != nil && (db == nil || *db != *same.Database) {
					same.Database = nil
				}
				return
			}
			in := thresholds.Ignore{Rules: 1 << rule.ID, Names: []string{rule.Name}, Database: db, By: a.By, Reason: a.Reason,
				Until: a.Until, Accepted: worst, Findings: findings}
			if key != "" {
				glob, _ := naming.ParseGlob(key)
				in.Keys, in.Findings = []*naming.Glob{glob}, 0
			} else {
				in.Groups = []string{group}
			}
			index[id] = len(list)
			list = append(list, in)
		}
		if rule.Instance {
			for n := range f.Examples {
				add(naming.EscapeGlob(string(f.Examples[n].Subject)), "", nil, 0, figureOf(rule, &f.Examples[n]))
			}
			continue
		}
		for _, g := range f.Groups {
			worst := worstOf(rule, f, g.Group)
			of := groups[g.Group]
			if of == nil || of.Keys != 1 || of.LargestKey == nil {
				db := (*int)(nil)
				if of != nil {
					db = of.DB
				}
				add("", string(g.Group), db, g.Count, worst)
				continue
			}
			key := naming.EscapeGlob(string(of.LargestKey.Key))
			if of.LargestKey.NameBytes > 0 {
				key += "*" // the name was cut
			}
			if key != "" && strings.TrimSpace(key) == "" {
				key = `\` + key // a pattern that is blank is refused
			}
			add(key, "", of.DB, 0, worst)
		}
	}
	return list
}

// acceptRules replaces the entries of the rules that have most, each by one for any
// key, until a baseline can have the list.
func acceptRules(list []thresholds.Ignore) []thresholds.Ignore {
	entries := map[string]int{}
	for i := range list {
		entries[list[i].Names[0]]++
	}
	names := slices.SortedFunc(maps.Keys(entries),
		func(a, b string) int { return cmp.Or(entries[b]-entries[a], strings.Compare(a, b)) })
	for _, name := range names {
		if len(list) <= config.MaxAccepted {
			break
		}
		var whole thresholds.Ignore
		list = slices.DeleteFunc(list, func(in thresholds.Ignore) bool {
			if in.Names[0] != name {
				return false
			}
			addTo(&whole, &in)
			return true
		})
		list = append(list, whole)
	}
	return list
}

// addTo adds the figures of an entry to those of one for any key.
func addTo(whole, in *thresholds.Ignore) {
	worst, findings := max(in.Accepted, whole.Accepted), max(in.Findings, 1)+whole.Findings
	*whole = *in
	whole.Keys, whole.Groups, whole.Database = nil, nil, nil
	whole.Accepted, whole.Findings = worst, findings
}

// worstOf returns the worst figure of the findings of a rule in a group. Keys that
// are no examples are no worse than the last one.
func worstOf(rule *thresholds.Rule, f *Finding, group Name) int64 {
	for i := range f.Examples { // the worst first
		if e := &f.Examples[i]; e.KeyRow != nil && e.Group == group {
			return figureOf(rule, e)
		}
	}
	if len(f.Examples) == 0 {
		return 0
	}
	return figureOf(rule, &f.Examples[len(f.Examples)-1])
}

// patternText returns a pattern as a baseline can have it: ? for each byte that is not
// UTF-8.
func patternText(s string) string {
	var b strings.Builder
	for i, r := range s {
		if r == utf8.RuneError && !strings.HasPrefix(s[i:], "\ufffd") {
			r = '?'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// figureOf returns the figure of a finding, 0 if it has none in the unit of the rule, or
// is below its limit: examples of such a rule are not in the order of their figures. The
// figure of a group that has more findings than are accepted is their number.
func figureOf(rule *thresholds.Rule, e *Example) int64 {
	if !e.Measured.Known() || e.Measured < e.Limit || e.KeyRow == nil && !rule.Instance ||
		rule.Unit != message.None && e.Unit != rule.Unit.String() {
		return 0
	}
	return int64(e.Measured)
}

// UpdateBaseline adds the findings of the report to a baseline that has no entry about
// them, and sets the figures of the entries that are about the same. It returns how
// many it added.
func (r *Report) UpdateBaseline(list []thresholds.Ignore, a Acceptance) (updated []thresholds.Ignore, added int) {
	known := r.indexed(list)
	same := map[string]int{} // index of the entry about the same
	for i := range list {
		same[subject(&list[i])] = i
	}
	wholes := map[int]thresholds.Ignore{} // of entries for any key, by index
	before := len(list)
	for _, found := range r.acceptEach(a) {
		if i, ok := same[subject(&found)]; ok {
			list[i].Accepted, list[i].Findings = found.Accepted, found.Findings
			continue
		}
		covered := false
		eachCovering(known, &found, func(i int) bool {
			covered = true
			if in := &list[i]; in.Keys == nil && in.Groups == nil && in.Findings > 0 {
				whole := wholes[i]
				addTo(&whole, &found)
				wholes[i] = whole
			}
			return true
		})
		if !covered {
			list = append(list, found)
		}
	}
	for i, whole := range wholes {
		list[i].Accepted, list[i].Findings = whole.Accepted, whole.Findings
	}
	return list, len(list) - before
}

// subject returns what an entry is about, as a text.
func subject(in *thresholds.Ignore) string {
	return fmt.Sprint(in.Rules, databaseOf(in), in.Groups == nil, in.Pattern())
}

// PruneBaseline removes the entries of a baseline that have ended, and those that no
// finding of the report is about, and returns how many. The report must cover all keys.
func (r *Report) PruneBaseline(list []thresholds.Ignore, now time.Time) (pruned []thresholds.Ignore, removed int) {
	known := r.indexed(list)
	used := make([]bool, len(list))
	for _, found := range r.acceptEach(Acceptance{}) {
		eachCovering(known, &found, func(i int) bool { used[i] = true; return true })
	}
	for i := range list {
		if in := &list[i]; !in.Ended(now) && (used[i] || r.hasMoreGroups(in)) {
			pruned = append(pruned, *in)
		}
	}
	return pruned, len(list) - len(pruned)
}

// indexed returns an index of a baseline, also of the entries that have ended.
func (r *Report) indexed(list []thresholds.Ignore) *thresholds.Ignores {
	return thresholds.NewIgnores(list, naming.NewNamer(cmp.Or(r.Config.Separators, ":")), time.Time{})
}

// hasMoreGroups reports whether the report does not name all groups with findings of
// the rules of an entry.
func (r *Report) hasMoreGroups(in *thresholds.Ignore) bool {
	return slices.ContainsFunc(r.Rules, func(f Finding) bool {
		rule, ok := thresholds.Lookup(f.Rule)
		return ok && in.Rules.Has(rule.ID) && f.GroupsMore > 0
	})
}

// eachCovering calls f with the index of each entry of a baseline that is about what
// another one, of acceptEach, is about.
func eachCovering(known *thresholds.Ignores, found *thresholds.Ignore, f func(i int) bool) {
	rule, _ := thresholds.Lookup(found.Names[0])
	switch {
	case len(found.Groups) > 0:
		known.EachOfGroup(rule.ID, databaseOf(found), []byte(found.Groups[0]), f)
	case rule.Instance:
		known.Each(rule.ID, thresholds.NoDatabase, found.Keys[0].Prefix(), f)
	default:
		known.Each(rule.ID, databaseOf(found), found.Keys[0].Prefix(), f)
	}
}

// databaseOf returns the database of an entry, AnyDatabase if it has none.
func databaseOf(in *thresholds.Ignore) int {
	if in.Database == nil {
		return thresholds.AnyDatabase
	}
	return *in.Database
}
