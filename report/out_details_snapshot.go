package report

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
)

// The sections about the files: what each is, why it was not read to its end,
// what it takes in memory and which servers can load it.

func (d *details) snapshots() {
	switch len(d.r.Inputs) {
	case 0:
	case 1:
		d.section(word("Snapshot"), message.Message{})
		d.snapshot(&d.r.Inputs[0])
	default:
		if _, first := d.page.(*htmlPage); !first { // which begins with them
			d.nodes()
		}
		d.section(word("Snapshots"), message.Message{})
		d.snapshotRows()
		d.memories()
	}
	for i := range d.r.Inputs {
		in := &d.r.Inputs[i]
		if m := in.Memory; m != nil && (len(d.r.Inputs) <= detailsMemories || m.Fit != nil || m.WhatIf != nil) {
			d.memory(in)
		}
	}
}

func (d *details) memories() {
	var with []int
	for i := range d.r.Inputs {
		if d.r.Inputs[i].Memory != nil {
			with = append(with, i)
		}
	}
	memory := func(i int) *Memory { return d.r.Inputs[with[i]].Memory }
	if len(with) > 0 {
		d.section(word("Memory"), message.Message{})
	}
	d.rows(d.most(len(with), detailsNodes),
		d.r.inputColumn(func(i int) int { return with[i] }),
		wordColumn("model", func(i int) string { return memory(i).Model }),
		wordColumn("allocator", func(i int) string { return memory(i).Allocator }).drop(4),
		sizeColumn("used_memory", func(i int) Figure { return d.r.Inputs[with[i]].UsedMem }),
		sizeColumn("predicted", func(i int) Figure { return memory(i).Predicted }),
		rightColumn("difference", func(i int) message.Message {
			if memory(i).Difference == nil {
				return message.Message{}
			}
			return signedSize(*memory(i).Difference)
		}).drop(1),
		sizeColumn("keys", func(i int) Figure { return memory(i).Keys }).drop(2),
		sizeColumn("key tables", func(i int) Figure { return memory(i).Tables }).drop(3),
		sizeColumn("empty server", func(i int) Figure { return memory(i).Startup }).drop(3))
}

// takenText returns the time of a snapshot, zero if unknown.
func takenText(in *Input) message.Message {
	if in.Created < 0 {
		return message.Message{}
	}
	return only(message.Time("time", int64(in.Created)))
}

func serverText(in *Input) message.Message {
	server := message.Text("server", in.Server)
	if in.Server == "" {
		server = message.Word("server", "unknown")
	}
	if in.ServerVersion == "" {
		return only(server)
	}
	version := message.Element("version", string(in.ServerVersion))
	if strings.Trim(string(in.ServerVersion), "0123456789.") == "" {
		version = message.Text("version", string(in.ServerVersion))
	}
	return message.New("{server} {version}", server, version)
}

// parts is a list of messages, without those that are zero; zero if all are.
func parts(separator string, list ...message.Message) message.Message {
	list = slices.DeleteFunc(list, message.Message.IsZero)
	if len(list) == 0 {
		return message.Message{}
	}
	return only(message.List("parts", separator, list))
}

// when returns a message if a condition holds, else zero.
func when(condition bool, id string, args ...message.Arg) message.Message {
	if !condition {
		return message.Message{}
	}
	return message.New(id, args...)
}

func (in *Input) fileSize() message.Message {
	frames := message.Each("frames", ", ", "word", in.Frames, message.Element[string])
	size, of := message.Size("size", in.Bytes), sizeArg("of", in.FileBytes)
	switch {
	case len(in.Frames) == 0:
		return only(size)
	case in.FileBytes.Known() && int64(in.FileBytes) != in.Bytes:
		return message.New("{size} in {frames} of {of}", size, frames, of)
	}
	return message.New("{size} in {frames}", size, frames)
}

func (d *details) snapshot(in *Input) {
	d.field("file", parts(", ", fileText(in.Name), in.fileSize()))
	if in.RDBVersion > 0 {
		version := message.New("RDB version {n}", message.Int("n", int64(in.RDBVersion)))
		if in.Format != "" && in.Format != "REDIS" {
			version = message.New("RDB version {n} ({format})", message.Int("n", int64(in.RDBVersion)),
				message.Element("format", in.Format))
		}
		d.field("server", parts(", ", serverText(in), when(in.Cluster, "cluster node"), version,
			when(in.AOFBase, "base of an append-only file")))
	}
	if m := takenText(in); !m.IsZero() {
		d.field("taken", m)
	}
	d.field("checksum", word(in.Checksum))
	keys := "{n} in {databases}"
	if in.Databases == parser.MaxDatabases {
		keys = "{n} in at least {databases}"
	}
	d.field("keys", message.New(keys, message.Int("n", in.Keys),
		message.Number("databases", int64(in.Databases), "1 database", "{n} databases")))
	if in.UsedMem.Known() {
		d.field("used_memory", message.New("{size} when the snapshot was taken", sizeArg("size", in.UsedMem)))
	}
	if in.Functions > 0 {
		d.field("functions", parts(", ", message.Plural(in.Functions, "1 library", "{n} libraries"),
			sizeText(Figure(in.FunctionBytes))))
	}
	if in.Scripts > 0 {
		d.field("scripts", parts(", ", message.Plural(in.Scripts, "1 script", "{n} scripts"),
			sizeText(Figure(in.ScriptBytes))))
	}
	if len(in.Modules) > 0 {
		var modules []message.Message
		for _, m := range in.Modules {
			name := message.Element("name", string(m.Name))
			if m.Keys > 0 {
				modules = append(modules, message.New("{name} ({keys})", name, keysArg("keys", m.Keys)))
			} else {
				modules = append(modules, only(name))
			}
		}
		d.field("modules", parts(", ", modules...))
	}
	if m := loadableText(&in.LoadableBy); !m.IsZero() && in.RDBVersion > 0 {
		d.field("loadable by", m)
	}
	if in.Trailing > 0 {
		id := "{bytes} after the end"
		if in.Trailing == parser.MaxTrailing {
			id = "{bytes} or more after the end"
		}
		d.field("trailing", message.New(id, message.ExactSize("bytes", in.Trailing)))
	}
	d.warnings(in)
}

func (d *details) warnings(in *Input) {
	for _, w := range sentencesOf(in.WarningMessages, in.Warnings) {
		d.field("warning", w)
	}
	damage := in.Error
	if damage == nil {
		return
	}
	reason := sentenceOf(damage.Message, damage.Reason)
	if damage.Offset.Known() {
		reason = message.New("{reason} at offset {offset}", message.Phrase("reason", reason),
			message.Int("offset", int64(damage.Offset)))
	}
	d.field(stateText(in), reason)
	if damage.Key != nil {
		d.field("", message.New("while reading key {key}", message.Name("key", *damage.Key)))
	}
	if damage.LastKey != nil {
		d.field("", message.New("the last complete key is {key}", message.Name("key", *damage.LastKey)))
	}
	if damage.Hint != "" {
		d.field("hint", sentenceOf(damage.HintMessage, damage.Hint))
	}
}

// loadableText lists the servers that can load a snapshot, and the modules they
// need. It is zero if none can.
func loadableText(l *Loadable) message.Message {
	args := []message.Arg{message.Text("redis", l.Redis), message.Text("valkey", l.Valkey)}
	var servers message.Message
	switch {
	case l.Redis != "" && l.Valkey != "":
		servers = message.New("Redis {redis} and later, Valkey {valkey} and later", args...)
	case l.Redis != "":
		servers = message.New("Redis {redis} and later, no Valkey", args...)
	case l.Valkey != "":
		servers = message.New("Valkey {valkey} and later, no Redis", args...)
	default:
		return message.Message{}
	}
	const most = 3 // modules that are named
	modules := message.List("modules", ", ", names(l.Modules, most))
	return parts(", ", servers, when(len(l.Modules) == 1, "with the module {modules}", modules),
		when(len(l.Modules) > 1 && len(l.Modules) <= most, "with the modules {modules}", modules),
		when(len(l.Modules) > most, "with the modules {modules} and {n} more", modules,
			message.Int("n", int64(len(l.Modules)-most))))
}

func (d *details) snapshotRows() {
	rows := d.r.Inputs
	d.rows(len(rows),
		nameColumn("file", func(i int) message.Message { return fileText(rows[i].Name) }),
		nameColumn("server", func(i int) message.Message { return serverText(&rows[i]) }),
		rightColumn("RDB", func(i int) message.Message {
			if rows[i].RDBVersion == 0 {
				return message.Message{}
			}
			return verbatim(strconv.Itoa(rows[i].RDBVersion))
		}).drop(1),
		leftColumn("taken", func(i int) message.Message { return takenText(&rows[i]) }).drop(2),
		leftColumn("checksum", func(i int) message.Message { return word(rows[i].Checksum) }),
		sizeColumn("size", func(i int) Figure { return Figure(rows[i].Bytes) }),
		countColumn("keys", func(i int) Figure { return Figure(rows[i].Keys) }),
		sizeColumn("used_memory", func(i int) Figure { return rows[i].UsedMem }).drop(3),
		leftColumn("state", func(i int) message.Message { return word(stateText(&rows[i])) }))
	for i := range rows {
		if len(rows[i].Warnings) > 0 || rows[i].Error != nil {
			d.heading(fileText(rows[i].Name))
			d.warnings(&rows[i])
		}
	}
}

func (d *details) nodes() {
	rows := d.r.worstNodes()
	rows = rows[:d.most(len(rows), detailsNodes)]
	d.section(word("Nodes"), d.r.nodesNote(len(rows)))
	d.table(d.r.nodesTable(rows))
}

// stateText says how much of an input was read.
func stateText(in *Input) string {
	switch {
	case in.Complete && in.Later != nil && in.Later.Files > 0:
		return "base without later writes"
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
	title := word("Memory")
	if len(d.r.Inputs) > 1 {
		title = message.New("Memory of {file}", fileArg("file", in.Name))
	}
	d.section(title, parts(", ", verbatim(m.Model), when(m.Approximate, "approximate"), verbatim(m.Allocator),
		when(m.State != "", m.State)))
	if m.Note != "" {
		d.field("model", sentenceOf(m.NoteMessage, m.Note))
	}
	if m.Predicted.Known() {
		d.field("predicted", m.prediction())
	}
	if in.UsedMem.Known() {
		args := []message.Arg{sizeArg("size", in.UsedMem)}
		id := "{size} used_memory"
		if m.Difference != nil {
			n := max(*m.Difference, -*m.Difference)
			args = append(args, message.Size("difference", n), shareArg("share", n, int64(m.Predicted)))
			if id = "{size} used_memory, {difference} more ({share})"; *m.Difference < 0 {
				id = "{size} used_memory, {difference} less ({share})"
			}
		}
		d.field("reported", message.New(id, args...))
	}
	for _, e := range sentencesOf(m.ExplanationMessages, m.Explanation) {
		d.field("", e)
	}
	d.parts(m)
	d.rows(len(m.WhatIf),
		wordColumn("what if", func(i int) string { return m.WhatIf[i].Model }),
		wordColumn("allocator", func(i int) string { return m.WhatIf[i].Allocator }),
		leftColumn("state", func(i int) message.Message { return when(m.WhatIf[i].State != "", m.WhatIf[i].State) }),
		sizeColumn("keys", func(i int) Figure { return m.WhatIf[i].Keys }),
		sizeColumn("used_memory", func(i int) Figure { return m.WhatIf[i].Predicted }))
	if m.Fit != nil {
		d.fit(in)
	}
}

func (m *Memory) prediction() message.Message {
	var list []message.Message
	for _, p := range []struct {
		size Figure
		id   string
	}{{m.Startup, "{size} empty server"}, {m.Keys, "{size} keys"}, {m.Tables, "{size} key tables"}} {
		switch {
		case p.size == m.Keys && m.KeysPlusMinus > 0 && p.size.Known():
			list = append(list, message.New("{size} keys (± {chance})", sizeArg("size", p.size),
				message.Size("chance", m.KeysPlusMinus)))
		case p.size.Known():
			list = append(list, message.New(p.id, sizeArg("size", p.size)))
		}
	}
	all := sizeText(m.Predicted)
	if m.Bound {
		all = message.New("at least {size}", sizeArg("size", m.Predicted))
	}
	if len(list) == 0 {
		return all
	}
	return message.New("{size} = {parts}", message.Phrase("size", all), message.List("parts", " + ", list))
}

// fit writes how full a server is, and what it could evict.
func (d *details) fit(in *Input) {
	f := in.Memory.Fit
	full := in.fitText()
	if more := f.over(in.Memory); more > 0 {
		full = message.New("DOES NOT FIT: {fit}; {more} too much", message.Phrase("fit", full), message.Size("more", more))
	}
	d.field("maxmemory", full)
	rows := f.Policies
	d.rows(len(rows),
		leftColumn("policy", func(i int) message.Message { return only(message.Code("policy", rows[i].Policy)) }),
		countColumn("can evict keys", func(i int) Figure { return Figure(rows[i].Keys) }),
		sizeColumn("memory", func(i int) Figure { return rows[i].MemoryBytes }),
		rightColumn("share", func(i int) message.Message { return percentText(rows[i].Share) }))
}
