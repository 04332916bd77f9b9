// Mutants measures how much of the product code the tests check. It changes the
// code in one place, runs the tests that call the changed function, of any package,
// and reports the changes that no test noticed.
//
//	mutants [-seed N] [-n N] [-for DURATION] [-longest SECONDS] [-o FILE] [-dir DIR] [-command=false] [-again] [DIR...]
//
// The changes are a random sample: boundaries (< for <=), negated conditions,
// other operators, integers that are one more, and removed statements. The tree is
// not touched (go test -overlay). The judgement of each mutant is a line of FILE; a
// run with the same seed, FILE and DIR continues where the one before ended.
//
// Mutants that do not compile do not count, nor those listed in equivalent.txt,
// which behave as the original does.
package main

import (
	"bufio"
	"cmp"
	_ "embed"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
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
	pkg        string    // name of the package
	function   string    // in which it is, "" outside
	in         *function // the same, nil where it has no copy
	number     int       // of its copy
	verdict    string
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
	flag.StringVar(&o.dir, "dir", "", "folder of the compiled tests: a run with the same seed uses them again")
	flag.Float64Var(&o.longest, "longest", 5, "skip tests that take more seconds of processor time")
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
	longest float64
	dir     string
}

func (o *options) run(dirs []string) error {
	all, err := mutantsOf(dirs)
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(o.seed, 0))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	judged, err := readJudgements(o.output)
	if err != nil {
		return err
	}
	// The sample is somewhat larger than n, for some mutants do not compile.
	var sample, open []*mutant
	for i := range all {
		m := &all[i]
		verdict := judged[m.id()]
		if strings.Contains(equivalents, "\n"+m.id()+"\n") || o.again && verdict != alive {
			continue
		}
		if m.verdict = verdict; verdict == "" || o.again {
			open = append(open, m)
		}
		if sample = append(sample, m); len(sample) == o.n+o.n/5 {
			break
		}
	}
	log, err := os.OpenFile(o.output, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	judge, err := o.newJudge(sample)
	if err != nil {
		return err
	}
	defer judge.close()
	last := len(tiers) - 2
	for tier := range last + 1 {
		start, unknown := time.Now(), 0
		for _, m := range open {
			if m.verdict == invalid && tier == 0 {
				fmt.Fprintf(log, "%s\t%s\t%d\n", m.verdict, m.id(), m.line)
			}
			if m.verdict == killed || m.verdict == invalid || m.in == nil && tier < last {
				continue // declarations take longest: they come last
			}
			if time.Since(start) > o.limit {
				unknown++
				continue
			}
			if err := judge.judge(m, tier); err != nil {
				return err
			}
			if m.verdict != alive || tier == last {
				fmt.Fprintf(log, "%s\t%s\t%d\n", m.verdict, m.id(), m.line)
			}
		}
		if unknown > 0 {
			fmt.Printf("out of time: %d mutants did not meet the tests of tier %d and those behind it\n", unknown, tier)
			break
		}
	}
	counts, survivors := map[string]int{}, []string{}
	for _, m := range sample {
		if counts[killed]+counts[alive] == o.n {
			break
		}
		counts[m.verdict]++
		if m.verdict == alive {
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
