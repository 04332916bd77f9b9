package thresholds

import (
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
)

func consumers(lag, idle int64) func(*parser.Key) {
	return func(k *parser.Key) {
		k.Type, k.Encoding, k.Elements, k.Groups = parser.Stream, parser.EncStream, 1000, 1
		k.Behind = &parser.GroupState{Name: []byte("billing"), Lag: lag, Idle: idle, Live: 2, Consumers: idle + 2, Pending: 3, Oldest: 1_700_000_000_000}
	}
}

func init() {
	ruleCases["stream-consumers"] = []ruleCase{
		{key: key("a:b", consumers(10_000, 0)), want: "-----"}, {key: key("a:b", consumers(10_001, 0)), want: "wwwww"},
		{key: key("a:b", consumers(0, 100)), want: "-----"}, {key: key("a:b", consumers(-1, 101)), want: "wwwww"},
		{key: key("a:b", consumers(10_001, 101)), want: "wwwww"}, {key: key("a:b", collection(parser.Stream, parser.EncStream, 50)), want: "-----"},
		{key: key("a:b", consumers(0, 6)), want: "wwwww", config: "rules: {stream-consumers: {warning: 10000, idle_consumers: 5}}"},
	}
}

// TestGroupAdvice checks that advice on a consumer group loses or repeats nothing while its consumers
// are active: claiming and removing stand only where a consumer asked for nothing in a week, and with
// their condition.
func TestGroupAdvice(t *testing.T) {
	for _, c := range []struct {
		what, has, lacks string
		group            parser.GroupState
	}{
		{"alive", "Start more consumers", "XAUTOCLAIM DESTROY LTRIM MAXLEN",
			parser.GroupState{Lag: 15_000, Pending: 5000, Consumers: 1, Live: 1}},
		{"no time of the snapshot", "Start more consumers", "XAUTOCLAIM DESTROY",
			parser.GroupState{Lag: 15_000, Pending: 5000, Consumers: 1, Live: -1}},
		{"no consumers", "The group has no consumers", "XAUTOCLAIM DESTROY", parser.GroupState{Lag: 15_000}},
		{"one is gone", "XAUTOCLAIM \"a:b\" \"billing\" CONSUMER 604800000 0-0 COUNT 100", "DESTROY",
			parser.GroupState{Lag: 15_000, Pending: 5000, Consumers: 2, Idle: 1, Live: 1, IdlePending: 2000}},
		{"all are gone", "queue if nobody needs the group any more: Remove the group. Its position and its 5,000 pending",
			"LTRIM", parser.GroupState{Lag: 15_000, Pending: 5000, Consumers: 2, Idle: 2, IdlePending: 5000}},
	} {
		c.group.Name = []byte("billing")
		for _, rule := range []string{"stream-consumers", "queue-backlog"} {
			k := key("a:b", collection(parser.Stream, parser.EncStream, 20_000))
			k.Groups, k.Pending, k.Behind = 1, 5000, &c.group
			_, lines := adviceOn(t, testEnv(), LoadOptions{}, rule, k)
			all := strings.Join(lines, "\n")
			if rule == "stream-consumers" && !strings.Contains(all, c.has) {
				t.Errorf("%s, %s: no %q in\n%s", c.what, rule, c.has, all)
			}
			for _, word := range strings.Fields(c.lacks) {
				if strings.Contains(all, word) {
					t.Errorf("%s, %s: %s in\n%s", c.what, rule, word, all)
				}
			}
		}
	}
}

// TestTTLAdvice checks that a TTL is advised under a condition, with the TTL of the group or no number.
func TestTTLAdvice(t *testing.T) {
	e := mustLoad(t, LoadOptions{}).Compile(testEnv())
	k := key("a:b", forever)
	f := found(t, e, "no-ttl", k)
	for ttl, want := range map[int64]string{0: "where SECONDS is how long", 30 * day: "TTLs of up to 30d"} {
		s := SubjectOf(k)
		s.GroupTTL = ttl
		text := adviceTexts(e.Advise(f, &s))[0].Text
		if !strings.HasPrefix(text, "Only if it may be lost after") || !strings.Contains(text, want) || strings.Contains(text, "86400") {
			t.Error(text)
		}
	}
}
