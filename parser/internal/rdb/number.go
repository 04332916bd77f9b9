package rdb

import (
	"math"
	"math/bits"
)

// DecimalLen is the number of bytes of v's decimal text.
func DecimalLen(v int64) int {
	sign := v >> 63
	u := uint64((v ^ sign) - sign)
	// 1233/4096 is log10(2), near enough for 64 bits. No branch: numbers of
	// all sizes stand side by side. The difference never reaches 2^63.
	t := bits.Len64(u|1) * 1233 >> 12 & 31
	return 1 - int(sign) + t - int((u-powersOfTen[t])>>63)
}

var powersOfTen = func() (p [32]uint64) {
	// p[0] stays 0: the text of 0 has one digit, too.
	for i, v := 1, uint64(10); i < 20; i, v = i+1, v*10 {
		p[i] = v
	}
	return p
}()

// CanonicalInt returns the int64 of which text is the shortest decimal form.
func CanonicalInt(text []byte) (int64, bool) {
	if len(text) == 0 || len(text) > 20 {
		return 0, false
	}
	digits := text
	if text[0] == '-' {
		digits = text[1:]
		if len(digits) == 0 || digits[0] == '0' {
			return 0, false
		}
	}
	if digits[0] == '0' && len(digits) > 1 {
		return 0, false
	}
	var u uint64
	for _, c := range digits {
		d := uint64(c - '0')
		if d > 9 || u > (math.MaxUint64-d)/10 {
			return 0, false
		}
		u = u*10 + d
	}
	if text[0] == '-' {
		if u > 1<<63 {
			return 0, false
		}
		return -int64(u), true
	}
	return int64(u), u <= math.MaxInt64
}

// backLen is the number of bytes of a listpack entry's backward length.
func backLen(size int64) int64 {
	switch {
	case size <= 127:
		return 1
	case size < 16383:
		return 2
	case size < 2097151:
		return 3
	case size < 268435455:
		return 4
	}
	return 5
}

// ListpackText is what a string of n bytes takes as a listpack entry.
func ListpackText(n int64) int64 {
	switch {
	case n < 64:
		return n + 2
	case n < 4096:
		return n + 2 + backLen(n+2)
	}
	return n + 5 + backLen(n+5)
}

// ListpackString is what a string of n bytes takes as a listpack entry, which
// begins with head: a number where it is the text of one.
func ListpackString(n int64, head []byte) int64 {
	if n <= 20 && n == int64(len(head)) {
		if v, ok := CanonicalInt(head); ok {
			return ListpackInt(v)
		}
	}
	return ListpackText(n)
}

// ListpackInt is what a number takes as a listpack entry.
func ListpackInt(v int64) int64 {
	switch {
	case v >= 0 && v < 128:
		return 2
	case v >= -4096 && v < 4096:
		return 3
	case v >= -1<<15 && v < 1<<15:
		return 4
	case v >= -1<<23 && v < 1<<23:
		return 5
	case v >= -1<<31 && v < 1<<31:
		return 6
	}
	return 10
}
