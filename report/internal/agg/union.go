package agg

// merge moves the node from and all below it into to.
func (t *patternTrie) merge(to, from int32, join func(to, from int32)) {
	tn, fn := t.nodes.at(to), t.nodes.at(from)
	tn.total.add(fn.total)
	switch {
	case tn.group == 0:
		tn.group = fn.group
	case fn.group != 0:
		join(tn.group, fn.group)
	}
	fn.unused = true
	t.unused++
	raised := t.mergeFolds(to, t, from)
	for c := t.nodes.at(from).first; c != 0; {
		n := t.nodes.at(c)
		next := n.next
		text := t.text(c)
		hash := hashChild(to, text)
		if into := t.find(to, text, hash); into != 0 {
			t.nodes.at(into).missed.add(n.missed)
			t.merge(into, c, join)
		} else {
			n.missed.add(t.missedAt(to, n.kind))
			t.attach(c, to, hash)
		}
		c = next
	}
	t.raiseFolds(to, raised)
}

// union adds the nodes and folds of another trie.
func (t *patternTrie) union(node int32, o *patternTrie, from int32) {
	raised := t.mergeFolds(node, o, from)
	for c := o.nodes.at(from).first; c != 0; c = o.nodes.at(c).next {
		to := t.ensureChild(node, o.text(c))
		t.nodes.at(to).missed.add(o.nodes.at(c).missed)
		t.union(to, o, c)
	}
	t.raiseFolds(node, raised)
}

// joinDatabases merges all databases into one.
func (t *patternTrie) joinDatabases(join func(to, from int32)) {
	t.forgetPrefix()
	to := t.database(0)
	for c := t.nodes.at(0).first; c != 0; {
		next := t.nodes.at(c).next
		if c != to {
			t.merge(to, c, join)
		}
		c = next
	}
	t.nodes.at(0).first, t.nodes.at(to).next, t.joined = to, 0, true
}

// cut makes the last of depth segments have the rest of a pattern, and folds it.
func (t *patternTrie) cut(depth int, join func(to, from int32)) {
	t.forgetPrefix()
	t.depth = depth
	t.atDepth(0, depth, func(node int32) {
		first := t.nodes.at(node).first
		if first == 0 {
			return
		}
		t.nodes.at(node).first, t.nodes.at(node).values = 0, [2]int32{}
		t.markFolded(node, ending)
		star := t.ensureChild(node, []byte("*"))
		for c := first; c != 0; c = t.nodes.at(c).next {
			if c != star {
				t.collapse(star, c, join)
			}
		}
		t.nodes.at(node).first, t.nodes.at(star).next, t.nodes.at(star).first = star, 0, 0
	})
}

// collapse joins the groups of a node and all below it with that of another.
func (t *patternTrie) collapse(to, from int32, join func(to, from int32)) {
	switch n := t.nodes.at(from); {
	case t.nodes.at(to).group == 0:
		t.nodes.at(to).group = n.group
	case n.group != 0:
		join(t.nodes.at(to).group, n.group)
	}
	t.nodes.at(from).unused = true
	t.unused++
	for c := t.nodes.at(from).first; c != 0; c = t.nodes.at(c).next {
		t.collapse(to, c, join)
	}
}

// mergeFolds marks as folded what a node of a trie, which may be this one, has
// folded. Values that are distinct below to only may have been counted under *
// there. It returns what raiseFolds is to add when the children are merged.
func (t *patternTrie) mergeFolds(to int32, o *patternTrie, from int32) (raised [2]weight) {
	for kind, f := range o.nodes.at(from).folded {
		if f == 0 {
			continue
		}
		raised[kind] = o.folds[f-1].missed
		t.markFolded(to, uint8(kind))
		for c := t.nodes.at(to).first; c != 0; c = t.nodes.at(c).next {
			if n := t.nodes.at(c); int(n.kind) == kind && !n.star && o.child(from, t.text(c)) == 0 {
				n.missed.add(raised[kind])
			}
		}
	}
	return raised
}

func (t *patternTrie) raiseFolds(node int32, by [2]weight) {
	for kind, w := range by {
		if f := t.nodes.at(node).folded[kind]; f != 0 {
			t.folds[f-1].missed.add(w)
		}
	}
}
