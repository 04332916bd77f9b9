package report

import (
	"slices"

	"github.com/rdblens/rdblens/parser/message"
)

// targetSentence reports whether the server of Options.Target loads the snapshot, zero if
// that was not asked. blocked reports that it does not.
func (in *Input) targetSentence() (m message.Message, blocked bool) {
	t := in.Target
	if t == nil {
		return message.Message{}, false
	}
	args := []message.Arg{message.Text("server", t.Server), fileArg("file", in.Name)}
	if len(t.Problems) > 0 {
		p := &t.Problems[0]
		args = append(args, message.Phrase("problem", sentenceOf(p.Message, p.Text)),
			message.Int("n", int64(len(t.Problems)-1)))
	}
	sentence := func(id string) message.Message { return message.New(id, args...) }
	switch {
	case t.Loads == "unknown":
		return sentence("target: whether {server} loads {file} is unknown, because it was not read to its end"), false
	case t.Loads == "no" && len(t.Problems) == 1:
		return sentence("TARGET: {server} does not load {file}: {problem}."), true
	case t.Loads == "no":
		return sentence("TARGET: {server} does not load {file}: {problem}. More problems: {n} (--details)."), true
	case t.Loads == "conditional" && len(t.Problems) == 1:
		return sentence("target: {server} loads {file} if it is prepared: {problem}"), false
	case t.Loads == "conditional":
		return sentence("target: {server} loads {file} if it is prepared: {problem}; more problems: {n} (--details)"), false
	case len(t.Problems) > 0:
		return sentence("target: {server} loads {file}, but not all of it: {problem}"), false
	}
	if memory := in.Memory; memory != nil {
		if i := slices.IndexFunc(memory.WhatIf,
			func(w WhatIf) bool { return w.Model == t.Model && w.State == "reloaded" }); i >= 0 {
			args = append(args, sizeArg("used", memory.WhatIf[i].Predicted))
			return sentence("target: {server} loads {file} and has then a used_memory of {used}"), false
		}
	}
	return sentence("target: {server} loads {file}"), false
}

// target lists what the server of Options.Target does not load.
func (d *details) target() {
	begun := false
	for i := range d.r.Inputs {
		in := &d.r.Inputs[i]
		m, _ := in.targetSentence()
		if m.IsZero() {
			continue
		}
		if !begun {
			d.section(word("Target"), message.Message{})
			begun = true
		}
		d.sentence(m)
		var items []message.Message
		for i := range in.Target.Problems {
			items = append(items, in.Target.Problems[i].sentence())
		}
		d.list(items)
	}
}

func (p *TargetProblem) sentence() message.Message {
	args := []message.Arg{message.Text("severity", p.Severity), message.Phrase("problem", sentenceOf(p.Message, p.Text)),
		keysArg("keys", p.Count),
		sizeArg("memory", p.MemoryBytes)}
	if len(p.Examples) == 0 {
		return message.New("{severity}: {problem}", args...)
	}
	var keys []message.Message
	for _, e := range p.Examples {
		keys = append(keys, named(e.Key))
	}
	return message.New("{severity}: {problem}: {keys}, {memory}; the largest: {names}",
		append(args, message.List("names", ", ", keys))...)
}
