package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// The fleet of checkFleet.
const (
	fleetShards = 64
	fleetNights = 31
	fleetKills  = 50
)

// fleetStart is the first night.
var fleetStart = time.Date(2026, 3, 1, 3, 30, 0, 0, time.UTC)

// fleetEvent is something that goes wrong with a shard in a night, or several.
type fleetEvent struct {
	night, nights int // nights: 0 is one
	shard         int
	kind          string
	want          string // regular expression of its line, behind the name of the snapshot
	exit          int
	again         int // night in which it is told again, 0 none
}

// fleetEvents are planted. Nights without one are quiet.
var fleetEvents = []fleetEvent{
	{night: 2, shard: 4, kind: "missing", want: `error +NAME: missing: it was not given; before, it had [\d,]+ keys`, exit: 3},
	{night: 3, shard: 60, kind: "copy of 06", want: `error +NAME: the same data as now/shard-06.rdb: [\d,]+ keys`, exit: 1},
	{night: 3, shard: 9, kind: "half of the keys", want: `error +NAME: all keys: 1,5\d\d -> 7\d\d keys, .*`, exit: 1},
	{night: 4, shard: 21, kind: "future", want: `error +NAME: taken in the future: 2033-.*`, exit: 1},
	{night: 4, shard: 30, kind: "group gone", want: `error +NAME: user:\*:profile: 1,2\d\d -> 0 keys, .*`, exit: 1},
	{night: 6, shard: 17, kind: "cut", want: `error +NAME: not read to its end, after [\d,]+ keys: .*`, exit: 3},
	{night: 6, shard: 18, kind: "no snapshot", want: `error +NAME: nothing could be read: .*`, exit: 3},
	{night: 7, shard: 17, kind: "half of the keys", want: `error +NAME: all keys: 1,5\d\d -> 7\d\d keys, .*`, exit: 1},
	{night: 8, shard: 2, kind: "yesterday's", want: `error +NAME: taken 2026-03-06 .*, before the last one, 2026-03-07 .*`, exit: 1},
	{night: 9, shard: 33, kind: "the same file", want: `warning +NAME: no new snapshot: it is the one of 2026-03-08 .* again`, exit: 1},
	{night: 9, shard: 34, kind: "empty", want: `error +NAME: all keys: 1,5\d\d -> 0 keys, .*`, exit: 1},
	{night: 10, nights: 9, shard: 50, kind: "missing", want: `error +NAME: missing: it was not given; before, it had [\d,]+ keys`, exit: 3, again: 17},
	{night: 11, shard: 51, kind: "cut", want: `error +NAME: not read to its end, after [\d,]+ keys: .*`, exit: 3},
	{night: 11, shard: 52, kind: "big key", want: `(error|warning) +NAME: big-string: feed:global: .*`, exit: 3},
	{night: 12, shard: 8, kind: "grown", want: `error +NAME: order:\*: 100 -> 400 keys, .*`, exit: 3},
	{night: 12, shard: 41, kind: "copy of 40", want: `error +NAME: the same data as now/shard-40.rdb: [\d,]+ keys`, exit: 3},
	{night: 13, shard: 42, kind: "group gone", want: `error +NAME: user:\*:profile: 1,2\d\d -> 0 keys, .*`, exit: 3},
	{night: 13, shard: 43, kind: "no snapshot", want: `error +NAME: nothing could be read: .*`, exit: 3},
	{night: 15, shard: 0, kind: "half of the keys", want: `error +NAME: all keys: 1,5\d\d -> 7\d\d keys, .*`, exit: 3},
	{night: 15, shard: 1, kind: "half of the keys", want: `error +NAME: all keys: 1,5\d\d -> 7\d\d keys, .*`, exit: 3},
	{night: 15, shard: 3, kind: "half of the keys", want: `error +NAME: all keys: 1,5\d\d -> 7\d\d keys, .*`, exit: 3},
	{night: 16, shard: 63, kind: "cut", want: `error +NAME: not read to its end, after [\d,]+ keys: .*`, exit: 3},
	{night: 18, shard: 12, kind: "no expiry", want: `(error|warning) +NAME: no-ttl: .*`, exit: 3},
	{night: 19, nights: 13, shard: 13, kind: "server", want: `info +NAME: written by redis 7.0.99, before by redis 7.0.\d+`, exit: 1},
	{night: 20, nights: 12, shard: 12, kind: "renamed", want: `info +now/shard-112.rdb: named now/shard-12.rdb before`, exit: 1},
	{night: 20, shard: 14, kind: "missing", want: `error +NAME: missing: it was not given; before, it had [\d,]+ keys`, exit: 3},
	{night: 22, nights: 10, shard: 64, kind: "new", want: `info +NAME: new: 1,5\d\d keys`, exit: 1},
	{night: 22, shard: 15, kind: "future", want: `error +NAME: taken in the future: 2033-.*`, exit: 1},
	{night: 23, shard: 16, kind: "group gone", want: `error +NAME: user:\*:profile: 1,2\d\d -> 0 keys, .*`, exit: 1},
	{night: 23, shard: 19, kind: "yesterday's", want: `error +NAME: taken 2026-03-21 .*, before the last one, 2026-03-22 .*`, exit: 1},
	{night: 24, shard: 20, kind: "cut", want: `error +NAME: not read to its end, after [\d,]+ keys: .*`, exit: 3},
	{night: 24, shard: 22, kind: "empty", want: `error +NAME: all keys: 1,5\d\d -> 0 keys, .*`, exit: 3},
	{night: 25, shard: 20, kind: "group gone", want: `error +NAME: user:\*:profile: 1,2\d\d -> 0 keys, .*`, exit: 1},
	{night: 26, shard: 23, kind: "the same file", want: `warning +NAME: no new snapshot: it is the one of 2026-03-25 .* again`, exit: 1},
	{night: 26, shard: 24, kind: "grown", want: `error +NAME: order:\*: 100 -> 400 keys, .*`, exit: 1},
	{night: 28, shard: 25, kind: "big key", want: `(error|warning) +NAME: big-string: feed:global: .*`, exit: 1},
	{night: 28, shard: 31, kind: "no expiry", want: `(error|warning) +NAME: no-ttl: .*`, exit: 1},
	{night: 29, shard: 26, kind: "missing", want: `error +NAME: missing: it was not given; before, it had [\d,]+ keys`, exit: 3},
	{night: 29, shard: 27, kind: "no snapshot", want: `error +NAME: nothing could be read: .*`, exit: 3},
	{night: 30, shard: 28, kind: "copy of 29", want: `error +NAME: the same data as now/shard-29.rdb: [\d,]+ keys`, exit: 1},
}

// fleetData are the snapshots of a shard under traffic, in turn, and what else happens to it.
type fleetData struct {
	traffic [2][]byte
	planted map[string][]byte
}

// checkFleet runs the nights of a fleet of 64 shards with planted events, and prints a
// table of them. Each must be told once, of its shard, and nothing else. Runs are
// killed at random moments, which must leave the state whole and lose no message.
func checkFleet(w io.Writer, o *options) error {
	dir := o.args[0]
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(filepath.Join(dir, "now"), 0o755)); err != nil {
		return err
	}
	bin, err := filepath.Abs(o.rdblens)
	if err != nil {
		return err
	}
	f := &fleet{dir: dir, bin: bin, shards: make([]fleetData, fleetShards+1), random: rand.New(rand.NewPCG(o.seed, 26))}
	if err := f.fill(o.argv()); err != nil {
		return err
	}
	fmt.Fprintln(w, "| night | snapshot | event | message | exit code | complete | keys in the metrics |\n|---|---|---|---|---|---|---|")
	var wrong error // of all nights: one run shows what each lacks
	for f.night = 1; f.night <= fleetNights; f.night++ {
		if err := f.check(w); err != nil {
			wrong = errors.Join(wrong, fmt.Errorf("night %d: %w", f.night, err))
		}
	}
	fmt.Fprintf(w, "\n%d of %d events and reminders, %d nights, %d of them quiet, %d runs killed, %d lines sent again after a kill\n",
		f.reported, len(fleetEvents)+1, fleetNights, f.quiet, f.killed, f.resent)
	return wrong
}

type fleet struct {
	dir, bin string
	shards   []fleetData
	random   *rand.Rand
	night    int
	took     time.Duration
	lines    string // of the runs of a night that were killed

	reported, quiet, killed, resent int
}

// fill makes the snapshots with a server.
func (f *fleet) fill(argv []string) (err error) {
	s, err := newServer(argv, "--rdbchecksum", "no") // the time of a snapshot is changed
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.remove()) }()
	if err := s.start(); err != nil {
		return err
	}
	save := func(commands func(send func(args ...string))) []byte {
		if err == nil {
			err = s.pipeline(commands)
		}
		if err == nil {
			_, err = s.do("SAVE")
		}
		b, readErr := os.ReadFile(s.path("dump.rdb"))
		err = errors.Join(err, readErr)
		return b
	}
	for i := range f.shards {
		d := &f.shards[i]
		first := save(func(send func(args ...string)) {
			send("FLUSHALL")
			for n := range 1200 + i%50 {
				send("SET", fmt.Sprintf("user:%d:profile", n*fleetShards+i), fmt.Sprintf("%d %s", n, strings.Repeat("p", 20+(n*7+i)%60)))
			}
			for n := range 200 {
				send("SET", fmt.Sprintf("session:%d", n*100+i), fmt.Sprint(n), "EX", "86400")
			}
			for n := range 100 {
				send("RPUSH", fmt.Sprintf("order:%d", n*100+i), "a", "b", fmt.Sprint(i))
			}
		})
		second := save(func(send func(args ...string)) {
			for n := range 10 {
				send("DEL", fmt.Sprintf("session:%d", n*100+i))
				send("SET", fmt.Sprintf("session:%d", (n+500)*100+i), "x", "EX", "86400")
				send("SET", fmt.Sprintf("user:%d:profile", n*fleetShards+i), "changed")
			}
		})
		d.traffic, d.planted = [2][]byte{first, second}, map[string][]byte{}
		for _, e := range fleetEvents {
			if e.shard != i || d.planted[e.kind] != nil {
				continue
			}
			if change := fleetChanges[e.kind]; change != nil {
				d.planted[e.kind] = save(func(send func(args ...string)) { change(send, i) })
			}
		}
	}
	return err
}

// fleetChanges are the commands of events that change keys.
var fleetChanges = map[string]func(send func(args ...string), shard int){
	"half of the keys": func(send func(args ...string), shard int) {
		for n := range 600 {
			send("DEL", fmt.Sprintf("user:%d:profile", n*2*fleetShards+shard))
		}
		for n := range 100 {
			send("DEL", fmt.Sprintf("session:%d", (n+20)*100+shard))
		}
		for n := range 50 {
			send("DEL", fmt.Sprintf("order:%d", n*100+shard))
		}
	},
	"group gone": func(send func(args ...string), shard int) {
		for n := range 1300 {
			send("DEL", fmt.Sprintf("user:%d:profile", n*fleetShards+shard))
		}
	},
	"empty": func(send func(args ...string), _ int) { send("FLUSHALL") },
	"big key": func(send func(args ...string), _ int) {
		send("SET", "feed:global", strings.Repeat("x", 2<<20), "EX", "86400")
	},
	"grown": func(send func(args ...string), shard int) {
		for n := range 300 {
			send("RPUSH", fmt.Sprintf("order:%d", (n+1000)*100+shard), "a")
		}
	},
	"no expiry": func(send func(args ...string), shard int) {
		for n := range 200 {
			send("SET", fmt.Sprintf("cart:%d", n*100+shard), "x")
		}
	},
}

// at returns a snapshot with another time.
func at(snapshot []byte, t time.Time) []byte {
	i := bytes.Index(snapshot, []byte("\x05ctime\xc2"))
	if i < 0 {
		return snapshot
	}
	b := slices.Clone(snapshot)
	binary.LittleEndian.PutUint32(b[i+7:], uint32(t.Unix()))
	return b
}

// taken is when the snapshots of a night are taken.
func taken(night int) time.Time { return fleetStart.AddDate(0, 0, night-1).Add(-time.Hour) }

// active returns the events of the night, by shard.
func (f *fleet) active() map[int]fleetEvent {
	now := map[int]fleetEvent{}
	for _, e := range fleetEvents {
		if e.night <= f.night && f.night < e.night+max(e.nights, 1) && (e.want != "" || e.night == f.night) {
			now[e.shard] = e
		}
	}
	return now
}

// write writes the snapshots of the night.
func (f *fleet) write() error {
	active := f.active()
	for i := range f.shards {
		d, path := &f.shards[i], filepath.Join(f.dir, "now", fmt.Sprintf("shard-%02d.rdb", i))
		b := at(d.traffic[f.night%2], taken(f.night))
		e, planted := active[i]
		var err error
		switch {
		case i == fleetShards && !planted || e.kind == "missing":
			os.Remove(path)
			continue
		case e.kind == "the same file":
			continue
		case d.planted[e.kind] != nil:
			b = at(d.planted[e.kind], taken(f.night))
		case strings.HasPrefix(e.kind, "copy of "):
			b, err = os.ReadFile(filepath.Join(f.dir, "now", "shard-"+e.kind[len("copy of "):]+".rdb"))
			if other := e.kind[len("copy of "):]; other > fmt.Sprintf("%02d", i) {
				n := 0
				fmt.Sscan(strings.TrimLeft(other, "0"), &n)
				b, err = at(f.shards[n].traffic[f.night%2], taken(f.night)), nil
			}
		case e.kind == "future":
			b = at(b, taken(f.night).AddDate(7, 0, 0))
		case e.kind == "cut":
			b = b[:len(b)*2/3]
		case e.kind == "no snapshot":
			b = []byte("Connection refused\n")
		case e.kind == "yesterday's":
			b = at(b, taken(f.night-2))
		case e.kind == "server":
			k := bytes.Index(b, []byte("redis-ver\x06"))
			b = append(slices.Clone(b[:k+14]), append([]byte("99"), b[k+16:]...)...)
		case e.kind == "renamed":
			os.Remove(path)
			path = filepath.Join(f.dir, "now", "shard-112.rdb")
		}
		if err = errors.Join(err, os.WriteFile(path, b, 0o644)); err != nil {
			return err
		}
	}
	return nil
}

// command is a run of the night.
func (f *fleet) command(args ...string) (*exec.Cmd, *bytes.Buffer) {
	out := new(bytes.Buffer)
	cmd := exec.Command(f.bin, append([]string{"nightly", "--dir", "state", "--job", "fleet", "--metrics", "fleet.prom", "--grow", "order:*:200%", "now"}, args...)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = f.dir, out, out
	cmd.Env = append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", fleetStart.AddDate(0, 0, f.night-1).Unix()))
	return cmd, out
}

// check runs the night, and checks what it tells.
func (f *fleet) check(w io.Writer) error {
	if err := f.write(); err != nil {
		return err
	}
	if f.night == 1 {
		cmd, out := f.command("--accept")
		started := time.Now()
		if err := cmd.Run(); err != nil || out.Len() > 0 {
			return fmt.Errorf("%v: %s", err, out)
		}
		f.took = time.Since(started)
		return nil
	}
	f.lines = ""
	for f.killed < fleetKills*(f.night-1)/(fleetNights-1) {
		if err := f.kill(); err != nil {
			return err
		}
	}
	cmd, out := f.command()
	started := time.Now()
	cmd.Run()
	f.took = time.Since(started)
	text := f.lines + out.String()
	event := regexp.MustCompile(`(?m)^(error|warning|info) .*$`)
	seen := map[string]bool{}
	var lines []string
	for _, line := range event.FindAllString(text, -1) {
		if seen[line] && f.lines != "" {
			f.resent++
			continue
		}
		seen[line] = true
		lines = append(lines, line)
	}
	metrics, err := os.ReadFile(filepath.Join(f.dir, "fleet.prom"))
	if err != nil {
		return err
	}
	code := cmd.ProcessState.ExitCode()
	if !bytes.Contains(metrics, fmt.Appendf(nil, "rdblens_exit_code{job=\"fleet\"} %d\n", code)) {
		return fmt.Errorf("exit code %d is not in the metrics", code)
	}
	return f.compare(w, lines, text, code, string(metrics))
}

// compare checks the lines of a night.
func (f *fleet) compare(w io.Writer, lines []string, text string, code int, metrics string) error {
	want := 0
	var wrong error
	for _, e := range fleetEvents {
		if e.night != f.night && e.again != f.night || e.want == "" {
			continue
		}
		want++
		name := fmt.Sprintf("now/shard-%02d.rdb", e.shard)
		pattern := regexp.MustCompile("^" + strings.ReplaceAll(e.want, "NAME", regexp.QuoteMeta(name)) + `( \(since [-0-9]+\))?$`)
		i := slices.IndexFunc(lines, pattern.MatchString)
		if i < 0 {
			wrong = errors.Join(wrong, fmt.Errorf("%s %s: no line %s in\n%s", name, e.kind, e.want, text))
			continue
		}
		keys := "none"
		if m := regexp.MustCompile(`rdblens_snapshot_keys\{job="fleet",snapshot="` + regexp.MustCompile(`\S+\.rdb`).FindString(lines[i]) + `"\} (\d+)`).FindStringSubmatch(metrics); m != nil {
			keys = m[1]
		}
		// rdblens_complete is about the snapshots that were given.
		complete := strings.Contains(metrics, "\nrdblens_complete{job=\"fleet\"} 1\n")
		if broken := e.kind == "cut" || e.kind == "no snapshot"; broken && complete {
			wrong = errors.Join(wrong, fmt.Errorf("%s: complete", name))
		}
		fmt.Fprintf(w, "| %d | shard-%02d | %s | %s | %d | %v | %s |\n", f.night, e.shard, e.kind, lines[i], code, complete, keys)
		lines = slices.Delete(lines, i, i+1)
		// A run that was killed behind its message leaves nothing new for the next one.
		if code != e.exit && e.night == f.night && !(code == 3 && e.exit == 1) && f.lines == "" {
			wrong = errors.Join(wrong, fmt.Errorf("%s %s: exit code %d", name, e.kind, code))
		}
		f.reported++
	}
	if len(lines) > 0 {
		wrong = errors.Join(wrong, fmt.Errorf("told, but not planted: %q", lines))
	}
	if want == 0 {
		f.quiet++
		if text != "" {
			wrong = errors.Join(wrong, fmt.Errorf("a quiet night tells %s", text))
		}
	}
	return wrong
}

// kill kills a run at a random moment. The state is that before the run, or after it.
func (f *fleet) kill() error {
	path := filepath.Join(f.dir, "state", "state.json")
	before, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	cmd, out := f.command()
	if err := cmd.Start(); err != nil {
		return err
	}
	timer := time.AfterFunc(time.Duration(f.random.Int64N(int64(f.took)+1)), func() { cmd.Process.Kill() })
	cmd.Wait()
	timer.Stop()
	f.lines += out.String()
	f.killed++
	after, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if bytes.Equal(before, after) {
		return nil
	}
	var state struct {
		Run    string
		Inputs map[string]struct{ Report string }
	}
	if err := json.Unmarshal(after, &state); err != nil {
		return fmt.Errorf("killed: %w", err)
	}
	for name, in := range state.Inputs {
		if _, err := os.Stat(filepath.Join(f.dir, "state", "reports", in.Report)); in.Report == "" || err != nil {
			return fmt.Errorf("killed: %s: %q: %v", name, in.Report, err)
		}
	}
	return nil
}
