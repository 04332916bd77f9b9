package parser

import (
	"slices"
	"strings"

	"github.com/rdblens/rdblens/parser/internal/memory"
	"github.com/rdblens/rdblens/parser/internal/rdb"
	"github.com/rdblens/rdblens/parser/internal/release"
	"github.com/rdblens/rdblens/parser/message"
)

// A typeRow is all that is known of a type byte before the value is read. Type
// tables (commonTypes and those of the dialects) are lists of them. Framing,
// walking, splitting, visiting and Info.LoadableBy go by the rows: a new type is
// one row and, if its layout is new, a case in walker.value.
type typeRow struct {
	number byte
	// since is the first release of Redis (of Valkey, in its table) that loads
	// the type; "" none does.
	since    string
	typ      Type
	encoding Encoding
	shape    memory.Shape
	rdb.Layout
}

// splits reports whether a large key is split between elements and walked in parallel.
func (r *typeRow) splits() bool {
	switch r.Kind {
	case rdb.Quicklist:
		return true
	case rdb.Counted:
		return r.typ != List && r.Beside != rdb.ScoreText && r.Beside != rdb.ExpirySeconds
	}
	return false
}

// commonTypes are the types that mean the same under every magic. Sources:
// rdb.h and rdbLoadObject in rdb.c of each release of Redis.
var commonTypes = []typeRow{
	{0, "1.0", String, EncUnknown, memory.Other, rdb.Layout{Kind: rdb.Text}},
	{1, "1.0", List, EncLinkedlist, memory.LinkedList, rdb.Layout{Kind: rdb.Counted, Strings: 1}},
	{2, "1.0", Set, EncHashtable, memory.SetTable, rdb.Layout{Kind: rdb.Counted, Strings: 1}},
	{3, "1.0", ZSet, EncSkiplist, memory.Skiplist, rdb.Layout{Kind: rdb.Counted, Strings: 1, Beside: rdb.ScoreText}},
	{4, "1.0", Hash, EncHashtable, memory.HashTable, rdb.Layout{Kind: rdb.Counted, Strings: 2}},
	{5, "4.0", ZSet, EncSkiplist, memory.Skiplist, rdb.Layout{Kind: rdb.Counted, Strings: 1, Beside: rdb.ScoreBinary}},
	{6, "", Module, EncUnknown, memory.Other, rdb.Layout{Kind: rdb.Refused}},
	{7, "4.0", Module, EncUnknown, memory.Other, rdb.Layout{Kind: rdb.Module}},
	{9, "2.2", Hash, EncZipmap, memory.Packed, rdb.Layout{Kind: rdb.Packed, Block: rdb.BlockZipmap}},
	{10, "2.2", List, EncZiplist, memory.Packed, rdb.Layout{Kind: rdb.Packed, Block: rdb.BlockZiplist, Strings: 1}},
	{11, "2.2", Set, EncIntset, memory.Packed, rdb.Layout{Kind: rdb.Packed, Block: rdb.BlockIntset}},
	{12, "2.4", ZSet, EncZiplist, memory.Packed, rdb.Layout{Kind: rdb.Packed, Block: rdb.BlockZiplist, Strings: 2}},
	{13, "2.6", Hash, EncZiplist, memory.Packed, rdb.Layout{Kind: rdb.Packed, Block: rdb.BlockZiplist, Strings: 2}},
	{14, "3.2", List, EncQuicklist, memory.Quicklist,
		rdb.Layout{Kind: rdb.Quicklist, Strings: 1, Block: rdb.BlockZiplist}},
	{15, "5.0", Stream, EncStream, memory.StreamTree, rdb.Layout{Kind: rdb.Stream, Variant: rdb.StreamPlain}},
	{16, "7.0", Hash, EncListpack, memory.Packed, rdb.Layout{Kind: rdb.Packed, Strings: 2}},
	{17, "7.0", ZSet, EncListpack, memory.Packed, rdb.Layout{Kind: rdb.Packed, Strings: 2}},
	{18, "7.0", List, EncQuicklist, memory.Quicklist, rdb.Layout{Kind: rdb.Quicklist, Strings: 1, Variant: 2}},
	{19, "7.0", Stream, EncStream, memory.StreamTree, rdb.Layout{Kind: rdb.Stream, Variant: rdb.StreamCounters}},
	{20, "7.2", Set, EncListpack, memory.Packed, rdb.Layout{Kind: rdb.Packed, Strings: 1}},
	{21, "7.2", Stream, EncStream, memory.StreamTree, rdb.Layout{Kind: rdb.Stream, Variant: rdb.StreamActive}},
}

// redisTypes are those of Redis from 7.4 on, and of KeyDB.
var redisTypes = []typeRow{
	// 22 and 23 are those of the release candidates of 7.4.
	{22, "7.4", Hash, EncHashtable, memory.HashTable,
		rdb.Layout{Kind: rdb.Counted, Strings: 2, Beside: rdb.ExpiryAbsolute}},
	{23, "7.4", Hash, EncListpackEx, memory.PackedEx, rdb.Layout{Kind: rdb.Packed, Strings: 3}},
	{24, "7.4", Hash, EncHashtable, memory.HashTable,
		rdb.Layout{Kind: rdb.Counted, Strings: 2, Beside: rdb.ExpiryRelative, MinExpire: true}},
	{25, "7.4", Hash, EncListpackEx, memory.PackedEx, rdb.Layout{Kind: rdb.Packed, Strings: 3, MinExpire: true}},
	{26, "8.6", Stream, EncStream, memory.StreamTree, rdb.Layout{Kind: rdb.Stream, Variant: rdb.StreamIdempotent}},
	{27, "8.8", Stream, EncStream, memory.StreamTree, rdb.Layout{Kind: rdb.Stream, Variant: rdb.StreamNacked}},
	{28, "8.8", Array, EncSliced, memory.SlicedArray, rdb.Layout{Kind: rdb.Array}},
	{29, "8.10", Hash, EncTemplateListpack, memory.Template,
		rdb.Layout{Kind: rdb.Template, Variant: rdb.TemplateOwn | rdb.TemplatePacked}},
	{30, "8.10", Hash, EncTemplateListpack, memory.Template,
		rdb.Layout{Kind: rdb.Template, Variant: rdb.TemplatePacked}},
	{31, "8.10", Hash, EncTemplateArray, memory.Template, rdb.Layout{Kind: rdb.Template, Variant: rdb.TemplateOwn}},
	{32, "8.10", Hash, EncTemplateArray, memory.Template, rdb.Layout{Kind: rdb.Template}},
	{33, "", GCRA, EncUnknown, memory.Other, rdb.Layout{Kind: rdb.Number}}, // in builds with ENABLE_GCRA alone
	{64, "", Cron, EncUnknown, memory.Other, rdb.Layout{Kind: rdb.Cron}},   // KeyDB's
}

var valkeyTypes = []typeRow{
	{22, "9.0", Hash, EncHashtable, memory.HashTable,
		rdb.Layout{Kind: rdb.Counted, Strings: 2, Beside: rdb.ExpiryBinary}},
	{23, "9.2", PathHash, EncPathHash, memory.PathTree, rdb.Layout{Kind: rdb.Paths}},
}

// valkey92Types are those that Valkey 9.2 keeps in another way than releases
// before it.
var valkey92Types = []typeRow{
	{5, "4.0", ZSet, EncBTree, memory.Skiplist, rdb.Layout{Kind: rdb.Counted, Strings: 1, Beside: rdb.ScoreBinary}},
}

// dragonflyTypes are those of Dragonfly (rdb_extensions.h and rdb_save.cc).
var dragonflyTypes = []typeRow{
	{30, "", JSON, EncUnknown, memory.Other, rdb.Layout{Kind: rdb.Text}},
	{31, "", Hash, EncHashtable, memory.Other, rdb.Layout{Kind: rdb.Counted, Strings: 2, Beside: rdb.ExpirySeconds}},
	{32, "", Set, EncHashtable, memory.Other, rdb.Layout{Kind: rdb.Counted, Strings: 1, Beside: rdb.ExpirySeconds}},
	{33, "", Bloom, EncUnknown, memory.Other, rdb.Layout{Kind: rdb.Filter, Variant: 1}},
	{34, "", Bloom, EncUnknown, memory.Other, rdb.Layout{Kind: rdb.Filter, Variant: 2}},
	{35, "", CountMin, EncUnknown, memory.Other, rdb.Layout{Kind: rdb.CountMin}},
	{36, "", TopK, EncUnknown, memory.Other, rdb.Layout{Kind: rdb.TopK}},
	{37, "", Cuckoo, EncUnknown, memory.Other, rdb.Layout{Kind: rdb.Cuckoo}},
}

// oldDragonflyTypes are those of its releases that wrote version 9 at most and
// JSON documents under the number of a set.
var oldDragonflyTypes = []typeRow{
	{20, "", JSON, EncUnknown, memory.Other, rdb.Layout{Kind: rdb.Text}},
}

// compile sets the types of the dialect by what the header says until now.
func (d *dialect) compile() {
	d.types, d.Framing = [256]typeRow{}, rdb.Framing{Enterprise: !d.valkey, Dragonfly: d.dragonfly}
	tables := [][]typeRow{commonTypes, redisTypes}
	switch {
	case d.dragonfly && d.version <= 9:
		tables = [][]typeRow{commonTypes, dragonflyTypes, oldDragonflyTypes}
	case d.dragonfly:
		tables = [][]typeRow{commonTypes, dragonflyTypes}
	case d.valkey && d.version >= release.ValkeyTrees:
		tables = [][]typeRow{commonTypes, valkeyTypes, valkey92Types}
	case d.valkey:
		tables = [][]typeRow{commonTypes, valkeyTypes}
	}
	// What no release has may mean another thing in a version that is not known.
	guessed := d.version > release.Newest(release.Of(d.valkey)) && !d.dragonfly
	for _, rows := range tables {
		for _, r := range rows {
			if r.since == "" && guessed {
				continue
			}
			d.types[r.number] = r
			d.Framing.Set(r.number, r.Layout)
		}
	}
}

// firstVersion returns the oldest RDB version that what came with a release can
// stand under. The release candidates of 2.6 wrote versions 3 to 6, a step for each
// change.
func firstVersion(valkey bool, since string) int {
	if since == "2.6" {
		return 3
	}
	return release.RDB(release.Of(valkey), since)
}

// contradiction says in which way what was read of the snapshot contradicts its
// RDB version: "" in none. Dragonfly, which writes newer types under version 9, is
// not asked, and nothing is known of types and opcodes that no release has.
func (d *dialect) contradiction(seen *counters) (none message.Message) {
	if d.dragonfly {
		return none
	}
	if d.valkey && d.version < release.ValkeyFirst {
		return message.Format("the snapshot says RDB version %d, but the magic VALKEY exists from version %d on",
			d.version, release.ValkeyFirst)
	}
	for n := range seen.types {
		for _, what := range []struct {
			name, since string
			count       int64
		}{{"type", d.types[n].since, seen.types[n]}, {"opcode", opcodeSince(byte(n), d.valkey), seen.opcodes[n]}} {
			if what.count == 0 || what.since == "" {
				continue
			}
			if first := firstVersion(d.valkey, what.since); d.version < first {
				return message.Format("the snapshot says RDB version %d, but has %s %d, which exists from version %d on",
					d.version, what.name, n, first)
			}
		}
	}
	return none
}

// LoadableBy returns the oldest Redis and the oldest Valkey release that load
// the snapshot as their configuration is by default, such as "7.0" and "7.2",
// from its version and the types, opcodes and modules in it: a server refuses a
// file of a newer version before it looks at a key, and stops at a type that it
// does not know. All later releases of the same line load it as well.
//
// It is "" where no release does: a file with Valkey's magic on Redis, one of
// Redis 7.4 or later on Valkey, types and opcodes of other servers (KeyDB's cron
// jobs, Dragonfly's, Redis Enterprise's), modules of release candidates. The modules
// that a server needs besides are those of LoadModules. Of a file that was not read
// to its end, it is what was seen of it.
func (i *Info) LoadableBy() (redis, valkey string) {
	redis, valkey = i.VersionSince()
	need := func(r, v string) { redis, valkey = later(redis, r), later(valkey, v) }
	d := i.dialect()
	for n := range i.Types {
		if i.Types[n] > 0 {
			need(d.lines(d.types[n].since))
		}
		if i.Opcodes[n] > 0 {
			need(d.lines(opcodeSince(byte(n), d.valkey)))
		}
	}
	for _, m := range i.Modules {
		need(ModuleSince(m.Name, m.Version))
	}
	return redis, valkey
}

// dialect returns what the header says of the numbers in the snapshot.
func (i *Info) dialect() *dialect {
	d := &dialect{valkey: i.Magic == "VALKEY", dragonfly: i.Server == "dragonfly", version: i.Version}
	d.compile()
	return d
}

// VersionSince returns the oldest Redis and the oldest Valkey release that accept the
// snapshot's magic and RDB version, and what surrounds it; "" none does.
func (i *Info) VersionSince() (redis, valkey string) {
	if i.Magic == "VALKEY" {
		valkey = release.First(release.Valkey, max(i.Version, release.ValkeyFirst))
	} else {
		redis = release.First(release.Redis, i.Version)
		if i.Version <= release.RDB(release.Redis, release.Fork) {
			valkey = release.Fork
		}
	}
	if slices.ContainsFunc(i.Frames, func(f string) bool { return strings.HasPrefix(f, "vcs-") }) {
		redis, valkey = "", later(valkey, "9.2")
	}
	return redis, valkey
}

// TypeSince returns the oldest Redis and the oldest Valkey release that load a type
// byte of the snapshot, OpcodeSince those that read an opcode; "" none does.
func (i *Info) TypeSince(number uint8) (redis, valkey string) {
	d := i.dialect()
	return d.lines(d.types[number].since)
}

// OpcodeSince is TypeSince for an opcode.
func (i *Info) OpcodeSince(number uint8) (redis, valkey string) {
	d := i.dialect()
	return d.lines(opcodeSince(number, d.valkey))
}

// ModuleSince returns the oldest Redis and the oldest Valkey release whose modules load
// values of a module type in an encoding version; "" none does. Vector sets are
// Redis' own. From 8.0 on the modules of Redis have its version numbers.
func ModuleSince(name string, version int) (redis, valkey string) {
	switch {
	case name == VectorSet.String():
		return "8.0", ""
	case name == JSON.String() && version >= 4: // as CBOR; valkey-json reads up to 3
		return "8.8", ""
	case name == TimeSeries.String() && version >= 9:
		return "8.6", ""
	case name == ValkeyBloom.String() || name == "Vk-Search": // valkey-bloom, valkey-search
		return "", "8.0"
	}
	return "4.0", release.Fork
}

// lines returns the oldest Redis and the oldest Valkey release that have what came
// with a release of the snapshot's line.
func (d *dialect) lines(since string) (redis, valkey string) {
	switch {
	case since == "":
		return "", ""
	case release.Has(release.UpTo(release.Redis, release.Fork), since):
		return since, release.Fork
	case d.valkey:
		return "", since
	}
	return since, ""
}

// later returns the later one of two releases, "" if one of them is "".
func later(a, b string) string {
	if a == "" || b == "" {
		return ""
	}
	x, _ := release.Parse(a)
	y, _ := release.Parse(b)
	if x.AtLeast(y.Major, y.Minor) {
		return a
	}
	return b
}

// payloadVersion returns the RDB version for a DUMP payload of type t: that of the
// oldest release that loads the type. A type of which no release is known has the
// snapshot's.
func (d *dialect) payloadVersion(t byte) int {
	if since := d.types[t].since; since != "" {
		return max(payloadFirst, release.RDB(release.Of(d.valkey), since))
	}
	return d.version
}

// payloadFirst is the RDB version of Redis 2.6, the first release that has RESTORE.
const payloadFirst = 6

// LoadModules returns the names of the module types without which no server loads
// the snapshot, in order: those of keys, and of data beside the keys, at which a
// server stops as well (RDB_OPCODE_MODULE_AUX in rdb.c). Vector sets are no module's: Redis
// 8.0 has them.
func (i *Info) LoadModules() []string {
	var names []string
	for _, m := range i.Modules {
		if m.Keys+m.Aux > 0 && m.Name != VectorSet.String() {
			names = append(names, m.Name)
		}
	}
	return names
}

// opcodeSince returns the first release that reads an opcode, "" none does. Sources
// as for types. Opcode 246, the functions of release candidates of 7.0, has none,
// since only 7.0 reads it.
func opcodeSince(op byte, valkey bool) string {
	switch op {
	case rdb.OpExpire, rdb.OpSelectDB, rdb.OpEOF:
		return "1.0"
	case rdb.OpExpireMS:
		return "2.6"
	case rdb.OpAux, rdb.OpResizeDB:
		return "3.2"
	case rdb.OpModuleAux, rdb.OpIdle, rdb.OpFreq:
		return "5.0"
	case rdb.OpFunction:
		return "7.0"
	}
	switch {
	case op == rdb.OpKeyMeta && valkey:
		return "9.0"
	case op == rdb.OpTemplate && valkey:
		return "9.2"
	case op == rdb.OpSlotInfo && !valkey:
		return "7.4"
	case op == rdb.OpKeyMeta:
		return "8.6"
	case op == rdb.OpTemplate:
		return "8.10"
	}
	return ""
}

// A Version is the first two numbers of a server's version, Major and Minor, on which
// alone anything depends. The zero Version is older than all. AtLeast(major, minor int)
// reports whether it is that version or a later one.
type Version = release.Version

// ParseVersion returns the first two numbers of a version such as 7.0.15, v8.1 or
// 9.1.0-rc1; the second is 0 where there is none. ok is false if s does not begin with
// a number or has no number after its first dot; the numbers that cannot be read are 0.
func ParseVersion(s string) (v Version, ok bool) { return release.Parse(s) }
