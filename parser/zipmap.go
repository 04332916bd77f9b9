package parser

// zipmap walks the fields of a hash as Redis 2.2 to 2.4 kept it.
func (w *walker) zipmap(b *blob) {
	const what = "a zipmap entry"
	if b.size < 2 {
		b.failf("a zipmap of %d bytes is shorter than its header", b.size)
	}
	claimed := int64(b.byte(what))
	length := func() int64 {
		c := b.byte(what)
		if c == 254 {
			return int64(b.u32(what))
		}
		return int64(c)
	}
	converted := claimed == 254 || w.unpacks(claimed, 1)
	var n int64
	asListpack := int64(listpackFormat.header + 1)
	for {
		if b.need(1, what); b.buf[b.pos] == packedEnd {
			b.pos++
			break
		}
		f := length()
		e1, e2 := &w.entries[0], &w.entries[1]
		*e1, *e2 = entry{n: f}, entry{}
		b.keepHead(e1, f, 0)
		b.need(1, what)
		if b.buf[b.pos] == packedEnd {
			b.failf("a zipmap ends between a field and its value")
		}
		v := length()
		free := int64(b.byte(what))
		e2.n = v
		b.keepHead(e2, v, 1)
		b.skip(free, what)
		b.need(1, what)
		if w.visiting {
			w.visitPacked(e1, e2, nil, 2)
		}
		if converted && w.model != nil {
			w.addElement(f, v, false)
		}
		n++
		asListpack += listpackString(f, e1.head) + listpackString(v, e2.head)
		w.key.ValueBytes += f + v
		w.key.Longest = max(w.key.Longest, f, v)
		if f+v > w.key.Largest {
			w.key.Largest = f + v
			w.bestEntry(b, e1)
			if f+v >= headFrom {
				w.key.Head = append(w.headBuf[:0], cut(e2.head, MaxHead)...)
			}
		}
	}
	if b.rest() != 0 {
		b.failf("a zipmap ends %d bytes before its block does", b.rest())
	}
	if claimed < 254 && claimed != n {
		b.failf("a zipmap says it has %d fields, but %d are there", claimed, n)
	}
	w.key.Elements = n
	w.facts.ListpackBytes = asListpack
}
