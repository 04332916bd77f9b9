package main

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/report/text"
)

// jsonWriter writes each key as a line of JSON: the fields of "keys -f jsonl", and
// "value", whose form depends on the type:
//
//	string, json  "text"
//	list, set     ["item", ...]
//	zset          [{"member":"m","score":1.5}, ...]; a score that is no number of
//	              JSON is "inf", "-inf" or "nan"
//	hash          [{"field":"f","value":"v","expire_at_ms":1}, ...]
//	array         [{"index":7,"value":"v"}, ...]
//	stream        [{"id":"1-0","fields":["f","v", ...]}, ...], and behind it
//	              "last_id" and "groups" (see jsonGroups); "first_id",
//	              "max_deleted_id" and "entries_added" from Redis 7.0 on
//	others        null: the elements are not known
//
// Fields without a value of their own are absent: "expire_at_ms" of a field
// without a TTL, "field" where the names of a template are not known. Where
// --limit cuts the list, "omitted" is the number of elements that are missing.
type jsonWriter struct {
	*bufio.Writer
	limit int // of elements, -1 none
	row   []byte
}

func (w *jsonWriter) library(*parser.Payload) error { return nil }

func (w *jsonWriter) key(r *parser.Records) error {
	k := r.Key()
	w.row = report.AppendKeyJSON(w.row[:0], k, nil)
	w.Write(bytes.TrimSuffix(w.row, []byte("}\n")))
	w.WriteString(`,"value":`)
	var err error
	switch {
	case k.Type.Opaque():
		w.WriteString("null")
	case k.Type == parser.Stream:
		err = w.stream(r)
	default:
		err = w.value(r)
	}
	w.WriteString("}\n")
	return err
}

func (w *jsonWriter) value(r *parser.Records) error {
	k := r.Key()
	single := k.Type == parser.String || k.Type == parser.JSON
	if !single {
		w.WriteString("[")
	}
	shown := 0
	err := r.Visit(&parser.Visitor{MaxText: -1, Element: func(e *parser.Element) bool {
		if shown == w.limit {
			return false
		}
		w.separate(&shown)
		w.element(k.Type, e)
		return goesOn(w)
	}})
	switch {
	case !single:
		w.WriteString("]")
		w.omitted(k, shown)
	case shown == 0: // --limit 0
		w.WriteString("null")
	}
	return err
}

// element writes an element that is no stream's entry.
func (w *jsonWriter) element(t parser.Type, e *parser.Element) {
	switch t {
	case parser.ZSet:
		w.WriteString(`{"member":`)
		w.text(e.Value.Bytes)
		w.WriteString(`,"score":`)
		w.score(e.Score)
	case parser.Hash, parser.PathHash:
		w.WriteString("{")
		if e.Path.Bytes != nil {
			w.WriteString(`"path":`)
			w.text(e.Path.Bytes)
			w.WriteString(",")
		}
		if e.Name.Bytes != nil {
			w.WriteString(`"field":`)
			w.text(e.Name.Bytes)
			w.WriteString(",")
		}
		w.WriteString(`"value":`)
		w.text(e.Value.Bytes)
		if e.ExpireAt != 0 {
			fmt.Fprintf(w, `,"expire_at_ms":%d`, e.ExpireAt)
		}
	case parser.Array:
		w.WriteString(`{"index":`)
		w.Write(e.Name.Bytes)
		w.WriteString(`,"value":`)
		w.text(e.Value.Bytes)
	default:
		w.text(e.Value.Bytes)
		return
	}
	w.WriteString("}")
}

func (w *jsonWriter) stream(r *parser.Records) error {
	k := r.Key()
	shown, fields := 0, 0
	skipped := false // the entry is beyond the limit
	endEntry := func() {
		if shown > 0 && !skipped {
			w.WriteString("]}")
		}
	}
	g := &jsonGroups{jsonWriter: w}
	w.WriteString("[")
	err := r.Visit(&parser.Visitor{
		MaxText: -1,
		Element: func(e *parser.Element) bool {
			endEntry()
			if skipped = w.limit >= 0 && shown >= w.limit; skipped {
				return goesOn(w)
			}
			w.separate(&shown)
			fmt.Fprintf(w, `{"id":"%s","fields":[`, e.ID)
			fields = 0
			return goesOn(w)
		},
		Field: func(name, value parser.Text) bool {
			if skipped {
				return false
			}
			w.separate(&fields)
			w.text(name.Bytes)
			w.WriteString(",")
			w.text(value.Bytes)
			return goesOn(w)
		},
		Stream: func(s *parser.StreamState) {
			endEntry()
			w.WriteString("]")
			w.omitted(k, shown)
			fmt.Fprintf(w, `,"last_id":"%s"`, s.Last)
			if s.Counters {
				fmt.Fprintf(w, `,"first_id":"%s","max_deleted_id":"%s","entries_added":%d`, s.First, s.MaxDeleted, int64(s.Added))
			}
			w.WriteString(`,"groups":[`)
		},
		Group: g.group, GroupPending: g.pending, Consumer: g.consumer, ConsumerPending: g.consumerPending,
	})
	g.endGroup()
	w.WriteString("]")
	return err
}

// jsonGroups writes the groups of a stream: an object each, with "pending", the
// entries pending for all consumers, and "consumers", each with the IDs of the
// entries pending for it.
type jsonGroups struct {
	*jsonWriter
	groups, consumers, entries int // written in the current list
}

func (g *jsonGroups) group(s *parser.StreamGroup) {
	g.endGroup()
	g.separate(&g.groups)
	g.WriteString(`{"name":`)
	g.text(s.Name.Bytes)
	fmt.Fprintf(g, `,"last_delivered_id":"%s","entries_read":%s,"pending":[`, s.Last, orNull(s.Read))
	g.consumers, g.entries = 0, 0
}

func (g *jsonGroups) pending(p *parser.PendingEntry) {
	g.separate(&g.entries)
	fmt.Fprintf(g, `{"id":"%s","delivered_at_ms":%d,"deliveries":%d}`, p.ID, p.Delivered, int64(p.Count))
}

func (g *jsonGroups) consumer(c *parser.StreamConsumer) {
	if g.consumers == 0 {
		g.WriteString(`],"consumers":[`)
	} else {
		g.WriteString("]}")
	}
	g.separate(&g.consumers)
	g.WriteString(`{"name":`)
	g.text(c.Name.Bytes)
	fmt.Fprintf(g, `,"seen_at_ms":%d,"active_at_ms":%s,"pending":[`, c.Seen, orNull(c.Active))
	g.entries = 0
}

func (g *jsonGroups) consumerPending(id parser.StreamID) {
	g.separate(&g.entries)
	fmt.Fprintf(g, `"%s"`, id)
}

func (g *jsonGroups) endGroup() {
	switch {
	case g.groups == 0:
	case g.consumers == 0:
		g.WriteString(`],"consumers":[]}`)
	default:
		g.WriteString("]}]}")
	}
}

// separate counts a member of a list, and separates it from the one before.
func (w *jsonWriter) separate(n *int) {
	if *n++; *n > 1 {
		w.WriteString(",")
	}
}

// omitted writes how many elements are missing, if any.
func (w *jsonWriter) omitted(k *parser.Key, shown int) {
	if w.limit >= 0 && k.Elements > int64(shown) {
		fmt.Fprintf(w, `,"omitted":%d`, k.Elements-int64(shown))
	}
}

// orNull returns a number as JSON: null for -1, which is unknown.
func orNull(n int64) []byte { return text.AppendNumber(nil, n) }

func (w *jsonWriter) score(f float64) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		w.text([]byte(strings.ToLower(score(f))))
		return
	}
	w.row = strconv.AppendFloat(w.row[:0], f, 'g', -1, 64)
	w.Write(w.row)
}

// text writes a text as a JSON string, in the escaping of the reports, a part at
// a time.
func (w *jsonWriter) text(b []byte) {
	const most = 64 << 10
	w.WriteString(`"`)
	for len(b) > 0 {
		n := min(len(b), most)
		for back := 0; n < len(b) && back < utf8.UTFMax-1 && !utf8.RuneStart(b[n]); back++ {
			n--
		}
		w.row = text.AppendJSON(w.row[:0], b[:n])
		w.Write(w.row[1 : len(w.row)-1])
		b = b[n:]
	}
	w.WriteString(`"`)
}
