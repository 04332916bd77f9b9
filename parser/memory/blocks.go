package memory

// What packages that measure values of modules need of a model.

// Block returns the bytes that the allocator hands out for a request of n bytes.
func (m *Model) Block(n int64) int64 { return m.usable(n) }

// StringObject returns the bytes that a string of n bytes takes with an object of
// its own, as strings of modules have (createStringObject in object.c).
func (m *Model) StringObject(n int64) int64 {
	if n <= maxEmbstr {
		return m.usable(objectSize + valueHeader + n)
	}
	return objectSize + m.usable(m.sds.separate(n))
}

// Valkey reports whether the model is that of a Valkey release.
func (m *Model) Valkey() bool { return m.valkey }

// Live reports whether the state is that of the server that wrote the file.
func (m *Model) Live() bool { return m.live }

// A NameTree measures a radix tree of byte strings that are added in ascending
// order (rax.c).
type NameTree struct{ tree nameTree }

// Add adds the next string, of n bytes, of which name has at least MaxStreamName.
func (t *NameTree) Add(m *Model, name []byte, n int64) { t.tree.add(&m.allocator, name, n) }

// Finish returns the number of nodes and the allocated bytes of the tree, its
// structure included, and resets it.
func (t *NameTree) Finish(m *Model) (nodes, bytes int64) {
	nodes, bytes = t.tree.measure(&m.allocator)
	return nodes, bytes + m.usable(8) + m.usable(24)
}
