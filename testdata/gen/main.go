// Gen makes the snapshots that tests and measurements use, with real servers,
// and records what the servers say about them.
//
//	gen fixtures [SERVER...]             all that is committed under testdata
//	gen truth -server SERVER DIR [NAME]  every type and encoding, with truth files
//	gen rules -server SERVER DIR [NAME]  keys on both sides of the rules' limits
//	gen dragonfly DIR                    files of Dragonfly, by hand
//	gen modules DIR                      values of modules, by hand
//	gen shop -server SERVER FILE         a small shop's keyspace
//	gen memory [-keys N] [-churn] [SERVER...]     errors of the memory model against servers
//	gen restore [-rdblens BINARY] [SERVER...]  keys that show --format resp puts back, against servers
//	gen target [-dir DIR] [SERVER...]  snapshots that scan --target calls loadable or not, against servers
//	gen advice [SERVER...]               follows the advice of all rules on servers
//	gen nights [-keys N] [SERVER...]     snapshots of servers under traffic, compared with planted changes
//	gen fleet -rdblens BINARY DIR        31 nights of 64 shards with planted events, and runs that are killed
//	gen bench [-scale X] DIR [NAME]      the snapshots that speed is measured on
//	gen peers -rdblens BINARY DIR        speed compared with hdt3213/rdb
//	gen backups -rdblens BINARY DIR      a scan of gzip files compared with a pipe from gzip
//	gen cluster -rdblens BINARY [-keys N] DIR  64 shards of a cluster: one scan compared with a scan of each and a merge
//	gen shards [-keys N] DIR             makes those snapshots, if they are missing
//	gen growth -rdblens BINARY DIR       time and memory by the number of keys and elements
//	gen pace [-scale X] DIR              how fast one goroutine walks JSON documents and compressed blocks
//	gen pgo DIR FILE                     a profile of three snapshots for the compiler
//
// SERVER is a command, such as "redis-server", "/opt/valkey/bin/valkey-server"
// or "chroot DIR valkey-server", which is one argument. By default the servers
// in PATH are used.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/rdblens/rdblens/thresholds/config"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// options are the flags of all modes; each uses a few.
type options struct {
	server  string
	keys    int
	churn   bool
	seed    uint64
	dir     string
	scale   float64
	rdblens string
	peer    string
	rounds  int
	args    []string
}

// argv returns the server's command, split into words.
func (o *options) argv() []string { return strings.Fields(o.server) }

// A mode is a task of the program, with the minimal number of its arguments.
type mode struct {
	args int
	run  func(*options) error
}

var modes = map[string]mode{
	"fixtures":  {0, func(o *options) error { return makeAll("testdata", o.args) }},
	"truth":     {1, func(o *options) error { return makeFixtures(o.argv(), o.args[0], o.args[1:]) }},
	"rules":     {1, func(o *options) error { return makeRules(o.argv(), o.args[0], o.args[1:]) }},
	"dragonfly": {1, func(o *options) error { return makeDragonfly(o.args[0]) }},
	"modules":   {1, func(o *options) error { return makeModules(o.args[0]) }},
	"shop":      {1, func(o *options) error { return makeShop(o.argv(), o.args[0]) }},
	"memory":    {0, func(o *options) error { return measureMemory(o.args, o.dir, o.keys, o.churn, o.seed) }},
	"restore": {0, func(o *options) error {
		return checkRestores(os.Stdout, o.args, o.rdblens, "testdata/truth/*/*.rdb", 1_000_000)
	}},
	"target": {0, func(o *options) error {
		dirs := []string{"testdata"}
		if o.dir != "" {
			dirs = append(dirs, o.dir)
		}
		return checkTargets(os.Stdout, o.args, dirs...)
	}},
	"advice":  {0, func(o *options) error { return checkAdvice(os.Stdout, o.args, config.Profiles(), fillAdvised) }},
	"nights":  {0, func(o *options) error { return checkNights(os.Stdout, o.args, o.keys, time.Minute) }},
	"fleet":   {1, func(o *options) error { return checkFleet(os.Stdout, o) }},
	"bench":   {1, func(o *options) error { return bench(o.argv(), o.args[0], o.args[1:], o.scale) }},
	"peers":   {1, func(o *options) error { return comparePeers(o) }},
	"backups": {1, func(o *options) error { return measureBackups(o) }},
	"shards":  {1, func(o *options) error { return makeCluster(o.argv(), o.args[0], o.keys) }},
	"cluster": {1, func(o *options) error { return measureCluster(o) }},
	"growth":  {1, func(o *options) error { return measureGrowth(o) }},
	"pace":    {1, func(o *options) error { return measurePace(o) }},
	"pgo":     {2, func(o *options) error { return makeProfile(o) }},
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New("a mode is required: see go doc ./testdata/gen")
	}
	m, ok := modes[args[0]]
	if !ok {
		return fmt.Errorf("unknown mode %q: see go doc ./testdata/gen", args[0])
	}
	o := new(options)
	f := flag.NewFlagSet(args[0], flag.ContinueOnError)
	f.StringVar(&o.server, "server", "redis-server", "command of the server")
	f.IntVar(&o.keys, "keys", 200_000, "number of keys of the memory measurement and of nights")
	f.BoolVar(&o.churn, "churn", false, "change the keys of the memory measurement with all write commands and different limits")
	f.Uint64Var(&o.seed, "seed", 0, "seed of the churn (default: chosen at random and printed)")
	f.StringVar(&o.dir, "dir", "", "directory to keep the snapshots of the memory measurement and their truth files in (default: they are deleted); directory with further snapshots for target")
	f.Float64Var(&o.scale, "scale", 1, "size of the benchmark snapshots relative to the published ones")
	f.StringVar(&o.rdblens, "rdblens", "bin/rdblens", "binary to measure")
	f.StringVar(&o.peer, "peer", "", "binary of hdt3213/rdb (default: built from the module proxy)")
	f.IntVar(&o.rounds, "rounds", 5, "runs of each command; the median is printed")
	if err := f.Parse(args[1:]); err != nil {
		return err
	}
	if o.args = f.Args(); len(o.args) < m.args {
		return fmt.Errorf("%s: missing %d arguments", args[0], m.args-len(o.args))
	}
	return m.run(o)
}

// installedServers returns the servers in PATH.
func installedServers() []string {
	var out []string
	for _, name := range []string{"redis-server", "valkey-server"} {
		if path, err := exec.LookPath(name); err == nil {
			out = append(out, path)
		}
	}
	return out
}

// makeAll makes those committed snapshots that the given servers can make.
func makeAll(dir string, servers []string) error {
	if err := errors.Join(makeDragonfly(dir+"/dragonfly"), makeModules(dir+"/modules")); err != nil {
		return err
	}
	if len(servers) == 0 {
		servers = installedServers()
	}
	for _, command := range servers {
		argv := strings.Fields(command)
		if err := makeFixtures(argv, dir+"/truth", nil); err != nil {
			return fmt.Errorf("%s: %w", command, err)
		}
		name, err := serverName(argv)
		if err != nil {
			return fmt.Errorf("%s: %w", command, err)
		}
		var large []string
		switch {
		case strings.HasPrefix(name, "redis-7.0."):
			large = []string{"nocomp", "overflow", "extreme"}
		case strings.HasPrefix(name, "valkey-9."):
			large = []string{"extreme"}
		}
		if large != nil {
			if err := makeFixtures(argv, dir+"/truth", large); err != nil {
				return fmt.Errorf("%s: %w", command, err)
			}
		}
		if err := makeRules(argv, dir+"/rules", nil); err != nil {
			return fmt.Errorf("%s: %w", command, err)
		}
		if strings.HasPrefix(name, "redis-7.0.") {
			if err := makeShop(argv, dir+"/shop.rdb"); err != nil {
				return fmt.Errorf("%s: %w", command, err)
			}
		}
	}
	return nil
}

// serverName starts a server and returns its name, such as redis-7.0.15.
func serverName(argv []string) (string, error) {
	s, err := newServer(argv)
	if err != nil {
		return "", err
	}
	defer s.remove()
	if err := s.start(); err != nil {
		return "", err
	}
	return s.name, nil
}
