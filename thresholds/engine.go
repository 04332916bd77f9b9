package thresholds

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// Env is what rules need to know about a snapshot.
type Env struct {
	Server  string    // as in parser.Info
	Version string    // of the server, "" unknown
	Created int64     // seconds since the epoch, -1 unknown
	Cluster bool      // the snapshot shows cluster mode
	Memory  bool      // keys have memory figures; otherwise value bytes replace them
	Now     time.Time // for the end dates of ignore entries
}

// Engine checks the keys of one snapshot against a policy. It is immutable except
// for a cache, and may be used by several goroutines at once.
type Engine struct {
	*compiled
	env      Env
	created  int64          // env.Created in ms since the epoch, -1 unknown or implausible
	instance []instanceRule // that are on, by RuleID
}

// compiled is what engines share that differ in nothing but when their snapshots were
// taken.
type compiled struct {
	policy *Policy
	server server
	namer  *naming.Namer

	base     *tables
	ruled    []ruledOverride // overrides with rules, at most MaxOverrides
	combined atomic.Pointer[map[uint64]*tables]
	mu       sync.Mutex // held while combined is replaced

	ignores    []Ignore      // of the policy
	ignored    *Ignores      // the same, indexed
	worse      []atomic.Bool // of each of ignores, see Worse
	namespaces namespaceTable
	words      *naming.Words
	owners     []string
	compact    [parser.NumTypes]*compactLimits // nil: the rule is off, or the type has no compact encoding
	owned      []ownedOverride
}

type ruledOverride struct {
	keys  []*naming.Glob
	edits []Edit
}

// Compile returns the engine for one snapshot.
func (p *Policy) Compile(env Env) *Engine {
	e := &Engine{env: env, compiled: &compiled{policy: p, server: parseServer(env.Server, env.Version),
		namer: naming.NewNamer(p.Separators.Value), ignores: p.Ignores}}
	e.env.Cluster = env.Cluster || p.Cluster.Value
	e.created = e.env.createdMilli()
	e.compileOwners(p)
	e.words = longWords(p.Abbreviations, p.Separators.Value)
	e.base = e.tables(p.Settings)
	e.compileCompact()
	for _, o := range p.Overrides {
		if len(o.Edits) > 0 {
			e.ruled = append(e.ruled, ruledOverride{o.Keys, o.Edits})
		}
	}
	e.ignored, e.worse = NewIgnores(p.Ignores, e.namer, env.Now), make([]atomic.Bool, len(p.Ignores))
	e.instance = e.instanceRules()
	return e
}

// For returns the engine of the same policy for another snapshot. It takes far less time
// than Compile if snapshots differ in nothing but when they were taken.
func (e *Engine) For(env Env) *Engine {
	env.Cluster = env.Cluster || e.policy.Cluster.Value
	n := &Engine{compiled: e.compiled, env: env, created: env.createdMilli()}
	if !e.Alike(n) {
		return e.policy.Compile(env)
	}
	n.instance = n.instanceRules()
	return n
}

// Policy returns the policy that the engine was compiled from.
func (e *Engine) Policy() *Policy { return e.policy }

// Env returns what the engine was compiled for. Cluster is also true if the policy
// says so.
func (e *Engine) Env() Env { return e.env }

// Alike reports whether two engines differ in nothing but when their snapshots were taken.
func (e *Engine) Alike(o *Engine) bool {
	env := o.env
	env.Created = e.env.Created
	return env == e.env && o.policy == e.policy
}

// Namer returns the Namer that computes the facts for Check.
func (e *Engine) Namer() *naming.Namer { return e.namer }

// Ignores returns the entries that Finding.Ignored refers to.
func (e *Engine) Ignores() []Ignore { return e.ignores }

// Check appends what the rules find about a key to dst. It allocates only if dst
// must grow. It stores in f what the rules find about the name, so facts must not be
// passed to engines of different policies.
func (e *Engine) Check(k *parser.Key, f *naming.Facts, dst []Finding) []Finding {
	return append(dst, e.Found(k, f, dst[len(dst):])...)
}

// Found is Check for one key. Nobody may change the findings, which may be those of other keys,
// or use the memory of scratch.
func (e *Engine) Found(k *parser.Key, f *naming.Facts, scratch []Finding) []Finding {
	if k.Type >= parser.NumTypes {
		return nil
	}
	tables := e.base
	if e.ruled != nil {
		tables = e.overridden(k.Name)
	}
	t := &tables.types[k.Type]
	if tables == e.base && e.ignores == nil {
		found, ok := t.passes(k, f, e.created)
		if ok && k.Elements > t.prefilter.maxFullElements && isFull(k) {
			ok = t.prefilter.passesFull(scratch, k, f)
		}
		if ok {
			return found
		}
	}
	scratch = t.check(scratch[:0], k, f, e.created)
	if e.ignores != nil && len(scratch) > 0 {
		e.ignore(k, scratch)
	}
	return scratch
}

func matchAny(globs []*naming.Glob, name []byte) bool {
	for _, g := range globs {
		if g.Match(name) {
			return true
		}
	}
	return false
}

// overridden returns the tables for a key. Of several overrides that match, the
// last one that changes a setting decides it.
func (e *Engine) overridden(name []byte) *tables {
	var matched uint64
	for i := range e.ruled {
		if matchAny(e.ruled[i].keys, name) {
			matched |= 1 << i
		}
	}
	if matched == 0 {
		return e.base
	}
	if all := e.combined.Load(); all != nil {
		if t := (*all)[matched]; t != nil {
			return t
		}
	}
	return e.combine(matched)
}

// maxCombined bounds the cache of tables, which has one entry for each combination
// of overrides that a key matches.
const maxCombined = 256

func (e *Engine) combine(matched uint64) *tables {
	settings := cloneSettings(e.policy.Settings)
	for i := range e.ruled {
		if matched>>i&1 != 0 {
			e.policy.apply(settings, e.ruled[i].edits)
		}
	}
	t := e.tables(settings)
	e.mu.Lock()
	defer e.mu.Unlock()
	next := map[uint64]*tables{matched: t}
	if all := e.combined.Load(); all != nil {
		if len(*all) >= maxCombined {
			return t
		}
		maps.Copy(next, *all)
	}
	e.combined.Store(&next)
	return t
}
