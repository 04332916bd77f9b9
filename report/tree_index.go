package report

import (
	"cmp"
	"slices"
	"strings"
)

// MaxSegments is the number of segments that the tree of names distinguishes: the last one has the
// rest of the name.
const MaxSegments = 12

// NameTree finds the nodes of a report's tree by names. It is immutable.
type NameTree struct {
	root       *TreeNode
	separators string
	places     map[*TreeNode]*treePlace
	parents    map[*TreeNode]*TreeNode
}

// treePlace has the children of a node by how names are compared with them.
type treePlace struct {
	words    map[string]*TreeNode // the values without *
	patterns []treePattern        // longest first
	rest     *TreeNode            // nil: there is none
}

type treePattern struct {
	text string // of the segment, with its separator
	node *TreeNode
}

// NewNameTree returns the index of a tree whose names have these separators.
func NewNameTree(root *TreeNode, separators string) *NameTree {
	t := &NameTree{root, separators, map[*TreeNode]*treePlace{}, map[*TreeNode]*TreeNode{}}
	t.add(root)
	return t
}

func (t *NameTree) add(n *TreeNode) {
	if len(n.Children) == 0 {
		return
	}
	p := &treePlace{words: map[string]*TreeNode{}}
	t.places[n] = p
	for _, c := range n.Children {
		t.parents[c] = n
		label := strings.TrimPrefix(string(c.Prefix), string(n.Prefix))
		switch {
		case label == restOfPrefix:
			p.rest = c
		case strings.Contains(label, "*") || strings.HasSuffix(label, restOfPrefix):
			p.patterns = append(p.patterns, treePattern{label, c})
		default:
			p.words[label] = c
		}
		t.add(c)
	}
	slices.SortStableFunc(p.patterns, func(a, b treePattern) int { return cmp.Compare(len(b.text), len(a.text)) })
}

// Has reports whether a node counts a name.
func (t *NameTree) Has(n *TreeNode, name []byte) bool {
	literal, _, _ := strings.Cut(strings.TrimSuffix(string(n.Prefix), restOfPrefix), "*")
	if len(name) < len(literal) || string(name[:len(literal)]) != literal {
		return false
	}
	for at := t.Find(name); at != nil; at = t.parents[at] {
		if at == n {
			return true
		}
	}
	return false
}

// Find returns the node that counts a name: the deepest one.
func (t *NameTree) Find(name []byte) *TreeNode {
	for at, from, depth := t.root, 0, 0; ; depth++ {
		p := t.places[at]
		if p == nil {
			return at
		}
		end := from
		if depth == MaxSegments-1 {
			end = len(name)
		}
		for end < len(name) && strings.IndexByte(t.separators, name[end]) < 0 {
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
			text, closed := strings.CutSuffix(c.text, restOfPrefix)
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

// Path returns the nodes from the root to a node.
func (t *NameTree) Path(n *TreeNode) (list []*TreeNode) {
	for ; n != nil; n = t.parents[n] {
		list = append(list, n)
	}
	slices.Reverse(list)
	return list
}
