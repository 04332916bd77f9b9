package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report/redact"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/naming"
	"github.com/rdblens/rdblens/thresholds/units"
)

// redact replaces the names of keys and groups of a comparison. Those of files, and names in sentences,
// were replaced before. Words of enough keys of either side stay.
func (d *Diff) redact(by *redact.Redactor, policy *thresholds.Policy) {
	d.Redaction = &Redaction{MinKeys: by.MinKeys(), Salt: by.SaltID()}
	by.Learn(policy.Compile(thresholds.Env{}).Namer(), 1, func(yield func([]byte, int64) bool) {
		for i := range d.Groups {
			r := &d.Groups[i]
			keys := max(r.KeysBefore, r.KeysAfter)
			if !yield([]byte(*r.Group), keys) || r.RenamedTo != nil && !yield([]byte(*r.RenamedTo), keys) {
				return
			}
		}
	})
	replace := func(n *Name) { *n = Name(by.Name([]byte(*n))) }
	for i := range d.Groups {
		r := &d.Groups[i]
		d.groupNames = append(d.groupNames, *r.Group)
		r.Group = new(*r.Group)
		replace(r.Group)
		if r.RenamedTo != nil {
			r.RenamedTo = new(*r.RenamedTo)
			replace(r.RenamedTo)
		}
	}
	for _, list := range [][]DiffKey{d.Keys.New, d.Keys.Gone, d.Keys.Grown, d.Keys.Shrunk, d.Keys.Entered, d.Keys.Left} {
		for i := range list {
			replace(&list[i].Key)
			replace(&list[i].Group)
		}
	}
	for _, list := range [][]DiffFinding{d.Findings.New, d.Findings.Resolved, d.Findings.Persisting} {
		for i := range list {
			f := &list[i]
			replace(&f.Group)
			if rule, ok := thresholds.Lookup(f.Rule); !ok || !rule.Instance || strings.HasPrefix(string(f.Subject), "{") {
				replace(&f.Subject)
			}
		}
	}
}

// GroupMatches reports whether a glob matches the name of a row of Groups, as it was
// before it was replaced.
func (d *Diff) GroupMatches(g *naming.Glob, row int) bool {
	if d.groupNames != nil {
		return g.Match([]byte(d.groupNames[row]))
	}
	return g.Match([]byte(*d.Groups[row].Group))
}

// redactSides returns copies of the reports that are compared, in which names of files
// and filters are replaced.
func redactSides(by *redact.Redactor, reports [2]*Report) [2]*Report {
	for side, r := range reports {
		c := *r
		c.redact(by)
		c.Inputs = slices.Clone(r.Inputs)
		redactInputs(by, c.Inputs)
		reports[side] = &c
	}
	return reports
}

// redact replaces the names outside of keys, groups and inputs: filters, and what
// the configuration says about names.
func (r *Report) redact(by *redact.Redactor) {
	r.Redaction = &Redaction{MinKeys: by.MinKeys(), Salt: by.SaltID()}
	r.Config.File, r.Config.Baseline = by.Text(r.Config.File), by.Text(r.Config.Baseline)
	if n := len(r.Config.Warnings); n > 0 {
		r.Config.Warnings = []string{units.FormatCountOf(int64(n), "warning", "warnings") + " about the configuration"}
	}
	for i := range r.Ignored {
		in := &r.Ignored[i]
		in.Pattern, in.Reason, in.Baseline = string(by.Name([]byte(in.Pattern))), by.Text(in.Reason), by.Text(in.Baseline)
	}
	if f := r.Filter; f != nil {
		for _, list := range []*[]string{&f.Match, &f.Regex, &f.Under} {
			*list = slices.Clone(*list)
			for i, s := range *list {
				(*list)[i] = by.Text(s)
			}
		}
	}
}

// redactErrors returns the errors of the sources without names, as they are if by is
// nil.
func redactErrors(by *redact.Redactor, failed ScanError) (redacted ScanError) {
	if by == nil {
		return failed
	}
	for _, e := range failed {
		redacted = append(redacted, &SourceError{by.File(e.Name), e.Keys, by.Error(e.Err, e.Name), e.row})
	}
	return redacted
}

// redactInputs replaces paths, and what the files say about themselves.
func redactInputs(by *redact.Redactor, inputs []Input) {
	for i := range inputs {
		in := &inputs[i]
		path := string(in.Name)
		in.Name, in.ServerVersion = Name(by.File(path)), Name(by.Release(string(in.ServerVersion)))
		modules := map[Name]Name{}
		for n := range in.Modules {
			m := &in.Modules[n]
			if _, known := parser.ParseType(string(m.Name)); !known && m.Name != "(other)" {
				modules[m.Name] = Name(by.Text(string(m.Name)))
				m.Name = modules[m.Name]
			}
		}
		for n, m := range in.LoadableBy.Modules {
			in.LoadableBy.Modules[n] = cmp.Or(modules[m], m)
		}
		for n, w := range in.Warnings {
			for m, hash := range modules {
				w = strings.ReplaceAll(w, string(m), string(hash))
			}
			in.Warnings[n] = by.Sentence(w, path)
		}
		if m := in.Memory; m != nil {
			m.Note = by.Sentence(m.Note, path)
		}
		if d := in.Error; d != nil {
			d.Reason = by.Sentence(d.Reason, path)
			for _, name := range []*Name{d.LastKey, d.Key} {
				if name != nil {
					*name = Name(by.Name([]byte(*name)))
				}
			}
		}
	}
}
