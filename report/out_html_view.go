package report

import (
	"cmp"
	"encoding/json"
	"html/template"
	"slices"
	"strconv"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/requirements"
)

// The bytes that parts of the page may have, so that it stays below 2 MB whatever
// the snapshot, and the rows of its lists.
const (
	htmlMapBytes      = 700 << 10
	htmlKeysBytes     = 250 << 10
	htmlGroupsBytes   = 150 << 10
	htmlFindingsBytes = 350 << 10
	htmlRestBytes     = 200 << 10
	htmlKeys          = 300
	htmlGroups        = 300
	htmlMapKeys       = 1000
)

// htmlView is what the template shows. Names are escaped for display.
type htmlView struct {
	*htmlStyle

	CSS    template.CSS
	Script template.JS
	Policy string
	Title  message.Message

	About, Wrong []message.Message
	Cards        []htmlFact
	Verdict      message.Message
	Fixes        []message.Message
	Savings      *htmlTable
	SizeLabel    string
	Legend       []string
	Types        []htmlBlock
	Expiry       *htmlBars
	Histograms   []*htmlBars
	Slots        *htmlSlots
	Findings     []htmlFinding
	Keys         *htmlTable
	KeysNote     []message.Message
	KeyMeasures  []htmlMeasure
	Groups       *htmlTable
	GroupsNote   message.Message
	Rest         []htmlSection
	Exact        []message.Message
	Foot         message.Message
	Data         htmlData
	Sections     bool // the sections are those of Rest, but for the map
}

type htmlFact struct{ Value, Label message.Message }

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
	Note message.Message
	Bars []struct {
		X, Y, Height int // of 256 and 100
		Title        string
	}
	Fullest *htmlTable
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

type htmlMeasure struct {
	Column int
	Label  string
}

// htmlData is what the script reads.
type htmlData struct {
	Separators string            `json:"separators"`
	Types      []string          `json:"types"`
	Groups     []htmlGroup       `json:"groups"`
	Keys       [][3]any          `json:"keys"`  // name, size, index into Groups
	Text       map[string]string `json:"text"`  // by name
	Other      map[string]string `json:"other"` // Text in the other language
	Compared   bool              `json:"compared,omitempty"`
}

// htmlGroup is written as an array: name, keys, size, size without TTL, findings,
// index into htmlData.Types; in a comparison also the sizes on both sides.
type htmlGroup struct {
	name                             string
	keys, size, withoutTTL, findings int64
	typ                              int
	sides                            []any
}

func (g htmlGroup) MarshalJSON() ([]byte, error) {
	return json.Marshal(append([]any{g.name, g.keys, g.size, g.withoutTTL, g.findings, g.typ}, g.sides...))
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
	v.About, v.Wrong, v.Fixes, v.Verdict = all.about, all.wrong, all.fixes, all.broken
	v.Title = word("Redis keyspace")
	if len(r.Inputs) == 1 {
		v.Title = fileText(r.Inputs[0].Name)
	} else if len(r.Inputs) > 1 {
		v.Title = message.Plural(int64(len(r.Inputs)), "1 snapshot", "{n} snapshots")
	}
	v.cards(r)
	rest := htmlRestBytes
	if len(all.savings) > 0 {
		v.Savings = v.newTable(all.savingsTable(len(all.savings)), &rest)
		v.Savings.Label = word("What could be saved")
	}
	v.data(r)
	v.keys(r)
	v.groups(r, all)
	v.findings(r, o, all.problems)
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
	d.snapshots()
	d.ignored()
	v.Rest = other.sections
	v.exact(r)
	v.Foot = parts(" ", verbatim(r.Tool.Name), verbatim(r.Tool.Version), configText(&r.Config))
	return v
}

func (v *htmlView) cards(r *Report) {
	t := &r.Totals
	add := func(value, label message.Message) {
		if !value.IsZero() {
			v.Cards = append(v.Cards, htmlFact{value, label})
		}
	}
	add(countText(Figure(t.Keys)), word("keys"))
	add(sizeText(sizeOf(t.MemoryBytes, t.ValueBytes)), message.New("{size} of all keys", message.Word("size", v.SizeLabel)))
	if len(r.Inputs) == 1 {
		add(sizeText(r.Inputs[0].UsedMem), word("used_memory of the server"))
	}
	add(shareText(t.WithoutTTL, t.Keys), word("of the keys have no TTL"))
	add(shareText(int64(t.WithoutTTLMemory), int64(t.MemoryBytes)), word("of the memory has no TTL"))
	add(countText(Figure(r.Findings.Error)), word("errors"))
	add(countText(Figure(r.Findings.Warning)), word("warnings"))
}

// mapText sets the words of the script.
func (v *htmlView) mapText() {
	v.Data.Text, v.Data.Other = map[string]string{}, map[string]string{}
	for name, id := range map[string]string{"all": "all keys", "keys": "keys", "size": v.SizeLabel, "nottl": "without TTL",
		"findings": "findings", "more": "%d more", "copied": "Copied"} {
		v.Data.Text[name], v.Data.Other[name] = v.own.line(word(id)), v.another.line(word(id))
	}
}

// data fills in what the map is made of.
func (v *htmlView) data(r *Report) {
	d := &v.Data
	d.Separators, d.Types, d.Groups, d.Keys = r.Config.Separators, []string{}, []htmlGroup{}, [][3]any{}
	v.mapText()
	groups := slices.Clone(r.Groups)
	sortGroups(groups, "")
	budget := htmlMapBytes
	index := map[Name]int{}
	rest := htmlGroup{name: FoldedGroup}
	for i := range groups {
		g := &groups[i]
		h := htmlGroup{g.name().Display(), g.Keys, int64(sizeOf(g.MemoryBytes, g.ValueBytes)), max(0, int64(g.MemoryWithoutTTL)), g.Findings, 0, nil}
		if h.typ = slices.Index(d.Types, g.Type); h.typ < 0 {
			h.typ = len(d.Types)
			d.Types = append(d.Types, g.Type)
		}
		if budget -= len(h.name) + 40; budget < 0 {
			rest.keys, rest.size, rest.withoutTTL, rest.findings = rest.keys+h.keys, rest.size+h.size, rest.withoutTTL+h.withoutTTL, rest.findings+h.findings
			continue
		}
		index[g.Group] = len(d.Groups)
		d.Groups = append(d.Groups, h)
	}
	if rest.keys > 0 {
		if rest.typ = slices.Index(d.Types, ""); rest.typ < 0 {
			rest.typ = len(d.Types)
			d.Types = append(d.Types, "")
		}
		d.Groups = append(d.Groups, rest)
	}
	for _, t := range d.Types {
		if !slices.Contains(mapTypes, t) {
			t = "other"
		}
		if !slices.Contains(v.Legend, t) {
			v.Legend = append(v.Legend, t)
		}
	}
	slices.Sort(v.Legend)
	budget = htmlKeysBytes
	for _, k := range largestKeys(r, htmlMapKeys) {
		name := k.Key.Display()
		if i, ok := index[k.Group]; ok && budget > len(name) {
			budget -= len(name) + 20
			d.Keys = append(d.Keys, [3]any{name, int64(sizeOf(k.Memory, int64(k.ValueBytes))), i})
		}
	}
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
	v.Keys = v.newTable(r.keysTable(largestKeys(r, htmlKeys), true), &budget)
	v.Keys.ID, v.Keys.Sortable, v.Keys.Label = "keys-table", true, word("Biggest keys")
	for i, c := range v.Keys.Columns {
		if c.Right && c.Title != "share" && c.Title != "db" {
			v.KeyMeasures = append(v.KeyMeasures, htmlMeasure{i, c.Title})
		}
	}
	v.KeysNote = []message.Message{message.New("The largest keys by every measure, {n} of {all}.", message.Int("n", int64(len(v.Keys.Rows))),
		message.Int("all", r.Totals.Keys))}
	if r.Totals.MemoryBytes.Known() {
		v.KeysNote = append(v.KeysNote, word("Memory is what you get back when you delete the key."))
	}
}

func (v *htmlView) groups(r *Report, all *overview) {
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
		s.Bars = append(s.Bars, struct {
			X, Y, Height int
			Title        string
		}{i, 100 - height, height, name(x) + ": " + message.FormatBytes(x.Bytes) + ", " + message.FormatCount(x.Keys)})
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
