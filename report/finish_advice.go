package report

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rdblens/rdblens/parser/memory"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds"
)

// Step is advice about the keys of a group, or about one key: what to fix first, or what
// saves memory.
type Step struct {
	Advice
	Group Name `json:"group,omitempty"` // pattern; at most one of Group and Key is set
	Key   Name `json:"key,omitempty"`
	// File is the input that has Key, where there are several, else "".
	File Name `json:"file,omitempty" redact:"path"`
	DB   *int `json:"db,omitempty"` // of the keys, nil: several, or none
	// InsteadOf are the groups with a saving that this setting makes as well: the bytes of both are the same.
	InsteadOf []Name `json:"instead_of,omitempty"`
	// Keys are meant, of the OfKeys that Group matches.
	Keys        int64  `json:"keys"`
	OfKeys      int64  `json:"of_keys"`
	MemoryBytes Figure `json:"memory_bytes"` // that these keys take
	SavesBytes  int64  `json:"saves_bytes"`  // of memory, 0 none or unknown
	// SavesMost: if not 0, it saves from SavesBytes to SavesMost; the snapshot does not show how much.
	SavesMost int64 `json:"saves_most,omitempty"`
	// SavesAtLeast: SavesBytes is a lower bound, because the snapshot does not show the rest.
	SavesAtLeast bool `json:"saves_at_least,omitempty"`
	// SavesGoing is the part of SavesBytes that is about keys of Report.CanGo: deleting these frees it as well.
	SavesGoing int64 `json:"saves_going,omitempty"`
	// Severity is that of the finding of a fix: an error is to be fixed today; "" of other steps.
	Severity string `json:"severity,omitempty"`
	// SavesAbout: SavesBytes is an estimate. It has the data of jobs, which are in other keys than those of List.
	SavesAbout bool `json:"saves_about,omitempty"`
	// List is the command line that prints exactly these keys, program first; empty if
	// there is none, or if names were replaced.
	List []string `json:"list" redact:"drop"`
	// Setting is the name of a setting of the server, and Value what to set it to; Values
	// have what other values save, that of the present one first.
	Setting string         `json:"setting,omitempty"`
	Value   int64          `json:"value,omitempty"`
	Values  []SettingValue `json:"values,omitempty"`
	// How is Text in a few words, of a saving, and Why what else is known.
	How message.Message `json:"how,omitzero"`
	Why message.Message `json:"why,omitzero"`
	// Computed says how SavesBytes was computed, where Text does not.
	Computed message.Message `json:"computed,omitzero"`
}

// SettingValue is what a value of a setting saves.
type SettingValue struct {
	Value      int64 `json:"value"` // elements, or bytes of an element
	Keys       int64 `json:"keys"`  // collections that become compact
	SavesBytes int64 `json:"saves_bytes"`
}

const maxSteps = 100

// steps sets what to fix first and what saves memory. All else that the report has of the
// inputs must be set.
func (f *finisher) steps() {
	engine, listing := f.Engine(0), f.listing()
	groups := f.groupSums()
	f.canGo(groups, listing) // before savings, which are less by what goes
	var savings, kept []thresholds.Advice
	if whole := int64(f.r.Totals.MemoryBytes); whole > 0 {
		kept = engine.Kept(groups, whole, listing)
		unexplained := int64(0)
		for i := range f.r.Inputs {
			const error = 64 << 10 // and one per cent of the prediction
			if m := f.r.Inputs[i].Memory; m != nil && m.Difference != nil {
				unexplained += max(0, *m.Difference+int64(m.Predicted)/100+error)
			}
		}
		others, _ := f.r.otherServers()
		savings = slices.Concat(engine.Savings(groups, whole, unexplained, listing, maxSteps),
			engine.CompactSettings(&f.Tables.Compact, groups, whole), others)
		slices.SortStableFunc(savings, thresholds.CompareSavings)
	}
	f.r.Savings = stepsOf(savings[:min(len(savings), maxSteps)])
	f.r.insteadOf()
	f.r.FixFirst = stepsOf(engine.FixFirst(f.flagged(groups), kept, savings, listing, overviewFixes))
}

// insteadOf says of settings of the server which savings of groups are in theirs.
func (r *Report) insteadOf() {
	typeOf := map[Name]string{}
	for i := range r.Groups {
		typeOf[r.Groups[i].Group] = r.Groups[i].Type
	}
	for i := range r.Savings {
		s := &r.Savings[i]
		if s.Setting == "" {
			continue
		}
		for n := range r.Savings {
			o := &r.Savings[n]
			if o.Kind == "compact" && typeOf[o.Group] != "" && strings.HasPrefix(s.Setting, typeOf[o.Group]) {
				s.InsteadOf = append(s.InsteadOf, o.Group)
			}
		}
		if len(s.InsteadOf) > 0 {
			s.How = message.New("{how}, instead of what groups save by it", message.Phrase("how", s.How))
			s.Why = message.New("{why} Savings of groups that become compact by it are the same bytes.",
				message.Phrase("why", s.Why))
			if s.SavesGoing == 0 {
				s.Why = message.New("Savings of groups that become compact by it are the same bytes.")
			}
		}
	}
}

func stepsOf(list []thresholds.Advice) []Step {
	steps := []Step{}
	for i, a := range advice(list) {
		from := &list[i]
		s := Step{Advice: a, Group: Name(from.Group), Key: Name(from.Key), Keys: from.Keys, OfKeys: from.Of,
			MemoryBytes: Figure(from.Memory), File: Name(from.File),
			SavesGoing: from.SavesGoing, SavesBytes: from.Saves, SavesMost: from.SavesMost,
			SavesAtLeast: from.SavesAtLeast, SavesAbout: from.SavesAbout,
			List: append([]string{}, from.List...), How: from.Brief, Why: from.Why, Computed: from.Computed}
		if from.Severity != thresholds.Off {
			s.Severity = from.Severity.String()
		}
		if from.DB >= 0 {
			s.DB = &from.DB
		}
		for _, step := range from.Steps {
			s.Values = append(s.Values, SettingValue{step.Value, step.Keys, step.Saves})
		}
		s.Setting, s.Value = from.Setting, from.Value
		steps = append(steps, s)
	}
	return steps
}

// groupSums returns the groups as advice needs them, in the order of the report.
func (f *finisher) groupSums() []thresholds.GroupSums {
	list := make([]thresholds.GroupSums, len(f.r.Groups))
	at := map[Name]int{}
	for i := range f.r.Groups {
		at[f.r.Groups[i].Group] = i
	}
	model := f.model()
	for pattern, g := range f.Tables.Groups.All {
		if i, ok := at[f.pattern(pattern)]; ok {
			list[i] = f.sumsOf(pattern, g)
			list[i].Model = model
			if list[i].Cold > 0 {
				f.r.coldUnder(&list[i])
			}
		}
	}
	for i := range f.r.Rules {
		found := &f.r.Rules[i]
		for _, g := range found.Groups {
			if at, ok := at[g.Group]; ok && g.SavedBytes > list[at].CompactSaves {
				list[at].CompactKeys, list[at].CompactSaves, list[at].CompactRule = g.Count, g.SavedBytes, found.Rule
			}
		}
	}
	return list
}

// model returns the memory model of the first input, nil if there is none.
func (f *finisher) model() *memory.Model {
	if len(f.r.Inputs) == 0 || f.r.Inputs[0].Memory == nil || f.r.Inputs[0].Memory.Model == "" {
		return nil
	}
	m := f.r.Inputs[0].Memory
	// Those of the report.
	model, _, _ := memory.Choose("", "", memory.Options{Server: m.Model, Allocator: m.Allocator, State: m.State})
	return model
}

// flagged returns the rules that are broken, each with its findings of the worst severity:
// those of several are not added up.
func (f *finisher) flagged(sums []thresholds.GroupSums) (list []thresholds.Problem) {
	at := map[Name]*thresholds.GroupSums{}
	for i := range sums {
		at[Name(sums[i].Group)] = &sums[i]
	}
	for i := range f.r.Rules { // the severest first
		found := &f.r.Rules[i]
		rule, ok := thresholds.Lookup(found.Rule)
		if !ok || slices.ContainsFunc(list, func(p thresholds.Problem) bool { return p.Rule == rule.ID }) {
			continue
		}
		p := thresholds.Problem{Rule: rule.ID, Severity: severityOf(found.Severity), Raised: found.Raised, Keys: found.Count,
			Bytes: int64(max(0, sizeOf(found.MemoryBytes, int64(found.ValueBytes))))}
		if rule.Instance {
			list = append(list, f.worstInstances(p)...)
			continue
		}
		f.worst(&p)
		for _, g := range found.Groups {
			if of := at[g.Group]; of != nil {
				bytes := int64(max(0, sizeOf(g.MemoryBytes, int64(g.ValueBytes))))
				p.Groups = append(p.Groups, thresholds.Flagged{GroupSums: *of, Flagged: g.Count, FlaggedMemory: bytes})
			}
		}
		list = append(list, p)
	}
	return list
}

// worstInstances returns a problem for the worst finding of a rule over the instance, of a rule about
// groups for each of the worst.
func (f *finisher) worstInstances(p thresholds.Problem) (list []thresholds.Problem) {
	const most = 2
	for i := range f.Judgements {
		for n := range f.Judgements[i].Findings {
			w := &f.Judgements[i].Findings[n]
			if w.Rule == p.Rule && w.Severity == p.Severity && w.Ignored == 0 {
				p.Instance = w
				list = append(list, p)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b thresholds.Problem) int {
		return thresholds.CompareInstance(*a.Instance, *b.Instance)
	})
	if thresholds.Rules()[p.Rule].OfGroup() {
		return list[:min(len(list), most)]
	}
	return list[:min(len(list), 1)]
}

func (f *finisher) worst(p *thresholds.Problem) {
	if examples := f.examplesOf(thresholds.Rules()[p.Rule], p.Severity); len(examples) > 0 {
		key := examples[0].key.Key()
		subject := f.subject(&key, examples[0])
		if p.Finding, p.Key = examples[0].found, &subject; len(f.r.Inputs) > 1 {
			p.File = string(f.r.Inputs[examples[0].key.Input].Name)
		}
	}
}

// listing says how keys are listed: with the configuration and the filters of the report.
func (f *finisher) listing() *thresholds.Listing {
	p, filter := f.Engine(0).Policy(), &f.opt.Filter
	l := &thresholds.Listing{Command: []string{"rdblens", "keys"}, Databases: filter.Databases}
	for _, flag := range []struct{ name, value string }{{"--config", p.File}, {"--baseline", p.Baseline}} {
		if flag.value != "" {
			l.Command = append(l.Command, flag.name, flag.value)
		}
	}
	if p.Profile.Origin.Kind == thresholds.FromFlag {
		l.Command = append(l.Command, "--profile", p.Profile.Value)
	}
	add := func(flag string, values ...string) {
		for _, v := range values {
			l.Filter = append(l.Filter, "--"+flag, v)
		}
	}
	number := func(flag string, n *int64, unit string) {
		if n != nil {
			add(flag, strconv.FormatInt(*n, 10)+unit)
		}
	}
	add("type", filter.Types...)
	add("match", filter.Match...)
	add("regex", filter.Regex...)
	add("under", filter.Under...)
	add("owner", filter.Owners...)
	number("min-size", known(filter.MinSize), "")
	number("max-size", filter.MaxSize, "")
	number("min-elements", known(filter.MinElements), "")
	number("max-elements", filter.MaxElements, "")
	number("min-memory", filter.MinMemory, "")
	number("max-memory", filter.MaxMemory, "")
	for _, t := range []struct {
		flag string
		at   *int64
	}{{"expire-after", filter.ExpireAfter}, {"expire-before", filter.ExpireBefore}} {
		if t.at != nil {
			add(t.flag, time.Unix(*t.at, 0).UTC().Format(time.RFC3339))
		}
	}
	number("expire-after", filter.ExpireAfterTaken, "s")
	if t := filter.ExpireBeforeTaken; t != nil && *t == UntilMidnight {
		add("expire-before", "midnight")
	} else {
		number("expire-before", t, "s")
	}
	add("over", filter.Over...)
	number("ttl-under", filter.TTLUnder, "s")
	number("ttl-over", filter.TTLOver, "s")
	number("idle-over", filter.IdleOver, "s")
	if filter.NoTTL {
		l.Filter = append(l.Filter, "--no-ttl")
	}
	namer := f.Engine(0).Namer()
	l.Matching = func(of *thresholds.GroupSums) (keys int64) {
		pattern, scratch := namer.ParseGroup(of.Group), []byte(nil)
		for i := range f.r.Groups {
			g := &f.r.Groups[i]
			if of.DB >= 0 && g.DB != nil && *g.DB != of.DB {
				continue
			}
			scratch = append(scratch[:0], g.Group...)
			if !strings.Contains(string(g.Group), "*") { // a name
				scratch = namer.AppendPattern(scratch[:0], []byte(g.Group))
			}
			if string(g.Group) == of.Group || pattern.Has([]byte(g.Group), scratch) {
				keys += g.Keys
			}
		}
		return keys
	}
	for i := range f.r.Inputs {
		l.Files = append(l.Files, string(f.r.Inputs[i].Name))
	}
	return l
}

// known returns a bound, nil for 0.
func known(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}

// otherServers returns what other servers would save, after a restart of each, and says what each
// takes.
func (r *Report) otherServers() (list []thresholds.Advice, text message.Message) {
	if len(r.Inputs) == 0 || r.Inputs[0].Memory == nil {
		return nil, text
	}
	model := r.Inputs[0].Memory.Model
	own, known := r.predicted(model)
	var others []message.Message
	for _, w := range r.Inputs[0].Memory.WhatIf {
		n, ok := r.predicted(w.Model)
		if w.State != "reloaded" || w.Model == model || !ok || !known {
			continue
		}
		others = append(others, message.New("{model}: {size}", message.Text("model", w.Model), message.Size("size", n)))
		if own > n {
			list = append(list, thresholds.OtherServer(w.Model, model, n, own, r.Totals.Keys))
		}
	}
	if len(others) > 0 {
		text = message.New("used_memory after a restart of {model}: {size}; loaded by {others}", message.Text("model", model),
			message.Size("size", own), message.List("others", ", ", others))
	}
	return list, text
}

// predicted returns the used_memory that all inputs would have after a restart of a
// server; ok is false if that of one is unknown.
func (r *Report) predicted(model string) (n int64, ok bool) {
	for i := range r.Inputs {
		m := r.Inputs[i].Memory
		if m == nil {
			return 0, false
		}
		at := slices.IndexFunc(m.WhatIf, func(w WhatIf) bool { return w.Model == model && w.State == "reloaded" })
		if at < 0 {
			return 0, false
		}
		n += int64(m.WhatIf[at].Predicted)
	}
	return n, len(r.Inputs) > 0
}

// Removable is a row of Report.CanGo: keys that can be deleted, under Condition. SavesBytes has
// what is freed. With SavesAbout, Keys, MemoryBytes and List are of the key alone that names the jobs: deleting
// that key alone leaves their data behind. Text says how many jobs there are and what deletes both.
type Removable struct {
	Step
	// IdleMin and IdleMax are the shortest and the longest time for which the keys were not used,
	// in seconds; nil if that is not known, and for work that is done.
	IdleMin *int64 `json:"idle_min,omitempty"`
	IdleMax *int64 `json:"idle_max,omitempty"`
	// Prefix has all these keys, and no others that are not being used; "" if Group says as much.
	Prefix Name   `json:"prefix,omitempty"`
	Owner  string `json:"owner,omitempty" redact:"text"` // "" nobody, or several
	// Delete is the line for a shell that deletes the keys of List, with UNLINK; "" if there is none: it reads
	// several inputs, it would leave data of jobs behind, or the server has no UNLINK.
	Delete string `json:"delete,omitempty" redact:"drop"`
	// Restore is the line for a shell that puts them back as the snapshot has them; "" as Delete.
	Restore string `json:"restore,omitempty" redact:"drop"`
}

func (f *finisher) canGo(groups []thresholds.GroupSums, listing *thresholds.Listing) {
	at := map[Name]int{}
	for i := range groups {
		at[Name(groups[i].Group)] = i
	}
	list := f.Engine(0).CanGo(groups, listing, maxSteps)
	for n, s := range stepsOf(list) {
		i := at[s.Group]
		g := &groups[i]
		row := Removable{Step: s, Owner: f.r.Groups[i].Owner, Prefix: Name(g.ColdUnder)}
		if n := f.r.Tree.named(row.Prefix); n != nil && row.Prefix != "" {
			row.Owner = n.Owner
		}
		if g.IdleLeast >= 0 && g.Cold > 0 && s.Keys == g.Cold {
			row.IdleMin, row.IdleMax = &g.IdleLeast, &g.IdleMost
		}
		if list[n].Deletes && shellLine(s.List) != "" && len(f.r.Inputs) == 1 && f.opt.Part == nil {
			// First what tells it from List, which a page may cut.
			row.Delete = shellLine(slices.Insert(slices.Clone(s.List), 2, "-f", "unlink")) + " | redis-cli --pipe"
			row.Restore = shellLine(slices.Concat([]string{s.List[0], "show", "--format", "resp"},
				s.List[2:])) + " | redis-cli --pipe"
		}
		f.r.CanGo = append(f.r.CanGo, row)
	}
}

// coldUnder sets the prefix that has the cold keys of a group, where it says more than the group:
// the shallowest one that has no other keys, or else the deepest one that has all of them.
func (r *Report) coldUnder(g *thresholds.GroupSums) {
	below := func(n *TreeNode) (next *TreeNode) {
		for _, c := range n.Children {
			if c.cold() == g.Cold && c.Children != nil && !strings.Contains(string(c.Prefix), "*") {
				next = c
			}
		}
		return next
	}
	literal, _, _ := strings.Cut(g.Group, "*")
	var found *TreeNode
	for n := r.Tree; n != nil && (found == nil || found.Keys > g.Cold); n = below(n) {
		if n != r.Tree && n.cold() == g.Cold && n.MayLackKeys == 0 && strings.HasPrefix(string(n.Prefix), literal) {
			found = n
		}
	}
	if found != nil && strings.Contains(g.Group, "*") && found.Keys < g.Keys {
		g.ColdUnder, g.ColdOf = string(found.Prefix), found.Keys
	}
}

// cold returns the number of keys of a node that are not being used.
func (n *TreeNode) cold() (keys int64) {
	for i := range n.Rules {
		if n.Rules[i].Rule == "cold-key" {
			keys += n.Rules[i].Count
		}
	}
	return keys
}

// named returns the node of a prefix, nil if there is none.
func (n *TreeNode) named(prefix Name) *TreeNode {
	for n != nil && n.Prefix != prefix {
		at := slices.IndexFunc(n.Children, func(c *TreeNode) bool {
			return c.Prefix == prefix || c.Children != nil && strings.HasPrefix(string(prefix), string(c.Prefix))
		})
		if at < 0 || prefix == "" {
			return nil
		}
		n = n.Children[at]
	}
	return n
}
