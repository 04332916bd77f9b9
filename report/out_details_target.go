package report

import (
	"slices"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds"
)

// targetSentence reports whether the server of Options.Target loads the snapshot, "" if
// that was not asked. blocked reports that it does not.
func (in *Input) targetSentence() (s string, blocked bool) {
	t := in.Target
	if t == nil {
		return "", false
	}
	pairs := []string{"server", text.Sanitize(t.Server), "file", text.ShortenMiddle(in.fileName(), nameWidth)}
	if len(t.Problems) > 0 {
		pairs = append(pairs, "problem", shortSentence(t.Problems[0].Text), "n", message.FormatCount(int64(len(t.Problems)-1)))
	}
	switch {
	case t.Loads == "unknown":
		return thresholds.Fill("target: whether {server} loads {file} is unknown, because it was not read to its end", pairs...), false
	case t.Loads == "no" && len(t.Problems) == 1:
		return thresholds.Fill("TARGET: {server} does not load {file}: {problem}.", pairs...), true
	case t.Loads == "no":
		return thresholds.Fill("TARGET: {server} does not load {file}: {problem}. More problems: {n} (--details).", pairs...), true
	case t.Loads == "conditional" && len(t.Problems) == 1:
		return thresholds.Fill("target: {server} loads {file} if it is prepared: {problem}", pairs...), false
	case t.Loads == "conditional":
		return thresholds.Fill("target: {server} loads {file} if it is prepared: {problem}; more problems: {n} (--details)", pairs...), false
	case len(t.Problems) > 0:
		return thresholds.Fill("target: {server} loads {file}, but not all of it: {problem}", pairs...), false
	}
	if m := in.Memory; m != nil {
		if i := slices.IndexFunc(m.WhatIf, func(w WhatIf) bool { return w.Model == t.Model && w.State == "reloaded" }); i >= 0 {
			return thresholds.Fill("target: {server} loads {file} and has then a used_memory of {used}", append(pairs, "used", sizeText(m.WhatIf[i].Predicted))...), false
		}
	}
	return thresholds.Fill("target: {server} loads {file}", pairs...), false
}

// target lists what the server of Options.Target does not load.
func (d *details) target() {
	begun := false
	for i := range d.r.Inputs {
		in := &d.r.Inputs[i]
		s, _ := in.targetSentence()
		if s == "" {
			continue
		}
		if !begun {
			d.section("Target", "")
			begun = true
		}
		d.sentence(s)
		var items []string
		for _, p := range in.Target.Problems {
			items = append(items, p.sentence())
		}
		d.list(items)
	}
}

// sentence returns what the problem is, and the keys that have it.
func (p *TargetProblem) sentence() string {
	pairs := []string{"severity", text.Sanitize(p.Severity), "problem", text.Sanitize(p.Text), "keys", message.FormatCountOf(p.Count, "key", "keys"), "memory", sizeText(p.MemoryBytes)}
	if len(p.Examples) == 0 {
		return thresholds.Fill("{severity}: {problem}", pairs...)
	}
	var names []string
	for _, e := range p.Examples {
		names = append(names, shortName(e.Key))
	}
	return thresholds.Fill("{severity}: {problem}: {keys}, {memory}; the largest: {names}", append(pairs, "names", strings.Join(names, ", "))...)
}
