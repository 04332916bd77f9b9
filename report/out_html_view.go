package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/language"
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
	htmlWordsBytes    = 100 << 10 // of the other language
	htmlKeys          = 300
	htmlGroups        = 300
	htmlMapKeys       = 1000
)

// htmlView is what the template shows. Names are escaped for display.
type htmlView struct {
	translate func(string) string
	words     map[string]string // see Words

	CSS    template.CSS
	Script template.JS
	Policy string
	Lang   string
	Title  string

	About, Wrong []string
	Cards        []htmlFact
	Verdict      string
	Fixes        []string
	Savings      *htmlTable
	SizeLabel    string
	Legend       []string
	Types        []htmlBlock
	Expiry       *htmlBars
	Histograms   []*htmlBars
	Slots        *htmlSlots
	Findings     []htmlFinding
	Keys         *htmlTable
	KeysNote     string
	KeyMeasures  []htmlMeasure
	Groups       *htmlTable
	GroupsNote   string
	Rest         []htmlSection
	Exact        []string
	Foot         string
	Data         htmlData
	Sections     bool // the sections are those of Rest, but for the map
}

type htmlFact struct{ Value, Label string }

// htmlBars is a histogram.
type htmlBars struct {
	Title, Label, SizeLabel string
	Rows                    []struct {
		Label, Keys, Size string
		Width             int // of the bar, at most 1000
	}
}

// htmlSlots is the strip of hash slots, a bar for each range of them.
type htmlSlots struct {
	Note string
	Bars []struct {
		X, Y, Height int // of 256 and 100
		Title        string
	}
	Fullest *htmlTable
}

type htmlFinding struct {
	Severity, Rule, Count, FlagText, Why, Fix string
	Open                                      bool
	Sources                                   []requirements.Source
	Worst                                     *htmlTable
	More                                      string
	Advice                                    []htmlAdvice
}

type htmlAdvice struct {
	Text, Condition string
	Commands        []string
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
	v := &htmlView{words: map[string]string{}, Lang: string(cmp.Or(o.Language, language.English)), SizeLabel: "memory"}
	translate, other := translator(o.Language), translator(v.other())
	budget := htmlWordsBytes
	v.translate = func(s string) string {
		shown := translate(s)
		if _, known := v.words[shown]; known {
			return shown
		}
		if also := other(s); also != shown && budget > len(shown)+len(also) {
			budget -= len(shown) + len(also)
			v.words[shown] = also
		}
		return shown
	}
	return v
}

// other returns the language that the page can be switched to.
func (v *htmlView) other() language.Language {
	if v.Lang == string(language.Chinese) {
		return language.English
	}
	return language.Chinese
}

// OtherLanguage returns it in its own words.
func (v *htmlView) OtherLanguage() string {
	return map[language.Language]string{language.English: "English", language.Chinese: "中文"}[v.other()]
}

// Words returns what was written so far, with the same in the other language.
func (v *htmlView) Words() map[string]string { return v.words }

func newHTMLView(r *Report, o WriteOptions) *htmlView {
	v := emptyHTMLView(o)
	if !r.Totals.MemoryBytes.Known() {
		v.SizeLabel = "value bytes"
	}
	all := newOverview(r, o)
	v.About, v.Wrong, v.Fixes, v.Verdict = all.about, all.wrong, all.fixes, all.broken
	v.Title = "Redis keyspace"
	if len(r.Inputs) == 1 {
		v.Title = r.Inputs[0].fileName()
	} else if len(r.Inputs) > 1 {
		v.Title = v.translate(message.FormatCountOf(int64(len(r.Inputs)), "snapshot", "snapshots"))
	}
	v.cards(r)
	rest := htmlRestBytes
	if len(all.savings) > 0 {
		v.Savings = newHTMLTable(all.savingsTable(len(all.savings)), v.translate, &rest)
		v.Savings.Label = v.translate("What could be saved")
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
	types := &htmlPage{budget: &rest, translate: v.translate}
	d := newDetails(types, r, o)
	d.types()
	d.encodings()
	for _, s := range types.sections {
		v.Types = append(v.Types, s.Blocks...)
	}
	other := &htmlPage{budget: &rest, translate: v.translate}
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
	v.Foot = text.Sanitize(strings.TrimSpace(r.Tool.Name + " " + r.Tool.Version + " " + configText(&r.Config)))
	return v
}

func (v *htmlView) cards(r *Report) {
	t := &r.Totals
	add := func(value, label string) {
		if value != "" {
			v.Cards = append(v.Cards, htmlFact{value, label})
		}
	}
	add(message.FormatCount(t.Keys), "keys")
	add(sizeText(sizeOf(t.MemoryBytes, t.ValueBytes)), v.SizeLabel+" of all keys")
	if len(r.Inputs) == 1 {
		add(sizeText(r.Inputs[0].UsedMem), "used_memory of the server")
	}
	add(shareText(t.WithoutTTL, t.Keys), "of the keys have no TTL")
	add(shareText(int64(t.WithoutTTLMemory), int64(t.MemoryBytes)), "of the memory has no TTL")
	add(message.FormatCount(r.Findings.Error), "errors")
	add(message.FormatCount(r.Findings.Warning), "warnings")
}

// mapText sets the words of the script.
func (v *htmlView) mapText() {
	v.Data.Text, v.Data.Other = map[string]string{}, map[string]string{}
	other := translator(v.other())
	for name, s := range map[string]string{"all": "all keys", "keys": "keys", "size": v.SizeLabel, "nottl": "without TTL", "findings": "findings", "more": "%d more", "copied": "Copied"} {
		v.Data.Text[name], v.Data.Other[name] = v.translate(s), other(s)
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
	v.Keys = newHTMLTable(r.keysTable(largestKeys(r, htmlKeys), true), v.translate, &budget)
	v.Keys.ID, v.Keys.Sortable, v.Keys.Label = "keys-table", true, v.translate("Biggest keys")
	for i, c := range v.Keys.Columns {
		if c.Right && c.Title != v.translate("share") && c.Title != v.translate("db") {
			v.KeyMeasures = append(v.KeyMeasures, htmlMeasure{i, c.Title})
		}
	}
	v.KeysNote = "The largest keys by every measure, " + message.FormatCount(int64(len(v.Keys.Rows))) + " of " + message.FormatCount(r.Totals.Keys) + "."
	if r.Totals.MemoryBytes.Known() {
		v.KeysNote += " Memory is what you get back when you delete the key."
	}
}

func (v *htmlView) groups(r *Report, all *overview) {
	groups := slices.Clone(r.Groups)
	sortGroups(groups, "")
	groups = groups[:min(len(groups), htmlGroups)]
	budget := htmlGroupsBytes
	v.Groups = newHTMLTable(r.groupsTable(groups, true), v.translate, &budget)
	v.Groups.ID, v.Groups.Sortable, v.Groups.Label = "groups-table", true, v.translate("Groups of names")
	v.GroupsNote = "Keys whose names have one pattern, where * stands for what varies. The first " + message.FormatCount(int64(len(v.Groups.Rows))) + " of " +
		message.FormatCount(int64(len(r.Groups))) + "."
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
			Label, Keys, Size string
			Width             int
		}{text.Sanitize(b.Label), message.FormatCount(b.Keys), sizeText(sizeOf(b.MemoryBytes, b.ValueBytes)), width})
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
	s.Note = thresholds.Fill("Each bar is {each} of the 16,384 slots. {used} of {all} bars have keys, on average {size}.", "each", strconv.Itoa(r.Slots[0].Last-r.Slots[0].First+1),
		"used", message.FormatCount(used), "all", message.FormatCount(int64(len(r.Slots))), "size", message.FormatBytes(bytes/used))
	rows := slices.Clone(r.Slots)
	slices.SortStableFunc(rows, func(a, b thresholds.SlotRange) int { return cmp.Compare(b.Bytes, a.Bytes) })
	rows = rows[:min(len(rows), 5, int(used))]
	s.Fullest = newHTMLTable(table{len(rows), []column{
		rightColumn("slots", func(i int) string { return name(&rows[i]) }),
		sizeColumn(v.SizeLabel, func(i int) Figure { return Figure(rows[i].Bytes) }),
		rightColumn("share", func(i int) string { return shareText(rows[i].Bytes, bytes) }),
		countColumn("keys", func(i int) Figure { return Figure(rows[i].Keys) }),
	}}, v.translate, budget)
	s.Fullest.Label = v.translate("The fullest slots")
	v.Slots = s
}

// findings lists the rules in the order of harm, the first of which is open.
func (v *htmlView) findings(r *Report, o WriteOptions, problems []problem) {
	budget := htmlFindingsBytes
	d := newDetails(nil, r, o)
	var list []*Finding
	for _, p := range problems {
		list = append(list, p.findings...)
	}
	for i, f := range list {
		h := htmlFinding{Severity: f.Severity, Rule: text.Sanitize(f.Rule), Count: message.FormatCount(f.Count), FlagText: text.Sanitize(f.Title), Open: i == 0}
		if rule, ok := thresholds.Lookup(f.Rule); ok {
			h.Why, h.Fix = rule.Doc.Why, rule.Doc.Fix
			for _, s := range rule.Basis().Sources {
				if slices.Contains(s.Profiles, r.Config.Profile) {
					h.Sources = append(h.Sources, s)
				}
			}
		}
		h.Worst = newHTMLTable(d.examplesTable(f.Examples), v.translate, &budget)
		h.Worst.Label = h.Rule + " " + h.Severity
		if more := f.Count - int64(len(h.Worst.Rows)); more > 0 && len(h.Worst.Rows) > 0 {
			h.More = "And " + message.FormatCount(more) + " more. In groups: " + groupsText(f)
		}
		if len(f.Examples) > 0 {
			for _, a := range f.Examples[0].Advice {
				if a.ChangesData && !o.Advice {
					continue
				}
				advice := htmlAdvice{Text: text.Sanitize(a.Text), Condition: text.Sanitize(a.Condition)}
				for _, c := range a.Commands {
					if budget -= 2 * len(c); budget > 0 {
						advice.Commands = append(advice.Commands, text.Sanitize(c))
					}
				}
				h.Advice = append(h.Advice, advice)
			}
		}
		v.Findings = append(v.Findings, h)
	}
}

// exact says how exact the figures are.
func (v *htmlView) exact(r *Report) {
	add := func(format string, args ...any) { v.Exact = append(v.Exact, fmt.Sprintf(format, args...)) }
	if r.Complete {
		add("Numbers of keys, elements, bytes and findings are exact: every key was read.")
	} else {
		add("Numbers of keys, elements, bytes and findings are those of what was read: the files were not read to their end, or are damaged.")
	}
	if r.Totals.MemoryBytes.Known() {
		add("Memory is computed from the server's own structures and the size classes of its allocator, key by key. It is what the server frees when the key is deleted.")
	} else {
		add("The server that wrote the snapshot is not known well enough to compute memory: sizes are those of the values.")
	}
	if r.Totals.MemoryBound {
		add("Some keys have types whose memory is known as a lower bound only.")
	}
	if r.GroupsFolded > 0 {
		add("Names have more patterns than groups are kept of: %s patterns are folded into wider groups, with * for a segment of many values.", message.FormatCount(r.GroupsFolded))
	}
	v.Exact = append(v.Exact, r.Bounds.sentences()...)
	for i := range r.Inputs {
		if m := r.Inputs[i].Memory; m != nil && m.Difference != nil && len(r.Inputs) == 1 {
			add("The predicted used_memory is %s, %s%% from what the snapshot states.", message.FormatBytes(int64(m.Predicted)),
				strconv.FormatFloat(100*float64(*m.Difference)/float64(max(1, r.Inputs[i].UsedMem)), 'f', 1, 64))
		}
	}
	add("This page needs no network: everything is in it.")
}
