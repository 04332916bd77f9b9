package parser

import (
	"github.com/rdblens/rdblens/parser/internal/rdb"
	"github.com/rdblens/rdblens/parser/memory"
)

// A typeRow is all that is known of a type byte before the value is read. Type
// tables (commonTypes and those of the dialects) are lists of them. Framing,
// walking, splitting, visiting and Info.LoadableBy go by the rows: a new type is
// one row and, if its layout is new, a case in walker.value.
type typeRow struct {
	number   byte
	typ      Type
	encoding Encoding
	shape    memory.Shape
	rdb.Layout
	split bool   // a large key is split between elements and walked in parallel
	why   string // the value is refused
	// since is the first release of Redis (of Valkey, in its table) that loads
	// the type; "" none does.
	since string
}

// commonTypes are the types that mean the same under every magic. Sources:
// rdb.h and rdbLoadObject in rdb.c of each release of Redis.
var commonTypes = []typeRow{
	{number: 0, typ: String, Layout: rdb.Layout{Kind: rdb.Text}, since: "1.0"},
	{number: 1, typ: List, encoding: EncLinkedlist, shape: memory.LinkedList, Layout: rdb.Layout{Kind: rdb.Counted, Strings: 1}, since: "1.0"},
	{number: 2, typ: Set, encoding: EncHashtable, shape: memory.SetTable, Layout: rdb.Layout{Kind: rdb.Counted, Strings: 1}, split: true, since: "1.0"},
	{number: 3, typ: ZSet, encoding: EncSkiplist, shape: memory.Skiplist, Layout: rdb.Layout{Kind: rdb.Counted, Strings: 1, Beside: rdb.ScoreText}, since: "1.0"},
	{number: 4, typ: Hash, encoding: EncHashtable, shape: memory.HashTable, Layout: rdb.Layout{Kind: rdb.Counted, Strings: 2}, split: true, since: "1.0"},
	{number: 5, typ: ZSet, encoding: EncSkiplist, shape: memory.Skiplist, Layout: rdb.Layout{Kind: rdb.Counted, Strings: 1, Beside: rdb.ScoreBinary}, split: true, since: "4.0"},
	{number: 6, typ: Module, Layout: rdb.Layout{Kind: rdb.Refused}, why: "a module wrote this key in the format of 4.0 release candidates (type 6), which nothing but the module itself can read"},
	{number: 7, typ: Module, shape: memory.Other, Layout: rdb.Layout{Kind: rdb.Module}, since: "4.0"},
	{number: 9, typ: Hash, encoding: EncZipmap, shape: memory.Packed, Layout: rdb.Layout{Kind: rdb.Packed, Block: rdb.BlockZipmap}, since: "2.2"},
	{number: 10, typ: List, encoding: EncZiplist, shape: memory.Packed, Layout: rdb.Layout{Kind: rdb.Packed, Block: rdb.BlockZiplist, Strings: 1}, since: "2.2"},
	{number: 11, typ: Set, encoding: EncIntset, shape: memory.Packed, Layout: rdb.Layout{Kind: rdb.Packed, Block: rdb.BlockIntset}, since: "2.2"},
	{number: 12, typ: ZSet, encoding: EncZiplist, shape: memory.Packed, Layout: rdb.Layout{Kind: rdb.Packed, Block: rdb.BlockZiplist, Strings: 2}, since: "2.4"},
	{number: 13, typ: Hash, encoding: EncZiplist, shape: memory.Packed, Layout: rdb.Layout{Kind: rdb.Packed, Block: rdb.BlockZiplist, Strings: 2}, since: "2.6"},
	{number: 14, typ: List, encoding: EncQuicklist, shape: memory.Quicklist, Layout: rdb.Layout{Kind: rdb.Quicklist, Block: rdb.BlockZiplist, Strings: 1}, split: true, since: "3.2"},
	{number: 15, typ: Stream, encoding: EncStream, shape: memory.StreamTree, Layout: rdb.Layout{Kind: rdb.Stream, Variant: rdb.StreamPlain}, since: "5.0"},
	{number: 16, typ: Hash, encoding: EncListpack, shape: memory.Packed, Layout: rdb.Layout{Kind: rdb.Packed, Strings: 2}, since: "7.0"},
	{number: 17, typ: ZSet, encoding: EncListpack, shape: memory.Packed, Layout: rdb.Layout{Kind: rdb.Packed, Strings: 2}, since: "7.0"},
	{number: 18, typ: List, encoding: EncQuicklist, shape: memory.Quicklist, Layout: rdb.Layout{Kind: rdb.Quicklist, Strings: 1, Variant: 2}, split: true, since: "7.0"},
	{number: 19, typ: Stream, encoding: EncStream, shape: memory.StreamTree, Layout: rdb.Layout{Kind: rdb.Stream, Variant: rdb.StreamCounters}, since: "7.0"},
	{number: 20, typ: Set, encoding: EncListpack, shape: memory.Packed, Layout: rdb.Layout{Kind: rdb.Packed, Strings: 1}, since: "7.2"},
	{number: 21, typ: Stream, encoding: EncStream, shape: memory.StreamTree, Layout: rdb.Layout{Kind: rdb.Stream, Variant: rdb.StreamActive}, since: "7.2"},
}

// redisTypes are those of Redis from 7.4 on, and of KeyDB.
var redisTypes = []typeRow{
	// 22 and 23 are those of the release candidates of 7.4.
	{number: 22, typ: Hash, encoding: EncHashtable, shape: memory.HashTable, Layout: rdb.Layout{Kind: rdb.Counted, Strings: 2, Beside: rdb.ExpiryAbsolute}, split: true, since: "7.4"},
	{number: 23, typ: Hash, encoding: EncListpackEx, shape: memory.PackedEx, Layout: rdb.Layout{Kind: rdb.Packed, Strings: 3}, since: "7.4"},
	{number: 24, typ: Hash, encoding: EncHashtable, shape: memory.HashTable, Layout: rdb.Layout{Kind: rdb.Counted, Strings: 2, Beside: rdb.ExpiryRelative, MinExpire: true}, split: true, since: "7.4"},
	{number: 25, typ: Hash, encoding: EncListpackEx, shape: memory.PackedEx, Layout: rdb.Layout{Kind: rdb.Packed, Strings: 3, MinExpire: true}, since: "7.4"},
	{number: 26, typ: Stream, encoding: EncStream, shape: memory.StreamTree, Layout: rdb.Layout{Kind: rdb.Stream, Variant: rdb.StreamIdempotent}, since: "8.6"},
	{number: 27, typ: Stream, encoding: EncStream, shape: memory.StreamTree, Layout: rdb.Layout{Kind: rdb.Stream, Variant: rdb.StreamNacked}, since: "8.8"},
	{number: 28, typ: Array, encoding: EncSliced, shape: memory.Other, Layout: rdb.Layout{Kind: rdb.Array}, since: "8.8"},
	{number: 29, typ: Hash, encoding: EncTemplate, shape: memory.Other, Layout: rdb.Layout{Kind: rdb.Template, Variant: rdb.TemplateOwn | rdb.TemplatePacked}, since: "8.10"},
	{number: 30, typ: Hash, encoding: EncTemplate, shape: memory.Other, Layout: rdb.Layout{Kind: rdb.Template, Variant: rdb.TemplatePacked}, since: "8.10"},
	{number: 31, typ: Hash, encoding: EncTemplate, shape: memory.Other, Layout: rdb.Layout{Kind: rdb.Template, Variant: rdb.TemplateOwn}, since: "8.10"},
	{number: 32, typ: Hash, encoding: EncTemplate, shape: memory.Other, Layout: rdb.Layout{Kind: rdb.Template}, since: "8.10"},
	{number: 33, typ: GCRA, shape: memory.Other, Layout: rdb.Layout{Kind: rdb.Number}}, // in builds with ENABLE_GCRA alone
	{number: 64, typ: Cron, shape: memory.Other, Layout: rdb.Layout{Kind: rdb.Cron}},   // KeyDB's
}

// valkeyTypes are those under the magic VALKEY.
var valkeyTypes = []typeRow{
	{number: 22, typ: Hash, encoding: EncHashtable, shape: memory.HashTable, Layout: rdb.Layout{Kind: rdb.Counted, Strings: 2, Beside: rdb.ExpiryBinary}, split: true, since: "9.0"},
	{number: 23, typ: Hash, Layout: rdb.Layout{Kind: rdb.Refused}, since: "9.2",
		why: "type 23 is a hash of a Valkey release (RDB 81) that rdblens does not read yet"},
}

// dragonflyTypes are those of Dragonfly (rdb_extensions.h and rdb_save.cc).
var dragonflyTypes = []typeRow{
	{number: 30, typ: JSON, shape: memory.Other, Layout: rdb.Layout{Kind: rdb.Text}},
	{number: 31, typ: Hash, encoding: EncHashtable, shape: memory.Other, Layout: rdb.Layout{Kind: rdb.Counted, Strings: 2, Beside: rdb.ExpirySeconds}},
	{number: 32, typ: Set, encoding: EncHashtable, shape: memory.Other, Layout: rdb.Layout{Kind: rdb.Counted, Strings: 1, Beside: rdb.ExpirySeconds}},
	{number: 33, typ: Sketch, shape: memory.Other, Layout: rdb.Layout{Kind: rdb.Filter, Variant: 1}},
	{number: 34, typ: Sketch, shape: memory.Other, Layout: rdb.Layout{Kind: rdb.Filter, Variant: 2}},
	{number: 35, typ: Sketch, shape: memory.Other, Layout: rdb.Layout{Kind: rdb.CountMin}},
	{number: 36, typ: Sketch, shape: memory.Other, Layout: rdb.Layout{Kind: rdb.TopK}},
	{number: 37, typ: Sketch, shape: memory.Other, Layout: rdb.Layout{Kind: rdb.Cuckoo}},
}

// oldDragonflyTypes are those of its releases that wrote version 9 at most and
// JSON documents under the number of a set.
var oldDragonflyTypes = []typeRow{
	{number: 20, typ: JSON, shape: memory.Other, Layout: rdb.Layout{Kind: rdb.Text}},
}

// compile sets the types of the dialect by what the header says until now.
func (d *dialect) compile() {
	d.types, d.Framing = [256]typeRow{}, rdb.Framing{Enterprise: !d.valkey}
	tables := [][]typeRow{commonTypes, redisTypes}
	switch {
	case d.dragonfly && d.version <= 9:
		tables = [][]typeRow{commonTypes, dragonflyTypes, oldDragonflyTypes}
	case d.dragonfly:
		tables = [][]typeRow{commonTypes, dragonflyTypes}
	case d.valkey:
		tables = [][]typeRow{commonTypes, valkeyTypes}
	}
	for _, rows := range tables {
		for _, r := range rows {
			d.types[r.number] = r
			d.Framing.Set(r.number, r.Layout)
		}
	}
}
