package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// restoreRun is what became of the keys of one snapshot that were put back by
// the commands of rdblens show --format resp.
type restoreRun struct {
	snapshot, mode string
	keys           int      // on a server that loaded the snapshot
	refused        int      // keys named on standard error
	differ         []string // what is not the same
}

func (r restoreRun) String() string {
	return fmt.Sprintf("%-34s %-8s %5d keys, %3d refused, %3d differ", r.snapshot, r.mode, r.keys, r.refused, len(r.differ))
}

// checkRestores puts the keys of snapshots back on servers, and compares with
// servers that loaded the snapshots: those under testdata/truth that the server
// can load, hostile names, and values with that number of elements.
func checkRestores(out io.Writer, servers []string, rdblens, truth string, elements int) error {
	if len(servers) == 0 {
		servers = installedServers()
	}
	snapshots, err := filepath.Glob(truth)
	if err != nil || len(snapshots) == 0 {
		return fmt.Errorf("no snapshots (%v)", err)
	}
	failed := 0
	for _, command := range servers {
		argv := strings.Fields(command)
		name, err := serverName(argv)
		if err != nil {
			return err
		}
		fmt.Fprintln(out, name)
		dir, err := os.MkdirTemp("", "restore")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		own := append([]string{}, snapshots...)
		for what, fill := range map[string]func(*filler){"hostile": fillHostile, "large": func(f *filler) { fillLarge(f, elements) }} {
			file := filepath.Join(dir, what+".rdb")
			if err := makeSnapshot(argv, file, fill); err != nil {
				return err
			}
			own = append(own, file)
		}
		for _, snapshot := range own {
			runs, err := checkRestore(argv, rdblens, snapshot)
			if errors.Is(err, errNotLoaded) {
				continue
			}
			if err != nil {
				return fmt.Errorf("%s, %s: %w", name, snapshot, err)
			}
			for _, r := range runs {
				fmt.Fprintf(out, "  %s\n", r)
				for _, d := range r.differ[:min(len(r.differ), 10)] {
					fmt.Fprintf(out, "    %s\n", d)
				}
				failed += len(r.differ)
			}
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d differences", failed)
	}
	return nil
}

// makeSnapshot saves what fill makes on a server.
func makeSnapshot(argv []string, target string, fill func(*filler)) error {
	s, err := newFilled(argv, fill)
	if err != nil {
		return err
	}
	defer s.remove()
	return s.snapshot(target)
}

var errNotLoaded = errors.New("the server does not load the snapshot")

// checkRestore puts the keys of a snapshot back by RESTORE, and by plain
// commands.
func checkRestore(argv []string, rdblens, snapshot string) ([]restoreRun, error) {
	var conf []string
	if strings.Contains(filepath.Base(snapshot), "lfu") {
		conf = []string{"--maxmemory-policy", "allkeys-lfu", "--lfu-decay-time", "0"}
	}
	loaded, err := newServer(argv, conf...)
	if err != nil {
		return nil, err
	}
	defer loaded.remove()
	data, err := os.ReadFile(snapshot)
	if err == nil {
		err = os.WriteFile(loaded.path("dump.rdb"), data, 0o644)
	}
	if err != nil {
		return nil, err
	}
	if loaded.start() != nil {
		return nil, errNotLoaded
	}
	want, err := readState(loaded)
	if err != nil {
		return nil, err
	}
	fields := "--field-ttls"
	if !loaded.fieldExpiry {
		fields = "--field-ttls=false"
	}
	var runs []restoreRun
	for _, mode := range []struct {
		name  string
		flags []string
	}{
		{"restore", nil},
		{"portable", []string{"--portable", fields}},
	} {
		r := restoreRun{snapshot: filepath.Base(filepath.Dir(snapshot)) + "/" + filepath.Base(snapshot), mode: mode.name, keys: len(want)}
		if err := r.run(argv, conf, want, rdblens, snapshot, mode.flags); err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, nil
}

func (r *restoreRun) run(argv, conf []string, want map[string]keyState, rdblens, snapshot string, flags []string) error {
	s, err := newServer(argv, conf...)
	if err != nil {
		return err
	}
	defer s.remove()
	if err := s.start(); err != nil {
		return err
	}
	cmd := exec.Command(rdblens, append([]string{"show", snapshot, "--format", "resp"}, flags...)...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	replies, err := s.pipe(cmd)
	r.refused = strings.Count(errs.String(), " is not written: ")
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 3 && r.refused > 0 {
		err = nil
	}
	if err != nil {
		return fmt.Errorf("%w: %s", err, &errs)
	}
	for _, e := range replies {
		r.differ = append(r.differ, "reply "+e)
	}
	got, err := readState(s)
	if err != nil {
		return err
	}
	missing := 0
	for name, a := range want {
		b, ok := got[name]
		if !ok {
			if missing++; missing > r.refused {
				r.differ = append(r.differ, fmt.Sprintf("%.80q is missing", name))
			}
			continue
		}
		for _, d := range a.differs(b, r.mode == "portable") {
			r.differ = append(r.differ, fmt.Sprintf("%.80q: %s", name, d))
		}
		delete(got, name)
	}
	for name := range got {
		r.differ = append(r.differ, fmt.Sprintf("%.80q is too much", name))
	}
	sort.Strings(r.differ)
	return nil
}

// pipe sends what a command writes to the server, as redis-cli --pipe does, and
// returns its error replies.
func (s *server) pipe(cmd *exec.Cmd) (failed []string, err error) {
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	const last = "the last reply of this pipe"
	sent := make(chan error, 1)
	go func() {
		_, err := io.Copy(s.client.conn, out)
		err = errors.Join(err, cmd.Wait())
		s.client.write("ECHO", last)
		sent <- errors.Join(err, s.client.w.Flush())
	}()
	for {
		v, err := s.client.read()
		var e replyError
		switch {
		case errors.As(err, &e):
			failed = append(failed, string(e))
		case err != nil:
			cmd.Process.Kill()
			return failed, errors.Join(err, <-sent)
		}
		if v == last {
			err := <-sent // only then is the connection free
			if err == nil {
				_, err = s.do("SELECT", "0")
			}
			return failed, err
		}
	}
}

// keyState is what a server says of a key, by question.
type keyState map[string]string

// plainlyLost are the questions whose answers plain commands cannot bring back.
var plainlyLost = map[string]bool{"idle": true, "freq": true, "encoding": true, "dump": true}

// differs returns the questions that are answered differently.
func (a keyState) differs(b keyState, portable bool) (list []string) {
	for question, want := range a {
		got := b[question]
		switch {
		case got == want || portable && plainlyLost[question]:
			continue
		case question == "idle": // time has passed
			x, _ := strconv.Atoi(want)
			y, _ := strconv.Atoi(got)
			if math.Abs(float64(x-y)) < 60 {
				continue
			}
		case question == "stream" && portable:
			if want, got = withoutTimes(want), withoutTimes(got); want == got {
				continue
			}
		}
		list = append(list, fmt.Sprintf("%s is %.300s, want %.300s", question, got, want))
	}
	return list
}

// readState asks for everything about every key.
func readState(s *server) (map[string]keyState, error) {
	all := make(map[string]keyState)
	dbs, err := databases(s)
	if err != nil {
		return nil, err
	}
	for _, db := range dbs {
		if _, err := s.do("SELECT", strconv.Itoa(db)); err != nil {
			return nil, err
		}
		keys, err := s.strings("KEYS", "*")
		if err != nil {
			return nil, err
		}
		for _, key := range keys { // what touches no key comes first
			k := keyState{}
			all[strconv.Itoa(db)+" "+key] = k
			for question, command := range map[string][]string{
				"type": {"TYPE", key}, "ttl": {"PEXPIRETIME", key}, "encoding": {"OBJECT", "ENCODING", key},
				"idle": {"OBJECT", "IDLETIME", key}, "freq": {"OBJECT", "FREQ", key},
			} {
				if err := k.ask(s, question, command...); err != nil {
					return nil, err
				}
			}
		}
		for _, key := range keys {
			if err := all[strconv.Itoa(db)+" "+key].askValue(s, key); err != nil {
				return nil, err
			}
		}
	}
	v, err := s.do("FUNCTION", "LIST", "WITHCODE")
	libraries, _ := v.([]any)
	sort.Slice(libraries, func(i, j int) bool { return answer(libraries[i]) < answer(libraries[j]) })
	all["functions"] = keyState{"list": answer(libraries)}
	if err == nil {
		_, err = s.do("SELECT", "0")
	}
	return all, err
}

// ask notes an answer, an error reply included.
func (k keyState) ask(s *server, question string, command ...string) error {
	v, err := s.do(command...)
	var e replyError
	if errors.As(err, &e) {
		v, err = e, nil
	}
	k[question] = answer(v)
	return err
}

// answer returns a reply as text.
func answer(v any) string {
	switch v := v.(type) {
	case string, replyError:
		return fmt.Sprintf("%q", v)
	case []any:
		texts := make([]string, len(v))
		for i, e := range v {
			texts[i] = answer(e)
		}
		return "[" + strings.Join(texts, " ") + "]"
	}
	return fmt.Sprint(v)
}

// askValue asks for what a key holds.
func (k keyState) askValue(s *server, key string) error {
	if err := k.ask(s, "digest", "DEBUG", "DIGEST-VALUE", key); err != nil {
		return err
	}
	switch typ := strings.Trim(k["type"], `"`); typ {
	case "string", "list", "set", "zset": // the digest is enough
	case "stream":
		v, err := s.do("XINFO", "STREAM", key, "FULL", "COUNT", "0")
		if err != nil {
			return err
		}
		k["stream"] = streamText(v)
	case "hash":
		fields, err := s.strings("HKEYS", key)
		if err != nil || !s.fieldExpiry || len(fields) > 1000 {
			return err
		}
		sort.Strings(fields)
		return k.ask(s, "field ttls", append([]string{"HPEXPIRETIME", key, "FIELDS", strconv.Itoa(len(fields))}, fields...)...)
	default:
		return k.ask(s, "dump", "DUMP", key)
	}
	return nil
}

// streamText returns what XINFO says of a stream, but for entries, which the
// digest covers, and the form of the tree that they are in. A line ends with
// each value.
func streamText(v any) string {
	list, _ := v.([]any)
	var b strings.Builder
	for i := 0; i+1 < len(list); i += 2 {
		switch name := fmt.Sprint(list[i]); name {
		case "entries", "radix-tree-keys", "radix-tree-nodes":
		case "groups":
			groups, _ := list[i+1].([]any)
			for _, g := range groups {
				b.WriteString("group\n" + groupText(g))
			}
		default:
			fmt.Fprintf(&b, "%s %s\n", name, answer(list[i+1]))
		}
	}
	return b.String()
}

// groupText is streamText of a group.
func groupText(v any) string {
	list, _ := v.([]any)
	var b strings.Builder
	for i := 0; i+1 < len(list); i += 2 {
		name := fmt.Sprint(list[i])
		if name != "consumers" {
			fmt.Fprintf(&b, "%s %s\n", name, answer(list[i+1]))
			continue
		}
		consumers, _ := list[i+1].([]any)
		for _, c := range consumers {
			fields, _ := c.([]any)
			for i := 0; i+1 < len(fields); i += 2 {
				fmt.Fprintf(&b, "consumer %s %s\n", fields[i], answer(fields[i+1]))
			}
		}
	}
	return b.String()
}

// withoutTimes leaves out the times at which consumers were seen, which no
// command sets.
func withoutTimes(stream string) string {
	var b strings.Builder
	for line := range strings.Lines(stream) {
		if !strings.HasPrefix(line, "consumer seen-time") && !strings.HasPrefix(line, "consumer active-time") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// fillHostile makes keys whose names and elements have every byte, line ends of
// the protocol, nothing at all, or very much.
func fillHostile(f *filler) {
	var every strings.Builder
	names := []string{"", "\r\n", "*1\r\n$4\r\nQUIT\r\n", "$-1\r\n", " ", "\x00", "\xff\xfe", "\xe2\x80\xae", "12345", "-1", strings.Repeat("n", 70_000), strings.Repeat("\r\n", 40)}
	for c := range 256 {
		every.WriteByte(byte(c))
		names = append(names, "c"+string([]byte{byte(c)}))
	}
	names = append(names, every.String())
	for i, name := range names {
		f.do("SET", name, every.String()+name)
		f.do("PEXPIREAT", name, strconv.Itoa(1<<41+i))
	}
	args := func(n int, more ...string) []string {
		for i, name := range names[:n] {
			more = append(more, name)
			switch more[0] {
			case "HSET":
				more = append(more, names[len(names)-1-i])
			case "ZADD":
				more[len(more)-1] = []string{"inf", "-inf", "0", "-0", "0.1", "1e300", "4.9e-324", "1.7976931348623157e308", "3", "-2.5"}[i%10]
				more = append(more, name)
			}
		}
		return more
	}
	for _, n := range []int{10, len(names)} {
		size := strconv.Itoa(n)
		f.do(args(n, "RPUSH", "list\r\n"+size)...)
		f.do(args(n, "SADD", "set\r\n"+size)...)
		f.do(args(n, "HSET", "hash\r\n"+size)...)
		f.do(args(n, "ZADD", "zset\r\n"+size)...)
	}
	stream := "stream\r\n\x00"
	for i, name := range names {
		f.do("XADD", stream, fmt.Sprintf("%d-%d", 1000+i/3, i%3+1), name, name, "same", "x", "same", name, "", "")
	}
	for i, group := range []string{"\r\n", "", every.String()} {
		f.do("XGROUP", "CREATE", stream, group, "0")
		for _, consumer := range []string{"\x00\r\n", every.String()} {
			f.do("XREADGROUP", "GROUP", group, consumer, "COUNT", strconv.Itoa(20+i), "STREAMS", stream, ">")
		}
		f.do("XGROUP", "CREATECONSUMER", stream, group, "\xff")
	}
	f.do("XDEL", stream, "1090-1", "1091-1")
	f.do("XSETID", stream, "18446744073709551615-18446744073709551614")
	f.do("XGROUP", "CREATE", "empty stream", "g", "$", "MKSTREAM")
	f.do("XADD", "emptied stream", "5-1", "a", "b")
	f.do("XDEL", "emptied stream", "5-1")
}

// fillLarge makes values of n elements.
func fillLarge(f *filler, n int) {
	rng := rand.New(rand.NewPCG(1, 2))
	err := f.s.pipeline(func(send func(args ...string)) {
		for i := 0; i < n; i += 100 {
			hash, list, set, zset := []string{"HSET", "hash"}, []string{"RPUSH", "list"}, []string{"SADD", "set"}, []string{"ZADD", "zset"}
			for k := i; k < i+100; k++ {
				id := strconv.Itoa(k)
				hash = append(hash, "field:"+id, "v"+id)
				list = append(list, "item:"+id)
				set = append(set, "member:"+id)
				zset = append(zset, strconv.FormatFloat(rng.NormFloat64(), 'g', 17, 64), "member:"+id)
				send("XADD", "stream", id+"-1", "temp", id, "unit", "C")
			}
			send(hash...)
			send(list...)
			send(set...)
			send(zset...)
		}
		send("XGROUP", "CREATE", "stream", "readers", "0")
	})
	if f.err == nil {
		f.err = err
	}
	for _, consumer := range []string{"a", "b"} {
		f.do("XREADGROUP", "GROUP", "readers", consumer, "COUNT", strconv.Itoa(n/20), "STREAMS", "stream", ">")
	}
}
