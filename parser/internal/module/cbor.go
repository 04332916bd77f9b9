package module

// cbor walks the CBOR (RFC 8949) in r.block, in which arrays of numbers of one
// type may be byte strings with a tag (RFC 8746). Source: cbor.rs of ijson.
func (r *Reader) cbor() {
	b, d := &r.block, &r.doc
	tag := uint64(0) // of the byte string that follows
	for !r.failed {
		at := b.Offset()
		major, arg, ok := r.cborHead()
		if !ok {
			r.reject()
			return
		}
		name := tag == 0 && d.level > 0 && d.levels[d.level-1].object && d.levels[d.level-1].left&1 == 0
		if name && major != 3 {
			r.reject()
			return
		}
		if tag == 0 && !name {
			r.value(at)
		}
		if d.level > 0 && tag == 0 {
			d.levels[d.level-1].left--
		}
		width := int64(0)
		if tag != 0 {
			width = typedWidth(tag)
			tag = 0
			if major != 2 || width == 0 || arg%uint64(width) != 0 {
				r.reject()
				return
			}
		}
		switch major {
		case 0, 1:
			r.Sizes.Integer()
		case 2, 3:
			if arg > uint64(b.Rest()) {
				r.reject()
				return
			}
			n := int64(arg)
			switch {
			case name:
				r.memberName(r.peek(n), n, at)
				r.keepName()
			case width > 0:
				r.typedArray(n, n/width)
			default:
				r.stringValue(n)
			}
			b.Skip(n, "a string")
		case 4, 5:
			n := int64(min(arg, 1<<48))
			if major == 5 {
				n *= 2
			}
			if n > b.Rest() || !r.push(major == 5, n) { // each item has a byte at least
				r.reject()
				return
			}
		case 6:
			tag = arg
			continue
		case 7:
			r.cborSimple(arg)
		}
		// The value is the last one of the levels that it completes.
		for d.level > 0 && d.levels[d.level-1].left == 0 {
			if d.level == 1 {
				r.ended(b.Offset())
			}
			r.pop()
		}
		if d.level == 0 {
			if r.Depth == 0 {
				r.largest(b.Size)
			}
			if b.Rest() > 0 {
				r.reject()
			}
			return
		}
		if d.level == 1 && (!d.levels[0].object || d.levels[0].left&1 == 0) && d.levels[0].n > 0 {
			r.ended(b.Offset())
		}
	}
}

// cborHead reads the head of an item: its major type and its argument.
func (r *Reader) cborHead() (major byte, arg uint64, ok bool) {
	b := &r.block
	for len(b.Buf)-b.Pos < 9 && r.more() {
	}
	p := b.Buf[b.Pos:]
	if len(p) == 0 {
		return 0, 0, false
	}
	major, arg = p[0]>>5, uint64(p[0]&31)
	size := 1
	if arg >= 24 {
		if arg > 27 {
			return 0, 0, false // lengths that are not known, reserved
		}
		size += 1 << (arg - 24)
		if len(p) < size {
			return 0, 0, false
		}
		if major != 7 {
			arg = 0
			for _, c := range p[1:size] {
				arg = arg<<8 | uint64(c)
			}
		}
	}
	b.Pos += size
	return major, arg, true
}

// cborSimple takes a simple value or a floating-point number.
func (r *Reader) cborSimple(arg uint64) {
	switch {
	case arg >= 20 && arg <= 22:
		r.Sizes.Literal()
	case arg >= 25 && arg <= 27:
		r.Sizes.Double()
	default:
		r.reject()
	}
}

// typedArray takes an array of n numbers in bytes bytes.
func (r *Reader) typedArray(bytes, n int64) {
	r.Depth = max(r.Depth, int64(r.doc.level)+1)
	if r.doc.level == 0 {
		if r.Elements = n; r.largest(bytes / max(n, 1)) {
			r.Index = 0
		}
	}
	r.Sizes.TypedArray(bytes)
}

// typedWidth returns the bytes of a number in a typed array with a tag, 0 for
// other tags.
func typedWidth(tag uint64) int64 {
	switch tag {
	case 64, 72:
		return 1
	case 69, 77, 84, 0x10000:
		return 2
	case 70, 78, 85:
		return 4
	case 71, 79, 86:
		return 8
	}
	return 0
}

// peek returns the next n bytes of the string, or as many as decide whether two
// names are the same.
func (r *Reader) peek(n int64) []byte {
	b := &r.block
	want := int(min(n, maxHashed))
	for len(b.Buf)-b.Pos < want && r.more() {
	}
	return b.Buf[b.Pos : b.Pos+want]
}
