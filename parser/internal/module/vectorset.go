package module

import "github.com/rdblens/rdblens/parser/internal/memory"

// vectorSet walks a vector set of Redis 8.0 or later: its elements, each with its
// node of the graph (HNSW) that links them. Sources: VectorSetRdbSave in vset.c,
// hnsw_serialize_node in hnsw.c.
func (r *Reader) vectorSet(int) {
	r.Dimensions = r.count()
	r.Elements = r.count()
	quantization := r.uint() & 255
	flags := r.uint()
	var projection int64
	if flags&1 != 0 {
		r.uint() // dimensions of the input
		projection = r.length()
	}
	size := 4 * r.Dimensions
	switch quantization {
	case 0: // floating-point numbers
	case 1: // bytes
		size = r.Dimensions
	case 2: // bits
		size = (r.Dimensions + 63) / 64 * 8
	default:
		r.reject()
	}
	r.Sizes.VectorSet(projection)
	for i := int64(0); i < r.Elements && !r.failed; i++ {
		r.vector(flags&2 != 0, size)
	}
	if !r.failed {
		r.VectorBytes = r.Elements * size
		r.Sizes.VectorSetEnd(r.Elements, size)
		r.LinkBytes = r.Sizes.Links
	}
}

// maxLinks is more than any server has of an element in a layer: twice the M of at
// most 4096 (VSET_MAX_M in vset.c).
const maxLinks = 1 << 16

// vector walks an element with a vector of size bytes.
func (r *Reader) vector(attributed bool, size int64) {
	if !r.open() {
		return
	}
	name := r.block.Size
	head := r.block.Buf[r.block.Pos:]
	r.text = append(r.text[:0], head[:min(len(head), memory.MaxStreamName)]...)
	r.close()
	var attributes int64
	if attributed {
		attributes = r.length()
	}
	vector := r.length()
	if vector != size {
		r.reject()
		return
	}
	r.Longest = max(r.Longest, name, attributes)
	r.Bytes += name + attributes + vector
	if r.largest(name + attributes + vector) {
		r.named(r.text, name)
	}
	left := r.count() // parameters of the node
	r.uint()          // its number
	layers := r.uint()
	left -= 2
	worst := layers>>24&255 >= 1 // since Redis 8.0.6
	r.Sizes.Vector(r.text, name, attributes, size, int64(layers&255)+1)
	for layer := int64(0); layer <= int64(layers&255) && !r.failed; layer++ {
		links, most := r.count(), r.count()
		if most > maxLinks {
			r.reject()
			return
		}
		r.Sizes.VectorLayer(most)
		if left -= 2 + links; worst {
			left--
			links++
		}
		for ; links > 0 && !r.failed; links-- {
			r.uint()
		}
	}
	if left < 0 {
		r.reject()
	}
	for ; left > 0 && !r.failed; left-- { // length of the vector, its range
		r.uint()
	}
}
