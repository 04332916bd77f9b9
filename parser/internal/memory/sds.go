package memory

// A stringKind is a server's string type with its headers, whose size depends
// on the string's length.
type stringKind struct {
	small, medium int64 // from these lengths on the header has 5, and 9 bytes
}

// Sources: sdsReqType and sdsHdrSize in sds.c, mstrReqType in mstr.c.
var (
	sdsClassic = stringKind{small: 256, medium: 65536}
	sdsTight   = stringKind{small: 253, medium: 65531} // Valkey from 8.0, Redis from 8.4 on
	// mstr is the immutable string of hash fields of Redis 7.4 to 8.4.
	mstr = stringKind{small: 65536, medium: 65536}
)

// header returns the bytes before a string of n bytes.
func (k stringKind) header(n int64) int64 {
	switch {
	case n < 32:
		return 1
	case n < k.small:
		return 3
	case n < k.medium:
		return 5
	case n < 1<<32:
		return 9
	}
	return 17
}

// size returns the bytes of a string of n bytes with its header and the zero
// byte that ends it.
func (k stringKind) size(n int64) int64 { return k.header(n) + n + 1 }

// flagged returns the size of a string whose header must have room for flags or
// a length of spare bytes, which the shortest header has not.
func (k stringKind) flagged(n int64) int64 { return max(k.header(n), 3) + n + 1 }

// separate returns the size of a string in a block of its own. An empty one has
// the longer header, because it is likely to grow (sdsnewlen).
func (k stringKind) separate(n int64) int64 {
	if n == 0 {
		return 4
	}
	return k.size(n)
}
