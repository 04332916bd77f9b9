package parser

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/rdblens/rdblens/parser/memory"

	"github.com/rdblens/rdblens/parser/version"
)

// The opcodes of a snapshot. Those under 200 and 242 to 243 mean what the
// dialect says.
const (
	opEnterpriseLRU  = 107
	opEnterpriseSlot = 121
	opDFFullSyncEnd  = 200
	opDFZstd         = 201
	opDFLZ4          = 202
	opDFBlobEnd      = 203
	opDFJournalBlob  = 210
	opDFJournal      = 211
	opDFMask         = 220
	opDFVectorIndex  = 222
	opDFShardIndex   = 223
	opDFTaggedChunk  = 224
	opTemplate       = 242 // Redis 8.10; Valkey: an update in a forkless save
	opKeyMeta        = 243 // Redis 8.6; Valkey 9: a slot import
	opSlotInfo       = 244
	opFunction       = 245
	opFunctionPreGA  = 246
	opModuleAux      = 247
	opIdle           = 248
	opFreq           = 249
	opAux            = 250
	opResizeDB       = 251
	opExpireMS       = 252
	opExpire         = 253
	opSelectDB       = 254
	opEOF            = 255
)

type stepped uint8

const (
	steppedOp stepped = iota
	steppedKey
	steppedEnd
)

// opcodeAhead makes sure that an opcode or type lies in the window.
func (w *walker) opcodeAhead() {
	if w.pos == len(w.buf) && (w.refill == nil || !w.refill(w.pos)) {
		w.failf("the file ends before its end mark: it was cut short")
	}
}

// step reads one opcode, or one key.
func (w *walker) step() stepped {
	w.opcodeAhead()
	op := w.buf[w.pos]
	w.pos++
	if op == 0 {
		w.record(op)
		return steppedKey
	}
	switch op {
	case opExpireMS:
		w.pend.hasExpire, w.pend.expire, w.pend.any = true, int64(w.u64le()), true
	case opExpire:
		w.pend.hasExpire, w.pend.expire, w.pend.any = true, int64(int32(w.u32le()))*1000, true
	case opIdle:
		w.pend.idle, w.pend.any = int64(min(w.length(), 1<<62)), true
	case opFreq:
		w.pend.freq, w.pend.any = int16(w.byte()), true
	case opEOF:
		w.t.opcodes[op]++
		return steppedEnd
	default:
		if w.src.isType[op] {
			w.record(op)
			return steppedKey
		}
		from := w.offset() - 1
		w.rareOp(op)
		if w.passed != nil {
			w.passed(op, from, w.offset())
		}
	}
	w.t.opcodes[op]++
	return steppedOp
}

func (w *walker) rareOp(op byte) {
	switch op {
	case opSelectDB:
		db := w.length()
		if db > 1<<31-1 {
			w.failf("database number %d is out of range", db)
		}
		w.db = int(db)
	case opResizeDB:
		w.length()
		w.length()
	case opSlotInfo:
		w.length()
		keys := w.length()
		w.slot(keys, w.length())
	case opAux:
		w.aux()
	case opFunction:
		w.string(&w.first, 0)
		w.t.functions++
		w.t.functionBytes += w.first.n
	case opFunctionPreGA:
		w.string(&w.first, 0)
		w.string(&w.first, 0)
		if w.length() != 0 {
			w.string(&w.first, 0)
		}
		w.string(&w.first, 0)
		w.t.functions++
		w.t.functionBytes += w.first.n
	case opModuleAux:
		m := w.t.module(w.length())
		m.Aux++
		if w.length() != modUInt {
			w.failf("a module's record outside of keys does not begin as one")
		}
		w.length()
		w.moduleFields()
	default:
		w.dialectOp(op)
	}
}

// dialectOp reads an opcode whose number means different things to different servers.
func (w *walker) dialectOp(op byte) {
	d := w.src
	switch {
	case op == opKeyMeta && d.valkey:
		w.string(&w.first, 0)
		ranges := w.length()
		for range ranges {
			w.length()
			w.length()
		}
	case op == opKeyMeta:
		classes := w.length()
		for range classes {
			w.take(4)
			w.moduleFields()
		}
		w.pend.any = true
	case op == opTemplate && !d.valkey:
		w.defineTemplate()
	case op == opTemplate:
		w.failf("the snapshot holds updates that were made while it was saved (opcode 242 of Valkey), which rdblens does not read yet")
	case op == opEnterpriseLRU && !d.valkey && !d.dragonfly:
		w.length()
		w.pend.any = true
	case op == opEnterpriseSlot && !d.valkey && !d.dragonfly:
		w.length()
		w.pend.any = true
	case d.dragonfly:
		w.dragonflyOp(op)
	default:
		w.failUnknown(op)
	}
}

func (w *walker) dragonflyOp(op byte) {
	switch op {
	case opDFFullSyncEnd, opDFJournal:
		w.take(8)
	case opDFJournalBlob:
		w.length()
		w.string(&w.first, 0)
	case opDFMask:
		if flags := w.u32le(); flags&2 != 0 {
			w.take(4)
		}
		w.pend.any = true
	case opDFShardIndex:
		w.length()
		w.string(&w.first, 0)
		n := w.length()
		for range n {
			w.ahead()
			w.string(&w.first, 0)
			w.length()
		}
	case opDFVectorIndex:
		w.string(&w.first, 0)
		w.length()
		n := w.length()
		for range n {
			w.take(12)
			levels := w.u32le()
			for range int64(levels) + 1 {
				w.skip(4 * uint64(w.u32le()))
			}
		}
	case opDFZstd, opDFLZ4, opDFBlobEnd:
		w.failf("the snapshot holds compressed blocks of Dragonfly: save it with --compression_mode=0 or as a plain .rdb")
	case opDFTaggedChunk:
		w.failf("the snapshot holds interleaved chunks of Dragonfly (opcode 224): save it as a plain .rdb")
	default:
		w.failUnknown(op)
	}
}

// slot takes what the file says of a cluster slot.
func (w *walker) slot(keys, expires uint64) {
	const most = 1 << 40 // more than any server holds
	w.t.addSlots(memory.Slot{Keys: int64(min(keys, most)), Expires: int64(min(expires, most))})
}

// maxAux bounds what is kept of the header's fields: so many, of such length.
const (
	maxAux     = 64
	maxAuxText = 128
)

func (w *walker) aux() {
	w.ahead()
	w.string(&w.first, 0)
	var buf [maxAuxText]byte
	name := buf[:copy(buf[:], w.text(&w.first, maxAuxText))]
	w.string(&w.second, 0)
	w.t.auxCount++
	switch string(name) {
	case "lua":
		w.t.scripts++
		w.t.scriptBytes += w.second.n
	case "slot-info": // slot,keys,expires, and from Valkey 9 on the hashes with fields that expire
		w.t.cluster = true
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
	parsed, _ := version.Parse(in.ServerVersion)
	d.embed = embeddingOf(in.Server, parsed)
}
