package report

import (
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds"
)

// htmlView is what the template shows: the first screen, and the sections of the page, which
// are those of the details where these have them. Names are escaped for display.
type htmlView struct {
	*htmlPage

	CSS    template.CSS
	Script template.JS
	Policy string
	Title  message.Message

	About, Wrong []message.Message
	Verdict      message.Message
	Overview     bool // of a report: what to fix, and the map
	Parts        []htmlPart
	Whole        message.Arg // the size that the parts add up to
	Today, Later []htmlFix
	Answers      []htmlAnswers
	Remarks      []message.Message // on the files
	Places       message.Message   // how the map names places, zero as usual
	SizeLabel    string
	Measures     []htmlChoice // of the map
	Colors       []htmlChoice
	Foot         message.Message
	Data         htmlData
}

// htmlFigures are the sections of a report that the contents fold.
var htmlFigures = []string{"snapshot", "snapshots", "memory", "types", "encodings", "totals", "ttls", "distributions",
	"databases"}

// Contents returns the sections of the contents: of a report those about prefixes, keys and
// what to do, or the others.
func (v *htmlView) Contents(figures bool) (list []*htmlSection) {
	for i := range v.Sections {
		s := &v.Sections[i]
		if s.ID == s.place() && figures == (v.Overview && slices.Contains(htmlFigures, s.ID)) {
			list = append(list, s)
		}
	}
	return list
}

// htmlChoice is an entry of a list to choose from.
type htmlChoice struct{ Value, Label string }

func newHTMLView(r *Report, o WriteOptions) *htmlView {
	v := &htmlView{htmlPage: newHTMLPage(o), Overview: true, SizeLabel: "memory", Title: word("Redis keyspace")}
	if !r.Totals.MemoryBytes.Known() {
		v.SizeLabel = "value bytes"
	}
	all := newOverview(r, o)
	v.About, v.Remarks, v.Wrong, v.Verdict = all.about[:all.lead:all.lead], all.about[all.lead:], all.wrong, all.verdict()
	if r.Tree != nil && !all.cut {
		v.Places = word("no prefix stands out")
	}
	if len(r.Inputs) == 1 {
		path := r.Inputs[0].Name
		v.Title = fileText(path[max(0, strings.LastIndexByte(strings.TrimRight(string(path), "/"), '/')+1):])
	} else if len(r.Inputs) > 1 {
		v.Title = message.Plural(int64(len(r.Inputs)), "1 snapshot", "{n} snapshots")
	}
	v.composition(r)
	v.fixes(r, o)
	v.Measures = []htmlChoice{{"size", v.SizeLabel}, {"keys", "keys"}, {"nottl", "memory without TTL"},
		{"findings", "findings"}}
	v.Colors = []htmlChoice{{"type", "type"}, {"ttl", "TTL"}, {"severity", "severity"}}
	if slices.ContainsFunc(r.Rules, func(f Finding) bool { return f.Rule == "cold-key" }) {
		v.Colors = append(v.Colors, htmlChoice{"age", "idle time"})
	}
	v.since(r, o.Since)
	v.data(r, o.Since)

	d := newDetails(v.htmlPage, r, o)
	if nodes := r.worstNodes(); len(nodes) > 0 {
		d.nodes()
		v.above(htmlBlock{Strip: r.nodesStrip(nodes)})
	}
	d.changedSince()
	v.answers(r, all.keys, r.since(o.Since).Prefixes)
	if len(r.CanGo) > 0 {
		v.section(word("What can go"), r.canGoNote(o.Advice))
		v.add(htmlBlock{Cards: r.canGoCards(o.Advice)})
	}
	if all.savings = r.Savings; len(all.savings) > 0 {
		v.section(word("What could be saved"), r.savingsNote())
		v.table(all.savingsTable(len(all.savings)))
	}
	for _, part := range sections {
		switch part.name {
		case "findings":
			v.findings(r, o, all.problems, all.broken)
		case "keys":
			v.keys(r)
			d.hot()
		case "since", "can-go", "savings":
		case "expires":
			if part.write(d); len(r.ExpiryTimes) > 0 && r.Totals.Keys > 0 {
				if len(r.ExpiresNext) == 0 {
					v.section(word("Expires next"), message.Message{})
				}
				v.above(htmlBlock{Figure: "timeline"})
			}
		default:
			part.write(d)
		}
	}
	v.slots(r)
	v.Foot = parts(" ", verbatim(r.Tool.Name), verbatim(r.Tool.Version), configText(&r.Config),
		word("1 KB is 1,024 bytes, 1 MB 1,024 KB."))
	return v
}

var mapTypes = []string{"hash", "list", "set", "stream", "string", "zset"}

// since says what has grown since an older report, nil if there is none.
func (v *htmlView) since(r, old *Report) {
	if old == nil {
		return
	}
	name := word("the older report")
	if len(old.Inputs) > 0 {
		name = fileText(old.Inputs[0].Name)
	}
	v.Data.Since = v.own.line(name)
	before, after := int64(sizeOf(old.Totals.MemoryBytes, old.Totals.ValueBytes)),
		int64(sizeOf(r.Totals.MemoryBytes, r.Totals.ValueBytes))
	v.About = append(v.About, message.New("since {file}: {size} ({growth}), {keys} keys", message.Phrase("file", name),
		message.Phrase("size", orWord(signedSize(after-before), "0 B")),
		message.Phrase("growth", orWord(growthText(before, after), "0%")),
		message.Phrase("keys", orWord(signedCount(r.Totals.Keys-old.Totals.Keys), "0"))))
	v.Colors = append(v.Colors, htmlChoice{"growth", "growth"})
}

// keys lists the keys of all lists, each once, the largest first. One row stands for the keys
// of one name on several inputs: it has the figures of the largest.
func (v *htmlView) keys(r *Report) {
	var list []*KeyRow
	for _, keys := range keysByGroup(r) {
		list = append(list, keys...)
	}
	slices.SortFunc(list, compareKeys)
	type identity struct {
		db  int
		key Name
	}
	var rows []KeyRow
	on, at, again := []int64{}, map[identity]int{}, false
	for _, k := range list[:min(len(list), htmlRows)] {
		id := identity{k.DB, k.Key}
		if n, ok := at[id]; ok && len(r.Inputs) > 1 {
			on[n]++
			again = true
			continue
		}
		at[id] = len(rows)
		rows, on = append(rows, *k), append(on, 1)
	}
	t := r.keysTable(rows, true)
	nodes := countColumn("listed on nodes", func(i int) Figure { return Figure(on[i]) })
	t.columns = slices.Insert(t.columns, 1, nodes.only(again))
	note := message.New("The largest keys by every measure, {n} of {all}.", message.Int("n", int64(len(rows))),
		message.Int("all", r.Totals.Keys))
	if r.Totals.MemoryBytes.Known() {
		note = parts(" ", note, word("Memory is what you get back when you delete the key."))
	}
	v.section(word("Biggest keys"), note)
	v.table(t)
	v.above(htmlBlock{Figure: "scatter"})
}

// htmlNodes is the most bars of the strip of nodes.
const htmlNodes = 256

// nodesStrip has a bar for each node, in the order of the inputs.
func (r *Report) nodesStrip(nodes []Node) []htmlBar {
	bars, most := make([]htmlBar, len(r.Inputs)), int64(1)
	for i := range nodes {
		most = max(most, nodes[i].size())
	}
	for i := range nodes {
		n := &nodes[i]
		class := ""
		switch {
		case r.Inputs[n.Input].Error != nil:
			class = "s-error"
		case n.Skew >= 1.5:
			class = "s-warning"
		}
		bars[n.Input] = newHTMLBar(n.Input, n.size(), most, max(0, n.Keys), r.inputName(n.Input).Display(), class)
	}
	return bars[:min(len(bars), htmlNodes)]
}

func (n *Node) size() int64 { return max(0, int64(sizeOf(n.MemoryBytes, n.ValueBytes))) }

func newHTMLBar(x int, size, most, n int64, name, class string) htmlBar {
	height := 0
	if n > 0 || class != "" {
		height = max(2, int(ratio(size, max(most, 1))*100))
	}
	return htmlBar{x, 100 - height, height, class, name + ": " + message.FormatBytes(size) + ", " + message.FormatCount(n)}
}

// slots shows the ranges of hash slots as a strip, and the fullest.
func (v *htmlView) slots(r *Report) {
	var bytes, most, used int64
	for i := range r.Slots {
		bytes, most = bytes+r.Slots[i].Bytes, max(most, r.Slots[i].Bytes)
		if r.Slots[i].Keys > 0 {
			used++
		}
	}
	if used == 0 {
		return
	}
	name := func(x *thresholds.SlotRange) string { return strconv.Itoa(x.First) + "-" + strconv.Itoa(x.Last) }
	var bars []htmlBar
	for i := range r.Slots {
		x := &r.Slots[i]
		bars = append(bars, newHTMLBar(i, x.Bytes, most, x.Keys, name(x), ""))
	}
	v.section(word("Slots"), message.New(
		"Each bar is {each} of the 16,384 slots. {used} of {all} bars have keys, on average {size}.",
		message.Int("each", int64(r.Slots[0].Last-r.Slots[0].First+1)), message.Int("used", used),
		message.Int("all", int64(len(r.Slots))), message.Size("size", bytes/used)))
	v.add(htmlBlock{Strip: bars})
	rows := slices.Clone(r.Slots)
	sortBySize(rows, func(x *thresholds.SlotRange) Figure { return Figure(x.Bytes) })
	v.table(table{min(len(rows), 5, int(used)), []column{
		rightColumn("slots", func(i int) message.Message { return verbatim(name(&rows[i])) }),
		sizeColumn(v.SizeLabel, func(i int) Figure { return Figure(rows[i].Bytes) }),
		rightColumn("share", func(i int) message.Message { return shareText(rows[i].Bytes, bytes) }),
		countColumn("keys", func(i int) Figure { return Figure(rows[i].Keys) }),
	}})
}

// findings lists the rules in the order of harm, each folded, and those that found nothing.
func (v *htmlView) findings(r *Report, o WriteOptions, problems []problem, note message.Message) {
	v.section(word("Findings"), note)
	for _, m := range r.countedText() {
		v.sentence(m)
	}
	for i := range problems {
		f := problems[i].Finding
		v.fold(htmlFold{ID: "rule-" + f.Rule + "-" + f.Severity, Severity: f.Severity, Rule: text.Sanitize(f.Rule),
			Title: f.titleText(), Count: countText(Figure(f.Count)), Open: i == 0}, func(in *htmlPage) {
			if rule, ok := thresholds.Lookup(f.Rule); ok {
				in.sentence(word(rule.Doc.Why))
				in.sentence(word(rule.Doc.Fix))
				for _, s := range rule.Basis().Sources {
					if slices.Contains(s.Profiles, r.Config.Profile) {
						in.add(htmlBlock{Source: &s})
					}
				}
			}
			if len(f.Examples) > 0 {
				newDetails(in, r, o).evidence(f)
			}
		})
	}
	var passed []message.Message
	for _, name := range r.Passed {
		if rule, ok := thresholds.Lookup(name); ok {
			passed = append(passed, message.New("{rule}: {title}", message.Code("rule", name),
				message.Word("title", rule.Title)))
		}
	}
	if passed != nil {
		title := message.Plural(int64(len(passed)), "1 rule found nothing", "{n} rules found nothing")
		v.fold(htmlFold{ID: "passed", Title: title}, func(in *htmlPage) { in.list(passed) })
	}
}
