package report

import (
	"maps"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/internal/codebase"
)

// SourceLine is a line of source code that likely writes the keys of a group.
type SourceLine = codebase.Reference

// FindSource sets the lines of source code that likely write the keys of each group. Without a
// finder it does nothing.
func (r *Report) FindSource(finder *codebase.Finder) {
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
	of := codebase.Group{Pattern: string(g.Group), Type: g.Type}
	if g.Identity != nil {
		of.Library, of.Queue = g.Identity.Library, g.Identity.Queue
	}
	return of
}

// findSource sets the lines of source code of the keys and groups that changed, and of the new
// findings.
func (d *Diff) findSource(finder *codebase.Finder, sides [2]*Report) {
	if finder == nil {
		return
	}
	to := map[Name][]*[]SourceLine{}
	for _, rows := range [][]DiffRow{d.Groups, d.Prefixes} {
		for i := range rows {
			if r := &rows[i]; r.changed() && r.Group != nil && !r.Prefix {
				to[*r.Group] = append(to[*r.Group], &r.Source)
			}
		}
	}
	for _, k := range d.shownKeys(false) {
		to[k.Group] = append(to[k.Group], &k.Source)
	}
	for i := range d.Findings.New {
		f := &d.Findings.New[i]
		to[f.Group] = append(to[f.Group], &f.Source)
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
		for _, source := range to[names[i]] {
			*source = lines
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
	return nameColumn("written at", func(i int) message.Message { return writtenAt(of(i)) }).only(any)
}

// withSource returns a sentence about a group with the line that writes its keys.
func (r *Report) withSource(m message.Message, group Name) message.Message {
	i := slices.IndexFunc(r.Groups, func(g Group) bool { return g.Group == group })
	if group == "" || i < 0 {
		return m
	}
	return WithSource(m, r.Groups[i].Source)
}

// WithSource returns a sentence about keys with the line that writes them, and who owns it.
func WithSource(m message.Message, lines []SourceLine) message.Message {
	switch {
	case len(lines) == 0:
		return m
	case len(lines[0].Owners) > 0:
		return message.New("{fix} Written at {place}, owned by {owners}.", message.Phrase("fix", m), message.Phrase("place", writtenAt(lines)),
			message.Code("owners", strings.Join(lines[0].Owners, ", ")))
	}
	return message.New("{fix} Written at {place}.", message.Phrase("fix", m), message.Phrase("place", writtenAt(lines)))
}
