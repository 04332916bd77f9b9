package thresholds

import (
	"bytes"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds/naming"
)

type ownedOverride struct {
	keys  []*naming.Glob
	owner int
}

func (e *Engine) compileOwners(p *Policy) {
	e.owners = p.Owners()
	e.namespaces = makeNamespaces(p.Namespaces, e.owners, p.Separators.Value)
	for _, o := range p.Overrides {
		if o.Owner.Value != "" {
			e.owned = append(e.owned, ownedOverride{o.Keys, slices.Index(e.owners, o.Owner.Value)})
		}
	}
}

// Owners returns the names of the owners; the first is "", for keys without one.
func (e *Engine) Owners() []string { return e.owners }

// Owner returns the index in Owners of the team that a key belongs to: that of the
// last override with an owner that matches, or else of its namespace; 0 for none.
func (e *Engine) Owner(k *parser.Key, f *naming.Facts) int {
	if len(e.owners) == 1 {
		return 0
	}
	return e.owner(k, f)
}

func (e *Engine) owner(k *parser.Key, f *naming.Facts) int {
	for i := len(e.owned) - 1; i >= 0; i-- {
		if matchAny(e.owned[i].keys, k.Name) {
			return e.owned[i].owner
		}
	}
	if e.namespaces.owned {
		if n := e.namespaces.find(k.Name, f); n != nil {
			return n.owner
		}
	}
	return 0
}

// namespaceTable finds the namespace that a name begins with.
type namespaceTable struct {
	separators string
	owned      bool                  // some have an owner
	first      [256][]namespaceEntry // by first byte, the longest first
}

type namespaceEntry struct {
	name  []byte
	owner int
}

func makeNamespaces(list []Namespace, owners []string, separators string) namespaceTable {
	t := namespaceTable{separators: separators}
	index := map[string]int{}
	for i, o := range owners {
		index[o] = i
	}
	for _, n := range list {
		owner := index[n.Owner]
		t.owned = t.owned || owner != 0
		t.first[n.Name[0]] = append(t.first[n.Name[0]], namespaceEntry{[]byte(n.Name), owner})
	}
	for _, entries := range t.first {
		slices.SortStableFunc(entries, func(a, b namespaceEntry) int { return len(b.name) - len(a.name) })
	}
	return t
}

// find returns the longest namespace that a name begins with, up to a separator or
// the end of the name; nil if there is none.
func (t *namespaceTable) find(name []byte, f *naming.Facts) *namespaceEntry {
	list := t.first[f.First]
	for i := range list {
		n := &list[i]
		if len(n.name) == f.FirstEnd || len(n.name) > f.FirstEnd && len(n.name) <= len(name) {
			if bytes.HasPrefix(name, n.name) && (len(n.name) == len(name) || strings.IndexByte(t.separators, name[len(n.name)]) >= 0) {
				return n
			}
		}
	}
	return nil
}
