// Package target says whether a server would load a snapshot, and if not, what stops
// it: by what package parser knows of the releases that load each type, opcode and
// version. It does not know which modules a server has, and assumes the default
// configuration. It does not see what servers take for damage of their own: two keys of
// one name, scores that are not numbers.
package target

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/memory"
	"github.com/rdblens/rdblens/parser/message"
)

// A Server is a server that is to load a snapshot.
type Server struct {
	name    string
	valkey  bool
	keydb   bool
	release parser.Version
}

// keyDBFork is the release of Redis whose format KeyDB reads, with a type of its own.
var keyDBFork = parser.Version{Major: 6, Minor: 2}

// Servers returns the names of servers that Parse accepts, as a hint: it takes all
// releases.
func Servers() []string {
	return []string{"redis-6.2", "redis-7.0", "redis-7.2", "redis-7.4", "redis-8.0", "redis-8.2", "redis-8.4", "redis-8.6",
		"redis-8.8", "redis-8.10",
		"valkey-7.2", "valkey-8.0", "valkey-8.1", "valkey-9.0", "valkey-9.1", "valkey-9.2", "keydb"}
}

// Parse returns the server of a name such as "redis-7.2", "7.2.5", "valkey-9.1" or
// "keydb". Dragonfly is refused: what it writes is known, not what it loads.
func Parse(name string) (*Server, error) {
	s := &Server{name: strings.ToLower(name)}
	line, release, ok := strings.Cut(s.name, "-")
	switch {
	case line == "keydb":
		s.keydb, s.release = true, keyDBFork
		return s, nil
	case line == "dragonfly":
		return nil, message.Errorf("which types, versions and modules Dragonfly loads is not known well enough to say")
	case line == "valkey" && ok:
		s.valkey = true
	case line == "redis" && ok:
	default:
		release = s.name
		s.name = "redis-" + strings.TrimPrefix(s.name, "v")
	}
	s.release, _ = parser.ParseVersion(release)
	if _, _, err := memory.Choose("", "", memory.Options{Server: s.name}); err != nil {
		return nil, &message.Error{Message: message.New("unknown server {server}", message.Element("server", name))}
	}
	return s, nil
}

// String returns the server's name, such as "redis-7.2".
func (s *Server) String() string { return s.name }

// Title returns the server's name for people, such as "Redis 7.2".
func (s *Server) Title() string {
	switch {
	case s.keydb:
		return "KeyDB"
	case s.valkey:
		return "Valkey " + s.release.String()
	}
	return "Redis " + s.release.String()
}

// Model returns the name of the server for memory.Options.
func (s *Server) Model() string {
	if s.keydb {
		return "redis-" + s.release.String()
	}
	return s.name
}

// of returns the release of the server's line, of one for each line.
func (s *Server) of(redis, valkey string) string {
	if s.valkey {
		return valkey
	}
	return redis
}

// has reports whether the server has what came with a release of its line, "" none.
func (s *Server) has(since string) bool {
	v, ok := parser.ParseVersion(since)
	return ok && s.release.AtLeast(v.Major, v.Minor)
}

// Kind is what a Problem is about.
type Kind string

// The kinds.
const (
	Version   Kind = "version"   // the magic and the RDB version (Number)
	Frame     Kind = "frame"     // what surrounds the snapshot (Name)
	Type      Kind = "type"      // an RDB type (Number), of Type and Encoding
	Module    Kind = "module"    // values or records of a module type (Name) in an encoding version (Number)
	Opcode    Kind = "opcode"    // a kind of record beside the keys (Number)
	Streams   Kind = "streams"   // streams with another length than that of their entries
	Databases Kind = "databases" // the highest database (Number)
	Scripts   Kind = "scripts"   // Lua scripts in the header
	MemberTTL Kind = "member-ttl"
)

// An Effect is what becomes of the snapshot.
type Effect uint8

const (
	Lost        Effect = iota // it is loaded without this
	Conditional               // it is loaded if the server is prepared for it
	Blocks                    // it is refused
)

// A Problem is something of a snapshot that a server does not load.
type Problem struct {
	Kind     Kind
	Effect   Effect
	Number   int
	Name     string
	Type     parser.Type
	Encoding parser.Encoding
	// Since is the oldest release of the server's line that loads it, "" none does.
	Since    string
	Count    int64 // keys; of other kinds than Type, Module and Databases, records
	Bytes    int64 // of the keys in memory, else in the file
	Examples []Example
}

// An Example is a key of a Problem.
type Example struct {
	DB      int
	Name    []byte // the first bytes
	NameLen int64
	Bytes   int64
	offset  int64
}

// maxExamples is the number of the largest keys that a Problem has, maxExampleName
// the bytes of a name that are kept.
const (
	maxExamples    = 3
	maxExampleName = 256
)

func (p *Problem) add(e Example) {
	at, _ := slices.BinarySearchFunc(p.Examples, e, func(a, b Example) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.offset, b.offset))
	})
	if at == maxExamples {
		return
	}
	e.Name = bytes.Clone(e.Name[:min(len(e.Name), maxExampleName)])
	p.Examples = slices.Insert(p.Examples, at, e)
	p.Examples = p.Examples[:min(len(p.Examples), maxExamples)]
}

// A Check is a check of one snapshot.
type Check struct {
	server  *Server
	blocked [256]bool // RDB types that the server does not load
	found   shard
}

// NewCheck begins a check of a snapshot whose header was read.
func (s *Server) NewCheck(header *parser.Info) *Check {
	c := &Check{server: s}
	for n := range c.blocked {
		c.blocked[n] = !s.has(s.of(header.TypeSince(uint8(n)))) && !(s.keydb && n == cronType)
	}
	return c
}

// cronType is the RDB type of KeyDB's jobs.
const cronType = 64

// Sink returns a sink that checks keys before it passes them on.
func (c *Check) Sink(to parser.Sink) parser.Sink { return &sink{Sink: to, check: c} }

type sink struct {
	parser.Sink
	check *Check
	shard shard
}

func (s *sink) Key(k *parser.Key) {
	s.shard.maxDB = max(s.shard.maxDB, k.DB)
	if s.check.blocked[k.RDBType] || k.ModuleName != "" || k.DB >= defaultDatabases {
		s.check.add(&s.shard, k)
	}
	s.Sink.Key(k)
}

// Begin and Full are those of the sink that keys are passed on to: see parser.Ordered.
func (s *sink) Begin(block int) {
	if o, ok := s.Sink.(parser.Ordered); ok {
		o.Begin(block)
	}
}

func (s *sink) Full() bool {
	o, ok := s.Sink.(parser.Ordered)
	return ok && o.Full()
}

func (s *sink) Flush(end bool) error {
	s.check.found.merge(&s.shard)
	s.shard = shard{}
	return s.Sink.Flush(end)
}

// id identifies a Problem that keys have.
type id struct {
	kind   Kind
	number int
	name   string
}

// shard is what was found in a part of a snapshot.
type shard struct {
	problems map[id]*Problem
	maxDB    int
}

// maxProblems bounds the problems that keys have: a hostile file can have values of
// any number of module types. Those beyond are counted as one.
const maxProblems = 300

func (s *shard) problem(i id) *Problem {
	if p, ok := s.problems[i]; ok {
		return p
	}
	if s.problems == nil {
		s.problems = make(map[id]*Problem)
	}
	if i.kind == Module && len(s.problems) >= maxProblems && i.name != otherModules {
		return s.problem(id{kind: Module, name: otherModules})
	}
	p := &Problem{Kind: i.kind, Number: i.number, Name: i.name}
	s.problems[i] = p
	return p
}

// otherModules is the name of module types beyond maxProblems.
const otherModules = "(other)"

func (s *shard) merge(o *shard) {
	s.maxDB = max(s.maxDB, o.maxDB)
	for i, p := range o.problems {
		into := s.problem(i)
		into.Type, into.Encoding = p.Type, p.Encoding
		into.Count += p.Count
		into.Bytes += p.Bytes
		for _, e := range p.Examples {
			into.add(e)
		}
	}
}

// defaultDatabases is how many databases a server has unless it is configured
// otherwise.
const defaultDatabases = 16

func (c *Check) add(s *shard, k *parser.Key) {
	size := k.Memory
	if size < 0 {
		size = k.Serialized
	}
	example := Example{DB: k.DB, Name: k.Name, NameLen: k.NameLen, Bytes: size, offset: k.Offset}
	count := func(i id) {
		p := s.problem(i)
		p.Type, p.Encoding = k.Type, k.Encoding
		p.Count++
		p.Bytes += size
		p.add(example)
	}
	switch {
	case k.ModuleName != "" && k.Module != nil:
		if k.ModuleName != parser.VectorSet.String() || !c.server.has(laterVectors) {
			count(id{Module, k.Module.Version, k.ModuleName})
		}
	case c.blocked[k.RDBType]:
		count(id{Type, int(k.RDBType), ""})
	}
	if k.DB >= defaultDatabases {
		count(id{kind: Databases})
	}
}

// Problems returns what stops the server, worst first. info is that of the snapshot,
// which was read to its end.
func (c *Check) Problems(info *parser.Info) []Problem {
	s := c.server
	var list []Problem
	if since := s.of(info.VersionSince()); !s.has(since) {
		list = append(list, Problem{Kind: Version, Effect: Blocks, Number: info.Version, Name: info.Magic, Since: since,
			Count: 1})
	}
	for _, f := range info.Frames {
		if !strings.HasPrefix(f, "vcs-") { // VersionSince heeds those
			list = append(list, Problem{Kind: Frame, Effect: Conditional, Name: f, Count: 1})
		}
	}
	for _, p := range c.found.problems {
		p.Effect = Blocks
		switch p.Kind {
		case Type:
			p.Since = s.of(info.TypeSince(uint8(p.Number)))
		case Module:
			c.module(p)
		case Databases:
			p.Effect, p.Number = Conditional, c.found.maxDB
		}
		list = append(list, *p)
	}
	for _, m := range info.Modules {
		if m.Keys == 0 && m.Aux > 0 {
			p := Problem{Kind: Module, Name: m.Name, Number: m.Version, Count: m.Aux}
			c.module(&p)
			list = append(list, p)
		}
	}
	is70 := !s.valkey && !s.keydb && s.release == (parser.Version{Major: 7})
	for n, count := range info.Opcodes {
		if since := s.of(info.OpcodeSince(uint8(n))); count > 0 && !s.has(since) && !(n == earlyFunctions && is70) {
			list = append(list, Problem{Kind: Opcode, Effect: Blocks, Number: n, Since: since, Count: count})
		}
	}
	if info.StreamMismatch > 0 && s.valkey && s.has("9.1") { // rdbLoadObject in rdb.c; seen with 9.1.2
		list = append(list, Problem{Kind: Streams, Effect: Blocks, Count: info.StreamMismatch})
	}
	if info.Scripts > 0 && s.has("7.0") { // rdbLoadRio in rdb.c ignores them
		list = append(list, Problem{Kind: Scripts, Effect: Lost, Count: info.Scripts})
	}
	if info.Subexpires > 0 && !s.keydb {
		list = append(list, Problem{Kind: MemberTTL, Effect: Lost, Count: info.Subexpires})
	}
	slices.SortFunc(list, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(b.Effect, a.Effect), cmp.Compare(slices.Index(order, a.Kind), slices.Index(order, b.Kind)),
			cmp.Compare(b.Count, a.Count),
			cmp.Compare(a.Number, b.Number), strings.Compare(a.Name, b.Name))
	})
	return list
}

// laterVectors is the first release of Redis all of whose patches load vector sets of
// every later one: 8.0.2 refuses those of 8.0.6.
const laterVectors = "8.2"

// earlyFunctions is the opcode of functions of release candidates of Redis 7.0, which
// later releases refuse.
const earlyFunctions = 246

// order is that of kinds of the same effect.
var order = []Kind{Version, Frame, Type, Module, Opcode, Streams, Databases, Scripts, MemberTTL}

// module completes a problem with a module type: it blocks where no module of the
// server's time loads the values. Vector sets may need a later patch of Redis 8.0.
func (c *Check) module(p *Problem) {
	p.Since = c.server.of(parser.ModuleSince(p.Name, p.Number))
	if p.Effect = Blocks; c.server.has(p.Since) {
		p.Effect = Conditional
	}
}
