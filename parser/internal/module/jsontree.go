package module

// The types of nodes in documents of RedisJSON 1.0 (object.h).
const (
	nodeNull    = 1
	nodeString  = 2
	nodeNumber  = 4
	nodeInteger = 8
	nodeBoolean = 16
	nodeObject  = 32
	nodeArray   = 64
	nodeMember  = 128
)

// jsonTree walks the nodes of a document of RedisJSON 1.0. Its bytes are those of
// strings and 8 for a number. Source: ObjectTypeRdbSave in object_type.c.
func (r *Reader) jsonTree() {
	d := &r.doc
	for !r.failed {
		if d.level > 0 {
			l := &d.levels[d.level-1]
			l.left--
			if l.object {
				if r.uint() != nodeMember {
					r.reject()
					return
				}
				r.treeName()
			}
		}
		r.value(r.Bytes)
		switch r.uint() {
		case nodeNull:
			r.Sizes.Literal()
		case nodeString:
			n := r.data()
			r.Sizes.Text(n)
		case nodeNumber:
			r.double()
			r.Bytes += 8
			r.Sizes.Double()
		case nodeInteger:
			r.uint()
			r.Bytes += 8
			r.Sizes.Integer()
		case nodeBoolean:
			r.Bytes += r.length()
			r.Sizes.Boolean()
		case nodeObject:
			r.push(true, r.count())
		case nodeArray:
			r.push(false, r.count())
		default:
			r.reject()
		}
		for !r.failed && d.level > 0 && d.levels[d.level-1].left == 0 {
			if d.level == 1 {
				r.ended(r.Bytes)
			}
			r.pop()
		}
		if d.level == 0 {
			if r.Depth == 0 {
				r.largest(r.Bytes)
			}
			return
		}
		if d.level == 1 {
			r.ended(r.Bytes)
		}
	}
}

func (r *Reader) treeName() {
	if !r.open() {
		return
	}
	b := &r.block
	n := b.Size
	r.memberName(b.Buf[b.Pos:min(len(b.Buf), b.Pos+maxHashed)], n, r.Bytes)
	r.keepName()
	r.close()
	r.Bytes += n
	r.Sizes.Member(n)
}
