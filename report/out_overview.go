package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/rdblens/rdblens/parser/message"
)

// overview is a report in seven parts, as a terminal, a ticket and a mail show
// them: what is wrong with the files and what they are, the biggest keys, where the
// memory is, the problems, what to fix first, what could be saved, and where more
// is. It is computed from the report alone.
type overview struct {
	r        *Report
	wrong    []message.Message // what nobody must miss, worst first
	about    []message.Message // what the files are and have, and which rules judged
	lead     int               // lines of about that stay whatever the space
	keys     []bigKey          // the largest by Report.By, one of a group
	groups   []Group           // those with most memory, or a cut of the tree of names
	cut      bool              // the groups are that
	depth    int               // WriteOptions.Depth
	nodes    []Node            // of several inputs the worst
	problems []problem
	broken   message.Message   // the headline of the problems
	fixes    []message.Message // what to do first
	savings  []Step
	advice   bool // WriteOptions.Advice
	small    bool // it is shown on a terminal of few lines
	rows     int  // WriteOptions.Rows
}

// The most rows that an overview has.
const (
	overviewKeys   = 10
	leastBigKeys   = 3 // however small they are
	overviewGroups = 10
	overviewPlaces = 12 // the last one is everything else
	// overviewDeepPlaces is overviewPlaces of a depth that was asked for.
	overviewDeepPlaces = 40
	overviewNodes      = 8
	overviewFixes      = 6
	overviewSavings    = 6
	overviewAlerts     = 4 // sentences about what is wrong
)

func newOverview(r *Report, o WriteOptions) *overview {
	v := &overview{r: r, small: o.Height > 0 && o.Height <= smallScreen && o.Rows == 0, keys: bigKeys(r, cmp.Or(o.Rows, overviewKeys)), depth: o.Depth, rows: o.Rows, advice: o.Advice}
	if whole := r.Totals.MemoryBytes; o.Rows == 0 && r.By == ByMemory && whole.Known() { // the largest of a group may be small
		for len(v.keys) > leastBigKeys && v.keys[len(v.keys)-1].Memory < whole/1000 {
			v.keys = v.keys[:len(v.keys)-1]
		}
	}
	v.alerts()
	v.describe(o.Now)
	v.groups = slices.Clone(r.Groups)
	sortGroups(v.groups, "")
	v.groups = v.groups[:min(len(v.groups), cmp.Or(o.Rows, overviewGroups))]
	if r.Tree != nil {
		if rows := v.cutRows(); rows != nil {
			v.cut = true
			v.groups = v.groups[:0]
			for i := range rows {
				v.groups = append(v.groups, rows[i].Group)
			}
		}
	}
	v.nodes = r.worstNodes()
	v.nodes = v.nodes[:min(len(v.nodes), overviewNodes)]
	v.findProblems()
	for i := range r.FixFirst {
		if s := &r.FixFirst[i]; !s.ChangesData || o.Advice {
			v.fixes = append(v.fixes, r.withSource(s))
		}
	}
	v.savings = r.Savings[:min(len(r.Savings), overviewSavings)]
	return v
}

// severalDatabases reports whether a database other than 0 has keys.
func severalDatabases(r *Report) bool {
	return slices.ContainsFunc(r.Databases, func(d Database) bool { return d.DB != 0 })
}

// fileArg is the name of a file, or a word for standard input.
func fileArg(name string, path Name) message.Arg {
	switch path {
	case "-":
		return message.Word(name, "standard input")
	case "":
		return message.Element(name, "")
	}
	return message.Path(name, string(path))
}

func fileText(path Name) message.Message { return only(fileArg("file", path)) }

func (v *overview) alerts() {
	r := v.r
	var damaged, unread, lost []message.Message
	for i := range r.Inputs {
		in := &r.Inputs[i]
		d := in.Error
		if n := in.AnnouncedKeys; n != nil && *n > in.Keys && d == nil && !in.Complete {
			lost = append(lost, message.New("INCOMPLETE: {file} has {n} of {announced} keys that the file announces.",
				fileArg("file", in.Name), message.Int("n", in.Keys), message.Int("announced", *n)))
			continue
		}
		if d == nil {
			continue
		}
		args := []message.Arg{fileArg("file", in.Name), message.Phrase("reason", sentenceOf(d.Message, d.Reason)),
			keysArg("keys", in.Keys), message.Phrase("offset", countText(d.Offset))}
		switch {
		case in.Ended:
			damaged = append(damaged, message.New("DAMAGED: {file}: {reason}. Every key was read.", args...))
		case !d.Offset.Known():
			unread = append(unread, message.New("NOT READ: {file}: {reason}.", args...))
		default:
			lost = append(lost, message.New("INCOMPLETE: {file} could be read up to offset {offset} only: {reason}. Counted: {keys} before it.", args...))
		}
	}
	v.wrong = slices.Concat(r.clusterAlerts(), r.Bounds.repeatedAlert(), r.SameServerAlerts(), lost, unread, damaged)
	if n := len(v.wrong) - overviewAlerts; n > 0 {
		v.wrong = append(v.wrong[:overviewAlerts], message.New("Not shown here: {n} more (--details).",
			message.Int("n", int64(n))))
	}
	switch {
	case r.Interrupted:
		v.wrong = append([]message.Message{word("INTERRUPTED: all figures are about what was read until then.")}, v.wrong...)
	case !r.Complete && len(v.wrong) == 0:
		v.wrong = []message.Message{word("INCOMPLETE: not everything was read.")}
	}
	for i := range r.Inputs {
		in := &r.Inputs[i]
		if m := in.Memory; m != nil && m.Fit != nil && m.Fit.over(m) > 0 {
			v.wrong = append(v.wrong, message.New("DOES NOT FIT: {file}: maxmemory {fit}; {more} too much.",
				fileArg("file", in.Name), message.Phrase("fit", in.fitText()), message.Size("more", m.Fit.over(m))))
		}
	}
	for i := range r.Checks {
		if c := &r.Checks[i]; !c.Met {
			v.wrong = append(v.wrong, sentenceOf(c.Message, c.Text))
		}
	}
	v.wrong = v.wrong[:min(len(v.wrong), 2*overviewAlerts)]
	if r.Filter != nil {
		v.wrong = append(v.wrong, filterAlert(r.Filter))
	}
	for i := range r.Inputs {
		if m, blocked := r.Inputs[i].targetSentence(); blocked {
			v.wrong = append(v.wrong, m)
		}
	}
}

func (v *overview) describe(now time.Time) {
	v.describeFiles(now)
	v.describeKeys()
	r := v.r
	v.lead = len(v.about)
	switch by := r.Redaction; {
	case by == nil:
	case by.Salt == "":
		v.about = append(v.about, message.New("names are hashes with a random salt: those of another report differ ({flag})", message.Code("flag", "--redact-salt")))
	default:
		v.about = append(v.about, word("names are hashes: reports with the same salt compare"))
	}
	if r.Redaction != nil && len(r.Redaction.Words) > 0 {
		const most = 5
		v.about = append(v.about, message.New("words that stay in names: {words}",
			firstOf("words", names(r.Redaction.Words, len(r.Redaction.Words)), most)))
	}
	for i := range r.Inputs {
		if m, blocked := r.Inputs[i].targetSentence(); !m.IsZero() && !blocked {
			v.about = append(v.about, m)
		}
	}
	for i := range r.Checks {
		if c := &r.Checks[i]; c.Met {
			v.about = append(v.about, sentenceOf(c.Message, c.Text))
		}
	}
	if _, m := r.otherServers(); !m.IsZero() {
		v.about = append(v.about, m)
	}
	if in := r.fullest(); in != nil {
		fit := message.Phrase("fit", in.fitText())
		if len(r.Inputs) == 1 {
			v.about = append(v.about, message.New("maxmemory {fit}", fit))
		} else {
			v.about = append(v.about, message.New("maxmemory of the fullest, {file}: {fit}", fileArg("file", in.Name), fit))
		}
	}
	if len(r.Inputs) == 1 {
		if m := r.Inputs[0].Memory.partsSentence(); !m.IsZero() {
			v.about = append(v.about, m)
		}
		if m := r.Inputs[0].Memory; m != nil && (m.AllocatorBasis != AllocatorUnknown || m.PartsOf == PartsOfSnapshot ||
			m.PartsOf == PartsOfInfo) && !m.Doubt().IsZero() {
			v.about = append(v.about, m.Doubt())
		}
	}
	warnings := v.warnings()
	for i, m := range warnings {
		if i == 2 && len(warnings) > 3 {
			v.about = append(v.about, message.New("warning: and {n} more (--details)", message.Int("n", int64(len(warnings)-2))))
			break
		}
		v.about = append(v.about, message.New("warning: {text}", message.Phrase("text", m)))
	}
}

// fullest returns the input that is nearest to its maxmemory, nil if none was given, or an
// input is over it, which is an alert.
func (r *Report) fullest() (fullest *Input) {
	share := -1.
	for i := range r.Inputs {
		m := r.Inputs[i].Memory
		if m == nil || m.Fit == nil {
			continue
		}
		if m.Fit.over(m) > 0 {
			return nil
		}
		if s := float64(max(m.Predicted, m.Fit.Reported)); s > share {
			fullest, share = &r.Inputs[i], s
		}
	}
	return fullest
}

// describeFiles states what the files are: their server, when they were taken, and
// whether they are whole.
func (v *overview) describeFiles(now time.Time) {
	r := v.r
	state := r.laterText()
	if !r.Complete {
		state = word("NOT COMPLETE")
	} else if state.IsZero() {
		state = word("complete")
	}
	var oldest, newest Figure = Unknown, Unknown
	checksums := map[string]bool{}
	for i := range r.Inputs {
		in := &r.Inputs[i]
		if in.Created.Known() && (!oldest.Known() || in.Created < oldest) {
			oldest = in.Created
		}
		newest = max(newest, in.Created)
		if in.Format != "" {
			checksums[in.Checksum] = true
		}
	}
	checksum := "not known to be ok"
	for c := range checksums {
		if len(checksums) == 1 {
			checksum = c
		} else if c == "ok" {
			checksum = "ok in some only"
		}
	}
	taken := word("at an unknown time")
	if newest.Known() {
		taken = only(message.Time("time", int64(newest)))
		if oldest != newest {
			taken = message.New("{from} to {to}", message.Time("from", int64(oldest)), message.Time("to", int64(newest)))
		}
		if age := now.Unix() - int64(newest); !now.IsZero() && age >= 0 {
			taken = message.New("{time} ({age} ago)", message.Phrase("time", taken), message.Phrase("age", RoughDuration(age)))
		}
	}
	facts := message.New("taken {taken}, checksum {checksum}, {state}", message.Phrase("taken", taken),
		message.Word("checksum", checksum), message.Phrase("state", state))
	if v.small && checksum == "ok" && state.ID == "complete" {
		facts = message.New("taken {taken}", message.Phrase("taken", taken))
	}
	args := []message.Arg{message.Phrase("facts", facts), message.Int("n", int64(len(r.Inputs)))}
	switch {
	case len(r.Inputs) == 1:
		in := &r.Inputs[0]
		v.about = append(v.about, message.New("{file}: {server}, {facts}",
			append(args, fileArg("file", in.Name), message.Phrase("server", serverText(in)))...))
	case len(r.Inputs) > 1:
		snapshots := "{n} snapshots, {facts}"
		if dir := r.directory(); dir != "" {
			snapshots = "{n} snapshots in {directory}, {facts}"
			args = append(args, message.Path("directory", dir))
		}
		v.about = append(v.about, message.New(snapshots, args...))
	}
}

// laterText says how much was written after the bases of append-only files; zero
// nothing.
func (r *Report) laterText() message.Message {
	var all Later
	bases, headers := 0, 0
	for i := range r.Inputs {
		in := &r.Inputs[i]
		if l := in.Later; l != nil {
			bases++
			all.Bytes += l.Bytes
			all.Missing += l.Missing
		} else if in.AOFBase && in.Trailing == 0 {
			headers++
		}
	}
	switch {
	case bases == 0:
		return (*Later)(nil).Text(headers > 0 && headers == len(r.Inputs))
	case all.Missing == 0 && all.Bytes > 0 && bases < len(r.Inputs):
		return message.New("{size} of later writes not included", message.Size("size", all.Bytes))
	}
	return all.Text(true)
}

// describeKeys states how many keys there are, and what they take.
func (v *overview) describeKeys() {
	r, t := v.r, &v.r.Totals
	used := Figure(0)
	for i := range r.Inputs {
		used = used.plus(r.Inputs[i].UsedMem)
	}
	memory := sizeText(t.MemoryBytes)
	if t.MemoryBound {
		memory = message.New("at least {size}", message.Phrase("size", memory))
	}
	args := []message.Arg{keysArg("keys", t.Keys), message.Phrase("memory", memory), sizeArg("used", used),
		message.Size("value", t.ValueBytes),
		shareArg("share", t.WithoutTTL, t.Keys), shareArg("bytes", int64(t.WithoutTTLMemory), int64(t.MemoryBytes)),
		shareArg("values", t.WithoutTTLBytes, t.ValueBytes)}
	id := "{keys}, {memory} of memory; no TTL: {share} ({bytes} of bytes)"
	switch {
	case t.Keys == 0:
		id = "no keys"
	case !t.MemoryBytes.Known():
		id = "{keys}, {value} of values; no TTL: {share} ({values} of bytes)"
	case used.Known() && r.Filter == nil && len(r.Inputs) > 0:
		id = "{keys}, {memory} (used_memory {used}); no TTL: {share} ({bytes} of bytes)"
	}
	v.about = append(v.about, message.New(id, args...))
}

// warnings returns those about the files, the configuration and the baseline.
func (v *overview) warnings() (list []message.Message) {
	r := v.r
	for i := range r.Inputs {
		in := &r.Inputs[i]
		list = append(list, sentencesOf(in.WarningMessages, in.Warnings)...)
	}
	list = append(list, sentencesOf(r.Config.WarningMessages, r.Config.Warnings)...)
	var gone []message.Message
	for i := range r.Ignored {
		if in := &r.Ignored[i]; in.Unused && !in.Expired && in.Baseline != "" {
			gone = append(gone, in.entry())
		}
	}
	if gone != nil {
		list = append(list, message.New("entries of the baseline that match nothing any more (rdblens baseline prune): {names}", firstOf("names", gone, 3)))
	}
	return list
}

func (in *Ignored) entry() message.Message {
	return message.New("{rule} {pattern}", message.Text("rule", in.Rule), message.Name("pattern", in.Pattern))
}

// head writes what is wrong with the files, how bad the rest is, and what the files are: at
// most so many alerts, and so many warnings.
func (v *overview) head(p page, alerts int) {
	for _, s := range v.wrong[:min(len(v.wrong), alerts)] {
		p.alert(s)
	}
	if v.r.Config.Profile != "" {
		p.strong(v.verdict())
	}
	for _, s := range v.about[:min(len(v.about), v.lead+alerts)] {
		if t, ok := p.(*textPage); ok && v.small {
			t.sentenceIn("", s)
			continue
		}
		p.sentence(s)
	}
}

func (v *overview) keysNote() message.Message {
	if !v.r.Totals.MemoryBytes.Known() || v.r.By != ByMemory {
		return message.New("by {measure}", message.Word("measure", measureTitles[v.r.By]))
	}
	return word("memory is what you get back when you delete the key")
}

func (v *overview) groupsNote() message.Message {
	args := []message.Arg{message.Int("n", int64(len(v.groups))), message.Int("all", int64(len(v.r.Groups))),
		message.Int("folded", v.r.GroupsFolded)}
	switch part := len(v.groups) < len(v.r.Groups); {
	case part && v.r.GroupsFolded > 0:
		return message.New("{n} of {all} groups of names, into which {folded} more are folded", args...)
	case part:
		return message.New("{n} of {all} groups of names", args...)
	case v.r.GroupsFolded > 0:
		return message.New("{folded} more groups of names are folded into these", args...)
	}
	return message.Message{}
}

// worstNodes returns the nodes, and the inputs that were not read: first those with
// damage, then those with most bytes.
func (r *Report) worstNodes() (list []Node) {
	if len(r.Inputs) < 2 {
		return nil
	}
	nodes, known := r.everyNode()
	if !known {
		return nil
	}
	read := map[int]bool{}
	for _, n := range nodes {
		read[n.Input] = true
	}
	for i := range r.Inputs {
		if !read[i] {
			list = append(list, Node{Input: i, Keys: -1, ValueBytes: -1, MemoryBytes: Unknown,
				Findings: Counts{Error: -1, Warning: -1, Info: -1, Ignored: -1}})
		}
	}
	list = append(list, nodes...)
	slices.SortStableFunc(list, func(a, b Node) int {
		if damaged := r.Inputs[a.Input].Error != nil; damaged != (r.Inputs[b.Input].Error != nil) {
			if damaged {
				return -1
			}
			return 1
		}
		return 0
	})
	return list
}

// everyNode returns Nodes, or if one snapshot was read, which then has all keys, its
// totals. It returns false if a report of several does not have their nodes.
func (r *Report) everyNode() (nodes []Node, known bool) {
	if r.Nodes != nil {
		return r.Nodes, true
	}
	for i := range r.Inputs {
		if r.Inputs[i].Format == "" {
			continue // nothing was read
		}
		t := &r.Totals
		nodes = append(nodes, Node{Input: i, Keys: t.Keys, ValueBytes: t.ValueBytes, MemoryBytes: t.MemoryBytes,
			Share: 1, Skew: 1, WithoutTTL: t.WithoutTTL,
			Findings: Counts{Error: r.Findings.Error, Warning: r.Findings.Warning, Info: r.Findings.Info}})
	}
	return nodes, len(nodes) < 2
}

// nodesNote says how many inputs a table of nodes omits.
func (r *Report) nodesNote(rows int) message.Message {
	if rows < len(r.Inputs) {
		return message.New("the worst {n} of {all}; x mean: memory against the mean", message.Int("n", int64(rows)),
			message.Int("all", int64(len(r.Inputs))))
	}
	return word("x mean: memory against the mean")
}
