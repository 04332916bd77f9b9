package thresholds

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/testdata/testtool"
)

// TestDeletionOnAServer pastes the commands for servers without UNLINK into a
// shell and into redis-cli: whatever bytes names and elements have, the key is
// gone and another one is not.
func TestDeletionOnAServer(t *testing.T) {
	cli := serverForTest(t)
	const name = "big'\"h%s\\ \n\xff\x01$x`"
	e := mustLoad(t, LoadOptions{}).Compile(Env{Server: "redis", Version: "3.2.1", Created: -1})
	for typ, add := range map[parser.Type]string{parser.Hash: "HSET %s %s v", parser.Set: "SADD %s %s", parser.List: "RPUSH %s %s", parser.ZSet: "ZADD %s 1 %s"} {
		var fill strings.Builder
		fill.WriteString("SELECT 3\nSET other 1\n")
		for i := range 250 {
			fmt.Fprintf(&fill, add+"\n", quoteKey(name), quoteKey(fmt.Sprintf("f'\"\\ \n\xff%d$(x)`y`", i)))
		}
		run(t, fill.String(), cli)
		k := key(name, collection(typ, parser.EncHashtable, 250))
		k.DB = 3
		s := SubjectOf(k)
		list := e.Advise(Finding{Rule: ruleID(t, "big-collection"), Severity: Error, Measured: 250, Limit: 100}, &s)
		for _, a := range adviceTexts(list) {
			if a.Kind != "delete" {
				continue
			}
			if strings.HasPrefix(a.Commands[0], "c=0") {
				run(t, a.Commands[0], "sh")
			} else {
				run(t, strings.Join(a.Commands, "\n")+"\n", cli)
			}
		}
		if got := run(t, "SELECT 3\nKEYS *\n", cli); got != "OK\nother\n" {
			t.Errorf("%s: left: %q", typ, got)
		}
		run(t, "FLUSHALL\n", cli)
	}
}

// serverForTest starts a server, and returns a directory for PATH with a redis-cli
// that connects to it; redis-cli-quoted quotes replies.
func serverForTest(t *testing.T) string {
	t.Helper()
	server, real, dir := testtool.Redis(t), testtool.Need(t, "redis-cli"), t.TempDir()
	cli := filepath.Join(dir, "redis-cli")
	if err := os.WriteFile(cli, []byte("#!/bin/sh\nexec "+real+" -s "+server.Socket+" \"$@\"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(cli+"-quoted", []byte("#!/bin/sh\nexec "+real+" -s "+server.Socket+" --no-raw \"$@\"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return cli
}

// run runs a program with an input and returns its output.
func run(t *testing.T, input, program string) string {
	t.Helper()
	cmd := exec.Command(program)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", program, err)
	}
	return string(out)
}
