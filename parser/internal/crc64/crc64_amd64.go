//go:build !purego

package crc64

import (
	"encoding/binary"

	"golang.org/x/sys/cpu"
)

var (
	hasCarryless = cpu.X86.HasPCLMULQDQ
	hasWide      = hasCarryless && cpu.X86.HasAVX512F && cpu.X86.HasAVX512VPCLMULQDQ
)

// foldPowers are the factors that move a 128-bit remainder over the text that
// follows: by 1024 bits (eight remainders side by side) and by 128 bits (one).
// Of each pair the first is for the earlier half of the remainder. A product
// of reflected polynomials stands one bit low, hence the 63 and -1.
var foldPowers = [4]uint64{power(1024 + 63), power(1024 - 1), power(128 + 63), power(128 - 1)}

// widePowers move it by 2048 bits: sixteen remainders side by side.
var widePowers = [2]uint64{power(2048 + 63), power(2048 - 1)}

// wideMin is the length from which it pays to have sixteen.
const wideMin = 4096

// foldMin is the length from which folding beats the tables.
const foldMin = 256

// fold reduces p, whose length must be a multiple of 16 and at least 128, to
// 16 bytes that have the same checksum from 0 as p has from crc. They stand in
// lo and hi, little-endian.
//
//go:noescape
func fold(crc uint64, p []byte, powers *[4]uint64) (lo, hi uint64)

// foldWide reduces p, whose length must be a multiple of 256 and not 0, to 256
// bytes that have the same checksum from 0 as p has from crc.
//
//go:noescape
func foldWide(crc uint64, p []byte, powers *[2]uint64, rest *[256]byte)

func update(crc uint64, p []byte) uint64 {
	if hasWide && len(p) >= wideMin {
		n := len(p) &^ 255
		var rest [256]byte
		foldWide(crc, p[:n], &widePowers, &rest)
		crc, p = updateFolded(0, rest[:]), p[n:]
	}
	return updateFolded(crc, p)
}

func updateFolded(crc uint64, p []byte) uint64 {
	if !hasCarryless || len(p) < foldMin {
		return updateGeneric(crc, p)
	}
	n := len(p) &^ 15
	lo, hi := fold(crc, p[:n], &foldPowers)
	var rest [16]byte
	binary.LittleEndian.PutUint64(rest[:], lo)
	binary.LittleEndian.PutUint64(rest[8:], hi)
	return updateOne(updateOne(0, rest[:]), p[n:])
}
