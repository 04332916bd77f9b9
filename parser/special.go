package parser

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/rdblens/rdblens/parser/internal/memory"
	"github.com/rdblens/rdblens/parser/internal/module"
	"github.com/rdblens/rdblens/parser/internal/rdb"
)

// moduleType returns the type of the module's value that begins at the window's
// position, which stays there.
func (w *walker) moduleType() Type {
	w.Ahead()
	id, next := rdb.CountAt(w.Buf, w.Pos)
	if next < 0 || next > len(w.Buf) {
		return Module // damaged, as the walk will say
	}
	return typeOfModule(id)
}

func (w *walker) modules() *module.Reader {
	if w.module == nil {
		w.module = &module.Reader{Cursor: &w.Cursor, Names: &w.src.names, InOrder: w.inOrder}
	}
	if w.module.Keep = 0; w.visiting {
		w.module.Keep = w.visit.keep
	}
	return w.module
}

// moduleFields passes what a module wrote outside of values, up to its end mark.
func (w *walker) moduleFields() { w.modules().Skip() }

func (w *walker) moduleValue() {
	k, r := &w.key, w.modules()
	id := w.Length()
	m := w.counters.module(id)
	m.Keys++
	k.Type, k.ModuleName, w.rare = typeOfModule(id), m.Name, true
	v := r.Read(id, w.model)
	w.ofModule(r, v)
	m.Version = max(m.Version, v.Version)
	if !v.Understood {
		m.Skipped++
		return
	}
	w.facts.Shape = memory.ModuleValue
	w.facts.Allocated, w.facts.Usage, w.facts.Approximate = r.Sizes.Allocated, r.Sizes.Usage, r.Sizes.Approximate
}

func (w *walker) ofModule(r *module.Reader, v *module.Value) {
	k := &w.key
	k.Elements, k.ValueBytes, k.Largest, k.Longest = v.Elements, v.Bytes, v.Largest, v.Longest
	k.LZFIn, k.LZFOut = v.LZFIn, v.LZFOut
	k.Module = (*ModuleFacts)(&v.Facts)
	if !v.Understood {
		return
	}
	if k.Type == JSON && v.TextLen >= 0 {
		k.Head = v.Head
		if w.visiting {
			w.visit.element.Value = Text{v.Text, v.TextLen}
			w.visitElement()
		}
	}
	switch {
	case v.Name != nil:
		w.refToText(v.Name, v.NameLen)
	case v.Index >= 0:
		w.refToIndex(v.Index)
	}
}

// unknownSizes marks a value whose elements nobody but its module knows.
func (w *walker) unknownSizes() {
	k := &w.key
	k.Elements, k.ValueBytes, k.Largest, k.Longest = -1, -1, -1, -1
	k.ref.kind = refNone
}

// array walks an array of Redis 8.8: elements with an index, each a string or
// a number of eight bytes.
func (w *walker) array() {
	k := &w.key
	n := w.Length()
	if n == 0 {
		w.Failf("an array without elements")
	}
	if flag := w.Length(); flag != 0 {
		w.Length()
	}
	k.Elements = w.CheckCount(n, "elements")
	k.Largest = -1
	for range n {
		w.Ahead()
		index := w.Length()
		size, text := int64(8), int64(-1)
		s := &w.first
		switch tag := w.Length(); tag {
		case 0, 3:
			w.string(s, 0)
			if size = s.n; tag == 0 {
				text = size
			}
		case 1, 2:
			bits := w.Uint64()
			*s = str{n: 8, kind: strInt}
			if w.visiting {
				w.visit.element.Value = w.arrayNumber(bits, tag == 2)
			}
		default:
			w.Pos--
			w.Failf("an array's element has the unknown kind %d", tag)
		}
		if w.visiting {
			e := &w.visit.element
			if s.kind != strInt || e.Value.Bytes == nil {
				e.Value = w.keepText(s, 1)
			}
			w.heads[0] = strconv.AppendUint(w.heads[0][:0], index, 10)
			e.Name = Text{w.heads[0], int64(len(w.heads[0]))}
			w.visitElement()
		}
		if w.model != nil {
			w.acc.AddArrayElement(index, text)
		}
		k.ValueBytes += size
		if size > k.Largest {
			k.Largest, k.Longest = size, size
			w.refToIndex(int64(index))
			if size >= rdb.LargeElement {
				k.Head = append(w.headBuf[:0], w.text(s, MaxHead)...)
			}
		}
	}
}

func (w *walker) arrayNumber(bits uint64, double bool) Text {
	if double {
		w.heads[1] = strconv.AppendFloat(w.heads[1][:0], math.Float64frombits(bits), 'g', 17, 64)
	} else {
		w.heads[1] = appendInt(w.heads[1][:0], int64(bits))
	}
	return Text{w.heads[1], int64(len(w.heads[1]))}
}

// cron passes a job of KeyDB.
func (w *walker) cron() {
	w.string(&w.first, 0)
	w.Take(16)
	for range 2 {
		n := w.Length()
		for range n {
			w.Ahead()
			w.string(&w.first, 0)
		}
	}
	w.unknownSizes()
	w.key.Elements = 1
}

// templates are the field names that hashes of Redis 8.10 share, by ID.
type templates struct {
	byID   map[uint64]nameList // of each name at most MaxElementName, and none beyond maxTemplateNames
	fields int
	names  int    // bytes of names kept
	whole  bool   // names are not cut: a visitor wants them
	last   uint64 // ID of the template that was used last
	memory int64  // bytes that all take in memory
}

// most is how many bytes of names are kept of all templates.
func (t *templates) most() int {
	if t.whole {
		return maxWholeNames
	}
	return maxTemplateNames
}

// Limits on what is kept of templates: a server has a few thousand at most.
const (
	maxTemplates      = 1 << 16
	maxTemplateFields = 1 << 20
	maxTemplateNames  = 8 << 20 // bytes of names kept of all of them
	maxWholeNames     = 64 << 20
)

func (w *walker) defineTemplate() {
	t := &w.src.templates
	id, n := w.Length(), w.Length()
	if n == 0 {
		w.Failf("a hash template without fields")
	}
	if t.byID == nil {
		t.byID = make(map[uint64]nameList)
	}
	if _, ok := t.byID[id]; ok {
		w.Failf("the hash template %d is defined twice", id)
	}
	if len(t.byID) >= maxTemplates {
		w.Failf("more than %d hash templates", maxTemplates)
	}
	w.keepMore()
	d := w.templateNames(n)
	if t.byID[id] = d; w.model != nil {
		alloc, _ := w.model.TemplateSize(d.lens)
		t.memory += alloc
	}
	w.leave()
}

func (w *walker) templateNames(n uint64) nameList {
	var d nameList
	t := &w.src.templates
	for range n {
		w.Ahead()
		w.string(&w.first, 0)
		if t.fields++; t.fields > maxTemplateFields {
			w.Failf("hash templates of more than %d fields", maxTemplateFields)
		}
		if w.first.n > 1<<31 {
			w.Failf("a field name of %d bytes", w.first.n)
		}
		t.add(&d, w.first.n, w.templateName(&w.first))
	}
	return d
}

// templateName returns what is kept of a field name that was just read.
func (w *walker) templateName(s *str) []byte {
	if w.visit.to != nil {
		w.keepText(s, 0)
		return cut(s.head, w.block.MaxHead)
	}
	return w.text(s, MaxElementName)
}

func (t *templates) add(d *nameList, n int64, name []byte) {
	if t.names+len(name) > t.most() {
		name = nil
	}
	t.names += len(name)
	d.add(Text{name, n})
}

// appendLength appends a length of up to 32 bits.
func appendLength(dst []byte, n uint64) []byte {
	if n < 64 {
		return append(dst, byte(n))
	}
	return binary.BigEndian.AppendUint32(append(dst, 0x80), uint32(n))
}

// inline returns the names of the template that was used last in the form that
// precedes a hash with names of its own: their number, and each as a string. ok
// is false if they were not kept whole.
func (t *templates) inline() (b []byte, ok bool) {
	d := t.byID[t.last]
	b = appendLength(nil, uint64(len(d.lens)))
	for i, n := range d.lens {
		name := d.at(i).Bytes
		if len(name) != int(n) {
			return nil, false
		}
		b = append(appendLength(b, uint64(n)), name...)
	}
	return b, true
}

// templateHash walks a hash whose names stand in a template: 29 and 31 bring
// their own, 30 and 32 refer to one; 29 and 30 keep the values in a listpack.
func (w *walker) templateHash(variant uint8) {
	own, packed := variant&rdb.TemplateOwn != 0, variant&rdb.TemplatePacked != 0
	k := &w.key
	k.Largest = -1
	var d nameList
	found := func(id uint64) {
		var ok bool
		if d, ok = w.src.templates.byID[id]; !ok {
			w.Failf("the hash template %d was never defined", id)
		}
		w.src.templates.last = id
	}
	b, e := &w.block, &w.entries[0]
	if own {
		before := w.src.templates
		switch format := w.Length(); format {
		case 0:
			w.open(b)
			d = w.packedNames(b)
		case 1:
			d = w.templateNames(w.Length())
		default:
			w.Pos--
			w.Failf("a hash template's names have the unknown form %d", format)
		}
		w.src.templates.fields, w.src.templates.names = before.fields, before.names
	}
	add := func(i int, v int64, text func() Text, head func() []byte) {
		if i >= len(d.lens) {
			w.Failf("a hash has more values than its template has fields (%d)", len(d.lens))
		}
		name := d.at(i)
		f := name.Len
		if w.visiting {
			w.visit.element.Name, w.visit.element.Value = Text{cut(name.Bytes, w.visit.keep), f}, text()
			w.visitElement()
		}
		k.ValueBytes += f + v
		k.Longest = max(k.Longest, f, v)
		if f+v >= rdb.LargeElement {
			k.LongestValue = max(k.LongestValue, v)
		}
		if f+v > k.Largest {
			k.Largest = f + v
			w.refBuf = append(w.refBuf[:0], cut(name.Bytes, MaxElementName)...)
			w.key.ref = largestRef{kind: refText, text: w.refBuf, n: f}
			if f+v >= rdb.LargeElement {
				k.Head = append(w.headBuf[:0], cut(head(), MaxHead)...)
			}
		}
		k.Elements++
	}
	if packed {
		w.open(b)
		claimed := b.OpenPacked(rdb.Listpack)
		id := uint64(b.Number(e, "the template's ID"))
		if !own {
			found(id)
		}
		entries := int64(1)
		for i := 0; b.Rest() > 1; i++ {
			b.Decode(rdb.Listpack, e, 0)
			add(i, e.Len, func() Text { return w.keepEntry(e, 0) }, func() []byte { return w.entryText(e) })
			entries++
		}
		b.ClosePacked(rdb.Listpack, claimed, entries)
		w.facts.PackedBytes = b.Size
	} else {
		if !own {
			found(w.Length())
		}
		for i := range d.lens {
			w.Ahead()
			w.string(&w.first, 0)
			add(i, w.first.n, func() Text { return w.keepText(&w.first, 0) }, func() []byte { return w.text(&w.first, MaxHead) })
			if w.model != nil {
				w.acc.AddTemplateValue(w.first.n)
			}
		}
	}
	if k.Elements != int64(len(d.lens)) {
		w.Failf("a hash has %d values, but its template %d fields", k.Elements, len(d.lens))
	}
	k.Largest = max(k.Largest, 0)
}

func (w *walker) packedNames(b *rdb.Block) nameList {
	var d nameList
	claimed := b.OpenPacked(rdb.Listpack)
	e := &w.entries[0]
	var entries int64
	for b.Rest() > 1 {
		b.Decode(rdb.Listpack, e, 0)
		if entries++; entries > maxTemplateFields {
			w.Failf("a hash template of more than %d fields", maxTemplateFields)
		}
		w.src.templates.add(&d, e.Len, cut(w.entryText(e), w.block.MaxHead))
	}
	b.ClosePacked(rdb.Listpack, claimed, entries)
	return d
}

func sortedModules(m map[string]*ModuleInfo) []ModuleInfo {
	var out []ModuleInfo
	for _, name := range slices.Sorted(maps.Keys(m)) {
		out = append(out, *m[name])
	}
	return out
}
