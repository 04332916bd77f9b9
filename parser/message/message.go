package message

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Message is a sentence that is not yet text: an English template and the typed
// arguments that its {names} stand for. It stays a value until a writer renders it, in
// the reader's language and with the marks of its format; so a name from a snapshot
// is never mistaken for a word of the sentence. The zero Message is no sentence.
//
// The template is the identifier of the sentence: a catalogue maps it to that of
// another language, and without a catalogue it is the sentence itself. An argument
// whose name the template lacks is not shown.
type Message struct {
	ID   string `json:"id"`
	Args []Arg  `json:"args,omitempty"`
}

// New returns a message.
func New(id string, args ...Arg) Message { return Message{ID: id, Args: args} }

// Sentence returns a finished sentence of the program as a message. One that quotes
// something has words of somebody else, any other is an identifier. "" is no message.
func Sentence(s string) Message {
	if strings.Contains(s, `"`) {
		return New("{text}", Foreign("text", s))
	}
	return Message{ID: s}
}

// IsZero reports whether there is no sentence.
func (m Message) IsZero() bool { return m.ID == "" }

// Kind is what an argument is: it decides how the argument is rendered and whether
// redaction replaces it.
type Kind uint8

// The kinds of arguments.
const (
	KindText    Kind = iota // the program's own, in no language: a version, a rule, a type
	KindName                // of a key, or a pattern of names: bytes of the snapshot
	KindElement             // the name or content of an element, or a word that somebody else wrote
	KindPath                // of a file or URL
	KindCode                // a command, a formula, a setting, a flag
	KindFigure              // a number
	KindMessage             // a sentence or phrase, or several
	KindForeign             // a sentence that somebody else wrote, such as an error of the operating system
)

var kindNames = [...]string{"text", "name", "element", "path", "code", "figure", "message", "foreign"}

// String returns the word that JSON uses.
func (k Kind) String() string { return kindNames[k] }

// MarshalText returns the word that JSON uses.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (k *Kind) UnmarshalText(b []byte) error {
	i := slices.Index(kindNames[:], string(b))
	if i < 0 {
		return fmt.Errorf("unknown kind of argument %q", b)
	}
	*k = Kind(i)
	return nil
}

// Arg is what a {name} of a template stands for.
type Arg struct {
	Name string
	Kind Kind
	// Text is the argument as bytes, escaped by whoever writes it; of a figure, its
	// English form.
	Text string
	// Value and Form are a figure's number, in the unit of the form.
	Value int64
	Form  Form
	// List has the messages of KindMessage. Several are separated by Separator.
	// Of KindCode, a message whose text is the code: it has the names in it.
	List      []Message
	Separator string
	URL       string // that a path of KindPath leads to, "" none
}

// Text is an argument of the program's own that no language translates.
func Text(name, s string) Arg { return Arg{Name: name, Text: s} }

// Name is the name of a key, or a pattern of names.
func Name[T ~string | ~[]byte](name string, s T) Arg {
	return Arg{Name: name, Kind: KindName, Text: string(s)}
}

// Element is the name or content of an element, or any word that somebody else wrote,
// such as the argument of a flag.
func Element[T ~string | ~[]byte](name string, s T) Arg {
	return Arg{Name: name, Kind: KindElement, Text: string(s)}
}

// Path is the name of a file, or a URL.
func Path(name, s string) Arg { return Arg{Name: name, Kind: KindPath, Text: s} }

// Link is the name of a file that formats with links show with a link to url, "" none.
func Link(name, s, url string) Arg { return Arg{Name: name, Kind: KindPath, Text: s, URL: url} }

// Foreign is a sentence that somebody else wrote, such as an error of the operating
// system, in no language of ours.
func Foreign(name, s string) Arg { return Arg{Name: name, Kind: KindForeign, Text: s} }

// Code is a command, formula, setting or flag without names from a snapshot.
func Code(name, s string) Arg { return Arg{Name: name, Kind: KindCode, Text: s} }

// Phrase is a message within a message.
func Phrase(name string, m Message) Arg {
	return Arg{Name: name, Kind: KindMessage, List: []Message{m}}
}

// Word is a phrase without arguments.
func Word(name, id string) Arg { return Phrase(name, New(id)) }

// List is several messages, separated by ", ", "; " or " " (or what a catalogue has in its place).
func List(name, separator string, list []Message) Arg {
	return Arg{Name: name, Kind: KindMessage, List: list, Separator: separator}
}

// Each is a List of values, each the argument item of a message of its own.
func Each(name, separator, item string, values []string, of func(name, value string) Arg) Arg {
	list := make([]Message, len(values))
	for i, v := range values {
		list[i] = New("{"+item+"}", of(item, v))
	}
	return List(name, separator, list)
}

// Number returns a phrase for n things: one for exactly 1, else the template many, in
// which {n} stands for the number: Number("keys", 5, "1 key", "{n} keys").
func Number(name string, n int64, one, many string, args ...Arg) Arg {
	return Phrase(name, Plural(n, one, many, args...))
}

// Plural returns the message one if n is 1, else many, with the argument {n} in both.
func Plural(n int64, one, many string, args ...Arg) Message {
	id := many
	if n == 1 {
		id = one
	}
	return New(id, append(slices.Clip(args), Int("n", n))...)
}

// Span is a part of a rendered message. All spans of one argument have its kind, so a
// writer can mark names and code.
type Span struct {
	Kind Kind
	Text string // of a name, an element or a path: as it is, to be escaped by the writer
	URL  string // that a path leads to, "" none
}

// Catalogue has the sentences of one language. A nil *Catalogue is English.
type Catalogue struct {
	Lookup func(id string) (template string, ok bool)
	Figure func(english string) string // a figure in the language
	// Wide is true if the language is written without spaces: then one stands only
	// between a wide character and a letter or digit.
	Wide bool
}

// Spans renders the message. A template without an entry in the catalogue stays
// English.
func (m Message) Spans(c *Catalogue) []Span {
	r := renderer{catalogue: c}
	r.message(m)
	return r.spans
}

// String renders the message in English. Names are quoted as in Go where they hold
// spaces or anything that is not printed as itself.
func (m Message) String() string { return m.english(Quote) }

// Quoted renders the message in English as errors are: with all names quoted as in Go.
func (m Message) Quoted() string { return m.english(strconv.Quote) }

func (m Message) english(quote func(string) string) string {
	var b strings.Builder
	for _, s := range m.Spans(nil) {
		switch s.Kind {
		case KindName, KindElement, KindPath:
			b.WriteString(quote(s.Text))
		default:
			b.WriteString(s.Text)
		}
	}
	return b.String()
}

// Quote returns s, in quotes as in Go if it is empty, holds a space or a quote, or
// anything that is not printed as itself.
func Quote(s string) string {
	quoted := strconv.Quote(s)
	if s == "" || quoted[1:len(quoted)-1] != s || strings.ContainsFunc(s, unicode.IsSpace) {
		return quoted
	}
	return s
}

// maxDepth bounds messages within messages, which a saved report can nest.
const maxDepth = 16

type renderer struct {
	catalogue *Catalogue
	spans     []Span
	depth     int
}

func (r *renderer) message(m Message) {
	if r.depth++; r.depth <= maxDepth {
		r.template(r.translated(m.ID), m.Args)
	}
	r.depth--
}

func (r *renderer) translated(id string) string {
	if r.catalogue != nil {
		if to, ok := r.catalogue.Lookup(id); ok {
			return to
		}
	}
	return id
}

// template renders a template. Other text in braces stays.
func (r *renderer) template(template string, args []Arg) {
	for {
		before, rest, found := strings.Cut(template, "{")
		name, after, closed := strings.Cut(rest, "}")
		if !found || !closed {
			r.put(KindText, template)
			return
		}
		i := slices.IndexFunc(args, func(a Arg) bool { return a.Name == name })
		if i < 0 {
			r.put(KindText, before+"{")
			template = rest
			continue
		}
		r.put(KindText, before)
		r.arg(&args[i])
		template = after
	}
}

func (r *renderer) arg(a *Arg) {
	switch {
	case a.Kind == KindMessage:
		for i, m := range a.List {
			if i > 0 {
				r.put(KindText, r.translated(a.Separator))
			}
			r.message(m)
		}
	case a.Kind == KindFigure:
		text := a.Text
		if r.catalogue != nil && r.catalogue.Figure != nil {
			text = r.catalogue.Figure(text)
		}
		r.put(KindFigure, text)
	case a.Kind == KindPath && a.URL != "":
		r.spans = append(r.spans, Span{a.Kind, a.Text, a.URL})
	default:
		r.put(a.Kind, a.Text)
	}
}

// put adds a span. In a wide language it sees to the space between it and the one
// before.
func (r *renderer) put(kind Kind, s string) {
	if s == "" && kind != KindName && kind != KindElement {
		return
	}
	if n := len(r.spans); n > 0 && r.catalogue != nil && r.catalogue.Wide {
		last := &r.spans[n-1]
		own, before := kind == KindText || kind == KindFigure, last.Kind == KindText || last.Kind == KindFigure
		switch space := spaceBetween(last.Text, s); {
		case !own || !before:
		case space == noSpace:
			last.Text, s = strings.TrimRight(last.Text, " "), strings.TrimLeft(s, " ")
		case space == oneSpace:
			s = " " + s
		}
	}
	r.spans = append(r.spans, Span{Kind: kind, Text: s})
}

// What stands between two parts of a sentence of a wide language.
const (
	asIs = iota
	noSpace
	oneSpace
)

// spaceBetween says what stands between two texts: nothing between wide characters,
// a space between a wide one and a Latin letter or digit.
func spaceBetween(a, b string) int {
	before, after := lastRune(strings.TrimRight(a, " ")), firstRune(strings.TrimLeft(b, " "))
	spaced := strings.HasSuffix(a, " ") || strings.HasPrefix(b, " ")
	switch {
	case unicode.Is(unicode.Han, before) && unicode.Is(unicode.Han, after), isWideMark(before), isWideMark(after):
		return noSpace
	case !spaced && (unicode.Is(unicode.Han, before) && isLatin(after) || isLatin(before) &&
		unicode.Is(unicode.Han, after)):
		return oneSpace
	}
	return asIs
}

func firstRune(s string) rune {
	for _, r := range s {
		return r
	}
	return 0
}

func lastRune(s string) (last rune) {
	for _, r := range s[max(0, len(s)-4):] {
		last = r
	}
	return last
}

// isWideMark reports whether a character is punctuation as wide as a Chinese character,
// which has its space within.
func isWideMark(r rune) bool { return r >= 0x3001 && r <= 0x3011 || r >= 0xff01 && r <= 0xff1f }

func isLatin(r rune) bool { return r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// Map returns the message with each argument replaced by what a function returns,
// those of messages within it first. The message itself is not changed.
func (m Message) Map(f func(Arg) Arg) Message {
	if m.Args == nil {
		return m
	}
	args := make([]Arg, len(m.Args))
	for i, a := range m.Args {
		if a.List != nil {
			list := make([]Message, len(a.List))
			for k, inner := range a.List {
				list[k] = inner.Map(f)
			}
			a.List = list
		}
		args[i] = f(a)
	}
	return Message{ID: m.ID, Args: args}
}

// Missing calls a function for each template in the message that a catalogue lacks.
func (m Message) Missing(c *Catalogue, missing func(id string)) {
	if _, ok := c.Lookup(m.ID); !ok && hasWords(m.ID) {
		missing(m.ID)
	}
	for _, a := range m.Args {
		if a.Kind == KindMessage {
			for _, inner := range a.List {
				inner.Missing(c, missing)
			}
		}
	}
}

// hasWords reports whether a template has letters outside of its {names}.
func hasWords(id string) bool {
	inName := false
	for _, r := range id {
		switch {
		case r == '{' || r == '}':
			inName = r == '{'
		case !inName && isLatin(r) && unicode.IsLetter(r):
			return true
		}
	}
	return false
}

// JSONArg is an Arg as JSON has it.
type JSONArg struct {
	Name      string    `json:"name"`
	Kind      Kind      `json:"kind"`
	Text      *string   `json:"text,omitempty"` // not UTF-8: quoted as in Go, without quotes
	Value     *int64    `json:"value,omitempty"`
	Form      Form      `json:"form,omitempty"`
	Messages  []Message `json:"messages,omitempty"`
	Separator string    `json:"separator,omitempty"`
	URL       string    `json:"url,omitempty"`
}

// MarshalJSON writes JSON.
func (a Arg) MarshalJSON() ([]byte, error) { return json.Marshal(a.JSON()) }

// JSON returns what the kind of argument has: text, value and form, or messages.
// Bytes of a text that are not valid UTF-8 and backslashes are escaped as in Go.
func (a Arg) JSON() JSONArg {
	j := JSONArg{Name: a.Name, Kind: a.Kind, Messages: a.List, Separator: a.Separator, URL: a.URL}
	switch {
	case a.Kind == KindFigure:
		j.Value, j.Form = &a.Value, a.Form
	case a.List == nil:
		text := escape(a.Text)
		j.Text = &text
	}
	return j
}

// UnmarshalJSON reads what MarshalJSON writes.
func (a *Arg) UnmarshalJSON(b []byte) error {
	var j JSONArg
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	*a = Arg{Name: j.Name, Kind: j.Kind, List: j.Messages, Separator: j.Separator, URL: j.URL}
	switch {
	case j.Value != nil:
		*a = Figure(j.Name, *j.Value, j.Form)
	case j.Text != nil:
		a.Text = unescape(*j.Text)
	}
	return nil
}

// escape returns a text as a line of valid UTF-8: \\ for a backslash, \xNN for bytes
// that are not UTF-8 and for control characters. It is the escaped form of names in
// the JSON report.
func escape(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\\':
			b.WriteString(`\\`)
		case r == unicode.ReplacementChar && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r >= 0x80 && r < 0xa0:
			fmt.Fprintf(&b, `\x%02x\x%02x`, s[i], s[i+1])
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// unescape reverses escape. What it cannot read stays.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && strings.HasPrefix(s[i:], `\\`) {
			b.WriteByte('\\')
			i++
			continue
		}
		if strings.HasPrefix(s[i:], `\x`) && len(s) >= i+4 {
			if n, err := strconv.ParseUint(s[i+2:i+4], 16, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
