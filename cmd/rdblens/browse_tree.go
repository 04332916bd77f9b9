package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report"
)

// restOfTree ends the prefix of a node with what its parent does not list.
const restOfTree = "…"

// browseRow is a row of a list: a prefix or a key.
type browseRow struct {
	node *report.TreeNode // nil of a key
	key  *report.KeyRow   // nil of a prefix
	was  *browseRow       // in the older report, nil not known
}

// name returns the name as a terminal shows it.
func (r *browseRow) name() string {
	if r.key != nil {
		return r.key.Key.Display()
	}
	if rest, ok := strings.CutSuffix(string(r.node.Prefix), restOfTree); ok {
		if rest == "" {
			return restOfTree
		}
		return report.Name(rest).Display() + restOfTree
	}
	return r.node.Prefix.Display()
}

func (r *browseRow) memory() int64 {
	if r.key != nil {
		return figureOr(r.key.Memory, r.key.ValueBytes)
	}
	return figureOr(r.node.MemoryBytes, report.Figure(r.node.ValueBytes))
}

// growth returns what a row has grown by since the older report; 0 if that is not known.
func (r *browseRow) growth() (bytes, keys int64) {
	if r.was == nil {
		return 0, 0
	}
	return r.memory() - r.was.memory(), max(r.count(), 0) - max(r.was.count(), 0)
}

// expiring returns the keys of a row that expire within a time, see report.TreeExpiry.
func (r *browseRow) expiring(window string) (keys int64) {
	if r.key != nil {
		return 0
	}
	for _, e := range r.node.Expiring {
		if e.Window == window {
			keys = e.Keys
		}
	}
	return keys
}

// expires returns the shortest TTL, in seconds; none is longer than any other.
func (r *browseRow) expires() int64 {
	switch {
	case r.key == nil && r.node.TTLMin != nil:
		return *r.node.TTLMin
	case r.key != nil && r.key.TTL != nil:
		return *r.key.TTL
	}
	return math.MaxInt64
}

func figureOr(a, b report.Figure) int64 {
	if a.Known() {
		return int64(a)
	}
	return max(int64(b), 0)
}

// count returns the keys of a prefix, or the elements of a key; -1 unknown, or of a string.
func (r *browseRow) count() int64 {
	switch {
	case r.key == nil:
		return r.node.Keys
	case r.key.Type == "string":
		return -1
	}
	return int64(r.key.Elements)
}

func (r *browseRow) withoutTTL() int64 {
	switch {
	case r.key == nil && r.node.MemoryBytes.Known():
		return max(int64(r.node.WithoutTTL.MemoryBytes), 0)
	case r.key == nil:
		return r.node.WithoutTTL.Keys
	case r.key.ExpireAt == nil:
		return r.memory()
	}
	return 0
}

func (r *browseRow) findings() (errors, warnings, infos int64) {
	if r.key == nil {
		return r.node.Findings.Error, r.node.Findings.Warning, r.node.Findings.Info
	}
	for i := range r.key.Findings {
		switch r.key.Findings[i].Severity {
		case "error":
			errors++
		case "warning":
			warnings++
		default:
			infos++
		}
	}
	return errors, warnings, infos
}

// rowOrder is what rows are sorted by.
type rowOrder byte

// The orders are the keys that select them.
const (
	byMemory     rowOrder = 'm'
	byCount      rowOrder = 'c'
	byWithoutTTL rowOrder = 't'
	byName       rowOrder = 'n'
	byFindings   rowOrder = 'f'
	byExpiry     rowOrder = 'e'
	byGrowth     rowOrder = 'd'
	byMoreKeys   rowOrder = 'D'
)

var orderTitles = map[rowOrder]string{byMemory: "memory", byCount: "keys", byWithoutTTL: "memory without TTL",
	byName: "name", byFindings: "findings", byExpiry: "expiry", byGrowth: "growth", byMoreKeys: "more keys"}

// sort sorts rows, the largest first, and rows that stand for several prefixes last.
func (o rowOrder) sort(rows []browseRow) {
	rest := func(r *browseRow) int {
		if r.node != nil && strings.HasSuffix(string(r.node.Prefix), restOfTree) {
			return 1
		}
		return 0
	}
	compare := func(a, b *browseRow) int {
		switch o {
		case byCount:
			return cmp.Compare(b.count(), a.count())
		case byWithoutTTL:
			return cmp.Compare(b.withoutTTL(), a.withoutTTL())
		case byFindings:
			e, w, i := a.findings()
			e2, w2, i2 := b.findings()
			return cmp.Or(cmp.Compare(e2, e), cmp.Compare(w2, w), cmp.Compare(i2, i))
		case byExpiry:
			return cmp.Or(cmp.Compare(b.expiring("1h"), a.expiring("1h")),
				cmp.Compare(b.expiring("midnight"), a.expiring("midnight")),
				cmp.Compare(b.expiring("24h"), a.expiring("24h")), cmp.Compare(a.expires(), b.expires()))
		case byGrowth, byMoreKeys:
			size, keys := a.growth()
			size2, keys2 := b.growth()
			if o == byMoreKeys {
				return cmp.Compare(keys2, keys)
			}
			return cmp.Compare(size2, size)
		case byName:
			return strings.Compare(a.name(), b.name())
		}
		return 0
	}
	slices.SortStableFunc(rows, func(a, b browseRow) int {
		return cmp.Or(cmp.Compare(rest(&a), rest(&b)), compare(&a, &b), cmp.Compare(b.memory(), a.memory()),
			strings.Compare(a.name(), b.name()))
	})
}

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
