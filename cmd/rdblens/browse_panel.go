package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds"
)

type panelText struct {
	width int
	lines []panelLine
}

type panelLine struct {
	text  string
	style tcell.Style
}

// sizeUnit is a size, whose unit stays beside its number.
var sizeUnit = regexp.MustCompile(`([0-9]) ([KMGTP]?B)\b`)

func (p *panelText) add(style tcell.Style, first, next, s string) {
	if s == "" {
		return
	}
	s = sizeUnit.ReplaceAllString(s, "$1"+text.NBSP+"$2")
	for line := range strings.Lines(strings.ReplaceAll(text.Wrap(first, next, s, p.width), text.NBSP, " ")) {
		for _, part := range shownLines([]string{strings.TrimRight(line, "\n")}, p.width) {
			p.lines = append(p.lines, panelLine{part, style})
		}
	}
}

func (b *browser) panel(r *browseRow, x, y, width, height int) {
	lines := b.details(r, width-1)
	for i, line := range lines {
		if i == height-1 && len(lines) > height {
			b.put(x, y+i, width, styleDim, "... "+b.t("Tab shows all"))
			return
		}
		b.screen.PutStrStyled(x, y+i, line.text, line.style)
	}
}

func (b *browser) details(r *browseRow, width int) []panelLine {
	p := &panelText{width: width}
	p.add(styleBold, "", "", r.name())
	if r.key != nil {
		b.aboutKey(p, r)
	} else {
		b.aboutNode(p, r)
	}
	return p.lines
}

// describe shows all that is known of a row.
func (b *browser) describe(r browseRow) {
	b.push(&browseView{title: r.name(), lines: []string{""}, about: &r})
}

// owner returns who owns keys, "" if the configuration names no owner or they have several.
func (b *browser) owner(name string, several bool) string {
	switch {
	case len(b.report.Owners) == 0 || several:
		return ""
	case name == "":
		return b.t("(no owner)")
	}
	return text.Sanitize(name)
}

// aboutOwner says who owns the keys of a row.
func (b *browser) aboutOwner(p *panelText, r *browseRow) {
	const most = 6
	var names []string
	add := func(name string, several bool) {
		if name = b.owner(name, several); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if r.key != nil {
		add(r.key.Owner, false)
	} else {
		var visit func(n *report.TreeNode)
		visit = func(n *report.TreeNode) {
			if n.Keys > 0 {
				add(n.Owner, n.SeveralOwners)
			}
			for _, c := range n.Children {
				if n.SeveralOwners {
					visit(c)
				}
			}
		}
		visit(r.node)
	}
	if len(names) > most {
		names = append(names[:most], "...")
	}
	if names != nil {
		p.add(styleText, "", "  ", b.env.line(message.New("owner: {name}", message.Foreign("name", strings.Join(names, ", ")))))
	}
}

// aboutGrowth says what has changed since the older report.
func (b *browser) aboutGrowth(p *panelText, r *browseRow) {
	if b.old == nil {
		return
	}
	size, more := b.signs(r)
	m := message.New("before: not known")
	switch {
	case r.was == nil && r.node != nil:
		m = message.New("The older report does not distinguish these names.")
	case r.was == nil:
	case r.was.memory() == 0:
		m = message.New("before: not there")
	case r.key != nil:
		m = message.New("before: {before} ({size})", message.Size("before", r.was.memory()), message.Foreign("size", size))
	default:
		m = message.New("before: {before} ({size}), {keys} ({more})", message.Size("before", r.was.memory()),
			message.Foreign("size", size), countOfKeys(r.was.count()), message.Foreign("more", more))
	}
	p.add(styleText, "", "  ", b.env.line(m))
}

func (b *browser) aboutNode(p *panelText, r *browseRow) {
	n, gone := r.node, r.node.Keys == 0 && r.was != nil
	if gone {
		n = r.was.node
		p.add(styleText, "", "", b.env.line(message.New("These keys are gone. Before: {size}", message.Size("size", r.was.memory()))))
	}
	noTTL := message.New("without TTL: {keys} ({share})", countOfKeys(n.WithoutTTL.Keys),
		message.Share("share", float64(n.WithoutTTL.Keys)/float64(max(n.Keys, 1))))
	if was := r.was; !gone && was != nil && was.count() > 0 && was.node.WithoutTTL.Keys != n.WithoutTTL.Keys {
		noTTL = message.New("{text}, before {n}", message.Phrase("text", noTTL), message.Int("n", was.node.WithoutTTL.Keys))
	}
	parts := []message.Message{message.New("{keys}", countOfKeys(n.Keys)),
		message.New("{n}", message.Number("n", n.Elements, "1 element", "{n} elements")),
		message.New("types: {types}", message.Text("types", strings.Join(n.Types, ", "))), noTTL}
	if n.TTLMin != nil && n.TTLMax != nil {
		parts = append(parts, message.New("TTL {from} to {to}", message.Duration("from", *n.TTLMin),
			message.Duration("to", *n.TTLMax)))
	}
	if n.MayLackKeys > 0 {
		parts = append(parts, message.New("up to {n} more keys count elsewhere", message.Int("n", n.MayLackKeys)))
	}
	p.add(styleText, "", "", b.env.line(message.New("{list}", message.List("list", "; ", parts))))
	if b.aboutOwner(p, &browseRow{node: n}); gone {
		return
	}
	b.aboutGrowth(p, r)
	b.aboutExpiry(p, n)
	b.identity(p, n)
	b.source(p, n)
	for _, r := range n.Rules {
		title := message.Word("title", r.Rule)
		if rule, known := thresholds.Lookup(r.Rule); known {
			title = message.Word("title", rule.Title)
		}
		b.finding(p, r.Severity, r.Rule, message.New("{n}: {title}", message.Int("n", r.Count), title))
	}
	groups := b.groupsOf(n)
	for i := range b.report.CanGo {
		c := &b.report.CanGo[i]
		if under := string(c.Prefix); groups[c.Group] && (under == "" || strings.HasPrefix(under, string(n.Prefix)) ||
			strings.HasPrefix(string(n.Prefix), under)) {
			what := message.New("can go, {size}: {text} {condition}", message.Phrase("size", c.Saves()),
				message.Phrase("text", c.Message), message.Phrase("condition", c.ConditionMessage))
			b.adviceOf(p, what, "", c.Shell(b.advice))
		}
	}
	written := map[string]bool{} // a saving can also be one of the first things to do
	for _, steps := range [][]report.Step{b.report.FixFirst, b.report.Savings} {
		for i := range steps {
			s := &steps[i]
			of := groups[s.Group] && (s.OfKeys <= n.Keys || len(n.Rules) > 0)
			if s.Key != "" {
				of = b.tree.Has(n, []byte(s.Key))
			}
			if of && (b.advice || !s.ChangesData) && !written[s.Text] {
				written[s.Text] = true
				b.adviceOf(p, s.Message, s.Text, s.Commands)
			}
		}
	}
	if k := n.LargestKey; k != nil {
		p.add(styleText, "", "  ", b.env.line(message.New("largest key: {key}, {type}, {size}",
			message.Name("key", string(k.Key)), message.Text("type", k.Type),
			message.Size("size", figureOr(k.MemoryBytes, k.ValueBytes)))))
	}
}

func (b *browser) groupsOf(n *report.TreeNode) map[report.Name]bool {
	if b.grouped == n {
		return b.groups
	}
	b.grouped, b.groups = n, map[report.Name]bool{}
	var visit func(n *report.TreeNode)
	visit = func(n *report.TreeNode) {
		for _, g := range n.Groups {
			b.groups[g] = true
		}
		if n.Children == nil && n.Groups == nil {
			b.groups[n.Prefix] = true
		}
		for _, c := range n.Children {
			visit(c)
		}
	}
	visit(n)
	return b.groups
}

func (b *browser) aboutExpiry(p *panelText, n *report.TreeNode) {
	var list []message.Message
	for _, e := range n.Expiring {
		if e.Keys == 0 {
			continue
		}
		list = append(list, message.New("{window}: {keys}, {size}", message.Word("window", report.WindowTexts[e.Window]),
			countOfKeys(e.Keys), message.Size("size", int64(max(e.MemoryBytes, 0)))))
	}
	if list != nil {
		p.add(styleText, "", "  ", b.env.line(message.New("expires: {list}", message.List("list", "; ", list))))
	}
}

// identity says which libraries wrote the keys below a node, or what they look like.
func (b *browser) identity(p *panelText, n *report.TreeNode) {
	const most = 4
	var seen []report.Identity
	groups := b.groupsOf(n)
	for i := range b.report.Groups {
		g := &b.report.Groups[i]
		if g.Identity == nil || !groups[g.Group] || len(seen) == most {
			continue
		}
		id := report.Identity{Library: g.Identity.Library, Role: g.Identity.Role, Setting: g.Identity.Setting,
			ByDesign: g.Identity.ByDesign, Deletion: g.Identity.Deletion, Sure: g.Identity.Sure}
		if slices.Contains(seen, id) {
			continue
		}
		seen = append(seen, id)
		what := []message.Message{message.New(string(id.Role))}
		if id.ByDesign {
			what = append(what, message.New("TTL: {text}", message.Word("text", "none by design")))
		}
		if id.Setting != "" {
			what = append(what, message.New("bounded by {setting}", message.Text("setting", id.Setting)))
		}
		if id.Deletion != "" {
			what = append(what, message.New("delete: {text}", message.Phrase("text", deletion(id.Deletion))))
		}
		library := message.Text("library", id.Library)
		if id.Library == "" {
			library = message.Word("library", "looks like")
		}
		p.add(styleText, "", "  ", b.env.line(message.New("{library}: {role}", library, message.List("role", "; ", what))))
	}
}

func (b *browser) finding(p *panelText, severity, rule string, m message.Message) {
	p.add(b.severity(styleText, severity, false), severity+" ", "  ", rule+" "+b.env.line(m))
}

func (b *browser) adviceOf(p *panelText, m message.Message, english string, commands []string) {
	s := b.env.line(m)
	if m.IsZero() {
		s = text.Sanitize(english)
	}
	p.add(styleText, "> ", "  ", s)
	for _, c := range commands {
		p.add(styleDim, "  ", "    ", text.Sanitize(c))
	}
}

func (b *browser) aboutKey(p *panelText, r *browseRow) {
	k := r.key
	kind := k.Type
	if k.Encoding != "" && k.Encoding != k.Type {
		kind += ", " + k.Encoding
	}
	facts := []message.Message{message.New("{type}", message.Text("type", kind))}
	add := func(id string, n report.Figure, arg func(string, int64) message.Arg) {
		if n.Known() {
			facts = append(facts, message.New(id, arg("n", int64(n))))
		}
	}
	if k.Type != "string" {
		add("{n}", k.Elements, func(name string,
			n int64) message.Arg {
			return message.Number(name, n, "1 element", "{n} elements")
		})
	}
	add("value {n}", k.ValueBytes, message.Size)
	add("memory {n}", k.Memory, message.Size)
	if k.LargestElement != nil {
		facts = append(facts, message.New("largest element {name}, {n}", message.Element("name", string(*k.LargestElement)),
			message.Size("n", int64(k.Largest))))
	}
	switch {
	case k.ExpireAt == nil:
		facts = append(facts, message.New("never expires"))
	case k.TTL != nil:
		facts = append(facts, message.New("TTL {n}", message.Duration("n", *k.TTL)))
	}
	add("idle {n}", k.Idle, message.Duration)
	add("LFU counter {n}", k.Freq, message.Int)
	facts = append(facts, message.New("database {n}", message.Int("n", int64(k.DB))))
	p.add(styleText, "", "", b.env.line(message.New("{list}", message.List("list", "; ", facts))))
	b.aboutOwner(p, r)
	b.aboutGrowth(p, r)
	n := b.tree.Find([]byte(k.Key))
	b.identity(p, n)
	b.source(p, n)
	rules := b.report.Rules
	if v := b.view(); v.report != nil {
		rules = v.report.Rules
	}
	for i := range k.Findings {
		f := &k.Findings[i]
		e := exampleOf(rules, f.Rule, k)
		if e == nil {
			e = exampleOf(b.report.Rules, f.Rule, k)
		}
		if e == nil {
			title := message.Message{}
			if rule, known := thresholds.Lookup(f.Rule); known {
				title = message.New(rule.Title)
			}
			b.finding(p, f.Severity, f.Rule, title)
			continue
		}
		what := e.Message
		if what.IsZero() {
			what = message.New("{text}", message.Foreign("text", e.Text))
		}
		b.finding(p, f.Severity, f.Rule, what)
		for j := range e.Advice {
			if a := &e.Advice[j]; b.advice || !a.ChangesData {
				b.adviceOf(p, a.Message, a.Text, a.Commands)
			}
		}
	}
}

// exampleOf returns the example of a rule that is a key, nil if there is none.
func exampleOf(rules []report.Finding, rule string, k *report.KeyRow) *report.Example {
	for i := range rules {
		for j := range rules[i].Examples {
			e := &rules[i].Examples[j]
			if rules[i].Rule == rule && e.KeyRow != nil && e.Key == k.Key && e.DB == k.DB {
				return e
			}
		}
	}
	return nil
}
