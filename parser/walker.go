package parser

import (
	"math"

	"github.com/rdblens/rdblens/parser/internal/crc64"
	"github.com/rdblens/rdblens/parser/internal/memory"
	"github.com/rdblens/rdblens/parser/internal/module"
	"github.com/rdblens/rdblens/parser/internal/rdb"
	"github.com/rdblens/rdblens/parser/internal/release"
)

// A walker reads records one after the other. It has one grammar for both
// ways of use: over a stream, whose window fills again as it goes, and over a
// block of whole records.
type walker struct {
	rdb.Cursor
	src      *dialect
	info     *Info        // while the header is read, else nil
	around   surroundings // of the stream that it reads, nil in a block
	counters *counters

	key   Key
	db    int
	pend  pending // what opcodes said of the next key
	ahead int     // bytes that fastRecord wants to see
	// inKey reports whether the name in key is that of the key being read.
	inKey   bool
	lastKey []byte // name of the last whole key, nil before the first
	// passed, if not nil, is called after each opcode that is not one of the
	// frequent ones of a key, with the place of its record.
	passed func(op byte, from, to int64)
	// inCallback reports whether the caller's code runs: its panics are not ours.
	inCallback bool

	model *memory.Model
	acc   memory.Accumulator
	facts memory.Facts

	// first to third are the strings of the element being read, heads their
	// first bytes where those do not stay in the buffer.
	first, second, third str
	heads                [3][]byte
	entries              [3]rdb.Entry
	manyBlocks           bool // the value has several packed blocks
	visit                visit
	visiting             bool // the visitor wants the value of the current key
	maxName              int  // bytes kept of a key's name
	rare                 bool // the key has something that most have not; see begin
	block                rdb.Block
	kept                 bool           // Visitor.keep wanted the key
	module               *module.Reader // nil before the first value of a module
	again                *walker        // for Key.Peek; nil before the first call
	inOrder              func()         // nil: all keys are walked in the order of the file
	digits               []byte
	nameBuf              []byte
	lastBuf              []byte     // holds lastKey, where nameBuf did
	group, behind        GroupState // of the stream that is read, see Key.Behind
	refBuf               []byte     // the text of key.ref, where it is not in the block
	headBuf              []byte
}

// surroundings are what records stand in, besides the file.
type surroundings interface {
	// beyond goes on where the window ends between two records. It reports false
	// at the end of the stream.
	beyond() bool
	// opcode reads what begins with an opcode that stands between records. It
	// reports false if that does not concern the surroundings.
	opcode(op byte) (how stepped, read bool)
	// endMark fails if something is open at the end mark.
	endMark()
}

// dialect is what the header says of the numbers that follow. All walkers of a
// snapshot share it.
type dialect struct {
	valkey    bool // magic VALKEY
	version   int
	dragonfly bool
	types     [256]typeRow // by number; see compile
	rdb.Framing
	embed     release.Embedding
	server    string // version of the server that wrote it, "" unknown
	created   int64  // Info.Created
	model     *memory.Model
	details   Details
	templates templates
	names     module.Names
}

type pending struct {
	hasExpire bool
	expire    int64
	idle      int64
	freq      int16
	any       bool
}

var nothingPending = pending{idle: -1, freq: -1}

func newWalker(src *dialect) *walker {
	w := &walker{src: src, pend: nothingPending, rare: true}
	// An empty name is not nil, which would be none.
	w.nameBuf, w.lastBuf = []byte{}, []byte{}
	w.headBuf = make([]byte, 0, MaxHead)
	w.refBuf = make([]byte, 0, MaxElementName)
	w.digits = make([]byte, 0, 24)
	w.maxName, w.block.MaxHead = MaxName, MaxElementName
	w.key.peek.in, w.key.LongestField = w, -1
	if w.ahead = fastRecordAhead; src.details != 0 {
		w.ahead = math.MaxInt
	}
	return w
}

// resetRun forgets what the walker knew of keys before.
func (w *walker) resetRun() {
	w.pend, w.lastKey, w.inKey, w.inCallback = nothingPending, nil, false, false
	w.key.Name = nil
}

func (w *walker) name() {
	k := &w.key
	if w.Refill == nil {
		// In a block the name stays where it is.
		if c := w.Buf[w.Pos]; c < 64 && len(w.Buf)-w.Pos > 64 {
			k.Name, k.NameLen = w.Buf[w.Pos+1:w.Pos+1+int(c)], int64(c)
			w.Pos += 1 + int(c)
			w.inKey = true
			return
		}
	}
	w.nameBuf, w.lastBuf = w.lastBuf, w.nameBuf // which may have the last key's name
	n, special := w.LengthOrForm()
	switch {
	case special && n == rdb.FormLZF:
		clen, ulen := w.Length(), w.Length()
		if ulen > MaxName || clen > MaxName || ulen > uint64(w.maxName) {
			w.longName(clen, ulen)
			break
		}
		w.Need(int(clen))
		w.nameBuf = grown(w.nameBuf, int(ulen)+rdb.SlackLZF)
		if !rdb.DecodeLZF(w.nameBuf, w.Buf[w.Pos:w.Pos+int(clen)], int(ulen)) {
			w.Failf(rdb.BadLZF)
		}
		w.Pos += int(clen)
		k.Name, k.NameLen = w.nameBuf[:ulen], int64(ulen)
	case special:
		w.nameBuf = appendInt(w.nameBuf[:0], w.Number(n))
		k.Name, k.NameLen = w.nameBuf, int64(len(w.nameBuf))
	case n <= MaxName && n <= uint64(w.maxName):
		w.Need(int(n))
		k.Name, k.NameLen = w.Buf[w.Pos:w.Pos+int(n)], int64(n)
		if w.Refill != nil {
			w.nameBuf = append(w.nameBuf[:0], k.Name...)
			k.Name = w.nameBuf
		}
		w.Pos += int(n)
	default:
		k.NameLen = w.CheckLen(n)
		kept := min(n, uint64(w.maxName))
		w.nameBuf = w.AppendNext(w.nameBuf[:0], kept)
		k.Name, k.NameHash, w.rare = w.nameBuf, crc64.Update(0, w.nameBuf), true
		w.inKey = true
		for n -= kept; n > 0; {
			w.Need(1)
			part := w.Buf[w.Pos:][:min(n, uint64(len(w.Buf)-w.Pos))]
			k.NameHash = crc64.Update(k.NameHash, part)
			w.Pos += len(part)
			n -= uint64(len(part))
		}
	}
	w.inKey = true
}

// longName reads a compressed name of which not all can be kept.
func (w *walker) longName(clen, ulen uint64) {
	w.key.NameLen = w.CheckLen(ulen)
	w.CheckLen(clen)
	if clen < ulen/rdb.MaxRatioLZF {
		w.Failf("a compressed string of %d bytes claims to hold %d, more than LZF can", clen, ulen)
	}
	head := int(min(clen, MaxName))
	w.Need(head)
	w.key.NameHash, w.rare = crc64.Update(0, w.Buf[w.Pos:w.Pos+head]), true
	if w.visit.to != nil {
		w.nameBuf = w.block.AppendLZF(&w.Cursor, w.nameBuf[:0], clen, ulen, w.maxName)
		w.key.Name = w.nameBuf
		w.inKey = true
		return
	}
	w.nameBuf = grown(w.nameBuf, MaxName)
	w.nameBuf = rdb.HeadLZF(w.nameBuf[:0:MaxName], w.Buf[w.Pos:w.Pos+head])
	w.key.Name = w.nameBuf
	w.inKey = true
	w.SkipLZF(clen, int64(ulen))
}

func grown(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}

func (w *walker) record(t byte) {
	w.begin(t)
	w.name()
	w.rest(t)
}

// rest reads the value of the key whose name was just read.
func (w *walker) rest(t byte) {
	k := &w.key
	if w.visit.to != nil {
		w.visitKey()
	}
	start := w.Offset()
	switch {
	case w.src.details != 0:
		w.detailed(func() { w.valueOf(t) })
	case t == 0:
		w.stringValue()
	default:
		w.collection(t)
	}
	if t == 0 {
		k.Serialized = w.Offset() - start
	} else {
		k.Serialized = w.Offset() - start
		if w.model != nil {
			w.measure()
		}
		if k.Elements == 0 && k.Type != Stream && k.ModuleName == "" {
			w.counters.emptyKeys++
		}
	}
	w.endKey()
}

func (w *walker) valueOf(t byte) {
	if t == 0 {
		w.stringValue()
	} else {
		w.collection(t)
	}
}

// collection walks the value of type t, no string.
func (w *walker) collection(t byte) {
	if w.model != nil {
		w.acc.Reset(w.model)
		w.facts = memory.Facts{}
	}
	w.value(t)
}

func (w *walker) endKey() {
	w.inKey = false
	w.lastKey = w.key.Name
	if w.pend.any {
		w.pend = nothingPending
	}
	w.counters.keys++
	w.counters.types[w.key.RDBType]++
	if w.key.DB != w.counters.lastDB {
		w.counters.addDB(w.key.DB)
	}
}

// begin sets the key to what is known before its name, and all else to
// nothing. Of what few keys have it clears only what was set: a Key is large.
func (w *walker) begin(t byte) {
	k := &w.key
	k.DB, k.RDBType = w.db, t
	k.HasExpire, k.ExpireAt, k.Idle, k.Freq = w.pend.hasExpire, w.pend.expire, w.pend.idle, w.pend.freq
	k.Elements, k.ValueBytes, k.Largest, k.Longest, k.LongestValue = 0, 0, 0, 0, 0
	k.Memory, k.MemoryUsage, k.CompactMemory, k.MemoryBound, k.MemoryApproximate = -1, -1, -1, false, false
	k.Offset = w.Offset() - 1
	if k.LargestNameLen != 0 || k.LargestName != nil {
		k.LargestName, k.LargestNameLen = nil, 0
	}
	if k.Head != nil {
		k.Head = nil
	}
	w.key.ref.kind = refNone
	if w.rare {
		w.rare, w.manyBlocks = false, false
		k.FieldsWithTTL, k.MinFieldExpire = 0, 0
		k.Groups, k.Consumers, k.Pending, k.Live, k.Nodes, k.Behind = 0, 0, 0, -1, 0, nil
		k.NameHash, k.Integers, k.LZFIn, k.LZFOut, k.ModuleName, k.Module = 0, false, 0, 0, "", nil
		k.copied = nil
	}
}

func (w *walker) measure() {
	k, f := &w.key, &w.facts
	f.NameLen, f.TTL, f.Eviction = k.NameLen, k.HasExpire, k.Idle >= 0 || k.Freq >= 0
	f.Type = uint8(k.Type)
	f.Elements, f.Longest = k.Elements, k.Longest
	f.FieldsWithTTL, f.Integers, f.Serialized = k.FieldsWithTTL, k.Integers, k.Serialized
	r := w.acc.Sizes(f)
	k.Memory, k.MemoryUsage, k.CompactMemory = r.Allocated, r.Usage, r.Compact
	k.MemoryBound, k.MemoryApproximate = r.LowerBound, r.Approximate
}

// fieldExpiry counts the expiry of one field, 0 none.
func (w *walker) fieldExpiry(at int64) {
	if at == 0 {
		return
	}
	k := &w.key
	w.rare = true
	if w.model != nil {
		w.acc.AddFieldExpiry(at)
	}
	if k.FieldsWithTTL == 0 || at < k.MinFieldExpire {
		k.MinFieldExpire = at
	}
	k.FieldsWithTTL++
}
