package main

import (
	"cmp"
	"math"
	"slices"
	"strings"

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
