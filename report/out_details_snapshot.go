package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/text"
)

// The sections about the files: what each is, why it was not read to its end,
// what it takes in memory and which servers can load it.

func (d *details) snapshots() {
	switch len(d.r.Inputs) {
	case 0:
	case 1:
		d.section("Snapshot", "")
		d.snapshot(&d.r.Inputs[0])
	default:
		d.section("Snapshots", "")
		d.snapshotRows()
		d.nodes()
	}
	for i := range d.r.Inputs {
		in := &d.r.Inputs[i]
		if in.Memory != nil {
			d.memory(in)
		}
	}
}

// takenText returns the time of a snapshot, "" if unknown.
func takenText(in *Input) string {
	if in.Created < 0 {
		return ""
	}
	return message.FormatTime(int64(in.Created))
}

// serverText returns server and version.
func serverText(in *Input) string {
	name := cmp.Or(in.Server, "unknown")
	if in.ServerVersion == "" {
		return text.Sanitize(name)
	}
	return text.Sanitize(name) + " " + in.ServerVersion.Display()
}

func (d *details) snapshot(in *Input) {
	size := message.FormatBytes(in.Bytes)
	if len(in.Frames) > 0 {
		size += " in " + text.Sanitize(strings.Join(in.Frames, ", "))
		if in.FileBytes.Known() && int64(in.FileBytes) != in.Bytes {
			size += " of " + message.FormatBytes(int64(in.FileBytes))
		}
	}
	d.field("file", in.fileName()+", "+size)
	server := serverText(in)
	if in.Cluster {
		server += ", cluster node"
	}
	rdb := fmt.Sprintf(", RDB version %d", in.RDBVersion)
	if in.Format != "" && in.Format != "REDIS" {
		rdb += " (" + text.Sanitize(in.Format) + ")"
	}
	if in.AOFBase {
		rdb += ", base of an append-only file"
	}
	if in.RDBVersion > 0 {
		d.field("server", server+rdb)
	}
	if s := takenText(in); s != "" {
		d.field("taken", s)
	}
	d.field("checksum", text.Sanitize(in.Checksum))
	within := " in "
	if in.Databases == parser.MaxDatabases {
		within = " in at least "
	}
	d.field("keys", message.FormatCount(in.Keys)+within+message.FormatCountOf(int64(in.Databases), "database", "databases"))
	if in.UsedMem.Known() {
		d.field("used_memory", message.FormatBytes(int64(in.UsedMem))+" when the snapshot was taken")
	}
	if in.Functions > 0 {
		d.field("functions", message.FormatCountOf(in.Functions, "library", "libraries")+", "+message.FormatBytes(in.FunctionBytes))
	}
	if in.Scripts > 0 {
		d.field("scripts", message.FormatCountOf(in.Scripts, "script", "scripts")+", "+message.FormatBytes(in.ScriptBytes))
	}
	if len(in.Modules) > 0 {
		var parts []string
		for _, m := range in.Modules {
			s := m.Name.Display()
			if m.Keys > 0 {
				s += " (" + message.FormatCountOf(m.Keys, "key", "keys") + ")"
			}
			parts = append(parts, s)
		}
		d.field("modules", strings.Join(parts, ", "))
	}
	if s := loadableText(&in.LoadableBy); s != "" && in.RDBVersion > 0 {
		d.field("loadable by", s)
	}
	if in.Trailing > 0 {
		more := ""
		if in.Trailing == parser.MaxTrailing {
			more = " or more"
		}
		d.field("trailing", message.FormatCountOf(in.Trailing, "byte", "bytes")+more+" after the end")
	}
	d.warnings(in)
}

// warnings writes the warnings and the damage of an input.
func (d *details) warnings(in *Input) {
	for _, w := range in.Warnings {
		d.field("warning", text.Sanitize(w))
	}
	damage := in.Error
	if damage == nil {
		return
	}
	where := ""
	if damage.Offset.Known() {
		where = " at offset " + countText(damage.Offset)
	}
	d.field(stateText(in), text.Sanitize(damage.Reason)+where)
	if damage.Key != nil {
		d.field("", "while reading key "+damage.Key.Display())
	}
	if damage.LastKey != nil {
		d.field("", "the last complete key is "+damage.LastKey.Display())
	}
	if damage.Hint != "" {
		d.field("hint", text.Sanitize(damage.Hint))
	}
}

// loadableText lists the servers that can load a snapshot, and the modules they
// need. It is "" if none can.
func loadableText(l *Loadable) string {
	switch {
	case l.Redis != "" && l.Valkey != "":
		return "Redis " + text.Sanitize(l.Redis) + " and later, Valkey " + text.Sanitize(l.Valkey) + " and later" + l.withModules()
	case l.Redis != "":
		return "Redis " + text.Sanitize(l.Redis) + " and later, no Valkey" + l.withModules()
	case l.Valkey != "":
		return "Valkey " + text.Sanitize(l.Valkey) + " and later, no Redis" + l.withModules()
	}
	return ""
}

// withModules lists the first few modules that a server needs.
func (l *Loadable) withModules() string {
	const shown = 3
	if len(l.Modules) == 0 {
		return ""
	}
	var names []string
	for _, m := range l.Modules[:min(len(l.Modules), shown)] {
		names = append(names, m.Display())
	}
	text := ", with the module "
	if len(l.Modules) > 1 {
		text = ", with the modules "
	}
	text += strings.Join(names, ", ")
	if more := len(l.Modules) - shown; more > 0 {
		text += fmt.Sprintf(" and %s more", message.FormatCount(int64(more)))
	}
	return text
}

func (d *details) snapshotRows() {
	rows := d.r.Inputs
	d.rows(len(rows),
		nameColumn("file", func(i int) string { return rows[i].Name.Display() }),
		nameColumn("server", func(i int) string { return serverText(&rows[i]) }),
		rightColumn("RDB", func(i int) string {
			if rows[i].RDBVersion == 0 {
				return ""
			}
			return fmt.Sprint(rows[i].RDBVersion)
		}).drop(1),
		leftColumn("taken", func(i int) string { return takenText(&rows[i]) }).drop(2),
		leftColumn("checksum", func(i int) string { return text.Sanitize(rows[i].Checksum) }),
		sizeColumn("size", func(i int) Figure { return Figure(rows[i].Bytes) }),
		countColumn("keys", func(i int) Figure { return Figure(rows[i].Keys) }),
		sizeColumn("used_memory", func(i int) Figure { return rows[i].UsedMem }).drop(3),
		leftColumn("state", func(i int) string { return stateText(&rows[i]) }))
	for i := range rows {
		if len(rows[i].Warnings) > 0 || rows[i].Error != nil {
			d.heading(rows[i].Name.Display())
			d.warnings(&rows[i])
		}
	}
}

// nodes writes a table of the worst inputs.
func (d *details) nodes() {
	rows := d.r.worstNodes()
	rows = rows[:min(len(rows), detailsNodes)]
	d.section("Nodes", d.r.nodesNote(len(rows)))
	d.table(d.r.nodesTable(rows))
}

// stateText says how much of an input was read.
func stateText(in *Input) string {
	switch {
	case in.Complete:
		return "complete"
	case in.Ended:
		return "DAMAGED"
	case in.Error != nil && !in.Error.Offset.Known():
		return "NOT READ"
	}
	return "INCOMPLETE"
}

func (d *details) memory(in *Input) {
	m := in.Memory
	title := "MEMORY"
	if len(d.r.Inputs) > 1 {
		title += " of " + in.Name.Display()
	}
	note := text.Sanitize(m.Model)
	if m.Approximate {
		note += ", approximate"
	}
	for _, more := range []string{m.Allocator, m.State} {
		if more != "" {
			note += ", " + text.Sanitize(more)
		}
	}
	d.section(title, note)
	if m.Note != "" {
		d.field("model", text.Sanitize(m.Note))
	}
	if m.Predicted.Known() {
		var parts []string
		for _, p := range []struct {
			f    Figure
			what string
		}{{m.Startup, "empty server"}, {m.Keys, "keys"}, {m.Tables, "key tables"}} {
			if p.f.Known() {
				parts = append(parts, message.FormatBytes(int64(p.f))+" "+p.what)
			}
		}
		s := message.FormatBytes(int64(m.Predicted))
		if m.Bound {
			s = "at least " + s
		}
		if len(parts) > 0 {
			s += " = " + strings.Join(parts, " + ")
		}
		d.field("predicted", s)
	}
	if in.UsedMem.Known() {
		s := message.FormatBytes(int64(in.UsedMem)) + " used_memory"
		if m.Difference != nil {
			sign := "more"
			n := *m.Difference
			if n < 0 {
				sign, n = "less", -n
			}
			s += fmt.Sprintf(", %s %s (%s)", message.FormatBytes(n), sign, shareText(n, int64(m.Predicted)))
		}
		d.field("reported", s)
	}
	for _, e := range m.Explanation {
		d.field("", text.Sanitize(e))
	}
	d.rows(len(m.WhatIf),
		leftColumn("what if", func(i int) string { return text.Sanitize(m.WhatIf[i].Model) }),
		leftColumn("allocator", func(i int) string { return text.Sanitize(m.WhatIf[i].Allocator) }),
		leftColumn("state", func(i int) string { return text.Sanitize(m.WhatIf[i].State) }),
		sizeColumn("keys", func(i int) Figure { return m.WhatIf[i].Keys }),
		sizeColumn("used_memory", func(i int) Figure { return m.WhatIf[i].Predicted }))
	if f := m.Fit; f != nil {
		s := "unknown: at least " + message.FormatBytes(int64(m.Predicted)) + " is needed"
		switch {
		case f.Fits == nil || f.Free == nil:
		case *f.Fits:
			s = "fits, " + message.FormatBytes(*f.Free) + " free"
		default:
			s = "DOES NOT FIT, " + message.FormatBytes(-*f.Free) + " too much"
		}
		d.field("maxmemory", message.FormatBytes(f.MaxMemory)+": "+s)
		rows := f.Policies
		d.rows(len(rows),
			leftColumn("policy", func(i int) string { return text.Sanitize(rows[i].Policy) }),
			countColumn("can evict keys", func(i int) Figure { return Figure(rows[i].Keys) }),
			sizeColumn("memory", func(i int) Figure { return rows[i].MemoryBytes }),
			rightColumn("share", func(i int) string { return message.FormatPercent(rows[i].Share) }))
	}
}
