// Mutants measures how much of the product code the tests check. It changes the
// code in one place, runs the tests of the package, and of the packages above it
// that test it too, and reports the changes that no test noticed.
//
//	mutants [-seed N] [-n N] [-for DURATION] [-o FILE] [-command=false] [-again] [DIR...]
//
// The changes are a random sample: boundaries (< for <=), negated conditions,
// other operators, integers that are one more, and removed statements. The tree is
// not touched (go test -overlay). The judgement of each mutant is a line of FILE; a
// run with the same seed and FILE continues where the one before ended.
//
// Mutants that do not compile do not count, nor those listed in equivalent.txt,
// which behave as the original does.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A mutant is a change of one file.
type mutant struct {
	file       string // relative to the root of the module
	start, end int    // bytes that are replaced
	text       string // by this
	line       int
	function   string // in which it is, "" outside
	what       string // description, such as "n < 5: <= for <"
}

// id identifies the mutant in the output and in equivalent.txt. It has no line
// number, so that it outlives changes elsewhere in the file.
func (m *mutant) id() string { return m.file + " " + cmp.Or(m.function, "-") + " " + m.what }

// The verdicts. Only killed and alive mutants count.
const (
	killed  = "killed"
	alive   = "ALIVE"
	invalid = "invalid" // does not compile
)

func main() {
	o := new(options)
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the sample")
	flag.IntVar(&o.n, "n", 200, "number of mutants that compile")
	flag.DurationVar(&o.limit, "for", 24*time.Hour, "time after which no further mutant is started")
	flag.StringVar(&o.output, "o", "", "file of the judgements (default bin/mutants-SEED.txt)")
	flag.BoolVar(&o.command, "command", true, "run the tests of the command, too, which take longest")
	flag.BoolVar(&o.again, "again", false, "judge again those that were alive, for example after tests were added, and no others")
	flag.Parse()
	dirs := flag.Args()
	if len(dirs) == 0 {
		dirs = []string{"parser", "thresholds", "report"}
	}
	if o.output == "" {
		o.output = fmt.Sprintf("bin/mutants-%d.txt", o.seed)
	}
	if err := o.run(dirs); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	seed    uint64
	n       int
	limit   time.Duration
	output  string
	command bool
	again   bool

	log    *os.File
	judged map[string]string // what is in the output: verdicts by mutant, slow tests by package
}

func (o *options) run(dirs []string) error {
	all, err := mutantsOf(dirs)
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(o.seed, 0))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	if o.judged, err = readJudgements(o.output); err != nil {
		return err
	}
	if o.log, err = os.OpenFile(o.output, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644); err != nil {
		return err
	}
	defer o.log.Close()
	start := time.Now()
	counts, survivors := map[string]int{}, []string{}
	for i := 0; i < len(all) && counts[killed]+counts[alive] < o.n; i++ {
		m := &all[i]
		if strings.Contains(equivalents, "\n"+m.id()+"\n") {
			continue
		}
		verdict, ok := o.judged[m.id()]
		if o.again {
			if verdict != alive {
				continue
			}
			ok = false
		}
		if !ok {
			if time.Since(start) > o.limit {
				fmt.Println("out of time: run again to continue")
				break
			}
			if verdict, err = o.judge(m); err != nil {
				return err
			}
			fmt.Fprintf(o.log, "%s\t%s\t%d\n", verdict, m.id(), m.line)
		}
		counts[verdict]++
		if verdict == alive {
			survivors = append(survivors, fmt.Sprintf("%s:%d: %s", m.file, m.line, m.what))
		}
	}
	slices.Sort(survivors)
	for _, s := range survivors {
		fmt.Println(s)
	}
	total := counts[killed] + counts[alive]
	fmt.Printf("%d of %d mutants alive (%.1f %%); %d more did not compile; %d places in all\n",
		counts[alive], total, 100*float64(counts[alive])/float64(max(total, 1)), counts[invalid], len(all))
	return nil
}

//go:embed equivalent.txt
var equivalents string

// readJudgements reads what an earlier run wrote.
func readJudgements(path string) (map[string]string, error) {
	judged := map[string]string{}
	file, err := os.Open(path)
	if os.IsNotExist(err) {
		return judged, os.MkdirAll(filepath.Dir(path), 0o755)
	} else if err != nil {
		return nil, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if f := strings.Split(lines.Text(), "\t"); len(f) == 3 {
			judged[f[1]] = f[0]
		}
	}
	return judged, lines.Err()
}

// judge runs the tests with the mutant.
func (o *options) judge(m *mutant) (string, error) {
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	source, err := os.ReadFile(m.file)
	if err != nil {
		return "", err
	}
	changed := slices.Concat(source[:m.start], []byte(m.text), source[m.end:])
	if err := os.WriteFile(filepath.Join(dir, "mutant.go"), changed, 0o644); err != nil {
		return "", err
	}
	path, err := filepath.Abs(m.file)
	if err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{path: filepath.Join(dir, "mutant.go")}})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o644); err != nil {
		return "", err
	}
	binary := filepath.Join(dir, "tests")
	for _, pkg := range testers(m.file, o.command) {
		out, err := exec.Command("go", "test", "-c", "-vet=off", "-overlay="+filepath.Join(dir, "overlay.json"), "-o", binary, pkg).CombinedOutput()
		if err != nil {
			if bytes.Contains(out, []byte("cannot allocate memory")) {
				return "", fmt.Errorf("%s", out)
			}
			return invalid, nil
		}
		slow, err := o.slowTests(pkg)
		if err != nil {
			return "", err
		}
		if !passes(binary, pkg, "60", "-test.skip="+slow) || !passes(binary, pkg, "300", "-test.run="+slow) {
			return killed, nil
		}
	}
	return alive, nil
}

// passes reports whether tests of a compiled package pass. A mutant may run and
// allocate without end, so the address space and the processor time, in seconds, are
// bounded. The time on the clock is not, which depends on what else the machine does.
func passes(binary, pkg, seconds, tests string) bool {
	cmd := exec.Command("sh", "-c", `ulimit -v 8388608; ulimit -t `+seconds+`; exec "$0" "$@"`, binary, "-test.short", "-test.failfast", "-test.timeout=30m", tests)
	cmd.Dir = pkg
	return cmd.Run() == nil
}

// slowTests returns an expression that matches the tests of a package that take more
// than half a second. They run after the others, which notice most mutants.
func (o *options) slowTests(pkg string) (string, error) {
	if list, ok := o.judged[pkg]; ok {
		return list, nil
	}
	out, err := exec.Command("go", "test", "-short", "-vet=off", "-json", pkg).Output()
	if err != nil {
		return "", fmt.Errorf("the tests of %s fail without a mutant: %w", pkg, err)
	}
	names := []string{"-"} // no test has this name
	for line := range bytes.Lines(out) {
		var event struct {
			Action, Test string
			Elapsed      float64
		}
		if err := json.Unmarshal(line, &event); err != nil {
			return "", err
		}
		if event.Action == "pass" && event.Elapsed > 0.5 && event.Test != "" && !strings.Contains(event.Test, "/") {
			names = append(names, event.Test)
		}
	}
	o.judged[pkg] = "^(" + strings.Join(names, "|") + ")$"
	fmt.Fprintf(o.log, "%s\t%s\t0\n", o.judged[pkg], pkg)
	return o.judged[pkg], nil
}

// testers returns the packages that test a file: its own, those in the folders
// above it and, if asked for, the command.
func testers(file string, command bool) []string {
	var list []string
	for dir := filepath.Dir(file); dir != "."; dir = filepath.Dir(dir) {
		if tests, _ := filepath.Glob(dir + "/*_test.go"); tests != nil {
			list = append(list, "./"+dir)
		}
	}
	if strings.HasPrefix(file, "parser/memory") {
		list = append(list, "./report")
	}
	if command {
		list = append(list, "./cmd/rdblens")
	}
	return list
}

// mutantsOf returns all mutants of the files below some folders.
func mutantsOf(dirs []string) ([]mutant, error) {
	var all []mutant
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			if match, err := matchesPlatform(path); err != nil || !match {
				return err
			}
			list, err := mutantsIn(path)
			all = append(all, list...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}
