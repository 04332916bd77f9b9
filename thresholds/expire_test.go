package thresholds

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
)

// TestExpireAdvice checks the EXPIRE that findings on expiries advise: a day and at
// most a tenth of it more, within the limit of ttl-too-long; none for what may be a
// queue, would block when it expires, or has a name that is not kept whole.
func TestExpireAdvice(t *testing.T) {
	const never = 0
	cold := func(k *parser.Key) { forever(k); k.Idle = 99 * day }
	for _, c := range []struct {
		config, rule string
		key          *parser.Key
		least, most  int64  // seconds
		text         string // of the advice without a command
	}{
		{"extends: default", "no-ttl", key("a:b", forever), day, day + day/10, ""},
		{"extends: default", "cold-key", key("a:b", cold), day, day + day/10, ""},
		{"extends: typed", "no-ttl", key("a:b", forever), day, day + day/10, ""},
		{"extends: typed", "ttl-too-long", key("a:b", expires((created+99*day)*1000)), 27 * day, 30 * day, ""},
		{"rules: {ttl-too-long: {info: 1h}}", "no-ttl", key("a:b", forever), 54 * 60, 60 * 60, ""},
		{"rules: {ttl-too-long: {info: 10s, warning: 1h}}", "no-ttl", key("a:b", forever), 9, 10, ""},
		{"rules: {ttl-too-long: {info: 0s}}", "no-ttl", key("a:b", forever), never, 0, ""},
		{"extends: default", "no-ttl", key("a:b", with(forever, collection(parser.Hash, parser.EncHashtable, 5000))), day, day + day/10, ""},
		{"extends: default", "no-ttl", key("a:b", with(forever, collection(parser.Hash, parser.EncHashtable, 5001))), never, 0, "First bring it under 5,000 elements"},
		{"rules: {big-collection: off}", "no-ttl", key("a:b", with(forever, collection(parser.Set, parser.EncHashtable, 5001))), never, 0, "First bring it under 5,000 elements"},
		{"extends: default", "no-ttl", key("a:b", with(forever, collection(parser.List, parser.EncQuicklist, 3))), never, 0, "It may be a queue"},
		{"extends: default", "no-ttl", key("a:b", with(forever, collection(parser.Stream, parser.EncStream, 3))), never, 0, "It may be a queue"},
		{"extends: default", "no-ttl", key("a:b", with(forever, func(k *parser.Key) { k.NameLen = 70000 })), never, 0, ""},
	} {
		c.key.HasExpire = c.rule == "ttl-too-long"
		for c.key.Offset = range int64(9) { // the random part is of the offset
			_, lines := adviceOn(t, testEnv(), LoadOptions{Config: writeConfig(t, c.config)}, c.rule, c.key)
			all, seconds := strings.Join(lines, "\n"), int64(never)
			if _, after, ok := strings.Cut(all, "\n  EXPIRE \"a:b\" "); ok {
				number, _, _ := strings.Cut(after, "\n")
				var err error
				if seconds, err = strconv.ParseInt(number, 10, 64); err != nil {
					t.Error(err)
				}
			}
			if seconds < c.least || seconds > c.most || !strings.Contains(all, c.text) {
				t.Errorf("%s, %s, %s: EXPIRE of %d seconds, want %d to %d\n%s", c.config, c.rule, c.key.Type, seconds, c.least, c.most, all)
			}
		}
	}

	// Keys that get one together do not expire together.
	different := map[string]bool{}
	for i := range 1000 {
		_, lines := adviceOn(t, testEnv(), LoadOptions{}, "no-ttl", key(fmt.Sprintf("k:%d", i), with(forever, func(k *parser.Key) { k.Offset = int64(40 * i) })))
		for _, l := range lines {
			if rest, ok := strings.CutPrefix(l, fmt.Sprintf("  EXPIRE \"k:%d\" ", i)); ok {
				different[rest] = true
			}
		}
		if i == 0 {
			has(t, lines, "ttl if it may be lost after a day: Let it expire.")
		}
	}
	if len(different) < 900 {
		t.Errorf("1000 keys get %d different expiries", len(different))
	}
}

// TestTimesThatAreImplausible checks up to which ctime the age of keys is computed.
func TestTimesThatAreImplausible(t *testing.T) {
	for at, want := range map[int64]int64{-1: -1, 0: 0, created: created * 1000, 1 << 50: 1 << 50 * 1000, 1<<50 + 1: -1, 1<<63 - 1: -1} {
		env := testEnv()
		env.Created = at
		if got := mustLoad(t, LoadOptions{}).Compile(env).created; got != want {
			t.Errorf("a snapshot of %d: %d ms, want %d", at, got, want)
		}
	}
}
