package report

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/memory"
)

// WhatIf is the predicted used_memory of another server with the keys of a
// snapshot.
type WhatIf struct {
	Model     string `json:"model"` // server and version whose formulas were used
	Allocator string `json:"allocator"`
	State     string `json:"state"`
	Keys      Figure `json:"keys"` // memory of all keys
	Predicted Figure `json:"predicted_used_memory"`
}

// NewestServers returns the newest model of Redis and that of Valkey.
func NewestServers() []string {
	var newest []string
	for _, line := range []string{"redis-", "valkey-"} {
		for _, s := range slices.Backward(memory.Servers()) {
			if strings.HasPrefix(s, line) {
				newest = append(newest, s)
				break
			}
		}
	}
	return newest
}

// whatIf predicts what the keys of a source take in other servers: in the one that
// wrote it after a restart, with each allocator in its present state, and in those
// that the options name after they loaded it. It reads the source once for each.
func (s *scan) whatIf(ctx context.Context, source *Source, info *parser.Info, in *Input, c keyspace, jobs int) (list []WhatIf, err error) {
	c.Databases = slices.Clone(c.Databases)
	own := s.opt.Memory
	own.Cluster = own.Cluster || info.Cluster
	own.RDB = info.Version
	var models []*memory.Model
	add := func(o memory.Options) {
		m, _, err := memory.Choose(info.Server, info.ServerVersion, o)
		same := func(x *memory.Model) bool {
			return x.Name() == m.Name() && x.Allocator() == m.Allocator() && x.State() == m.State()
		}
		if err == nil && m != nil && !slices.ContainsFunc(models, same) {
			models = append(models, m)
		}
	}
	for _, allocator := range memory.Allocators() {
		o := own
		o.Allocator = allocator
		add(o)
	}
	own.State = "reloaded"
	add(own)
	for _, server := range s.opt.WhatIf {
		o := own
		o.Server = server
		add(o)
	}
	for _, m := range models {
		src, err := source.Open(ctx)
		if err != nil {
			return list, err
		}
		var total atomic.Int64
		info, err := parser.Run(ctx, src, parser.Options{NoChecksum: true, Jobs: jobs, Memory: func(*parser.Info) *memory.Model { return m }},
			func() parser.Sink { return &memorySink{total: &total} })
		src.Close()
		if err != nil {
			return list, err
		}
		c.Model, c.Templates = m, info.TemplateMemory
		for i := range c.Databases {
			c.Databases[i].MemoryBytes = 0
		}
		if len(c.Databases) > 0 {
			c.Databases[0].MemoryBytes = Figure(total.Load())
		}
		p := newMemory(in, c)
		list = append(list, WhatIf{p.Model, p.Allocator, p.State, p.Keys, p.Predicted})
	}
	return list, nil
}

// memorySink adds up the memory of keys.
type memorySink struct {
	total *atomic.Int64
	sum   int64
}

func (s *memorySink) Key(k *parser.Key) { s.sum += max(k.Memory, 0) }
func (s *memorySink) Size() int         { return 0 }
func (s *memorySink) Flush(bool) error {
	s.total.Add(s.sum)
	s.sum = 0
	return nil
}
