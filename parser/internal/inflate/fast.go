package inflate

import "encoding/binary"

// fast decodes symbols while there is input and room for any of them. It stops before
// what is special.
//
// Four fifths of the time of a scan of a gzip file are spent here. Each index is masked
// by a constant below the length of its array, so that nothing is checked twice and
// all state stays in registers; a test holds the compiler to that.
//
// Each symbol needs the bits that the one before leaves, so the steps of that chain count,
// and not the instructions beside it: e, the entry of the next symbol, is loaded before
// hold is filled again. A load fills all 64 bits of hold, of which bits counts at least
// the 56 that in has passed. Between two loads are four literals of the first table, or
// a length and a distance: at most 15+5+15+13 bits. That leaves a whole index of that
// table for the next e.
func (z *Reader) fast() {
	// Of bits, the lowest six count.
	hold, bits, in, out := z.hold, uint64(z.bits), z.inPos, z.outPos
	if z.inEnd < inRoom || in > z.inEnd-inRoom {
		return
	}
	hold |= z.load(in) << (bits & 63)
	e := z.lit[hold&(1<<litBits-1)]
	for inLast := z.inEnd - inRoom; in <= inLast && out < outFull; {
		hold |= z.load(in) << (bits & 63)
		in += uint(^bits >> 3 & 7)
		bits |= 56
		if int32(e) < 0 {
			z.out[out&(outSize-1)] = byte(e >> 16)
			out++
			hold >>= e & 63
			bits -= uint64(e)
			e = z.lit[hold&(1<<litBits-1)]
			if int32(e) < 0 {
				z.out[out&(outSize-1)] = byte(e >> 16)
				out++
				hold >>= e & 63
				bits -= uint64(e)
				e = z.lit[hold&(1<<litBits-1)]
				if int32(e) < 0 {
					z.out[out&(outSize-1)] = byte(e >> 16)
					out++
					hold >>= e & 63
					bits -= uint64(e)
					e = z.lit[hold&(1<<litBits-1)]
					if int32(e) < 0 {
						z.out[out&(outSize-1)] = byte(e >> 16)
						out++
						hold >>= e & 63
						bits -= uint64(e)
						e = z.lit[hold&(1<<litBits-1)]
						continue
					}
				}
			}
			hold |= z.load(in) << (bits & 63)
			in += uint(^bits >> 3 & 7)
			bits |= 56
		}
		if e&isSpecial != 0 {
			if e&isTable == 0 {
				break
			}
			e = z.lit[(uint64(e>>16)+hold>>litBits&(1<<(e>>8&15)-1))&(litSize-1)]
			if int32(e) < 0 {
				z.out[out&(outSize-1)] = byte(e >> 16)
				out++
				hold >>= e & 63
				bits -= uint64(e)
				e = z.lit[hold&(1<<litBits-1)]
				continue
			}
			if e&isSpecial != 0 {
				break
			}
		}
		length := uint(e>>16) + uint(hold&(1<<(e&63)-1)>>(e>>8&15))
		hold >>= e & 63
		bits -= uint64(e)

		d := z.dist[hold&(1<<distBits-1)]
		if d&isTable != 0 {
			d = z.dist[(uint64(d>>16)+hold>>distBits&(1<<(d>>8&15)-1))&(distSize-1)]
		}
		distance := uint(d>>16) + uint(hold&(1<<(d&63)-1)>>(d>>8&15))
		if d&isSpecial != 0 {
			z.store(hold, bits, in, out)
			z.fail(badDistance)
			return
		}
		hold >>= d & 63
		bits -= uint64(d)
		e = z.lit[hold&(1<<litBits-1)]
		if distance > out-z.start {
			z.store(hold, bits, in, out)
			z.fail(farMatch)
			return
		}
		from, end := out-distance, out+length
		if distance >= 8 {
			for {
				z.copy8(out, from)
				z.copy8(out+8, from+8)
				if out += 16; out >= end {
					break
				}
				from += 16
			}
		} else {
			// Eight bytes one by one, and then a multiple of the distance back.
			for i := range uint(8) {
				z.out[(out+i)&(outSize-1)] = z.out[(from+i)&(outSize-1)]
			}
			out += 8
			for from = out - far[distance&7]; out < end; {
				z.copy8(out, from)
				out += 8
				from += 8
			}
		}
		out = end
	}
	z.store(hold, bits, in, out)
}

// far has by distances below 8 their least multiple of 8 and more.
var far = [8]uint{8, 8, 8, 9, 8, 10, 12, 14}

func (z *Reader) store(hold, bits uint64, in, out uint) {
	z.hold, z.bits, z.inPos, z.outPos = hold, uint(bits&63), in, out
}

// load returns the 8 bytes of input at i.
func (z *Reader) load(i uint) uint64 {
	i &= inSize - 1
	return binary.LittleEndian.Uint64(z.in[i : i+8])
}

// copy8 copies 8 bytes of output.
func (z *Reader) copy8(to, from uint) {
	to, from = to&(outSize-1), from&(outSize-1)
	*(*[8]byte)(z.out[to : to+8]) = *(*[8]byte)(z.out[from : from+8])
}
