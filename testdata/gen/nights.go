package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/config"
)

// checkNights fills servers with keys, keeps them under traffic, takes three snapshots
// and compares them: between the first two there is only traffic, between the last two
// there are planted changes, too. The first comparison must find nothing, the second
// what was planted and nothing else.
func checkNights(w io.Writer, servers []string, keys int, pause time.Duration) error {
	if len(servers) == 0 {
		servers = installedServers()
	}
	for _, command := range servers {
		if err := checkNight(w, strings.Fields(command), keys, pause); err != nil {
			return fmt.Errorf("%s: %w", command, err)
		}
	}
	return nil
}

func checkNight(w io.Writer, argv []string, keys int, pause time.Duration) (err error) {
	n := &nights{keys: keys}
	s, err := newServer(argv, "--repl-diskless-sync-delay", "0")
	if err != nil {
		return err
	}
	defer s.remove()
	if err := s.start(); err != nil {
		return err
	}
	n.server = s
	if err := s.pipeline(n.fill); err != nil {
		return err
	}
	stop, err := n.traffic()
	if err != nil {
		return err
	}
	defer stop()
	time.Sleep(pause / 4)
	var files [3]string
	for i := range files {
		if i == 2 {
			if err := s.pipeline(n.change); err != nil {
				return err
			}
		}
		if i > 0 {
			time.Sleep(pause)
		}
		files[i] = s.path(strconv.Itoa(i) + ".rdb")
		if err := n.save(files[i]); err != nil {
			return err
		}
	}
	if err := n.stream(w); err != nil {
		return err
	}
	if err := stop(); err != nil {
		return err
	}
	fmt.Fprintf(w, "%s, %d commands of traffic\n", s.name, n.commands.Load())
	for i, check := range []func(d *report.Diff, text []byte) error{nothing, n.planted} {
		started := time.Now()
		d, err := compareSnapshots(files[i], files[i+1])
		if err != nil {
			return err
		}
		var text bytes.Buffer
		if err := report.Write("table", &text, d, report.WriteOptions{Width: 80}); err != nil {
			return err
		}
		fmt.Fprintf(w, "%d keys, %.1fs, %d lines\n%s", d.Totals.KeysAfter, time.Since(started).Seconds(), bytes.Count(text.Bytes(), []byte("\n")), text.Bytes())
		if err := check(d, text.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// stream scans the snapshot that the server sends as to a replica, under traffic, and
// checks that it has all keys that the traffic leaves.
func (n *nights) stream(w io.Writer) error {
	cli := exec.Command("redis-cli", "-s", n.path("sock"), "--rdb", "-")
	out, err := cli.StdoutPipe()
	if err != nil {
		return err
	}
	policy, err := config.Load(config.Options{})
	if err != nil {
		return err
	}
	started, commands := time.Now(), n.commands.Load()
	if err := cli.Start(); err != nil {
		return err
	}
	source := report.Source{Name: "-", Size: -1, Open: func(context.Context) (io.ReadCloser, error) { return parser.Wrap(out) }}
	r, err := report.Scan(context.Background(), []report.Source{source}, policy, report.Options{})
	if err = errors.Join(err, cli.Wait()); err != nil {
		return err
	}
	fmt.Fprintf(w, "%s: %d keys streamed in %.1fs, %d commands of traffic meanwhile\n", n.name, r.Totals.Keys, time.Since(started).Seconds(), n.commands.Load()-commands)
	for _, g := range r.Groups {
		if g.Group == "user:*:profile" && g.Keys == int64(n.count(profileShare)) {
			return nil
		}
	}
	return errors.New("the stream lacks keys of user:*:profile")
}

func compareSnapshots(before, after string) (*report.Diff, error) {
	policy, err := config.Load(config.Options{})
	if err != nil {
		return nil, err
	}
	return report.Compare(context.Background(), report.CompareInput{Source: report.FileSource(before)}, report.CompareInput{Source: report.FileSource(after)},
		policy, report.Options{}, report.CompareOptions{})
}

// nothing checks that there is no change.
func nothing(d *report.Diff, text []byte) error {
	if d.Changed || len(text) > 0 {
		return fmt.Errorf("traffic alone is reported: %d new findings, %d resolved", len(d.Findings.New), len(d.Findings.Resolved))
	}
	return nil
}

// nights is a keyspace of a number of keys.
type nights struct {
	*server
	keys     int
	commands atomic.Int64
}

// The share of the keys of each group, in thousandths.
const (
	sessionShare = 300
	profileShare = 200
	feedShare    = 100
	counterShare = 100
	invoiceShare = 100
	tokenShare   = 60
	draftShare   = 60
	importShare  = 60
)

func (n *nights) count(share int) int { return n.keys * share / 1000 }

// ttl returns a TTL between ten days and forty, so that no minute has many keys.
func ttl(rng *rand.Rand) string { return strconv.Itoa(864_000 + rng.IntN(2_592_000)) }

func random(rng *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = "abcdefghijklmnopqrstuvwxyz0123456789"[rng.IntN(36)]
	}
	return string(b)
}

// fill writes the keyspace in the state that traffic keeps.
func (n *nights) fill(send func(args ...string)) {
	rng := rand.New(rand.NewPCG(1, 2))
	set := func(share int, name string, length int, timed bool) {
		for i := range n.count(share) {
			args := []string{"SET", fmt.Sprintf(name, 1_000_000+i), random(rng, length)}
			if timed {
				args = append(args, "EX", ttl(rng))
			}
			send(args...)
		}
	}
	for i := range n.count(sessionShare) {
		send("SET", fmt.Sprintf("session:%07d", 2*i+rng.IntN(2)), random(rng, 60), "EX", ttl(rng))
	}
	for i := range n.count(profileShare) {
		send("HSET", fmt.Sprintf("user:%d:profile", 1_000_000+i), "name", random(rng, 12), "mail", random(rng, 20), "seen", "1000000000")
	}
	for i := range n.count(feedShare) {
		key := fmt.Sprintf("feed:%d", 1_000_000+i)
		send(append([]string{"RPUSH", key}, strings.Split(random(rng, 10)+strings.Repeat(",1234567890", 9), ",")...)...)
		send("EXPIRE", key, ttl(rng))
	}
	for i := range n.count(counterShare) {
		send("SET", fmt.Sprintf("counter:%d", 1_000_000+i), strconv.Itoa(100_000+rng.IntN(800_000)), "EX", ttl(rng))
	}
	set(invoiceShare, "invoice:%d:text", 120, true)
	set(tokenShare, "token:%d", 100, true)
	set(draftShare, "draft:%d:body", 100, true)
	set(importShare, "temp:import:%d", 100, false)
	for i := range 6000 {
		send("RPUSH", "queue:mail", fmt.Sprintf("%06d", i)+random(rng, 300))
	}
	for i := range 2000 {
		send("ZADD", "board:daily", strconv.Itoa(rng.IntN(1_000_000)), fmt.Sprintf("player%06d", i))
	}
	for range 1000 {
		send("XADD", "events:clicks", "MAXLEN", "=", "1000", "*", "page", random(rng, 20))
	}
}

// change makes the changes that a comparison must find.
func (n *nights) change(send func(args ...string)) {
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 8000 { // a new big key
		send("HSET", "export:full", fmt.Sprintf("row%d", i), random(rng, 300))
	}
	for i := range n.count(tokenShare) { // a group without its TTL
		send("PERSIST", fmt.Sprintf("token:%d", 1_000_000+i))
	}
	send("LTRIM", "queue:mail", "0", "99") // a finding that is resolved
	for i := range n.count(invoiceShare) * 3 / 10 {
		send("SET", fmt.Sprintf("invoice:%d:text", 5_000_000+i), random(rng, 120), "EX", ttl(rng))
	}
	for i := range n.count(draftShare) {
		send("DEL", fmt.Sprintf("draft:%d:body", 1_000_000+i))
	}
	for i := range n.count(importShare) {
		send("RENAME", fmt.Sprintf("temp:import:%d", 1_000_000+i), fmt.Sprintf("loaded:import:%d", 1_000_000+i))
	}
}

// planted checks that a comparison finds the planted changes and nothing else.
func (n *nights) planted(d *report.Diff, text []byte) error {
	var got []string
	for _, r := range d.Groups {
		if change := r.Change + r.TTL; change != "" && !r.Explained {
			line := change + " " + string(*r.Group)
			if r.RenamedTo != nil {
				line += " " + string(*r.RenamedTo)
			}
			got = append(got, line)
			if change == report.ChangeGrown && (*r.Growth < 0.27 || *r.Growth > 0.33) {
				return fmt.Errorf("%s grew by %g, want 0.3", *r.Group, *r.Growth)
			}
		}
	}
	for _, list := range []struct {
		change string
		keys   []report.DiffKey
	}{{"new", d.Keys.New}, {"gone", d.Keys.Gone}, {"grown", d.Keys.Grown}, {"shrunk", d.Keys.Shrunk}, {"entered", d.Keys.Entered}, {"left", d.Keys.Left}} {
		for _, k := range list.keys {
			got = append(got, list.change+" key "+string(k.Key))
		}
	}
	for _, list := range []struct {
		change   string
		findings []report.DiffFinding
	}{{"new", d.Findings.New}, {"resolved", d.Findings.Resolved}} {
		for _, f := range list.findings {
			if severity, _ := thresholds.ParseSeverity(f.Severity); severity >= thresholds.Warning {
				got = append(got, list.change+" "+f.Rule+" "+string(f.Group))
			}
		}
	}
	want := []string{"grown invoice:*:text", "gone draft:*:body", "renamed temp:import:* loaded:import:*", "ttl lost token:*",
		"new key export:full", "shrunk key queue:mail",
		"new big-collection export:full", "new big-value export:full", "new no-ttl export:full", "new no-ttl token:*",
		"resolved big-collection queue:mail", "resolved big-value queue:mail"}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		return fmt.Errorf("the comparison names\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if lines := bytes.Count(text, []byte("\n")); lines > 60 {
		return fmt.Errorf("%d lines, more than a screen", lines)
	}
	for line := range bytes.Lines(text) {
		if len(bytes.TrimRight(line, "\n")) > 80 {
			return fmt.Errorf("a line of more than 80 columns: %s", line)
		}
	}
	return nil
}

// save makes the server write a snapshot beside its traffic.
func (n *nights) save(to string) error {
	if _, err := n.do("BGSAVE"); err != nil {
		return err
	}
	for {
		time.Sleep(20 * time.Millisecond)
		running, err := n.info("persistence", "rdb_bgsave_in_progress")
		if err != nil {
			return err
		}
		if running == "0" {
			break
		}
	}
	if status, err := n.info("persistence", "rdb_last_bgsave_status"); err != nil || status != "ok" {
		return fmt.Errorf("BGSAVE: %s, %v", status, err)
	}
	return moveFile(n.path("dump.rdb"), filepath.Clean(to))
}

// traffic changes keys, on a connection of its own, until stop is called: sessions
// come and go, values change, and the keyspace grows slowly.
func (n *nights) traffic() (stop func() error, err error) {
	c, err := dial("unix", n.path("sock"))
	if err != nil {
		return nil, err
	}
	var end atomic.Bool
	done := make(chan error, 1)
	go func() {
		rng := rand.New(rand.NewPCG(5, 6))
		key := func(format string, share int) string {
			return fmt.Sprintf(format, 1_000_000+rng.IntN(n.count(share)))
		}
		added := 0
		for !end.Load() {
			err := c.pipeline(func(send func(args ...string)) {
				for range 200 {
					id := fmt.Sprintf("session:%07d", rng.IntN(2*n.count(sessionShare)))
					if rng.IntN(2) == 0 {
						send("SET", id, random(rng, 60), "EX", ttl(rng))
					} else {
						send("DEL", id)
					}
					send("HSET", key("user:%d:profile", profileShare), "seen", strconv.Itoa(1_000_000_000+rng.IntN(900_000_000)))
					feed := key("feed:%d", feedShare)
					send("LPUSH", feed, strconv.Itoa(1_000_000_000+rng.IntN(900_000_000)))
					send("LTRIM", feed, "0", "9")
					send("INCR", key("counter:%d", counterShare))
					send("ZADD", "board:daily", strconv.Itoa(rng.IntN(1_000_000)), fmt.Sprintf("player%06d", rng.IntN(2000)))
					send("XADD", "events:clicks", "MAXLEN", "=", "1000", "*", "page", random(rng, 20))
				}
				if added < n.count(invoiceShare)/100 { // one percent more
					send("SET", fmt.Sprintf("invoice:%d:text", 9_000_000+added), random(rng, 120), "EX", ttl(rng))
					added++
				}
			})
			if err != nil {
				done <- err
				return
			}
			n.commands.Add(1400)
			time.Sleep(20 * time.Millisecond)
		}
		done <- nil
	}()
	var result error
	stopped := false
	return func() error {
		if !stopped {
			stopped = true
			end.Store(true)
			result = <-done
			c.close()
		}
		return result
	}, nil
}
