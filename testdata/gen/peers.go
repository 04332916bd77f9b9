package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rdblens/rdblens/report"
)

// A cost is what a run of a process took.
type cost struct {
	wall time.Duration
	cpu  time.Duration // user and system
	peak int64         // resident memory, bytes
}

// measure runs a command and discards its output.
func measure(argv ...string) (cost, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin = nil
	begin := time.Now()
	out, err := runQuiet(cmd)
	c := cost{wall: time.Since(begin)}
	if err != nil {
		return c, fmt.Errorf("%q: %w: %.200s", argv, err, out)
	}
	c.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if use, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		c.peak = use.Maxrss << 10
	}
	return c, nil
}

// runQuiet runs a command and returns what it wrote to standard error.
func runQuiet(cmd *exec.Cmd) (string, error) {
	var e strings.Builder
	cmd.Stderr = &e
	err := cmd.Run()
	return e.String(), err
}

// median returns the median of each figure.
func median(costs []cost) cost {
	pick := func(get func(cost) int64) int64 {
		var all []int64
		for _, c := range costs {
			all = append(all, get(c))
		}
		slices.Sort(all)
		return all[len(all)/2]
	}
	return cost{
		wall: time.Duration(pick(func(c cost) int64 { return int64(c.wall) })),
		cpu:  time.Duration(pick(func(c cost) int64 { return int64(c.cpu) })),
		peak: pick(func(c cost) int64 { return c.peak }),
	}
}

// A contest is one of our commands and the other program's that answers the same
// question, nil if there is none.
type contest struct {
	name         string
	ours, theirs func(o *options, file string) []string
}

var contests = []contest{
	{
		"the largest keys",
		func(o *options, file string) []string {
			return []string{o.rdblens, "scan", "--format", "json", file}
		},
		func(o *options, file string) []string {
			return []string{o.peer, "-c", "bigkey", "-n", "100", "-o", os.DevNull, file}
		},
	},
	{
		"a row for every key",
		func(o *options, file string) []string {
			return []string{o.rdblens, "keys", "--format", "csv", file}
		},
		func(o *options, file string) []string {
			return []string{o.peer, "-c", "memory", "-o", os.DevNull, file}
		},
	},
	{
		"a JSON text for every key",
		func(o *options, file string) []string {
			return []string{o.rdblens, "keys", "--format", "jsonl", file}
		},
		nil,
	},
}

// comparePeers makes missing snapshots, builds the other program, and prints a
// table. It runs the commands in turn, so that other load of the machine affects
// all alike.
func comparePeers(o *options) error {
	dir := o.args[0]
	if err := makeMissing(dir, o.scale); err != nil {
		return err
	}
	if o.peer == "" {
		o.peer = filepath.Join(dir, "rdb")
		if err := buildPeer(o.peer); err != nil {
			return err
		}
	}
	fmt.Printf("%s, %s, %d CPUs, %s; medians of %d\n\n", time.Now().Format("2006-01-02"), cpuName(), runtime.NumCPU(), runtime.Version(), o.rounds)
	fmt.Println("| snapshot | question | rdblens s | user+sys s | MB | hdt3213/rdb s | user+sys s | MB | times as fast |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	for _, set := range benchSets {
		if set.onDemand {
			continue
		}
		file := filepath.Join(dir, set.name+".rdb")
		if err := warm(file); err != nil {
			return err
		}
		for _, c := range contests {
			if err := c.run(o, set.name, file); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *contest) run(o *options, set, file string) error {
	var ours, theirs []cost
	for range o.rounds {
		m, err := measure(c.ours(o, file)...)
		if err != nil {
			return err
		}
		ours = append(ours, m)
		if c.theirs == nil {
			continue
		}
		if m, err = measure(c.theirs(o, file)...); err != nil {
			return err
		}
		theirs = append(theirs, m)
	}
	a := median(ours)
	fmt.Printf("| %s | %s | %s |", set, c.name, a)
	if theirs == nil {
		fmt.Println("  |  |  |  |")
		return nil
	}
	b := median(theirs)
	fmt.Printf(" %s | %.1f |\n", b, b.wall.Seconds()/a.wall.Seconds())
	return nil
}

// String returns the cost as three cells of a table.
func (c cost) String() string {
	return fmt.Sprintf("%.3f | %.2f | %d", c.wall.Seconds(), c.cpu.Seconds(), c.peak/1e6)
}

// makeMissing makes missing snapshots, in a process of its own: the peak memory
// of a child process is at least that of its parent.
func makeMissing(dir string, scale float64) error {
	for _, set := range benchSets {
		if set.onDemand {
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, set.name+".rdb")); err == nil {
			continue
		}
		if err := self("bench", "-scale", strconv.FormatFloat(scale, 'g', -1, 64), dir, set.name); err != nil {
			return err
		}
	}
	return nil
}

// self runs this program.
func self(args ...string) error {
	path, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(path, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

// buildPeer builds hdt3213/rdb. The module proxy does not serve its list of
// versions, so go install fails; a module that requires it works.
func buildPeer(target string) error {
	if _, err := os.Stat(target); err == nil {
		return nil
	}
	dir, err := os.MkdirTemp("", "peer")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	mod := "module peer\n\ngo 1.26\n\nrequire github.com/hdt3213/rdb v1.3.2\n"
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "peer.go"), []byte("package peer\n\nimport _ \"github.com/hdt3213/rdb\"\n"), 0o644); err != nil {
		return err
	}
	if target, err = filepath.Abs(target); err != nil {
		return err
	}
	cmd := exec.Command("go", "build", "-o", target, "github.com/hdt3213/rdb")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building hdt3213/rdb: %w: %s", err, out)
	}
	return nil
}

// warm reads a file once, so that it is in the page cache.
func warm(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	// The cache has what a server wrote in the pieces in which it wrote them.
	// Dropping and reading them again makes it that of a copied file.
	if err := f.Sync(); err != nil {
		return err
	}
	if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		return err
	}
	buf := make([]byte, 1<<20)
	for {
		if n, _ := f.Read(buf); n == 0 {
			return nil
		}
	}
}

// cpuName returns the processor's name, the architecture if it is not known.
func cpuName() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

// measureGrowth scans snapshots of growing size: mixed keys, one hash, random
// names.
func measureGrowth(o *options) error {
	dir := o.args[0]
	fmt.Printf("%s, %s, %d CPUs; medians of %d\n\n", time.Now().Format("2006-01-02"), cpuName(), runtime.NumCPU(), o.rounds)
	fmt.Println("| snapshot | MB | s | user+sys s | peak MB | ns a key or element | groups | patterns folded |\n|---|---|---|---|---|---|---|---|")
	var failed error
	for _, kind := range []string{"mixed", "hash", "random"} {
		for _, millions := range []int{1, 2, 5, 10, 20} {
			if kind == "random" && millions != 5 {
				continue
			}
			failed = errors.Join(failed, growthStep(o, dir, kind, millions, "default"))
			if kind == "mixed" && millions == 10 || kind == "random" {
				failed = errors.Join(failed, growthStep(o, dir, kind, millions, "typed"))
			}
		}
	}
	return failed
}

func growthStep(o *options, dir, kind string, millions int, profile string) error {
	n := float64(millions) * 1e6
	sub := filepath.Join(dir, kind+"-"+strconv.Itoa(millions)+"m")
	file := filepath.Join(sub, kind+".rdb")
	if _, err := os.Stat(file); err != nil {
		whole := map[string]float64{"mixed": 2_350_000, "hash": 1e6, "random": 5e6}[kind]
		if err := self("bench", "-scale", strconv.FormatFloat(n/whole, 'g', -1, 64), sub, kind); err != nil {
			return err
		}
	}
	if err := warm(file); err != nil {
		return err
	}
	stat, err := os.Stat(file)
	if err != nil {
		return err
	}
	var costs []cost
	out := filepath.Join(sub, "report.json")
	defer os.Remove(out)
	for range o.rounds {
		c, err := measure(o.rdblens, "scan", "--profile", profile, "--format", "json="+out, file)
		if err != nil {
			return err
		}
		costs = append(costs, c)
	}
	c := median(costs)
	f, err := os.Open(out)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := report.Read(f)
	if err != nil {
		return err
	}
	fmt.Printf("| %d million, %s, profile %s | %d | %s | %.1f | %d | %d |\n", millions, kind, profile, stat.Size()/1e6, c,
		float64(c.wall.Nanoseconds())/n, len(r.Groups), r.GroupsFolded)
	return nil
}
