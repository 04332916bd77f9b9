package parser

import (
	"cmp"
	"encoding/binary"
	"math"
	"strconv"

	"github.com/rdblens/rdblens/parser/internal/rdb"
)

// A Visitor receives the values of keys, element by element, while a Scanner
// walks them (see Scanner.Visit). Functions that are nil are not called.
//
// The calls for one key come in the order of the file. For all types but
// streams: Key, then Element for each element. For streams: Key; for each entry
// Element, then Field for each of its fields; Stream; and for each group Group,
// GroupPending for each of its pending entries, and for each of its consumers
// Consumer, then ConsumerPending for each entry that is pending for it. An entry
// pending for the group but for none of its consumers was returned by a consumer
// (XNACK of Redis 8.8). Opaque types (Type.Opaque) have no elements. When all
// calls were made, Scan returns and Scanner.Key is the same key with all its
// figures. In a snapshot of Dragonfly, whose large values are cut into chunks that
// others stand between, the calls for such a value come when its last chunk was
// read; until then a temporary file has it.
//
// Slices are valid until the function returns. A visitor needs memory for the
// longest name and the longest two texts, as far as the limits allow, and for
// the field names that the entries of a stream's node share.
type Visitor struct {
	// MaxText limits how many bytes of a text are kept: Text.Bytes is cut to it.
	// -1 means whole texts.
	MaxText int
	// MaxName limits how many bytes of a key's name are kept, in place of the
	// constant of that name: Key.Name is cut to it. -1 means whole names, 0 the
	// constant.
	MaxName int

	// Key is called when the name of a key was read, and before its value. Of k
	// are set: DB, Name, NameLen, Type, RDBType, Offset, expiry, idle time and
	// frequency. Key reports whether the value is to be visited; otherwise it is
	// walked as without a visitor.
	Key func(k *Key) bool
	// Element is called for each element. It reports whether more of the value
	// is wanted: after false no more calls are made for this key.
	Element func(e *Element) bool
	// Field is called for each field of the entry of a stream for which Element
	// was called last. It reports whether more fields of this entry are wanted.
	// The field names that the entries of a node share are kept up to 4 MiB, and
	// Field is not called for fields beyond; if MaxText is -1, up to 16 MiB, beyond
	// which the visit fails.
	Field func(name, value Text) bool

	// keep, if not nil, is called in place of Key, and reports whether the value is
	// to be kept for a second reading.
	keep func(k *Key) bool

	Stream          func(s *StreamState)
	Group           func(g *StreamGroup)
	GroupPending    func(p *PendingEntry)
	Consumer        func(c *StreamConsumer)
	ConsumerPending func(id StreamID)
}

// Text is a text of a value, or its beginning.
type Text struct {
	Bytes []byte // at most Visitor.MaxText bytes; nil where there is no such text
	Len   int64  // length of the whole text in bytes
}

// Element is one element of a value: a string itself, an item, a member, a
// field with its value, an entry of a stream.
type Element struct {
	// Name is the field of a hash or the index in an array; it has no Bytes
	// where the value alone is the element. The name of a hash's field that
	// stands in a template defined elsewhere is cut where the templates of a
	// snapshot have more than 64 MiB of names.
	Name, Value Text
	Path        Text     // of a path hash: where the field is; nil Bytes elsewhere
	Score       float64  // of a sorted set's member
	ExpireAt    int64    // of a hash's field (of Dragonfly: of a set's member, too), ms since the epoch; 0 none
	ID          StreamID // of a stream's entry
	Fields      int64    // how many fields the entry has
}

// StreamID is the ID of a stream's entry.
type StreamID struct{ MS, Seq uint64 }

// Compare returns -1, 0 or 1: id is that of an earlier entry than other, the
// same, or of a later one.
func (id StreamID) Compare(other StreamID) int {
	return cmp.Or(cmp.Compare(id.MS, other.MS), cmp.Compare(id.Seq, other.Seq))
}

// Append appends the ID as servers write it, such as "1700000000000-0".
func (id StreamID) Append(dst []byte) []byte {
	dst = strconv.AppendUint(dst, id.MS, 10)
	return strconv.AppendUint(append(dst, '-'), id.Seq, 10)
}

// String returns the ID as servers write it.
func (id StreamID) String() string { return string(id.Append(nil)) }

// StreamState is what a stream has besides its entries and groups.
type StreamState struct {
	Length uint64 // as the file says, which should be the number of entries
	Last   StreamID
	// The following are 0 in streams of servers before Redis 7.0, in which
	// Counters is false.
	Counters   bool
	First      StreamID // of the first live entry
	MaxDeleted StreamID
	Added      uint64 // entries added in the stream's life
}

// StreamGroup is a consumer group.
type StreamGroup struct {
	Name    Text
	Last    StreamID // last delivered
	Read    int64    // entries read; -1 not known, as before Redis 7.0
	Pending uint64   // entries pending for all consumers, as the file says
}

// PendingEntry is an entry that was delivered and not acknowledged.
type PendingEntry struct {
	ID        StreamID
	Delivered int64  // when last, ms since the epoch
	Count     uint64 // how often
}

// StreamConsumer is a consumer of the group for which Group was called last.
type StreamConsumer struct {
	Name    Text
	Seen    int64  // when it was last seen, ms since the epoch
	Active  int64  // when it last read an entry, ms since the epoch; -1 never, or not known (before Redis 7.2)
	Pending uint64 // entries pending for it, as the file says
}

// Opaque reports whether the elements of values of this type are not passed to a
// Visitor: those of modules except documents, GCRA, KeyDB's cron jobs. Nor is a
// document of RedisJSON 1.0 (encoding versions 0 and 1), which is no text.
func (t Type) Opaque() bool { return t == GCRA || t == Cron || t.OfModule() && t != JSON }

// Bounds on the shared field names of a stream's node that are kept: bytes of the
// names and a few for each. A visitor that limits texts misses those beyond; for
// one that wants whole texts the stream cannot be read.
const (
	maxSharedNames = 4 << 20
	maxWholeShared = 16 << 20
)

// visit is what a walker needs for a visitor.
type visit struct {
	to      *Visitor // nil without a visitor
	keep    int      // bytes of a text that are kept
	element Element
	group   StreamGroup
	member  StreamConsumer
	names   nameList // field names that the entries of a node share
	field   nameList // the name of the field being read
	// fields reports whether more fields of the current entry are wanted.
	fields bool
}

// nameList is a list of names in one buffer. The file has less than 4 GiB of each.
type nameList struct {
	bytes []byte
	ends  []uint32 // where each ends in bytes
	lens  []uint32 // length of each whole text
}

func (l *nameList) reset() { l.bytes, l.ends, l.lens = l.bytes[:0], l.ends[:0], l.lens[:0] }

func (l *nameList) add(t Text) {
	l.bytes = append(l.bytes, t.Bytes...)
	l.ends = append(l.ends, uint32(len(l.bytes)))
	l.lens = append(l.lens, uint32(t.Len))
}

func (l *nameList) at(i int) Text {
	from := uint32(0)
	if i > 0 {
		from = l.ends[i-1]
	}
	return Text{l.bytes[from:l.ends[i]:l.ends[i]], int64(l.lens[i])}
}

// size is what the list takes, in bytes.
func (l *nameList) size() int { return len(l.bytes) + 16*len(l.ends) }

// setVisitor sets the visitor of the keys that follow, nil none.
func (w *walker) setVisitor(v *Visitor) {
	w.visit = visit{to: v}
	w.visiting, w.maxName, w.block.MaxHead = false, MaxName, MaxElementName
	w.src.templates.whole = v != nil
	if v == nil {
		return
	}
	w.visit.keep = v.MaxText
	if v.MaxText < 0 {
		w.visit.keep = math.MaxInt
	}
	switch {
	case v.MaxName < 0:
		w.maxName = math.MaxInt
	case v.MaxName > 0:
		w.maxName = v.MaxName
	}
}

// visitKey asks the visitor whether it wants the value of the key whose name
// was just read.
func (w *walker) visitKey() {
	v := w.visit.to
	w.visit.element = Element{}
	w.key.Type = w.src.types[w.key.RDBType].typ
	if w.key.Type == Module {
		w.key.Type = w.moduleType()
	}
	if v.keep != nil {
		w.kept = ask(w, v.keep, &w.key)
		return
	}
	if w.visiting = w.wants(); w.visiting {
		w.keepMore()
	}
}

// wants asks the visitor whether it wants the value of the current key.
func (w *walker) wants() bool {
	wanted := w.visit.to.Key
	return wanted == nil || ask(w, wanted, &w.key)
}

// call calls a function of the visitor, ask one that has an answer.
func call[T any](w *walker, f func(T), arg T) {
	w.inCallback = true
	f(arg)
	w.inCallback = false
}

func ask[T any](w *walker, f func(T) bool, arg T) (yes bool) {
	w.inCallback = true
	yes = f(arg)
	w.inCallback = false
	return yes
}

// keepMore has the texts that follow kept as far as the visitor wants them.
func (w *walker) keepMore() { w.block.MaxHead = max(MaxElementName, w.visit.keep) }

func (w *walker) leave() { w.visiting, w.block.MaxHead = false, MaxElementName }

func (w *walker) visitElement() {
	v := &w.visit
	if v.to.Element != nil && !ask(w, v.to.Element, &v.element) {
		w.leave()
	}
	v.element = Element{}
}

// keepText returns a string that was just read, as far as a visitor wants it.
// It stays valid while other slots are used.
func (w *walker) keepText(s *str, slot int) Text {
	if s.head == nil || s.kind == strInt {
		var text []byte
		if s.kind == strLZF {
			limit := int(min(s.n, int64(w.block.MaxHead)))
			w.heads[slot] = rdb.HeadLZF(grown(w.heads[slot], limit)[:0:limit], w.Buf[s.off:s.off+s.clen])
		} else {
			text = w.text(s, w.block.MaxHead)
			w.heads[slot] = append(w.heads[slot][:0], text...)
		}
		if w.heads[slot] == nil {
			w.heads[slot] = []byte{}
		}
		s.head = w.heads[slot]
	}
	return Text{cut(s.head, w.visit.keep), s.n}
}

// keepEntry returns an entry of a packed block as far as a visitor wants it.
func (w *walker) keepEntry(e *rdb.Entry, slot int) Text {
	text := e.Text
	if e.IsInt {
		w.heads[slot] = appendInt(w.heads[slot][:0], e.Value)
		text = w.heads[slot]
	}
	if text == nil {
		text = []byte{}
	}
	return Text{cut(text, w.visit.keep), e.Len}
}

// visitPacked passes on an element of a listpack or ziplist, of stride entries.
func (w *walker) visitPacked(e1, e2, e3 *rdb.Entry, stride int) {
	e := &w.visit.element
	first := w.keepEntry(e1, 0)
	switch {
	case stride == 1:
		e.Value = first
	case w.key.Type == ZSet:
		e.Value, e.Score = first, e2.Score()
	default:
		e.Name, e.Value = first, w.keepEntry(e2, 1)
	}
	if stride > 2 {
		e.ExpireAt = e3.Value
	}
	w.visitElement()
}

// visitEntry passes on an entry of a stream, before its fields are read.
func (w *walker) visitEntry(id StreamID, fields int64) {
	e := &w.visit.element
	e.ID, e.Fields = id, fields
	w.visit.fields = w.visit.to.Field != nil
	w.visitElement()
}

// visitField passes on a field of the current entry, if it is wanted.
func (w *walker) visitField(name, value Text) {
	if w.visiting && w.visit.fields {
		w.inCallback = true
		w.visit.fields = w.visit.to.Field(name, value)
		w.inCallback = false
	}
}

func (w *walker) shareName(b *rdb.Block, e *rdb.Entry) {
	v := &w.visit
	switch size := v.names.size() + int(e.Len); {
	case v.to.MaxText >= 0 && v.names.size() >= maxSharedNames:
		return
	case v.to.MaxText < 0 && size > maxWholeShared:
		b.Failf("the entries of a stream's node share field names of more than %d MiB", maxWholeShared>>20)
	}
	v.names.add(w.keepEntry(e, 0))
}

func (w *walker) visitStream(s *StreamState) {
	if f := w.visit.to.Stream; f != nil {
		call(w, f, s)
	}
}

func (w *walker) visitGroup(name *str, last StreamID, read int64, pending uint64) {
	if f := w.visit.to.Group; f != nil {
		w.visit.group = StreamGroup{w.keepText(name, 0), last, read, pending}
		call(w, f, &w.visit.group)
	}
}

func (w *walker) visitConsumer(name *str, seen, active int64, pending uint64) {
	if f := w.visit.to.Consumer; f != nil {
		w.visit.member = StreamConsumer{w.keepText(name, 0), seen, active, pending}
		call(w, f, &w.visit.member)
	}
}

// visitPending passes on a pending entry: its ID is raw as in the file, 24
// bytes with the time of delivery.
func (w *walker) visitPending(raw []byte, count uint64) {
	if f := w.visit.to.GroupPending; f != nil {
		call(w, f, &PendingEntry{rawID(raw), int64(binary.LittleEndian.Uint64(raw[16:])), count})
	}
}

func (w *walker) visitConsumerPending(raw []byte) {
	if f := w.visit.to.ConsumerPending; f != nil {
		call(w, f, rawID(raw))
	}
}

// rawID returns the ID that 16 bytes hold.
func rawID(b []byte) StreamID {
	return StreamID{binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])}
}
