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
// database, whatever its name, and that names which were replaced delete nothing.
func TestKeysUnlink(t *testing.T) {
	keys := func(flags ...string) (string, int) {
		var out, errs bytes.Buffer
		code := run(t.Context(), append([]string{"keys", "../../testdata/shop.rdb"}, flags...), nil, &out, &errs)
		return out.String(), code
	}
	for _, filter := range [][]string{nil, {"--jobs", "1"}, {"--no-ttl", "--type", "string"}} {
		var want, got []string
		databases := map[string]bool{}
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
		db := ""
		for _, c := range commandsOf(t, resp) {
			switch {
			case len(c) == 2 && c[0] == "SELECT":
				db = c[1]
				databases[db] = true
			case len(c) == 2 && c[0] == "UNLINK":
				got = append(got, db+" "+string(text.AppendEscaped(nil, []byte(c[1]))))
			default:
				t.Fatalf("%q", c)
			}
		}
		if code != exitDone || !slices.Equal(got, want) || len(want) < 100 || len(databases) < 2 {
			t.Errorf("%v: exit code %d, %d keys in %d databases, want %d", filter, code, len(got), len(databases), len(want))
		}
	}
	for _, flags := range [][]string{{"--redact"}, {"--columns", "+owner"}} {
		if out, code := keys(append(flags, "-f", "unlink")...); code != exitUsage || out != "" {
			t.Errorf("%v: exit code %d, %q", flags, code, out)
		}
	}
}
