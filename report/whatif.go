package report

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/memory"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/internal/target"
	"github.com/rdblens/rdblens/thresholds"
)

// Compatibility reports whether a server would load a snapshot. What its keys would take there
// is in Memory.WhatIf, if that was asked for.
type Compatibility struct {
	Server string `json:"server"`
	Model  string `json:"model"` // of the server, as Memory.WhatIf names it; "" none
	// Loads is "yes", "no", "conditional" (if the server is prepared, as the problems
	// say), or "unknown" of a snapshot that was not read to its end.
	Loads    string          `json:"loads"`
	Problems []TargetProblem `json:"problems"` // worst first
}

// TargetProblem is something of a snapshot that a server does not load.
type TargetProblem struct {
	// Error: the server refuses the snapshot; warning: it must be prepared; info: this is lost.
	Severity string `json:"severity"`
	Kind     string `json:"kind"`   // as package target has them
	Number   int    `json:"number"` // RDB version, type or opcode, encoding version of a module, highest database
	Name     Name   `json:"name,omitempty" redact:"module"`
	Since    string `json:"since"` // oldest release of the server's line that loads it, "" none does
	Count    int64  `json:"count"` // keys, or records beside them
	// MemoryBytes is the memory of the keys, of a server without a model their bytes
	// in the file; unknown of what is not keys.
	MemoryBytes Figure `json:"memory_bytes"`
	Text        string `json:"text" redact:"of Message"`
	// Message is Text as a message. Older versions do not have it.
	Message  message.Message `json:"message,omitzero"`
	Examples []TargetKey     `json:"examples,omitempty"` // the largest keys
}

// TargetKey is a key of a TargetProblem.
type TargetKey struct {
	DB          int   `json:"db"`
	Key         Name  `json:"key"` // at most its first 256 bytes
	KeyBytes    int64 `json:"key_bytes"`
	MemoryBytes int64 `json:"memory_bytes"`
}

// effects are the severities of what becomes of a snapshot, and the words of Loads.
var effects = map[target.Effect]struct{ severity, loads string }{
	target.Blocks:      {thresholds.Error.String(), "no"},
	target.Conditional: {thresholds.Warning.String(), "conditional"},
	target.Lost:        {thresholds.Info.String(), "yes"},
}

// newCompatibility returns what a check found in a snapshot, info, that is an input of the
// report.
func newCompatibility(server *target.Server, c *target.Check, info *parser.Info, in *Input) *Compatibility {
	t := &Compatibility{Server: server.String(), Loads: "unknown", Problems: []TargetProblem{}}
	if m, _, _ := memory.Choose("", "", memory.Options{Server: server.Model()}); m != nil {
		t.Model = m.Name()
	}
	if in.Error != nil || c == nil {
		return t
	}
	t.Loads = "yes"
	for i, p := range c.Problems(info) {
		if i == 0 {
			t.Loads = effects[p.Effect].loads
		}
		row := TargetProblem{Severity: effects[p.Effect].severity, Kind: string(p.Kind), Number: p.Number, Name: Name(p.Name),
			Since: p.Since,
			Count: p.Count, MemoryBytes: Unknown, Message: targetText(server, &p)}
		row.Text = row.Message.String()
		if len(p.Examples) > 0 {
			row.MemoryBytes = Figure(p.Bytes)
		}
		for _, e := range p.Examples {
			row.Examples = append(row.Examples, TargetKey{e.DB, Name(e.Name), e.NameLen, e.Bytes})
		}
		t.Problems = append(t.Problems, row)
	}
	return t
}

func targetText(server *target.Server, p *target.Problem) message.Message {
	line, _, _ := strings.Cut(server.Title(), " ")
	args := []message.Arg{message.Text("server", line), message.Text("since", p.Since), message.Int("n", int64(p.Number)),
		moduleArg("name", p.Name),
		message.Text("type", p.Type.String()), message.Text("encoding", p.Encoding.String()), message.Int("count", p.Count),
		message.Int("next", int64(p.Number)+1), message.Word("what", opcodeTexts[p.Number])}
	sentence := ""
	switch p.Kind {
	case target.Version:
		sentence = "RDB version {n} under the magic {name} is read from {server} {since} on"
		if p.Since == "" {
			sentence = "RDB version {n} under the magic {name} is read by no release of {server}"
		}
	case target.Frame:
		sentence = "the snapshot is in a {name} file: decompress it first"
		if strings.HasPrefix(p.Name, "replication") {
			sentence = "the snapshot is in a captured replication stream: cut it out first"
		}
	case target.Type:
		sentence = "RDB type {n} ({type}, {encoding}) is read from {server} {since} on"
		if p.Since == "" {
			sentence = "RDB type {n} ({type}, {encoding}) is read by no release of {server}"
		}
	case target.Module:
		switch {
		case p.Effect == target.Conditional && p.Name == parser.VectorSet.String():
			sentence = "vector sets that Redis 8.0.6 or a later release wrote need 8.0.6: earlier patches of 8.0 refuse them"
		case p.Effect == target.Conditional:
			sentence = "the module type {name}, encoding version {n}, needs the module that has it"
		case p.Since == "":
			sentence = "the module type {name}, encoding version {n}, is read by no module of {server}"
		default:
			sentence = "the module type {name}, encoding version {n}, is read from {server} {since} on"
		}
	case target.Opcode:
		sentence = "opcode {n} ({what}) is read from {server} {since} on"
		if p.Since == "" {
			sentence = "opcode {n} ({what}) is read by no release of {server}"
		}
	case target.Streams:
		sentence = "streams whose length differs from the number of their entries, as old servers wrote: {server} " +
			"refuses them"
	case target.Databases:
		sentence = "database {n} has keys: the server needs the setting databases {next}"
	case target.Scripts:
		sentence = "{count} Lua scripts in the header are not loaded: clients must load them again"
	case target.MemberTTL:
		sentence = "{count} TTLs of members and fields, which KeyDB keeps beside the keys, are lost: these members " +
			"never expire"
	}
	return message.New(sentence, args...)
}

// opcodeTexts are what opcodes of RDB files that not all servers read stand for.
var opcodeTexts = map[int]string{
	107: "memory tiers of Redis Enterprise", 121: "slots of Redis Enterprise", 200: "the end of a full sync of Dragonfly",
	201: "compressed blocks of Dragonfly",
	202: "compressed blocks of Dragonfly", 203: "compressed blocks of Dragonfly", 210: "a journal of Dragonfly",
	211: "a journal of Dragonfly", 220: "flags of keys of Dragonfly",
	222: "a vector index of Dragonfly", 223: "an index of Dragonfly", 224: "values of Dragonfly in chunks",
	242: "hash templates, or updates during the save",
	243: "metadata of keys, or a slot import", 244: "sizes of cluster slots", 245: "functions",
	246: "functions of release candidates", 247: "records of modules",
	248: "idle times", 249: "LFU counters", 250: "fields of the header", 251: "sizes of databases",
	252: "expiries in milliseconds",
}

// WhatIf is the predicted used_memory of another server with the keys of a
// snapshot.
type WhatIf struct {
	Model     string `json:"model"` // server and version whose formulas were used
	Allocator string `json:"allocator"`
	State     string `json:"state"`
	Keys      Figure `json:"keys"` // memory of all keys
	Predicted Figure `json:"predicted_used_memory"`
}

// NewestServers returns the newest model of Redis and that of Valkey.
func NewestServers() []string {
	var newest []string
	for _, line := range []string{"redis-", "valkey-"} {
		for _, s := range slices.Backward(memory.Servers()) {
			if strings.HasPrefix(s, line) {
				newest = append(newest, s)
				break
			}
		}
	}
	return newest
}

// whatIf predicts what the keys of a source take in other servers: in the one that
// wrote it after a restart, with each allocator in its present state, and in those
// that the options name after they loaded it. own are the options of the model that was used. It reads the source once for each. Of
// Options.Target alone it predicts nothing but that.
func (s *scan) whatIf(ctx context.Context, source *Source, info *parser.Info, in *Input, c keyspace, jobs int,
	own memory.Options) (list []WhatIf, err error) {
	c.Databases = slices.Clone(c.Databases)
	own.Allocator = c.Model.Allocator()
	own.Cluster = own.Cluster || info.Cluster
	own.RDB = info.Version
	var models []*memory.Model
	add := func(o memory.Options) {
		m, _, err := memory.Choose(info.Server, info.ServerVersion, o)
		same := func(x *memory.Model) bool {
			return x.Name() == m.Name() && x.Allocator() == m.Allocator() && x.State() == m.State()
		}
		if err == nil && m != nil && !slices.ContainsFunc(models, same) {
			models = append(models, m)
		}
	}
	servers := s.opt.WhatIf
	if servers != nil {
		for _, allocator := range memory.Allocators() {
			o := own
			o.Allocator = allocator
			add(o)
		}
	}
	if own.State = "reloaded"; servers != nil {
		add(own)
	}
	if s.opt.Target != nil {
		servers = append(slices.Clone(servers), s.opt.Target.Model())
	}
	for _, server := range servers {
		o := own
		o.Server = server
		add(o)
	}
	for _, m := range models {
		src, err := source.Open(ctx)
		if err != nil {
			return list, err
		}
		var total atomic.Int64
		info, err := parser.Run(ctx, src,
			parser.Options{NoChecksum: true, Jobs: jobs, Memory: func(*parser.Info) *memory.Model { return m }},
			func() parser.Sink { return &memorySink{total: &total} })
		src.Close()
		if err != nil {
			return list, err
		}
		c.Model, c.Templates = m, info.TemplateMemory
		for i := range c.Databases {
			c.Databases[i].MemoryBytes = 0
		}
		if len(c.Databases) > 0 {
			c.Databases[0].MemoryBytes = Figure(total.Load())
		}
		p := newMemory(in, c)
		list = append(list, WhatIf{p.Model, p.Allocator, p.State, p.Keys, p.Predicted})
	}
	return list, nil
}

type memorySink struct {
	total *atomic.Int64
	sum   int64
}

func (s *memorySink) Key(k *parser.Key) { s.sum += max(k.Memory, 0) }
func (s *memorySink) Size() int         { return 0 }
func (s *memorySink) Flush(bool) error {
	s.total.Add(s.sum)
	s.sum = 0
	return nil
}
