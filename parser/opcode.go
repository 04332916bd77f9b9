package parser

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"github.com/rdblens/rdblens/parser/internal/memory"
	"github.com/rdblens/rdblens/parser/internal/rdb"
	"github.com/rdblens/rdblens/parser/internal/release"
)

type stepped uint8

const (
	steppedOp stepped = iota
	steppedKey
	steppedEnd
)

// opcodeAhead makes sure that an opcode or type lies in the window.
func (w *walker) opcodeAhead() {
	for w.Pos == len(w.Buf) && (w.Refill == nil || !w.Refill(w.Pos)) {
		if w.around == nil || !w.around.beyond() {
			w.Failf("the file ends before its end mark: it was cut short")
		}
	}
}

func (w *walker) step() stepped {
	w.opcodeAhead()
	op := w.Buf[w.Pos]
	w.Pos++
	if op == 0 {
		w.record(op)
		return steppedKey
	}
	switch op {
	case rdb.OpExpireMS:
		w.pend.hasExpire, w.pend.expire, w.pend.any = true, int64(w.Uint64()), true
	case rdb.OpExpire:
		w.pend.hasExpire, w.pend.expire, w.pend.any = true, int64(int32(w.Uint32()))*1000, true
	case rdb.OpIdle:
		w.pend.idle, w.pend.any = int64(min(w.Length(), 1<<62)), true
	case rdb.OpFreq:
		w.pend.freq, w.pend.any = int16(w.Byte()), true
	case rdb.OpEOF:
		w.counters.opcodes[op]++
		if w.around != nil {
			w.around.endMark()
		}
		return steppedEnd
	default:
		if w.src.IsType[op] {
			w.record(op)
			return steppedKey
		}
		from := w.Offset() - 1
		if w.around != nil {
			if how, read := w.around.opcode(op); read {
				return how
			}
		}
		w.rareOp(op)
		if w.passed != nil {
			w.passed(op, from, w.Offset())
		}
	}
	w.counters.opcodes[op]++
	return steppedOp
}

func (w *walker) rareOp(op byte) {
	switch op {
	case rdb.OpSelectDB:
		db := w.Length()
		if db > 1<<31-1 {
			w.Failf("database number %d is out of range", db)
		}
		w.db = int(db)
	case rdb.OpResizeDB:
		keys, expires := w.Length(), w.Length()
		w.counters.resized.add(announced(keys, expires))
		// Before Redis 4.0 the numbers had 32 bits, and the largest stood for any.
		w.counters.resized.capped = w.counters.resized.capped || keys == math.MaxUint32 || expires == math.MaxUint32
	case rdb.OpSlotInfo:
		w.Length()
		keys := w.Length()
		w.slot(keys, w.Length())
	case rdb.OpAux:
		w.aux()
	case rdb.OpFunction:
		w.string(&w.first, 0)
		w.counters.functions++
		w.counters.functionBytes += w.first.n
	case rdb.OpFunctionPreGA:
		w.string(&w.first, 0)
		w.string(&w.first, 0)
		if w.Length() != 0 {
			w.string(&w.first, 0)
		}
		w.string(&w.first, 0)
		w.counters.functions++
		w.counters.functionBytes += w.first.n
	case rdb.OpModuleAux:
		m := w.counters.module(w.Length())
		m.Aux++
		if w.Length() != rdb.ModuleUInt {
			w.Failf("a module's record outside of keys does not begin as one")
		}
		w.Length()
		w.moduleFields()
	default:
		w.dialectOp(op)
	}
}

// dialectOp reads an opcode whose number means different things to different servers.
func (w *walker) dialectOp(op byte) {
	d := w.src
	switch {
	case op == rdb.OpKeyMeta && d.valkey:
		w.string(&w.first, 0)
		ranges := w.Length()
		for range ranges {
			w.Length()
			w.Length()
		}
	case op == rdb.OpKeyMeta:
		classes := w.Length()
		for range classes {
			w.Take(4)
			w.moduleFields()
		}
		w.pend.any = true
	case op == rdb.OpTemplate && !d.valkey:
		w.defineTemplate()
	case op == rdb.OpTemplate:
		w.update()
	case op == rdb.OpEnterpriseLRU && !d.valkey && !d.dragonfly:
		w.Length()
		w.pend.any = true
	case op == rdb.OpEnterpriseSlot && !d.valkey && !d.dragonfly:
		w.Length()
		w.pend.any = true
	case d.dragonfly:
		w.dragonflyOp(op)
	default:
		w.failUnknown(op)
	}
}

// update passes a command that changed a key while the file was written without a
// fork (bgsave-method forkless of Valkey 9.2). It has the form of a client's
// command: its number of arguments, and each with its length.
func (w *walker) update() {
	number := func(kind byte) (n uint64) {
		digits := 0
		if c := w.Byte(); c != kind {
			w.Pos--
			w.Failf("an update does not begin as a command does")
		}
		for c := w.Byte(); c != '\r'; c = w.Byte() {
			if digits++; c < '0' || c > '9' || digits > 18 {
				w.Pos--
				w.Failf("an update has a length that is not a number")
			}
			n = n*10 + uint64(c-'0')
		}
		if digits == 0 || w.Byte() != '\n' {
			w.Pos--
			w.Failf("an update has a line that does not end")
		}
		return n
	}
	for n := number('*'); n > 0; n-- {
		w.Ahead()
		w.Skip(number('$'))
		w.Take(2)
	}
}

// announced returns what the file announces, as far as a server may hold as many.
func announced(keys, expires uint64) sizes {
	const most = 1 << 40
	return sizes{keys: int64(min(keys, most)), expires: int64(min(expires, most)), stated: true}
}

// slot takes what the file says of a cluster slot.
func (w *walker) slot(keys, expires uint64) {
	s := announced(keys, expires)
	w.counters.slotSizes.add(s)
	w.counters.addSlots(memory.Slot{Keys: s.keys, Expires: s.expires})
}

// maxAux bounds what is kept of the header's fields: so many, of such length.
const (
	maxAux     = 64
	maxAuxText = 128
)

func (w *walker) aux() {
	w.Ahead()
	w.string(&w.first, 0)
	var buf [maxAuxText]byte
	name := buf[:copy(buf[:], w.text(&w.first, maxAuxText))]
	w.string(&w.second, 0)
	w.counters.auxCount++
	switch string(name) {
	case "lua":
		w.counters.scripts++
		w.counters.scriptBytes += w.second.n
	case "keydb-subexpire-key":
		w.counters.subexpires++
	case "slot-info": // slot,keys,expires, and from Valkey 9 on the hashes with fields that expire
		w.counters.cluster = true
		_, keys, _ := strings.Cut(string(w.text(&w.second, maxAuxText)), ",")
		keys, expires, _ := strings.Cut(keys, ",")
		expires, _, _ = strings.Cut(expires, ",")
		k, err := strconv.ParseUint(keys, 10, 63)
		e, err2 := strconv.ParseUint(expires, 10, 63)
		if err == nil && err2 == nil {
			w.slot(k, e)
		}
	}
	if w.info != nil {
		w.headerAux(name, w.text(&w.second, maxAuxText))
	}
}

// headerAux takes what the header says of the server and the time.
func (w *walker) headerAux(name, value []byte) {
	in, d := w.info, w.src
	if len(in.Aux) < maxAux {
		in.Aux = append(in.Aux, AuxField{string(name), string(value)})
	}
	number := func() int64 {
		n, err := strconv.ParseInt(string(value), 10, 64)
		if err != nil || n < 0 {
			return -1
		}
		return n
	}
	server, before, beforeVersion := "", in.Server, in.ServerVersion
	switch string(name) {
	case "redis-ver":
		if in.Server == "" {
			in.Server, in.ServerVersion = "redis", string(value)
		}
	case "valkey-ver":
		server = "valkey"
	case "df-ver":
		server = "dragonfly"
		d.dragonfly = true
		d.compile()
	case "redis-bits":
		if n := number(); n == 32 || n == 64 {
			in.Bits = int(n)
		}
	case "ctime":
		in.Created = number()
		d.created = in.Created
	case "used-mem":
		in.UsedMem = number()
	case "aof-base", "aof-preamble":
		in.AOFBase = bytes.Equal(value, []byte("1"))
	case "mvcc-tstamp", "keydb-subexpire-key", "keydb-subexpire-when":
		in.Server = "keydb"
	case "big-used-ram":
		in.Server = "redis-enterprise"
	}
	if server != "" {
		in.Server, in.ServerVersion = server, string(value)
	}
	if in.Server == before && in.ServerVersion == beforeVersion {
		return
	}
	parsed, _ := release.Parse(in.ServerVersion)
	d.embed, d.server = release.EmbeddingOf(in.Server, parsed), in.ServerVersion
}
