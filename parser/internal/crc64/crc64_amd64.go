//go:build !purego

package crc64

import (
	"encoding/binary"

	"golang.org/x/sys/cpu"
)

var hasCarryless, hasWide = cpu.X86.HasPCLMULQDQ, cpu.X86.HasAVX512VPCLMULQDQ && cpu.X86.HasAVX2

// foldPowers are the factors that move a 128-bit remainder over the text that
// follows: by 1024 bits (eight remainders side by side) and by 128 bits (one).
// Of each pair the first is for the earlier half of the remainder. A product
// of reflected polynomials stands one bit low, hence the 63 and -1.
var foldPowers = [4]uint64{power(1024 + 63), power(1024 - 1), power(128 + 63), power(128 - 1)}

// foldMin is the length from which folding beats the tables.
const foldMin = 256

// fold reduces p, whose length must be a multiple of 16 and at least 128, to
// 16 bytes, lo and hi in little-endian order, that have the same checksum from 0
// as p has from crc.
//
// wide says to use registers of 256 bits, with two remainders each. Four of them in registers of
// 512 bits are faster alone and make a scan slower: on some processors such multiplications lower
// the clock for all that follows.
//
//go:noescape
func fold(crc uint64, p []byte, powers *[4]uint64, wide bool) (lo, hi uint64)

func update(crc uint64, p []byte) uint64 {
	if !hasCarryless || len(p) < foldMin {
		return updateGeneric(crc, p)
	}
	n := len(p) &^ 15
	lo, hi := fold(crc, p[:n], &foldPowers, hasWide)
	var rest [16]byte
	binary.LittleEndian.PutUint64(rest[:], lo)
	binary.LittleEndian.PutUint64(rest[8:], hi)
	return updateOne(updateOne(0, rest[:]), p[n:])
}
