package parser

import "github.com/rdblens/rdblens/parser/memory"

// tally counts what a walker met. Tallies of parts of a snapshot add up.
type tally struct {
	keys           int64
	types          [256]int64
	opcodes        [256]int64
	streamMismatch int64
	emptyKeys      int64
	cluster        bool
	slots          []memory.Slot
	slotCount      int64
	auxCount       int64
	functions      int64
	functionBytes  int64
	scripts        int64
	scriptBytes    int64
	modules        map[string]*ModuleInfo
	lastDB         int
	dbs            map[int]struct{}
}

func newTally() *tally { return &tally{lastDB: -1} }

// Bounds on what a hostile file can make a tally hold.
const (
	maxModules = 1024
	maxSlots   = 1 << 16
	// MaxDatabases is as far as Info.Databases counts.
	MaxDatabases = 1 << 16
)

func (t *tally) reset() {
	m, d, s := t.modules, t.dbs, t.slots
	clear(m)
	clear(d)
	*t = tally{modules: m, dbs: d, slots: s[:0], lastDB: -1}
}

// addSlots counts what the file says of cluster slots, as far as there is room.
func (t *tally) addSlots(slots ...memory.Slot) {
	t.cluster = true
	t.slotCount += int64(len(slots))
	t.slots = append(t.slots, slots[:min(len(slots), maxSlots-len(t.slots))]...)
}

func (t *tally) addDB(db int) {
	if db == t.lastDB {
		return
	}
	t.lastDB = db
	if t.dbs == nil {
		t.dbs = make(map[int]struct{})
	}
	if len(t.dbs) < MaxDatabases {
		t.dbs[db] = struct{}{}
	}
}

// module counts for the module of an ID; those beyond maxModules share a name.
func (t *tally) module(id uint64) *ModuleInfo {
	raw := moduleName(id)
	if m, ok := t.modules[string(raw[:])]; ok {
		return m
	}
	return t.moduleNamed(string(raw[:]))
}

func (t *tally) moduleNamed(name string) *ModuleInfo {
	if m, ok := t.modules[name]; ok {
		return m
	}
	if t.modules == nil {
		t.modules = make(map[string]*ModuleInfo)
	}
	if len(t.modules) >= maxModules {
		name = "(other)"
		if m, ok := t.modules[name]; ok {
			return m
		}
	}
	m := &ModuleInfo{Name: name}
	t.modules[name] = m
	return m
}

func (t *tally) add(o *tally) {
	t.keys += o.keys
	for i := range t.types {
		t.types[i] += o.types[i]
		t.opcodes[i] += o.opcodes[i]
	}
	t.streamMismatch += o.streamMismatch
	t.emptyKeys += o.emptyKeys
	if o.cluster {
		t.addSlots(o.slots...)
		t.slotCount += o.slotCount - int64(len(o.slots))
	}
	t.auxCount += o.auxCount
	t.functions += o.functions
	t.functionBytes += o.functionBytes
	t.scripts += o.scripts
	t.scriptBytes += o.scriptBytes
	for name, m := range o.modules {
		into := t.moduleNamed(name)
		into.Keys += m.Keys
		into.Aux += m.Aux
	}
	for db := range o.dbs {
		t.addDB(db)
	}
}

// fill puts the counts into what a caller sees.
func (t *tally) fill(in *Info) {
	in.Keys, in.Types, in.Opcodes = t.keys, t.types, t.opcodes
	in.StreamMismatch, in.EmptyKeys = t.streamMismatch, t.emptyKeys
	in.Cluster = in.Cluster || t.cluster
	if in.Slots = nil; t.slotCount <= maxSlots {
		in.Slots = t.slots
	}
	in.AuxCount = t.auxCount
	in.Functions, in.FunctionBytes = t.functions, t.functionBytes
	in.Scripts, in.ScriptBytes = t.scripts, t.scriptBytes
	in.Modules = sortedModules(t.modules)
	in.Databases = len(t.dbs)
}
