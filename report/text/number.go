package text

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// AppendCells appends numbers as CSV cells, each followed by a comma. A negative
// number is unknown and makes an empty cell.
func AppendCells(dst []byte, numbers ...int64) []byte {
	dst = slices.Grow(dst, len(numbers)*maxDigits)
	row := dst[:cap(dst)]
	i := len(dst)
	for _, n := range numbers {
		if n >= 0 {
			i = putUint(row, i, uint64(n))
		}
		row[i] = ','
		i++
	}
	return row[:i]
}

// AppendNumber appends a number for JSON: null if it is negative, which is
// unknown.
func AppendNumber(dst []byte, n int64) []byte {
	if n < 0 {
		return append(dst, "null"...)
	}
	return AppendInt(dst, n)
}

// maxDigits is more bytes than putUint and a comma need.
const maxDigits = 32

// AppendInt is strconv.AppendInt in base 10, faster by half: the rows of ten
// million keys contain a hundred million numbers.
func AppendInt(dst []byte, n int64) []byte {
	if uint64(n) < 10 {
		return append(dst, '0'+byte(n))
	}
	u := uint64(n)
	if n < 0 {
		dst = append(dst, '-')
		u = -u
	}
	dst = slices.Grow(dst, maxDigits)
	row := dst[:cap(dst)]
	return row[:putUint(row, len(dst), u)]
}

// putUint writes a number at b[i:], may overwrite bytes after it, and returns the
// index of its end.
func putUint(b []byte, i int, u uint64) int {
	if u < 10 {
		b[i] = '0' + byte(u)
		return i + 1
	}
	if u >= 1e8 {
		i = putUint(b, i, u/1e8)
		binary.LittleEndian.PutUint64(b[i:], eightDigits(u%1e8)|'0'*ones)
		return i + 8
	}
	d := eightDigits(u)
	zeros := bits.TrailingZeros64(d) // eight for each leading one, and up to three
	binary.LittleEndian.PutUint64(b[i:], d>>(zeros&56)|'0'*ones)
	return i + 8 - zeros/8
}

// eightDigits returns the decimal digits of a number below 10^8, the first in the
// lowest byte. It halves the groups: one of 8 digits, 2 of 4, 4 of 2, 8 of 1.
func eightDigits(u uint64) uint64 {
	fours := u/10000 | u%10000<<32
	high := fours * 10486 >> 20 & 0x7f0000007f // n/100 is n*10486>>20 for n < 10000
	twos := (fours-100*high)<<16 | high
	high = twos * 103 >> 10 & 0x000f000f000f000f // n/10 is n*103>>10 for n < 100
	return (twos-10*high)<<8 | high
}
