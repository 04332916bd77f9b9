package thresholds

import (
	"bytes"
	"cmp"
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
	for _, v := range slices.Backward(e.owned) {
		if matchAny(v.keys, k.Name) {
			return v.owner
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
	wild       []namespaceEntry      // those with wildcards and the open ones, most segments first
	all        [][]*naming.Glob      // the segments of each
}

type namespaceEntry struct {
	name     []byte
	owner    int
	segments []*naming.Glob // of one with wildcards, or an open one
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
		entry := namespaceEntry{name: []byte(n.Name), owner: owner}
		segments := t.segments(n.Name)
		t.all = append(t.all, segments)
		if strings.ContainsAny(n.Name, "*?") || t.isOpen(n.Name) {
			entry.segments = segments
			t.wild = append(t.wild, entry)
			continue
		}
		t.first[n.Name[0]] = append(t.first[n.Name[0]], entry)
	}
	slices.SortStableFunc(t.wild, func(a, b namespaceEntry) int {
		return cmp.Or(len(b.segments)-len(a.segments), len(b.name)-len(a.name))
	})
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
			if bytes.HasPrefix(name, n.name) &&
				(len(n.name) == len(name) || strings.IndexByte(t.separators, name[len(n.name)]) >= 0) {
				return n
			}
		}
	}
	for i := range t.wild {
		if n := &t.wild[i]; t.common(n.segments, name) == len(n.segments) {
			return n
		}
	}
	return nil
}

// isOpen reports whether a namespace ends with punctuation that is no separator, as celery-task-meta-
// does: it has all names that begin with it.
func (t *namespaceTable) isOpen(name string) bool {
	c := name[len(name)-1]
	return c > ' ' && c < 0x7f && !('0' <= c && c <= '9') && !('a' <= c|0x20 && c|0x20 <= 'z') &&
		strings.IndexByte(t.separators, c) < 0
}

func (t *namespaceTable) segments(name string) (list []*naming.Glob) {
	all := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune(t.separators, r) })
	for i, s := range all {
		if i == len(all)-1 && t.isOpen(name) {
			s += "*"
		}
		if g, err := naming.ParseGlob(s); err == nil {
			list = append(list, g)
		}
	}
	return list
}

// common returns how many segments of a namespace a name begins with.
func (t *namespaceTable) common(segments []*naming.Glob, name []byte) (n int) {
	for ; n < len(segments) && name != nil; n++ {
		end := t.end(name, 1)
		if !segments[n].Match(name[:end]) {
			return n
		}
		if name = name[end:]; len(name) > 0 {
			name = name[1:]
		} else {
			name = nil
		}
	}
	return n
}

// end returns where the n-th segment of a name ends.
func (t *namespaceTable) end(name []byte, n int) int {
	for i, c := range name {
		if strings.IndexByte(t.separators, c) >= 0 {
			if n--; n == 0 {
				return i
			}
		}
	}
	return len(name)
}

// missing returns the beginning of a name that is no namespace: as many segments as some
// namespace has in common with it, and the next one.
func (t *namespaceTable) missing(name []byte) []byte {
	most := 0
	for _, segments := range t.all {
		most = max(most, t.common(segments, name))
	}
	return name[:t.end(name, most+1)]
}
