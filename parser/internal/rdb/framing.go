package rdb

import "encoding/binary"

// Framing is what of a dialect finding the ends of records needs.
type Framing struct {
	Layouts    [256]Layout // by type byte
	IsType     [256]bool   // the number is a type, no opcode
	OneString  [256]bool   // the value is one string of the file
	Enterprise bool        // the opcodes of Redis Enterprise are known
	Dragonfly  bool        // those of Dragonfly are
}

// Set says how a type is laid out.
func (f *Framing) Set(number byte, l Layout) {
	f.Layouts[number], f.IsType[number] = l, true
	f.OneString[number] = (l.Kind == Text || l.Kind == Packed) && !l.MinExpire
}

// Stop is why framing ended.
type Stop uint8

const (
	StopShort Stop = iota // the bytes ran out inside of a record
	StopRare              // a record that only the walker understands, or damage
	StopEnd               // the end opcode
)

// RecordsEnd finds where records end, without looking into values: it is what one
// goroutine can do fast enough to keep others busy. It returns the end of the
// last whole record, and why it went no further.
//
// It knows the grammar of what is frequent, and leaves all else, and every
// error, to the walker, which reads the same bytes again.
func (f *Framing) RecordsEnd(b []byte, pos int, db *int) (cut int, why Stop) {
	cut = pos
	p := pos
	whole := true // no opcode waits for its key
	for p < len(b) {
		if whole {
			cut = skimStrings(&f.OneString, b, p)
			if p = cut; p == len(b) {
				break
			}
		}
		op := b[p]
		p++
		switch op {
		case OpExpireMS:
			p += 8
			whole = false
			continue
		case OpExpire:
			p += 4
			whole = false
			continue
		case OpIdle:
			p = SkipLength(b, p)
			whole = false
		case OpFreq:
			p++
			whole = false
			continue
		case OpSelectDB:
			at := p
			if p = SkipLength(b, p); uint(p) <= uint(len(b)) {
				n := lengthAt(b, at)
				if n > 1<<31-1 {
					return cut, StopRare
				}
				if !whole {
					// The database of a record that is read again must be the
					// one that it began in.
					return cut, StopRare
				}
				*db = int(n)
				cut = p
				continue
			}
		case OpAux:
			if p = SkipString(b, p); uint(p) <= uint(len(b)) {
				p = SkipString(b, p)
			}
		case OpResizeDB:
			if p = SkipLength(b, p); uint(p) <= uint(len(b)) {
				p = SkipLength(b, p)
			}
		case OpSlotInfo:
			for range 3 {
				if uint(p) <= uint(len(b)) {
					p = SkipLength(b, p)
				}
			}
		case OpFunction:
			p = SkipString(b, p)
		case OpEnterpriseLRU, OpEnterpriseSlot:
			if !f.Enterprise {
				return cut, StopRare
			}
			p = SkipLength(b, p)
			whole = false
		case OpDFZstd, OpDFLZ4, OpDFTaggedChunk:
			return cut, StopRare
		case OpDFMask:
			if !f.Dragonfly {
				return cut, StopRare
			}
			if p < len(b) && b[p]&2 != 0 {
				p += 4
			}
			p += 4
			whole = false
			continue
		case OpEOF:
			if !whole {
				return cut, StopRare
			}
			return cut, StopEnd
		default:
			if p = SkipString(b, p); uint(p) <= uint(len(b)) {
				p = SkipValue(&f.Layouts[op], b, p)
			}
			whole = true
		}
		if p < 0 {
			return cut, StopRare
		}
		if p > len(b) {
			return cut, StopShort
		}
		if whole {
			cut = p
		}
	}
	return cut, StopShort
}

// skimStrings passes records of types whose value is one string, with at most an expiry in
// milliseconds and a name of under 64 bytes, which is what most snapshots mostly
// hold, as far as they lie in b whole. Inlined, its loop has too few registers.
//
//go:noinline
func skimStrings(oneString *[256]bool, b []byte, cut int) int {
	for {
		p := cut
		if len(b)-p < 9+2+63+2 {
			return cut
		}
		if b[p] == OpExpireMS {
			p += 9
		}
		name := int(b[p+1])
		if name > 63 || !oneString[b[p]] {
			return cut
		}
		p += 2 + name
		n := int(b[p])
		switch {
		case n < 64:
			p += 1 + n
		case n < 128:
			p += 2 + n&0x3f<<8 + int(b[p+1])
		default:
			p = SkipString(b, p)
		}
		if uint(p) > uint(len(b)) { // negative ones, too
			return cut
		}
		cut = p
	}
}

const (
	// Both are outside of any buffer, as unsigned numbers, too.
	SkipBad  = -1      // no valid length or value
	SkipMore = 1 << 62 // past the end of any buffer
	tooFar   = 1 << 40 // more bytes than any buffer has
)

// SkipLength returns the position after the length at p: SkipBad if there is none,
// a position beyond the buffer if that ends first.
func SkipLength(b []byte, p int) int {
	if p >= len(b) {
		return SkipMore
	}
	switch c := b[p]; {
	case c < 0x40:
		return p + 1
	case c < 0x80:
		return p + 2
	case c == 0x80:
		return p + 5
	case c == 0x81:
		return p + 9
	}
	return SkipBad
}

// lengthAt returns the length at p, which is complete and valid.
func lengthAt(b []byte, p int) uint64 {
	switch c := b[p]; {
	case c < 0x40:
		return uint64(c)
	case c < 0x80:
		return uint64(c&0x3f)<<8 | uint64(b[p+1])
	case c == 0x80:
		return uint64(binary.BigEndian.Uint32(b[p+1:]))
	}
	return binary.BigEndian.Uint64(b[p+1:])
}

// CountAt reads a length and returns the position after it, as SkipLength does.
func CountAt(b []byte, p int) (n uint64, next int) {
	next = SkipLength(b, p)
	if uint(next) > uint(len(b)) {
		return 0, next
	}
	return lengthAt(b, p), next
}

// SkipString returns the position after the string at p.
func SkipString(b []byte, p int) int {
	if p >= len(b) {
		return SkipMore
	}
	c := b[p]
	switch {
	case c < 0x40:
		return p + 1 + int(c)
	case c < 0x80:
		if p+1 >= len(b) {
			return SkipMore
		}
		return p + 2 + int(c&0x3f)<<8 + int(b[p+1])
	case c == 0xc0:
		return p + 2
	case c == 0xc1:
		return p + 3
	case c == 0xc2:
		return p + 5
	case c == 0xc3:
		n, q := CountAt(b, p+1)
		if uint(q) > uint(len(b)) {
			return q
		}
		if q = SkipLength(b, q); uint(q) > uint(len(b)) {
			return q
		}
		return behind(q, n)
	}
	n, q := CountAt(b, p)
	if uint(q) > uint(len(b)) {
		return q
	}
	return behind(q, n)
}

func behind(p int, n uint64) int {
	if n > tooFar {
		return SkipMore
	}
	return p + int(n)
}

// SkipValue returns the position behind a value of a type.
func SkipValue(l *Layout, b []byte, p int) int {
	if l.MinExpire {
		if p += 8; p > len(b) {
			return SkipMore
		}
	}
	switch l.Kind {
	case Text, Packed:
		return SkipString(b, p)
	case Counted, Quicklist:
		if besides[l.Beside].unknown {
			return SkipBad
		}
		return skipCounted(b, p, l)
	case Stream:
		return skipStream(b, p, l.Variant)
	case Module:
		return skipModule(b, p)
	}
	return SkipBad
}

func skipCounted(b []byte, p int, l *Layout) int {
	n, p := CountAt(b, p)
	if uint(p) > uint(len(b)) {
		return p
	}
	if n > uint64(len(b)-p) {
		return SkipMore
	}
	done, p := l.SkipElements(b, p, n)
	if done == n {
		return p
	}
	led, strings, tail := l.element() // of the one that does not end in b
	if led {
		p = SkipLength(b, p)
	}
	for ; strings > 0 && uint(p) <= uint(len(b)); strings-- {
		p = SkipString(b, p)
	}
	if p < 0 {
		return p
	}
	return behind(p, uint64(tail))
}

func skipModule(b []byte, p int) int {
	if p = SkipLength(b, p); p < 0 {
		return p
	}
	for p < len(b) {
		op := b[p]
		p++
		switch op {
		case ModuleEOF:
			return p
		case ModuleSInt, ModuleUInt:
			p = SkipLength(b, p)
		case ModuleFloat:
			p += 4
		case ModuleDouble:
			p += 8
		case ModuleString:
			p = SkipString(b, p)
		default:
			return SkipBad
		}
		if p < 0 {
			return p
		}
	}
	return SkipMore
}

func skipLengths(b []byte, p, n int) int {
	for ; n > 0; n-- {
		if p = SkipLength(b, p); uint(p) > uint(len(b)) {
			return p
		}
	}
	return p
}

// streamNodes are the nodes of a stream: IDs and listpacks.
var streamNodes = Layout{Kind: Counted, Strings: 2}

func skipStream(b []byte, p int, variant uint8) int {
	if p = skipCounted(b, p, &streamNodes); uint(p) > uint(len(b)) {
		return p
	}
	head, group := 3, 2
	if variant >= StreamCounters {
		head, group = 8, 3
	}
	if p = skipLengths(b, p, head); uint(p) > uint(len(b)) {
		return p
	}
	groups, p := CountAt(b, p)
	for ; groups > 0; groups-- {
		if uint(p) > uint(len(b)) {
			return p
		}
		if p = SkipString(b, p); uint(p) > uint(len(b)) {
			return p
		}
		if p = skipLengths(b, p, group); uint(p) > uint(len(b)) {
			return p
		}
		if p = skipConsumers(b, p, variant); uint(p) > uint(len(b)) {
			return p
		}
	}
	if variant >= StreamIdempotent {
		// Producers: rare, and so left to the walker.
		if uint(p) > uint(len(b)) {
			return p
		}
		if p = skipLengths(b, p, 2); uint(p) > uint(len(b)) {
			return p
		}
		var n uint64
		if n, p = CountAt(b, p); uint(p) > uint(len(b)) {
			return p
		}
		if n > 0 {
			return SkipBad
		}
		p = skipLengths(b, p, 2)
	}
	return p
}

// skipConsumers passes the pending entries of a group and its consumers.
func skipConsumers(b []byte, p int, variant uint8) int {
	pel, p := CountAt(b, p)
	for ; pel > 0; pel-- {
		if uint(p) > uint(len(b)) {
			return p
		}
		p = SkipLength(b, p+24)
	}
	if uint(p) > uint(len(b)) {
		return p
	}
	consumers, p := CountAt(b, p)
	times := 8
	if variant >= StreamActive {
		times = 16
	}
	for ; consumers > 0; consumers-- {
		if uint(p) > uint(len(b)) {
			return p
		}
		if p = SkipString(b, p); uint(p) > uint(len(b)) {
			return p
		}
		if p = skipIDs(b, p+times); uint(p) > uint(len(b)) {
			return p
		}
	}
	if variant >= StreamNacked && uint(p) <= uint(len(b)) {
		p = skipIDs(b, p)
	}
	return p
}

// skipIDs passes a count and as many stream IDs.
func skipIDs(b []byte, p int) int {
	n, p := CountAt(b, p)
	if uint(p) > uint(len(b)) {
		return p
	}
	return behind(p, min(n, tooFar)*16)
}

// SkipElements passes as many of n elements as lie in b whole. Inlined, its loop
// has too few registers and takes a third longer.
//
//go:noinline
func (l *Layout) SkipElements(b []byte, p int, n uint64) (done uint64, next int) {
	led, strings, tail := l.element()
	for ; done < n; done++ {
		q := p
		if led {
			if q = SkipLength(b, q); uint(q) > uint(len(b)) {
				break
			}
		}
		for range strings {
			if q >= len(b) {
				return done, p
			}
			if c := b[q]; c < 64 {
				q += 1 + int(c)
			} else if q = SkipString(b, q); uint(q) > uint(len(b)) {
				return done, p
			}
		}
		if q += tail; q > len(b) {
			break
		}
		p = q
	}
	return done, p
}
