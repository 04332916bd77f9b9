package thresholds

import (
	"bytes"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// Env is what rules have to know of a snapshot.
type Env struct {
	Server  string    // as in parser.Info
	Version string    // of the server, "" unknown
	Created int64     // seconds since the epoch, -1 unknown
	Cluster bool      // the snapshot shows cluster mode
	Memory  bool      // keys have memory figures; without, value bytes stand in
	Now     time.Time // for the end dates of ignored findings
}

// Engine holds keys against a policy. It is immutable but for a cache, and
// shared by all who read a snapshot.
type Engine struct {
	policy *Policy
	env    Env
	server server
	namer  *naming.Namer

	base     *tables
	ruled    []ruledOverride // overrides with rules, at most maxOverrides
	combined atomic.Pointer[map[uint64]*tables]
	mu       sync.Mutex // guards the making of combined

	ignores    []Ignore           // of the policy
	ignored    [maxRules][]uint16 // by rule: indexes of the entries in force
	namespaces namespaceTable
	words      *naming.Words
	owners     []string
	owned      []ownedOverride
	whole      wholeRules
	texts      catalogue // of the language that findings are put into
}

type ruledOverride struct {
	keys  []*naming.Glob
	edits []edit
}

type ownedOverride struct {
	keys  []*naming.Glob
	owner int
}

// tables are the compiled rules of one setting, by type.
type tables struct {
	settings []Setting
	types    [parser.NumTypes]table
}

// table are the rules that judge one type. A gate is the first comparison of a
// rule, and the check behind it is looked at only when it is passed.
type table struct {
	gates  []gate
	checks []check // as many
	calm   calm
}

type gate struct {
	limit   int64
	mask    int64 // of the measure's bits
	measure measure
}

type check struct {
	found   Finding // of a plain check: all of it, but for what was measured
	plain   bool    // one level, nothing to confirm
	counted bool    // the finding has the measure and the limit
	second  bool    // the rule has another check before this one
	negated bool    // the measure is the negated figure
	levels  []level // severest first
	confirm confirmation
}

type level struct {
	limit    int64 // in the measure's own sign
	severity Severity
}

// Compile makes the engine for one snapshot.
func (p *Policy) Compile(env Env) *Engine {
	e := &Engine{policy: p, env: env, server: parseServer(env.Server, env.Version), namer: naming.NewNamer(p.Separators.Value), ignores: p.Ignores, texts: english}
	e.env.Cluster = env.Cluster || p.Cluster.Value
	e.owners = p.Owners()
	e.namespaces = makeNamespaces(p.Namespaces, e.owners, p.Separators.Value)
	e.words = longWords(p.Abbreviations)
	e.base = e.tables(p.Settings)
	for _, o := range p.Overrides {
		if len(o.edits) > 0 {
			e.ruled = append(e.ruled, ruledOverride{o.Keys, o.edits})
		}
		if o.Owner.Value != "" {
			e.owned = append(e.owned, ownedOverride{o.Keys, indexOf(e.owners, o.Owner.Value)})
		}
	}
	for i := range p.Ignores {
		if in := &p.Ignores[i]; !in.Ended(env.Now) {
			for id := range Rules() {
				if in.Rules.Has(RuleID(id)) {
					e.ignored[id] = append(e.ignored[id], uint16(i))
				}
			}
		}
	}
	e.whole = e.compileWhole()
	return e
}

func indexOf(list []string, s string) int {
	for i, x := range list {
		if x == s {
			return i
		}
	}
	return 0
}

// Ended reports whether the entry's last day is over.
func (i *Ignore) Ended(now time.Time) bool { return !i.Until.IsZero() && !now.Before(i.Until) }

// Policy gives the policy that the engine was compiled from.
func (e *Engine) Policy() *Policy { return e.policy }

// Env gives what the engine was compiled for, cluster mode as the policy has it.
func (e *Engine) Env() Env { return e.env }

// Namer gives the Namer whose facts Check wants.
func (e *Engine) Namer() *naming.Namer { return e.namer }

// Ignores gives the entries that Finding.Ignored counts from.
func (e *Engine) Ignores() []Ignore { return e.ignores }

// Owners gives the names of the owners; the first is "", nobody.
func (e *Engine) Owners() []string { return e.owners }

func (e *Engine) tables(settings []Setting) *tables {
	t := &tables{settings: settings}
	for i := range settings {
		s := &settings[i]
		if !s.On || s.Rule.compile == nil {
			continue
		}
		for typ := range parser.NumTypes {
			if s.Rule.judges(typ) {
				s.Rule.compile(&compiler{engine: e, settings: settings, Setting: s, typ: typ, table: &t.types[typ]})
			}
		}
	}
	for typ := range t.types {
		t.types[typ].calm = calmOf(&t.types[typ])
	}
	return t
}

// compiler adds the checks of one rule to the table of one type.
type compiler struct {
	*Setting
	engine   *Engine
	settings []Setting
	typ      parser.Type
	table    *table
}

// confirmation looks at a key whose gate was passed: false takes the finding
// back. It may put figures and a note into it.
type confirmation = func(k *parser.Key, f *Facts, found *Finding) bool

// over adds the rule's limits: what is more is found. confirm may be nil.
func (c *compiler) over(m measure, confirm confirmation) {
	var levels []level
	for s := Error; s >= Info; s-- {
		if v, ok := c.Limit(c.typ, false, s); ok {
			levels = append(levels, level{v, s})
		}
	}
	c.add(m, -1, false, levels, confirm)
}

// under adds the rule's lower limits: what is less is found. The measure is the
// negated figure.
func (c *compiler) under(m measure, confirm confirmation) {
	var levels []level
	for s := Error; s >= Info; s-- {
		if v, ok := c.Limit(c.typ, c.Rule.Bound == Both, s); ok {
			levels = append(levels, level{-v, s})
		}
	}
	c.add(m, -1, true, levels, confirm)
}

// when adds a rule without limits. It runs if (measure & mask) > more; confirm may
// fill in figures.
func (c *compiler) when(m measure, mask, more int64, confirm confirmation) {
	c.whenSevere(m, mask, more, c.Severity, confirm)
}

func (c *compiler) whenSevere(m measure, mask, more int64, severity Severity, confirm confirmation) {
	c.add(m, mask, false, []level{{more, severity}}, confirm)
	x := &c.table.checks[len(c.table.checks)-1]
	x.found.Limit, x.counted = 0, false
}

func (c *compiler) add(m measure, mask int64, negated bool, levels []level, confirm confirmation) {
	if len(levels) == 0 {
		return
	}
	least := levels[0].limit
	for _, l := range levels {
		least = min(least, l.limit)
	}
	t := c.table
	n := len(t.checks)
	x := check{levels: levels, negated: negated, confirm: confirm, plain: len(levels) == 1 && confirm == nil && !negated, counted: true,
		second: n > 0 && t.checks[n-1].found.Rule == c.Rule.ID}
	x.found = Finding{Rule: c.Rule.ID, Severity: levels[0].severity, ranked: c.Rule.rank != nil, Limit: levels[0].limit}
	t.gates = append(t.gates, gate{least, mask, m})
	t.checks = append(t.checks, x)
}

// Check appends what the rules find about a key to dst. It allocates nothing
// beyond what dst needs to grow. What the rules say of the name alone is kept in
// f: the facts of a name must not go to engines of different policies.
func (e *Engine) Check(k *parser.Key, f *Facts, dst []Finding) []Finding {
	if k.Type >= parser.NumTypes {
		return dst
	}
	tables := e.base
	if e.ruled != nil {
		tables = e.overridden(k.Name)
	}
	t := &tables.types[k.Type]
	if tables == e.base && e.ignores == nil && t.calmName(k, f) {
		found, ok := t.calm.of(k)
		if ok && k.Elements > t.calm.full && fullEncodings>>k.Encoding&1 != 0 {
			ok = t.calm.noneFull(dst, k, f)
		}
		if ok {
			switch len(found) {
			case 0:
				return dst
			case 1:
				return append(dst, found[0])
			}
			return append(dst, found...)
		}
	}
	start := len(dst)
	dst = t.check(dst, k, f)
	if e.ignores != nil && len(dst) > start {
		e.ignore(k, dst[start:])
	}
	return dst
}

// check goes through all the gates.
func (t *table) check(dst []Finding, k *parser.Key, f *Facts) []Finding {
	var m measures
	fillMeasures(&m, k, f)
	checks := t.checks[:len(t.gates)]
	for i := range t.gates {
		g := &t.gates[i]
		measured := m[g.measure%numMeasures]
		if measured&g.mask <= g.limit {
			continue
		}
		c := &checks[i]
		if !c.plain || c.second {
			dst = c.report(dst, measured, k, f)
			continue
		}
		dst = append(dst, c.found)
		if c.counted {
			dst[len(dst)-1].Measured = measured
		}
	}
	return dst
}

// report appends the finding of a check whose gate was passed, unless the check
// does not confirm it. Of two findings of one rule the severer stays.
func (c *check) report(dst []Finding, measured int64, k *parser.Key, f *Facts) []Finding {
	n := len(dst)
	dst = append(dst, c.found)
	found := &dst[n]
	if c.counted {
		for _, l := range c.levels {
			if measured > l.limit {
				found.Severity, found.Measured, found.Limit = l.severity, measured, l.limit
				break
			}
		}
		if c.negated {
			found.Measured, found.Limit = -found.Measured, -found.Limit
		}
	}
	if c.confirm != nil && !c.confirm(k, f, found) {
		return dst[:n]
	}
	if c.second && n > 0 && dst[n-1].Rule == found.Rule {
		if found.Severity > dst[n-1].Severity {
			dst[n-1] = *found
		}
		return dst[:n]
	}
	return dst
}

// ignore marks the findings that the policy leaves out.
func (e *Engine) ignore(k *parser.Key, found []Finding) {
	for i := range found {
		for _, entry := range e.ignored[found[i].Rule%maxRules] {
			if in := &e.ignores[entry]; in.Keys == nil || matchAny(in.Keys, k.Name) {
				found[i].Ignored = entry + 1
				break
			}
		}
	}
}

func matchAny(globs []*naming.Glob, name []byte) bool {
	for _, g := range globs {
		if g.Match(name) {
			return true
		}
	}
	return false
}

// overridden gives the tables of a key: of several overrides that match, the
// last one that sets something decides it.
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

// maxCombined bounds the cache of tables: there are as many as combinations of
// overrides that any key matches.
const maxCombined = 256

func (e *Engine) combine(matched uint64) *tables {
	settings := cloneSettings(e.policy.Settings)
	for i := range e.ruled {
		if matched>>i&1 != 0 {
			e.policy.override(settings, e.ruled[i].edits)
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
		for m, old := range *all {
			next[m] = old
		}
	}
	e.combined.Store(&next)
	return t
}

// Owner gives the index in Owners of the team that a key belongs to: that of
// the last override with an owner that matches, else of its namespace; 0 nobody.
func (e *Engine) Owner(k *parser.Key, f *Facts) int {
	if len(e.owners) == 1 {
		return 0
	}
	return e.owner(k, f)
}

func (e *Engine) owner(k *parser.Key, f *Facts) int {
	for i := len(e.owned) - 1; i >= 0; i-- {
		if matchAny(e.owned[i].keys, k.Name) {
			return e.owned[i].owner
		}
	}
	if e.namespaces.owned {
		if n := e.namespaces.find(k.Name, f); n != nil {
			return n.owner
		}
	}
	return 0
}

// namespaceTable finds the namespace that a name begins with.
type namespaceTable struct {
	separators string
	owned      bool
	any        bool
	first      [256][]namespaceEntry // by first byte, the longest first
}

type namespaceEntry struct {
	name  []byte
	owner int
}

// find gives the longest namespace that a name begins with, up to a separator
// or the name's end; nil none.
func (t *namespaceTable) find(name []byte, f *Facts) *namespaceEntry {
	list := t.first[f.First]
	for i := range list {
		n := &list[i]
		if len(n.name) == f.FirstEnd || len(n.name) > f.FirstEnd && len(n.name) <= len(name) {
			if bytes.HasPrefix(name, n.name) && (len(n.name) == len(name) || t.separates(name[len(n.name)])) {
				return n
			}
		}
	}
	return nil
}

func (t *namespaceTable) separates(c byte) bool {
	for i := range len(t.separators) {
		if t.separators[i] == c {
			return true
		}
	}
	return false
}
