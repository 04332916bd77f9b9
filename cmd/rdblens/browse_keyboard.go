package main

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/gdamore/tcell/v2"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/report/text"
)

// browser is the state of browse. One goroutine changes it: that of run.
type browser struct {
	env               *env
	pass              *passFlags
	finder            *report.SourceFinder // nil without source code
	advice            bool
	report            *report.Report
	old               *report.Report                        // to compare with, nil none
	before            map[*report.TreeNode]*report.TreeNode // by node of report
	keys              map[markOf]*report.KeyRow             // of old
	tree              *report.NameTree
	inputs, oldInputs []*input             // that can be read again
	groups            map[report.Name]bool // of grouped
	grouped           *report.TreeNode

	ctx    context.Context
	screen tcell.Screen
	color  bool
	height int // rows of the list that were shown last

	views     []*browseView // the last one is shown
	sort      rowOrder
	marks     map[markOf]browseRow
	noPanel   bool
	searching bool   // a search is being typed
	query     string // of the search
	message   string // of the last line, until the next key
	work      *browseWork
	listed    map[*report.TreeNode]*report.Report // what passes have found
}

// browseView is a list or, if it has no rows, a text.
type browseView struct {
	title   string
	node    *report.TreeNode // that the rows are below, nil of a search or a text
	keys    bool             // the rows are keys
	search  bool
	rows    []browseRow
	report  *report.Report // of the keys of the node alone, nil not known
	partial bool           // the rows are those keys that the report has
	lines   []string       // a text
	about   *browseRow     // a text: what is known of a row
	at, top int            // the row with the cursor, and the first on the screen
	total   browseRow      // of a search
}

// index prepares what finds nodes and keys of the reports.
func (b *browser) index() {
	b.tree = report.NewNameTree(b.report.Tree, cmp.Or(b.report.Config.Separators, ":"))
	if b.old == nil {
		return
	}
	var gone map[*report.TreeNode][]*report.TreeNode
	b.before, gone = b.report.NodesBefore(b.old)
	for n, list := range gone {
		for _, old := range list { // stays as a prefix without keys
			now := &report.TreeNode{Prefix: old.Prefix}
			n.Children = append(n.Children, now)
			b.before[now] = old
		}
	}
	b.keys = map[markOf]*report.KeyRow{}
	if len(b.report.Inputs) == 1 && len(b.old.Inputs) == 1 {
		for _, k := range biggest(b.old) {
			b.keys[(&browseRow{key: &k}).mark()] = &k
		}
	}
}

func (b *browser) nodeRow(n *report.TreeNode) browseRow {
	r := browseRow{node: n}
	if was := b.before[n]; was != nil {
		r.was = &browseRow{node: was}
	}
	return r
}

func (b *browser) keyRow(k *report.KeyRow) browseRow {
	r := browseRow{key: k}
	if was := b.keys[r.mark()]; was != nil && k.NameBytes == 0 {
		r.was = &browseRow{key: was}
	}
	return r
}

// Events of run besides those of the terminal.
type (
	workDone struct {
		*browseWork
		apply func() // nil: it was interrupted
	}
	workPanic struct{ text string }
	ended     struct{} // the context has ended
	tick      struct{}
)

// restoreScreen, if not nil, returns the terminal to its state before. What ends the process
// calls it.
var restoreScreen atomic.Pointer[func()]

func restoreTerminal() {
	if restore := restoreScreen.Swap(nil); restore != nil {
		(*restore)()
	}
}

// run shows the screen until the user quits or the context ends.
func (b *browser) run(ctx context.Context, screen tcell.Screen) error {
	restore := screen.Fini
	restoreScreen.Store(&restore)
	defer restoreTerminal() // also of a panic
	var cancel context.CancelFunc
	b.ctx, cancel = context.WithCancel(ctx)
	defer cancel()
	b.screen = screen
	b.listed = map[*report.TreeNode]*report.Report{}
	b.index()
	if n := only(b.report.Tree); len(n.Children) > 0 {
		b.push(b.viewOf(n))
	} else {
		b.push(b.viewOf(b.report.Tree))
	}
	if warnings := b.report.SameServerAlerts(); warnings != nil {
		v := &browseView{title: b.t("warning; h shows the prefixes")}
		for _, m := range warnings {
			v.lines = append(v.lines, strings.Split(text.Wrap("", "  ", b.env.line(m), 78), "\n")...)
		}
		b.push(v)
	}
	stop := context.AfterFunc(ctx, func() { b.post(context.Background(), ended{}) })
	defer stop()
	for b.draw(); ; b.draw() {
		switch event := screen.PollEvent().(type) {
		case nil:
			return nil
		case *tcell.EventResize:
			screen.Sync()
		case *tcell.EventKey:
			b.message = ""
			if !b.key(event) {
				return nil
			}
		case *tcell.EventInterrupt:
			switch what := event.Data().(type) {
			case ended:
				return &exitError{code: exitPartial}
			case workPanic:
				panic(what.text)
			case workDone:
				if b.work == what.browseWork {
					b.work = nil
					if what.apply != nil {
						what.apply()
					}
				}
			}
		}
	}
}

func (b *browser) view() *browseView        { return b.views[len(b.views)-1] }
func (b *browser) push(v *browseView)       { b.views = append(b.views, v) }
func (v *browseView) row() *browseRow       { return &v.rows[v.at] }
func (v *browseView) last() int             { return max(len(v.rows), len(v.lines)) - 1 }
func (b *browser) t(sentence string) string { return b.env.t(sentence) }

// viewOf returns the view of what is below a node: prefixes or keys.
func (b *browser) viewOf(n *report.TreeNode) *browseView {
	row := browseRow{node: n}
	v := &browseView{node: n, title: row.name()}
	if n == b.report.Tree {
		v.title = b.t("all keys")
	}
	for _, c := range n.Children {
		v.rows = append(v.rows, b.nodeRow(c))
	}
	b.sort.sort(v.rows)
	return v
}

func (b *browser) open() {
	v := b.view()
	if len(v.rows) == 0 {
		return
	}
	switch r := *v.row(); {
	case r.key != nil && r.key.NameBytes > 0:
		b.message = b.t("The name is cut in the report: the key cannot be found by it.")
	case r.key != nil:
		text := &browseView{title: r.name(), lines: []string{""}}
		b.push(text)
		b.begin(b.t("reading the value"), func(ctx context.Context) func() {
			lines := b.valueOf(ctx, r.key)
			return func() { text.lines = lines }
		})
	case r.node.Keys == 0: // as the older report has it
		b.describe(r)
	case v.search:
		path := b.tree.Path(r.node)
		b.views = b.views[:0]
		for _, n := range path[:len(path)-1] {
			if len(n.Children) > 1 || n == b.report.Tree && len(b.report.Tree.Children[0].Children) == 0 {
				above := b.viewOf(n) // with the cursor on the way
				above.at = max(0, slices.IndexFunc(above.rows, func(r browseRow) bool { return slices.Contains(path, r.node) }))
				b.push(above)
			}
		}
		b.openNode(r.node)
	default:
		b.openNode(r.node)
	}
}

func (b *browser) openNode(n *report.TreeNode) {
	if n = only(n); len(n.Children) > 0 {
		b.push(b.viewOf(n))
	} else {
		b.keysView(n)
	}
}

// only returns the first node from n on that has not one child alone.
func only(n *report.TreeNode) *report.TreeNode {
	for len(n.Children) == 1 {
		n = n.Children[0]
	}
	return n
}

func (b *browser) back() {
	b.endWork()
	if len(b.views) > 1 {
		b.views = b.views[:len(b.views)-1]
		b.complete(b.view())
	}
}

// resort sorts all lists again. The cursors go to the first row.
func (b *browser) resort(order rowOrder) {
	b.sort = order
	for _, v := range b.views {
		order.sort(v.rows)
		if v == b.view() {
			v.at, v.top = 0, 0
		}
	}
}

func (b *browser) key(event *tcell.EventKey) bool {
	if b.searching && event.Key() != tcell.KeyCtrlC {
		b.typed(event)
		return true
	}
	v := b.view()
	page := max(b.height-1, 1)
	pressed := event.Key()
	if same, ok := lettersOfKeys[event.Rune()]; ok && pressed == tcell.KeyRune {
		pressed = same
	}
	switch pressed {
	case tcell.KeyCtrlC:
		return false
	case tcell.KeyUp, tcell.KeyCtrlP:
		v.at--
	case tcell.KeyDown, tcell.KeyCtrlN:
		v.at++
	case tcell.KeyPgUp, tcell.KeyCtrlB:
		v.at -= page
	case tcell.KeyPgDn, tcell.KeyCtrlF:
		v.at += page
	case tcell.KeyHome:
		v.at = 0
	case tcell.KeyEnd:
		v.at = v.last()
	case tcell.KeyEnter, tcell.KeyRight:
		b.open()
	case tcell.KeyLeft, tcell.KeyEscape, tcell.KeyBackspace, tcell.KeyBackspace2:
		b.back()
	case tcell.KeyTab:
		if len(v.rows) > 0 {
			b.describe(*v.row())
		}
	case tcell.KeyCtrlL:
		b.screen.Sync()
	case tcell.KeyRune:
		switch event.Rune() {
		case rune(byMemory), rune(byCount), rune(byWithoutTTL), rune(byName), rune(byFindings), rune(byExpiry):
			b.resort(rowOrder(event.Rune()))
		case rune(byGrowth), rune(byMoreKeys):
			if b.old == nil {
				b.message = b.t("Growth needs an older snapshot or report: rdblens browse --since OLD NEW")
			} else {
				b.resort(rowOrder(event.Rune()))
			}
		case 'b':
			if len(v.rows) > 0 && v.row().node != nil {
				b.keysView(v.row().node)
			}
		case 'w':
			b.push(&browseView{title: b.t("what can go, what expires next"), lines: b.goes()})
		case 'i':
			b.noPanel = !b.noPanel
		case ' ':
			b.toggle(v)
		case 'u':
			clear(b.marks)
		case '/':
			b.searching, b.query = true, ""
			b.push(&browseView{search: true, title: b.t("search")})
		case '?':
			b.push(&browseView{title: b.t("keys of the keyboard"), lines: b.help()})
		}
	}
	v.at = max(0, min(v.at, v.last()))
	return true
}

var lettersOfKeys = map[rune]tcell.Key{'q': tcell.KeyCtrlC, 'k': tcell.KeyUp, 'j': tcell.KeyDown, 'g': tcell.KeyHome,
	'G': tcell.KeyEnd, 'l': tcell.KeyEnter, 'h': tcell.KeyLeft}

// toggle marks the row with the cursor, or removes its mark, and goes on.
func (b *browser) toggle(v *browseView) {
	if len(v.rows) == 0 {
		return
	}
	r := *v.row()
	if _, marked := b.marks[r.mark()]; marked {
		delete(b.marks, r.mark())
	} else {
		b.marks[r.mark()] = r
	}
	v.at++
}

// typed handles a key while a search is typed.
func (b *browser) typed(event *tcell.EventKey) {
	switch event.Key() {
	case tcell.KeyEscape:
		b.searching = false
		b.back()
		return
	case tcell.KeyEnter, tcell.KeyDown, tcell.KeyUp:
		b.searching = false
		if len(b.view().rows) == 0 {
			b.back()
			b.message = b.t("Nothing has this in its name.")
		}
		return
	case tcell.KeyBackspace, tcell.KeyBackspace2:
		if b.query == "" {
			b.searching = false
			b.back()
			return
		}
		runes := []rune(b.query)
		b.query = string(runes[:len(runes)-1])
	case tcell.KeyCtrlU:
		b.query = ""
	case tcell.KeyRune:
		b.query += string(event.Rune())
	default:
		return
	}
	b.search(b.view())
}

// search lists the prefixes with the query in their names, or behind owner: in their owner, without
// those below another of them, and the largest keys that have it and are in none.
func (b *browser) search(v *browseView) {
	v.rows, v.at, v.top = nil, 0, 0
	v.total = browseRow{node: &report.TreeNode{}}
	if b.query == "" {
		return
	}
	query := strings.ToLower(b.query)
	wanted, ofOwner := strings.CutPrefix(query, "owner:")
	contains := func(name, owner string) bool {
		return strings.Contains(strings.ToLower(name), query) ||
			ofOwner && owner != "" && strings.Contains(strings.ToLower(owner), wanted)
	}
	within := map[*report.TreeNode]bool{}
	var visit func(n *report.TreeNode)
	visit = func(n *report.TreeNode) {
		if row := b.nodeRow(n); n != b.report.Tree && contains(row.name(), b.owner(n.Owner, n.SeveralOwners)) &&
			!strings.HasSuffix(string(n.Prefix), restOfTree) {
			v.rows = append(v.rows, row)
			within[n] = true
			v.total.node.Keys += n.Keys
			v.total.node.MemoryBytes += report.Figure(row.memory())
			return
		}
		for _, c := range n.Children {
			visit(c)
		}
	}
	visit(b.report.Tree)
	seen := map[markOf]bool{}
	for _, list := range b.report.Top {
		for i := range list {
			row := b.keyRow(&list[i])
			if seen[row.mark()] || !contains(row.name(), b.owner(row.key.Owner, false)) {
				continue
			}
			seen[row.mark()] = true
			path := b.tree.Path(b.tree.Find([]byte(row.key.Key)))
			if !slices.ContainsFunc(path, func(n *report.TreeNode) bool { return within[n] }) {
				v.rows = append(v.rows, row)
				v.total.node.Keys++
				v.total.node.MemoryBytes += report.Figure(row.memory())
			}
		}
	}
	b.sort.sort(v.rows)
}

// goes returns what can be deleted, and what expires next, as the report has it.
func (b *browser) goes() []string {
	var out strings.Builder
	width, _ := b.screen.Size()
	if err := report.Write("details", &out, b.report, report.WriteOptions{Width: width - 2, Language: b.env.language,
		Sections: []string{"can-go", "expires"}, Advice: b.advice}); err != nil {
		return []string{err.Error()}
	}
	if out.Len() == 0 {
		out.WriteString(b.t("Nothing is known that can be deleted, and nothing expires within 24 hours."))
	}
	return strings.Split(strings.TrimSpace(out.String()), "\n")
}

func (b *browser) help() (lines []string) {
	for _, line := range [][2]string{
		{"Up k, Down j", "move; PgUp, PgDn, Home g, End G"},
		{"Enter, Right, l", "open a prefix; show the value of a key"},
		{"Left, h, Esc", "back"},
		{"Tab", "all that is known of the prefix or key"},
		{"b", "the biggest keys of a prefix, whatever is below it"},
		{"/", "search prefixes and the largest keys by name; /owner:NAME by owner"},
		{"m c t", "sort by memory, by keys, by memory without TTL"},
		{"n f e", "sort by name, by findings, by what expires next"},
		{"d D", "sort by growth since the older snapshot (--since), by the growth of keys"},
		{"Space, u", "mark; remove all marks"},
		{"w", "what can be deleted, and what expires next"},
		{"i", "hide or show the details"},
		{"q, Ctrl-C", "quit; what is marked is printed with commands"},
		{"", ""},
		{"E W i", "has findings: errors, warnings, info"},
		{"*", "stands for values that are too many"},
		{"…", "stands for the prefixes that are not listed"},
	} {
		lines = append(lines, strings.TrimSpace(padded(line[0], 18)+b.t(line[1])))
	}
	return lines
}

// size returns bytes with their unit.
func (b *browser) size(n int64) string { return b.env.figure(message.Size("n", n)) }

func shownLines(lines []string, width int) (list []string) {
	for _, s := range lines {
		for text.Width(s) > width {
			head, used, words := 0, 0, 0 // words is the end of those that fit
			for i, r := range s {
				if used += text.Width(string(r)); used > width {
					break
				}
				if head = i + len(string(r)); r == ' ' && used > width/2 {
					words = head
				}
			}
			if head == 0 {
				break
			}
			head = cmp.Or(words, head)
			list = append(list, s[:head])
			s = s[head:]
		}
		list = append(list, s)
	}
	return list
}
