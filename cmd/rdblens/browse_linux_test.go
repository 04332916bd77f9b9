package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"
	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/report/text"
)

// browserOf returns a browser of a snapshot, and of an older one if that is not "".
func browserOf(t *testing.T, path, since string) *browser {
	t.Helper()
	e := &env{stdout: &bytes.Buffer{}, stderr: &bytes.Buffer{}}
	o := &passFlags{}
	o.register(&cobra.Command{})
	if err := o.load(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	b := newBrowser(e, o)
	load := func(path string) (r *report.Report) {
		r, inputs, err := e.loadReport(t.Context(), o, browseOptions, []string{path})
		if err != nil {
			t.Fatal(err)
		}
		b.inputs = inputs
		return r
	}
	if since != "" {
		b.old = load(since)
	}
	b.report = load(path)
	if b.report.Tree != nil {
		b.index()
	}
	return b
}

// TestNodesOfNames checks that each key of the committed snapshots is found at the node of
// the tree that counts it: the keys that are found at each node are as many as it has.
func TestNodesOfNames(t *testing.T) {
	checked := 0
	files, _ := filepath.Glob("../../testdata/*.rdb*")
	for _, path := range files {
		b := browserOf(t, path, "")
		if b.report.Tree == nil {
			continue
		}
		tree := b.tree
		found := map[*report.TreeNode]int64{}
		src, err := parser.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		sink := keySink(func(k *parser.Key) {
			for _, n := range tree.Path(tree.Find(k.Name)) {
				found[n]++
			}
		})
		if _, err := parser.Run(t.Context(), src, parser.Options{Jobs: 1}, func() parser.Sink { return sink }); err != nil {
			t.Logf("%s: %v", path, err)
		}
		src.Close()
		var visit func(n *report.TreeNode)
		visit = func(n *report.TreeNode) {
			checked++
			if found[n] != n.Keys {
				t.Errorf("%s: %q has %d keys, %d were found", path, n.Prefix, n.Keys, found[n])
			}
			for _, c := range n.Children {
				visit(c)
			}
		}
		visit(b.report.Tree)
	}
	if checked < 300 {
		t.Errorf("%d nodes checked", checked)
	}
}

type keySink func(k *parser.Key)

func (s keySink) Key(k *parser.Key) { s(k) }
func (keySink) Size() int           { return 0 }
func (keySink) Flush(bool) error    { return nil }

// restoredScreen counts how often the screen is ended.
type restoredScreen struct {
	tcell.SimulationScreen
	restored int
}

func (s *restoredScreen) Fini() { s.restored++; s.SimulationScreen.Fini() }

// TestBrowsePanics checks that the screen is ended when a pass panics.
func TestBrowsePanics(t *testing.T) {
	screen := &restoredScreen{SimulationScreen: tcell.NewSimulationScreen("UTF-8")}
	if err := screen.Init(); err != nil {
		t.Fatal(err)
	}
	b := browserOf(t, "../../testdata/shop.rdb", "")
	defer func() {
		p, _ := recover().(string)
		if !strings.Contains(p, "odd") || screen.restored != 1 {
			t.Errorf("%q, restored %d times", p, screen.restored)
		}
	}()
	if err := screen.PostEvent(tcell.NewEventInterrupt(workPanic{"odd"})); err != nil { // as post does
		t.Fatal(err)
	}
	b.run(t.Context(), screen)
	t.Error("it did not panic")
}

// session is a run of rdblens on a terminal of its own.
type session struct {
	t             *testing.T
	cmd           *exec.Cmd
	master        *os.File
	tty           *os.File
	shown         chan []byte
	all           []byte            // that was written to the terminal
	waiting       []byte            // that was not drawn yet
	cells         map[[2]int]string // by column and row
	x, y          int               // of the cursor
	rows, columns int
	before        unix.Termios
	stdout        bytes.Buffer
}

func browse(t *testing.T, rows, columns uint16, environment []string, args ...string) *session {
	t.Helper()
	s := &session{t: t, shown: make(chan []byte, 1024), cells: map[[2]int]string{}}
	s.master, s.tty = terminal(t)
	s.resize(rows, columns)
	state, err := unix.IoctlGetTermios(int(s.tty.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	s.before = *state
	s.cmd = exec.Command("rdblens", append([]string{"browse"}, args...)...)
	s.cmd.Env = append(append(os.Environ(), "TERM=xterm-256color", "LC_ALL=C.UTF-8", "NO_COLOR="), environment...)
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = s.tty, &s.stdout, s.tty
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			buf := make([]byte, 64<<10)
			n, err := s.master.Read(buf)
			if n > 0 {
				s.shown <- buf[:n]
			}
			if err != nil {
				close(s.shown)
				return
			}
		}
	}()
	return s
}

func (s *session) resize(rows, columns uint16) {
	s.rows, s.columns = int(rows), int(columns)
	if err := unix.IoctlSetWinsize(int(s.tty.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: columns}); err != nil {
		s.t.Fatal(err)
	}
}

// sequence is one that moves the cursor, erases, or sets what the test does not look at.
var sequence = regexp.MustCompile("^\x1b(\\[([0-?]*)[ -/]*([@-~])|[()].|[=>78]|\\][^\x07\x1b]*(\x07|\x1b\\\\))")

// draw draws what was written to the terminal.
func (s *session) draw() {
	for len(s.waiting) > 0 {
		b := s.waiting
		if b[0] == 0x1b {
			found := sequence.FindSubmatch(b)
			if found == nil {
				return // the rest is to come
			}
			s.control(string(found[3]), string(found[2]))
			s.waiting = b[len(found[0]):]
			continue
		}
		if !utf8.FullRune(b) {
			return
		}
		r, n := utf8.DecodeRune(b)
		switch s.waiting = b[n:]; r {
		case '\r':
			s.x = 0
		case '\n':
			s.y++
		case '\b':
			s.x--
		default:
			width := text.Width(string(r))
			if at := [2]int{s.x, s.y}; width > 0 {
				s.cells[at] = string(r)
				if s.x += width; width == 2 {
					s.cells[[2]int{s.x - 1, s.y}] = ""
				}
			} else {
				s.cells[[2]int{s.x - 1, s.y}] += string(r)
			}
		}
	}
}

func (s *session) control(final, arguments string) {
	switch final {
	case "H":
		s.x, s.y = 0, 0
		if y, x, ok := strings.Cut(arguments, ";"); ok {
			s.y, _ = strconv.Atoi(y)
			s.x, _ = strconv.Atoi(x)
			s.x, s.y = s.x-1, s.y-1
		}
	case "J":
		clear(s.cells)
	}
}

// lines returns what the terminal shows.
func (s *session) lines() string {
	var b strings.Builder
	for y := range s.rows {
		for x := range s.columns {
			if c, ok := s.cells[[2]int{x, y}]; ok {
				b.WriteString(c)
			} else {
				b.WriteByte(' ')
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// until waits until the terminal shows a text, and returns all that it shows.
func (s *session) until(want string) string {
	s.t.Helper()
	for end := time.After(20 * time.Second); ; {
		if shown := s.lines(); strings.Contains(shown, want) {
			return shown
		}
		select {
		case b, ok := <-s.shown:
			s.all = append(s.all, b...)
			s.waiting = append(s.waiting, b...)
			if s.draw(); !ok {
				s.t.Fatalf("%q was not shown:\n%s%q", want, s.lines(), s.waiting)
			}
		case <-end:
			s.t.Fatalf("%q was not shown:\n%s%q", want, s.lines(), s.waiting)
		}
	}
}

func (s *session) send(keys string) {
	if _, err := s.master.WriteString(keys); err != nil {
		s.t.Fatal(err)
	}
}

// ends checks that the process ends with a code and that the terminal is as it was.
func (s *session) ends(code int) {
	s.t.Helper()
	late := time.AfterFunc(20*time.Second, func() { s.cmd.Process.Kill() })
	defer late.Stop()
	if got := exitCode(s.t, s.cmd.Wait()); got != code {
		s.t.Errorf("exit code %d, want %d", got, code)
	}
	state, err := unix.IoctlGetTermios(int(s.tty.Fd()), unix.TCGETS)
	if err != nil {
		s.t.Fatal(err)
	}
	if *state != s.before {
		s.t.Errorf("the terminal is %+v, was %+v", *state, s.before)
	}
	s.tty.WriteString("\x1b[H<end>")
	s.until("<end>")
	on, off := bytes.LastIndex(s.all, []byte("\x1b[?1049h")), bytes.LastIndex(s.all, []byte("\x1b[?1049l"))
	if on < 0 || off < on {
		s.t.Errorf("the screen was not ended: %d %d", on, off)
	}
}

// TestBrowse walks through a snapshot of two prefixes.
func TestBrowse(t *testing.T) {
	snapshot, err := snapshotOf("aux redis-ver 7.0.15\ndb 0\nstamped session: 900 string\nhash cart:7 100#field\nlist cart:8 x*5000\nstring page:1 v*9000\nttl 1795243721684\nstring page:2 w\n")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "dump.rdb")
	if err := os.WriteFile(path, snapshot, 0o666); err != nil {
		t.Fatal(err)
	}
	s := browse(t, 24, 80, nil, path)
	s.until("q quit")
	s.send("n") // by name: cart:, page:, session:
	s.until("by name")
	s.send("l")                        // opens cart:
	s.until("the biggest 2 of 2 keys") // by name
	s.send("\r")
	s.until("field0 = v") // of cart:7
	s.send("h")
	s.until("cart:8")
	s.send("hm")
	s.until("by memory")
	s.send("/age\r")
	s.until("search: age  2 keys")
	s.send(" ")
	s.until("1 marked")
	s.resize(50, 160)
	clear(s.cells)
	s.until("without TTL: 1 key (50.0%)") // beside the list
	s.send("?")
	s.until("hide or show")
	s.send("q")
	s.ends(exitDone)
	if got := s.stdout.String(); !strings.Contains(got, "rdblens keys --under page: "+path) {
		t.Errorf("printed %q", got)
	}
}

// TestBrowseSignals checks that signals end browse, and that the terminal is as before.
func TestBrowseSignals(t *testing.T) {
	for _, sent := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		// A process that ignores a signal, as under nohup, starts others that ignore it.
		heard := make(chan os.Signal, 1)
		signal.Notify(heard, sent)
		defer signal.Stop(heard)
		s := browse(t, 24, 80, nil, "../../testdata/shop.rdb")
		s.until("q quit")
		s.cmd.Process.Signal(sent)
		s.ends(exitPartial)
	}
}

// TestBrowseEndsInSearch checks that Ctrl-C ends browse while a search is typed.
func TestBrowseEndsInSearch(t *testing.T) {
	s := browse(t, 24, 80, nil, "../../testdata/shop.rdb")
	s.until("q quit")
	s.send("/cart\x03")
	s.ends(0)
}

// TestBrowseHostile checks that no name sends anything but text to the terminal, in the list,
// the panel and the value, and that NO_COLOR is heeded.
func TestBrowseHostile(t *testing.T) {
	snapshot, err := snapshotOf("aux redis-ver 7.0.15\ndb 0\n" +
		`string "\x1b]0;owned\x07:\u202egnp.exe" "\x1b[2J\x1b]52;c;aaaa\x07\u202e"` + "\n" +
		`list "\x1b]0;owned\x07:\u4e2d\u6587\u4e2d\u6587\u4e2d\u6587\u4e2d\u6587\u4e2d\u6587\u4e2d\u6587\u4e2d\u6587\u4e2d\u6587\u4e2d\u6587\u4e2d\u6587" "\x9b31m" "\r\n"` + "\n" +
		`hash "\x1b]0;owned\x07:e\u0301\u0301\u0301\u200d" "\x07" "\u202e"` + "\n")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "dump.rdb")
	if err := os.WriteFile(path, snapshot, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, columns := range []uint16{80, 160} {
		s := browse(t, 24, columns, []string{"NO_COLOR=1"}, path)
		s.until("q quit")
		s.send("\r")
		s.until(`owned\x07:`)
		for range 3 {
			s.until("  3 keys, ")
			s.send("b")
			s.until("the biggest 1 of 1 key")
			s.send("\r")
			s.until("database  ") // of show
			s.send("h")
			s.until("the biggest 1 of 1 key")
			s.send("hj")
		}
		s.send("q")
		s.ends(exitDone)
		for _, bad := range []string{"\x1b]0;", "\x1b]52", "\x1b[31m", "\u202e", "\u200d", "\u009b", "\x9b31m"} {
			if bytes.Contains(s.all, []byte(bad)) {
				t.Errorf("%d columns: %q was written to the terminal", columns, bad)
			}
		}
		if color := regexp.MustCompile("\x1b\\[[0-9;]*[34]8;5|\x1b\\[3[0-7]m").Find(s.all); color != nil {
			t.Errorf("NO_COLOR: %q", color)
		}
	}
}

// TestBrowseOfReport checks that a saved report is browsed: with its snapshot, and without it.
func TestBrowseOfReport(t *testing.T) {
	dir := t.TempDir()
	snapshot, err := os.ReadFile("../../testdata/shop.rdb")
	if err != nil {
		t.Fatal(err)
	}
	path, saved := filepath.Join(dir, "dump.rdb"), filepath.Join(dir, "report.json")
	if err := os.WriteFile(path, snapshot, 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("rdblens", "scan", "-f", "json="+saved, path).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s := browse(t, 24, 80, []string{"LC_ALL=zh_CN.UTF-8"}, saved)
	s.until("全部 key")
	s.send("b")
	s.until("1 个 key 中最大的 1 个")
	s.send("q")
	s.ends(exitDone)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	s = browse(t, 24, 80, nil, saved)
	s.until("q quit")
	s.send("b")
	s.until("the largest keys that the report has")
	s.send("\r")
	s.until("The snapshot is not where it was")
	s.send("q")
	s.ends(exitDone)
}

// TestKeysBelow checks the keys of a prefix against those that keys --under writes.
func TestKeysBelow(t *testing.T) {
	b := browserOf(t, "../../testdata/shop.rdb", "")
	for _, n := range b.report.Tree.Children[:5] {
		if !strings.HasSuffix(string(n.Prefix), ":") {
			continue
		}
		r, err := b.keysBelow(context.Background(), n)
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("rdblens", "keys", "--under", string(n.Prefix), "../../testdata/shop.rdb").Output()
		if err != nil {
			t.Fatal(err)
		}
		if lines := int64(bytes.Count(out, []byte("\n"))) - 1; r.Totals.Keys != lines || lines != n.Keys {
			t.Errorf("%s: %d keys, keys writes %d, the tree has %d", n.Prefix, r.Totals.Keys, lines, n.Keys)
		}
		for i := range r.Top[report.ByMemory] {
			if k := &r.Top[report.ByMemory][i]; !bytes.Contains(out, []byte(k.Key)) {
				t.Errorf("%s: %s is not below it", n.Prefix, k.Key)
			}
		}
	}
}

// TestBrowseAdvice checks that what can go has the commands that delete only with --advice,
// and says of the flag only without.
func TestBrowseAdvice(t *testing.T) {
	b := browserOf(t, "../../testdata/shop.rdb", "")
	b.screen = tcell.NewSimulationScreen("UTF-8")
	if err := b.screen.Init(); err != nil {
		t.Fatal(err)
	}
	defer b.screen.Fini()
	for _, b.advice = range []bool{false, true} {
		text := strings.Join(b.goes(), "\n")
		if has := strings.Contains(text, "-f unlink"); has != b.advice {
			t.Errorf("advice %v: commands that delete: %v\n%s", b.advice, has, text)
		}
		if has := strings.Contains(text, "--advice adds"); has == b.advice {
			t.Errorf("advice %v: the flag is named: %v", b.advice, has)
		}
	}
}
