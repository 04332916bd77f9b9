// Package columns writes values of one type so that what each field has in all of them is
// together: compressed, they take half of the bytes that rows would take.
//
// A run of values is their number, then each column: twice its length in bytes, plus 1 if its
// figures are differences to the one before, and its bytes. Numbers are varints of package
// binary: those of the run unsigned, figures signed; those of 0 at the end of a column are left out.
// The fields of structs follow each other, but for those that are not exported or have the tag
// json:"-". Others have:
//
//   - a bool, an integer, the bytes of a float64 in reverse order: one column of figures;
//   - a string or []byte: the length, 0 for nil, else plus 1; how many bytes are those of the
//     one before; the others;
//   - a pointer: 0 for nil, else 1, and what it points to;
//   - another slice: the length, 0 for nil, else plus 1, and its elements in the same columns;
//   - an array: its elements in the same columns.
package columns

import (
	"encoding/binary"
	"math"
	"math/bits"
	"reflect"
	"sync"
)

// Bounds of a run that is read.
const (
	maxText    = 8 << 20 // bytes of all strings
	maxFigures = 1 << 20
)

// Run has the columns of a run, which is written or read. The zero Run is empty.
type Run struct {
	Values int // that were written
	Size   int // about how many bytes they take
	list   []column
	at     int // the next one
	read   bool
	number int  // figures that were read
	bad    bool // what is read is no run of the type
}

// Add writes what a pointer points to, the same type each time.
func (c *Run) Add(v any) {
	e := reflect.ValueOf(v).Elem()
	if c.list == nil {
		c.list = make([]column, width(e.Type()))
	}
	c.Values++
	c.at = 0
	c.value(e)
}

type column struct {
	last  int64
	text  []byte    // the last one
	bytes [2][]byte // written: figures as they are, and the differences; [0] is read
	used  [2]int    // bytes up to the last figure that is not 0
	less  bool      // differences are read
}

func (c *Run) int(v *int64) {
	x := &c.list[c.at]
	c.at++
	if !c.read {
		n := len(x.bytes[0])
		for i, figure := range [2]int64{*v, *v - x.last} {
			if x.bytes[i] = binary.AppendVarint(x.bytes[i], figure); figure != 0 {
				x.used[i] = len(x.bytes[i])
			}
		}
		c.Size += len(x.bytes[0]) - n
	} else {
		n := 0
		if *v, n = binary.Varint(x.bytes[0]); n < 0 || n == 0 && len(x.bytes[0]) > 0 || c.number >= maxFigures {
			c.bad, *v = true, 0
			return
		}
		c.number++
		if x.bytes[0] = x.bytes[0][n:]; x.less {
			*v += x.last
		}
	}
	x.last = *v
}

func (c *Run) text(v *[]byte) {
	x := &c.list[c.at]
	n, same := int64(len(*v))+1, int64(0)
	if *v == nil {
		n = 0
	}
	for same < min(n-1, int64(len(x.text))) && (*v)[same] == x.text[same] {
		same++
	}
	c.int(&n)
	c.int(&same)
	to := &c.list[c.at]
	c.at++
	switch rest := n - 1 - same; {
	case !c.read:
		to.bytes[0] = append(to.bytes[0], (*v)[same:]...)
		c.Size += len(*v) - int(same)
	case n == 0 && same == 0:
		*v = nil
	case same < 0 || rest < 0 || same > int64(len(x.text)) || rest > int64(len(to.bytes[0])):
		c.bad = true
	default:
		*v = append(append(make([]byte, 0, n-1), x.text[:same]...), to.bytes[0][:rest]...)
		to.bytes[0] = to.bytes[0][rest:]
		if c.Size += len(*v); c.Size > maxText {
			c.bad = true
		}
	}
	x.text = *v
}

func (c *Run) value(v reflect.Value) {
	if c.bad {
		return
	}
	n := int64(0)
	switch t := v.Type(); t.Kind() {
	case reflect.Bool:
		if v.Bool() {
			n = 1
		}
		if c.int(&n); c.read {
			v.SetBool(n != 0)
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n = v.Int()
		if c.int(&n); c.read {
			c.bad = c.bad || v.OverflowInt(n)
			v.SetInt(n)
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n = int64(v.Uint())
		if c.int(&n); c.read {
			c.bad = c.bad || v.OverflowUint(uint64(n))
			v.SetUint(uint64(n))
		}
	case reflect.Float64:
		n = int64(bits.ReverseBytes64(math.Float64bits(v.Float())))
		if c.int(&n); c.read {
			v.SetFloat(math.Float64frombits(bits.ReverseBytes64(uint64(n))))
		}
	case reflect.String:
		text := append([]byte{}, v.String()...)
		if c.text(&text); c.read {
			v.SetString(string(text))
		}
	case reflect.Struct:
		for i := range t.NumField() {
			if stored(t.Field(i)) {
				c.value(v.Field(i))
			}
		}
	case reflect.Pointer:
		end := c.at + width(t)
		if !v.IsNil() {
			n = 1
		}
		if c.int(&n); c.read && n != 0 {
			v.Set(reflect.New(t.Elem()))
		}
		if n != 0 {
			c.value(v.Elem())
		}
		c.at = end
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			text := v.Bytes()
			if c.text(&text); c.read {
				v.SetBytes(text)
			}
			return
		}
		c.slice(v)
	case reflect.Array:
		c.elements(v, v.Len())
	default:
		panic("columns: no form for " + t.String())
	}
}

func (c *Run) slice(v reflect.Value) {
	n := int64(0)
	if !v.IsNil() {
		n = int64(v.Len()) + 1
	}
	if c.int(&n); !c.read {
		c.elements(v, v.Len())
		return
	}
	end := c.at + width(v.Type().Elem())
	if n > 0 {
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	}
	for i := int64(1); i < n && !c.bad; i++ {
		e := reflect.New(v.Type().Elem()).Elem()
		c.elements(e, -1)
		v.Set(reflect.Append(v, e))
	}
	c.at = end
}

// elements writes or reads the elements of a list in the same columns, or a value that is
// one of them if there are -1.
func (c *Run) elements(v reflect.Value, n int) {
	at := c.at
	if n < 0 {
		c.value(v)
		c.at = at
		return
	}
	for i := range n {
		c.at = at
		c.value(v.Index(i))
	}
	c.at = at + width(v.Type().Elem())
}

func stored(f reflect.StructField) bool { return f.IsExported() && f.Tag.Get("json") != "-" }

var widths sync.Map // int by reflect.Type

func width(t reflect.Type) (n int) {
	if known, ok := widths.Load(t); ok {
		return known.(int)
	}
	switch t.Kind() {
	case reflect.Struct:
		for field := range t.Fields() {
			if stored(field) {
				n += width(field.Type)
			}
		}
	case reflect.Slice:
		if n = 1 + width(t.Elem()); t.Elem().Kind() == reflect.Uint8 {
			n = 3
		}
	case reflect.Pointer:
		n = 1 + width(t.Elem())
	case reflect.Array:
		n = width(t.Elem())
	case reflect.String:
		n = 3
	default:
		n = 1
	}
	widths.Store(t, n)
	return n
}

// Parts returns the run that was written in parts: each column of large bytes or more, and what is between
// those.
func (c *Run) Parts(large int) (parts [][]byte) {
	dst := binary.AppendUvarint(nil, uint64(c.Values))
	for i := range c.list {
		x, less := &c.list[i], uint64(0)
		b := x.bytes[0]
		if d := x.bytes[1]; d != nil {
			if b = b[:x.used[0]]; x.used[1] < len(b) {
				b, less = d[:x.used[1]], 1
			}
		}
		if dst = binary.AppendUvarint(dst, uint64(len(b))<<1|less); len(b) >= large {
			parts, dst = append(parts, dst, b), nil
		} else {
			dst = append(dst, b...)
		}
	}
	return append(parts, dst)
}

// Read calls do for each value of a run, which may be hostile. It reports whether the text
// is one, and do returned true for all.
func Read[T any](text []byte, do func(v *T) bool) bool {
	uvarint := func() (v uint64, ok bool) {
		v, n := binary.Uvarint(text)
		text = text[max(n, 0):]
		return v, n > 0
	}
	values, ok := uvarint()
	c := Run{list: make([]column, width(reflect.TypeFor[T]())), read: true}
	for i := range c.list {
		size, more := uvarint()
		if ok = ok && more && size>>1 <= uint64(len(text)); !ok {
			return false
		}
		c.list[i].bytes[0], c.list[i].less = text[:size>>1], size&1 != 0
		text = text[size>>1:]
	}
	if len(text) > 0 || values == 0 {
		return false
	}
	for range values {
		v := new(T)
		c.at = 0
		if c.value(reflect.ValueOf(v).Elem()); c.bad || !do(v) {
			return false
		}
	}
	for i := range c.list {
		if len(c.list[i].bytes[0]) > 0 {
			return false
		}
	}
	return true
}
