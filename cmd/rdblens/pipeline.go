package main

import (
	"context"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/memory"
	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// sideBySide is how many snapshots are read at once. It also bounds the builders
// in memory: a place is free again only when a builder has been merged.
const sideBySide = 2

// analysed is what the pass over one snapshot gave.
type analysed struct {
	builder *report.Builder
	row     report.Input
	model   *memory.Model
	note    string
	other   bool // the model is not that of the server that wrote the input
	slots   []memory.Slot
	keys    int64
	err     error
}

// analyse reads the inputs, at most sideBySide at a time, and joins what was
// found in the order in which they were named. The error is nil: what was wrong
// with an input is in the failures, and in its row.
func (e *env) analyse(ctx context.Context, p *scanPlan, list []*input) (*report.Report, *failures) {
	beside := min(len(list), sideBySide, p.jobs)
	jobs := max(1, p.jobs/beside)
	results := make([]chan analysed, len(list))
	slots := make(chan struct{}, beside)
	for i := range list {
		results[i] = make(chan analysed, 1)
	}
	go func() {
		for i, in := range list {
			slots <- struct{}{}
			go func() { results[i] <- p.analyseOne(ctx, e, in, i, jobs) }()
		}
	}()
	bad := new(failures)
	var all *report.Builder
	rows := make([]report.Input, len(list))
	sums := make([]report.Capacity, len(list))
	for i, in := range list {
		a := <-results[i]
		c := a.builder.Capacity()
		c.Model, c.Note, c.Other, c.Slots, c.MaxMemory = a.model, a.note, a.other, a.slots, p.maxMemory
		c.Partial = !a.row.Ended || p.filter.active()
		sums[i] = c
		if all == nil {
			all = a.builder
		} else {
			all.Merge(a.builder)
		}
		<-slots
		rows[i] = a.row
		bad.add(in.name, a.keys, a.err)
	}
	r := all.Report()
	for i := range rows {
		if rows[i].Format != "" {
			rows[i].Memory = report.NewMemory(&rows[i], sums[i])
		}
	}
	r.Inputs = rows
	if p.filter.active() {
		text := p.filter.text
		text.Dropped = all.Dropped()
		r.Filter = &text
	}
	p.complete(r, bad)
	return r, bad
}

// complete puts into a report what the command knows of it.
func (p *scanPlan) complete(r *report.Report, bad *failures) {
	r.Tool = report.Tool{Name: "rdblens", Version: toolVersion()}
	r.Complete, r.Interrupted = len(bad.complaints) == 0, bad.interrupted
	if r.Totals.MemoryBytes.Known() || p.by != report.ByMemory {
		r.By = p.by
	}
	policy := p.policy
	r.Config = report.Config{Profile: policy.Profile.Value, File: policy.File, Rules: policy.Rules, Cluster: policy.Cluster.Value,
		Warnings: policy.Warnings}
	for _, in := range r.Inputs {
		r.Config.Cluster = r.Config.Cluster || in.Cluster
	}
	_ = report.SortGroups(r.Groups, p.groupsBy) // compile has tried the order
	if p.failOn != thresholds.Off {
		r.Config.FailOn = p.failOn.String()
	}
}

// analyseOne reads one input.
func (p *scanPlan) analyseOne(ctx context.Context, e *env, in *input, number, jobs int) analysed {
	var engine *thresholds.Engine
	o := report.BuildOptions{Top: p.top, Input: number}
	if p.filter.active() {
		o.Keep = func(k *parser.Key, _ *naming.Facts, owner int) bool {
			return p.filter.keep(k) && p.filter.keepOwner(engine, owner)
		}
	}
	b := report.NewBuilder(o)
	a := analysed{builder: b}
	info, err := func() (*parser.Info, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		src, err := in.open(ctx, e.stdin)
		if err != nil {
			return nil, err
		}
		defer in.close(src)
		options := p.parse
		options.Memory = func(info *parser.Info) *memory.Model {
			a.model, a.note = p.chooseModel(info)
			a.other = p.another(info, a.model)
			return a.model
		}
		return parser.Run(ctx, src, options, parser.Pass[*report.Part]{
			Jobs: jobs,
			Start: func(info *parser.Info) {
				engine = p.engine(info, p.now)
				b.Start(engine)
			},
			Begin: b.Begin,
			Key:   b.Key,
			Fold:  b.Fold,
			Full:  b.Full,
			Turn:  b.Turn,
		})
	}()
	a.err = err
	if info != nil {
		a.keys, a.slots = info.Keys, info.Slots
	}
	a.row = report.NewInput(in.name, in.size, info, err)
	return a
}
