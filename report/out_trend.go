package report

import (
	"bufio"
	"bytes"
	"cmp"
	"iter"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/text"
)

// TrendSchemaVersion identifies the JSON form of a Trend.
const TrendSchemaVersion = "rdblens-trend/1"

// Bounds of a Trend.
const (
	// MaxTrendGroups is the number of groups of each report that a Trend has: those
	// with most memory.
	MaxTrendGroups = 200
	sparkColumns   = 30
	maxFullDays    = 36500 // a hundred years
)

// Trend shows how figures change over reports of the same servers, oldest first. It
// is written as a table, Markdown, a page, CSV and JSON.
type Trend struct {
	Schema  string        `json:"schema"` // TrendSchemaVersion
	Top     int           `json:"top"`    // groups that tables for people show
	Reports []TrendReport `json:"reports"`
	Series  []TrendSeries `json:"series"`
	// Prefixes are those that say most about where the memory of the last report is: of the
	// series of kind "prefix", tables for people show them. Nil if no prefix stands out.
	Prefixes []Name `json:"prefixes,omitempty"`
	// Forecast says how full the server is and when it will be full, nil if no maxmemory
	// is known. Full is the part of it that versions before it had, nil also if the keys
	// do not grow.
	Forecast *TrendForecast `json:"forecast"`
	Full     *TrendFull     `json:"full"`
}

// TrendReport is one of the reports.
type TrendReport struct {
	Report   Name  `json:"report" redact:"path"`
	Time     int64 `json:"time"` // when its newest snapshot was taken, seconds since the epoch
	Complete bool  `json:"complete"`
}

// TrendSeries has a figure of each report.
type TrendSeries struct {
	Kind    string   `json:"kind"`               // "total", "findings", "type", "owner", "prefix" or "group"
	Name    Name     `json:"name" redact:"keep"` // see Trend.Redacted
	Measure string   `json:"measure"`            // "memory" (bytes), "keys" or "count"
	Values  []Figure `json:"values"`
}

// TrendFull says when maxmemory is reached.
type TrendFull struct {
	MaxMemory int64   `json:"maxmemory"` // bytes
	Now       int64   `json:"now"`       // bytes: TrendForecast.Now
	PerDay    int64   `json:"per_day"`   // bytes
	Days      float64 `json:"days"`      // 0 if it is reached already
	Time      int64   `json:"time"`      // when, seconds since the epoch
}

// A TrendBuilder makes a Trend of reports, of which it keeps the figures only. The zero
// TrendBuilder is empty.
type TrendBuilder struct {
	points []trendPoint
	series []TrendSeries // without values
	index  map[[3]string]int
}

type trendPoint struct {
	TrendReport
	values    map[int]Figure // by index in series
	maxMemory int64
	figures   [3]Figure // of forecasts, in the order of forecastFigures
	prefixes  []Name    // that say most about where the memory is
}

// Add adds the figures of a report. It is an error if its snapshots do not say when
// they were taken.
func (b *TrendBuilder) Add(path string, r *Report) error {
	if b.index == nil {
		b.index = map[[3]string]int{}
	}
	p := trendPoint{TrendReport: TrendReport{Name(path), 0, r.Complete}, values: map[int]Figure{}}
	for i := range r.Inputs {
		in := &r.Inputs[i]
		p.Time = max(p.Time, int64(in.Created))
		used, predicted := in.UsedMem, Unknown
		if used == 0 { // a report of an older version
			used = Unknown
		}
		if in.Memory != nil {
			predicted = in.Memory.Predicted
		}
		p.figures[0], p.figures[1] = p.figures[0].plus(used), p.figures[1].plus(predicted)
		if in.Memory != nil && in.Memory.Fit != nil {
			p.maxMemory = in.Memory.Fit.MaxMemory
		}
	}
	if p.Time <= 0 {
		return message.Errorf("its snapshot does not say when it was taken")
	}
	set := func(kind string, name Name, measure string, v Figure) {
		id := [3]string{kind, string(name), measure}
		i, ok := b.index[id]
		if !ok {
			i = len(b.series)
			b.index[id] = i
			b.series = append(b.series, TrendSeries{Kind: kind, Name: name, Measure: measure})
		}
		p.values[i] = v
	}
	p.figures[2] = r.Totals.MemoryBytes
	set("total", "used_memory", "memory", p.figures[0])
	set("total", "predicted used_memory", "memory", p.figures[1])
	set("total", "keys", "memory", p.figures[2])
	set("total", "keys", "keys", Figure(r.Totals.Keys))
	set("total", "keys without a TTL", "keys", Figure(r.Totals.WithoutTTL))
	set("findings", "error", "count", Figure(r.Findings.Error))
	set("findings", "warning", "count", Figure(r.Findings.Warning))
	set("findings", "info", "count", Figure(r.Findings.Info))
	for _, row := range r.Types {
		set("type", Name(row.Type), "memory", row.MemoryBytes)
	}
	for _, row := range r.Owners {
		set("owner", Name(cmp.Or(row.Owner, noOwner)), "memory", row.MemoryBytes)
	}
	groups := slices.Clone(r.Groups)
	slices.SortStableFunc(groups, func(x, y Group) int { return cmp.Compare(y.MemoryBytes, x.MemoryBytes) })
	for i := range groups[:min(len(groups), MaxTrendGroups)] {
		set("group", groups[i].Group, "memory", groups[i].MemoryBytes)
		set("group", groups[i].Group, "keys", Figure(groups[i].Keys))
	}
	if r.Tree != nil {
		for _, n := range r.Tree.heaviest(MaxTrendGroups) {
			set("prefix", n.Prefix, "memory", n.MemoryBytes)
			set("prefix", n.Prefix, "keys", Figure(n.Keys))
		}
		for _, place := range cutRows(r.Tree, overviewPlaces, 0) {
			if place.label.IsZero() {
				p.prefixes = append(p.prefixes, Name(strings.TrimSuffix(string(place.Group.Group), restOfPrefix)))
			}
		}
	}
	b.points = append(b.points, p)
	return nil
}

// Trend returns the trend of the reports, of which there must be at least one. maxMemory
// is the limit of a server in bytes; 0 is that of the last report. Tables show top
// groups.
func (b *TrendBuilder) Trend(maxMemory int64, top int) *Trend {
	slices.SortStableFunc(b.points, func(x, y trendPoint) int { return cmp.Compare(x.Time, y.Time) })
	t := &Trend{Schema: TrendSchemaVersion, Top: top, Series: slices.Clone(b.series)}
	for i := range t.Series {
		for _, p := range b.points {
			v, ok := p.values[i]
			if !ok {
				v = Unknown
			}
			t.Series[i].Values = append(t.Series[i].Values, v)
		}
	}
	t.Series = slices.DeleteFunc(t.Series, func(s TrendSeries) bool { // of snapshots that do not state it
		return s.Name == "used_memory" && slices.Max(s.Values) == Unknown
	})
	rank := func(s *TrendSeries) int {
		return slices.IndexFunc(trendParts, func(p struct{ kind, title string }) bool { return p.kind == s.Kind })
	}
	slices.SortStableFunc(t.Series, func(x, y TrendSeries) int {
		kind := rank(&x) - rank(&y)
		if kind != 0 || x.Kind == "total" || x.Kind == "findings" {
			return kind
		}
		return cmp.Or(-cmp.Compare(x.Measure, y.Measure), cmp.Compare(y.last(), x.last()), cmp.Compare(x.Name, y.Name))
	})
	for _, p := range b.points {
		t.Reports = append(t.Reports, p.TrendReport)
	}
	t.Prefixes = b.points[len(b.points)-1].prefixes
	t.full(b.points, maxMemory)
	return t
}

// full computes when maxmemory is reached: by the first figure that all reports have.
func (t *Trend) full(points []trendPoint, limit int64) {
	last := &points[len(points)-1]
	if limit = cmp.Or(limit, last.maxMemory); limit == 0 {
		return
	}
	for i, of := range forecastFigures {
		var list []TrendPoint
		for _, p := range points {
			if v := p.figures[i]; v.Known() {
				list = append(list, TrendPoint{p.Time, int64(v)})
			}
		}
		if len(list) < len(points) {
			continue
		}
		f := forecast(list, limit, of.name)
		t.Forecast = f
		full := &TrendFull{MaxMemory: limit, Now: f.Now, PerDay: int64(f.PerDay), Time: last.Time}
		switch {
		case f.State == "over":
			t.Full = full
		case f.Days != nil:
			full.Days = *f.Days
			full.Time += int64(full.Days * secondsOfDay)
			t.Full = full
		}
		return
	}
}

var trendFormats = writers[*Trend]{
	"table": func(w *bufio.Writer, t *Trend, o WriteOptions) error {
		rows := linesOf(o)
		return writeScreen(w, o, rows, func(p page) { t.write(p, rows) }, func() bool {
			rows--
			return rows >= 0
		})
	},
	"markdown": func(w *bufio.Writer, t *Trend, o WriteOptions) error {
		var b bytes.Buffer
		t.write(newMarkdownPage(&b, o, text.MaxCell, 0), math.MaxInt)
		_, err := w.Write(b.Bytes())
		return err
	},
	"html": writeTrendHTML, "csv": writeTrendCSV,
	"json": func(w *bufio.Writer, t *Trend, _ WriteOptions) error { return writeJSONFields(w, reflect.ValueOf(*t)) },
}

func writeTrendCSV(w *bufio.Writer, t *Trend, _ WriteOptions) error {
	c := newCSVWriter(w, "time,report,kind,name,measure,value")
	for i := range t.Series {
		s := &t.Series[i]
		for n, v := range s.Values {
			if v.Known() {
				c.counts(t.Reports[n].Time)
				c.names(t.Reports[n].Report, Name(s.Kind), s.Name, Name(s.Measure))
				c.figures(v)
				c.end()
			}
		}
	}
	if f := t.Forecast; f != nil {
		row := func(time int64, name string, bytes int64) {
			c.counts(time)
			c.names("", "forecast", Name(name), "memory")
			c.figures(Figure(bytes))
			c.end()
		}
		for _, p := range f.Line {
			row(p.Time, "line", p.Bytes)
		}
		row(t.Reports[len(t.Reports)-1].Time, "maxmemory", f.MaxMemory)
	}
	return nil
}

var trendParts = []struct{ kind, title string }{
	{"total", "Totals"}, {"findings", "Findings"}, {"type", "Memory by type"}, {"owner", "Memory by owner"},
	{"prefix", "Memory by prefix"}, {"group", "Memory by group"},
}

// write writes all that people read, of each kind of series at most so many rows.
func (t *Trend) write(p page, most int) {
	for _, s := range t.wrong() {
		p.alert(s)
	}
	if m := t.verdict(); !m.IsZero() {
		p.strong(m)
	}
	for _, s := range t.about() {
		p.sentence(s)
	}
	t.sections(p, most, func([]*TrendSeries) {})
}

// sections writes a table of each kind of series, and calls drawn behind it.
func (t *Trend) sections(p page, most int, drawn func(rows []*TrendSeries)) {
	for _, part := range trendParts {
		if rows := t.rows(part.kind); len(rows) > 0 && most > 0 {
			p.section(word(part.title), message.Message{})
			p.table(trendTable(part.kind, rows[:min(len(rows), most)]))
			drawn(rows)
		}
	}
}

// verdict says how much the keys grew, and which prefix or group most; zero if that is unknown.
func (t *Trend) verdict() message.Message {
	var all, most *TrendSeries
	for i := range t.Series {
		s := &t.Series[i]
		switch grew := max(s.last(), 0) - max(s.first(), 0); {
		case s.Measure != "memory" || !s.last().Known():
		case s.Kind == "total" && s.Name == "keys" && s.first().Known():
			all = s
		case (s.Kind == "prefix" && slices.Contains(t.Prefixes, s.Name) || s.Kind == "group" && t.Prefixes == nil) && grew > 0 &&
			(most == nil || grew > most.last()-max(most.first(), 0)):
			most = s
		}
	}
	if all == nil || len(t.Reports) < 2 {
		return message.Message{}
	}
	m := message.New("Memory of the keys: {from} -> {to} ({change}, {growth}).", message.Phrase("from", sizeText(all.first())),
		message.Phrase("to", sizeText(all.last())), message.Phrase("change", all.change()), message.Phrase("growth", all.growth()))
	if all.first() == all.last() {
		m = message.New("Memory of the keys: {to}, unchanged.", message.Phrase("to", sizeText(all.last())))
	}
	if most != nil {
		m = message.New("{sentence} {prefix} grew most: by {size}.", message.Phrase("sentence", m), message.Name("prefix", most.Name),
			message.Size("size", int64(most.last()-max(most.first(), 0))))
	}
	return m
}

// wrong says what nobody must miss.
func (t *Trend) wrong() (list []message.Message) {
	if t.Forecast != nil {
		if m, over := t.Forecast.sentence(); over {
			list = append(list, m)
		}
	}
	partly := int64(0)
	for i := range t.Reports {
		if !t.Reports[i].Complete {
			partly++
		}
	}
	if partly > 0 {
		list = append(list, message.New("INCOMPLETE: {n} of {reports}; their figures are those of what was read",
			message.Int("n", partly), t.reportsArg()))
	}
	return list
}

func (t *Trend) reportsArg() message.Arg {
	return message.Number("reports", int64(len(t.Reports)), "1 report", "{n} reports")
}

// about says which time the reports are of, and when maxmemory will be reached.
func (t *Trend) about() []message.Message {
	first, last := t.Reports[0], t.Reports[len(t.Reports)-1]
	list := []message.Message{message.New("{reports}, {from} to {to}", t.reportsArg(), message.Time("from", first.Time),
		message.Time("to", last.Time))}
	if t.Forecast != nil {
		if m, over := t.Forecast.sentence(); !over {
			list = append(list, m)
		}
	}
	return list
}

func day(seconds int64) string { return time.Unix(seconds, 0).UTC().Format(time.DateOnly) }

func (t *Trend) rows(kind string) (rows []*TrendSeries) {
	for i := range t.Series {
		s := &t.Series[i]
		switch {
		case s.Kind != kind, kind == "group" && (t.Prefixes != nil || s.Measure != "memory" || len(rows) == t.Top),
			kind == "prefix" && (s.Measure != "memory" || !slices.Contains(t.Prefixes, s.Name)):
		default:
			rows = append(rows, s)
		}
	}
	return rows
}

func (s *TrendSeries) label() message.Message {
	switch {
	case s.Kind == "total" && s.Name == "keys" && s.Measure == "memory":
		return word("memory of the keys")
	case s.Kind == "total":
		return word(string(s.Name))
	case s.Kind == "findings" || s.Kind == "type":
		return verbatim(string(s.Name))
	case s.Kind == "owner" && s.Name == noOwner:
		return word(noOwner)
	}
	return named(s.Name)
}

// noOwner is the name of the series of keys that nobody owns.
const noOwner = "(no owner)"

// figure returns a figure of a series, "-" if it is unknown.
func (s *TrendSeries) figure(v Figure) message.Message {
	switch {
	case !v.Known():
		return verbatim("-")
	case s.Measure == "memory":
		return sizeText(v)
	}
	return countText(v)
}

func (s *TrendSeries) first() Figure { return s.Values[0] }
func (s *TrendSeries) last() Figure  { return s.Values[len(s.Values)-1] }

// change returns how the last figure differs from the first, zero if that is unknown.
func (s *TrendSeries) change() message.Message {
	from, to := s.first(), s.last()
	switch {
	case !from.Known() || !to.Known():
		return message.Message{}
	case to < from:
		return message.New("-{size}", message.Phrase("size", s.figure(from-to)))
	}
	return message.New("+{size}", message.Phrase("size", s.figure(to-from)))
}

func trendTable(kind string, rows []*TrendSeries) table {
	name := nameColumn(kind, func(i int) message.Message { return rows[i].label() })
	if kind == "total" {
		name = leftColumn(kind, func(i int) message.Message { return rows[i].label() })
	}
	return table{len(rows), []column{
		name,
		rightColumn("first", func(i int) message.Message { return rows[i].figure(rows[i].first()) }),
		rightColumn("last", func(i int) message.Message { return rows[i].figure(rows[i].last()) }),
		rightColumn("change", func(i int) message.Message { return rows[i].change() }),
		rightColumn("growth", func(i int) message.Message { return rows[i].growth() }),
		wordColumn("over time", func(i int) string { return sparkline(rows[i].Values) }),
	}}
}

// sparkline returns the figures as bars from the least to the greatest.
func sparkline(values []Figure) string {
	const bars = "▁▂▃▄▅▆▇█"
	least, most := bounds(values)
	var b strings.Builder
	for i := range everyNth(len(values), sparkColumns) {
		v := values[i]
		switch {
		case !v.Known():
			b.WriteByte(' ')
		case most == least:
			b.WriteString("▄")
		default:
			n := int(float64(v-least) / float64(most-least) * 7.999)
			b.WriteString(string([]rune(bars)[n]))
		}
	}
	return b.String()
}

// everyNth returns the numbers below n: of more than most every so many, and always
// the last.
func everyNth(n, most int) iter.Seq[int] {
	step := (n + most - 1) / most
	return func(yield func(int) bool) {
		for i := (n - 1) % step; i < n && yield(i); i += step {
		}
	}
}

func bounds(values []Figure) (least, most Figure) {
	least, most = math.MaxInt64, Unknown
	for _, v := range values {
		if v.Known() {
			least, most = min(least, v), max(most, v)
		}
	}
	return least, most
}
