package parser

import "encoding/binary"

// framing is what of a dialect finding the ends of records needs.
type framing struct {
	layouts    [256]Layout // by type byte
	isType     [256]bool   // the number is a type, no opcode
	oneString  [256]bool   // the value is one string of the file
	enterprise bool        // the opcodes of Redis Enterprise are known
}

// set says how a type is laid out.
func (f *framing) set(number byte, l Layout) {
	f.layouts[number], f.isType[number] = l, true
	f.oneString[number] = (l.kind == layoutText || l.kind == layoutBlock) && !l.minExpire
}

// How skimming ended.
type skimmed uint8

const (
	skimShort skimmed = iota // the bytes ran out inside of a record
	skimSlow                 // a record that only the walker understands, or damage
	skimEnd                  // the end opcode
)

// skim finds where records end, without looking into values: it is what one
// goroutine can do fast enough to keep others busy. It returns the end of the
// last whole record, and why it went no further.
//
// It knows the grammar of what is frequent, and leaves all else, and every
// error, to the walker, which reads the same bytes again.
func (f *framing) skim(b []byte, pos int, db *int) (cut int, why skimmed) {
	cut = pos
	p := pos
	whole := true // no opcode waits for its key
	for p < len(b) {
		if whole {
			cut = skimStrings(&f.oneString, b, p)
			if p = cut; p == len(b) {
				break
			}
		}
		op := b[p]
		p++
		switch op {
		case opExpireMS:
			p += 8
			whole = false
			continue
		case opExpire:
			p += 4
			whole = false
			continue
		case opIdle:
			p = skipLength(b, p)
			whole = false
		case opFreq:
			p++
			whole = false
			continue
		case opSelectDB:
			at := p
			if p = skipLength(b, p); p > 0 && p <= len(b) {
				n := lengthAt(b, at)
				if n > 1<<31-1 {
					return cut, skimSlow
				}
				if !whole {
					// The database of a record that is read again must be the
					// one that it began in.
					return cut, skimSlow
				}
				*db = int(n)
				cut = p
				continue
			}
		case opAux:
			if p = skipString(b, p); p > 0 && p <= len(b) {
				p = skipString(b, p)
			}
		case opResizeDB:
			if p = skipLength(b, p); p > 0 && p <= len(b) {
				p = skipLength(b, p)
			}
		case opSlotInfo:
			for range 3 {
				if p > 0 && p <= len(b) {
					p = skipLength(b, p)
				}
			}
		case opFunction:
			p = skipString(b, p)
		case opEnterpriseLRU, opEnterpriseSlot:
			if !f.enterprise {
				return cut, skimSlow
			}
			p = skipLength(b, p)
			whole = false
			if p > 0 && p <= len(b) {
				continue
			}
		case opEOF:
			if !whole {
				return cut, skimSlow
			}
			return cut, skimEnd
		default:
			if p = skipString(b, p); p > 0 && p <= len(b) {
				p = skipValue(&f.layouts[op], b, p)
			}
			whole = true
		}
		if p < 0 {
			return cut, skimSlow
		}
		if p > len(b) {
			return cut, skimShort
		}
		if whole {
			cut = p
		}
	}
	return cut, skimShort
}

// skimStrings passes records of types whose value is one string, with at most an expiry in
// milliseconds and a name of under 64 bytes, which is what most snapshots mostly
// hold, as far as they lie in b whole.
func skimStrings(oneString *[256]bool, b []byte, cut int) int {
	for {
		p := cut
		if len(b)-p < 9+2+63+2 {
			return cut
		}
		if b[p] == opExpireMS {
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
			if p = skipString(b, p); p < 0 {
				return cut
			}
		}
		if p > len(b) {
			return cut
		}
		cut = p
	}
}

const (
	skipBad  = -1
	skipMore = 1 << 62 // past the end of any buffer
)

// skipLength returns the position after the length at p: skipBad if there is none,
// a position beyond the buffer if that ends first.
func skipLength(b []byte, p int) int {
	if p >= len(b) {
		return skipMore
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
	return skipBad
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

// count reads a length and returns the position after it, as skipLength does.
func count(b []byte, p int) (n uint64, next int) {
	next = skipLength(b, p)
	if next < 0 || next > len(b) {
		return 0, next
	}
	return lengthAt(b, p), next
}

// skipString returns the position after the string at p.
func skipString(b []byte, p int) int {
	if p >= len(b) {
		return skipMore
	}
	c := b[p]
	switch {
	case c < 0x40:
		return p + 1 + int(c)
	case c < 0x80:
		if p+1 >= len(b) {
			return skipMore
		}
		return p + 2 + int(c&0x3f)<<8 + int(b[p+1])
	case c == 0xc0:
		return p + 2
	case c == 0xc1:
		return p + 3
	case c == 0xc2:
		return p + 5
	case c == 0xc3:
		n, q := count(b, p+1)
		if q < 0 || q > len(b) {
			return q
		}
		if q = skipLength(b, q); q < 0 || q > len(b) {
			return q
		}
		return behind(q, n)
	}
	n, q := count(b, p)
	if q < 0 || q > len(b) {
		return q
	}
	return behind(q, n)
}

func behind(p int, n uint64) int {
	if n > blockSize {
		return skipMore
	}
	return p + int(n)
}

// skipStrings passes n groups: before each a length where led, then strings,
// then tail bytes.
func skipStrings(b []byte, p int, n uint64, led bool, strings, tail int) int {
	for ; n > 0; n-- {
		if led {
			if p = skipLength(b, p); p < 0 || p > len(b) {
				return p
			}
		}
		for range strings {
			if p = skipString(b, p); p < 0 || p > len(b) {
				return p
			}
		}
		if p += tail; p > len(b) {
			return p
		}
	}
	return p
}

// skipValue returns the position behind a value of a type.
func skipValue(l *Layout, b []byte, p int) int {
	if l.minExpire {
		if p += 8; p > len(b) {
			return skipMore
		}
	}
	switch l.kind {
	case layoutText, layoutBlock:
		return skipString(b, p)
	case layoutCounted, layoutQuicklist:
		if besides[l.beside].unknown {
			return skipBad
		}
		return skipCounted(b, p, l)
	case layoutStream:
		return skipStream(b, p, l.variant)
	case layoutModule:
		return skipModule(b, p)
	}
	return skipBad
}

// skipCounted passes a count and as many elements.
func skipCounted(b []byte, p int, l *Layout) int {
	n, p := count(b, p)
	if p < 0 || p > len(b) {
		return p
	}
	if n > uint64(len(b)-p) {
		return skipMore
	}
	led, strings, tail := l.element()
	return skipStrings(b, p, n, led, strings, tail)
}

func skipModule(b []byte, p int) int {
	if p = skipLength(b, p); p < 0 {
		return p
	}
	for p < len(b) {
		op := b[p]
		p++
		switch op {
		case modEOF:
			return p
		case modSInt, modUInt:
			p = skipLength(b, p)
		case modFloat:
			p += 4
		case modDouble:
			p += 8
		case modString:
			p = skipString(b, p)
		default:
			return skipBad
		}
		if p < 0 {
			return p
		}
	}
	return skipMore
}

// skipLengths passes n lengths.
func skipLengths(b []byte, p, n int) int {
	for ; n > 0; n-- {
		if p = skipLength(b, p); p < 0 || p > len(b) {
			return p
		}
	}
	return p
}

// streamNodes are the nodes of a stream: IDs and listpacks.
var streamNodes = Layout{kind: layoutCounted, strings: 2}

func skipStream(b []byte, p int, variant uint8) int {
	if p = skipCounted(b, p, &streamNodes); p < 0 || p > len(b) {
		return p
	}
	head, group := 3, 2
	if variant >= streamCounters {
		head, group = 8, 3
	}
	if p = skipLengths(b, p, head); p < 0 || p > len(b) {
		return p
	}
	groups, p := count(b, p)
	for ; groups > 0; groups-- {
		if p < 0 || p > len(b) {
			return p
		}
		if p = skipString(b, p); p < 0 || p > len(b) {
			return p
		}
		if p = skipLengths(b, p, group); p < 0 || p > len(b) {
			return p
		}
		if p = skipConsumers(b, p, variant); p < 0 || p > len(b) {
			return p
		}
	}
	if variant >= streamIdempotent {
		// Producers: rare, and so left to the walker.
		if p < 0 || p > len(b) {
			return p
		}
		if p = skipLengths(b, p, 2); p < 0 || p > len(b) {
			return p
		}
		var n uint64
		if n, p = count(b, p); p < 0 || p > len(b) {
			return p
		}
		if n > 0 {
			return skipBad
		}
		p = skipLengths(b, p, 2)
	}
	return p
}

// skipConsumers passes the pending entries of a group and its consumers.
func skipConsumers(b []byte, p int, variant uint8) int {
	pel, p := count(b, p)
	for ; pel > 0; pel-- {
		if p < 0 || p > len(b) {
			return p
		}
		p = skipLength(b, p+24)
	}
	if p < 0 || p > len(b) {
		return p
	}
	consumers, p := count(b, p)
	times := 8
	if variant >= streamActive {
		times = 16
	}
	for ; consumers > 0; consumers-- {
		if p < 0 || p > len(b) {
			return p
		}
		if p = skipString(b, p); p < 0 || p > len(b) {
			return p
		}
		if p = skipIDs(b, p+times); p < 0 || p > len(b) {
			return p
		}
	}
	if variant >= streamNacked && p >= 0 && p <= len(b) {
		p = skipIDs(b, p)
	}
	return p
}

// skipIDs passes a count and as many stream IDs.
func skipIDs(b []byte, p int) int {
	n, p := count(b, p)
	if p < 0 || p > len(b) {
		return p
	}
	return behind(p, min(n, blockSize)*16)
}

// skipElements passes as many of n elements as lie in b whole.
func (l *Layout) skipElements(b []byte, p int, n uint64) (done uint64, next int) {
	led, strings, tail := l.element()
	for ; done < n; done++ {
		q := p
		if led {
			if q = skipLength(b, q); q < 0 || q > len(b) {
				break
			}
		}
		for range strings {
			if q >= len(b) {
				return done, p
			}
			if c := b[q]; c < 64 {
				q += 1 + int(c)
			} else if q = skipString(b, q); q < 0 || q > len(b) {
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
