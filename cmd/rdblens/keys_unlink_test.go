package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/report/text"
)

// TestKeysUnlink checks that -f unlink deletes exactly the keys that the other formats list, each in its
// database, whatever its name, that show puts back the same keys, and that names which were replaced delete
// nothing.
func TestKeysUnlink(t *testing.T) {
	command := func(name string, flags ...string) (string, int) {
		var out, errs bytes.Buffer
		code := run(t.Context(), append([]string{name, "../../testdata/shop.rdb"}, flags...), nil, &out, &errs)
		return out.String(), code
	}
	keys := func(flags ...string) (string, int) { return command("keys", flags...) }
	commands := func(resp, write string) (list []string, databases map[string]bool) {
		databases = map[string]bool{}
		for db, commands := "", commandsOf(t, resp); len(commands) > 0; commands = commands[1:] {
			switch c := commands[0]; {
			case len(c) == 2 && c[0] == "SELECT":
				db = c[1]
				databases[db] = true
			case c[0] == write:
				list = append(list, db+" "+string(text.AppendEscaped(nil, []byte(c[1]))))
			default:
				t.Fatalf("%q", c)
			}
		}
		return list, databases
	}
	for _, filter := range [][]string{{"--db", "0,1,2,3"}, {"--no-ttl", "--type", "string"}, {"--over", "no-ttl,big-*"},
		{"--group", "coupon:flash:*", "--group", "session:*", "--no-ttl"},
		{"--min-elements", "2", "--max-memory", "1KB"}, {"--ttl-under", "5d"}} {
		var want []string
		rows, _ := keys(append(filter, "-f", "jsonl")...)
		for line := range strings.Lines(rows) {
			var row struct {
				DB  int
				Key string
			}
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				t.Fatal(err)
			}
			want = append(want, fmt.Sprint(row.DB, " ", row.Key))
		}
		resp, code := keys(append(filter, "-f", "unlink")...)
		got, databases := commands(resp, "UNLINK")
		back, _ := command("show", append(filter, "--format", "resp")...)
		if restored, _ := commands(back, "RESTORE"); !slices.Equal(restored, want) {
			t.Errorf("%v: show puts back %d keys, want %d", filter, len(restored), len(want))
		}
		if code != exitDone || !slices.Equal(got, want) || len(want) < 10 || len(databases) < 2 && filter[0] == "--db" {
			t.Errorf("%v: exit code %d, %d keys in %d databases, want %d", filter, code, len(got), len(databases), len(want))
		}
	}
	for _, flags := range [][]string{{"--redact"}, {"--columns", "+owner"}} {
		if out, code := keys(append(flags, "-f", "unlink")...); code != exitUsage || out != "" {
			t.Errorf("%v: exit code %d, %q", flags, code, out)
		}
	}
}
