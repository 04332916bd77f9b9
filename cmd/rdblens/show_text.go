package main

import (
	"bufio"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/naming"
)

const (
	showText   = 4 << 10 // bytes of a field or value that text shows
	showLine   = 256     // and on a terminal
	showFields = 100     // fields of a stream's entry, unless --limit is larger
)

// textWriter writes keys for people: figures, an empty line, elements.
type textWriter struct {
	*bufio.Writer
	env    *env // its language
	limit  int  // of elements
	policy *thresholds.Policy
	source *report.SourceFinder // nil without source code
	rules  *thresholds.Engine   // compiled for the snapshot with the first key
	now    time.Time
	keys   int
	geo    bool // the scores of the current key are places
	column int  // width of the first column of elements, 0 none
	most   int  // bytes of an element that are shown
}

func newTextWriter(e *env, limit int, policy *thresholds.Policy) *textWriter {
	w := &textWriter{Writer: bufio.NewWriter(e.stdout), env: e, limit: limit, policy: policy, now: time.Now(),
		most: showText}
	if isTerminal(e.stdout) {
		w.most = showLine
	}
	return w
}

func (w *textWriter) library(*parser.Payload) error { return nil }

func (w *textWriter) key(r *parser.Records) error {
	if w.keys++; w.keys > 1 {
		w.WriteString("\n")
	}
	k := r.Key()
	w.figures(k)
	w.findings(r.Info(), k)
	if k.Type.Opaque() {
		fmt.Fprintf(w, "\n%s\n", w.env.line(message.New("the value of a {type} cannot be shown without its server",
			message.Text("type", k.Type.String()))))
		return nil
	}
	if w.limit == 0 {
		return nil
	}
	if err := w.largest(r); err != nil {
		return err
	}
	switch k.Type {
	case parser.String:
		return w.writeString(r)
	case parser.Stream:
		if err := w.groupsOf(r); err != nil {
			return err
		}
	case parser.ZSet:
		geo, err := w.placesIn(r)
		if w.geo = geo; err != nil {
			return err
		}
		if geo {
			w.line("content", w.env.t("geo set: longitude and latitude, as GEOPOS has them"))
		}
	}
	var err error
	if w.column, err = w.nameWidth(r); err != nil {
		return err
	}
	return w.value(r)
}

func (w *textWriter) list(name string, lines []string) {
	for _, line := range lines {
		w.line(name, line)
		name = ""
	}
}

func (w *textWriter) findings(info *parser.Info, k *parser.Key) {
	if w.rules == nil {
		w.rules = w.policy.Compile(thresholds.Env{Server: info.Server, Version: info.ServerVersion, Created: info.Created,
			Cluster: info.Cluster || w.policy.Cluster.Value, Memory: k.Memory >= 0, Now: w.now})
	}
	var facts naming.Facts
	w.rules.Namer().Facts(k.Name, &facts)
	owners := w.rules.Owners()
	owner := owners[w.rules.Owner(k, &facts)]
	if w.source != nil {
		group := report.SourceGroup{Pattern: string(w.rules.Namer().AppendPattern(nil, k.Name)), Type: k.Type.String(),
			WithoutTTL: !k.HasExpire}
		if lines := w.source.Find([]report.SourceGroup{group})[0]; len(lines) > 0 {
			w.line("written at", text.Sanitize(lines[0].Place()))
			owner = cmp.Or(owner, strings.Join(lines[0].Owners, ", "))
		}
	}
	if len(owners) > 1 || owner != "" {
		w.line("owner", cmp.Or(text.Sanitize(owner), w.env.t("(no owner)")))
	}
	k.NameLargest()
	subject := thresholds.SubjectOf(k)
	var lines []string
	for _, f := range w.rules.Check(k, &facts, nil) {
		what := w.rules.Text(f, &subject)
		if f.Ignored != 0 {
			what = message.New("{text}, ignored", message.Phrase("text", what))
		}
		line := fmt.Sprintf("%-7s  %s: %s", f.Severity, f.Rule.Name(), w.env.line(what))
		if width := terminalWidth(w.env.stdout); width > 0 {
			lines = append(lines, shownLines([]string{line}, width-17)...)
			continue
		}
		lines = append(lines, line)
	}
	w.list("findings", lines)
}

func (w *textWriter) listsLargest(k *parser.Key) bool {
	return w.limit > 0 && k.Type != parser.String && !k.Type.Opaque() && k.Elements > 1
}

// largest writes the largest elements of a collection or stream.
func (w *textWriter) largest(r *parser.Records) error {
	const shown, nameBytes = 5, 200
	k := r.Key()
	if !w.listsLargest(k) {
		return nil
	}
	type element struct {
		size int64
		name string
	}
	var top []element
	add := func(size int64, name func() string) {
		if len(top) == shown && size <= top[shown-1].size {
			return
		}
		i := len(top)
		for i > 0 && size > top[i-1].size {
			i--
		}
		top = slices.Insert(top, i, element{size, name()})
		top = top[:min(len(top), shown)]
	}
	index, entry, size := -1, parser.StreamID{}, int64(0)
	stream := k.Type == parser.Stream
	endEntry := func() {
		if stream && index >= 0 {
			add(size, entry.String)
		}
	}
	err := r.Visit(&parser.Visitor{
		MaxText: nameBytes,
		Element: func(e *parser.Element) bool {
			endEntry()
			index, entry, size = index+1, e.ID, e.Value.Len
			if k.Type == parser.Hash || k.Type == parser.PathHash {
				size += e.Name.Len
			}
			if !stream {
				add(size, func() string { return elementName(k.Type, e, index) })
			}
			return true
		},
		Field: func(name, value parser.Text) bool {
			size += name.Len + value.Len
			return true
		},
	})
	endEntry()
	var lines []string
	for _, e := range top {
		lines = append(lines, w.env.figure(message.ExactSize("n", e.size))+"  "+e.name)
	}
	w.list("largest elements", lines)
	return err
}

// elementName returns what identifies an element, the nth from 0 on, in its key.
func elementName(t parser.Type, e *parser.Element, n int) string {
	switch {
	case t == parser.List:
		return strconv.Itoa(n)
	case e.Name.Bytes != nil:
		return display(e.Name.Bytes, e.Name.Len)
	}
	return display(e.Value.Bytes, e.Value.Len)
}

func (w *textWriter) line(name, figure string) {
	if name != "" {
		name = w.env.t(name)
	}
	fmt.Fprintf(w, "%s %s\n", padded(name, 16), figure)
}

func (w *textWriter) figures(k *parser.Key) {
	t, line := w.env.t, w.line
	count := func(name string, n int64) {
		if n > 0 {
			line(name, message.FormatCount(n))
		}
	}
	bytesLine := func(name string, n int64, note string) {
		if n >= 0 {
			line(name, w.env.line(size(n))+note)
		}
	}
	line("key", display(k.Name, k.NameLen))
	line("database", strconv.Itoa(k.DB))
	kind := k.Type.String()
	if k.Type == parser.Module {
		kind += " " + display([]byte(k.ModuleName), int64(len(k.ModuleName)))
	}
	line("type", kind)
	if enc := k.Encoding.String(); enc != "" {
		line("encoding", enc)
	}
	if k.Elements >= 0 && k.Type != parser.String {
		line("elements", message.FormatCount(k.Elements))
	}
	bytesLine("value", k.ValueBytes, "")
	bytesLine("serialized", k.Serialized, "")
	bound := ""
	if k.MemoryBound {
		bound = " " + t("at least")
	}
	if k.MemoryApproximate {
		bound = " " + t("approximately")
	}
	bytesLine("memory", k.Memory, bound)
	bytesLine("memory usage", k.MemoryUsage, bound)
	if !w.listsLargest(k) && k.Type != parser.String && k.Largest >= 0 && k.Elements > 0 {
		note := ""
		if k.NameLargest(); k.LargestName != nil {
			note = ", " + display(k.LargestName, k.LargestNameLen)
		}
		bytesLine("largest element", k.Largest, note)
	}
	if k.HasExpire {
		line("expires", w.env.line(expiry(k.ExpireAt, w.now)))
	} else {
		line("expires", t("never"))
	}
	count("fields with TTL", k.FieldsWithTTL)
	if k.Idle >= 0 {
		line("idle", w.env.figure(message.Duration("n", k.Idle)))
	}
	if k.Freq >= 0 {
		line("LFU counter", strconv.Itoa(int(k.Freq)))
	}
	if k.Type == parser.Stream {
		line("consumer groups", w.env.line(message.New("{n}, {consumers}, {entries} pending", message.Int("n", k.Groups),
			message.Number("consumers", k.Consumers, "1 consumer", "{n} consumers"),
			message.Number("entries", k.Pending, "1 entry", "{n} entries"))))
	}
	if m := k.Module; m != nil {
		line("encoding version", strconv.Itoa(int(m.Version)))
		count("filters", m.Filters)
		count("capacity", m.Capacity)
		count("dimensions", m.Dimensions)
		count("depth", m.Depth)
		if m.Chunks > 0 || k.Type == parser.TimeSeries && k.Elements >= 0 {
			count("chunks", m.Chunks)
			count("labels", m.Labels)
			count("rules", m.Rules)
			retention := t("none")
			if m.Retention > 0 {
				retention = w.env.figure(message.Duration("n", m.Retention/1000))
			}
			line("retention", retention)
		}
		if m.LinkBytes > 0 {
			bytesLine("vectors", m.VectorBytes, "")
			bytesLine("links", m.LinkBytes, "")
		}
	}
	line("offset", message.FormatCount(k.Offset))
}

func (w *textWriter) value(r *parser.Records) error {
	k := r.Key()
	shown := 0
	inEntry := false // the line of a stream's entry is not ended
	var fields, shownFields int64
	end := func() {
		if !inEntry {
			return
		}
		inEntry = false
		if shownFields < fields {
			w.WriteString("  " + w.env.line(message.New("... {n} of {fields}", message.Int("n", shownFields),
				message.Number("fields", fields, "1 field", "{n} fields"))))
		}
		w.WriteString("\n")
	}
	err := r.Visit(&parser.Visitor{
		MaxText: w.most,
		Element: func(e *parser.Element) bool {
			if end(); shown == w.limit {
				return false
			}
			if shown == 0 {
				w.WriteString("\n")
			}
			if k.Type == parser.Stream {
				w.WriteString(e.ID.String())
				inEntry, fields, shownFields = true, e.Fields, 0
			} else {
				w.element(k.Type, e, shown)
			}
			shown++
			return goesOn(w)
		},
		Field: func(name, value parser.Text) bool {
			fmt.Fprintf(w, "  %s=%s", display(name.Bytes, name.Len), display(value.Bytes, value.Len))
			shownFields++
			return shownFields < int64(max(w.limit, showFields))
		},
	})
	end()
	if shown == 0 && k.Elements > 0 {
		w.WriteString("\n")
	}
	if k.Elements > int64(shown) && k.Type != parser.JSON {
		fmt.Fprintln(w, w.env.line(message.New("... {n} of {elements}", message.Int("n", int64(shown)),
			message.Number("elements", k.Elements, "1 element", "{n} elements"))))
	}
	return err
}

// element writes an element, the nth from 0 on, that is no stream's entry.
func (w *textWriter) element(t parser.Type, e *parser.Element, n int) {
	if e.Path.Bytes != nil {
		fmt.Fprintf(w, "%s  ", display(e.Path.Bytes, e.Path.Len))
	}
	switch {
	case e.Name.Bytes != nil && w.column > 0:
		fmt.Fprintf(w, "%s  ", padded(display(e.Name.Bytes, e.Name.Len), w.column))
	case e.Name.Bytes != nil:
		fmt.Fprintf(w, "%s = ", display(e.Name.Bytes, e.Name.Len))
	case t == parser.ZSet && w.geo:
		longitude, latitude := geoPlace(e.Score)
		fmt.Fprintf(w, "%11.6f %10.6f  ", longitude, latitude)
	case t == parser.ZSet:
		fmt.Fprintf(w, "%*s  ", w.column, score(e.Score))
	case t == parser.List, t == parser.Hash:
		fmt.Fprintf(w, "%d) ", n)
	}
	w.WriteString(display(e.Value.Bytes, e.Value.Len))
	if e.ExpireAt != 0 {
		w.WriteString("  " + w.env.line(message.New("(expires {when})", message.Phrase("when", expiry(e.ExpireAt, w.now)))))
	}
	w.WriteString("\n")
}

// display returns a text of n bytes, of which b may be the beginning, in a form
// that is safe for a terminal.
func display(b []byte, n int64) string {
	s := text.Display(b)
	if n > int64(len(b)) {
		s += "... (" + message.FormatBytes(n) + ")"
	}
	return s
}

// size returns a number of bytes, and a large one also rounded.
func size(n int64) message.Message {
	if n < 1024 {
		return message.New("{bytes}", message.ExactSize("bytes", n))
	}
	return message.New("{bytes} ({size})", message.ExactSize("bytes", n), message.Size("size", n))
}

// score returns a score as redis-cli shows it: with 17 digits, which are exact.
func score(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	return strconv.FormatFloat(f, 'g', 17, 64)
}

// expiry returns a time, in ms since the epoch, and its distance from now.
func expiry(ms int64, now time.Time) message.Message {
	at := time.UnixMilli(ms)
	if y := at.UTC().Year(); y < 1970 || y > 9999 {
		return message.New("{n} ms since 1970", message.Int("n", ms))
	}
	seconds := at.Unix() - now.Unix()
	if seconds < 0 {
		return message.New("{time}, {duration} ago", message.Time("time", at.Unix()), message.Duration("duration", -seconds))
	}
	return message.New("{time}, in {duration}", message.Time("time", at.Unix()), message.Duration("duration", seconds))
}
