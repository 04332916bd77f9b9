package memory

import (
	"math"
	"strconv"
	"strings"
)

// AppendScore appends the text that the server writes for a score into a
// compact sorted set (d2string in util.c). A text that is the canonical form of
// an int64 is stored as that number. For about one in a thousand fractions
// newer servers write more digits than necessary (Grisu2), which is ignored.
func (m *Model) AppendScore(dst []byte, score float64) []byte {
	const exact = 1 << 62 // double2ll converts whole numbers up to here
	switch {
	case math.IsInf(score, -1):
		return append(dst, "-inf"...)
	case math.IsInf(score, 1):
		return append(dst, "inf"...)
	case !m.ziplists && score == math.Trunc(score) && math.Abs(score) <= exact:
		return strconv.AppendInt(dst, int64(score), 10)
	case !m.shortScores:
		return strconv.AppendFloat(dst, score, 'g', 17, 64)
	}
	// emit_digits in fpconv_dtoa.c: without an exponent unless more than 6
	// zeros would follow the digits, or precede the last one.
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(score, 'e', -1, 64), "e")
	exp, _ := strconv.Atoi(exponent)
	digits := len(strings.TrimLeft(strings.Replace(mantissa, ".", "", 1), "-"))
	last := exp - digits + 1 // power of ten of the last digit
	if last >= 0 && exp < digits+7 || last < 0 && (last > -7 || exp > -4 && exp < 4) {
		return strconv.AppendFloat(dst, score, 'f', -1, 64)
	}
	dst = append(append(dst, mantissa...), 'e')
	if exp >= 0 {
		dst = append(dst, '+')
	}
	return strconv.AppendInt(dst, int64(exp), 10)
}
