package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// A memoryTruth is a snapshot of many keys and what its server said of the memory
// of each, before the save and after a restart.
type memoryTruth struct {
	file      string
	server    string // "redis-7.0.15" and the like
	allocator string // as the memory model names it
	rows      []row
	live      memoryUse
	reloaded  memoryUse
}

// memoryUse is what INFO says, in bytes.
type memoryUse struct{ startup, used int64 }

// measureMemory fills each server, measures it, and prints the errors of the
// memory model.
func measureMemory(servers []string, dir string, keys int, churn bool, seed uint64) error {
	if len(servers) == 0 {
		servers = installedServers()
	}
	if len(servers) == 0 {
		return errors.New("no server found: name one, such as \"redis-server\" or \"chroot DIR valkey-server\"")
	}
	if dir == "" {
		tmp, err := os.MkdirTemp("", "memory-truth")
		if err != nil {
			return err
		}
		defer os.RemoveAll(tmp)
		dir = tmp
	} else if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if churn {
		if seed == 0 {
			seed = rand.Uint64()
		}
		fmt.Printf("churn with -seed %d\n", seed)
	}
	for _, s := range servers {
		truth, err := takeMemoryTruth(strings.Fields(s), dir, keys, churn, seed)
		if err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
		if err := truth.print(os.Stdout); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
		if err := truth.write(); err != nil {
			return err
		}
	}
	return nil
}

// write writes the truth beside the snapshot, with the columns of a fixture;
// what was not measured is unknown.
func (m *memoryTruth) write() error {
	comments := []string{
		fmt.Sprintf("server %s allocator=%s", m.server, m.allocator),
		fmt.Sprintf("used_memory startup=%d live=%d", m.live.startup, m.live.used),
		fmt.Sprintf("used_memory reloaded=%d", m.reloaded.used),
	}
	return writeTruth(strings.TrimSuffix(m.file, ".rdb")+".tsv", comments, m.rows)
}

func takeMemoryTruth(argv []string, dir string, keys int, churn bool, seed uint64) (*memoryTruth, error) {
	s, err := newServer(argv, "--databases", "16")
	if err != nil {
		return nil, err
	}
	defer s.remove()
	if err := s.start(); err != nil {
		return nil, err
	}
	m := &memoryTruth{server: s.name, file: filepath.Join(dir, s.name+".rdb")}
	if m.allocator, err = s.allocator(); err != nil {
		return nil, err
	}
	if m.live.startup, err = s.usedMemory(); err != nil {
		return nil, err
	}
	if churn {
		err = s.churn(keys, seed)
	} else {
		err = s.pipeline(func(send func(args ...string)) {
			f := &memoryFill{rng: rand.New(rand.NewPCG(3, uint64(keys))), send: send, keys: keys, fields: s.fieldExpiry}
			f.fill()
		})
	}
	if err != nil {
		return nil, err
	}
	if m.rows, err = keyRows(s); err != nil {
		return nil, err
	}
	if err := askUsage(s, m.rows, func(r *row) (*string, *int64) { return &r.encoding, &r.usage }); err != nil {
		return nil, err
	}
	if m.live.used, err = s.usedMemory(); err != nil {
		return nil, err
	}
	if err := s.snapshot(m.file); err != nil {
		return nil, err
	}
	if err := drops(s, m.rows, func(r *row) *int64 { return &r.allocated }); err != nil {
		return nil, err
	}
	s.stop()
	data, err := os.ReadFile(m.file)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(s.path("dump.rdb"), data, 0o644); err != nil {
		return nil, err
	}
	if err := s.start(); err != nil {
		return nil, err
	}
	m.reloaded.startup = m.live.startup
	if m.reloaded.used, err = s.usedMemory(); err != nil {
		return nil, err
	}
	if err := askUsage(s, m.rows, func(r *row) (*string, *int64) { return &r.reloadedEncoding, &r.reloadedUsage }); err != nil {
		return nil, err
	}
	if err := drops(s, m.rows, func(r *row) *int64 { return &r.reloadedAlloc }); err != nil {
		return nil, err
	}
	s.stop()
	if err := s.start(); err != nil {
		return nil, err
	}
	var encoding string
	return m, askUsage(s, m.rows, func(r *row) (*string, *int64) { return &encoding, &r.againUsage })
}

// allocator returns the memory model's name for the server's allocator. Only its
// statistics show whether jemalloc has size classes of 8 or of 16 bytes.
func (s *server) allocator() (string, error) {
	name, err := s.info("memory", "mem_allocator")
	if err != nil {
		return "", err
	}
	stats, err := s.text("MEMORY", "MALLOC-STATS")
	if err != nil {
		return "", err
	}
	switch {
	case strings.HasPrefix(name, "jemalloc-5.3.1"):
		return "jemalloc-5.3.1", nil
	case strings.Contains(stats, "Quantum size: 16"):
		return "jemalloc-system", nil
	case strings.Contains(stats, "Quantum size: 8"):
		return "jemalloc", nil
	}
	return "", fmt.Errorf("no model for the allocator %s", name)
}

// keyRows returns all keys of database 0 with their types.
func keyRows(s *server) ([]row, error) {
	keys, err := s.strings("KEYS", "*")
	if err != nil {
		return nil, err
	}
	rows := make([]row, len(keys))
	i := 0
	var first error
	err = s.pipelineReplies(func(send func(args ...string)) {
		for _, k := range keys {
			send("TYPE", k)
		}
	}, func(v any, err error) {
		typ, _ := v.(string)
		rows[i] = unknownRow(0, keys[i])
		rows[i].typ = typ
		i++
		if first == nil {
			first = err
		}
	})
	return rows, errors.Join(err, first)
}

// askUsage reads the encoding and MEMORY USAGE of each row.
func askUsage(s *server, rows []row, fields func(*row) (encoding *string, usage *int64)) error {
	i := 0
	var first error
	err := s.pipelineReplies(func(send func(args ...string)) {
		for k := range rows {
			send("OBJECT", "ENCODING", rows[k].key)
			send("MEMORY", "USAGE", rows[k].key, "SAMPLES", "0")
		}
	}, func(v any, err error) {
		encoding, usage := fields(&rows[i/2])
		switch v := v.(type) {
		case string:
			*encoding = v
		case int64:
			*usage = v
		}
		i++
		if first == nil {
			first = err
		}
	})
	return errors.Join(err, first)
}
