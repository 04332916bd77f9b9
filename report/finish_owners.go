package report

import (
	"strings"

	"github.com/rdblens/rdblens/report/internal/agg"
	"github.com/rdblens/rdblens/thresholds"
)

// sourceOwners sets the owners of groups whose keys nobody owns by the configuration: those that
// CODEOWNERS names of the line that most likely writes them.
func (f *finisher) sourceOwners() {
	f.sourceOwner = map[string]string{}
	at := map[Name]int{}
	for i := range f.r.Groups {
		at[f.r.Groups[i].Group] = i
	}
	for pattern, g := range f.Tables.Groups.All {
		i, ok := at[f.pattern(pattern)]
		if !ok || g.Owner() < 0 || f.owner[g.Owner()] != "" {
			continue
		}
		row := &f.r.Groups[i]
		if row.Owner = ownerOfSource(row.Source); row.Owner == "" {
			continue
		}
		f.sourceOwner[pattern] = row.Owner
		if row.LargestKey != nil {
			row.LargestKey.Owner = row.Owner
		}
	}
}

// ownerOf returns who owns all keys of a group by the configuration, "" nobody or several.
func (f *finisher) ownerOf(g *agg.Group) string {
	if g.Owner() < 0 {
		return ""
	}
	return f.owner[g.Owner()]
}

// ownerOfSource returns who owns the first of several lines, "" if CODEOWNERS does not say it.
func ownerOfSource(lines []SourceLine) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines[0].Owners, ", ")
}

func (f *finisher) owners() {
	if len(f.Tables.Owners) < 2 && len(f.sourceOwner) == 0 {
		return
	}
	nobody := 0
	for i := range f.Tables.Owners {
		o := &f.Tables.Owners[i]
		var explained, backlogs Counts
		if c := f.explained.owners[i]; c != nil {
			explained = *c
		}
		for _, b := range f.backlogs {
			if int(b.key.Owner) == i {
				backlogs.add(agg.SeverityOf(b.at), b.count.Keys)
			}
		}
		if f.owner[i] == "" {
			nobody = i
		}
		f.r.Owners = append(f.r.Owners, Owner{Owner: f.owner[i], Keys: o.Keys, Elements: o.Elements, ValueBytes: o.ValueBytes,
			MemoryBytes: Figure(o.Memory), WithoutTTL: o.WithoutTTL,
			Findings: Counts{Error: o.Findings[thresholds.Error] - explained.Error,
				Warning: o.Findings[thresholds.Warning] - explained.Warning + backlogs.Warning,
				Info:    o.Findings[thresholds.Info] - explained.Info, Ignored: o.Ignored,
				Explained: explained.Error + explained.Warning + explained.Info}})
	}
	f.moveToSourceOwners(nobody)
	for i := range f.r.Owners {
		o := &f.r.Owners[i]
		o.MemoryBytes = memoryFigure(int64(o.MemoryBytes), o.Keys)
	}
	sortBySize(f.r.Owners, func(row *Owner) Figure { return sizeOf(row.MemoryBytes, row.ValueBytes) })
}

// moveToSourceOwners moves the sums of groups from the row of nobody to those of sourceOwners. Ignored
// and explained findings stay, because they are not known of a group.
func (f *finisher) moveToSourceOwners(nobody int) {
	at := map[string]int{}
	for i := range f.r.Owners {
		at[f.r.Owners[i].Owner] = i
	}
	for pattern, g := range f.Tables.Groups.All {
		name := f.sourceOwner[pattern]
		if name == "" {
			continue
		}
		if _, ok := at[name]; !ok {
			at[name] = len(f.r.Owners)
			f.r.Owners = append(f.r.Owners, Owner{Owner: name})
		}
		add := func(o *Owner, sign int64) {
			o.Keys += sign * g.Keys
			o.Elements += sign * g.Elements
			o.ValueBytes += sign * g.ValueBytes
			o.MemoryBytes += Figure(sign * g.Memory)
			o.WithoutTTL += sign * g.WithoutTTL
			for ruleSeverity, count := range f.findings(pattern, g) {
				o.Findings.add(agg.SeverityOf(ruleSeverity), sign*count.Keys)
			}
		}
		add(&f.r.Owners[nobody], -1)
		add(&f.r.Owners[at[name]], 1)
	}
}
