package report

import (
	"cmp"
	"maps"
	"slices"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/internal/codebase"
	"github.com/rdblens/rdblens/report/text"
)

// SourceLine is a line of source code that likely writes the keys of a group.
type SourceLine = codebase.Reference

// FindSource sets the lines of source code that likely write the keys of each group of a finished
// report, and the owners of these lines if nobody owns keys. Without a finder it does nothing.
func (r *Report) FindSource(finder *codebase.Finder) {
	r.findLines(finder)
	for i := range r.Groups {
		if g := &r.Groups[i]; len(r.Owners) == 0 {
			g.Owner = cmp.Or(g.Owner, ownerOfSource(g.Source))
		}
	}
}

func (r *Report) findLines(finder *codebase.Finder) {
	if finder == nil {
		return
	}
	groups := make([]codebase.Group, len(r.Groups))
	for i := range r.Groups {
		groups[i] = r.Groups[i].forSource()
	}
	for i, lines := range finder.Find(groups) {
		r.Groups[i].Source = lines
	}
}

func (g *Group) forSource() codebase.Group {
	of := codebase.Group{Pattern: string(g.Group), Type: g.Type, WithoutTTL: g.WithoutTTL > 0}
	if g.Identity != nil {
		of.Library, of.Queue, of.Setting = g.Identity.Library, g.Identity.Queue, g.Identity.Setting
	}
	return of
}

// findSource sets the lines of source code of the keys and groups that changed, of the new
// findings, and the owners of all findings.
func (d *Diff) findSource(finder *codebase.Finder, sides [2]*Report) {
	if finder == nil {
		return
	}
	type place struct {
		lines *[]SourceLine
		owner *string // "" by the configuration: set it
	}
	to := map[Name][]place{}
	for _, rows := range [][]DiffRow{d.Groups, d.Prefixes} {
		for i := range rows {
			if r := &rows[i]; r.changed() && r.Group != nil && !r.Prefix {
				to[*r.Group] = append(to[*r.Group], place{&r.Source, &r.Owner})
			}
		}
	}
	for _, k := range d.shownKeys(false) {
		to[k.Group] = append(to[k.Group], place{&k.Source, new(string)})
	}
	for i := range d.Findings.New {
		f := &d.Findings.New[i]
		to[f.Group] = append(to[f.Group], place{&f.Source, &f.Owner})
	}
	for _, list := range [][]DiffFinding{d.Findings.Resolved, d.Findings.Persisting} { // the owners alone
		for i := range list {
			if f := &list[i]; f.Group != "" {
				to[f.Group] = append(to[f.Group], place{new([]SourceLine), &f.Owner})
			}
		}
	}
	known := map[Name]*Group{}
	for _, r := range sides {
		for i := range r.Groups {
			known[r.Groups[i].Group] = &r.Groups[i]
		}
	}
	var groups []codebase.Group
	names := slices.Sorted(maps.Keys(to))
	for _, name := range names {
		g := known[name]
		if g == nil {
			g = &Group{Group: name}
		}
		groups = append(groups, g.forSource())
	}
	for i, lines := range finder.Find(groups) {
		for _, p := range to[names[i]] {
			*p.lines, *p.owner = lines, cmp.Or(*p.owner, ownerOfSource(lines))
		}
	}
}

// writtenAt is the line of the first of several lines of source code, zero if there is none.
func writtenAt(lines []SourceLine) message.Message {
	if len(lines) == 0 {
		return message.Message{}
	}
	return only(message.Link("place", lines[0].Place(), lines[0].URL))
}

// sourceColumn is the column of lines of source code, which is left out if no row has any.
func sourceColumn(n int, of func(i int) []SourceLine) column {
	any := false
	for i := range n {
		any = any || len(of(i)) > 0
	}
	c := nameColumn("written at", func(i int) message.Message { return writtenAt(of(i)) }).only(any).drop(2)
	c.Shrink = text.ShrinkPath
	return c
}

// withSource returns a sentence about a group or a key with the line that writes its keys.
func (r *Report) withSource(s *Step) message.Message {
	group := cmp.Or(s.Group, r.groupOf(s.Key))
	i := slices.IndexFunc(r.Groups, func(g Group) bool { return g.Group == group })
	fix := sentenceOf(s.Message, s.Text)
	if group != "" && i >= 0 {
		fix = WithSource(fix, r.Groups[i].Owner, r.Groups[i].Source, s.aboutTTL())
	}
	if s.Why.IsZero() {
		return fix
	}
	return message.New("{text} {why}", message.Phrase("text", fix), message.Phrase("why", s.Why))
}

// aboutTTL reports whether a step is about the expiry of keys.
func (s *Step) aboutTTL() bool { return s.Kind == "ttl" || s.Kind == "expire" }

// groupOf returns the group of a key that is an example of a rule, "" if it is none.
func (r *Report) groupOf(key Name) Name {
	for i := range r.Rules {
		for n := range r.Rules[i].Examples {
			if e := &r.Rules[i].Examples[n]; e.KeyRow != nil && e.Key == key {
				return e.Group
			}
		}
	}
	return ""
}

// WithSource returns a sentence about keys, or the title of a list, with the line that writes them, and
// who owns it. Owner is the owner as groups have it, by the configuration or else by CODEOWNERS, ""
// none. AboutTTL: say whether the line writes with an expiry, if keys have none.
func WithSource(m message.Message, owner string, lines []SourceLine, aboutTTL bool) message.Message {
	id, place := "{fix} Written at {place}.", writtenAt(lines)
	switch {
	case len(lines) == 0 || !aboutTTL:
	case lines[0].Expiry == "none":
		place = message.New("{place} (writes without an expiry)", message.Phrase("place", place))
	case lines[0].Expiry == "set":
		place = message.New("{place} (writes with an expiry)", message.Phrase("place", place))
	}
	switch {
	case len(lines) == 0 && owner == "":
		return m
	case len(lines) == 0:
		id = "{fix} Owned by {owners}."
	case owner != "":
		id = "{fix} Written at {place}, owned by {owners}."
	}
	return message.New(id, message.Phrase("fix", m), message.Phrase("place", place), message.Code("owners", owner))
}
