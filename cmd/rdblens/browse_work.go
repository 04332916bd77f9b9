package main

import (
	"context"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report"
)

// browseWork is a pass over the snapshots beside the screen.
type browseWork struct {
	label  string
	cancel context.CancelFunc
	start  int64 // bytes that were read before
}

// post sends an event to run. The queue of a screen may be full.
func (b *browser) post(ctx context.Context, what any) {
	for b.screen.PostEvent(tcell.NewEventInterrupt(what)) != nil {
		select {
		case <-ctx.Done():
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// begin starts a pass, and ends the one before. do runs beside the screen; what it returns
// is called by run, unless it is nil.
func (b *browser) begin(label string, do func(ctx context.Context) (apply func())) {
	b.endWork()
	ctx, cancel := context.WithCancel(b.ctx)
	w := &browseWork{label: label, cancel: cancel, start: b.read()}
	b.work = w
	go func() {
		defer cancel()
		defer func() {
			if p := recover(); p != nil {
				b.post(b.ctx, workPanic{fmt.Sprintf("%v\n%s", p, debug.Stack())})
			}
		}()
		b.post(b.ctx, workDone{w, do(ctx)})
	}()
	go func() {
		for step := time.NewTicker(progressStep); ; {
			select {
			case <-ctx.Done():
				step.Stop()
				return
			case <-step.C:
				b.screen.PostEvent(tcell.NewEventInterrupt(tick{}))
			}
		}
	}()
}

func (b *browser) endWork() {
	if b.work != nil {
		b.work.cancel()
		b.work = nil
	}
}

// read returns the bytes that were read of all snapshots, by the latest pass of each.
func (b *browser) read() (n int64) {
	for _, in := range b.inputs {
		n += in.read()
	}
	return n
}

// keysView shows the keys of a node: first those of the report, and then those that a pass
// finds.
func (b *browser) keysView(n *report.TreeNode) {
	v := &browseView{node: n, title: (&browseRow{node: n}).name(), keys: true, partial: true}
	b.push(v)
	if found := b.listed[n]; found != nil {
		b.fill(v, found)
		return
	}
	seen := map[markOf]bool{}
	for _, list := range b.report.Top {
		for i := range list {
			if row := b.keyRow(&list[i]); !seen[row.mark()] && b.tree.Has(n, []byte(row.key.Key)) {
				seen[row.mark()] = true
				v.rows = append(v.rows, row)
			}
		}
	}
	b.sort.sort(v.rows)
	b.complete(v)
}

// complete begins the pass that finds the keys of a view which has those of the report only.
func (b *browser) complete(v *browseView) {
	if !v.partial || len(b.inputs) == 0 {
		return
	}
	n := v.node
	b.begin(b.t("reading the keys"), func(ctx context.Context) func() {
		found, err := b.keysBelow(ctx, n)
		was := b.keysBefore(ctx, found)
		if found == nil {
			if err == nil || isInterrupt(err) {
				return nil
			}
			return func() { b.message = b.env.line(message.Of(err)) }
		}
		return func() {
			maps.Copy(b.keys, was)
			b.listed[n] = found
			b.fill(v, found)
		}
	})
}

func biggest(r *report.Report) []report.KeyRow {
	if list := r.Top[report.ByMemory]; r.Totals.MemoryBytes.Known() && len(list) > 0 {
		return list
	}
	return r.Top[report.ByValueBytes]
}

// fill shows what a pass found. The cursor stays on its key.
func (b *browser) fill(v *browseView, found *report.Report) {
	var at markOf
	if len(v.rows) > 0 && v.at > 0 {
		at = v.row().mark()
	}
	v.report, v.partial, v.rows = found, false, nil
	list := biggest(found)
	for i := range list {
		v.rows = append(v.rows, b.keyRow(&list[i]))
	}
	b.sort.sort(v.rows)
	v.at = max(0, slices.IndexFunc(v.rows, func(r browseRow) bool { return r.mark() == at }))
}
