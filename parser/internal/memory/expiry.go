package memory

import "math"

// maxVector is the most fields that Valkey's index by expiry keeps in one array
// (VOLATILESET_VECTOR_BUCKET_MAX_SIZE in vset.c).
const maxVector = 127

// windowNodes is what a time window takes in the radix tree of Valkey's index: a
// leaf, the last byte of its time, and a share of the nodes above. Measured.
const windowNodes = 44

// expiryIndexSizes returns what the index of a hash's n fields by expiry takes.
func (m *Model) expiryIndexSizes(n int64, w *windows) (alloc, usage int64) {
	if m.valkey {
		return m.volatileSetSizes(n, w)
	}
	return m.expiryBuckets(n, w), 0
}

// volatileSetSizes returns what Valkey's index takes (vset.c). A set of one
// field is the pointer itself, one of a few is an array, a larger one is a radix
// tree of time windows.
func (m *Model) volatileSetSizes(n int64, w *windows) (alloc, usage int64) {
	if n < 2 {
		return 0, 0
	}
	if n <= maxVector {
		alloc = m.vectorSize(n)
		if n == 2 {
			return alloc, 24 // the first array records what it requested
		}
		return alloc, alloc
	}
	wide, narrow := w.counts(n)
	alloc = m.usable(m.rax)
	switch {
	case n/narrow > maxVector:
		// More than an array takes in the narrowest window: a hash table.
		first, each, last := w.spread(n, narrow)
		alloc += m.narrowWindow(first) + m.narrowWindow(last) + (narrow-2)*m.narrowWindow(each)
	case n/wide > maxVector:
		// A full array is split in the middle; arrays that fill at random are
		// ln 2 full on average.
		const filled = maxVector * 69 / 100
		arrays := max(2*wide, n/filled)
		alloc += arrays * (windowNodes + m.vectorSize((n+arrays-1)/arrays))
	default:
		alloc += m.windowTree(wide, w.last>>wideShift-w.first>>wideShift+1)
		if n > wide {
			alloc += m.windowVectors(n, wide)
		}
	}
	return alloc, alloc
}

// windowTree returns what a radix tree takes that has so many windows of 8192 ms
// at random out of a span of them. Its keys are times of 8 bytes: the last but
// one differs within 8 windows, the one before it within 2048. A window has a
// leaf and the chain of one or two bytes above it.
func (m *Model) windowTree(windows, span int64) int64 {
	branches := func(children, nodes float64) float64 { // of nodes that have up to so many children
		share := min(1, float64(windows)/float64(span))
		if children > 8 {
			share = -math.Expm1(8 * math.Log1p(-min(share, 1-1e-9)))
		}
		var sum float64
		chance := math.Pow(1-share, children)
		for k := 1.; k <= children; k++ {
			if share == 1 {
				chance = math.Floor(k / children)
			} else {
				chance *= (children - k + 1) / k * share / (1 - share)
			}
			if k > 1 {
				sum += chance * float64(m.usable(branchNode(int64(k))))
			}
		}
		return sum * nodes
	}
	leaves := float64(windows * (raxLeaf + m.usable(chainNode(1))))
	return round(leaves + branches(8, float64(span)/8) + branches(256, float64(span)/2048))
}

func (m *Model) vectorSize(n int64) int64 { return m.usable(8 + pointerSize*n) }

// narrowWindow returns what n fields take that expire in one of the narrowest
// windows.
func (m *Model) narrowWindow(n int64) int64 {
	switch {
	case n < 1:
		return 0
	case n == 1:
		return windowNodes
	case n <= maxVector:
		return windowNodes + m.vectorSize(n)
	}
	size, _ := m.tableSizes(insertedHashtable(n), 0)
	return windowNodes + size
}

// windowVectors returns what the arrays of n fields in so many time windows
// take. A window of one field has none.
func (m *Model) windowVectors(n, windows int64) int64 {
	return round(float64(windows) * meanOfFilled(float64(n)/float64(windows), func(k int64) int64 {
		if k == 1 {
			return 0
		}
		return m.vectorSize(k)
	}))
}

// expiryBuckets returns what Redis' index of n fields takes (ebuckets.c). Up to
// 16 fields are a list through the fields themselves; more are segments of up to
// 16 under a radix tree of times. Fields of one millisecond are always in one
// chain of segments; segments of others are 12 full on average.
func (m *Model) expiryBuckets(n int64, w *windows) int64 {
	const (
		segment     = 16 // fields
		firstHeader = 16 // bytes of the header of a chain's first segment
		nextHeader  = 24 // and of each further one
		timeBytes   = 6  // of a time in the tree
	)
	if n <= segment {
		return 0
	}
	root := m.usable(m.rax)
	if w.equal() {
		return root + m.usable(chainNode(timeBytes)) + raxLeaf + firstHeader + (n-1)/segment*m.usable(nextHeader)
	}
	span, used := w.span(n)
	if each := float64(n) / used; each > 12 {
		// Full chains of one millisecond each, whose times differ in their last
		// byte only: a leaf and a tenth of a branch.
		return root + round(used*(firstHeader+26+(each/segment-.5)*float64(m.usable(nextHeader))))
	}
	// Times that differ in more than the last byte have a chain of bytes above
	// the leaf. The two constants were measured.
	const near, chain = firstHeader + 30, 18
	segments := float64((n + 11) / 12)
	return root + round(segments*(near+chain*min(1, span/segments/256)))
}
