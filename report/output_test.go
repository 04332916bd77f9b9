package report

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/report/internal/output"
)

// A format for these tests alone, which fails if the report has no keys.
func init() {
	register(&Format{Name: "zz-test", rank: 99, write: func(w *bufio.Writer, r *Report, _ WriteOptions) error {
		w.WriteString("begin\n")
		if r.Totals.Keys == 0 {
			return errors.New("no keys")
		}
		w.WriteString("end\n")
		return nil
	}})
}

func reportOf(keys int64) *Report { return &Report{Totals: Totals{Keys: keys}} }

// onlyFiles checks that a directory has exactly these files.
func onlyFiles(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(names, " ") {
		t.Errorf("the directory has %q, want %q", got, names)
	}
}

func content(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s is %q, %v, want %q", filepath.Base(path), got, err, want)
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestParseTargets(t *testing.T) {
	got, err := ParseTargets([]string{"zz-test", "zz-test=a=b.txt"})
	if err != nil || len(got) != 2 || got[0] != (Target{"zz-test", ""}) || got[1] != (Target{"zz-test", "a=b.txt"}) {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := ParseTargets([]string{"zz-test=-"}); err != nil || got[0].Path != "" {
		t.Errorf("%v, %v", got, err)
	}
	for _, specs := range [][]string{{"nothing"}, {"zz-test="}, {""}, {"=x"}, {"zz-test", "zz-test"}, {"zz-test", "zz-test=-"}} {
		if got, err := ParseTargets(specs); err == nil {
			t.Errorf("%q: %v, want an error", specs, got)
		}
	}
}

func TestWriteAll(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	put(t, a, "old")
	if err := os.Chmod(a, 0o640); err != nil {
		t.Fatal(err)
	}
	targets := []Target{{"zz-test", a}, {"zz-test", b}, {"zz-test", ""}}
	var stdout strings.Builder
	if err := WriteAll(targets, &stdout, nil, reportOf(0), WriteOptions{}); err == nil {
		t.Error("no error of the format")
	}
	content(t, a, "old")
	onlyFiles(t, dir, "a")
	if stdout.Len() > 0 {
		t.Errorf("a failed run wrote %q", &stdout)
	}
	if err := WriteAll(targets, &stdout, nil, reportOf(1), WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	content(t, a, "begin\nend\n")
	content(t, b, "begin\nend\n")
	onlyFiles(t, dir, "a", "b")
	if stdout.String() != "begin\nend\n" {
		t.Errorf("standard output has %q", &stdout)
	}
	if info, _ := os.Stat(a); info.Mode().Perm() != 0o640 {
		t.Errorf("permissions became %v", info.Mode())
	}
}

func TestOwnInput(t *testing.T) {
	dir := t.TempDir()
	input := filepath.Join(dir, "dump.rdb")
	put(t, input, "REDIS")
	hard, soft := filepath.Join(dir, "hard"), filepath.Join(dir, "soft")
	if err := os.Link(input, hard); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("dump.rdb", soft); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{input, hard, soft, dir + "/./dump.rdb", dir + "/../" + filepath.Base(dir) + "/soft"} {
		targets := []Target{{"zz-test", path}}
		if err := CheckTargets(targets, []string{"other", input}); !errors.Is(err, output.ErrOwnInput) {
			t.Errorf("%s: %v", path, err)
		}
		if err := WriteAll(targets, io.Discard, []string{soft}, reportOf(1), WriteOptions{}); !errors.Is(err, output.ErrOwnInput) {
			t.Errorf("%s: %v", path, err)
		}
		if f, err := output.Create(path, []string{hard}); !errors.Is(err, output.ErrOwnInput) {
			t.Errorf("%s: %v, %v", path, f, err)
		}
	}
	content(t, input, "REDIS")
	onlyFiles(t, dir, "dump.rdb", "hard", "soft")
}

func TestTargetsThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	a := filepath.Join(dir, "a")
	put(t, a, "old")
	loop := filepath.Join(dir, "loop")
	for _, l := range [][2]string{{"loop", loop}, {"a", filepath.Join(dir, "b")}, {"new", filepath.Join(dir, "c")}} {
		if err := os.Symlink(l[0], l[1]); err != nil {
			t.Fatal(err)
		}
	}
	for what, targets := range map[string][]Target{
		"directory":           {{"zz-test", dir}},
		"directory to be":     {{"zz-test", dir + "/x/"}},
		"no directory":        {{"zz-test", dir + "/no/x"}},
		"file as a directory": {{"zz-test", a + "/x"}},
		"loop":                {{"zz-test", loop}},
		"twice":               {{"zz-test", a}, {"zz-test", a}},
		"twice by a link":     {{"zz-test", a}, {"zz-test", dir + "/b"}},
		"twice, new":          {{"zz-test", dir + "/new"}, {"zz-test", dir + "/c"}},
	} {
		err := CheckTargets(targets, nil)
		var e *output.Error
		if !errors.As(err, &e) || e.Path == "" {
			t.Errorf("%s: %v", what, err)
		}
	}
	onlyFiles(t, dir, "a", "b", "c", "loop")
}

func TestLinks(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(dir+"/real", 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, dir+"/real/a", "old")
	for _, l := range [][2]string{{"real/a", dir + "/a"}, {"a", dir + "/aa"}, {"real/new", dir + "/dangling"}} {
		if err := os.Symlink(l[0], l[1]); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{dir + "/aa", dir + "/dangling"} {
		if err := WriteAll([]Target{{"zz-test", path}}, nil, nil, reportOf(1), WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more: %v, %v", path, info, err)
		}
	}
	content(t, dir+"/real/a", "begin\nend\n")
	content(t, dir+"/real/new", "begin\nend\n")
	onlyFiles(t, dir, "a", "aa", "dangling", "real")
	onlyFiles(t, dir+"/real", "a", "new")
}

func TestFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	write := func() *output.File {
		f, err := output.Create(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte("text")); err != nil {
			t.Fatal(err)
		}
		return f
	}
	write().Abort()
	onlyFiles(t, dir)
	write()
	output.RemoveUnfinished() // as on a signal
	onlyFiles(t, dir)
	f := write()
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	f.Abort()
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	content(t, path, "text")
	onlyFiles(t, dir, "x")

	// A directory that was created there meanwhile.
	path = filepath.Join(dir, "y")
	f = write()
	if err := os.MkdirAll(path+"/z", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); err == nil || strings.Contains(err.Error(), ".rdblens-") {
		t.Errorf("commit over a directory: %v", err)
	}
	onlyFiles(t, dir, "x", "y")
}

func TestOddNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"-", "--json", "a b", "中文.json", "new\nline", "*", "$(x)", "..a"} {
		path := filepath.Join(dir, name)
		if err := WriteAll([]Target{{"zz-test", path}}, nil, nil, reportOf(1), WriteOptions{}); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		content(t, path, "begin\nend\n")
	}
	t.Chdir(dir)
	if err := WriteAll([]Target{{"zz-test", "here"}}, nil, nil, reportOf(1), WriteOptions{}); err != nil {
		t.Error(err)
	}
	content(t, "here", "begin\nend\n")
}
