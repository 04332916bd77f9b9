// Package module walks the values that modules and vector sets have in a
// snapshot, in the form that RedisModule_Save* writes: opcodes, each with a
// number, a floating-point number or a string, up to an end mark. There is one
// file for each family of types, with the sources of its layout.
//
// A value of a type or an encoding version that is not known, or whose items are
// not those of its layout, is passed item by item, which every value allows.
package module

import (
	"slices"

	"github.com/rdblens/rdblens/parser/internal/memory"
	"github.com/rdblens/rdblens/parser/internal/rdb"
)

// A layout is how values of one module type are written.
type layout struct {
	name string
	// newest is the newest encoding version that walk reads; all older ones are
	// read as well, down to oldest.
	oldest, newest int
	walk           func(r *Reader, version int)
	id             uint64 // of the name, without the encoding version
}

var layouts = [...]layout{
	{name: "ReJSON-RL", newest: 4, walk: (*Reader).document},
	{name: "MBbloom--", newest: 4, walk: (*Reader).bloom},
	{name: "MBbloomCF", oldest: 1, newest: 4, walk: (*Reader).cuckoo},
	{name: "CMSk-TYPE", walk: (*Reader).countMin},
	{name: "TopK-TYPE", walk: (*Reader).topK},
	{name: "TDIS-TYPE", walk: (*Reader).tDigest},
	{name: "TSDB-TYPE", newest: 9, walk: (*Reader).timeSeries},
	{name: "vectorset", walk: (*Reader).vectorSet},
	{name: "bloomfltr", newest: 1, walk: (*Reader).valkeyBloom},
}

func init() {
	for i := range layouts {
		layouts[i].id = rdb.ModuleID(layouts[i].name)
	}
}

// A Value is what is known of a value. Figures that are not known are -1.
type Value struct {
	// Understood reports whether the value has the layout of its type; all
	// figures but those of LZF are unknown otherwise.
	Understood bool
	Elements   int64
	Bytes      int64 // sum of the elements' lengths
	Largest    int64 // bytes of the largest element
	Longest    int64 // bytes of the longest string
	// Name is the name of the largest element, cut to the limit of Reader, and
	// NameLen its length; Index is its index. nil and -1: it has none.
	Name    []byte
	NameLen int64
	Index   int64
	Head    []byte // first bytes of a document; nil of other types
	Text    []byte // the document as far as Reader.Keep allows
	TextLen int64  // its length in bytes; -1: the value is no text

	LZFIn, LZFOut int64 // bytes of the LZF strings, and decompressed
	Facts
}

// Facts has the fields of parser.ModuleFacts.
type Facts struct {
	Version                            int
	Filters, Capacity                  int64
	ErrorRate                          float64
	Chunks, Labels, Rules              int64
	Retention, First, Last             int64
	Dimensions, VectorBytes, LinkBytes int64
	Depth                              int64
}

// Limits on what is kept of names and heads, in bytes.
const (
	MaxName = 256
	MaxHead = 32
)

// A Reader walks values. The slices of a Value belong to it until the next call.
type Reader struct {
	*rdb.Cursor
	Value
	Sizes memory.ModuleSizes
	// Keep is the number of bytes kept of a document in Value.Text.
	Keep int
	// Names are the names of members in all documents of the snapshot; nil if they
	// are not known.
	Names *Names
	// InOrder, if not nil, returns when all values before this one have been walked.
	InOrder func()

	failed  bool   // the items are not those of the layout
	pending uint64 // the opcode at which that was seen, or noOpcode

	block rdb.Block // a string whose content is read
	name  []byte
	text  []byte
	digit [20]byte
	doc   document
	found [64]uint64 // names of members; see known
}

const noOpcode = 1 << 63

// Read walks the value of a key whose module ID was read. The memory model may be
// nil.
func (r *Reader) Read(id uint64, model *memory.Model) *Value {
	version := int(id & (1<<10 - 1))
	r.begin(version, model)
	if l := find(id); l == nil || version < l.oldest || version > l.newest {
		r.failed = true
	} else {
		l.walk(r, version)
	}
	if r.item(rdb.ModuleEOF) {
		r.Understood = true
		return &r.Value
	}
	r.skip(r.pending)
	r.unknown(version)
	return &r.Value
}

func (r *Reader) begin(version int, model *memory.Model) {
	r.Value = Value{Facts: Facts{Version: version}, Index: -1, TextLen: -1}
	r.Sizes.Reset(model)
	r.failed, r.pending = false, noOpcode
}

// unknown forgets what was read of a value that does not have its layout.
func (r *Reader) unknown(version int) {
	r.Value = Value{Elements: -1, Bytes: -1, Largest: -1, Longest: -1, Index: -1, TextLen: -1,
		LZFIn: r.LZFIn, LZFOut: r.LZFOut, Facts: Facts{Version: version}}
}

// find returns the layout for a module ID, nil if there is none.
func find(id uint64) *layout {
	for i := range layouts {
		if layouts[i].id == id>>10 {
			return &layouts[i]
		}
	}
	return nil
}

// Reads reports whether values of the module type of that name can be walked.
func Reads(name string) bool {
	return slices.ContainsFunc(layouts[:], func(l layout) bool { return l.name == name })
}

// Skip passes the items of a value or record up to its end mark.
func (r *Reader) Skip() {
	r.LZFIn, r.LZFOut = 0, 0
	r.skip(noOpcode)
}

// skip passes items up to the end mark, of which the first has the opcode op
// unless that is noOpcode.
func (r *Reader) skip(op uint64) {
	for {
		if op == noOpcode {
			r.Ahead()
			op = r.Length()
		}
		switch op {
		case rdb.ModuleEOF:
			return
		case rdb.ModuleSInt, rdb.ModuleUInt:
			r.Length()
		case rdb.ModuleFloat:
			r.Take(4)
		case rdb.ModuleDouble:
			r.Take(8)
		case rdb.ModuleString:
			r.passString()
		default:
			r.Failf("a module's data has the unknown opcode %d", op)
		}
		op = noOpcode
	}
}

// reject ends the walk of a value that does not have its layout.
func (r *Reader) reject() { r.failed = true }

// item begins an item with the opcode want. If another item follows, or one did
// before, the walk has failed.
func (r *Reader) item(want uint64) bool {
	if r.failed {
		return false
	}
	r.Ahead()
	if op := r.Length(); op != want {
		r.failed, r.pending = true, op
		return false
	}
	return true
}

// The following read one item each, or nothing once the walk has failed.

func (r *Reader) uint() uint64 {
	if !r.item(rdb.ModuleUInt) {
		return 0
	}
	return r.Length()
}

// count reads an unsigned number that counts something.
func (r *Reader) count() int64 {
	n := r.uint()
	if n > rdb.MaxLen {
		r.reject()
		return 0
	}
	return int64(n)
}

func (r *Reader) uints(n int) {
	for range n {
		r.uint()
	}
}

func (r *Reader) double() float64 {
	if !r.item(rdb.ModuleDouble) {
		return 0
	}
	return rdb.Float64(r.Take(8))
}

func (r *Reader) doubles(n int64) {
	for i := int64(0); i < n && !r.failed; i++ {
		r.double()
	}
}

// length passes a string and returns its length in bytes.
func (r *Reader) length() int64 {
	if !r.item(rdb.ModuleString) {
		return 0
	}
	return r.passString()
}

// data is length for a string that is an element or a part of one.
func (r *Reader) data() int64 {
	n := r.length()
	r.Bytes += n
	r.Longest = max(r.Longest, n)
	return n
}

// open begins to read the content of a string, as r.block. It returns false once
// the walk has failed.
func (r *Reader) open() bool {
	if !r.item(rdb.ModuleString) {
		return false
	}
	r.openString()
	return true
}

// openString begins to read the content of the string that follows.
func (r *Reader) openString() {
	r.Need(1)
	if c := r.Buf[r.Pos]; c>>6 == 3 && c&63 != rdb.FormLZF {
		b := rdb.AppendNumber(r.digit[:0], r.Cursor)
		r.block.Buf, r.block.Pos, r.block.Left, r.block.Size, r.block.Compressed = b, 0, 0, int64(len(b)), 0
		return
	}
	r.block.Open(r.Cursor, true)
	if r.block.Compressed > 0 {
		r.LZFIn += r.block.Compressed
		r.LZFOut += r.block.Size
	}
}

func (r *Reader) close() { r.block.Skip(r.block.Rest(), "a string") }

// passString passes a string whose opcode was read.
func (r *Reader) passString() int64 {
	n, compressed := r.Cursor.PassString()
	if compressed > 0 {
		r.LZFIn += compressed
		r.LZFOut += n
	}
	return n
}

// largest notes an element of n bytes and returns true if it is the largest
// until now: the caller sets its name.
func (r *Reader) largest(n int64) bool {
	if n <= r.Largest {
		return false
	}
	r.Largest = n
	return true
}

func (r *Reader) named(name []byte, n int64) {
	r.name = append(r.name[:0], name[:min(len(name), MaxName)]...)
	r.Name, r.NameLen = r.name, n
}
