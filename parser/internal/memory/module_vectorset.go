package memory

import (
	"bytes"
	"slices"
)

// Vector sets: measured on Redis 8.0.2, 8.0.6 and builds shortly before 8.4: exact,
// both figures. The sizes of HNSW and of its nodes are those for 32 threads
// (HNSW_MAX_THREADS).

const (
	vectorSetSize = 112  // vsetObject in vset.c
	graphSize     = 1672 // HNSW in hnsw.h
	nodeSize      = 312  // hnswNode, without its layers
	layerSize     = 24   // of a node
	nodeValue     = 16   // vsetNodeVal in vset.c
	sampled       = 20   // elements from which MEMORY USAGE takes the average of names and attributes
	// Bounds of the names whose radix tree is computed; that of more is
	// extrapolated.
	maxNames     = 1 << 16
	maxNameBytes = 1 << 20
)

type vectors struct {
	n          int64
	attributed int64 // elements with attributes
	links0     int64 // most links in the lowest layer of the first element
	layer      bool  // the first element's lowest layer was seen
	// Sizes of the names and attributes that MEMORY USAGE samples; attributes are
	// 0 for none. Servers put elements they load in front of the others, so that
	// these are the last ones of the file there.
	names, attributes [sampled]int64

	text  []byte // the names
	ends  []int32
	order []int32
}

// VectorSet begins a vector set with a projection of n bytes, 0 for none.
func (s *ModuleSizes) VectorSet(projection int64) {
	v := &s.vectors
	*v = vectors{text: v.text[:0], ends: v.ends[:0], order: v.order[:0]}
	s.block(vectorSetSize)
	s.block(graphSize)
	if projection > 0 {
		s.block(projection)
	}
}

// Vector adds an element with a name of n bytes, by the bytes of its attributes
// and its vector. name is the beginning of the name.
func (s *ModuleSizes) Vector(name []byte, n, attributes, vector, layers int64) {
	if s.model == nil {
		return
	}
	v := &s.vectors
	names := s.model.stringObject(n)
	s.Allocated += s.model.usable(nodeSize+layerSize*layers) + s.model.usable(vector) + s.model.usable(nodeValue) + names
	var attrs int64
	if attributes > 0 {
		attrs = s.model.stringObject(attributes)
		s.Allocated += attrs
		v.attributed++
	}
	if !s.model.live || v.n < sampled {
		v.names[v.n%sampled], v.attributes[v.n%sampled] = names, attrs
	}
	v.n++
	if len(v.ends) < maxNames && len(v.text)+len(name) <= maxNameBytes {
		v.text = append(v.text, name...)
		v.ends = append(v.ends, int32(len(v.text)))
	}
}

// VectorLayer adds a layer of the element that was added last, with room for so
// many links.
func (s *ModuleSizes) VectorLayer(links int64) {
	if s.model == nil {
		return
	}
	size := s.model.usable(8 * links)
	s.Allocated += size
	s.Links += size
	if v := &s.vectors; !v.layer {
		v.layer, v.links0 = true, links
	}
}

// VectorSetEnd ends a vector set of n elements with vectors of size bytes.
func (s *ModuleSizes) VectorSetEnd(n, size int64) {
	if s.model == nil {
		return
	}
	s.Allocated += s.namesTree()
	if n == 0 {
		return
	}
	v := &s.vectors
	s.Usage += n*(nodeSize+size+nodeValue) + 24*n*4/3 + 8*v.links0*n + 8*(v.links0/2)*n/3
	var names, attributes, with int64
	samples := min(n, sampled)
	for i := range samples {
		names += v.names[i]
		if attributes += v.attributes[i]; v.attributes[i] > 0 {
			with++
		}
	}
	each := int64(64)
	if with > 0 {
		each = attributes / with
	}
	s.Usage += names/samples*n + each*v.attributed
}

// namesTree returns the allocated bytes of the radix tree of the names.
func (s *ModuleSizes) namesTree() int64 {
	v := &s.vectors
	at := func(i int32) []byte {
		from := int32(0)
		if i > 0 {
			from = v.ends[i-1]
		}
		return v.text[from:v.ends[i]]
	}
	for i := range v.ends {
		v.order = append(v.order, int32(i))
	}
	slices.SortFunc(v.order, func(a, b int32) int { return bytes.Compare(at(a), at(b)) })
	for _, i := range v.order {
		name := at(i)
		s.tree.add(&s.model.allocator, name, int64(len(name)))
	}
	_, size := s.tree.finishTree(s.model)
	if known := int64(len(v.ends)); known > 0 && v.n > known {
		s.Approximate = true
		size = int64(float64(size) * float64(v.n) / float64(known))
	}
	return size
}
