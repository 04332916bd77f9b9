package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A server is a process of the database under test, with a directory of its own.
// It listens only on a Unix socket in that directory.
type server struct {
	argv []string // the command without options, such as "redis-server" or "chroot DIR valkey-server"
	root string   // the process's root directory, "" if it is not in a chroot
	dir  string   // its directory, as a path outside the chroot
	conf []string // options of the command line, names and values
	cmd  *exec.Cmd
	*client

	// Known once it has started: "redis-7.0.15" and the like, and whether
	// fields of a hash can have an expiry.
	name        string
	fieldExpiry bool
}

// newServer prepares a server in a new directory below the system's temporary
// one, or the chroot's.
func newServer(argv []string, conf ...string) (*server, error) {
	s := &server{argv: argv, conf: conf}
	if filepath.Base(argv[0]) == "chroot" && len(argv) >= 3 {
		s.root = filepath.Clean(argv[1])
	}
	parent := os.TempDir()
	if s.root != "" {
		parent = filepath.Join(s.root, "tmp")
	}
	dir, err := os.MkdirTemp(parent, "gen")
	if err != nil {
		return nil, err
	}
	s.dir = dir
	return s, nil
}

// path returns the path of a file in the server's directory.
func (s *server) path(name string) string { return filepath.Join(s.dir, name) }

// start starts the process in its directory and connects to it.
func (s *server) start(extra ...string) error {
	inside := strings.TrimPrefix(s.dir, s.root)
	options := []string{
		"--port", "0", "--unixsocket", filepath.Join(inside, "sock"), "--dir", inside,
		"--save", "", "--appendonly", "no", "--daemonize", "no", "--logfile", filepath.Join(inside, "log"),
		"--activedefrag", "no", "--dbfilename", "dump.rdb", "--enable-debug-command", "yes", "--lazyfree-lazy-user-del", "no",
		"--databases", "256", "--appenddirname", "aof",
	}
	options = append(append(options, s.conf...), extra...)
	args := append(append([]string{}, s.argv[1:]...), options...)
	s.cmd = exec.Command(s.argv[0], args...)
	if err := s.cmd.Start(); err != nil {
		return err
	}
	deadline := time.Now().Add(5 * time.Minute)
	for {
		c, err := dial("unix", s.path("sock"))
		if err == nil {
			if _, err = c.do("PING"); err == nil {
				s.client = c
				return s.identify()
			}
			c.close()
		}
		var re replyError // LOADING
		if !errors.As(err, &re) && s.exited() {
			return fmt.Errorf("%q exited: see %s", s.argv, s.path("log"))
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%q does not reply: %w", s.argv, err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// identify reads the server's name and version.
func (s *server) identify() error {
	s.name = "redis-"
	version, err := s.info("server", "valkey_version")
	if err == nil {
		s.name = "valkey-"
	} else if version, err = s.info("server", "redis_version"); err != nil {
		return err
	}
	s.name += version
	s.fieldExpiry = s.knows("HPEXPIRETIME")
	return nil
}

// knows reports whether the server has a command.
func (s *server) knows(command string) bool {
	v, err := s.do("COMMAND", "INFO", command)
	list, _ := v.([]any)
	return err == nil && len(list) == 1 && list[0] != nil
}

// exited reports whether the process has ended. It has not been waited for, so it
// is a zombie then.
func (s *server) exited() bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	if err != nil {
		return true
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(after, "Z")
}

// reconnect replaces the connection.
func (s *server) reconnect() error {
	c, err := dial("unix", s.path("sock"))
	if err != nil {
		return err
	}
	s.client.close()
	s.client = c
	return nil
}

// stop shuts the server down without a save. A server that does not end is
// killed.
func (s *server) stop() error {
	if s.client == nil {
		return nil
	}
	s.client.conn.SetDeadline(time.Now().Add(30 * time.Second))
	s.client.do("SHUTDOWN", "NOSAVE") // returns when the server ends the connection
	s.client.close()
	s.client = nil
	kill := time.AfterFunc(30*time.Second, func() { s.cmd.Process.Kill() })
	defer kill.Stop()
	s.cmd.Wait()
	return nil
}

// remove stops the process and deletes its directory.
func (s *server) remove() error {
	s.stop()
	return os.RemoveAll(s.dir)
}

// info returns a field of INFO.
func (s *server) info(section, field string) (string, error) {
	text, err := s.text("INFO", section)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok && name == field {
			return value, nil
		}
	}
	return "", fmt.Errorf("no field %s in INFO %s", field, section)
}

// awaitCluster waits until the cluster is in the state ok.
func (s *server) awaitCluster() error {
	for {
		state, err := s.text("CLUSTER", "INFO")
		if err != nil || strings.Contains(state, "cluster_state:ok") {
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// snapshot saves the data set and moves the file to target.
func (s *server) snapshot(target string) error {
	if _, err := s.do("SAVE"); err != nil {
		return err
	}
	return moveFile(s.path("dump.rdb"), target)
}

// moveFile renames a file, or copies it to another file system.
func moveFile(from, to string) error {
	if os.Rename(from, to) == nil {
		return nil
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.WriteFile(to, data, 0o644); err != nil {
		return err
	}
	return os.Remove(from)
}

// newFilled starts a server and fills it. The caller removes it.
func newFilled(argv []string, fill func(*filler), conf ...string) (*server, error) {
	s, err := newServer(argv, conf...)
	if err != nil {
		return nil, err
	}
	if err = s.start(); err == nil {
		f := newFiller(s)
		fill(f)
		err = f.err
	}
	if err != nil {
		s.remove()
		return nil, err
	}
	return s, nil
}
