package inflate

// symbols decodes the symbols of a block: as many as possible in the fast loop, what
// is left of the input and what is special one by one.
func (z *Reader) symbols() {
	z.fast()
	if z.err == nil && z.outPos < outFull && (z.inEnd-z.inPos >= inRoom || z.readErr != nil) {
		z.symbol()
	}
}

// ahead has n bits in hold, at most 56, or all that there are: then the bits of hold
// above z.bits are 0. Else they may be those of the input behind z.inPos.
func (z *Reader) ahead(n uint) {
	for z.bits < n {
		switch {
		case z.inPos+8 <= z.inEnd:
			z.hold |= z.load(z.inPos) << z.bits
			z.inPos += (63 - z.bits) >> 3
			z.bits |= 56
		case z.inPos < z.inEnd:
			z.hold |= uint64(z.in[z.inPos&(inSize-1)]) << z.bits
			z.inPos++
			z.bits += 8
		case z.readErr == nil:
			z.fill()
		default:
			return
		}
	}
}

func (z *Reader) symbol() {
	z.ahead(15 + 5 + 15 + 13)
	e := z.lit[z.hold&(1<<litBits-1)]
	if e&isTable != 0 {
		e = z.lit[(uint64(e>>16)+z.hold>>litBits&(1<<(e>>8&15)-1))&(litSize-1)]
	}
	used := uint(e & 63)
	switch {
	case used > z.bits:
		z.short()
		return
	case e&isLiteral != 0:
		z.drop(used)
		z.out[z.outPos] = byte(e >> 16)
		z.outPos++
		return
	case e&isEnd != 0:
		z.drop(used)
		z.stage = (*Reader).block
		return
	case e&isSpecial != 0:
		z.fail(badCode)
		return
	}
	rest := z.hold >> used
	d := z.dist[rest&(1<<distBits-1)]
	if d&isTable != 0 {
		d = z.dist[(uint64(d>>16)+rest>>distBits&(1<<(d>>8&15)-1))&(distSize-1)]
	}
	more := uint(d & 63)
	switch {
	case used+more > z.bits:
		z.short()
		return
	case d&isSpecial != 0:
		z.drop(used) // as in the fast loop: the offset does not depend on the input at hand
		z.fail(badDistance)
		return
	}
	length := uint(e>>16) + uint(z.hold&(1<<used-1)>>(e>>8&15))
	distance := uint(d>>16) + uint(rest&(1<<more-1)>>(d>>8&15))
	z.drop(used + more)
	if distance > z.outPos-z.start {
		z.fail(farMatch)
		return
	}
	for range length {
		z.out[z.outPos] = z.out[z.outPos-distance]
		z.outPos++
	}
}

func (z *Reader) drop(n uint) {
	z.hold >>= n
	z.bits -= n
}
