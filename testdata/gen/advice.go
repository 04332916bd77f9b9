package main

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/config"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// adviceKey is a key of a server.
type adviceKey struct {
	db   int
	name string
}

// adviceState is what a server says about a key.
type adviceState struct {
	kind, encoding string
	digest         string // of the value alone, hexadecimal
	expireAt       int64  // ms since the epoch, -1 none
	idle           int64  // seconds since the last access
}

// followed is a piece of advice on a key.
type followed struct {
	key  adviceKey
	rule string
	thresholds.Advice
	Commands []string // of Advice, as text
}

// adviceCheck follows the advice on the keys of a server.
type adviceCheck struct {
	*server
	cli      string // program that connects redis-cli to the server
	snapshot string
	problems []string
	commands int
}

// checkAdvice follows every piece of advice on the findings in a snapshot of many
// kinds of keys, under each profile: each command must run without an error and
// change what its text says and nothing else, and then the same profile must not
// find anything new that is a warning or worse.
func checkAdvice(out io.Writer, servers, profiles []string, fill func(*filler)) error {
	if len(servers) == 0 {
		servers = installedServers()
	}
	for _, command := range servers {
		if err := checkAdviceOn(out, strings.Fields(command), profiles, fill); err != nil {
			return fmt.Errorf("%s: %w", command, err)
		}
	}
	return nil
}

func checkAdviceOn(out io.Writer, argv, profiles []string, fill func(*filler)) error {
	s, err := newFilled(argv, fill, "--maxmemory-policy", "allkeys-lru")
	if err != nil {
		return err
	}
	defer s.remove()
	c := &adviceCheck{server: s, snapshot: s.path("rich.rdb"), cli: s.path("redis-cli")}
	if err := s.snapshot(c.snapshot); err != nil {
		return err
	}
	real, err := exec.LookPath("redis-cli")
	if err != nil {
		return err
	}
	if err := os.WriteFile(c.cli, []byte("#!/bin/sh\nexec "+real+" -s "+s.path("sock")+" \"$@\"\n"), 0o777); err != nil {
		return err
	}
	for _, profile := range profiles {
		if err := c.follow(profile, ""); err != nil {
			return err
		}
	}
	if err := c.follow(thresholds.DefaultProfile, "3.2.12"); err != nil { // without UNLINK
		return err
	}
	fmt.Fprintf(out, "%s: %d commands, %d problems\n", s.name, c.commands, len(c.problems))
	if len(c.problems) > 0 {
		return fmt.Errorf("%d problems:\n  %s", len(c.problems), strings.Join(c.problems[:min(20, len(c.problems))], "\n  "))
	}
	return nil
}

func (c *adviceCheck) problem(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

// follow follows the advice of a profile, as for a server of the given version.
func (c *adviceCheck) follow(profile, version string) error {
	policy := config.Profile(profile)
	before, list, err := findingsOf(c.snapshot, policy, version)
	if err != nil {
		return err
	}
	// In one round each key has at most one command that changes it. Round 0 only
	// looks.
	rounds := [][]followed{nil}
	next, seen, loops := map[adviceKey]int{}, map[string]bool{}, 0
	for _, a := range list {
		if id := fmt.Sprint(a.key, a.Commands); len(a.Commands) == 0 || seen[id] {
			continue
		} else {
			seen[id] = true
		}
		if !a.ChangesData {
			rounds[0] = append(rounds[0], a)
			continue
		}
		if strings.HasPrefix(a.Commands[0], "c=0;") { // a loop of the shell starts many programs
			if loops++; loops > 2 {
				continue
			}
		}
		next[a.key]++
		for len(rounds) <= next[a.key] {
			rounds = append(rounds, nil)
		}
		rounds[next[a.key]] = append(rounds[next[a.key]], a)
	}
	for i, round := range rounds {
		if err := c.round(fmt.Sprintf("%s %s round %d", profile, version, i), round, before, policy, version); err != nil {
			return err
		}
	}
	if err := c.load(); err != nil {
		return err
	}
	if err := c.splits(list); err != nil {
		return err
	}
	return c.reads()
}

// load starts the server with the snapshot.
func (c *adviceCheck) load() error {
	if err := c.stop(); err != nil {
		return err
	}
	data, err := os.ReadFile(c.snapshot)
	if err == nil {
		err = os.WriteFile(c.path("dump.rdb"), data, 0o644)
	}
	if err == nil {
		err = c.start()
	}
	return err
}

// round loads the snapshot, runs commands, and compares.
func (c *adviceCheck) round(what string, round []followed, found map[string]bool, policy *thresholds.Policy, version string) error {
	if err := c.load(); err != nil {
		return err
	}
	before, err := c.states()
	if err != nil {
		return err
	}
	lists, err := c.listsOf(round)
	if err != nil {
		return err
	}
	start := time.Now()
	var paste strings.Builder
	for _, a := range round {
		c.commands += len(a.Commands)
		if strings.HasPrefix(a.Commands[0], "c=0;") { // for a shell
			if out, err := c.run("sh", a.Commands[0]); err != nil || strings.Contains(out, "(error)") {
				c.problem("%s: %s: %q: %v %s", what, a.rule, a.Commands[0], err, out)
			}
			continue
		}
		paste.WriteString(strings.Join(a.Commands, "\n") + "\n")
	}
	reply, err := c.run(c.cli, paste.String(), "--no-raw")
	if err != nil {
		return err
	}
	for line := range strings.Lines(reply) {
		if strings.Contains(line, "(error)") || strings.Contains(line, "Invalid argument") {
			c.problem("%s: %s", what, line)
		}
	}
	after, err := c.states()
	if err != nil {
		return err
	}
	for _, a := range round {
		switch {
		case !a.ChangesData && (a.rule == "queue-backlog" || a.rule == "big-element"): // LLEN, XINFO and HSTRLEN access the key
			s := after[a.key]
			s.idle = before[a.key].idle
			after[a.key] = s
		case a.ChangesData:
			c.effect(what, a, start, before, after, lists)
		}
	}
	renamed := map[adviceKey]bool{}
	for _, a := range round {
		if to := renamedTo(a); to.name != "" {
			renamed[to] = true
		}
	}
	for to := range renamed {
		if _, ok := before[to]; !ok {
			delete(after, to)
		}
	}
	// What is left in both is what no command was about.
	for _, k := range slices.SortedFunc(maps.Keys(before), compareKeys) {
		was, is := before[k], after[k]
		if is.idle >= was.idle || len(renamed) > 0 { // time has passed; RENAMENX accesses the key of the new name
			is.idle = was.idle
		}
		if was != is {
			c.problem("%s: %v was %v, is %v", what, k, was, is)
		}
		delete(after, k)
	}
	for k := range after {
		c.problem("%s: there is a new key %v", what, k)
	}
	if err := c.server.snapshot(c.path("after.rdb")); err != nil {
		return err
	}
	now, _, err := findingsOf(c.path("after.rdb"), policy, version)
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(now)) {
		rule, _, _ := strings.Cut(id, " ")
		var k adviceKey
		if _, rest, ok := strings.Cut(id, " db "); ok {
			db, name, _ := strings.Cut(rest, " ")
			k.name = name
			k.db, _ = strconv.Atoi(db)
		}
		if !found[id] && !(renamed[k] && rule != "key-type-suffix") {
			c.problem("%s: a new finding: %s", what, id)
		}
	}
	return nil
}

func compareKeys(a, b adviceKey) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }

// effect checks what a piece of advice did to its key, and removes the key from
// the states.
func (c *adviceCheck) effect(what string, a followed, start time.Time, before, after map[adviceKey]adviceState, lists map[adviceKey][]string) {
	was := before[a.key]
	is, exists := after[a.key]
	is.idle = was.idle
	words := strings.Fields(a.Commands[len(a.Commands)-1])
	fail := func() { c.problem("%s: %s: %q: was %v, is %v", what, a.rule, a.Commands, was, is) }
	switch words[0] {
	case "CONFIG":
		if v, err := c.strings("CONFIG", "GET", words[2]); err != nil || len(v) != 2 || v[1] != words[3] {
			fail()
		}
		return // no key may change
	case "UNLINK", "DEL", "c=0;":
		if exists {
			fail()
		}
	case "EXPIRE":
		seconds, _ := strconv.ParseInt(words[len(words)-1], 10, 64)
		low := start.Add(time.Duration(seconds) * time.Second).UnixMilli()
		if is.expireAt < low || is.expireAt > low+time.Since(start).Milliseconds() {
			fail()
		}
		if is.expireAt = was.expireAt; is != was {
			fail()
		}
	case "LTRIM":
		list, err := c.list(a.key)
		n := int(thresholdOf(words))
		old := lists[a.key]
		if want := old[max(0, len(old)-n):]; words[len(words)-1] != "-1" && !slices.Equal(list, old[:min(n, len(old))]) ||
			words[len(words)-1] == "-1" && !slices.Equal(list, want) || err != nil {
			fail()
		}
	case "RENAMENX":
		renamed, taken := after[renamedTo(a)]
		if exists { // the new name was taken, by another key or by an earlier command
			if !taken || is != was {
				fail()
			}
			break
		}
		if renamed.idle = was.idle; renamed != was {
			fail()
		}
	default: // batches: 52 LTRIM, 52 ZREMRANGEBYRANK
		if exists || words[0] != strconv.Itoa(int(thresholdOf(words[:1]))) {
			fail()
		}
	}
	delete(before, a.key)
	delete(after, a.key)
}

// thresholdOf returns the number of items that LTRIM key -N -1 or LTRIM key 0 N-1
// keeps, or a word as a number.
func thresholdOf(words []string) int64 {
	last, _ := strconv.ParseInt(words[len(words)-1], 10, 64)
	if len(words) > 1 && last >= 0 {
		return last + 1
	} else if len(words) > 1 {
		last, _ = strconv.ParseInt(words[len(words)-2], 10, 64)
		return -last
	}
	return last
}

// renamedTo returns what a piece of advice renames its key to, a key without a name
// if it does not rename.
func renamedTo(a followed) adviceKey {
	last := a.Commands[len(a.Commands)-1]
	if !strings.HasPrefix(last, "RENAMENX ") {
		return adviceKey{}
	}
	quoted := last[strings.LastIndex(last, `" "`)+2:]
	name, err := strconv.Unquote(quoted)
	if err != nil {
		panic(err)
	}
	return adviceKey{a.key.db, name}
}

// run runs a program with an input. redis-cli is the one of this server.
func (c *adviceCheck) run(program, input string, args ...string) (string, error) {
	cmd := exec.Command(program, args...)
	cmd.Stdin = strings.NewReader(input)
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(c.cli)+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// list returns the items of a list.
func (c *adviceCheck) list(k adviceKey) ([]string, error) {
	if _, err := c.do("SELECT", strconv.Itoa(k.db)); err != nil {
		return nil, err
	}
	return c.strings("LRANGE", k.name, "0", "-1")
}

// listsOf returns the items of the lists that commands trim.
func (c *adviceCheck) listsOf(round []followed) (map[adviceKey][]string, error) {
	lists := map[adviceKey][]string{}
	for _, a := range round {
		if !strings.HasPrefix(a.Commands[len(a.Commands)-1], "LTRIM ") {
			continue
		}
		list, err := c.list(a.key)
		if err != nil {
			return nil, err
		}
		lists[a.key] = list
	}
	return lists, nil
}

// states returns the state of every key. DEBUG DIGEST-VALUE adds a constant to the
// digest of a key with an expiry, which is taken out again.
func (c *adviceCheck) states() (map[adviceKey]adviceState, error) {
	expires := sha1.Sum([]byte("!!expire!!"))
	states := map[adviceKey]adviceState{}
	keyspace, err := c.text("INFO", "keyspace")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(keyspace) {
		var db int
		if n, _ := fmt.Sscanf(line, "db%d:", &db); n == 0 {
			continue
		}
		if _, err := c.do("SELECT", strconv.Itoa(db)); err != nil {
			return nil, err
		}
		names, err := c.strings("KEYS", "*")
		if err != nil {
			return nil, err
		}
		replies := make([]any, 0, 5*len(names))
		var failed error
		err = c.pipelineReplies(func(send func(...string)) {
			for _, name := range names {
				send("OBJECT", "IDLETIME", name)
				send("TYPE", name)
				send("OBJECT", "ENCODING", name)
				send("DEBUG", "DIGEST-VALUE", name)
				send("PEXPIRETIME", name)
			}
		}, func(v any, err error) {
			if err != nil {
				failed = err
			}
			replies = append(replies, v)
		})
		if err != nil || failed != nil {
			return nil, fmt.Errorf("%v %v", err, failed)
		}
		for i, name := range names {
			r := replies[5*i:]
			digest, err := hex.DecodeString(r[3].([]any)[0].(string))
			if err != nil {
				return nil, err
			}
			expireAt := r[4].(int64)
			if expireAt >= 0 {
				for i := range digest {
					digest[i] ^= expires[i]
				}
			}
			states[adviceKey{db, name}] = adviceState{r[1].(string), r[2].(string), hex.EncodeToString(digest), expireAt, r[0].(int64)}
		}
	}
	return states, nil
}

// findingsOf returns the findings in a snapshot that are warnings or worse, as
// "rule db DB NAME" or "rule", and the advice on all findings.
func findingsOf(file string, policy *thresholds.Policy, version string) (map[string]bool, []followed, error) {
	src, err := parser.Open(file)
	if err != nil {
		return nil, nil, err
	}
	defer src.Close()
	scanner := parser.NewScanner(src, parser.Options{})
	findings, list := map[string]bool{}, []followed(nil)
	var engine *thresholds.Engine
	var instance *thresholds.Instance
	for scanner.Scan() {
		k := scanner.Key()
		if engine == nil {
			info := scanner.Info()
			env := thresholds.Env{Server: info.Server, Version: info.ServerVersion, Created: info.Created}
			if version != "" {
				env.Server, env.Version = "redis", version
			}
			engine = policy.Compile(env)
			instance = engine.NewInstance()
		}
		var f naming.Facts
		engine.Namer().Facts(k.Name, &f)
		instance.Add(k, &f)
		for _, found := range engine.Check(k, &f, nil) {
			if found.Severity >= thresholds.Warning {
				findings[fmt.Sprintf("%s db %d %s", found.Rule.Name(), k.DB, k.Name)] = true
			}
			s := thresholds.SubjectOf(k)
			s.Name, s.SelectDB = bytes.Clone(k.Name), true
			for _, a := range engine.Advise(found, &s) {
				var commands []string
				for _, c := range a.Commands {
					commands = append(commands, thresholds.CommandText(c))
				}
				list = append(list, followed{adviceKey{k.DB, string(k.Name)}, found.Rule.Name(), a, commands})
			}
		}
	}
	if err := scanner.Err(); err != nil {
		return nil, nil, err
	}
	about, _ := instance.Findings()
	for _, found := range about {
		if found.Severity >= thresholds.Warning {
			findings[found.Rule.Name()] = true
		}
	}
	return findings, list, nil
}
