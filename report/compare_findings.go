package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/internal/agg"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// alerts says what nobody must miss, and what limits the comparison.
func (c *comparison) alerts() {
	d := c.d
	for side, s := range []*DiffSide{&d.Old, &d.New} {
		if !s.Complete {
			name := s.Name
			for i := range c.sides[side].Inputs {
				if in := &c.sides[side].Inputs[i]; !in.Complete { // of several, the first that is not
					name = in.Name
					break
				}
			}
			c.alert("INCOMPLETE: {file} was not read to its end: what is missing there is not gone", fileArg("file", name))
		}
	}
	c.inputAlerts()
	t := &d.Totals
	before, after := d.Size(t)
	lost := func(before, after int64) bool {
		return before > 0 && float64(before-after) >= alertShrink*float64(before)
	}
	if lost(t.KeysBefore, t.KeysAfter) || lost(before, after) {
		c.alert("SHRUNK: {before} before, {after} now: {keys} of the keys and {bytes} of the bytes are gone",
			keysArg("before", t.KeysBefore),
			message.Int("after", t.KeysAfter), shareArg("keys", max(0, t.KeysBefore-t.KeysAfter), t.KeysBefore),
			shareArg("bytes", max(0, before-after), before))
	}
	if d.Old.Created.Known() && d.New.Created.Known() && d.Old.Created > d.New.Created {
		c.alert("REVERSED: the old snapshot was taken after the new one")
	}
	if d.Old.Profile != d.New.Profile {
		c.note("the rules differ: profile {old} before, {new} now", elementOrNone("old", d.Old.Profile),
			elementOrNone("new", d.New.Profile))
	}
	filters := [2]message.Message{filterOf(c.sides[0]), filterOf(c.sides[1])}
	if filters[0].String() != filters[1].String() {
		c.note("the filters differ: {old} before, {new} now", message.Phrase("old", orWord(filters[0], "none")),
			message.Phrase("new", orWord(filters[1], "none")))
	} else if !filters[0].IsZero() {
		c.note("only {filter}", message.Phrase("filter", filters[0]))
	}
	if d.Old.Server != d.New.Server || d.Old.ServerVersion != d.New.ServerVersion {
		c.note("the server was {server} before and is {version} now: memory differs by that, too",
			message.Phrase("server", d.Old.server()), message.Phrase("version", d.New.server()))
	}
}

// inputAlerts names the inputs of reports of several that are gone, or have lost as many
// keys as an alert says of all of them.
func (c *comparison) inputAlerts() {
	if len(c.sides[0].Inputs) < 2 {
		return
	}
	now := map[Name]*Input{}
	for i := range c.sides[1].Inputs {
		now[c.sides[1].Inputs[i].Name] = &c.sides[1].Inputs[i]
	}
	if !slices.ContainsFunc(c.sides[0].Inputs, func(in Input) bool { return now[in.Name] != nil }) {
		return // other names each night
	}
	for i := range c.sides[0].Inputs {
		before := &c.sides[0].Inputs[i]
		switch after := now[before.Name]; {
		case after == nil:
			c.alert("GONE: {file}: {before} before", fileArg("file", before.Name), keysArg("before", before.Keys))
		case before.Keys > 0 && float64(before.Keys-after.Keys) >= alertShrink*float64(before.Keys):
			c.alert("SHRUNK: {file}: {before} before, {after} now", fileArg("file", before.Name), keysArg("before", before.Keys),
				message.Int("after", after.Keys))
		}
	}
}

// elementOrNone is a word that somebody else wrote, or "none".
func elementOrNone(name, s string) message.Arg {
	if s == "" {
		return message.Word(name, "none")
	}
	return message.Text(name, s)
}

func filterOf(r *Report) message.Message {
	if r.Filter == nil {
		return message.Message{}
	}
	return filterText(r.Filter)
}

func (s *DiffSide) server() message.Message {
	return serverText(&Input{Server: s.Server, ServerVersion: s.ServerVersion})
}

func savedKeys(r *Report) *agg.KeyList {
	list := agg.NewKeyList(nil)
	measure := ByMemory
	if !r.Totals.MemoryBytes.Known() {
		measure = ByValueBytes
	}
	var keys []agg.ListedKey
	add := func(k *KeyRow) {
		hash, err := strconv.ParseUint(k.NameHash, 16, 64)
		if err == nil && len(k.Key) != agg.ListedName {
			return // cut shorter
		}
		keys = append(keys, agg.ListedKey{KeyID: agg.KeyID{Input: k.Input, DB: k.DB, Name: string(k.Key), Hash: hash},
			KeyFigures: agg.KeyFigures{Type: k.Type, Elements: int64(k.Elements), ValueBytes: int64(k.ValueBytes),
				Memory: int64(k.Memory)}, Group: string(k.Group)})
	}
	for _, rows := range keysByGroup(r) {
		for _, k := range rows {
			add(k)
		}
	}
	for i := range r.Rules {
		for _, e := range r.Rules[i].Examples {
			if e.KeyRow != nil {
				add(e.KeyRow)
			}
		}
	}
	list.Fill(keys)
	for _, t := range r.Types {
		switch top := r.TopByType[t.Type][measure]; {
		case int64(len(top)) >= t.Keys:
		case len(top) == 0:
			list.Cutoff = math.MaxInt64
		default:
			k := &top[len(top)-1]
			list.Cutoff = max(list.Cutoff, int64(sizeOf(k.Memory, int64(k.ValueBytes))))
		}
	}
	return list
}

func (c *comparison) keys(lists [2]*agg.KeyList) {
	d := c.d
	by := map[int]int64{} // change of the listed keys that changed, by row
	for side, list := range lists {
		other := lists[1-side]
		for i := range list.Keys {
			k := &list.Keys[i]
			if side == 1 && lists[0].Find(k.KeyID) >= 0 {
				continue // compared already
			}
			d.Keys.Compared++
			found := other.Found[i]
			row, grouped := c.row[side][Name(k.Group)]
			if r := c.rows; !found.Known && grouped &&
				(side == 0 && r[row].KeysAfter == 0 || side == 1 && r[row].KeysBefore == 0) {
				found.Known = true
			}
			figures := [2]agg.KeyFigures{}
			figures[side], figures[1-side] = k.KeyFigures, found.KeyFigures
			size := func(f *agg.KeyFigures) int64 {
				if d.Measure == ByMemory {
					return f.Size()
				}
				return max(f.ValueBytes, 0)
			}
			sizes := [2]int64{size(&figures[0]), size(&figures[1])}
			key := DiffKey{Input: k.Input, DB: k.DB, Key: Name(k.Name), Type: k.Type, Group: Name(k.Group), Limit: Unknown,
				Shown: true}
			if !found.Known {
				sizes[1-side], key.Limit = min(other.Cutoff, sizes[side]), Figure(other.Cutoff)
			}
			change := d.change(sizes[0], sizes[1], figures[0].Type != "" || !found.Known, figures[1].Type != "" || !found.Known)
			if change == "" {
				continue
			}
			for s, f := range figures {
				if f.Type == "" {
					f = agg.KeyFigures{Elements: -1, ValueBytes: -1, Memory: -1}
				}
				key.set(s, &f)
			}
			if grouped {
				r := &c.rows[row]
				by[row] += sizes[1] - sizes[0]
				key.Shown = !(r.Change == ChangeRenamed || (r.Change == ChangeNew || r.Change == ChangeGone) &&
					max(r.KeysBefore, r.KeysAfter) > 1)
			}
			list := map[string]*[]DiffKey{ChangeNew: &d.Keys.New, ChangeGone: &d.Keys.Gone, ChangeGrown: &d.Keys.Grown,
				ChangeShrunk: &d.Keys.Shrunk}[change]
			if !found.Known {
				list = [2]*[]DiffKey{&d.Keys.Left, &d.Keys.Entered}[side]
			}
			*list = append(*list, key)
		}
	}
	for row, change := range by {
		r := &c.rows[row]
		before, after := d.Size(r)
		several := max(r.KeysBefore, r.KeysAfter) > 1
		switch r.Change {
		case ChangeNew, ChangeGone:
			r.Explained = !several
		case ChangeGrown, ChangeShrunk:
			r.Explained = !d.counts(before, after-change)
		}
	}
	for _, list := range []*[]DiffKey{&d.Keys.New, &d.Keys.Gone, &d.Keys.Grown, &d.Keys.Shrunk, &d.Keys.Entered,
		&d.Keys.Left} {
		slices.SortFunc(*list, func(a, b DiffKey) int {
			return cmp.Or(cmp.Compare(b.change(), a.change()), cmp.Compare(a.Input, b.Input), cmp.Compare(a.DB, b.DB),
				cmp.Compare(a.Key, b.Key))
		})
	}
	for _, list := range lists {
		if list.Cutoff >= 0 {
			c.note("keys are compared one by one if they are among the largest of one side; all others are compared by group")
			break
		}
	}
}

func (k *DiffKey) set(side int, f *agg.KeyFigures) {
	if side == 0 {
		k.ElementsBefore, k.ValueBytesBefore, k.MemoryBytesBefore = Figure(f.Elements), Figure(f.ValueBytes), Figure(f.Memory)
	} else {
		k.ElementsAfter, k.ValueBytesAfter, k.MemoryBytesAfter = Figure(f.Elements), Figure(f.ValueBytes), Figure(f.Memory)
	}
}

// sizes returns the sizes of a key, 0 where there is none.
func (k *DiffKey) sizes() (before, after int64) {
	size := func(memory, value Figure) int64 { return max(0, int64(sizeOf(memory, int64(value)))) }
	return size(k.MemoryBytesBefore, k.ValueBytesBefore), size(k.MemoryBytesAfter, k.ValueBytesAfter)
}

func (k *DiffKey) change() int64 {
	before, after := k.sizes()
	return max(after-before, before-after)
}

// place identifies findings that are the same on both sides: those of a rule in a
// group, or of a rule over the instance about a subject.
type place struct {
	rule    string
	row     int  // of the groups, -1 none
	subject Name // or the name of a group that is not among them
}

func (c *comparison) findings() {
	list := &c.d.Findings
	before, after := c.findingsOf(0), c.findingsOf(1)
	for at, f := range after.all {
		b := before.all[at]
		switch {
		case b != nil:
			f.SeverityBefore, f.CountBefore = b.Severity, b.CountBefore
			if severityOf(f.Severity) > severityOf(b.Severity) {
				list.New = append(list.New, *f)
			} else {
				list.Persisting = append(list.Persisting, *f)
			}
		case before.also[at]:
			list.Persisting = append(list.Persisting, *f)
		case c.unknown(0, at):
			list.Persisting = append(list.Persisting, *f)
			list.Unknown++
		default:
			list.New = append(list.New, *f)
		}
	}
	list.New = append(list.New, c.overGrowth()...)
	for at, f := range before.all {
		f.SeverityBefore = f.Severity
		switch {
		case after.all[at] != nil:
		case after.also[at]:
			list.Persisting = append(list.Persisting, *f)
		case c.unknown(1, at):
			list.Persisting = append(list.Persisting, *f)
			list.Unknown++
		default:
			f.ReasonMessage = c.reasonGone(at)
			f.Reason = f.ReasonMessage.String()
			list.Resolved = append(list.Resolved, *f)
		}
	}
	for _, list := range [][]DiffFinding{list.New, list.Resolved, list.Persisting} {
		slices.SortFunc(list, func(a, b DiffFinding) int {
			return cmp.Or(cmp.Compare(severityOf(b.Severity), severityOf(a.Severity)),
				cmp.Compare(b.CountAfter+b.CountBefore, a.CountAfter+a.CountBefore),
				cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Group, b.Group), cmp.Compare(a.Subject, b.Subject))
		})
	}
	for i := range list.New {
		list.New[i].Fix = c.sides[1].fixOf(&list.New[i])
	}
	if list.Unknown > 0 {
		c.note("{findings} are in groups that a saved report does not name: they count as still there",
			message.Number("findings", list.Unknown, "1 finding", "{n} findings"))
	}
}

// fixOf returns what to do about an error or a warning, without what changes data: what is to be fixed first,
// or the advice about an example, or else that of the rule.
func (r *Report) fixOf(f *DiffFinding) message.Message {
	rule, _ := thresholds.Lookup(f.Rule)
	if f.Severity == "info" || rule == nil {
		return message.Message{}
	}
	fix := func(text message.Message) message.Message {
		return message.New("{group}: {text}", message.Phrase("group", f.what()), message.Phrase("text", text))
	}
	for i := range r.FixFirst {
		s := &r.FixFirst[i]
		of := s.Group != "" && s.Group == f.Group || s.Key != "" && s.Key == f.Subject && rule.Harm == thresholds.Blocks
		if of && !s.ChangesData && s.aboutTTL() == strings.HasSuffix(f.Rule, "-ttl") {
			return sentenceOf(s.Message, s.Text)
		}
	}
	for i := range r.Rules {
		for n := range r.Rules[i].Examples {
			e := &r.Rules[i].Examples[n]
			if r.Rules[i].Rule != f.Rule || !slices.Contains(e.Groups, f.Group) && (e.KeyRow == nil || e.Group != f.Group) {
				continue
			}
			for _, a := range e.Advice {
				if !a.ChangesData && a.Kind != "cost" && a.Kind != "look" {
					return fix(sentenceOf(a.Message, a.Text))
				}
			}
		}
	}
	return fix(word(rule.Doc.Fix))
}

// reasonGone says why the new side has no finding at a place where the old one has one.
func (c *comparison) reasonGone(at place) message.Message {
	now, rule := c.sides[1], message.Text("rule", at.rule)
	group := at.subject
	if at.row >= 0 {
		row := &c.rows[at.row]
		if group = *row.Group; row.KeysAfter == 0 {
			return message.New("the keys are gone")
		}
	}
	if now.Config.Checked != nil && !slices.Contains(now.Config.Checked, at.rule) {
		return message.New("{rule} is no longer checked", rule)
	}
	if slices.ContainsFunc(now.Counted, func(n Counted) bool { return n.Rule == at.rule }) {
		return message.New("{rule} is only counted", rule)
	}
	for i := range now.Groups {
		if g := &now.Groups[i]; c.row[1][g.Group] == at.row && g.Identity.Explains(at.rule) {
			return message.New("{library} writes them so", message.Element("library", g.Identity.Library))
		}
	}
	for i := range now.Ignored {
		in := &now.Ignored[i]
		pattern, err := naming.ParseGlob(in.Pattern)
		matches := in.Pattern == "" || in.Pattern == string(group) || err == nil && pattern.Match([]byte(group))
		if in.Count > 0 && matches && slices.Contains(strings.Split(in.Rule, ", "), at.rule) {
			return message.New("ignored: {reason}", message.Element("reason", in.Reason))
		}
	}
	if c.sides[0].Config.Profile != now.Config.Profile || c.sides[0].Config.File != now.Config.File {
		return message.New("the rules differ, or the keys changed")
	}
	return message.New("the keys changed")
}

// overGrowth returns the findings about budgets whose keys grew by more than they may a
// day.
func (c *comparison) overGrowth() (list []DiffFinding) {
	if c.policy == nil || !c.d.Old.Created.Known() || !c.d.New.Created.Known() {
		return nil
	}
	engine := c.policy.Compile(thresholds.Env{Memory: c.d.Measure == ByMemory})
	for i := range c.policy.Budgets {
		var sums [2]thresholds.BudgetSums
		for side, r := range c.sides {
			for _, b := range r.Budgets {
				if b.Budget == Name(thresholds.SubjectText(c.policy.Budgets[i].Subject())) {
					sums[side].Keys += b.Keys // a row for each snapshot, if they are judged apart
					sums[side].Bytes += b.Bytes
					sums[side].WithoutTTL += b.WithoutTTL
				}
			}
		}
		if f, ok := engine.Growth(i, sums[0], sums[1], int64(c.d.New.Created-c.d.Old.Created)); ok {
			text := engine.InstanceText(f)
			list = append(list, DiffFinding{Rule: f.Rule.Name(), Severity: f.Severity.String(),
				Subject:        Name(thresholds.SubjectText(f.Subject)),
				SubjectMessage: f.Subject, CountAfter: 1, Text: text.String(), Message: text})
		}
	}
	return list
}

type sideFindings struct {
	all  map[place]*DiffFinding
	also map[place]bool // in which a finding of an instance rule has keys, too
}

func (c *comparison) findingsOf(side int) sideFindings {
	all, also := map[place]*DiffFinding{}, map[place]bool{}
	add := func(at place, f *Finding, count int64, e *Example) {
		found := all[at]
		if found == nil {
			found = &DiffFinding{Rule: f.Rule, Severity: f.Severity, Group: at.subject}
			if at.row >= 0 {
				row := &c.rows[at.row]
				found.Group, found.DB, found.Owner = *row.Group, row.DB, row.Owner
			}
			all[at] = found // the rules are sorted by severity
		}
		if found.Text == "" && e != nil {
			found.Text, found.Message, found.Subject, found.SubjectMessage = e.Text, e.Message, e.subject(), e.SubjectMessage
		}
		if side == 0 {
			found.CountBefore += count
		} else {
			found.CountAfter += count
		}
	}
	in := func(rule string, group Name) place {
		if row, ok := c.row[side][group]; ok {
			return place{rule, row, ""}
		}
		return place{rule, -1, group}
	}
	r := c.sides[side]
	for i := range r.Rules {
		f := &r.Rules[i]
		if rule, ok := thresholds.Lookup(f.Rule); ok && rule.Instance {
			for n := range f.Examples {
				e := &f.Examples[n]
				at := place{f.Rule, -1, e.Subject}
				if len(e.Groups) > 0 { // subjects are minutes, slots, ...: the groups say what it is about
					at = in(f.Rule, e.Groups[0])
				}
				add(at, f, 1, e)
			}
			for _, g := range f.Groups {
				also[in(f.Rule, g.Group)] = true
			}
			continue
		}
		for _, g := range f.Groups {
			add(in(f.Rule, g.Group), f, g.Count, nil)
		}
		for n := range f.Examples { // the worst first
			if e := &f.Examples[n]; e.KeyRow != nil {
				add(in(f.Rule, e.KeyRow.Group), f, 0, e)
			}
		}
	}
	return sideFindings{all, also}
}

// unknown reports whether a side, which does not name a finding, may have it.
func (c *comparison) unknown(side int, at place) bool {
	r := c.sides[side]
	for i := range r.Rules {
		f := &r.Rules[i]
		if f.Rule != at.rule || f.GroupsMore <= 0 {
			continue
		}
		for j := range r.Groups {
			if g := &r.Groups[j]; g.Findings > 0 && c.row[side][g.Group] == at.row {
				return true
			}
		}
	}
	return false
}
