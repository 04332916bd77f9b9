package main

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/report"
)

// treeSegments is the number of segments that the tree of names distinguishes: the last one
// has the rest of the name.
const treeSegments = 12

// restOfTree ends the prefix of a node with what its parent does not list.
const restOfTree = "…"

// nameTree finds the node of a report's tree that counts a name. It is immutable.
type nameTree struct {
	root       *report.TreeNode
	separators string
	places     map[*report.TreeNode]*treePlace
	parents    map[*report.TreeNode]*report.TreeNode
}

// treePlace has the children of a node by how names are compared with them.
type treePlace struct {
	words    map[string]*report.TreeNode // the values without *
	patterns []treePattern               // longest first
	rest     *report.TreeNode            // nil: there is none
}

type treePattern struct {
	text string // of the segment, with its separator
	node *report.TreeNode
}

func newNameTree(root *report.TreeNode, separators string) *nameTree {
	t := &nameTree{root, separators, map[*report.TreeNode]*treePlace{}, map[*report.TreeNode]*report.TreeNode{}}
	t.add(root)
	return t
}

func (t *nameTree) add(n *report.TreeNode) {
	if len(n.Children) == 0 {
		return
	}
	p := &treePlace{words: map[string]*report.TreeNode{}}
	t.places[n] = p
	for _, c := range n.Children {
		t.parents[c] = n
		label := strings.TrimPrefix(string(c.Prefix), string(n.Prefix))
		switch {
		case label == restOfTree:
			p.rest = c
		case strings.Contains(label, "*") || strings.HasSuffix(label, restOfTree):
			p.patterns = append(p.patterns, treePattern{label, c})
		default:
			p.words[label] = c
		}
		t.add(c)
	}
	slices.SortStableFunc(p.patterns, func(a, b treePattern) int { return cmp.Compare(len(b.text), len(a.text)) })
}

func (t *nameTree) has(n *report.TreeNode, name []byte) bool {
	literal, _, _ := strings.Cut(strings.TrimSuffix(string(n.Prefix), restOfTree), "*")
	if len(name) < len(literal) || string(name[:len(literal)]) != literal {
		return false
	}
	for at := t.find(name); at != nil; at = t.parents[at] {
		if at == n {
			return true
		}
	}
	return false
}

// find returns the node that counts a name: the deepest one.
func (t *nameTree) find(name []byte) *report.TreeNode {
	tagFrom, tagTo := hashTag(name)
	for at, from, depth := t.root, 0, 0; ; depth++ {
		p := t.places[at]
		if p == nil {
			return at
		}
		end := from
		if depth == treeSegments-1 {
			end = len(name)
		}
		for end < len(name) && (strings.IndexByte(t.separators, name[end]) < 0 || end >= tagFrom && end < tagTo) {
			end++
		}
		whole := end == len(name)
		if !whole {
			end++
		}
		next := p.words[string(name[from:end])]
		if next == nil { // the only key of a pattern
			next = p.words[string(name[from:])]
		}
		for i := 0; next == nil && i < len(p.patterns); i++ {
			c := &p.patterns[i]
			text, closed := strings.CutSuffix(c.text, restOfTree)
			switch {
			case closed && strings.HasPrefix(string(name[from:]), text):
				next = c.node
			case !closed && matchStars(c.text, name[from:end]):
				next = c.node
			}
		}
		for i := 0; next == nil && i < len(p.patterns); i++ { // a pattern of a date has separators
			if c := &p.patterns[i]; t.places[c.node] == nil && matchStars(c.text, name[from:]) {
				return c.node
			}
		}
		if next == nil {
			next = p.rest
		}
		if next == nil || whole {
			return cmp.Or(next, at)
		}
		at, from = next, end
	}
}

// hashTag returns the bounds of what is between the first { and the next }, both 0 if there
// is nothing: separators there do not separate.
func hashTag(name []byte) (from, to int) {
	if from = bytes.IndexByte(name, '{') + 1; from > 0 {
		if n := bytes.IndexByte(name[from:], '}'); n > 0 {
			return from, from + n
		}
	}
	return 0, 0
}

// matchStars reports whether a text is what a pattern stands for, whose stars stand for
// any text.
func matchStars[T string | []byte](pattern string, text T) bool {
	head, rest, found := strings.Cut(pattern, "*")
	if len(text) < len(head) || string(text[:len(head)]) != head {
		return false
	}
	if text = text[len(head):]; !found {
		return len(text) == 0
	}
	for {
		part, after, more := strings.Cut(rest, "*")
		if !more {
			return len(text) >= len(part) && string(text[len(text)-len(part):]) == part
		}
		i := strings.Index(string(text), part)
		if i < 0 {
			return false
		}
		text, rest = text[i+len(part):], after
	}
}

func (t *nameTree) path(n *report.TreeNode) (list []*report.TreeNode) {
	for ; n != nil; n = t.parents[n] {
		list = append(list, n)
	}
	slices.Reverse(list)
	return list
}

// covers reports whether a node has all keys of a group that it holds keys of: no value of
// its path is a * there.
func (t *nameTree) covers(n *report.TreeNode, group report.Name) bool {
	of := t.cut(string(group))
	for i, s := range t.cut(string(n.Prefix)) {
		if i < len(of) && s != "" && s != of[i] && !matchStars(s, of[i]) {
			return false
		}
	}
	return true
}

// holds reports whether keys of a group are below a node, or of it. Groups have * for
// numbers that the tree names, and the tree has * for words that groups name.
func (t *nameTree) holds(n *report.TreeNode, group report.Name) bool {
	if strings.HasSuffix(string(n.Prefix), restOfTree) {
		return false
	}
	segments, of := t.cut(string(n.Prefix)), t.cut(string(group))
	switch last := len(segments) - 1; {
	case last < 0:
		return true
	case segments[last] == "": // it ends in a separator
		if segments = segments[:last]; len(of) <= last {
			return false
		}
	case len(of) != len(segments):
		return false
	}
	for i, s := range segments {
		if s != of[i] && !matchStars(s, of[i]) && !matchStars(of[i], s) {
			return false
		}
	}
	return true
}

func (t *nameTree) cut(s string) []string {
	if s == "" {
		return nil
	}
	from, to := hashTag([]byte(s))
	var list []string
	start := 0
	for i := range len(s) {
		if strings.IndexByte(t.separators, s[i]) >= 0 && (i < from || i >= to) {
			list = append(list, s[start:i])
			start = i + 1
		}
	}
	return append(list, s[start:])
}

// browseRow is a row of a list: a prefix or a key.
type browseRow struct {
	node *report.TreeNode // nil of a key
	key  *report.KeyRow   // nil of a prefix
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

// withoutTTL returns the bytes of keys without an expiry.
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
)

var orderTitles = map[rowOrder]string{byMemory: "memory", byCount: "keys", byWithoutTTL: "memory without TTL",
	byName: "name", byFindings: "findings"}

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
