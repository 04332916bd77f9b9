package report

import (
	"bufio"
	"bytes"
	"math"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
)

// The report on one screen of a terminal.

func init() {
	register(&Format{Name: "table", Doc: "the most important facts on one screen (default)", Extension: ".txt", rank: 1,
		write: writeTable})
}

// screenLines is the most lines of the report, at 80 columns and more.
const screenLines = 60

// smallScreen is the height, in lines, up to which a terminal has no room for whole sentences.
const smallScreen = 32

func writeTable(w *bufio.Writer, r *Report, o WriteOptions) error {
	v := newOverview(r, o)
	rows, steps := v.all(), screenSteps
	if v.small {
		steps = smallSteps
	}
	return writeScreen(w, o, v.lines(o), func(p page) { v.write(p, rows) }, func() bool { return rows.lessOf(steps) })
}

// lines is the most lines of the overview: those of a screen, and the places that were asked for.
func (v *overview) lines(o WriteOptions) int {
	switch {
	case o.Rows > 0:
		return math.MaxInt
	case v.depth > 0:
		return linesOf(o) + len(v.groups)
	}
	return linesOf(o)
}

// linesOf returns the most lines of a report: on a terminal one less than it has, for the prompt.
func linesOf(o WriteOptions) int {
	if o.Height > 0 {
		return min(o.Height-1, screenLines)
	}
	return screenLines
}

// writeScreen writes what fits into so many lines: less takes something away from what write
// writes, and reports whether it could. Until it fits, tables are counted and not written.
func writeScreen(w *bufio.Writer, o WriteOptions, lines int, write func(p page), less func() bool) error {
	onScreen := o.Height > 0 && o.Rows == 0
	small := onScreen && o.Height <= smallScreen
	dense := small // without empty lines, as every screen that they leave no room
	for measures := true; ; {
		var b bytes.Buffer
		p := newTextPage(bufio.NewWriter(&b), o)
		p.measures, p.small, p.dense = measures, small, dense
		write(p)
		p.w.Flush()
		over := bytes.Count(b.Bytes(), []byte("\n")) > lines
		switch {
		case over && !dense && onScreen:
			dense = true
		case over && less():
		case measures:
			measures = false
		default:
			w.Write(b.Bytes())
			return p.err
		}
	}
}

type screenRows struct{ keys, groups, problems, fixes, savings, alerts, nodes, canGo, expires int }

func (v *overview) all() screenRows {
	return screenRows{len(v.keys), len(v.groups), len(v.problems), len(v.fixes), len(v.savings),
		max(len(v.wrong), len(v.about)-v.lead), len(v.nodes), min(len(v.r.CanGo), overviewSavings), len(v.expiring())}
}

// screenSteps are the least rows of the parts, step by step until they fit.
var screenSteps = []screenRows{{10, 10, 10, 4, 4, 6, 8, 5, 4}, {10, 10, 7, 3, 3, 4, 5, 4, 3},
	{8, 9, 6, 3, 3, 3, 3, 3, 3}, {5, 8, 5, 3, 2, 2, 3, 3, 2}, {3, 6, 3, 2, 1, 1, 2, 2, 1}, {3, 5, 3, 2, 0, 1, 1, 1, 1},
	{3, 5, 3, 2, 0, 1, 0, 0, 0}, {3, 3, 3, 2, 0, 1, 0, 0, 0}, {1, 1, 1, 1, 0, 1, 0, 0, 0}, {}}

// smallSteps are screenSteps of a small terminal: three rows of each of the main parts are
// worth more than ten of one.
var smallSteps = []screenRows{{keys: 8, groups: 8, problems: 8, fixes: 4, alerts: 2, nodes: 2},
	{keys: 5, groups: 5, problems: 5, fixes: 3, alerts: 1}, {keys: 3, groups: 3, problems: 3, fixes: 3, alerts: 1},
	{keys: 3, groups: 3, problems: 3, fixes: 3}, {keys: 2, groups: 2, problems: 2, fixes: 2},
	{keys: 1, groups: 1, problems: 1, fixes: 1}, {}}

func (s *screenRows) less() bool { return s.lessOf(screenSteps) }

// lessOf takes away a row, from the part that can spare it most, and reports whether
// there was one.
func (s *screenRows) lessOf(steps []screenRows) bool {
	for _, least := range steps {
		for _, x := range []struct {
			rows  *int
			least int
		}{{&s.problems, least.problems}, {&s.savings, least.savings}, {&s.expires, least.expires},
			{&s.canGo, least.canGo}, {&s.fixes, least.fixes}, {&s.groups, least.groups},
			{&s.keys, least.keys}, {&s.alerts, least.alerts}, {&s.nodes, least.nodes}} {
			if *x.rows > x.least {
				*x.rows--
				return true
			}
		}
	}
	return false
}

// uselessIgnores names the ignores of the configuration that can be removed, zero if
// there are none.
func (v *overview) uselessIgnores() message.Message {
	var list []message.Message
	for i := range v.r.Ignored {
		if in := &v.r.Ignored[i]; in.Expired || in.Unused && in.Baseline == "" {
			list = append(list, in.entry())
		}
	}
	if list == nil {
		return message.Message{}
	}
	return message.New("Ignores that have ended or matched nothing: {names}", firstOf("names", list, 3))
}

func (r *Report) canGoFrees() message.Message {
	sum := Removable{Step: Step{SavesAbout: r.canGoAbout()}}
	for i := range r.CanGo {
		sum.SavesBytes += r.CanGo[i].SavesBytes
	}
	return sum.Saves()
}

// expiring returns the prefixes with most keys that expire within a day.
func (v *overview) expiring() []ExpiringPrefix {
	list := v.r.ExpiresNext
	if len(list) == 0 {
		return nil
	}
	prefixes := list[len(list)-1].Prefixes
	return prefixes[:min(len(prefixes), overviewSavings)]
}

func (e *Expiring) text() message.Message {
	return message.New("{keys}, {size} {window}", keysArg("keys", e.Keys), message.Size("size", int64(max(e.MemoryBytes, 0))),
		message.Word("window", WindowTexts[e.Window]))
}

// expiresTable has the first n prefixes whose keys expire next, and how many of them within each time.
func (v *overview) expiresTable(n int) table {
	rows := v.expiring()
	within := func(window, title string) column {
		return countColumn(title, func(i int) Figure {
			if node := v.r.Tree.named(rows[i].Prefix); node != nil {
				for _, e := range node.Expiring {
					if e.Window == window && e.Keys > 0 {
						return Figure(e.Keys)
					}
				}
			}
			return Unknown
		})
	}
	return table{n, []column{
		within("1h", "1h"), within("midnight", "midnight"), within("24h", "24h"),
		leftColumn("at (UTC)", func(i int) message.Message {
			return v.r.expiresAt(&rows[i], v.r.ExpiresNext[0].From+secondsOfDay)
		}).drop(2),
		countColumn("of keys", func(i int) Figure { return Figure(rows[i].Of) }),
		sizeColumn("memory", func(i int) Figure { return rows[i].MemoryBytes }),
		v.r.ownerColumn(func(i int) string { return rows[i].Owner }),
		nameColumn("prefix", func(i int) message.Message { return named(rows[i].Prefix) }),
	}}
}

// more says how many rows a part does not show, and which options show them.
func (v *overview) more(p page, n int, flags string) {
	if n > 0 && !v.small {
		p.sentence(message.New("  and {n} more ({flags})", message.Int("n", int64(n)), message.Code("flags", flags)))
	}
}

// moreExpires says how many prefixes the first n rows of what expires next leave out, and how many
// of their keys expire within a day.
func (v *overview) moreExpires(p page, n int) {
	if v.small {
		return
	}
	last := v.r.ExpiresNext[len(v.r.ExpiresNext)-1]
	keys := last.Keys
	for _, e := range last.Prefixes[:n] {
		keys -= e.Keys
	}
	prefixes := max(1, len(last.Prefixes)-n) // keys without a prefix of their own are one
	if keys > 0 {
		p.sentence(message.New("  and {prefixes} with {keys} ({flags})",
			message.Number("prefixes", int64(prefixes), "1 more prefix", "{n} more prefixes"), keysArg("keys", keys),
			message.Code("flags", "--sections expires")))
	}
}

// notShown names the parts that have no room on the screen, with their figure and the option that
// shows them, on a small screen that option only; zero if there are none.
func (v *overview) notShown(rows screenRows) message.Message {
	var list []message.Message
	var names []string
	add := func(title, section string, note message.Message) {
		names = append(names, section)
		list = append(list, message.New("{title} ({note}): {flags}", message.Word("title", title), message.Phrase("note", note),
			message.Code("flags", "--sections "+section)))
	}
	if rows.canGo == 0 && len(v.r.CanGo) > 0 {
		add("What can go", "can-go", v.r.canGoFrees())
	}
	if all := v.r.ExpiresNext; rows.expires == 0 && len(v.expiring()) > 0 {
		e := &all[max(0, slices.IndexFunc(all, func(e Expiring) bool { return e.Window == "midnight" }))]
		if e.Keys == 0 {
			e = &all[len(all)-1]
		}
		add("Expires next", "expires", e.text())
	}
	if rows.savings == 0 && v.r.saved() > 0 {
		add("What could be saved", "savings", sizeText(Figure(v.r.saved())))
	}
	switch {
	case list == nil:
		return message.Message{}
	case v.small:
		return message.New("not shown: {flags}", message.Code("flags", "--sections "+strings.Join(names, ",")))
	}
	return message.New("Not shown for lack of lines: {list}", message.List("list", "; ", list))
}

func (v *overview) write(p page, rows screenRows) {
	v.head(p, rows.alerts)
	if rows.keys > 0 {
		p.section(word("Biggest keys"), v.keysNote())
		p.table(v.keysTable(rows.keys))
	}
	if rows.nodes > 0 {
		p.section(word("Nodes"), v.r.nodesNote(rows.nodes))
		p.table(v.r.nodesTable(v.nodes[:rows.nodes]))
	}
	if rows.groups > 0 {
		p.section(word("Where the memory is"), v.placesNote())
		p.table(v.r.groupsTable(v.places(rows.groups), false))
	}
	if v.r.Config.Profile != "" || rows.problems > 0 {
		p.section(word("Problems"), v.broken)
		p.table(v.problemsTable(rows.problems))
		if n := len(v.problems) - rows.problems; n > 0 && !v.small {
			p.sentence(message.New("  and {problems} (--details)",
				message.Number("problems", int64(n), "1 more problem", "{n} more problems")))
		}
	}
	if !v.small {
		for _, m := range v.r.countedText() {
			p.sentence(message.New("  {sentence}", message.Phrase("sentence", m)))
		}
	}
	if rows.fixes > 0 {
		note := v.fixesNote()
		if v.small {
			note = parts("; ", note, v.notShown(rows))
		}
		p.section(word("Fix first"), note)
		p.list(v.fixes[:rows.fixes])
		v.more(p, len(v.fixes)-rows.fixes, "-f report.md")
	}
	if rows.canGo > 0 {
		p.section(word("What can go"), message.New("{size}, if nobody needs it; commands: {flags}",
			message.Phrase("size", v.r.canGoFrees()), message.Code("flags", "--sections can-go")))
		p.table(v.r.canGoTable(rows.canGo, true))
		v.more(p, len(v.r.CanGo)-rows.canGo, "--sections can-go")
	}
	if rows.expires > 0 {
		p.section(word("Expires next"), v.r.ExpiresNext[len(v.r.ExpiresNext)-1].text())
		p.table(v.expiresTable(rows.expires))
		if m := v.r.noStampede(); !m.IsZero() && !v.small {
			p.sentence(message.New("  {sentence}", message.Phrase("sentence", m)))
		}
		v.moreExpires(p, rows.expires)
	}
	if rows.savings > 0 {
		p.section(word("What could be saved"), word("estimates"))
		p.table(v.savingsTable(rows.savings))
		v.more(p, len(v.r.Savings)-rows.savings, "--sections savings")
	}
	if v.small {
		return
	}
	if m := v.uselessIgnores(); !m.IsZero() {
		p.foot(m)
	}
	last := p.foot
	if m := v.notShown(rows); !m.IsZero() {
		p.foot(m)
		last = p.sentence
	}
	last(word("More: --details, -f report.md (a ticket), rdblens rules explain RULE"))
}
