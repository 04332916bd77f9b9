package rdb

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"
)

// Opcodes of a module's own serialization.
const (
	ModuleEOF = iota
	ModuleSInt
	ModuleUInt
	ModuleFloat
	ModuleDouble
	ModuleString
)

const moduleAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// ModuleName returns the type name in a module's ID: nine characters of six
// bits above ten bits of version (module.c, moduleTypeNameByID).
func ModuleName(id uint64) (name [9]byte) {
	id >>= 10
	for i := 8; i >= 0; i-- {
		name[i] = moduleAlphabet[id&63]
		id >>= 6
	}
	return name
}

// ModuleID returns the part of a module's ID that its name is: ModuleName without
// the ten bits of version. name has nine characters of the alphabet.
func ModuleID(name string) (id uint64) {
	for i := range len(name) {
		id = id<<6 | uint64(strings.IndexByte(moduleAlphabet, name[i]))
	}
	return id
}

// Float64 returns the number that 8 bytes hold, little endian.
func Float64(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }

// AppendNumber reads a string that is coded as a number and appends its text.
func AppendNumber(dst []byte, c *Cursor) []byte {
	form, _ := c.LengthOrForm()
	return strconv.AppendInt(dst, c.Number(form), 10)
}

// PassString passes a string, and returns the length of its text and of its LZF, 0
// if it has none.
func (w *Cursor) PassString() (n, compressed int64) {
	w.Need(1)
	if c := w.Buf[w.Pos]; c>>6 == 3 && c&63 != FormLZF {
		var digits [20]byte
		return int64(len(AppendNumber(digits[:0], w))), 0
	}
	size, special := w.LengthOrForm()
	if !special {
		n = w.CheckLen(size)
		w.Skip(size)
		return n, 0
	}
	clen, ulen := w.Length(), w.Length()
	n, compressed = w.CheckLen(ulen), w.CheckLen(clen)
	switch {
	case clen < ulen/MaxRatioLZF:
		w.Failf("a compressed string of %d bytes claims to hold %d, more than LZF can", clen, ulen)
	case clen > uint64(len(w.Buf)-w.Pos):
		w.SkipLZF(clen, n)
	case !CheckLZF(w.Buf[w.Pos:w.Pos+int(clen)], n):
		w.Failf(BadLZF)
	default:
		w.Pos += int(clen)
	}
	return n, compressed
}
