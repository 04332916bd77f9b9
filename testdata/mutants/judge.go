package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A judge runs tests with mutants.
type judge struct {
	dir       string
	packages  []string // that have tests, lowest first
	tests     []*test
	longest   float64
	copies    int  // the highest number of a mutant
	temporary bool // dir is to be removed
}

// A test is a test function.
type test struct {
	Package, Name string
	Seconds       float64      // of processor time, of it and the processes it starts
	Reaches       map[int]bool // numbers of the mutants whose functions it calls
}

// newJudge compiles the tests of all packages with the mutants, and runs each test
// without a mutant to learn how long it takes and what it calls. It sets the verdict of
// those that do not compile.
func (o *options) newJudge(mutants []*mutant) (*judge, error) {
	j := &judge{dir: o.dir, longest: o.longest}
	if o.dir != "" {
		if err := os.MkdirAll(o.dir, 0o755); err != nil {
			return nil, err
		}
	} else {
		dir, err := os.MkdirTemp("", "mutants")
		if err != nil {
			return nil, err
		}
		j.dir, j.temporary = dir, true
	}
	out, err := exec.Command("go", "list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.Dir}}{{end}}", "./parser/...", "./thresholds/...", "./report/...", "./cmd/rdblens").Output()
	if err != nil {
		return nil, err
	}
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for _, pkg := range strings.Fields(string(out)) {
		if pkg = "." + strings.TrimPrefix(pkg, root); o.command || pkg != "./cmd/rdblens" {
			j.packages = append(j.packages, pkg)
		}
	}
	copies := slices.DeleteFunc(slices.Clone(mutants), func(m *mutant) bool { return m.in == nil })
	for i, m := range copies {
		m.number = i + 1
	}
	j.copies = len(copies)
	if err := j.compile(copies); err != nil {
		return nil, err
	}
	for _, pkg := range j.packages {
		if err := j.record(pkg); err != nil {
			return nil, err
		}
	}
	return j, nil
}

func (j *judge) close() {
	if j.temporary {
		os.RemoveAll(j.dir)
	}
}

func (j *judge) path(name string) string {
	return filepath.Join(j.dir, strings.ReplaceAll(name, "/", "_"))
}

// compile compiles the tests, after it has found the mutants that do not compile.
func (j *judge) compile(mutants []*mutant) error {
	if _, err := os.Stat(j.path("compiled")); err == nil { // by a run before
		for _, m := range mutants {
			text, err := os.ReadFile(j.path(m.file))
			if err != nil || !bytes.Contains(text, fmt.Appendf(nil, " %s__%d(", m.function, m.number)) && !bytes.Contains(text, fmt.Appendf(nil, " %s__%d[", m.function, m.number)) {
				m.verdict = invalid
			}
		}
		return nil
	}
	for {
		lines, err := j.write(mutants)
		if err != nil {
			return err
		}
		out, err := exec.Command("go", append([]string{"build", "-overlay=" + j.path("overlay.json")}, j.packages...)...).CombinedOutput()
		if err == nil {
			break
		}
		bad := map[int]bool{}
		for _, m := range regexp.MustCompile(`(?m)^\S*?([^/\s:]+\.go):(\d+):`).FindAllSubmatch(out, -1) {
			at, _ := strconv.Atoi(string(m[2]))
			for _, c := range lines {
				if filepath.Base(j.path(c.file)) == string(m[1]) && c.first <= at && at <= c.last {
					bad[c.number] = true
				}
			}
		}
		if len(bad) == 0 {
			return fmt.Errorf("without mutants that compile: %s", out)
		}
		mutants = slices.DeleteFunc(mutants, func(m *mutant) bool {
			if bad[m.number] {
				m.verdict = invalid
			}
			return bad[m.number]
		})
	}
	for _, pkg := range j.packages {
		if out, err := j.goTest(pkg); err != nil {
			return fmt.Errorf("the tests of %s do not compile: %s", pkg, out)
		}
	}
	return os.WriteFile(j.path("compiled"), nil, 0o644)
}

// goTest compiles the tests of a package.
func (j *judge) goTest(pkg string) ([]byte, error) {
	return exec.Command("go", "test", "-c", "-vet=off", "-overlay="+j.path("overlay.json"), "-o", j.path(pkg), pkg).CombinedOutput()
}

// write writes the changed files, and returns which of their lines are copies.
func (j *judge) write(mutants []*mutant) ([]copied, error) {
	files := map[string][]*mutant{}
	for _, m := range mutants {
		files[m.file] = append(files[m.file], m)
	}
	changed := map[string][]byte{}
	var lines []copied
	for file, list := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		text, copies := withCopies(source, list)
		changed[file] = text
		lines = append(lines, copies...)
		changed[filepath.Join(filepath.Dir(file), "mutant_switch.go")] = fmt.Appendf(nil, switchSource, list[0].pkg, j.path("number"), j.copies+1, j.path("reached"))
	}
	return lines, j.overlay(changed)
}

// overlay replaces files of the module in the builds that follow.
func (j *judge) overlay(files map[string][]byte) error {
	replace := map[string]string{}
	for file, text := range files {
		path, err := filepath.Abs(file)
		if err != nil {
			return err
		}
		replace[path] = j.path(file)
		if err := os.WriteFile(j.path(file), text, 0o644); err != nil {
			return err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	return os.WriteFile(j.path("overlay.json"), text, 0o644)
}

// record runs each test of a package alone without a mutant, unless a run before did.
// Those that fail or take too long are left out from then on.
func (j *judge) record(pkg string) error {
	var tests []*test
	if text, err := os.ReadFile(j.path(pkg + ".json")); err == nil {
		if err := json.Unmarshal(text, &tests); err != nil {
			return err
		}
		j.tests = append(j.tests, tests...)
		return nil
	}
	cmd := exec.Command(j.path(pkg), "-test.list=^(Test|Fuzz|Example)")
	cmd.Dir = pkg
	out, err := cmd.Output()
	if err != nil {
		return err
	}
	if err := os.WriteFile(j.path("number"), []byte("-1"), 0o644); err != nil {
		return err
	}
	for _, name := range strings.Fields(string(out)) {
		if err := os.WriteFile(j.path("reached"), nil, 0o644); err != nil {
			return err
		}
		t := &test{Package: pkg, Name: name, Reaches: map[int]bool{}}
		cmd, err := j.run(j.longest, t)
		if t.Seconds = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(); t.Seconds > j.longest || err != nil {
			fmt.Printf("%s %s is left out: %.1f s (%v)\n", pkg, name, t.Seconds, err)
			continue
		}
		reached, err := os.ReadFile(j.path("reached"))
		if err != nil {
			return err
		}
		for _, n := range bytes.Fields(reached) {
			number, err := strconv.Atoi(string(n))
			if err != nil {
				return err
			}
			t.Reaches[number] = true
		}
		tests = append(tests, t)
	}
	j.tests = append(j.tests, tests...)
	text, err := json.Marshal(tests)
	if err != nil {
		return err
	}
	return os.WriteFile(j.path(pkg+".json"), text, 0o644)
}

// run runs tests of one package. A mutant may run and allocate without end, so the
// address space and the processor time, in seconds, are bounded. The time on the clock
// is bounded generously, which depends on what else the machine does.
func (j *judge) run(seconds float64, tests ...*test) (*exec.Cmd, error) {
	var names []string
	for _, t := range tests {
		names = append(names, t.Name)
	}
	cmd := exec.Command("sh", "-c", `ulimit -v 8388608; ulimit -t "$0"; exec "$@"`, strconv.Itoa(int(seconds)),
		j.path(tests[0].Package), "-test.short", "-test.failfast", "-test.timeout=3m", "-test.run=^("+strings.Join(names, "|")+")$")
	cmd.Dir = tests[0].Package
	return cmd, cmd.Run()
}

// tiers are the tests by the processor time that they take, in seconds: all mutants meet
// the quick ones before any meets others.
var tiers = []float64{0, 0.1, 0.3, 1, 1000}

// judge sets the verdict of a mutant by the tests of a tier.
func (j *judge) judge(m *mutant, tier int) error {
	if m.in == nil { // a declaration has no copy
		return j.judgeDeclaration(m)
	}
	if err := os.WriteFile(j.path("number"), []byte(strconv.Itoa(m.number)), 0o644); err != nil {
		return err
	}
	j.runAll(m, tier, func(t *test) bool { return t.Reaches[m.number] })
	return nil
}

// runAll runs the tests of a tier that are wanted, those of the mutant's own package
// first, and sets the verdict.
func (j *judge) runAll(m *mutant, tier int, wanted func(*test) bool) {
	packages := slices.Clone(j.packages)
	own := "./" + filepath.Dir(m.file)
	slices.SortStableFunc(packages, func(a, b string) int { return cmp.Compare(distance(own, a), distance(own, b)) })
	for _, pkg := range packages {
		var group []*test
		seconds := 0.0
		for _, t := range j.tests {
			if t.Package == pkg && t.Seconds > tiers[tier] && t.Seconds <= tiers[tier+1] && wanted(t) {
				group = append(group, t)
				seconds += t.Seconds
			}
		}
		if group != nil {
			if _, err := j.run(3+3*seconds, group...); err != nil {
				m.verdict = killed
				return
			}
		}
	}
	m.verdict = alive
}

// distance orders packages by what they likely know of a file in own: its package, the
// folders above, others.
func distance(own, pkg string) int {
	switch {
	case pkg == own:
		return 0
	case strings.HasPrefix(own, pkg+"/"):
		return 1
	}
	return 2
}

// judgeDeclaration judges a mutant that is in no function, such as a constant: it
// compiles the tests of its package, of the folders above it, of report and of the
// command.
func (j *judge) judgeDeclaration(m *mutant) error {
	source, err := os.ReadFile(m.file)
	if err != nil {
		return err
	}
	one := &judge{dir: j.path("declaration"), longest: j.longest, tests: j.tests}
	if err := os.MkdirAll(one.dir, 0o755); err != nil {
		return err
	}
	if err := one.overlay(map[string][]byte{m.file: apply(source, 0, len(source), edit{m.start, m.end, m.text})}); err != nil {
		return err
	}
	own := "./" + filepath.Dir(m.file)
	for _, least := range []int{0, 1, 2} {
		for _, pkg := range j.packages {
			if distance(own, pkg) != least || least == 2 && pkg != "./report" && pkg != "./cmd/rdblens" {
				continue
			}
			if _, err := one.goTest(pkg); err != nil {
				m.verdict = invalid
				return nil
			}
			one.packages = []string{pkg}
			for tier := range 2 { // the slow ones take too long
				if one.runAll(m, tier, func(*test) bool { return true }); m.verdict == killed {
					return nil
				}
			}
		}
	}
	return nil
}
