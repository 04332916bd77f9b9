package report

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds"
)

// handKey is a string of a snapshot that is written by hand.
type handKey struct {
	name  string
	ttl   int64 // seconds after the snapshot was taken, 0 none
	idle  int64 // seconds, -1 not written
	value string
}

// handSnapshot writes strings as Redis 7.0 does: RDB_OPCODE_EXPIRETIME_MS, RDB_OPCODE_IDLE, type 0.
func handSnapshot(created int64, replication string, keys []handKey) []byte {
	b := []byte("REDIS0010")
	text := func(s string) { b = append(append(b, 0x40|byte(len(s)>>8), byte(len(s))), s...) }
	for _, f := range [][2]string{{"redis-ver", "7.0.15"}, {"ctime", fmt.Sprint(created)}, {"repl-id", replication}} {
		if f[1] != "" {
			b = append(b, 0xfa)
			text(f[0])
			text(f[1])
		}
	}
	b = append(b, 0xfe, 0)
	for _, k := range keys {
		if k.ttl != 0 {
			b = binary.LittleEndian.AppendUint64(append(b, 0xfc), uint64((created+k.ttl)*1000))
		}
		if k.idle >= 0 {
			b = binary.BigEndian.AppendUint32(append(b, 0xf8, 0x80), uint32(k.idle))
		}
		b = append(b, 0)
		text(k.name)
		text(k.value)
	}
	return append(b, 0xff, 0, 0, 0, 0, 0, 0, 0, 0)
}

// noon is a time four hours before a midnight.
var noon = time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC).Unix()

// TestExpiresNext checks what expires within an hour, before midnight and within a day, by counting,
// at the bounds, of one snapshot, with any number of jobs, of a merged state, and of two snapshots.
func TestExpiresNext(t *testing.T) {
	var keys []handKey
	add := func(n int, name string, ttl int64) {
		for i := range n {
			keys = append(keys, handKey{fmt.Sprintf(name, i), ttl, -1, "v"})
		}
	}
	add(100, "coupon:sale:%d", 4*3600-1) // the second before midnight
	add(30, "flash:%d", 3600-1)
	add(20, "flash:1%03d", 3600)
	add(50, "night:%d", 4*3600) // at midnight
	add(70, "day:%d", 24*3600-1)
	add(40, "later:%d", 24*3600)
	add(10, "gone:%d", -5)
	add(500, "kept:%d", 0)
	file := handSnapshot(noon, "", keys)
	check := func(what string, r *Report, times int64) {
		t.Helper()
		var got []string
		for _, w := range r.ExpiresNext {
			s := fmt.Sprint(w.Window, " ", w.Keys/times, " ", w.Until-noon)
			for _, p := range w.Prefixes {
				s += fmt.Sprint(" ", p.Prefix, p.Keys/times, "/", p.Of/times)
			}
			got = append(got, s)
		}
		want := []string{"1h 30 3600 flash:30/50", "midnight 150 14400 coupon:sale:100/100 flash:50/50",
			"24h 270 86400 coupon:sale:100/100 day:70/70 flash:50/50 night:50/50"}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q\nwant %q", what, got, want)
		}
		var hours []string
		for _, h := range r.ExpiresHourly {
			hours = append(hours, fmt.Sprint((h.From-noon)/3600, ":", h.Keys/times))
		}
		if got := strings.Join(hours, " "); got != "0:30 1:20 3:100 4:50 23:70" {
			t.Errorf("%s: hours %s", what, got)
		}
		if got := fmt.Sprint(r.Tree.Expiring); got != fmt.Sprintf("[{1h %d %d} {midnight %d %d} {24h %d %d}]", 30*times, r.Tree.Expiring[0].MemoryBytes,
			150*times, r.Tree.Expiring[1].MemoryBytes, 270*times, r.Tree.Expiring[2].MemoryBytes) {
			t.Errorf("%s: the root has %s", what, got)
		}
	}
	for _, jobs := range []int{1, 4} {
		check(fmt.Sprint(jobs, " jobs"), scanBytes(t, Options{Jobs: jobs}, bytesSource("a", file)), 1)
	}
	state := scanBytes(t, Options{Shard: true}, bytesSource("a", file)).State()
	check("a state", mergeBytes(t, plainSource("s", state)), 1)
	other := handSnapshot(noon, "", append(slices.Clone(keys), handKey{"only:here", 0, -1, "v"}))
	check("two snapshots", scanBytes(t, Options{Jobs: 2}, bytesSource("a", file), bytesSource("b", other)), 2)
}

// TestCanGo checks what is offered to be deleted: keys without a TTL that were not used for over 30
// days, the prefix that has them, and the command that lists exactly them. What is offered is not
// told to be compressed.
func TestCanGo(t *testing.T) {
	const days = 24 * 3600
	text := strings.Repeat(`{"name": "value", "list": [1, 2, 3]} `, 40)
	var keys []handKey
	for i := range 50 {
		keys = append(keys, handKey{fmt.Sprintf("page:v1:%d", i), 0, 40*days + int64(i)*days, text},
			handKey{fmt.Sprintf("page:v2:%d", i), 0, 100, text}, handKey{fmt.Sprintf("page:v3:%d", i), 5 * days, 60 * days, text})
	}
	for i := range 32 * 150 { // groups do not distinguish so many shops, the tree does
		idle := int64(100)
		if i%150 == 7 {
			idle = 35 * days
		}
		keys = append(keys, handKey{fmt.Sprintf("shop:%d:item:%d", i%150, i), 0, idle, "x"})
	}
	keys = append(keys, handKey{"report:2019", 0, 31 * days, "x"}, handKey{"report:2020", 0, 30 * days, "x"})
	r := scanBytes(t, Options{}, bytesSource("dump.rdb", handSnapshot(noon, "", keys)))
	var got []string
	for i := range r.CanGo {
		c := &r.CanGo[i]
		got = append(got, fmt.Sprint(c.Keys, " of ", c.OfKeys, " ", c.about(), " ", *c.IdleMin/days, "-", *c.IdleMax/days, " ", strings.Join(c.List, " ")))
		if c.Delete != strings.Replace(shellLine(c.List), "rdblens keys", "rdblens keys -f unlink", 1)+" | redis-cli --pipe" {
			t.Errorf("%s: %q", c.Text, c.Delete)
		}
		if want := strings.Replace(shellLine(c.List), "rdblens keys", "rdblens show --format resp", 1) + " | redis-cli --pipe"; c.Restore != want {
			t.Errorf("%s: %q", c.Text, c.Restore)
		}
		if c.SavesBytes != int64(c.MemoryBytes) || c.MemoryBytes <= 0 || c.ConditionMessage.IsZero() {
			t.Errorf("%s frees %d of %d", c.Text, c.SavesBytes, c.MemoryBytes)
		}
	}
	want := []string{"50 of 50 page:v1:* 40-89 rdblens keys --db 0 --group page:v1:* --over cold-key dump.rdb",
		"32 of 32 shop:7: 35-35 rdblens keys --under shop:7: --over cold-key dump.rdb",
		"1 of 2 report:* 31-31 rdblens keys --db 0 --group report:* --over cold-key dump.rdb"}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	for _, s := range slices.Concat(r.Savings, r.FixFirst) {
		if s.SavesBytes > 0 && s.Group == "page:v1:*" {
			t.Errorf("what can go: %s", s.Text)
		}
	}
	// What deletes stands only where it was asked for.
	for _, format := range []string{"table", "details", "markdown", "html", "summary", "csv", "groups.csv", "findings.csv"} {
		for _, asked := range []bool{false, true} {
			var b strings.Builder
			if err := Write(format, &b, r, WriteOptions{Width: 120, Advice: asked}); err != nil {
				t.Fatal(err)
			}
			deletes := strings.Contains(b.String(), "-f unlink") || strings.Contains(b.String(), "redis-cli --pipe")
			if whole := format == "details" || format == "markdown" || format == "html"; deletes && !asked || asked && whole && !deletes {
				t.Errorf("%s, asked %v: commands that delete: %v", format, asked, deletes)
			}
		}
	}
	// Findings of a prefix are its own.
	for _, n := range r.Tree.Children {
		for _, c := range n.Children {
			if want := c.Prefix == "page:v1:" || c.Prefix == "report:*" || c.Prefix == "shop:7:"; want != (c.cold() > 0) {
				t.Errorf("%s has %d cold keys", c.Prefix, c.cold())
			}
		}
	}
}

// TestSameServer checks which inputs are said to be of one server: those with the same replication
// id, and those that share most names and were taken at different times.
func TestSameServer(t *testing.T) {
	names := func(from, to int) (keys []handKey) {
		for i := from; i < to; i++ {
			keys = append(keys, handKey{fmt.Sprintf("user:%d:cart", i*7919), 0, -1, "v"})
		}
		return keys
	}
	const id = "0123456789012345678901234567890123456789"
	for _, c := range []struct {
		name string
		a, b []byte
		want string
	}{
		{"a later snapshot", handSnapshot(noon, "", names(0, 3000)), handSnapshot(noon+60, "", names(600, 3300)), "names"},
		{"other keys", handSnapshot(noon, "", names(0, 3000)), handSnapshot(noon+60, "", names(3000, 6000)), ""},
		{"a third of the keys", handSnapshot(noon, "", names(0, 3000)), handSnapshot(noon+60, "", names(2000, 5000)), ""},
		{"at the same time", handSnapshot(noon, "", names(0, 3000)), handSnapshot(noon, "", names(1, 3000)), ""},
		{"the same one", handSnapshot(noon, "", names(0, 3000)), handSnapshot(noon, "", names(0, 3000)), "snapshot"},
		{"the same one with an id", handSnapshot(noon, id, names(0, 9)), handSnapshot(noon, id, names(0, 9)), "snapshot"},
		{"few keys", handSnapshot(noon, "", names(0, 4)), handSnapshot(noon+60, "", names(0, 4)), ""},
		{"a replication id", handSnapshot(noon+9, id, names(0, 9)), handSnapshot(noon, id, names(100, 109)), "replication id"},
		{"no replication id", handSnapshot(noon, strings.Repeat("0", 40), names(0, 9)), handSnapshot(noon, strings.Repeat("0", 40), names(100, 109)), ""},
	} {
		r := scanBytes(t, Options{Jobs: 3}, bytesSource("a", c.a), bytesSource("b", c.b))
		got := ""
		for _, s := range r.SameServer {
			got += s.Sign
			if a, b := r.Inputs[s.Inputs[0]].Created, r.Inputs[s.Inputs[1]].Created; a > b {
				t.Errorf("%s: the later one is first", c.name)
			}
			if truth := 2400. / 2700; s.Sign == "names" && (s.Share < truth-.1 || s.Share > truth+.1) {
				t.Errorf("%s: %.3f of the names, not %.3f", c.name, s.Share, truth)
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, not %q", c.name, got, c.want)
		}
		if alerts := r.SameServerAlerts(); len(alerts) != len(r.SameServer) || slices.ContainsFunc(alerts, message.Message.IsZero) {
			t.Errorf("%s: %d alerts", c.name, len(alerts))
		}
	}
}

func scanBytes(t *testing.T, opt Options, sources ...Source) *Report {
	t.Helper()
	opt.Top = 10
	r, err := Scan(t.Context(), sources, testPolicy(t), opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mergeBytes(t *testing.T, sources ...Source) *Report {
	t.Helper()
	r, err := Merge(t.Context(), sources, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestExpiresAt checks the clock times of what expires next, by adding up seconds after 20:00.
func TestExpiresAt(t *testing.T) {
	var keys []handKey
	for i := range 100 {
		keys = append(keys, handKey{fmt.Sprintf("a:%d", i), 600, -1, "v"}, handKey{fmt.Sprintf("b:%d", i), 3600 + 60*int64(i), -1, "v"},
			handKey{fmt.Sprintf("c:%d", i), 5 * 3600, -1, "v"}, handKey{fmt.Sprintf("d:%d", i), 7200 + 86_400*int64(i%2), -1, "v"},
			handKey{fmt.Sprintf("e:%d", i), 3600 - 7200*int64(i%2), -1, "v"})
	}
	one := scanBytes(t, Options{}, bytesSource("1.rdb", handSnapshot(noon, "", keys)))
	want := map[Name]string{"a:": "20:10", "b:": "21:00 to 22:39", "c:": "03-02 01:00", "d:": "from 22:00", "e:": "until 21:00"}
	for _, p := range one.ExpiresNext[len(one.ExpiresNext)-1].Prefixes {
		if got := one.expiresAt(&p, one.ExpiresNext[0].From+86_400).String(); got != want[p.Prefix] {
			t.Errorf("%s: %q, want %q", p.Prefix, got, want[p.Prefix])
		}
		delete(want, p.Prefix)
	}
	if len(want) > 0 {
		t.Errorf("not there: %v", want)
	}
	for _, c := range []struct {
		keys, limit int64
		tens        []int64
		want        string
	}{
		{500, 300, []int64{0, 300, 200}, "No stampede: in the busiest 10 minutes 30 keys a minute expire; ttl-stampede allows 300."},
		{500, 299, []int64{0, 300, 200}, ""}, // they may be of one minute
		{300, 300, []int64{0, 300, 0}, ""},   // no number of keys to speak of
	} {
		r := &Report{ExpiresNext: []Expiring{{Window: "24h", Keys: c.keys}},
			ExpiryTimes: []thresholds.ExpiryTimes{{Step: 600, Keys: c.tens, Limit: c.limit}}}
		if got := r.noStampede().String(); got != c.want {
			t.Errorf("%v: %q, want %q", c, got, c.want)
		}
	}
}
