package report

import (
	"fmt"
	"strings"

	"github.com/rdblens/rdblens/internal/text"
	"github.com/rdblens/rdblens/parser"
)

// The sections about the files: what each is, why it was not read whole, what
// it takes in memory and what can load it.

func (t *tableWriter) snapshots() {
	switch len(t.r.Inputs) {
	case 0:
	case 1:
		t.section("SNAPSHOT", "")
		t.snapshot(&t.r.Inputs[0])
	default:
		t.section("SNAPSHOTS", "")
		t.snapshotRows()
	}
	for i := range t.r.Inputs {
		in := &t.r.Inputs[i]
		if in.Memory != nil {
			t.memory(in)
		}
	}
}

// takenText gives the time of a snapshot.
func takenText(in *Input) string {
	if in.Created < 0 {
		return ""
	}
	return instant(int64(in.Created))
}

// serverText gives server and version.
func serverText(in *Input) string {
	name := in.Server
	if name == "" {
		name = "unknown"
	}
	if in.ServerVersion == "" {
		return text.Sanitize(name)
	}
	return text.Sanitize(name) + " " + in.ServerVersion.Display()
}

func (t *tableWriter) snapshot(in *Input) {
	name := in.Name.Display()
	if in.Name == "-" {
		name = "standard input"
	}
	size := bytesText(in.Bytes)
	if len(in.Frames) > 0 {
		size += " in " + text.Sanitize(strings.Join(in.Frames, ", "))
		if in.FileBytes.Known() && int64(in.FileBytes) != in.Bytes {
			size += " of " + bytesText(int64(in.FileBytes))
		}
	}
	t.field("file", name+", "+size)
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
		t.field("server", server+rdb)
	}
	if s := takenText(in); s != "" {
		t.field("taken", s)
	}
	t.field("checksum", text.Sanitize(in.Checksum))
	within := " in "
	if in.Databases == parser.MaxDatabases {
		within = " in at least "
	}
	t.field("keys", grouped(in.Keys)+within+counted(int64(in.Databases), "database", "databases"))
	if in.UsedMem.Known() {
		t.field("used_memory", bytesText(int64(in.UsedMem))+" when it was taken")
	}
	if in.Functions > 0 {
		t.field("functions", counted(in.Functions, "library", "libraries")+", "+bytesText(in.FunctionBytes))
	}
	if in.Scripts > 0 {
		t.field("scripts", counted(in.Scripts, "script", "scripts")+", "+bytesText(in.ScriptBytes))
	}
	if len(in.Modules) > 0 {
		var parts []string
		for _, m := range in.Modules {
			s := m.Name.Display()
			if m.Keys > 0 {
				s += " (" + counted(m.Keys, "key", "keys") + ")"
			}
			parts = append(parts, s)
		}
		t.field("modules", strings.Join(parts, ", "))
	}
	if s := loadableText(&in.LoadableBy); s != "" && in.RDBVersion > 0 {
		t.field("loadable by", s)
	}
	if in.Trailing > 0 {
		more := ""
		if in.Trailing == parser.MaxTrailing {
			more = " or more"
		}
		t.field("trailing", counted(in.Trailing, "byte", "bytes")+more+" after the end")
	}
	t.troubles(in)
}

// troubles writes warnings and the damage of an input.
func (t *tableWriter) troubles(in *Input) {
	for _, w := range in.Warnings {
		t.field("warning", text.Sanitize(w))
	}
	d := in.Error
	if d == nil {
		return
	}
	where := ""
	if d.Offset.Known() {
		where = " at offset " + d.Offset.count()
	}
	label := "NOT READ WHOLE"
	switch {
	case in.Ended:
		label = "DAMAGED"
	case !d.Offset.Known():
		label = "NOT READ"
	}
	t.field(label, text.Sanitize(d.Reason)+where)
	if d.Key != nil {
		t.field("", "while reading the key "+d.Key.Display())
	}
	if d.LastKey != nil {
		t.field("", "the last whole key is "+d.LastKey.Display())
	}
	if d.Hint != "" {
		t.field("hint", text.Sanitize(d.Hint))
	}
}

// loadableText says which servers can load a snapshot, and with which modules.
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

// withModules names the first few module types that a server needs.
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
		text += fmt.Sprintf(" and %s more", grouped(int64(more)))
	}
	return text
}

func (t *tableWriter) snapshotRows() {
	var sizes, memory []int64
	for i := range t.r.Inputs {
		in := &t.r.Inputs[i]
		sizes, memory = append(sizes, in.Bytes), append(memory, int64(in.UsedMem))
	}
	s, m := scaleOf(sizes...), scaleOf(memory...)
	g := &text.Grid{Columns: []text.Column{{Title: "file", Shrink: text.ShrinkMiddle}, {Title: "server", Shrink: text.ShrinkMiddle}, {Title: "RDB", Right: true, Drop: 1}, {Title: "taken", Drop: 2},
		{Title: "checksum"}, {Title: "size " + s.unit, Right: true}, {Title: "keys", Right: true},
		{Title: "used_memory " + m.unit, Right: true, Drop: 3}, {Title: "state"}}}
	for i := range t.r.Inputs {
		in := &t.r.Inputs[i]
		state := "whole"
		if !in.Complete {
			state = "PARTIAL"
			switch {
			case in.Ended:
				state = "DAMAGED"
			case in.Error != nil && !in.Error.Offset.Known():
				state = "NOT READ"
			}
		}
		version := ""
		if in.RDBVersion > 0 {
			version = fmt.Sprint(in.RDBVersion)
		}
		g.Add(in.Name.Display(), serverText(in), version, takenText(in), text.Sanitize(in.Checksum), s.format(Figure(in.Bytes)),
			grouped(in.Keys), m.format(in.UsedMem), state)
	}
	t.grid(g)
	for i := range t.r.Inputs {
		in := &t.r.Inputs[i]
		if len(in.Warnings) > 0 || in.Error != nil {
			t.printf("  %s\n", in.Name.Display())
			t.troubles(in)
		}
	}
}

func (t *tableWriter) memory(in *Input) {
	m := in.Memory
	title := "MEMORY"
	if len(t.r.Inputs) > 1 {
		title += " of " + in.Name.Display()
	}
	note := text.Sanitize(m.Model)
	if m.Approximate {
		note += ", approximate"
	}
	if m.Allocator != "" {
		note += ", " + text.Sanitize(m.Allocator)
	}
	if m.State != "" {
		note += ", " + text.Sanitize(m.State)
	}
	t.section(title, note)
	if m.Note != "" {
		t.field("model", text.Sanitize(m.Note))
	}
	if m.Predicted.Known() {
		var parts []string
		for _, p := range []struct {
			f    Figure
			what string
		}{{m.Startup, "empty server"}, {m.Keys, "keys"}, {m.Tables, "key tables"}} {
			if p.f.Known() {
				parts = append(parts, bytesText(int64(p.f))+" "+p.what)
			}
		}
		s := bytesText(int64(m.Predicted))
		if m.Bound {
			s = "at least " + s
		}
		if len(parts) > 0 {
			s += " = " + strings.Join(parts, " + ")
		}
		t.field("predicted", s)
	}
	if in.UsedMem.Known() {
		s := bytesText(int64(in.UsedMem)) + " used_memory"
		if m.Difference != nil {
			sign := "more"
			d := *m.Difference
			if d < 0 {
				sign, d = "less", -d
			}
			s += fmt.Sprintf(", %s %s (%s)", bytesText(d), sign, percent(ratio(d, int64(m.Predicted))))
		}
		t.field("snapshot says", s)
	}
	for _, e := range m.Explanation {
		t.field("", text.Sanitize(e))
	}
	if f := m.Fit; f != nil {
		s := "cannot be told: at least " + bytesText(int64(m.Predicted)) + " are needed"
		switch {
		case f.Fits == nil || f.Free == nil:
		case *f.Fits:
			s = "fits, " + bytesText(*f.Free) + " free"
		default:
			s = "DOES NOT FIT, " + bytesText(-*f.Free) + " too much"
		}
		t.field("maxmemory", bytesText(f.MaxMemory)+": "+s)
		var sizes []int64
		for _, p := range f.Policies {
			sizes = append(sizes, int64(p.MemoryBytes))
		}
		scale := scaleOf(sizes...)
		g := &text.Grid{Columns: []text.Column{{Title: "policy"}, {Title: "can evict keys", Right: true}, {Title: "memory " + scale.unit, Right: true}, {Title: "share", Right: true}}}
		for _, p := range f.Policies {
			g.Add(text.Sanitize(p.Policy), grouped(p.Keys), scale.format(p.MemoryBytes), percent(p.Share))
		}
		t.grid(g)
	}
}
