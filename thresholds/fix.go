package thresholds

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// fix is what to do first about the findings of a rule.
type fix struct {
	action action
	// id is the template of the sentence. About the worst key or subject it may have
	// {key}, {measured}, {limit}, {text}, the phrase of the finding, {size} of the value, {part}, the largest
	// element's of it, {element}, its name, {how} it is stored outside, {memory}, {elements}, {reads}, the
	// reads that a network card can send in a second, and {groups}, those of the subject. About a group it
	// may have {which}, the keys of the group that are flagged, and {memory}.
	id      string
	ofGroup bool // the advice is about the group with most memory, not about the worst key
	// otherwise is the fix if the action is excluded.
	otherwise *fix
}

// Flagged are the keys of a group that a rule flags.
type Flagged struct {
	GroupSums
	Flagged       int64 // keys
	FlaggedMemory int64 // their bytes: of memory, or of values where memory is unknown
}

// Problem has the findings of a rule that is broken, for FixFirst.
type Problem struct {
	Rule     RuleID
	Severity Severity // the worst
	Raised   bool     // the team itself gave the rule that severity
	Keys     int64
	Bytes    int64 // as FlaggedMemory
	// Of a rule about keys, the worst finding and its key, and the groups.
	Finding Finding
	Key     *Subject
	File    string // of the key, where there are others; else ""
	Groups  []Flagged
	// Of a rule about the instance, the worst.
	Instance *InstanceFinding
}

// Listing says how the keys of advice are listed: with the program and the flags that
// select the policy, the flags that select keys, and the files. Command is nil if no command
// can list them.
type Listing struct {
	Command, Filter []string
	Databases       []int // of the filter, nil all
	Files           []string
	// Matching returns the number of keys that the pattern of a group matches, in its
	// database. Those of other groups may be among them.
	Matching func(*GroupSums) int64
}

// ofGroup returns the command that lists the keys of a group, those that a rule flags if
// rule is not "", and the number of keys that the pattern matches. There is no command if
// the pattern matches keys of other groups, too.
func (l *Listing) ofGroup(rule string, g *GroupSums, more ...string) (argv []string, matching int64) {
	if rule != "" {
		more = append(more, "--over", rule)
	}
	databases := l.Databases
	if g.DB >= 0 {
		databases = []int{g.DB}
	}
	if !strings.Contains(g.Group, "*") { // it is a name
		return l.argv(databases, g.Group, append([]string{"--match", naming.EscapeGlob(g.Group)}, more...)), g.Keys
	}
	if matching = l.Matching(g); matching != g.Keys {
		return nil, matching
	}
	return l.argv(databases, g.Group, slices.Concat(l.Filter, []string{"--group", g.Group}, more)), matching
}

// Expiring returns the command that lists the keys that expire before a time after the snapshot was
// taken, and had not expired then.
func (l *Listing) Expiring(before string) []string {
	return l.argv(l.Databases, "", slices.Concat(l.Filter, []string{"--expire-after", "0s", "--expire-before", before}))
}

// under returns the command that lists the keys of a prefix.
func (l *Listing) under(prefix string, more ...string) []string {
	if strings.Contains(prefix, "\\") || slices.Contains(l.Filter, "--under") {
		return nil
	}
	return l.argv(l.Databases, prefix, slices.Concat(l.Filter, []string{"--under", prefix}, more))
}

func (l *Listing) ofKey(k *parser.Key, file string) []string {
	one := *l
	if file != "" {
		one.Files = []string{file}
	}
	return one.argv([]int{k.DB}, string(k.Name), []string{"--match", naming.EscapeGlob(string(k.Name))})
}

// argv returns a command, nil if the name is not one that an argument, or JSON, can have.
func (l *Listing) argv(databases []int, name string, flags []string) []string {
	if l.Command == nil || strings.Contains(name, "\x00") || !utf8.ValidString(name) {
		return nil
	}
	argv := slices.Clone(l.Command)
	for _, db := range databases {
		argv = append(argv, "--db", strconv.Itoa(db))
	}
	return slices.Concat(argv, flags, l.Files)
}

// candidate is advice that may be among what to do first.
type candidate struct {
	severity Severity
	own      bool // the team set the rule, not a profile
	harm     Harm
	bytes    int64
	advice   *Advice
}

// compare orders candidates, the first first: by severity, harm and memory. What a team made
// an error itself is before the profile's errors, what it set before what a profile demands,
// and before all that a profile only hints at.
func (c *candidate) compare(o *candidate) int {
	rank := func(c *candidate) int {
		if c.own && c.severity != Warning {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(o.severity, c.severity), rank(o)-rank(c), cmp.Compare(o.harm, c.harm),
		compareBool(o.own, c.own), cmp.Compare(o.bytes, c.bytes))
}

// FixFirst returns what to do first, at most so many pieces of advice: the fixes of
// problems, what libraries keep (see Kept) and the largest saving, by severity and harm; then
// further savings, if there is little else. No error is left out. No two are about the same key or group. Savings
// and what is kept are ordered, the largest first.
func (e *Engine) FixFirst(problems []Problem, kept, savings []Advice, l *Listing, most int) (list []Advice) {
	var candidates []candidate
	for i := range problems {
		p := &problems[i]
		r := p.Rule.rule()
		own := p.Raised
		if r.Harm == Names && p.Severity < Error && !own {
			continue
		}
		if a := e.fix(p, l); a != nil {
			a.Severity = p.Severity
			harm := r.Harm
			if r.ofGroup != nil { // a mistake of the program, however small its keys are
				harm = Blocks
			}
			candidates = append(candidates, candidate{p.Severity, own, harm, p.Bytes, a})
		}
	}
	for i := range kept[:min(len(kept), 2)] {
		candidates = append(candidates, candidate{Warning, false, UsesMemory, kept[i].Memory, &kept[i]})
	}
	if len(savings) > 0 {
		candidates = append(candidates, candidate{Warning, false, UsesMemory, math.MaxInt64, &savings[0]})
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int { return a.compare(&b) })
	seen := map[string]bool{}
	add := func(a *Advice) {
		about := a.Group + "\x00" + string(a.Key)
		if about == "\x00" {
			about = a.Text.String()
		}
		if (len(list) < most || a.Severity == Error) && !seen[about] {
			seen[about] = true
			list = append(list, *a)
		}
	}
	for i := range candidates {
		add(candidates[i].advice)
	}
	for i := range savings {
		if len(list) < 3 {
			add(&savings[i])
		}
	}
	return list
}

// fix returns what to do about a problem, nil if nothing would help at once.
func (e *Engine) fix(p *Problem, l *Listing) *Advice {
	f := p.Rule.rule().fix
	if f == nil && p.Raised && p.Severity == Error {
		f = raisedFix
	}
	switch {
	case f == nil:
		return nil
	case f.ofGroup:
		return e.fixGroup(f, p, l)
	case p.Instance != nil:
		return e.fixInstance(f, p.Instance, l)
	case p.Key != nil:
		return e.fixKey(f, p, l)
	}
	return nil // there are more than a baseline accepts
}

// raisedFix is that of errors of the team's own, where the rule has none.
var raisedFix = &fix{action: adviseInstance, id: "Fix {key}: {text}."}

// permitted returns the fix, or the one in its place, that may be given.
func (e *Engine) permitted(f *fix, t *thing) *fix {
	for f != nil {
		if s := f.settingFor(t); s != nil {
			return s
		}
		if _, ok := e.allows(f.action, t); ok {
			return f
		}
		f = f.otherwise
	}
	return nil
}

// fixGroup returns the fix of the group with most memory that the advice fits. A group that can go
// as a whole needs no other fix.
func (e *Engine) fixGroup(f *fix, p *Problem, l *Listing) *Advice {
	groups := slices.DeleteFunc(slices.Clone(p.Groups), func(g Flagged) bool { return g.Going >= g.Keys })
	slices.SortStableFunc(groups, func(a, b Flagged) int { // what can go is last
		return cmp.Or(compareBool(2*a.Going > a.Keys, 2*b.Going > b.Keys), cmp.Compare(b.FlaggedMemory, a.FlaggedMemory))
	})
	for i := range groups {
		g := &groups[i]
		if f := e.permitted(f, e.thingOf(&g.GroupSums)); f != nil {
			args := append(g.identityArgs(g.Flagged, g.FlaggedMemory),
				message.Figure("memory", g.FlaggedMemory, message.FormSize))
			return f.groupAdvice(&g.GroupSums, g.Flagged, g.FlaggedMemory, l, p.Rule.Name(), nil, args...)
		}
	}
	return nil
}

func (f *fix) advice(args ...message.Arg) *Advice {
	return &Advice{Kind: actions[f.action].word, Text: message.New(f.id, args...), DB: AnyDatabase, Memory: -1}
}

// groupAdvice returns advice about so many of the keys of a group: those that a rule flags, or
// further flags of the command keys select.
func (f *fix) groupAdvice(g *GroupSums, keys, memory int64, l *Listing, rule string, flags []string,
	args ...message.Arg) *Advice {
	list, matching := l.ofGroup(rule, g, flags...)
	a := f.advice(append(args, message.Phrase("which", which(g, keys, matching)))...)
	a.Group, a.DB, a.Keys, a.Of, a.Memory, a.List = g.Group, g.DB, keys, matching, memory, list
	return a
}

// which names the keys of a group that advice is about: the pattern alone only if all
// keys that it matches are meant.
func which(g *GroupSums, keys, matching int64) message.Message {
	args := []message.Arg{message.Name("group", g.Group), message.Int("n", keys), message.Int("of", matching),
		plainNumber("db", int64(g.DB))}
	switch {
	case keys == matching && keys == 1:
		return message.New("{group} (1 key)", args...)
	case keys == matching:
		return message.New("{group} ({n} keys)", args...)
	case g.DB >= 0:
		return message.New("{n} of the {of} keys of {group} (db {db})", args...)
	}
	return message.New("{n} of the {of} keys of {group}", args...)
}

func (e *Engine) fixKey(f *fix, p *Problem, l *Listing) *Advice {
	x := e.explain(p.Finding, p.Key)
	if f = e.permitted(f, x.thing()); f == nil {
		return nil
	}
	k, size := p.Key, e.sizeOf(&p.Key.Key)
	if f.action == adviseMove && 20*k.Largest < k.ValueBytes {
		f = moveAll
	}
	reads := int64(0)
	if k.ValueBytes > 0 {
		reads = max(1, CardBytes/k.ValueBytes)
	}
	measured := message.Measured("measured", x.Unit(), x.Measured)
	if x.Unit() == message.Bytes {
		measured = message.Size("measured", x.Measured)
	}
	a := f.advice(append(k.identityArgs(), message.Name("key", k.Name), measured,
		message.Limit("limit", x.Unit(), x.Limit), message.Phrase("text", x.Rule.rule().text(x)),
		message.Figure("size", k.ValueBytes, message.FormSize), message.Phrase("part", partOf(k.Largest, k.ValueBytes)),
		message.Phrase("element", x.largestElement()), message.Phrase("how", x.outside(k.Largest)),
		message.Figure("memory", size, message.FormSize), message.Number("reads", reads, "1 read", "{n} reads"),
		message.Number("elements", k.Elements, "1 element", "{n} elements"))...)
	if p.Keys > 1 {
		a.Why = message.New("Of all keys, {n} break this rule: {memory}.", message.Int("n", p.Keys),
			message.Figure("memory", p.Bytes, message.FormSize))
	}
	a.Key, a.DB, a.Keys, a.Of, a.Memory = k.Name, k.DB, 1, 1, size
	if !x.isCut {
		a.List = l.ofKey(&k.Key, p.File)
	}
	a.File = p.File
	return a
}

// fixOfQueue is that of what nobody reads whole.
var fixOfQueue = &fix{action: adviseQueue,
	id: "Add consumers to {key}, or find the one that is stuck: {elements} wait in it."}

// moveAll is the fix of a value in which no single element is large beside the others.
var moveAll = &fix{action: adviseMove, id: "Store each value as large as {element} of {key} ({measured}) {how}: " +
	"a read of the whole value sends {size}."}

// partOf says how much of a value its largest element is.
func partOf(largest, all int64) message.Message {
	share := float64(max(largest, 0)) / float64(max(all, 1))
	if share >= .995 {
		return message.New("nearly all")
	}
	return message.New("{share}", message.Share("share", share))
}

func (e *Engine) fixInstance(f *fix, found *InstanceFinding, l *Listing) *Advice {
	x := e.explainInstance(found)
	if f = e.permitted(f, x.thing()); f == nil {
		return nil
	}
	a := f.advice(message.Phrase("key", found.Subject), message.Phrase("text", x.Rule.rule().text(x)),
		message.Each("groups", ", ", "group", found.Groups[:min(len(found.Groups), 2)], message.Name[string]))
	a.Keys, a.Of, a.Memory = found.Keys, found.Keys, found.Bytes
	switch {
	case x.Rule.rule().ofGroup == nil:
	case found.Key != nil:
		a.Key, a.DB, a.Of, a.List = found.Key.Name, found.Key.DB, found.Of, l.ofKey(&found.Key.Key, "")
	default:
		a.Group, a.DB, a.Of = found.Groups[0], found.DB, found.Of
		if x.note != noteFewWith {
			a.List, _ = l.ofGroup("", &GroupSums{Group: a.Group, DB: a.DB, Keys: a.Of}, "--no-ttl")
		}
	}
	return a
}

// thingOf returns a group as what advice is about.
func (e *Engine) thingOf(g *GroupSums) *thing {
	return &thing{settings: e.base.settings, typ: g.Type, content: g.Content, identity: g.Identity, elements: g.Elements,
		isCold: 2*g.Cold > g.Keys}
}
