package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the examples' outputs into the pages instead of comparing")

// readmes are the pages whose examples are run.
var readmes = []string{"README.md", "README.zh-CN.md", "cmd/rdblens/README.md", "thresholds/README.md", "report/README.md", "parser/README.md", "parser/memory/README.md"}

// TestReadme runs the examples of the README and of the pages beside the code: every
// block marked ```console. A line that begins with "$ " is a command for the shell,
// run in a copy of testdata next to the files of the blocks marked ```yaml NAME. The
// lines up to the next command are all its output, including standard error. A line
// "..." stands for any lines, and "$ echo $?" prints the exit code of the previous
// command. With -update the outputs are replaced: after a line "..." by as many lines
// as there are now, from the first one that begins with the same words.
func TestReadme(t *testing.T) {
	runs := 0
	for _, page := range readmes {
		t.Run(page, func(t *testing.T) { runs += testPage(t, "../../"+page) })
	}
	if runs < 20 {
		t.Errorf("only %d examples found", runs)
	}
}

// testPage runs the examples of a page and returns their number.
func testPage(t *testing.T, path string) (runs int) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "testdata"), os.DirFS("../../testdata")); err != nil {
		t.Fatal(err)
	}
	updated := string(text)
	for _, b := range fencedBlocks(string(text)) {
		if kind, name, ok := strings.Cut(b.info, " "); ok && kind == "yaml" {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(b.text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if b.info != "console" {
			continue
		}
		code, fresh := "0", ""
		for _, e := range examples(b.text) {
			runs++
			got := code + "\n"
			if e.command != "echo $?" {
				got, code = runShell(t, dir, e.command)
			}
			if *update {
				fresh += "$ " + e.command + "\n" + renewed(e.output, got)
			} else if !matches(e.output, got) {
				t.Errorf("$ %s\nno more gives\n%s\nbut\n%.2000s", e.command, missing(e.output, got), got)
			}
		}
		if *update {
			updated = strings.Replace(updated, "```console\n"+b.text, "```console\n"+fresh, 1)
		}
	}
	if *update && updated != string(text) {
		if err := os.WriteFile(path, []byte(updated), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return runs
}

// TestReadmeLinks checks that what the pages link to in the repository is there, and
// that the README is short.
func TestReadmeLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]*)(#[^)]*)?\)`)
	heading := regexp.MustCompile(`(?m)^#+ (.*)$`)
	for _, page := range append([]string{".github/CONTRIBUTING.md", ".github/SECURITY.md", "testdata/README.md", "cmd/rdblens/deploy/README.md"}, readmes...) {
		text, err := os.ReadFile("../../" + page)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), "\n"); n > 250 && strings.HasPrefix(page, "README") {
			t.Errorf("%s has %d lines", page, n)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			target := filepath.Join("../..", page)
			if m[1] != "" {
				target = filepath.Join(filepath.Dir(target), m[1])
			}
			b, err := os.ReadFile(target)
			if info, errStat := os.Stat(target); err != nil && (errStat != nil || !info.IsDir()) {
				t.Errorf("%s links to %s, which is not there", page, m[1])
				continue
			}
			found := m[2] == ""
			for _, h := range heading.FindAllStringSubmatch(string(b), -1) {
				found = found || "#"+strings.ReplaceAll(strings.ToLower(regexp.MustCompile(`[^\w -]`).ReplaceAllString(h[1], "")), " ", "-") == m[2]
			}
			if !found {
				t.Errorf("%s links to %s%s, which has no such heading", page, m[1], m[2])
			}
		}
	}
}

type fenced struct{ info, text string }

func fencedBlocks(text string) (list []fenced) {
	var b *fenced
	for line := range strings.Lines(text) {
		mark, ok := strings.CutPrefix(line, "```")
		switch {
		case ok && b == nil:
			b = &fenced{info: strings.TrimSpace(mark)}
		case ok:
			list = append(list, *b)
			b = nil
		case b != nil:
			b.text += line
		}
	}
	return list
}

type example struct{ command, output string }

func examples(text string) (list []example) {
	for line := range strings.Lines(text) {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			list = append(list, example{command: strings.TrimSpace(command)})
		} else if len(list) > 0 {
			list[len(list)-1].output += line
		}
	}
	return list
}

func runShell(t *testing.T, dir, command string) (output, code string) {
	t.Helper()
	cmd := exec.Command("sh", "-c", command+"\necho \"$?\" >code")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH=1795329000") // 2026-11-22 06:30 UTC: the age of a snapshot
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", command, err, out)
	}
	b, err := os.ReadFile(filepath.Join(dir, "code"))
	if err != nil {
		t.Fatal(err)
	}
	return string(out), strings.TrimSpace(string(b))
}

// missing returns the lines of an example that an output lacks.
func missing(want, got string) string {
	have := lines(got)
	return strings.Join(slices.DeleteFunc(lines(want), func(line string) bool {
		return line == "..." || slices.Contains(have, line)
	}), "\n")
}

// matches reports whether an output is the one that an example shows.
func matches(want, got string) bool {
	return matchLines(lines(want), lines(got))
}

func lines(text string) []string { return strings.Split(strings.TrimRight(text, "\n"), "\n") }

func matchLines(want, got []string) bool {
	for i, w := range want {
		if w == "..." {
			for n := i; n <= len(got); n++ {
				if matchLines(want[i+1:], got[n:]) {
					return true
				}
			}
			return false
		}
		if i >= len(got) || strings.TrimRight(got[i], " ") != w {
			return false
		}
	}
	return len(got) == len(want)
}

// renewed returns the lines of an output that an example is to show.
func renewed(old, got string) string {
	want, have := lines(old), lines(got)
	for i := range have {
		have[i] = strings.TrimRight(have[i], " ")
	}
	if !slices.Contains(want, "...") {
		return strings.TrimLeft(strings.Join(have, "\n")+"\n", "\n")
	}
	var out []string
	from := 0
	for len(want) > 0 {
		n := slices.Index(want, "...")
		if n < 0 {
			n = len(want)
		}
		if n > 0 {
			for i := from; i < len(have); i++ {
				if len(out) == 0 || beginning(have[i]) == beginning(want[0]) {
					from = i
					break
				}
			}
			to := min(from+n, len(have))
			out = append(out, have[from:to]...)
			from = to
		}
		if n < len(want) {
			out = append(out, "...")
			n++
		}
		want = want[n:]
	}
	return strings.Join(out, "\n") + "\n"
}

// beginning returns the words before the first number or bracket of a line.
func beginning(line string) string {
	if i := strings.IndexAny(line, "0123456789(:"); i > 0 {
		return line[:i]
	}
	return line
}
