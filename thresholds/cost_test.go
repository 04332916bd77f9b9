package thresholds

import (
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
)

// TestCostOfReading has a finding on each type, and the table that the document has
// for it: that of values for strings, that of HGETALL for hashes. It has none for other types.
func TestCostOfReading(t *testing.T) {
	for _, c := range []struct {
		rule string
		k    *parser.Key
		want string
	}{
		{"big-collection", key("a:b", collection(parser.Hash, parser.EncHashtable, 5001)), "HGETALL of 5,000 fields of 10 bytes: Baidu measured 120 a second. Its table ends there: more fields, or longer ones, take longer."},
		{"big-collection", key("a:b", collection(parser.ZSet, parser.EncSkiplist, 5001)), ""},
		{"big-value", key("a:b", with(collection(parser.Set, parser.EncHashtable, 5000), str(2<<20))), ""},
		{"big-value", key("a:b", with(collection(parser.List, parser.EncQuicklist, 2000), str(2<<20))), ""},
		{"big-stream", key("a:b", collection(parser.Stream, parser.EncStream, 100_001)), ""},
		{"big-string", key("a:b", str(20<<10)), "Baidu measured 73,000 requests a second for values of 10 KB, and 68,000 for 50 KB (at most 10 ms each)."},
		{"big-string", key("a:b", str(50<<10)), "Baidu measured 68,000 requests a second for values of 50 KB (at most 10 ms each)."},
		{"big-string", key("a:b", str(1<<20)), "Baidu measured 6,400 requests a second for values of 500 KB (at most 10 ms each), the largest in its table."},
	} {
		_, lines := adviceOn(t, testEnv(), LoadOptions{}, c.rule, c.k)
		var tables []string
		for _, l := range lines {
			if strings.Contains(l, "Baidu measured") {
				tables = append(tables, l)
			}
		}
		if c.want == "" && len(tables) == 0 {
			continue
		}
		if len(tables) != 1 || tables[0] != "cost: "+c.want {
			t.Errorf("%s, %s: %q, want %q", c.rule, c.k.Type, tables, c.want)
		}
	}
}
