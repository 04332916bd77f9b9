package report

import (
	"cmp"
	"slices"

	"github.com/rdblens/rdblens/parser/memory"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/internal/serverinfo"
)

// MemoryPart is a part of used_memory, or of what the server has besides.
type MemoryPart struct {
	Name  string `json:"name"`  // one of the Part constants
	Bytes int64  `json:"bytes"` // negative of the rest if the model predicts more than the server used
	// Basis is "model" if the memory model computed it from the snapshot, "server" if the
	// server said it, "file" if the snapshot has it, and "rest" if it is what the others leave.
	Basis string `json:"basis"`
	// Outside: it is not in used_memory, but in what the operating system sees.
	Outside bool `json:"outside_used_memory,omitempty"`
	// Remedy says what frees it, "" nothing. RemedyMessage is the same as a message.
	Remedy        string          `json:"remedy,omitempty" redact:"of RemedyMessage"`
	RemedyMessage message.Message `json:"remedy_message,omitzero"`
}

// The values of Memory.PartsOf.
const (
	PartsOfInfo       = "info"       // used_memory of Options.Info
	PartsOfSnapshot   = "snapshot"   // used_memory in the header of the snapshot
	PartsOfPrediction = "prediction" // Memory.Predicted
)

// The values of MemoryPart.Basis.
const (
	byModel  = "model"
	byServer = "server"
	byFile   = "file"
	byRest   = "rest"
)

type partText struct {
	name, title, remedy string
	code                string // {code} of the remedy
	ordinary            bool   // every server has it
}

var partTexts = []partText{
	{"values", "values", "", "", true},
	{"names", "names of keys", "shorter names, or hashes in place of many small keys", "", true},
	{"tables", "tables of keys", "fewer, larger keys", "", true},
	{"expires", "table of expiries", "", "", true},
	{"rehash", "table of keys that is being resized", "nothing to do: the old table is freed when all keys have moved " +
		"({code} lets an idle server move them, too)", "activerehashing yes", false},
	{"startup", "empty server", "", "", true},
	{"backlog", "replication backlog", "{code} sets its size", "repl-backlog-size", false},
	{"replicas", "buffers of replicas", "a replica reads too slowly: {code} bounds what waits for it",
		"client-output-buffer-limit replica", false},
	{"clients", "buffers of clients", "{code} names the client that does not read its replies; maxmemory-clients or " +
		"client-output-buffer-limit normal bounds it", "CLIENT LIST", false},
	{"cluster links", "links of the cluster", "{code} bounds what waits for another node", "cluster-link-sendbuf-limit",
		false},
	{"aof buffer", "buffer of the append-only file", "the disk is slower than the writes: look at {code}",
		"INFO persistence", false},
	{"scripts", "cached scripts", "{code} frees them; a script that is text with values in it is a new one each time: " +
		"pass values as ARGV", "SCRIPT FLUSH", false},
	{"functions", "functions", "{code} removes a library", "FUNCTION DELETE", false},
	{"histograms", "histograms of commands", "{code} saves them", "latency-tracking no", false},
	{"slack", "slack and what no figure names", "a restart, or a failover to a fresh replica, frees slack of deleted " +
		"and changed data: tables that were larger, spare bytes of strings", "", false},
	{"buffers and slack", "buffers and slack", "INFO tells them apart: {code}", "--info", false},
	{"script engines", "engines of scripts", "{code} starts new ones", "SCRIPT FLUSH", false},
	{"fragmentation", "fragmentation", "{code} gives pages back; else activedefrag yes, or a restart", "MEMORY PURGE",
		false},
}

// histogramBytes is what the latency histogram of a command takes
// (parser/memory.Instance); those of two commands are in an empty server.
const histogramBytes, usualHistograms = 24 << 10, 2

// divide sets the parts of used_memory. nameBytes are the bytes of all names, and p is
// the prediction; other: it is for another server than the one that wrote the snapshot.
func (m *Memory) divide(in *Input, p *memory.Instance, nameBytes, keys int64, info *serverinfo.Info, other bool) {
	m.Parts = nil
	add := func(name string, n int64, basis string) {
		at := slices.IndexFunc(m.Parts, func(p MemoryPart) bool { return p.Name == name })
		if at < 0 {
			at = len(m.Parts)
			m.Parts = append(m.Parts, MemoryPart{Name: name, Basis: basis})
		}
		m.Parts[at].Bytes += n
	}
	add("values", p.Keys-nameBytes-p.ExpiryEntries, byModel)
	add("names", nameBytes, byModel)
	add("tables", p.Tables-p.ExpiryTables, byModel)
	add("expires", p.ExpiryTables+p.ExpiryEntries, byModel)
	startup, used, of := p.Startup, p.UsedMemory, PartsOfPrediction
	if !other && in.UsedMem.Known() {
		used, of = int64(in.UsedMem), PartsOfSnapshot
	}
	rest := "buffers and slack"
	if n, ok := info.Get("used_memory"); ok {
		used, of, rest = n, PartsOfInfo, "slack"
	}
	if n, ok := info.Get("used_memory_startup"); ok {
		startup = n
	}
	if add("startup", startup, byModel); of == PartsOfInfo {
		m.addReported(info, keys, add)
	} else if of == PartsOfSnapshot {
		add("scripts", in.ScriptBytes, byFile)
		add("functions", in.FunctionBytes, byFile)
	}
	sum := int64(0)
	for _, part := range m.Parts {
		sum += part.Bytes
	}
	if i := slices.IndexFunc(m.Parts, func(p MemoryPart) bool { return p.Name == "clients" }); i >= 0 && sum > used {
		// Replies of Valkey 9.1 that wait refer to long values, but count as if they had copied them.
		shared := min(sum-used, m.Parts[i].Bytes)
		m.Parts[i].Bytes -= shared
		sum -= shared
		m.explain("the server counts {size} for clients that its used_memory does not have: replies that refer to values",
			message.Size("size", shared))
	}
	if of != PartsOfPrediction {
		add(rest, used-sum, byRest)
	}
	m.UsedMemory, m.PartsOf = Figure(used), of
	if of == PartsOfInfo {
		m.addOutside(info, used, add)
	}
	m.Parts = slices.DeleteFunc(m.Parts, func(p MemoryPart) bool { return p.Bytes == 0 && p.Basis != byRest })
	for i := range m.Parts {
		part := &m.Parts[i]
		part.Outside = part.Name == "fragmentation" || part.Name == "script engines"
		if of == PartsOfInfo && part.Name == "startup" {
			part.Basis = byServer
		}
		part.setRemedy()
	}
	slices.SortFunc(m.Parts, func(a, b MemoryPart) int { return cmp.Compare(partIndex(a.Name), partIndex(b.Name)) })
	if of == PartsOfInfo && info.Keys >= 0 && info.Keys != in.Keys {
		m.explain("INFO counts {info}, the snapshot has {file}: what was written in between is in the rest",
			keysArg("info", info.Keys), keysArg("file", in.Keys))
	}
	if n, _ := info.Get("lazyfree_pending_objects"); n > 0 {
		m.explain("{values} of deleted keys wait to be freed: they are in the rest",
			message.Number("values", n, "1 value", "{n} values"))
	}
}

func (p *MemoryPart) setRemedy() {
	t := partTextOf(p.Name)
	switch {
	case t.code != "":
		p.RemedyMessage = message.New(t.remedy, message.Code("code", t.code))
	case t.remedy != "":
		p.RemedyMessage = message.New(t.remedy)
	}
	p.Remedy = p.RemedyMessage.String()
}

// addReported adds the parts of used_memory that a server said. keys is the number of
// keys that the model has tables for.
func (m *Memory) addReported(info *serverinfo.Info, keys int64, add func(string, int64, string)) {
	for name, figures := range map[string][]string{
		"backlog":       {"mem_replication_backlog"},
		"replicas":      {"mem_clients_slaves", "mem_replica_full_sync_buffer", "mem_replicas_repl_buffer"},
		"clients":       {"mem_clients_normal"},
		"cluster links": {"mem_cluster_links", "mem_cluster_slot_import", "mem_cluster_slot_export"},
		"aof buffer":    {"mem_aof_buffer"},
		"scripts":       {"used_memory_scripts_eval"},
		"functions":     {"used_memory_functions"},
	} {
		n, _ := info.Sum(figures...)
		add(name, n, byServer)
	}
	if info.Commands > usualHistograms {
		add("histograms", (info.Commands-usualHistograms)*histogramBytes, byServer)
	}
	add("rehash", rehashBytes(info, keys), byServer)
}

// rehashBytes returns what the old tables of databases take whose keys are being moved
// to a table of another size. Redis up to 7.2 says how large both are together: a sum
// that is no power of two.
func rehashBytes(info *serverinfo.Info, keys int64) int64 {
	if n, ok := info.Get("mem_overhead_db_hashtable_rehashing"); ok {
		return n
	}
	const entryAndObject, pointer = 24 + 16, 8
	main, known := info.Get("overhead.hashtable.main")
	if n, ok := info.Get("keys"); ok {
		keys = n
	}
	buckets := (main - keys*entryAndObject) / pointer
	if !known || buckets <= 0 || buckets&(buckets-1) == 0 {
		return 0
	}
	now := int64(4) // buckets of the table of these keys
	for now < keys {
		now *= 2
	}
	return max(0, buckets-now) * pointer
}

// addOutside adds what the process has besides used_memory, as far as it is resident.
func (m *Memory) addOutside(info *serverinfo.Info, used int64, add func(string, int64, string)) {
	engines, ok := info.Get("used_memory_vm_total")
	if !ok {
		engines, _ = info.Get("used_memory_lua")
	}
	rss, ok := info.Get("used_memory_rss")
	if !ok || rss < used { // swapped out, or not known to the server
		return
	}
	engines = min(engines, rss-used)
	add("script engines", engines, byServer)
	add("fragmentation", rss-used-engines, byServer)
}

// cause returns the part of used_memory that is largest besides the keys and the empty
// server, nil if none is worth a sentence.
func (m *Memory) cause() (largest *MemoryPart) {
	const least, share = 64 << 10, .05
	for i := range m.Parts {
		p := &m.Parts[i]
		if !p.Outside && !partTextOf(p.Name).ordinary && (largest == nil || p.Bytes > largest.Bytes) {
			largest = p
		}
	}
	if largest == nil || largest.Bytes < least || float64(largest.Bytes) < share*float64(m.UsedMemory) {
		return nil
	}
	return largest
}

// partsSentence returns what used_memory has that is not keys, in one sentence; zero if there is
// nothing to say.
func (m *Memory) partsSentence() (none message.Message) {
	if m == nil || m.PartsOf != PartsOfInfo {
		return none
	}
	used := sizeArg("used", m.UsedMemory)
	keys := message.Size("keys", int64(m.Keys+m.Tables))
	p := m.cause()
	switch {
	case m.Keys+m.Tables > m.UsedMemory:
		return message.New("used_memory {used} of {flag} is less than the {keys} of keys: it is of another server, or of "+
			"another time", used, keys, message.Code("flag", "--info"))
	case p == nil:
		return message.New("used_memory {used}: {keys} of keys, and no other part is over 5 %", used, keys)
	}
	return message.New("used_memory {used}: {keys} of keys; most of the rest: {part}, {size} ({share}): {remedy}", used,
		keys, message.Word("part", partTextOf(p.Name).title), message.Size("size", p.Bytes),
		shareArg("share", p.Bytes, int64(m.UsedMemory)),
		message.Phrase("remedy", sentenceOf(p.RemedyMessage, p.Remedy)))
}

// partTextOf returns the texts of a part; of a part of a later version its name.
func partTextOf(name string) partText {
	if i := partIndex(name); i < len(partTexts) {
		return partTexts[i]
	}
	return partText{name: name, title: name}
}

func partIndex(name string) int {
	i := slices.IndexFunc(partTexts, func(t partText) bool { return t.name == name })
	if i < 0 {
		return len(partTexts)
	}
	return i
}

func (d *details) parts(m *Memory) {
	rows := m.Parts
	d.rows(len(rows),
		leftColumn("used_memory has", func(i int) message.Message {
			title := word(partTextOf(rows[i].Name).title)
			if rows[i].Outside {
				return message.New("besides: {part}", message.Phrase("part", title))
			}
			return title
		}),
		sizeColumn("memory", func(i int) Figure { return Figure(rows[i].Bytes) }),
		rightColumn("share", func(i int) message.Message { return shareText(rows[i].Bytes, int64(m.UsedMemory)) }),
		leftColumn("what frees it",
			func(i int) message.Message { return sentenceOf(rows[i].RemedyMessage, rows[i].Remedy) }).drop(1))
}
