package report

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/memory"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/internal/target"
)

func TestNewInputDamage(t *testing.T) {
	name := func(s string) *Name { n := Name(s); return &n }
	for _, c := range []struct {
		what string
		err  error
		want *Damage
	}{
		{"whole", nil, nil},
		{"damaged", &parser.DamageError{Offset: 7, Reason: message.New("{text}", message.Foreign("text", "it ends")), LastKey: []byte("a\xff"), Key: []byte("")},
			&Damage{Offset: 7, Reason: "it ends", LastKey: name("a\xff"), Key: name("")}},
		{"before any key", &parser.DamageError{Offset: 0, Reason: message.New("{text}", message.Foreign("text", "it ends"))}, &Damage{Offset: 0, Reason: "it ends"}},
		{"no snapshot", &parser.FormatError{Reason: message.New("{text}", message.Foreign("text", "a text")), Hint: message.New("{text}", message.Foreign("text", "look again"))}, &Damage{Offset: Unknown, Reason: "a text", Hint: "look again"}},
		{"interrupted", &parser.DamageError{Offset: 9, Reason: message.New("{text}", message.Foreign("text", "the source cannot be read on: context canceled")), LastKey: []byte("k"), Err: context.Canceled},
			&Damage{Offset: 9, Reason: "interrupted", LastKey: name("k")}},
		{"no file", &fs.PathError{Op: "open", Path: "x.rdb", Err: fs.ErrNotExist}, &Damage{Offset: Unknown, Reason: "file does not exist"}},
		{"other", errors.New("no such file"), &Damage{Offset: Unknown, Reason: "no such file"}},
	} {
		in := newInput("x.rdb", 5, &parser.Info{Magic: "REDIS", Version: 11, Created: -1, UsedMem: -1}, c.err)
		if in.Error != nil {
			if got := english(in.Error.Message); got != in.Error.Reason || english(in.Error.HintMessage) != in.Error.Hint {
				t.Errorf("%s: the message is %q", c.what, got)
			}
			in.Error.Message, in.Error.HintMessage = message.Message{}, message.Message{}
		}
		if d := cmp.Diff(c.want, in.Error); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.what, d)
		}
		if in.Complete != (c.err == nil) || in.RDBVersion != 11 || in.Created.Known() || in.FileBytes != 5 {
			t.Errorf("%s: %+v", c.what, in)
		}
	}
	if in := newInput("gone.rdb", -1, nil, errors.New("no such file")); in.Format != "" || in.Created.Known() || in.UsedMem.Known() || in.FileBytes.Known() {
		t.Errorf("unread: %+v", in)
	}
}

func TestNewMemory(t *testing.T) {
	model, _, err := memory.Choose("redis", "7.0.15", memory.Options{State: "reloaded"})
	if err != nil {
		t.Fatal(err)
	}
	c := keyspace{Model: model, Note: "a note", MaxMemory: 2_000_000, Databases: []Database{
		{DB: 0, Keys: 1000, WithTTL: 300, MemoryBytes: 100_000, WithTTLMemory: 30_000},
		{DB: 1, Keys: 10, MemoryBytes: 1_000, WithTTLMemory: 0},
	}}
	whole := model.Instance(101_000, []memory.Database{{Keys: 1000, Expires: 300}, {Number: 1, Keys: 10}}, nil)
	in := &Input{UsedMem: Figure(whole.UsedMemory + 500_000)}
	m := newMemory(in, c)
	if m.Predicted != Figure(whole.UsedMemory) || m.Predicted != m.Startup+m.Keys+m.Tables || m.Keys != 101_000 {
		t.Errorf("predicted %d = %d + %d + %d", m.Predicted, m.Startup, m.Keys, m.Tables)
	}
	if m.Difference == nil || *m.Difference != 500_000 || !strings.Contains(strings.Join(m.Explanation, "\n"), "488 KB that a restart frees") {
		t.Errorf("difference %v, %q", m.Difference, m.Explanation)
	}
	want := &Fit{MaxMemory: 2_000_000, Fits: new(true), Free: new(2_000_000 - whole.UsedMemory), Reported: in.UsedMem,
		PredictedShare: new(float64(whole.UsedMemory) / 2_000_000), ReportedShare: new(float64(whole.UsedMemory+500_000) / 2_000_000), Policies: []Eviction{
			{Policy: "allkeys-*", Keys: 1010, MemoryBytes: 101_000, Share: 1},
			{Policy: "volatile-*", Keys: 300, MemoryBytes: 30_000, Share: 30. / 101},
			{Policy: "noeviction"},
		}}
	if d := cmp.Diff(want, m.Fit); d != "" {
		t.Errorf("fit (-want +got):\n%s", d)
	}

	c.MaxMemory = whole.UsedMemory + 499_999
	if f := newMemory(in, c).Fit; *f.Fits || *f.Free != 499_999 {
		t.Errorf("a server that used more than maxmemory fits: %+v", f)
	}
	c.MaxMemory++
	if f := newMemory(in, c).Fit; !*f.Fits || *f.ReportedShare != 1 {
		t.Errorf("a server that is full to the byte does not fit: %+v", f)
	}
	in.UsedMem = Figure(whole.UsedMemory - 1000)
	c.MaxMemory = 1000
	if m := newMemory(in, c); *m.Difference != -1000 || strings.Contains(strings.Join(m.Explanation, "\n"), "over 10 %") || *m.Fit.Fits || *m.Fit.Free != 1000-whole.UsedMemory {
		t.Errorf("less than predicted: %+v, %+v", m, m.Fit)
	}
	in.UsedMem, c.MaxMemory = Unknown, 0
	if m := newMemory(in, c); m.Difference != nil || m.Fit != nil || !m.Predicted.Known() {
		t.Errorf("without used-mem: %+v", m)
	}
	c.Expired, c.ExpiredMemory = 100, 8_000
	less := model.Instance(93_000, []memory.Database{{Keys: 900, Expires: 200}, {Number: 1, Keys: 10}}, nil)
	if m := newMemory(in, c); m.Predicted != Figure(less.UsedMemory) || m.Keys != 93_000 || len(m.Explanation) != 1 || !strings.Contains(m.Explanation[0], "100 expired keys left out") {
		t.Errorf("without the expired: %+v, want %+v", m, less)
	}
	live, _, _ := memory.Choose("redis", "7.0.15", memory.Options{})
	c.Model = live
	if m := newMemory(in, c); m.Keys != 101_000 || len(m.Explanation) != 0 {
		t.Errorf("a running server still has what expired: %+v", m)
	}
	c.Model, c.Bounded, c.MaxMemory = model, 7, 100<<20
	if m := newMemory(in, c); !m.Bound || m.Fit.Fits != nil || m.Fit.Free != nil || !strings.Contains(strings.Join(m.Explanation, "\n"), "a lower bound: of 7 keys") {
		t.Errorf("with a bound: %+v", m)
	}
	c.MaxMemory = 1000
	if m := newMemory(in, c); m.Fit.Fits == nil || *m.Fit.Fits || *m.Fit.Free >= 0 {
		t.Errorf("what is over with its bound alone: %+v", m.Fit)
	}
	c.Model, c.Bounded, in.AOFBase = model, 0, true
	if m := newMemory(in, c); m.Keys != 101_000 || len(m.Explanation) != 0 {
		t.Errorf("a base of an append-only file keeps what expired: %+v", m)
	}
	in.AOFBase = false
	c.Templates, c.Expired, c.Rough = 4321, 0, 2
	if m := newMemory(in, c); m.Keys != 101_000+4321 || len(m.Explanation) != 1 || m.Explanation[0] != "approximate: the memory of 2 keys of modules was not measured, or depends on what no snapshot shows" {
		t.Errorf("with field names that hashes share: %+v", m)
	}
	in.UsedMem, c.Other, c.Rough = 1, true, 0
	if m := newMemory(in, c); len(m.Explanation) != 1 || m.Explanation[0] != "the prediction is for redis-7.0, used_memory is that of the server that wrote the snapshot" {
		t.Errorf("another server: %+v", m)
	}
	c.Partial = true
	if m := newMemory(in, c); m.Predicted.Known() || m.Model != "redis-7.0" || len(m.Explanation) != 1 {
		t.Errorf("partial: %+v", m)
	}
	c.Model = nil
	if m := newMemory(in, c); m.Predicted.Known() || m.Model != "" || m.Note != "a note" {
		t.Errorf("without a model: %+v", m)
	}
}

// TestNewInputFields checks that everything that a header and an end say is in the row
// of a snapshot, each figure where it belongs.
func TestNewInputFields(t *testing.T) {
	info := &parser.Info{Magic: "VALKEY", Version: 80, Server: "valkey", ServerVersion: "9.0.1", Created: 11, UsedMem: 12, Bytes: 13, Trailing: 14, Ended: true,
		Keys: 15, AnnouncedKeys: 10, Databases: 16, Cluster: true, AOFBase: true, Frames: []string{"gzip"}, Functions: 17, FunctionBytes: 18, Scripts: 19, ScriptBytes: 20,
		Modules: []parser.ModuleInfo{{Name: "ReJSON-RL", Keys: 21, Aux: 22}}, Warnings: []message.Message{message.New("odd")}}
	want := Input{Name: "a.rdb", FileBytes: 23, Format: "VALKEY", RDBVersion: 80, Server: "valkey", ServerVersion: "9.0.1", Created: 11, UsedMem: 12, Bytes: 13, Trailing: 14,
		Checksum: info.Checksum.String(), Ended: true, Keys: 15, AnnouncedKeys: new(int64(10)), Databases: 16, Cluster: true, AOFBase: true, Frames: []string{"gzip"}, Functions: 17, FunctionBytes: 18, Scripts: 19, ScriptBytes: 20,
		Modules: []Module{{Name: "ReJSON-RL", Keys: 21, Aux: 22}}, Warnings: []string{"odd"}, WarningMessages: []message.Message{message.New("odd")}, Complete: true}
	want.LoadableBy.Redis, want.LoadableBy.Valkey = info.LoadableBy()
	want.LoadableBy.Modules = []Name{"ReJSON-RL"}
	if d := cmp.Diff(want, newInput("a.rdb", 23, info, nil)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	// Nobody knows what else a damaged file has, so not who loads it.
	damaged := newInput("a.rdb", 23, info, &parser.DamageError{Reason: message.New("{text}", message.Foreign("text", "it ends"))})
	if damaged.LoadableBy.Valkey != "" || damaged.LoadableBy.Modules != nil || damaged.Complete || damaged.Keys != 15 {
		t.Errorf("%+v", damaged)
	}
	// Of what is no snapshot, a file without a magic, nothing is known.
	if in := newInput("a.rdb", 23, &parser.Info{Keys: 1, Warnings: []message.Message{message.New("odd")}}, nil); in.Keys != 0 || in.Warnings != nil || in.UsedMem.Known() {
		t.Errorf("%+v", in)
	}
}

// TestTargetText checks the sentence about each kind of problem, with its number, its
// name and its release in place.
func TestTargetText(t *testing.T) {
	hash, listpack := parser.Hash, parser.EncListpack
	for _, c := range []struct {
		p    target.Problem
		want string
	}{
		{target.Problem{Kind: target.Version, Number: 12, Name: "REDIS", Since: "7.4"}, "RDB version 12 under the magic REDIS is read from Redis 7.4 on"},
		{target.Problem{Kind: target.Version, Number: 80, Name: "VALKEY"}, "RDB version 80 under the magic VALKEY is read by no release of Redis"},
		{target.Problem{Kind: target.Frame, Name: "gzip"}, "the snapshot is in a gzip file: decompress it first"},
		{target.Problem{Kind: target.Frame, Name: "replication-eof"}, "the snapshot is in a captured replication stream: cut it out first"},
		{target.Problem{Kind: target.Type, Number: 16, Type: hash, Encoding: listpack, Since: "7.0"}, "RDB type 16 (hash, listpack) is read from Redis 7.0 on"},
		{target.Problem{Kind: target.Type, Number: 23, Type: hash, Encoding: listpack}, "RDB type 23 (hash, listpack) is read by no release of Redis"},
		{target.Problem{Kind: target.Module, Effect: target.Conditional, Name: "vectorset"}, "vector sets that Redis 8.0.6 or a later release wrote need 8.0.6: earlier patches of 8.0 refuse them"},
		{target.Problem{Kind: target.Module, Effect: target.Conditional, Name: "ReJSON-RL", Number: 3}, "the module type ReJSON-RL, encoding version 3, needs the module that has it"},
		{target.Problem{Kind: target.Module, Effect: target.Blocks, Name: "ReJSON-RL", Number: 9}, "the module type ReJSON-RL, encoding version 9, is read by no module of Redis"},
		{target.Problem{Kind: target.Module, Effect: target.Blocks, Name: "ReJSON-RL", Number: 4, Since: "8.8"}, "the module type ReJSON-RL, encoding version 4, is read from Redis 8.8 on"},
		{target.Problem{Kind: target.Module, Effect: target.Blocks, Name: "vectorset", Number: 1, Since: "8.0"}, "the module type vectorset, encoding version 1, is read from Redis 8.0 on"},
		{target.Problem{Kind: target.Opcode, Number: 245, Since: "7.0"}, "opcode 245 (functions) is read from Redis 7.0 on"},
		{target.Problem{Kind: target.Opcode, Number: 246}, "opcode 246 (functions of release candidates) is read by no release of Redis"},
		{target.Problem{Kind: target.Streams}, "streams whose length differs from the number of their entries, as old servers wrote: Redis refuses them"},
		{target.Problem{Kind: target.Databases, Number: 99}, "database 99 has keys: the server needs the setting databases 100"},
		{target.Problem{Kind: target.Scripts, Count: 1234}, "1,234 Lua scripts in the header are not loaded: clients must load them again"},
		{target.Problem{Kind: target.MemberTTL, Count: 5}, "5 TTLs of members and fields, which KeyDB keeps beside the keys, are lost: these members never expire"},
	} {
		server, err := target.Parse("redis-6.2")
		if err != nil {
			t.Fatal(err)
		}
		if got := english(targetText(server, &c.p)); got != c.want {
			t.Errorf("%+v: %q, want %q", c.p, got, c.want)
		}
	}
	// Each opcode beside the keys has words: those of the format (rdb.h) and of its dialects.
	for _, n := range []int{107, 121, 200, 201, 202, 203, 210, 211, 220, 222, 223, 224, 242, 243, 244, 245, 246, 247, 248, 249, 250, 251, 252} {
		if opcodeTexts[n] == "" {
			t.Errorf("opcode %d", n)
		}
	}
	// Whether it loads, of what was read to its end: as its worst problem says.
	server, _ := target.Parse("redis-6.2")
	for _, c := range []struct {
		info *parser.Info
		in   Input
		want string
	}{
		{&parser.Info{Magic: "REDIS", Version: 9}, Input{}, "yes"},
		{&parser.Info{Magic: "REDIS", Version: 9, Frames: []string{"gzip"}}, Input{}, "conditional warning"},
		{&parser.Info{Magic: "REDIS", Version: 99, Frames: []string{"gzip"}}, Input{}, "no error warning"},
		{&parser.Info{Magic: "REDIS", Version: 9, Subexpires: 3}, Input{}, "yes info"},
		{&parser.Info{Magic: "REDIS", Version: 99}, Input{Error: &Damage{}}, "unknown"},
	} {
		got := newCompatibility(server, server.NewCheck(c.info), c.info, &c.in)
		text := got.Loads
		for _, p := range got.Problems {
			text += " " + p.Severity
			if p.MemoryBytes.Known() || p.Examples != nil {
				t.Errorf("%+v", p)
			}
		}
		if text != c.want || got.Server != "redis-6.2" || got.Model == "" {
			t.Errorf("%+v: %q, %+v", c.info, text, got)
		}
	}
}

// TestNewestServers checks that one model of each line is the newest.
func TestNewestServers(t *testing.T) {
	all, got := memory.Servers(), NewestServers()
	if len(got) != 2 || !strings.HasPrefix(got[0], "redis-") || !strings.HasPrefix(got[1], "valkey-") {
		t.Fatal(got)
	}
	for _, s := range all {
		for _, n := range got {
			var major, minor, of, newest int
			line, _, _ := strings.Cut(n, "-")
			fmt.Sscanf(n, line+"-%d.%d", &of, &newest)
			if k, _ := fmt.Sscanf(s, line+"-%d.%d", &major, &minor); k == 2 && (major > of || major == of && minor > newest) {
				t.Errorf("%s is newer than %s", s, n)
			}
		}
	}
}
