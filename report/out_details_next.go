package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// The sections of what changed, of what can go, and of what expires next.

// since returns the prefixes that changed since an older report, the most first, with those that are
// gone and those whose keys lost their TTL; none if old is nil.
func (r *Report) since(old *Report) *Diff {
	if old == nil {
		return new(Diff)
	}
	c := newComparison(old, r, CompareOptions{})
	c.prefixes(naming.NewNamer(cmp.Or(r.Config.Separators, old.Config.Separators, ":")))
	for i := range c.d.Prefixes {
		row := &c.d.Prefixes[i]
		if g := groupOfPlace(r.Groups, *row.Group, row.Prefix, sizeOf(row.MemoryBytesAfter, row.ValueBytesAfter)); g != nil {
			row.Source, row.Owner = g.Source, cmp.Or(row.Owner, g.Owner)
		}
	}
	return c.d
}

func (d *details) changedSince() {
	changed := d.r.since(d.since)
	if len(changed.Prefixes) == 0 {
		return
	}
	d.section(word("Where it changed"), message.New("prefixes and groups of names, by {share} and {bytes} or {keys} or more",
		message.Share("share", changed.MinShare), message.Size("bytes", changed.MinBytes), keysArg("keys", changed.MinKeys)))
	changed.rowsTable(d.page, "group", pointersTo(changed.Prefixes))
}

// about returns what a row is about: the prefix of its keys, or else their group.
func (c *Removable) about() Name { return cmp.Or(c.Prefix, c.Group, c.Key) }

// idleText says how long the keys of a row were not used, zero if that is not known.
func (c *Removable) idleText() message.Message {
	if c.IdleMin == nil || c.IdleMax == nil {
		return message.Message{}
	}
	least, most := RoughDuration(*c.IdleMin), RoughDuration(*c.IdleMax)
	if least.String() == most.String() {
		return most
	}
	return message.New("{from} to {to}", message.Phrase("from", least), message.Phrase("to", most))
}

// hasOwners reports whether the configuration says who owns keys.
func (r *Report) hasOwners() bool {
	return len(r.Owners) > 1 || len(r.Owners) == 1 && r.Owners[0].Owner != ""
}

func (r *Report) ownerColumn(owner func(i int) string) column {
	return nameColumn("owner", func(i int) message.Message {
		if owner(i) == "" {
			return word("(no owner)")
		}
		return ownerText(owner(i))
	}).only(r.hasOwners()).drop(3)
}

// canGoTable has the first n rows of what can go; a brief one says what they are, too.
func (r *Report) canGoTable(n int, brief bool) table {
	rows := r.CanGo
	return table{n, []column{
		rightColumn("frees", func(i int) message.Message { return rows[i].Saves() }),
		countColumn("keys", func(i int) Figure { return Figure(rows[i].Keys) }),
		rightColumn("not used for", func(i int) message.Message { return rows[i].idleText() }),
		r.ownerColumn(func(i int) string { return rows[i].Owner }),
		nameColumn("group", func(i int) message.Message { return named(rows[i].about()) }),
		sentenceColumn("what", func(i int) message.Message { return rows[i].How }).only(brief),
	}}
}

// canGoAbout reports whether what some rows free is an estimate, as it is of jobs.
func (r *Report) canGoAbout() bool {
	return slices.ContainsFunc(r.CanGo, func(c Removable) bool { return c.SavesAbout })
}

// canGoNote says what the commands of each row do; changes: those that delete are among them.
func (r *Report) canGoNote(changes bool) message.Message {
	list := []message.Message{word("what can be deleted with the least harm; the first command lists these keys")}
	switch deletes := slices.ContainsFunc(r.CanGo, func(c Removable) bool { return c.Delete != "" }); {
	case deletes && !changes:
		list[0] = word("what can be deleted with the least harm; the command lists these keys")
		list = append(list, word("--advice adds those that delete them and put them back"))
	case deletes:
		list = append(list, word("the second deletes them for good, with all that was written to them since the snapshot, "+
			"on the server of redis-cli -h and -p; the third puts them back as the snapshot has them"))
	}
	if r.canGoAbout() {
		list = append(list, word("of jobs only the key that names them: deleting it alone leaves their data behind"))
	}
	return message.New("{list}", message.List("list", "; ", list))
}

// Saves says how much a row frees: "3.1 MB", or "about 3.1 MB".
func (c *Removable) Saves() message.Message {
	size := message.Size("size", c.SavesBytes)
	if c.SavesAbout {
		return message.New("about {size}", size)
	}
	return message.New("{size}", size)
}

func (d *details) canGo() {
	const most = 20
	rows := d.r.CanGo[:min(len(d.r.CanGo), most)]
	if len(rows) == 0 {
		return
	}
	d.section(word("What can go"), d.r.canGoNote(d.changes))
	d.table(d.r.canGoTable(len(rows), false))
	for i := range rows {
		c := &rows[i]
		d.heading(message.New("{n}. {text} {why}", message.Int("n", int64(i+1)),
			message.Phrase("text", sentenceOf(c.Message, c.Text)),
			message.Phrase("why", sentenceOf(c.ConditionMessage, c.Condition))))
		d.commands(c.Shell(d.changes))
	}
}

// Shell returns the lines for a shell that list the keys of a row and, if those that change data were asked
// for, that delete them, and that put them back.
func (c *Removable) Shell(changes bool) []string {
	list := []string{shellLine(c.List), c.Delete, c.Restore}
	if !changes {
		list = list[:1]
	}
	return slices.DeleteFunc(list, func(line string) bool { return line == "" })
}

func (d *details) savings() {
	const most = 20
	if n := d.most(len(d.r.Savings), most); n > 0 {
		d.section(word("What could be saved"), d.r.savingsNote())
		d.table((&overview{r: d.r, savings: d.r.Savings}).savingsTable(n))
	}
}

// WindowTexts name the windows of Report.ExpiresNext.
var WindowTexts = map[string]string{"1h": "within an hour", "midnight": "before midnight (UTC)",
	"24h": "within 24 hours"}

// clock is a time (UTC) as argument, with the day where that is not the snapshot's.
func (r *Report) clock(name string, at int64) message.Arg {
	form := "15:04"
	if at/secondsOfDay != r.ExpiresNext[0].From/secondsOfDay {
		form = "01-02 15:04"
	}
	return message.Text(name, time.Unix(at, 0).UTC().Format(form))
}

// expiresAt says by the clock (UTC) when the keys of a prefix expire: the first and the last of them,
// only the first if others expire after a time, only the last if some had expired; zero if neither is known.
func (r *Report) expiresAt(p *ExpiringPrefix, until int64) message.Message {
	n := r.Tree.named(p.Prefix)
	if n == nil || len(r.Inputs) != 1 || n.TTLMin == nil {
		return message.Message{}
	}
	taken := r.ExpiresNext[0].From
	from, to := r.clock("from", taken+*n.TTLMin), r.clock("to", taken+*n.TTLMax)
	switch later := taken+*n.TTLMax >= until; {
	case later && *n.TTLMin < 0: // some have expired before
		return message.Message{}
	case *n.TTLMin < 0:
		return message.New("until {to}", to)
	case later:
		return message.New("from {from}", from)
	case from.Text == to.Text:
		return message.New("{from}", from)
	}
	return message.New("{from} to {to}", from, to)
}

// noStampede says so if more keys expire within a day than ttl-stampede allows in a minute, but not
// as many in any ten minutes; else, and if that is not known, it is zero.
func (r *Report) noStampede() message.Message {
	last := len(r.ExpiresNext) - 1
	if last < 0 || len(r.ExpiryTimes) == 0 || r.ExpiresNext[last].Keys <= r.ExpiryTimes[0].Limit {
		return message.Message{}
	}
	t := &r.ExpiryTimes[0]
	most := slices.Max(t.Keys)
	if most > t.Limit {
		return message.Message{}
	}
	minutes := t.Step / 60
	return message.New("No stampede: in the busiest {minutes} minutes {n} keys a minute expire; ttl-stampede allows {limit}.",
		message.Int("minutes", minutes), message.Int("n", (most+minutes-1)/minutes), message.Int("limit", t.Limit))
}

func (d *details) expiresNext() {
	list := d.r.ExpiresNext
	if len(list) == 0 {
		return
	}
	type row struct {
		window string // "" as above; else all keys are meant
		prefix message.Message
		at     message.Message
		ExpiringPrefix
	}
	var rows []row
	var lines []string
	for i := range list {
		w := &list[i]
		rows = append(rows, row{WindowTexts[w.Window], word("all keys"),
			message.New("before {time}", d.r.clock("time", w.Until)),
			ExpiringPrefix{Keys: w.Keys, Of: d.r.Totals.Keys, MemoryBytes: w.MemoryBytes}})
		for _, p := range w.Prefixes {
			rows = append(rows, row{"", named(p.Prefix), d.r.expiresAt(&p, w.Until), p})
		}
		if line := shellLine(w.List); line != "" && w.Keys > 0 {
			lines = append(lines, line)
		}
	}
	owner := d.r.ownerColumn(func(i int) string { return rows[i].Owner })
	ownerOf := owner.cell
	owner.cell = func(i int) message.Message {
		if rows[i].window != "" {
			return message.Message{}
		}
		return ownerOf(i)
	}
	d.section(word("Expires next"), message.New("counted from {time}", message.Time("time", list[0].From)))
	d.rows(len(rows),
		leftColumn("expires", func(i int) message.Message { return word(rows[i].window) }),
		nameColumn("prefix", func(i int) message.Message { return rows[i].prefix }),
		countColumn("keys", func(i int) Figure { return Figure(rows[i].Keys) }),
		leftColumn("at (UTC)", func(i int) message.Message { return rows[i].at }).drop(2),
		countColumn("of keys", func(i int) Figure { return Figure(rows[i].Of) }),
		sizeColumn("memory", func(i int) Figure { return rows[i].MemoryBytes }),
		owner)
	if m := d.r.noStampede(); !m.IsZero() {
		d.sentence(m)
	}
	if lines != nil {
		d.commands(lines)
	}
}
