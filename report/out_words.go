package report

import (
	"strings"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds"
)

// Messages as writers need them. A sentence is a message until a page renders it, in a
// language and with the marks of its format: names are escaped and cut here, once.

// nameWidth is the width, in columns, to which a name is cut in a sentence.
const nameWidth = 60

// word is a message without arguments.
func word(id string) message.Message { return message.New(id) }

// only is a message that is nothing but its argument.
func only(a message.Arg) message.Message { return message.New("{"+a.Name+"}", a) }

// verbatim is text of the program's own that has no language, such as a type or a
// server. "" is no message.
func verbatim(s string) message.Message {
	if s == "" {
		return message.Message{}
	}
	return only(message.Text("text", s))
}

// foreign is a sentence that somebody else wrote. "" is no message.
func foreign(s string) message.Message {
	if s == "" {
		return message.Message{}
	}
	return only(message.Foreign("text", s))
}

func named(n Name) message.Message { return only(message.Name("name", n)) }

// sentenceOf returns a message, of a report of an older version the text that stands in
// its place.
func sentenceOf(m message.Message, text string) message.Message {
	if m.IsZero() {
		return foreign(text)
	}
	return m
}

func sentencesOf(messages []message.Message, texts []string) (list []message.Message) {
	if len(messages) == len(texts) {
		return messages
	}
	for _, s := range texts {
		list = append(list, foreign(s))
	}
	return list
}

func textsOf(messages []message.Message) []string {
	var list []string
	for _, m := range messages {
		list = append(list, m.String())
	}
	return list
}

// names returns a list of names, of which at most so many are given.
func names[T ~string](list []T, most int) []message.Message {
	var out []message.Message
	for _, n := range list[:min(len(list), most)] {
		out = append(out, named(Name(n)))
	}
	return out
}

// firstOf is a list of which at most so many are given, and how many more there are.
func firstOf(name string, list []message.Message, most int) message.Arg {
	if len(list) <= most {
		return message.List(name, ", ", list)
	}
	return message.Phrase(name, message.New("{names} and {n} more", message.List("names", ", ", list[:most]),
		message.Int("n", int64(len(list)-most))))
}

// rendered, if not nil, is called by tests for each message that a page shows.
var rendered func(message.Message)

// isForeign reports whether a part of a message is a name that somebody else gave.
func isForeign(k message.Kind) bool {
	return k == message.KindName || k == message.KindElement || k == message.KindPath
}

// shown returns the parts of a message, escaped for display. Names are cut to so many
// columns, and sentences of others to three times as many.
func shown(m message.Message, c *message.Catalogue, width int) []message.Span {
	if rendered != nil {
		rendered(m)
	}
	spans := m.Spans(c)
	for i := range spans {
		switch s := &spans[i]; {
		case isForeign(s.Kind):
			s.Text = text.ShortenMiddle(text.Display([]byte(s.Text)), width)
		case s.Kind == message.KindForeign:
			s.Text = shortSentence(s.Text, width)
		default:
			s.Text = text.Sanitize(s.Text)
		}
	}
	return spans
}

// shortSentence returns a sentence that somebody else wrote, on a few lines.
func shortSentence(s string, width int) string {
	words := strings.Split(text.ShortenEnd(text.Sanitize(s), 3*min(width, text.MaxCell)), " ")
	for i, word := range words {
		words[i] = text.ShortenMiddle(word, width)
	}
	return strings.Join(words, " ")
}

// A style is how a format marks the parts of a message, which are escaped for display.
type style struct {
	catalogue *message.Catalogue
	text      func(string) string // of ours
	name      func(string) string
	code      func(string) string
	foreign   func(string) string             // a sentence that somebody else wrote
	link      func(marked, url string) string // nil: the format has no links
	figure    func(string) string             // nil: as text
}

func (s *style) sentence(m message.Message) string { return s.marked(shown(m, s.catalogue, nameWidth)) }

// cell returns a message for the cell of a table. A name that is alone is not marked,
// and not cut: the table does that.
func (s *style) cell(m message.Message) string {
	spans := shown(m, s.catalogue, text.Unlimited)
	if len(spans) == 1 && (isForeign(spans[0].Kind) || spans[0].Kind == message.KindForeign) {
		return s.text(spans[0].Text)
	}
	return s.marked(shown(m, s.catalogue, nameWidth))
}

// linked returns a marked name with its link. A saved report can have any text as URL.
func (s *style) linked(marked, url string) string {
	if s.link == nil || !strings.HasPrefix(url, "https://") && !strings.HasPrefix(url, "http://") {
		return marked
	}
	return s.link(marked, url)
}

// marked joins the parts of a message. Names in code are part of the code.
func (s *style) marked(spans []message.Span) string {
	var b strings.Builder
	for i := 0; i < len(spans); i++ {
		switch span := spans[i]; {
		case span.Kind == message.KindCode:
			var code strings.Builder
			code.WriteString(span.Text)
			for i+1 < len(spans) && (spans[i+1].Kind == message.KindCode || isForeign(spans[i+1].Kind)) {
				i++
				code.WriteString(spans[i].Text)
			}
			b.WriteString(s.code(code.String()))
		case isForeign(span.Kind) && i+1 < len(spans) && spans[i+1].Kind == message.KindCode:
			spans[i+1].Text = span.Text + spans[i+1].Text // code that begins with a name
		case isForeign(span.Kind):
			b.WriteString(s.linked(s.name(span.Text), span.URL))
		case span.Kind == message.KindForeign:
			b.WriteString(s.foreign(span.Text))
		case span.Kind == message.KindFigure && s.figure != nil:
			b.WriteString(s.figure(s.text(span.Text)))
		default:
			b.WriteString(s.text(span.Text))
		}
	}
	return b.String()
}

// configText describes the configuration in force, zero if there is none.
func configText(c *Config) message.Message {
	if c.Profile == "" {
		return message.Message{}
	}
	parts := []message.Message{message.New("profile {profile}", message.Text("profile", c.Profile))}
	if c.File != "" {
		parts[0] = message.New("profile {profile} with {file}", message.Text("profile", c.Profile),
			message.Path("file", c.File))
	}
	if c.Rules != "" {
		parts = append(parts, message.New("rules {rules}", message.Element("rules", c.Rules)))
	}
	if c.FailOn != "" && c.FailOn != "never" {
		parts = append(parts, message.New("fails on {severity}", message.Text("severity", c.FailOn)))
	}
	return only(message.List("config", ", ", parts))
}

// judgedText says which rules judged the keys, and how many of them found nothing; zero if
// none did.
func (r *Report) judgedText() message.Message {
	c := r.Config
	c.FailOn = "" // that judges nothing
	config := configText(&c)
	if config.IsZero() || len(r.Passed) == 0 {
		return config
	}
	broken := r.broken()
	return message.New("{config}: {passed} of {rules} found nothing", message.Phrase("config", config),
		message.Int("passed", int64(len(r.Passed))),
		message.Number("rules", int64(len(r.Passed)+len(broken)), "1 rule", "{n} rules"))
}

// countedText says which rules the keys break that can stall the server, and how many findings are
// only counted, in a sentence for each rule.
func (r *Report) countedText() (list []message.Message) {
	var stalling []message.Message
	sum := int64(0)
	for i := range r.Rules {
		f := &r.Rules[i]
		if rule, ok := thresholds.Lookup(f.Rule); ok && !rule.Instance && rule.ID.Stalls(severityOf(f.Severity)) {
			stalling = append(stalling, message.New("{rule} {n}", message.Text("rule", f.Rule), message.Int("n", f.Count)))
			sum += f.Count
		}
	}
	if n := r.Totals.Stalling; n > 0 {
		id := "{keys} can stall the server: {rules}."
		if sum > n {
			id = "{keys} can stall the server: {rules}; some break several of these rules."
		}
		list = append(list, message.New(id, keysArg("keys", n), firstOf("rules", stalling, 6)))
	}
	for i := range r.Counted {
		c := &r.Counted[i]
		unit := message.Count
		if rule, ok := thresholds.Lookup(c.Rule); ok {
			unit = rule.Unit
		}
		list = append(list, message.New("Only counted: {rule} over {limit}: {n} of {of} ({shares}); {command} lists them",
			message.Text("rule", c.Rule),
			message.Limit("limit", unit, c.Limit), message.Int("n", c.Count), keysArg("of", c.Of),
			message.List("shares", ", ", c.shares(unit)),
			message.Code("command", "rdblens keys --over "+c.Rule)))
	}
	return list
}

// shares says how many of the measured keys lie below each limit, unit being that of the limits.
func (c *Counted) shares(unit message.Unit) (list []message.Message) {
	for i, b := range c.Histogram {
		limit, id := b.UpTo, "at most {limit} {share}"
		if !limit.Known() {
			limit, id = c.Histogram[i-1].UpTo, "over {limit} {share}"
		}
		list = append(list, message.New(id, message.Limit("limit", unit, int64(limit)), shareArg("share", b.Keys, c.Of)))
	}
	return list
}
