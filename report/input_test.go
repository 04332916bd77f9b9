package report

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/memory"
)

func TestNewInputDamage(t *testing.T) {
	name := func(s string) *Name { n := Name(s); return &n }
	for _, c := range []struct {
		what string
		err  error
		want *Damage
	}{
		{"whole", nil, nil},
		{"damaged", &parser.DamageError{Offset: 7, Reason: "it ends", LastKey: []byte("a\xff"), Key: []byte("")},
			&Damage{Offset: 7, Reason: "it ends", LastKey: name("a\xff"), Key: name("")}},
		{"before any key", &parser.DamageError{Offset: 0, Reason: "it ends"}, &Damage{Offset: 0, Reason: "it ends"}},
		{"no snapshot", &parser.FormatError{Reason: "a text", Hint: "look again"}, &Damage{Offset: Unknown, Reason: "a text", Hint: "look again"}},
		{"interrupted", &parser.DamageError{Offset: 9, Reason: "the source cannot be read on: context canceled", LastKey: []byte("k"), Err: context.Canceled},
			&Damage{Offset: 9, Reason: "interrupted", LastKey: name("k")}},
		{"no file", &fs.PathError{Op: "open", Path: "x.rdb", Err: fs.ErrNotExist}, &Damage{Offset: Unknown, Reason: "file does not exist"}},
		{"other", errors.New("no such file"), &Damage{Offset: Unknown, Reason: "no such file"}},
	} {
		in := newInput("x.rdb", 5, &parser.Info{Magic: "REDIS", Version: 11, Created: -1, UsedMem: -1}, c.err)
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
	if m.Difference == nil || *m.Difference != 500_000 || !strings.Contains(strings.Join(m.Explanation, "\n"), "over 10 %") {
		t.Errorf("difference %v, %q", m.Difference, m.Explanation)
	}
	want := &Fit{MaxMemory: 2_000_000, Fits: new(true), Free: new(2_000_000 - whole.UsedMemory), Policies: []Eviction{
		{Policy: "allkeys-*", Keys: 1010, MemoryBytes: 101_000, Share: 1},
		{Policy: "volatile-*", Keys: 300, MemoryBytes: 30_000, Share: 30. / 101},
		{Policy: "noeviction"},
	}}
	if d := cmp.Diff(want, m.Fit); d != "" {
		t.Errorf("fit (-want +got):\n%s", d)
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
	c.Partial = true
	if m := newMemory(in, c); m.Predicted.Known() || m.Model != "redis-7.0" || len(m.Explanation) != 1 {
		t.Errorf("partial: %+v", m)
	}
	c.Model = nil
	if m := newMemory(in, c); m.Predicted.Known() || m.Model != "" || m.Note != "a note" {
		t.Errorf("without a model: %+v", m)
	}
}
