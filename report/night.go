package report

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds"
)

// The kinds of events.
const (
	EventGone       = "gone"       // an input that was there before was not given
	EventUnreadable = "unreadable" // nothing of it could be read
	EventIncomplete = "incomplete" // it was not read to its end
	EventSameData   = "same-data"  // it has the keys of another input
	EventFuture     = "future"     // it was taken in the future
	EventOlder      = "older"      // it is older than the one before
	EventStale      = "stale"      // it is the one before
	EventAge        = "max-age"    // it was taken longer ago than its limit
	EventFew        = "min-keys"   // it has fewer keys than its limit
	EventShrunk     = "shrunk"     // it, or a group of its keys, lost more than a limit
	EventGrown      = "grown"      // it, or a group of its keys, grew by more than a limit; without one: Info
	EventFinding    = "finding"    // a rule finds what it did not find before
	EventRenamed    = "renamed"    // it has another name than before
	EventNew        = "new"        // an input that was not there before
	EventServer     = "server"     // it is of another server or version
	EventSettings   = "settings"   // other rules or another version of the tool judged it
)

// Lasts are the kinds of events that go on until somebody fixes their cause: they are
// reported once. The others are about one night.
var Lasts = map[string]bool{EventGone: true, EventUnreadable: true, EventIncomplete: true, EventSameData: true,
	EventFuture: true, EventStale: true, EventAge: true, EventFew: true, EventFinding: true}

// Event is one thing that happened to an input since its last complete report.
type Event struct {
	ID       string // the same while the event lasts: kind, input, and what it is about
	Kind     string
	Severity thresholds.Severity
	Input    string          // "" is about all of them
	Rule     string          // of a finding
	What     message.Message // a sentence
	Key      Name            // that a command can look at, "" none
	DB       int             // of Key
	// Harm orders events of one severity: keys that are lost, or bytes.
	Harm int64
}

// Night is one input of a fleet, now and in its last complete report.
type Night struct {
	Name string
	Now  *Brief // nil: nothing of it could be read, or it was not given
	Err  error  // why it was not read to its end, nil if it was
	Gone bool   // it was not given
	Was  string // its name before, "" the same: see Renames
	Last *Brief // nil: there is none
	Diff *Diff  // of the two, nil if one of them is missing or not complete. Keys are not looked at
	// Judged is true if the same rules judged both: profile, configuration, baseline and
	// version of the tool.
	Judged bool
}

// Exceeded returns the rows of a comparison, of all keys or of groups, that changed by at
// least a limit, in bytes or in keys. direction is 1 for growth and -1 for loss. There is
// no least size.
func (d *Diff) Exceeded(l *thresholds.ChangeLimit, direction int64) (rows []*DiffRow) {
	exceeds := func(before, after int64) bool {
		by := (after - before) * direction
		if l.Bytes > 0 {
			return by >= l.Bytes
		}
		return by > 0 && float64(by)/float64(before) >= l.Share && !math.IsInf(l.Share, 1)
	}
	check := func(r *DiffRow) {
		before, after := d.Size(r)
		if exceeds(before, after) || l.Bytes == 0 && exceeds(r.KeysBefore, r.KeysAfter) {
			rows = append(rows, r)
		}
	}
	if l.Group == nil {
		check(&d.Totals)
		return rows
	}
	for i := range d.Groups {
		if r := &d.Groups[i]; l.Group.Match([]byte(*r.Group)) && (r.KeysBefore > 0 || direction > 0) {
			check(r)
		}
	}
	return rows
}

// NightOptions say which changes are events.
type NightOptions struct {
	Limits   *thresholds.Nightly
	Severity thresholds.Severity // least of a finding that is an event
	Now      time.Time
	Last     time.Time // when the last run began: a snapshot may be read twice within staleAfter
	Fleet    *Report   // of all inputs together
	Failed   ScanError // of Fleet
}

// What is lost without a limit of the configuration: keys that have no expiry do not go
// by themselves.
const (
	usualShrink   = 0.3 // of the keys of an input
	lastingShrink = 0.5 // of the keys of a group that had no expiry
	lastingKeys   = 1000
	mostOfLoss    = 0.9 // of the keys that an input lost, by one group
)

// What is growth without a limit of the configuration: a share of what was there before, and of all
// keys or bytes now, DefaultMinKeys or DefaultMinBytes at least.
const (
	usualGrowth = 0.1 // of all keys
	groupGrowth = 0.3
	leastGrowth = 0.01
	mostGrown   = 6 // rows of an input
)

// staleAfter is the time after the last run from which on there should be another
// snapshot.
const staleAfter = 6 * time.Hour

// Events returns what happened to the inputs of a fleet, the worst first.
func Events(nights []Night, o NightOptions) []Event {
	n := &nightEvents{NightOptions: o, budgets: map[string]bool{}}
	n.together(o.Fleet)
	for i := range nights {
		n.input(&nights[i])
	}
	n.sameData(nights)
	n.changesOfAll(nights)
	n.settings(nights)
	slices.SortStableFunc(n.events, func(a, b Event) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(b.Harm, a.Harm), strings.Compare(a.ID, b.ID))
	})
	return n.events
}

type nightEvents struct {
	NightOptions
	events  []Event
	budgets map[string]bool // that all inputs together are over: see budgetID
}

func (n *nightEvents) add(kind string, severity thresholds.Severity, input, about string, harm int64,
	what message.Message) *Event {
	n.events = append(n.events, Event{ID: strings.Join([]string{kind, input, about}, "\x00"), Kind: kind,
		Severity: severity, Input: input, What: what, Harm: harm})
	return &n.events[len(n.events)-1]
}

// wholeLoss is the harm of losing all of an input.
func wholeLoss(r *Brief) int64 {
	if r == nil {
		return 1
	}
	return 1 + r.Totals.Keys
}

func (n *nightEvents) input(in *Night) {
	switch {
	case in.Gone:
		n.add(EventGone, thresholds.Error, in.Name, "", wholeLoss(in.Last),
			message.New("missing: it was not given; before, it had {keys}", keysArg("keys", in.Last.Totals.Keys)))
		return
	case in.Now == nil:
		n.add(EventUnreadable, thresholds.Error, in.Name, "", wholeLoss(in.Last),
			message.New("nothing could be read: {reason}", message.Reason("reason", in.Err)))
		return
	case in.Err != nil || !in.Now.Complete:
		what := message.New("not read to its end, after {keys}: {reason}", keysArg("keys", in.Now.Totals.Keys),
			message.Reason("reason", in.Err))
		if in.Err == nil {
			what = message.New("not read to its end, after {keys}", keysArg("keys", in.Now.Totals.Keys))
		}
		n.add(EventIncomplete, thresholds.Error, in.Name, "", wholeLoss(in.Last), what)
	case in.Was != "":
		n.add(EventRenamed, thresholds.Info, in.Name, in.Was, 0,
			message.New("named {file} before", message.Path("file", in.Was)))
	case in.Last == nil:
		n.add(EventNew, thresholds.Info, in.Name, "", in.Now.Totals.Keys,
			message.New("new: {keys}", keysArg("keys", in.Now.Totals.Keys)))
	}
	now := created(in.Now)
	if now.Known() && !n.Now.IsZero() && int64(now) > n.Now.Unix()+thresholds.ClockSlack {
		n.add(EventFuture, thresholds.Error, in.Name, "", 1,
			message.New("taken in the future: {time}", message.Time("time", int64(now))))
	}
	if in.Last != nil {
		n.time(in, now)
		n.server(in)
	}
	limits := n.Limits.Of(in.Name)
	n.limits(in, now, &limits)
	n.findings(in)
	if in.Diff != nil {
		n.changes(in.Name, in.Diff, &limits)
	}
}

// limits adds what is too old, or has too few keys.
func (n *nightEvents) limits(in *Night, now Figure, l *thresholds.NightlyLimits) {
	add := func(kind, id string, args ...message.Arg) {
		n.add(kind, thresholds.Error, in.Name, "", 1, message.New("{rule}: {text}", message.Text("rule", kind),
			message.Phrase("text", message.New(id, args...))))
	}
	if age := l.MaxAge; age != nil && age.Number >= 0 {
		limit := message.Figure("limit", age.Number, message.FormExactDuration)
		switch {
		case !now.Known():
			add(EventAge, "it does not say when it was taken, and the limit is {limit}", limit)
		case n.Now.Unix()-int64(now) > age.Number:
			add(EventAge, "taken {created}, longer ago than {limit}", message.Time("created", int64(now)), limit)
		}
	}
	if least := l.MinKeys; least != nil && in.Now.Complete && in.Now.Totals.Keys < least.Number {
		add(EventFew, "{keys}, under {limit}", keysArg("keys", in.Now.Totals.Keys), message.Int("limit", least.Number))
	}
}

// time compares when the snapshots were taken.
func (n *nightEvents) time(in *Night, now Figure) {
	last := created(in.Last)
	switch {
	case !now.Known() || !last.Known() || !n.Now.IsZero() && int64(last) > n.Now.Unix()+thresholds.ClockSlack:
	case now < last:
		n.add(EventOlder, thresholds.Error, in.Name, "", 1,
			message.New("taken {time}, before the last one, {before}", message.Time("time", int64(now)),
				message.Time("before", int64(last))))
	case now == last && in.Now.Complete && n.Now.Sub(n.Last) > staleAfter:
		n.add(EventStale, thresholds.Warning, in.Name, "", 1,
			message.New("no new snapshot: it is the one of {time} again", message.Time("time", int64(now))))
	}
}

// created returns when the snapshot of a report of one input was taken.
func created(r *Brief) Figure {
	if r == nil || len(r.Inputs) == 0 {
		return Unknown
	}
	return r.Inputs[0].Created
}

func (n *nightEvents) server(in *Night) {
	if len(in.Now.Inputs) == 0 || len(in.Last.Inputs) == 0 {
		return
	}
	now, last := &in.Now.Inputs[0], &in.Last.Inputs[0]
	if now.Server != last.Server || now.ServerVersion != last.ServerVersion {
		n.add(EventServer, thresholds.Info, in.Name, string(now.ServerVersion), 0,
			message.New("written by {server}, before by {old}", message.Phrase("server", serverText(now)),
				message.Phrase("old", serverText(last))))
	}
}

// findings adds what rules find that they did not find before. What other rules find is
// not new.
func (n *nightEvents) findings(in *Night) {
	if in.Diff != nil {
		for i := range in.Diff.Findings.New {
			f := &in.Diff.Findings.New[i]
			if in.Judged && !n.budgets[budgetID(f.Subject, f.Message)] {
				n.finding(in.Name, f.Rule, f.Severity, f.DB, f.Group, f.Subject, f.CountAfter, f.Message, f.Owner,
					f.Source)
			}
		}
		return
	}
	if in.Last != nil {
		return
	}
	for i := range in.Now.Rules {
		f := &in.Now.Rules[i]
		if len(f.Examples) == 0 {
			continue
		}
		e := &f.Examples[0]
		subject, db := e.Subject, (*int)(nil)
		if e.KeyRow != nil {
			subject, db = e.Key, &e.DB
		}
		if f.Count > 1 || !n.budgets[budgetID(subject, e.Message)] {
			n.finding(in.Name, f.Rule, f.Severity, db, "", subject, f.Count, e.Message, "", nil)
		}
	}
}

// findingID identifies a finding of an input: by rule, severity and group, of the whole
// instance by subject.
func findingID(input, rule, severity string, group, subject Name) string {
	id := []string{EventFinding, input, rule, severity, string(group)}
	if r, _ := thresholds.Lookup(rule); r != nil && r.Instance {
		id = append(id, string(subject))
	}
	return strings.Join(id, "\x00")
}

// Lasting returns the IDs of the findings that an input has now and had before.
func (in *Night) Lasting() (ids []string) {
	if in.Diff == nil {
		return nil
	}
	for i := range in.Diff.Findings.Persisting {
		f := &in.Diff.Findings.Persisting[i]
		ids = append(ids, findingID(in.Name, f.Rule, f.Severity, f.Group, f.Subject))
	}
	return ids
}

func (n *nightEvents) finding(input, rule, severity string, db *int, group, subject Name, count int64,
	text message.Message, owner string, source []SourceLine) {
	s, _ := thresholds.ParseSeverity(severity)
	r, known := thresholds.Lookup(rule)
	if s < n.Severity || !known {
		return
	}
	what, name := "{rule}: {key}: {text}", subject
	switch {
	case text.IsZero() && count > 1: // no report has a key of the group
		what, name = "{rule}: {findings} in {key}", cmp.Or(subject, group)
	case text.IsZero():
		what, name = "{rule}: {key}", cmp.Or(subject, group)
	case count > 1:
		what = "{rule}: {findings}, the worst {key}: {text}"
	}
	e := n.add(EventFinding, s, input, "", count, placed(message.New(what, message.Text("rule", rule),
		message.Number("findings", count, "1 finding", "{n} findings"), message.Name("key", string(name)),
		message.Phrase("text", text)), owner, source, strings.HasSuffix(rule, "-ttl")))
	e.Rule, e.ID = rule, findingID(input, rule, severity, group, subject)
	if e.DB = 0; db != nil {
		e.DB = *db
	}
	if !r.Instance {
		e.Key = subject
	}
}

// changes adds what an input, or a group of its keys, lost or gained.
func (n *nightEvents) changes(input string, d *Diff, limits *thresholds.NightlyLimits) {
	listed := map[*DiffRow]bool{}
	row := func(kind string, r *DiffRow) {
		if !listed[r] {
			listed[r] = true
			n.change(kind, thresholds.Error, input, d, r)
		}
	}
	eachLimit(limits, func(l *thresholds.ChangeLimit, kind string, direction int64) {
		for _, r := range d.Exceeded(l, direction) {
			if !l.Fleet && (r.KeysBefore > 0 || l.Bytes > 0) { // nothing has no share
				row(kind, r)
			}
		}
	})
	// Without a limit: the group that lost most, if that explains what all keys lost, or
	// all keys, but not both.
	lost := d.Totals.KeysBefore - d.Totals.KeysAfter
	all := float64(lost) >= usualShrink*float64(max(d.Totals.KeysBefore, 1)) && !limited(limits.Shrink, nil)
	explained := false
	for i := range d.Groups {
		r := &d.Groups[i]
		gone := r.WithoutTTLBefore - r.KeysAfter // what had an expiry may have expired
		most := float64(r.KeysBefore-r.KeysAfter) >= mostOfLoss*float64(lost)
		explained = explained || most && listed[r]
		if r.RenamedTo != nil || gone < lastingKeys || float64(gone) < lastingShrink*float64(r.WithoutTTLBefore) ||
			limited(limits.Shrink, r.Group) {
			continue
		}
		if most || !all {
			explained = explained || most
			row(EventShrunk, r)
		}
	}
	if all && !explained {
		row(EventShrunk, &d.Totals)
	}
	rows := slices.DeleteFunc(d.grown(), func(r *DiffRow) bool { return listed[r] || limited(limits.Grow, r.Group) })
	for _, r := range rows[:min(len(rows), mostGrown)] {
		n.change(EventGrown, thresholds.Info, input, d, r)
	}
}

// grown returns what grew without a limit of the configuration, which is information: all keys, then
// the groups, the largest growth first.
func (d *Diff) grown() (rows []*DiffRow) {
	_, size := d.Size(&d.Totals)
	grew := func(before, after, all, least int64, share float64) bool {
		by := float64(after - before)
		return by >= share*float64(before) && by >= max(float64(least), leastGrowth*float64(all))
	}
	check := func(r *DiffRow, share float64) {
		before, after := d.Size(r)
		if grew(before, after, size, DefaultMinBytes, share) ||
			grew(r.KeysBefore, r.KeysAfter, d.Totals.KeysAfter, DefaultMinKeys, share) {
			rows = append(rows, r)
		}
	}
	check(&d.Totals, usualGrowth)
	all := len(rows)
	for i := range d.Groups {
		check(&d.Groups[i], groupGrowth)
	}
	slices.SortStableFunc(rows[all:], func(a, b *DiffRow) int { return cmp.Compare(d.growth(b), d.growth(a)) })
	return rows
}

// growth returns by how much a row grew.
func (d *Diff) growth(r *DiffRow) int64 {
	before, after := d.Size(r)
	return after - before
}

// placed is WithSource of words that are no sentence: where one follows, they end with a full stop.
func placed(m message.Message, owner string, lines []SourceLine, aboutTTL bool) message.Message {
	if owner != "" || len(lines) > 0 {
		m = message.New("{text}.", message.Phrase("text", m))
	}
	return WithSource(m, owner, lines, aboutTTL)
}

// change adds what a row lost or gained. What grew without a limit is ordered by bytes.
func (n *nightEvents) change(kind string, severity thresholds.Severity, input string, d *Diff, r *DiffRow) {
	before, after := d.Size(r)
	what, about := message.Word("what", "all keys"), ""
	if r.Group != nil {
		what, about = message.Name("what", string(*r.Group)), string(*r.Group)
	}
	harm := distance(r.KeysBefore, r.KeysAfter)
	if severity == thresholds.Info {
		harm = d.growth(r)
	}
	n.add(kind, severity, input, about, harm, placed(message.New("{what}: {n} -> {keys}, {before} -> {after}", what,
		message.Int("n", r.KeysBefore), keysArg("keys", r.KeysAfter), message.Size("before", before),
		message.Size("after", after)), r.Owner, r.Source, false))
}

// limited reports whether the configuration has a limit for all keys (nil) or for a
// group, which then applies alone.
func limited(limits []thresholds.ChangeLimit, group *Name) bool {
	return slices.ContainsFunc(limits, func(l thresholds.ChangeLimit) bool {
		if l.Group == nil {
			return group == nil && !l.Fleet
		}
		return group != nil && l.Group.Match([]byte(*group))
	})
}

func eachLimit(l *thresholds.NightlyLimits, do func(l *thresholds.ChangeLimit, kind string, direction int64)) {
	for i := range l.Shrink {
		do(&l.Shrink[i], EventShrunk, -1)
	}
	for i := range l.Grow {
		do(&l.Grow[i], EventGrown, 1)
	}
}

// settings says, once, that other rules or another version judged the inputs.
func (n *nightEvents) settings(nights []Night) {
	for i := range nights {
		in := &nights[i]
		if in.Now == nil || in.Last == nil || in.Judged {
			continue
		}
		what := message.New("rdblens {version} made the last report, {now} this one: what its rules find is not called new",
			message.Text("version", in.Last.Tool.Version), message.Text("now", in.Now.Tool.Version))
		if in.Last.Tool.Version == in.Now.Tool.Version {
			what = message.New("the configuration or the baseline changed: what its rules find is not called new")
		}
		n.add(EventSettings, thresholds.Info, "", "", 0, what)
		return
	}
}
