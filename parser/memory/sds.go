package memory

// A stringKind is how a server heads its strings: by their length in bytes
// there are four headers, whose limits moved once.
type stringKind struct {
	small, medium int64 // from here on the header has 5, and 9 bytes
}

// Sources: sdsReqType and sdsHdrSize in sds.c, mstrReqType in mstr.c.
var (
	sdsClassic = stringKind{small: 256, medium: 65536}
	sdsTight   = stringKind{small: 253, medium: 65531} // Valkey 8.0 and Redis 8.4 on
	// sdsField is the immutable string of hash fields in Redis 7.4 to 8.4.
	sdsField = stringKind{small: 65536, medium: 65536}
)

// header gives the bytes in front of a string of n bytes.
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

// size gives header, text and the zero byte behind it.
func (k stringKind) size(n int64) int64 { return k.header(n) + n + 1 }

// flagged gives the size of a string whose header must have room for flags or
// spare bytes, so that the shortest header is not for it.
func (k stringKind) flagged(n int64) int64 { return max(k.header(n), 3) + n + 1 }

// heap gives the size of a string in a block of its own: an empty one gets the
// longer header because it is likely to grow.
func (k stringKind) heap(n int64) int64 {
	if n == 0 {
		return 4
	}
	return k.size(n)
}
