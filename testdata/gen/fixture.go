package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A fixture is a snapshot with a truth file, what the server says of each key.
type fixture struct {
	name string
	ext  string   // extension of the snapshot, "rdb" by default
	conf []string // options of the server
	fill func(*filler)
	// between runs after the values were read, which changes idle times and
	// counters, and before these are read.
	between func(*filler)
	// capture takes the snapshot from the server; nil is SAVE.
	capture func(s *server, target string) error
	// noReload omits what is read after a restart from the file, noDrop by how
	// much used_memory falls for each key.
	noReload, noDrop bool
	large            bool // made only if it is named
}

// make fills a server, reads the truth, and writes NAME.EXT and NAME.tsv.
func (x *fixture) make(argv []string, dir string) error {
	s, err := newServer(argv, x.conf...)
	if err != nil {
		return err
	}
	defer s.remove()
	if err := s.start(); err != nil {
		return err
	}
	if dir, err = serverDir(s, dir); err != nil {
		return err
	}
	startup, err := s.usedMemory()
	if err != nil {
		return err
	}
	f := newFiller(s)
	if x.fill(f); f.err != nil {
		return f.err
	}
	rows, err := readTruth(s, func() error {
		if x.between != nil {
			x.between(f)
		}
		return f.err
	})
	if err != nil {
		return err
	}
	live, err := s.usedMemory()
	if err != nil {
		return err
	}
	target := filepath.Join(dir, x.name+"."+x.ext)
	capture := x.capture
	if capture == nil {
		capture = (*server).snapshot
	}
	if err := capture(s, target); err != nil {
		return err
	}
	comments := []string{
		fmt.Sprintf("server %s %s", s.name, strings.Join(x.conf, " ")),
		"elements, value_bytes, max_elem, max_name (where only one element has that size), longest: computed from the values as read back",
		"allocated: fall of used_memory when the key is deleted, on the server that saved and after a restart from the file",
		fmt.Sprintf("used_memory startup=%d live=%d", startup, live),
	}
	if !x.noReload {
		reloaded, err := x.reload(s, rows, target)
		if err != nil {
			return fmt.Errorf("after a restart: %w", err)
		}
		comments = append(comments, fmt.Sprintf("used_memory reloaded=%d", reloaded))
	}
	return writeTruth(filepath.Join(dir, x.name+".tsv"), comments, rows)
}

// serverDir creates and returns the directory of a server's fixtures.
func serverDir(s *server, dir string) (string, error) {
	dir = filepath.Join(dir, s.name)
	return dir, os.MkdirAll(dir, 0o755)
}

// reload measures the deletion of each key, restarts the server from the file,
// reads what may have changed, and measures again. It returns used_memory after
// the restart.
func (x *fixture) reload(s *server, rows []row, file string) (used int64, err error) {
	if !x.noDrop {
		if err := drops(s, rows, func(r *row) *int64 { return &r.allocated }); err != nil {
			return 0, err
		}
	}
	s.stop()
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	if err := os.WriteFile(s.path("dump.rdb"), data, 0o644); err != nil {
		return 0, err
	}
	if err := s.start(); err != nil {
		return 0, err
	}
	if contains(x.conf, "--cluster-enabled") {
		if err := s.awaitCluster(); err != nil {
			return 0, err
		}
	}
	if used, err = s.usedMemory(); err != nil {
		return 0, err
	}
	err = eachRow(s, rows, func(r *row) error {
		var err error
		if r.reloadedEncoding, err = s.text("OBJECT", "ENCODING", r.key); err != nil {
			return err
		}
		r.reloadedUsage, err = s.integer("MEMORY", "USAGE", r.key, "SAMPLES", "0")
		return err
	})
	if err == nil && !x.noDrop {
		err = drops(s, rows, func(r *row) *int64 { return &r.reloadedAlloc })
	}
	return used, err
}

func (s *server) usedMemory() (int64, error) {
	text, err := s.info("memory", "used_memory")
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(text, 10, 64)
}

// drops deletes all keys and stores by how many bytes used_memory fell for each.
func drops(s *server, rows []row, field func(*row) *int64) error {
	time.Sleep(time.Second) // a rehash in flight ends
	if err := s.freezeTables(rows); err != nil {
		return err
	}
	// A new connection has a reply buffer that both replies fit into, unless the
	// server shrinks it.
	if _, err := s.do("DEBUG", "REPLYBUFFER", "RESIZING", "0"); err != nil {
		return err
	}
	if err := s.reconnect(); err != nil {
		return err
	}
	for range 3 { // what the server allocates at the first use of a command
		if _, err := s.drop("no such key"); err != nil {
			return err
		}
	}
	return eachRow(s, rows, func(r *row) error {
		n, err := s.drop(r.key)
		*field(r) = n
		return err
	})
}

// drop deletes a key and returns by how many bytes used_memory fell. It uses a
// transaction, so that nothing else runs in between. (In a script, newer servers
// count the memory of the interpreter, too.)
func (s *server) drop(key string) (int64, error) {
	s.write("MULTI")
	s.write("INFO", "memory")
	s.write("DEL", key)
	s.write("INFO", "memory")
	s.write("EXEC")
	if err := s.w.Flush(); err != nil {
		return 0, err
	}
	var last any
	for range 5 {
		var err error
		if last, err = s.read(); err != nil {
			return 0, err
		}
	}
	replies, _ := last.([]any)
	if len(replies) != 3 {
		return 0, fmt.Errorf("the transaction returned %v", last)
	}
	before, err := infoNumber(replies[0], "used_memory")
	if err != nil {
		return 0, err
	}
	after, err := infoNumber(replies[2], "used_memory")
	return before - after, err
}

// infoNumber returns a number of an INFO reply.
func infoNumber(reply any, field string) (int64, error) {
	text, _ := reply.(string)
	_, after, _ := strings.Cut(text, "\n"+field+":")
	number, _, _ := strings.Cut(after, "\r")
	return strconv.ParseInt(number, 10, 64)
}

// freezeTables prevents the deletion of a key from changing the key tables.
// Newer servers have a command against resizing; Redis 7.0 does not resize while
// a child process saves. Chains of Valkey's buckets shrink, too: adding and
// deleting many keys leaves a table that is too large for chains.
func (s *server) freezeTables(rows []row) error {
	valkey := strings.HasPrefix(s.name, "valkey-")
	if valkey {
		if err := s.eachFiller(rows, "SET", "4102444800000"); err != nil {
			return err
		}
		time.Sleep(time.Second)
	}
	_, err := s.do("DEBUG", "DICT-RESIZING", "0")
	var re replyError
	if errors.As(err, &re) {
		if _, err = s.do("CONFIG", "SET", "rdb-key-save-delay", "1000000"); err == nil {
			_, err = s.do("BGSAVE")
		}
	}
	if err == nil && valkey {
		err = s.eachFiller(rows, "DEL", "")
	}
	return err
}

// eachFiller sets or deletes thousands of keys in every database that has rows.
func (s *server) eachFiller(rows []row, command, expiry string) error {
	done := map[int]bool{}
	return eachRow(s, rows, func(r *row) error {
		if done[r.db] {
			return nil
		}
		done[r.db] = true
		return s.pipeline(func(send func(args ...string)) {
			for i := range 8 * (len(rows) + 100) {
				args := []string{command, "filler of a table:" + strconv.Itoa(i)}
				if expiry != "" {
					args = append(args, "", "PXAT", expiry)
				}
				send(args...)
			}
		})
	})
}
