package report

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/memory"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/internal/agg"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/config"
)

// Bounds says what of a report is not exact besides those that fields state:
// where a table or a list was full.
type Bounds struct {
	// GroupKeys is the most keys that a group lacks because a table had too many patterns:
	// they are counted in a group of a wider pattern. 0: groups are exact.
	GroupKeys int64 `json:"group_keys,omitempty"`
	// Top is the number of keys on each list of the largest, if it is less than asked
	// for, because a state would have been too large. 0: lists are whole.
	Top int `json:"top,omitempty"`
	// Repeated is the number of rows of Inputs that seem to be a snapshot of another row,
	// which came from another state or saved report: all sums count it twice. RepeatedIn
	// names those that have such snapshots, at most 10 of them.
	Repeated   int    `json:"repeated,omitempty"`
	RepeatedIn []Name `json:"repeated_in,omitempty" redact:"path"`
}

// bounds returns the bounds of a Builder that is finished, nil if there are none.
func (f *finisher) bounds() *Bounds {
	b := Bounds{GroupKeys: f.Tables.Groups.Missing()}
	if n := f.Builder.Top.Limit(); n < f.opt.Top {
		b.Top = n
	}
	if b.GroupKeys == 0 && b.Top == 0 {
		return nil
	}
	return &b
}

func (b *Bounds) sentences() (list []message.Message) {
	if b == nil {
		return nil
	}
	if b.GroupKeys > 0 {
		list = append(list, message.New("A group may lack up to {count}, which wider groups count: there were more "+
			"patterns than a table holds.",
			keysArg("count", b.GroupKeys)))
	}
	if b.Top > 0 {
		list = append(list, message.New("Lists of the largest keys have {count} each: the state of a scan would have been "+
			"too large.",
			keysArg("count", int64(b.Top))))
	}
	return list
}

// repeatedAlert says which states have snapshots that are counted twice.
func (b *Bounds) repeatedAlert() []message.Message {
	if b == nil || b.Repeated == 0 {
		return nil
	}
	var files []message.Message
	for _, n := range b.RepeatedIn[:min(len(b.RepeatedIn), overviewAlerts)] {
		files = append(files, fileText(n))
	}
	return []message.Message{message.New("TWICE: several files, such as {names}, have {snapshots} in common. All sums "+
		"count these keys twice.",
		message.Number("snapshots", int64(b.Repeated), "1 snapshot", "{n} snapshots"), message.List("names", ", ", files))}
}

// MismatchError reports that two states cannot be merged.
type MismatchError struct {
	First, Second string // names of their sources
	What          string // that differs
}

// AsMessage returns the error as a message.
func (e *MismatchError) AsMessage() message.Message {
	return message.New("{file} and {name} cannot be merged: their scans differ in {setting}",
		message.Path("file", e.First), message.Path("name", e.Second), message.Foreign("setting", e.What))
}

func (e *MismatchError) Error() string { return e.AsMessage().String() }

// Merge returns the report of the snapshots whose states sources have, as format shard
// writes them: that of a Scan of all of them, whatever the order of the sources and
// however they were merged before. The snapshots are in the order of their names.
//
// Of the options, Tool, Shard, Run, MaxAge, Now and Expect apply, and By, GroupOrder and FailOn where they
// are set; all others are those of the scans. Each Source is opened twice. The ScanError
// has the states that cannot be read, and the snapshots that the scans could not read to
// their end. The error is a *MismatchError if the scans had other options or another
// configuration.
func Merge(ctx context.Context, sources []Source, opt Options) (*Report, error) {
	m := &merge{scan: scan{opt: opt}, sources: sources, states: make([]state, len(sources))}
	first := -1
	for i := range sources {
		s := &m.states[i]
		if s.header, s.err = m.header(ctx, i); s.err != nil {
			continue
		}
		if m.leaveOut(s); s.header == nil {
			continue
		}
		if first < 0 {
			first = i
		} else if what := m.states[first].header.join(s.header); what != "" {
			return nil, &MismatchError{sources[first].Name, sources[i].Name, what}
		}
	}
	if err := m.start(first); err != nil {
		return nil, err
	}
	m.number()
	if first >= 0 { // not before: what number says is about the run that was asked for
		m.opt.Run = cmp.Or(m.opt.Run, m.states[first].header.Run)
	}
	all := agg.NewBuilder(agg.Options{Top: m.opt.Top, Examples: m.opt.Examples})
	for i := range sources {
		if m.states[i].header == nil {
			continue
		}
		b, err := m.read(ctx, i)
		if err != nil {
			m.lose(i, err)
		} else {
			all.Merge(b)
		}
	}
	repeated, in := m.repeated()
	r, err := m.report(all, nil, m.inputs, m.failed())
	if r != nil && repeated > 0 {
		if r.Bounds == nil {
			r.Bounds = new(Bounds)
		}
		r.Bounds.Repeated, r.Bounds.RepeatedIn = repeated, in
	}
	return r, err
}

// repeated returns how many inputs have the name, creation time and sizes of an input of
// another state, and names of such states, as when a merged state is merged with those
// that it was made of.
func (m *merge) repeated() (n int, names []Name) {
	for i := 1; i < len(m.inputs); i++ {
		a, b := &m.inputs[i-1], &m.inputs[i]
		if m.from[i-1] == m.from[i] || b.Keys == 0 || a.Name != b.Name || a.Created != b.Created || a.Bytes != b.Bytes ||
			a.Keys != b.Keys {
			continue
		}
		n++
		for _, s := range m.from[i-1 : i+1] {
			names = append(names, Name(m.sources[s].Name))
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return n, names[:min(len(names), 10)]
}

type merge struct {
	scan
	sources []Source
	states  []state
	inputs  []Input
	from    []int   // the state of each input
	errs    []error // why each input was not read to its end
	engine  *thresholds.Engine
}

type state struct {
	header  *shardHeader // nil if it could not be read
	err     error        // why not
	numbers []int        // of its inputs, in the report
	left    []Input      // of a state that is left out: see Options.Run and MaxAge
	run     string       // of a state that is left out
}

// leaveOut takes the header from a state of another run, or of old snapshots.
func (m *merge) leaveOut(s *state) {
	h := s.header
	now := m.opt.Now
	if now.IsZero() {
		now = time.Now()
	}
	oldest := now.Add(-m.opt.MaxAge).Unix()
	old := m.opt.MaxAge > 0 &&
		slices.ContainsFunc(h.Inputs, func(in Input) bool { return in.Created.Known() && int64(in.Created) < oldest })
	if old || m.opt.Run != "" && h.Run != m.opt.Run {
		s.left, s.run, s.header = h.Inputs, h.Run, nil
		if s.left == nil {
			s.left = []Input{}
		}
	}
}

// missing calls f with each snapshot that has no state, though one was left out or it is
// expected, and with the reason.
func (m *merge) missing(has map[Name]bool, f func(name string, state int, err error)) {
	type last struct {
		Input
		state int
	}
	newest := map[Name]last{}
	for i := range m.states {
		for _, in := range m.states[i].left {
			if known, ok := newest[in.Name]; !has[in.Name] && (!ok || in.Created > known.Created) {
				newest[in.Name] = last{in, i}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(newest)) {
		in := newest[name]
		reason := message.New("its last state is of a snapshot taken {time}", message.Time("time", int64(in.Created)))
		switch run := m.states[in.state].run; {
		case m.opt.Run != "" && run != m.opt.Run && run == "":
			reason = message.New("there is no state of run {run}: the last one is of no run, taken {time}",
				message.Element("run", m.opt.Run), message.Time("time", int64(in.Created)))
		case m.opt.Run != "" && run != m.opt.Run:
			reason = message.New("there is no state of run {run}: the last one is of run {old}, taken {time}",
				message.Element("run", m.opt.Run), message.Element("old", run), message.Time("time", int64(in.Created)))
		}
		f(string(name), in.state, &message.Error{Message: reason})
		has[name] = true
	}
	for _, name := range m.opt.Expect {
		if !has[Name(name)] {
			f(name, -1, message.Errorf("there is no state of it"))
			has[Name(name)] = true
		}
	}
}

func (m *merge) open(ctx context.Context, i int) (io.ReadCloser, *shardHeader, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	src, err := m.sources[i].Open(ctx)
	if err != nil {
		return nil, nil, err
	}
	h, err := readShardHeader(src)
	if err != nil {
		src.Close()
		return nil, nil, err
	}
	return src, h, nil
}

func (m *merge) header(ctx context.Context, i int) (*shardHeader, error) {
	src, h, err := m.open(ctx, i)
	if err == nil {
		err = src.Close()
	}
	return h, err
}

// join checks that another state can be merged with this one, and returns what differs
// if it cannot. It drops what both have.
func (h *shardHeader) join(o *shardHeader) (differs string) {
	differs = h.differences(o)
	if bytes.Compare(o.Policy, h.Policy) < 0 { // only the paths of its files may differ
		h.Policy = o.Policy
	}
	o.Policy = nil
	if h.Run != o.Run {
		h.Run = ""
	}
	if h.By != o.By {
		h.By = ""
	}
	if h.GroupOrder != o.GroupOrder {
		h.GroupOrder = ""
	}
	if h.FailOn != o.FailOn {
		h.FailOn = thresholds.Off
	}
	return differs
}

// start takes the options of a state, none if it is negative.
func (m *merge) start(first int) (err error) {
	if first < 0 {
		m.policy, err = config.Load(config.Options{})
		return cmp.Or(err, m.check())
	}
	h, o := m.states[first].header, &m.opt
	if m.policy, err = config.Restore(h.Policy); err != nil {
		return fmt.Errorf("%q: %w: %v", m.sources[first].Name, agg.ErrState, err)
	}
	o.Top, o.Examples, m.filter = h.Top, h.Examples, h.Filter
	o.Memory = memory.Options{Server: h.Server, Allocator: h.Allocator, State: h.State}
	o.By, o.GroupOrder, o.FailOn = cmp.Or(o.By, h.By), cmp.Or(o.GroupOrder, h.GroupOrder), cmp.Or(o.FailOn, h.FailOn)
	m.engine = m.policy.Compile(thresholds.Env{})
	return m.check()
}

// number puts the inputs of all states in order. A state that cannot be read is an
// input of its own.
func (m *merge) number() {
	type row struct {
		Input
		text          string // decides between inputs of one name
		state, number int    // in the state
		err           error
	}
	var rows []row
	for i := range m.states {
		s := &m.states[i]
		if s.left != nil {
			continue
		}
		if s.header == nil {
			rows = append(rows, row{Input: newInput(m.sources[i].Name, m.sources[i].Size, nil, s.err), state: i, err: s.err})
			continue
		}
		failed := map[int]string{}
		for _, f := range s.header.Failed {
			failed[f.Input] = f.Reason
		}
		for n, in := range s.header.Inputs {
			text, _ := json.Marshal(in)
			rows = append(rows, row{in, string(text), i, n, in.failure(failed[n])})
		}
		s.numbers, s.header.Inputs, s.header.Failed = make([]int, len(s.header.Inputs)), nil, nil
	}
	has := map[Name]bool{}
	for i := range rows {
		has[rows[i].Name] = true
	}
	m.missing(has, func(name string, state int, err error) {
		rows = append(rows, row{Input: newInput(name, -1, nil, err), state: state, err: err})
	})
	slices.SortStableFunc(rows, func(a, b row) int {
		return cmp.Or(strings.Compare(string(a.Name), string(b.Name)), strings.Compare(a.text, b.text))
	})
	for i := range rows {
		r := &rows[i]
		m.inputs, m.from, m.errs = append(m.inputs, r.Input), append(m.from, r.state), append(m.errs, r.err)
		if r.state >= 0 && m.states[r.state].numbers != nil {
			m.states[r.state].numbers[r.number] = i
		}
	}
}

// failure returns the error of reading the input, nil if it was read to its end. reason
// is that of an error which the row does not have.
func (in *Input) failure(reason string) error {
	d := in.Error
	switch {
	case d == nil && reason == "":
		return nil
	case d == nil:
		return errors.New(reason)
	case d.Offset.Known():
		e := &parser.DamageError{Offset: int64(d.Offset), Reason: message.New("{text}", message.Foreign("text", d.Reason)),
			LastKey: bytesOf(d.LastKey), Key: bytesOf(d.Key)}
		if d.Reason == interrupted {
			e.Err = context.Canceled
		}
		return e
	case d.Reason == interrupted:
		return context.Canceled
	}
	return &parser.FormatError{Reason: message.New("{text}", message.Foreign("text", d.Reason)), Hint: message.New(d.Hint)}
}

func bytesOf(n *Name) []byte {
	if n == nil {
		return nil
	}
	return []byte(*n)
}

func (m *merge) read(ctx context.Context, i int) (*agg.Builder, error) {
	src, _, err := m.open(ctx, i)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	z, err := newShardDecoder(src)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	o := agg.StateOptions{Options: agg.Options{Top: m.opt.Top, Examples: m.opt.Examples}, Engine: m.engine,
		Numbers: m.states[i].numbers}
	b, err := agg.ReadState(io.LimitReader(z, maxShardText), o)
	if err != nil && !errors.Is(err, agg.ErrState) {
		err = fmt.Errorf("%w: %w", agg.ErrState, err)
	}
	return b, err
}

// lose notes that a state could not be read after all.
func (m *merge) lose(i int, err error) {
	err = &message.Error{Message: message.New("its state {file}: {reason}", message.Path("file", m.sources[i].Name),
		message.Phrase("reason", reasonOf(err))), Err: err}
	for _, n := range m.states[i].numbers {
		in := &m.inputs[n]
		*in, m.errs[n] = newInput(string(in.Name), int64(in.FileBytes), nil, err), err
	}
}

func (m *merge) failed() (list ScanError) {
	for i, err := range m.errs {
		if err != nil {
			list = append(list, &SourceError{Name: string(m.inputs[i].Name), Keys: m.inputs[i].Keys, Err: err, row: i})
		}
	}
	return list
}
