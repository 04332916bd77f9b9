package memory

// Merge joins what b accumulated of the elements behind those of a: of members,
// fields, scored members or nodes, never of the items of a plain list or of a
// stream, whose parts do not stand for themselves.
func (a *Accumulator) Merge(b *Accumulator) {
	a.alloc += b.alloc
	a.usage += b.usage
	if a.firstLong == 0 && b.firstLong != 0 {
		a.firstLong = a.elements + b.firstLong
	}
	a.elements += b.elements
	if b.rare {
		a.rare = true
		a.windows.join(&b.windows)
		a.list.nodes += b.list.nodes
		a.list.plain = a.list.plain || b.list.plain
		a.list.filled = max(a.list.filled, b.list.filled)
	}
}
