package report

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/text"
)

// The first screen of the page: what the memory is made of, and what to fix first.

// htmlPart is a part of the bar of composition. X and Width are in thousandths of it.
type htmlPart struct {
	Class    string
	Label    message.Message
	Size     message.Message
	Share    message.Message
	X, Width int
}

// InAll says what the parts add up to.
func (v *htmlView) InAll() message.Message { return message.New("in all {size}:", v.Whole) }

// composition sets the parts of the memory: those of the types, and what is not keys.
func (v *htmlView) composition(r *Report) {
	type part struct {
		class string
		label message.Message
		size  int64
	}
	var list []part
	whole := int64(0)
	add := func(class string, label message.Message, size int64) {
		if size > 0 {
			list = append(list, part{class, label, size})
			whole += size
		}
	}
	for i := range r.Types {
		t := &r.Types[i]
		class := "t-" + t.Type
		if !slices.Contains(mapTypes, t.Type) {
			class = "t-other"
		}
		add(class, verbatim(t.Type), int64(sizeOf(t.MemoryBytes, t.ValueBytes)))
	}
	if r.Totals.MemoryBytes.Known() && r.Filter == nil {
		var tables, startup, rest int64
		for i := range r.Inputs {
			if m := r.Inputs[i].Memory; m != nil && m.Predicted.Known() {
				tables, startup = tables+int64(max(0, m.Tables)), startup+int64(max(0, m.Startup))
				if m.Difference != nil {
					rest += max(0, *m.Difference)
				}
			}
		}
		add("t-tables", word("key tables"), tables)
		add("t-server", word("empty server"), startup)
		add("t-rest", word("buffers, fragmentation"), rest)
	}
	v.Whole = message.Size("size", whole)
	x := int64(0)
	for _, p := range list {
		from, to := x*1000/whole, (x+p.size)*1000/whole
		v.Parts = append(v.Parts, htmlPart{p.class, p.label, sizeText(Figure(p.size)), shareText(p.size, whole), int(from), int(max(to-from, 1))})
		x += p.size
	}
}

// htmlFix is a thing to do: about a group or a key, with what it saves, or what its keys
// take, as a bar.
type htmlFix struct {
	About    string // a group or key
	Severity string // of the finding, "" none
	Text     message.Message
	Gain     message.Message
	Width    int // of the bar, at most 1000
	Saves    bool
	Keys     message.Message
	// Condition says when it may be done, and Owner whose keys it is about; zero none.
	Condition, Owner message.Message
	Commands         []string
}

func (v *htmlView) fixes(r *Report, o WriteOptions) {
	most := int64(1)
	for i := range r.FixFirst {
		most = max(most, r.FixFirst[i].SavesBytes, int64(r.FixFirst[i].MemoryBytes))
	}
	budget := 20 << 10 // bytes of commands
	for i := range r.FixFirst {
		s := &r.FixFirst[i]
		if s.ChangesData && !o.Advice {
			continue
		}
		f := htmlFix{Severity: s.Severity, Text: r.withSource(s), Saves: s.SavesBytes > 0}
		if about := cmp.Or(s.Group, s.Key); about != "" {
			f.About = about.Display()
		}
		gain := s.SavesBytes
		switch {
		case s.SavesBytes > 0:
			f.Gain = message.New("saves {size}", message.Size("size", s.SavesBytes))
		case s.MemoryBytes > 0:
			gain = int64(s.MemoryBytes)
			f.Gain = message.New("{size} affected", message.Size("size", gain))
		}
		if gain > 0 {
			f.Width = max(4, int(float64(gain)/float64(most)*1000))
		}
		switch {
		case s.OfKeys > s.Keys:
			f.Keys = message.New("{n} of {all} keys", message.Int("n", s.Keys), message.Int("all", s.OfKeys))
		case s.Key != "": // the sentence may say how many keys the rule flags
			if f.Keys = message.New("this key"); s.File != "" {
				f.Keys = message.New("this key on {file}", fileArg("file", Name(strings.TrimPrefix(string(s.File), r.directory()))))
			}
		case s.Keys > 0:
			f.Keys = only(keysArg("keys", s.Keys))
		}
		if command := shellLine(s.List); command != "" && len(command) < budget {
			budget -= len(command)
			f.Commands = []string{command}
		}
		if s.Severity == "error" {
			v.Today = append(v.Today, f)
		} else {
			v.Later = append(v.Later, f)
		}
	}
}

func (r *Report) canGoCards(changes bool) (list []htmlFix) {
	const most = 30
	for i := range r.CanGo[:min(len(r.CanGo), most)] {
		c := &r.CanGo[i]
		f := htmlFix{About: c.about().Display(), Text: sentenceOf(c.Message, c.Text), Saves: true,
			Condition: sentenceOf(c.ConditionMessage, c.Condition), Commands: c.Shell(changes),
			Width: max(4, int(ratio(c.SavesBytes, max(r.CanGo[0].SavesBytes, 1))*1000)),
			Gain:  message.New("frees {size}", message.Phrase("size", c.Saves())), Keys: only(keysArg("keys", c.Keys))}
		if c.Keys < c.OfKeys {
			f.Keys = message.New("{n} of {all} keys", message.Int("n", c.Keys), message.Int("all", c.OfKeys))
		}
		if r.hasOwners() {
			f.Owner = message.New("owner: {name}", message.Foreign("name", c.Owner))
			if c.Owner == "" {
				f.Owner = word("(no owner)")
			}
		}
		list = append(list, f)
	}
	return list
}

// htmlAnswers answers a question that everybody asks, with links.
type htmlAnswers struct {
	Title message.Message
	Rows  []htmlAnswer
}

// htmlAnswer is about a name, to which Link leads.
type htmlAnswer struct {
	Link string // a hash of the page
	Name message.Message
	Text message.Message
}

// answers sets what the first screen says besides fixes: the biggest keys, what grew, what expires
// next, what can go, and who owns the memory; a few rows each.
func (v *htmlView) answers(r *Report, keys []bigKey, changed []DiffRow) {
	const most = 5
	add := func(title message.Message, rows int, row func(i int) htmlAnswer) {
		a := htmlAnswers{Title: title}
		for i := range min(rows, most) {
			a.Rows = append(a.Rows, row(i))
		}
		if a.Rows != nil {
			v.Answers = append(v.Answers, a)
		}
	}
	link := func(field string, name string) string { return "#" + field + "=" + url.QueryEscape(name) }
	place := func(name Name) string { return link("at", name.Display()) }
	grown := slices.DeleteFunc(changed, func(row DiffRow) bool {
		return sizeOf(row.MemoryBytesAfter, row.ValueBytesAfter) <= sizeOf(row.MemoryBytesBefore, row.ValueBytesBefore)
	})
	add(message.New("What grew most since {name}", message.Foreign("name", v.Data.Since)), len(grown), func(i int) htmlAnswer {
		g := &grown[i]
		before, after := int64(sizeOf(g.MemoryBytesBefore, g.ValueBytesBefore)), int64(sizeOf(g.MemoryBytesAfter, g.ValueBytesAfter))
		name := *g.Group
		if g.Prefix {
			name += restOfPrefix
		}
		return htmlAnswer{place(*g.Group), named(name), message.New("{size} ({growth})",
			message.Phrase("size", signedSize(after-before)), message.Phrase("growth", growthText(before, after)))}
	})
	add(word("Biggest keys"), len(keys), func(i int) htmlAnswer {
		k := &keys[i]
		return htmlAnswer{link("key", k.Key.Display()), named(k.Key), message.New("{size}, {type}",
			sizeArg("size", sizeOf(k.Memory, int64(k.ValueBytes))), message.Text("type", k.Type))}
	})
	if i := slices.IndexFunc(r.ExpiresNext, func(e Expiring) bool { return e.Keys > 0 && e.Window != "1h" }); i >= 0 {
		e := &r.ExpiresNext[i]
		add(message.New("Expires {window}: {keys}", message.Word("window", WindowTexts[e.Window]), keysArg("keys", e.Keys)),
			len(e.Prefixes), func(i int) htmlAnswer {
				p := &e.Prefixes[i]
				return htmlAnswer{place(p.Prefix), named(p.Prefix), message.New("{keys}, {size}", keysArg("keys", p.Keys),
					sizeArg("size", p.MemoryBytes))}
			})
	}
	add(word("What can go"), len(r.CanGo), func(i int) htmlAnswer {
		c := &r.CanGo[i]
		return htmlAnswer{"#what-can-go", named(c.about()), c.Saves()}
	})
	owners := slices.DeleteFunc(slices.Clone(r.Owners), func(o Owner) bool { return o.Keys == 0 })
	if r.hasOwners() {
		add(word("Owners"), len(owners), func(i int) htmlAnswer {
			o := &owners[i]
			size := message.New("{size}, {keys}", sizeArg("size", sizeOf(o.MemoryBytes, o.ValueBytes)), keysArg("keys", o.Keys))
			if o.Owner == "" {
				return htmlAnswer{"#owners", word(noOwner), size}
			}
			return htmlAnswer{link("q", "owner:"+o.Owner), verbatim(o.Owner), size}
		})
	}
}

// shellLine returns a command line for a shell, "" for none and for one with characters
// that a terminal would not show.
func shellLine(argv []string) string {
	var words []string
	for _, a := range argv {
		if a == "" || strings.ContainsFunc(a, func(c rune) bool { return !strings.ContainsRune(shellPlain, c) }) {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		words = append(words, a)
	}
	line := strings.Join(words, " ")
	if text.Sanitize(line) != line {
		return ""
	}
	return line
}

// shellPlain are the characters that no shell gives a meaning.
const shellPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+,-="
