package report

import (
	"cmp"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/requirements"
)

// The bytes that parts of the page may have, so that it stays below 2 MB whatever
// the snapshot, and the rows of its lists.
const (
	htmlMapBytes      = 500 << 10
	htmlKeysBytes     = 350 << 10
	htmlGroupsBytes   = 150 << 10
	htmlFindingsBytes = 350 << 10
	htmlRestBytes     = 200 << 10
	htmlFixesBytes    = 20 << 10
	htmlKeys          = 300
	htmlGroups        = 300
)

// htmlView is what the template shows. Names are escaped for display.
type htmlView struct {
	*htmlStyle

	CSS    template.CSS
	Script template.JS
	Policy string
	Title  message.Message

	About, Wrong []message.Message
	Verdict      message.Message
	Parts        []htmlPart
	Fixes        []htmlFix
	Broken       message.Message
	Counted      []message.Message
	Savings      *htmlTable
	SizeLabel    string
	Measures     []htmlChoice // of the map
	Colors       []htmlChoice
	Types        []htmlBlock
	Expiry       *htmlBars
	Histograms   []*htmlBars
	Slots        *htmlSlots
	Nodes        *htmlSlots // of several snapshots
	Findings     []htmlFinding
	Passed       []htmlPassed
	PassedTitle  message.Message
	Keys         *htmlTable
	KeysNote     []message.Message
	Groups       *htmlTable
	GroupsNote   message.Message
	Rest         []htmlSection
	Exact        []message.Message
	Foot         message.Message
	Data         htmlData
	Sections     bool // the sections are those of Rest
	Cards        []htmlFact
}

type htmlFact struct{ Value, Label message.Message }

// htmlChoice is an entry of a list to choose from.
type htmlChoice struct{ Value, Label string }

// htmlPassed is a rule that nothing broke.
type htmlPassed struct{ Rule, Title string }

// htmlLink is an entry of the contents.
type htmlLink struct {
	ID    string
	Title message.Message
}

// Contents are the sections that the page has.
func (v *htmlView) Contents() (list []htmlLink) {
	add := func(shown bool, id, title string) {
		if shown {
			list = append(list, htmlLink{id, word(title)})
		}
	}
	if !v.Sections {
		add(true, "fix", "Overview")
		add(v.Savings != nil, "savings", "Savings")
		add(true, "findings", "Findings")
		add(true, "keys", "Keys")
		add(true, "groups", "Groups")
		add(v.Expiry != nil, "expiry", "TTLs")
		add(true, "types", "Types")
		add(v.Nodes != nil, "part-nodes", "Nodes")
		add(v.Slots != nil, "slots", "Slots")
	}
	for _, s := range v.Rest {
		if s.ID != "" && s.ID != "part-nodes" {
			list = append(list, htmlLink{s.ID, s.Title})
		}
	}
	return list
}

// htmlBars is a histogram.
type htmlBars struct {
	Title, Label, SizeLabel string
	Rows                    []struct {
		Label      string
		Keys, Size message.Message
		Width      int // of the bar, at most 1000
	}
}

// htmlSlots is the strip of hash slots, a bar for each range of them.
type htmlSlots struct {
	Note    message.Message
	Bars    []htmlBar
	Fullest *htmlTable
}

// htmlBar is a bar of a strip. Y and Height are of 100.
type htmlBar struct {
	X, Y, Height int
	Class, Title string
}

type htmlFinding struct {
	Severity, Rule string
	Count          message.Message
	Flags          message.Message
	Why, Fix       string // identifiers
	Open           bool
	Sources        []requirements.Source
	Reasons        []message.Message // of the configuration
	Worst          *htmlTable
	More           []message.Message
	Advice         []htmlAdvice
}

type htmlAdvice struct {
	Text     message.Message
	Commands []string
}

// base returns a path without its directories.
func (n Name) base() Name {
	if at := strings.LastIndexByte(string(n), '/') + 1; at < len(n) {
		return n[at:]
	}
	return n
}

func emptyHTMLView(o WriteOptions) *htmlView {
	return &htmlView{htmlStyle: newHTMLStyle(o), SizeLabel: "memory"}
}

func newHTMLView(r *Report, o WriteOptions) *htmlView {
	v := emptyHTMLView(o)
	if !r.Totals.MemoryBytes.Known() {
		v.SizeLabel = "value bytes"
	}
	all := newOverview(r, o)
	v.About, v.Wrong, v.Broken, v.Verdict, v.Counted = all.about, all.wrong, all.broken, all.verdict(), r.countedText()
	v.Title = word("Redis keyspace")
	if len(r.Inputs) == 1 {
		v.Title = fileText(r.Inputs[0].Name.base())
	} else if len(r.Inputs) > 1 {
		v.Title = message.Plural(int64(len(r.Inputs)), "1 snapshot", "{n} snapshots")
	}
	v.composition(r)
	v.fixes(r, o)
	rest := htmlRestBytes
	if len(r.Savings) > 0 {
		all.savings = r.Savings
		v.Savings = v.newTable(all.savingsTable(len(all.savings)), &rest)
		v.Savings.Label, v.Savings.ID, v.Savings.Sortable = word("What could be saved"), "savings-table", true
	}
	v.Measures = []htmlChoice{{"size", v.SizeLabel}, {"keys", "keys"}, {"nottl", "memory without TTL"}, {"findings", "findings"}}
	v.Colors = []htmlChoice{{"type", "type"}, {"ttl", "TTL"}, {"severity", "severity"}}
	if slices.ContainsFunc(r.Rules, func(f Finding) bool { return f.Rule == "cold-key" }) {
		v.Colors = append(v.Colors, htmlChoice{"age", "idle time"})
	}
	v.data(r)
	v.keys(r)
	v.groups(r)
	v.findings(r, o, all.problems)
	v.passed(r)
	v.slots(r, &rest)
	v.Expiry = v.bars("TTLs", "TTL", r.Expiry)
	for _, h := range []struct {
		title, label string
		buckets      []Bucket
	}{{"Length of names", "bytes", r.Histograms.KeyLength}, {"Elements of collections", "elements", r.Histograms.Elements},
		{"Idle time", "idle", r.Histograms.Idle}, {"LFU counter", "counter", r.Histograms.LFU}} {
		if b := v.bars(h.title, h.label, withoutEmptyEnds(h.buckets)); b != nil {
			v.Histograms = append(v.Histograms, b)
		}
	}
	types := &htmlPage{htmlStyle: v.htmlStyle, budget: &rest}
	d := newDetails(types, r, o)
	d.types()
	d.encodings()
	for _, s := range types.sections {
		v.Types = append(v.Types, s.Blocks...)
	}
	other := &htmlPage{htmlStyle: v.htmlStyle, budget: &rest}
	d = newDetails(other, r, o)
	d.hot()
	d.databases()
	d.owners()
	d.budgets()
	d.totals()
	if len(r.Inputs) > 1 {
		v.strip(r)
		d.fleet()
	} else {
		d.snapshots()
	}
	d.ignored()
	v.Rest = other.sections
	v.exact(r)
	v.Foot = parts(" ", verbatim(r.Tool.Name), verbatim(r.Tool.Version), configText(&r.Config))
	return v
}

// mapTypes are the types that have a colour of their own.
var mapTypes = []string{"hash", "list", "set", "stream", "string", "zset"}

// largestKeys returns the keys of all lists, each once, the largest first.
func largestKeys(r *Report, most int) []KeyRow {
	var list []*KeyRow
	for _, keys := range keysByGroup(r) {
		list = append(list, keys...)
	}
	slices.SortFunc(list, compareKeys)
	rows := make([]KeyRow, min(len(list), most))
	for i := range rows {
		rows[i] = *list[i]
	}
	return rows
}

func (v *htmlView) keys(r *Report) {
	budget := htmlKeysBytes
	v.Keys = v.newTable(r.keysOfNodes(largestKeys(r, htmlKeys)), &budget)
	v.Keys.ID, v.Keys.Sortable, v.Keys.Label = "keys-table", true, word("Biggest keys")
	v.KeysNote = []message.Message{message.New("The largest keys by every measure, {n} of {all}.", message.Int("n", int64(len(v.Keys.Rows))),
		message.Int("all", r.Totals.Keys))}
	if r.Totals.MemoryBytes.Known() {
		v.KeysNote = append(v.KeysNote, word("Memory is what you get back when you delete the key."))
	}
}

func (v *htmlView) groups(r *Report) {
	groups := slices.Clone(r.Groups)
	sortGroups(groups, "")
	groups = groups[:min(len(groups), htmlGroups)]
	budget := htmlGroupsBytes
	v.Groups = v.newTable(r.groupsTable(placesOf(groups), true), &budget)
	v.Groups.ID, v.Groups.Sortable, v.Groups.Label = "groups-table", true, word("Groups of names")
	v.GroupsNote = message.New("Keys whose names have one pattern, where * stands for what varies. The first {n} of {all}.",
		message.Int("n", int64(len(v.Groups.Rows))), message.Int("all", int64(len(r.Groups))))
}

// withoutEmptyEnds returns the buckets from the first to the last that has keys.
func withoutEmptyEnds(buckets []Bucket) []Bucket {
	used := func(b Bucket) bool { return b.Keys > 0 }
	first := max(0, slices.IndexFunc(buckets, used))
	last := len(buckets)
	for last > first && !used(buckets[last-1]) {
		last--
	}
	return buckets[first:last]
}

func (v *htmlView) bars(title, label string, buckets []Bucket) *htmlBars {
	most, all := int64(0), int64(0)
	for _, b := range buckets {
		most, all = max(most, b.Keys), all+b.Keys
	}
	if all == 0 {
		return nil
	}
	h := &htmlBars{Title: title, Label: label, SizeLabel: v.SizeLabel}
	for _, b := range buckets {
		width := int(b.Keys * 1000 / most)
		if b.Keys > 0 {
			width = max(width, 4)
		}
		h.Rows = append(h.Rows, struct {
			Label      string
			Keys, Size message.Message
			Width      int
		}{b.Label, countText(Figure(b.Keys)), sizeText(sizeOf(b.MemoryBytes, b.ValueBytes)), width})
	}
	return h
}

// slots fills in the strip of hash slots.
func (v *htmlView) slots(r *Report, budget *int) {
	if len(r.Slots) == 0 {
		return
	}
	s := &htmlSlots{}
	var bytes, most, used int64
	for i := range r.Slots {
		x := &r.Slots[i]
		bytes, most = bytes+x.Bytes, max(most, x.Bytes)
		if x.Keys > 0 {
			used++
		}
	}
	if used == 0 {
		return
	}
	name := func(x *thresholds.SlotRange) string { return strconv.Itoa(x.First) + "-" + strconv.Itoa(x.Last) }
	for i := range r.Slots {
		x := &r.Slots[i]
		height := 0
		if x.Keys > 0 {
			height = max(2, int(float64(x.Bytes)/float64(max(most, 1))*100))
		}
		s.Bars = append(s.Bars, htmlBar{i, 100 - height, height, "", name(x) + ": " + message.FormatBytes(x.Bytes) + ", " + message.FormatCount(x.Keys)})
	}
	s.Note = message.New("Each bar is {each} of the 16,384 slots. {used} of {all} bars have keys, on average {size}.",
		message.Int("each", int64(r.Slots[0].Last-r.Slots[0].First+1)), message.Int("used", used), message.Int("all", int64(len(r.Slots))),
		message.Size("size", bytes/used))
	rows := slices.Clone(r.Slots)
	slices.SortStableFunc(rows, func(a, b thresholds.SlotRange) int { return cmp.Compare(b.Bytes, a.Bytes) })
	rows = rows[:min(len(rows), 5, int(used))]
	s.Fullest = v.newTable(table{len(rows), []column{
		rightColumn("slots", func(i int) message.Message { return verbatim(name(&rows[i])) }),
		sizeColumn(v.SizeLabel, func(i int) Figure { return Figure(rows[i].Bytes) }),
		rightColumn("share", func(i int) message.Message { return shareText(rows[i].Bytes, bytes) }),
		countColumn("keys", func(i int) Figure { return Figure(rows[i].Keys) }),
	}}, budget)
	s.Fullest.Label = word("The fullest slots")
	v.Slots = s
}

// findings lists the rules in the order of harm, the first of which is open.
func (v *htmlView) findings(r *Report, o WriteOptions, problems []problem) {
	budget := htmlFindingsBytes
	d := newDetails(nil, r, o)
	var list []*Finding
	for _, p := range problems {
		list = append(list, p.Finding)
	}
	for i, f := range list {
		h := htmlFinding{Severity: f.Severity, Rule: text.Sanitize(f.Rule), Count: countText(Figure(f.Count)), Flags: f.titleText(), Open: i == 0}
		if rule, ok := thresholds.Lookup(f.Rule); ok {
			h.Why, h.Fix = rule.Doc.Why, rule.Doc.Fix
			for _, s := range rule.Basis().Sources {
				if slices.Contains(s.Profiles, r.Config.Profile) {
					h.Sources = append(h.Sources, s)
				}
			}
		}
		h.Worst = v.newTable(d.examplesTable(f.Examples), &budget)
		h.Worst.Label = parts(" ", verbatim(h.Rule), verbatim(h.Severity))
		if more := f.Count - int64(len(h.Worst.Rows)); more > 0 && len(h.Worst.Rows) > 0 {
			h.More = []message.Message{message.New("And {n} more. In groups: {groups}", message.Int("n", more), message.Phrase("groups", groupsText(f)))}
		}
		h.Reasons = f.reasons()
		if len(f.Examples) > 0 {
			h.Advice = htmlAdvices(f.Examples[0].Advice, o.Advice, &budget)
		}
		v.Findings = append(v.Findings, h)
	}
}

// htmlAdvices returns advice; what changes data is left out unless changes is true.
func htmlAdvices(list []Advice, changes bool, budget *int) (out []htmlAdvice) {
	for i := range list {
		a := &list[i]
		if a.ChangesData && !changes {
			continue
		}
		advice := htmlAdvice{Text: a.sentence()}
		for _, c := range a.Commands {
			if *budget -= 2 * len(c); *budget > 0 {
				advice.Commands = append(advice.Commands, text.Sanitize(c))
			}
		}
		out = append(out, advice)
	}
	return out
}

// exact says how exact the figures are.
func (v *htmlView) exact(r *Report) {
	add := func(id string, args ...message.Arg) { v.Exact = append(v.Exact, message.New(id, args...)) }
	if r.Complete {
		add("Numbers of keys, elements, bytes and findings are exact: every key was read.")
	} else {
		add("Numbers of keys, elements, bytes and findings are those of what was read: the files were not read to their end, or are damaged.")
	}
	if r.Totals.MemoryBytes.Known() {
		add("Memory is computed from the server's own structures and the size classes of its allocator, key by key. " +
			"It is what the server frees when the key is deleted.")
	} else {
		add("The server that wrote the snapshot is not known well enough to compute memory: sizes are those of the values.")
	}
	if r.Totals.MemoryBound {
		add("Some keys have types whose memory is known as a lower bound only.")
	}
	if r.GroupsFolded > 0 {
		add("Names have more patterns than groups are kept of: {n} patterns are folded into wider groups, with * for a segment of many values.",
			message.Int("n", r.GroupsFolded))
	}
	v.Exact = append(v.Exact, r.Bounds.sentences()...)
	for i := range r.Inputs {
		if m := r.Inputs[i].Memory; m != nil && m.Difference != nil && len(r.Inputs) == 1 {
			add("The predicted used_memory is {size}, {share} from what the snapshot states.", sizeArg("size", m.Predicted),
				message.Share("share", float64(*m.Difference)/float64(max(1, r.Inputs[i].UsedMem))))
		}
	}
	add("This page needs no network: everything is in it.")
}
