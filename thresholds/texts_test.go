package thresholds

import (
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
)

// TestStampedeTexts checks the words for minutes and hours, alone and with neighbours,
// which say what is counted in which time.
func TestStampedeTexts(t *testing.T) {
	at := func(add func(*parser.Key), ms, n int64) {
		k := key("batch:1", expires(ms))
		for range n {
			add(k)
		}
	}
	const hour = 3_600_000
	far := int64(created/3600+100*24) * hour // in 100 days
	for _, c := range []struct {
		keys          func(add func(*parser.Key))
		subject, text string
	}{
		{func(add func(*parser.Key)) { at(add, far, 10_001) }, "hour 2024-02-22T22:00Z", "10,001 keys expire in one hour, over 10,000"},
		{func(add func(*parser.Key)) { at(add, far, 10_001); at(add, far+hour, 12_000) }, "hours 2024-02-22T22:00Z to 2024-02-22T23:00Z",
			"22,001 keys expire in neighbouring hours, up to 12,000 in one, over 10,000"},
		{func(add func(*parser.Key)) {
			at(add, (created+86_400)*1000, 20_000)
			at(add, (created+86_460)*1000, 10_001)
		}, "minutes 2023-11-15T22:13Z to 2023-11-15T22:14Z",
			"30,001 keys expire in neighbouring minutes, up to 20,000 in one, over 10,000"},
	} {
		for _, parts := range []int{1 << 30, 9_999} {
			s := &snapshotCase{profile: "default", keys: c.keys}
			list, _ := runInstance(t, s, parts)
			if len(list) != 1 || SubjectText(list[0].Subject) != c.subject {
				t.Errorf("%+v, want %s", list, c.subject)
				continue
			}
			if got := mustLoad(t, LoadOptions{}).Compile(testEnv()).InstanceText(list[0]).String(); got != c.text {
				t.Errorf("%s: %q, want %q", c.subject, got, c.text)
			}
		}
	}
}

// TestTextsOfLowFigures checks the words for figures that may be too low, and for one.
func TestTextsOfLowFigures(t *testing.T) {
	e := mustLoad(t, LoadOptions{Profile: "aliyun"}).Compile(testEnv())
	for rule, want := range map[string]string{
		"multiple-databases": "at least 1,024 databases with keys", "mixed-business": "at least 1,024 first segments, over 10",
		"hashtag-skew": "at least 5 MB, 10.24% of the memory, over 0.1%",
	} {
		r, _ := Lookup(rule)
		f := InstanceFinding{Finding: Finding{Rule: r.ID, Severity: Warning, Measured: 1024, Limit: 10, note: noteAtLeast}, Bytes: 5 << 20}
		if got := e.InstanceText(f).String(); got != want {
			t.Errorf("%s: %q, want %q", rule, got, want)
		}
	}
}

// TestTextsOfLargeText checks the words for each kind of text, in a string and in the
// largest element of a collection.
func TestTextsOfLargeText(t *testing.T) {
	for head, kind := range map[string]string{`{"a": 1`: "JSON", "<?xml version": "XML", "<html>": "XML", "<a/>": "XML", "<Z>": "XML", "<`": "text", "<{": "text", "<@": "text", "Once upon a time": "text", "[1, 2": "JSON", "<3 you": "text", "{not json": "text", " \t\n [ ]": "JSON"} {
		if got, _ := adviceOn(t, testEnv(), LoadOptions{}, "large-text", key("a:b", with(str(102_401), func(k *parser.Key) { k.Head = []byte(head) }))); got != kind+" of 102,401 bytes, over 100 KB" {
			t.Errorf("%q: %q", head, got)
		}
		k := key("a:b", with(collection(parser.Set, parser.EncHashtable, 3), elementHead(4097, head)))
		if got, _ := adviceOn(t, testEnv(), LoadOptions{Profile: "baidu"}, "large-text", k); got != kind+" of 4,097 bytes in the largest element, over 4 KB" {
			t.Errorf("%q in a set: %q", head, got)
		}
	}
	for _, head := range []string{"\x1f\x8b\x08", "\x28\xb5\x2f\xfd", "abc\x00def", "\xff\xfe", "ab\x7f"} {
		k := key("a:b", with(str(102_401), func(k *parser.Key) { k.Head = []byte(head) }))
		if f := found(t, mustLoad(t, LoadOptions{}).Compile(testEnv()), "large-text", k); f.Severity != Off {
			t.Errorf("%q is taken for text", head)
		}
	}
}

func elementHead(n int64, head string) func(*parser.Key) {
	return func(k *parser.Key) {
		k.ValueBytes, k.Largest, k.Longest, k.LongestValue, k.Head = 2*n, n, n, n, []byte(head)
	}
}

// TestRenameAcrossSlots checks that RENAMENX is not advised where it would move a key
// to another slot of a cluster.
func TestRenameAcrossSlots(t *testing.T) {
	env := testEnv()
	env.Cluster = true
	for name, want := range map[string]string{"m:x:1": "RENAMENX cannot move it to another slot", "{m}:x:1": "\n  RENAMENX \"{m}:x:1\" \"{m}:x:1:string\""} {
		_, lines := adviceOn(t, env, LoadOptions{Config: writeConfig(t, "extends: typed\nrules: {key-charset: off}")}, "key-type-suffix", key(name, nil))
		if all := strings.Join(lines, "\n"); !strings.Contains(all, want) || strings.Count(all, "RENAMENX") != strings.Count(want, "RENAMENX") && !strings.HasPrefix(want, "\n") {
			t.Errorf("%s: %s", name, all)
		}
	}
}

// TestCompactAdvice checks that the advice on a full encoding is about the limits that
// were passed, by the names that the server's settings have.
func TestCompactAdvice(t *testing.T) {
	const keep, shorten, restart = "Keep it at ", "Shorten the longest string to ", "It is within the limits now: "
	hash := func(n, longest int64) *parser.Key {
		return key("a:b", with(collection(parser.Hash, parser.EncHashtable, n), func(k *parser.Key) { k.Longest = longest }))
	}
	for _, c := range []struct {
		version  string
		key      *parser.Key
		want     []string // all others of the three must be missing
		settings []string
	}{
		{"7.0.15", hash(3, 10), []string{restart}, nil},
		{"7.0.15", hash(513, 10), []string{keep + "512 elements or fewer, or split it into 2 keys."}, []string{"hash-max-listpack-entries"}},
		{"7.0.15", hash(3, 65), []string{shorten + "64 B"}, []string{"hash-max-listpack-value"}},
		{"6.2.14", hash(600, 65), []string{keep + "512", shorten + "64 B"}, []string{"hash-max-ziplist-entries", "hash-max-ziplist-value"}},
		{"8.0.2", key("a:b", collection(parser.Set, parser.EncHashtable, 129)), []string{keep + "128"}, []string{"set-max-listpack-entries"}},
		{"6.2.14", key("a:b", with(collection(parser.Set, parser.EncHashtable, 513), func(k *parser.Key) { k.Integers = true })), []string{keep + "512"}, []string{"set-max-intset-entries"}},
	} {
		env := testEnv()
		env.Version = c.version
		_, lines := adviceOn(t, env, LoadOptions{}, "compact-encoding", c.key)
		all := strings.Join(lines, "\n")
		has(t, lines, append(c.want, c.settings...)...)
		for _, other := range []string{keep, shorten, restart} {
			if strings.Contains(all, other) != strings.Contains(strings.Join(c.want, ""), other) {
				t.Errorf("%s, %d elements: %s", c.version, c.key.Elements, all)
			}
		}
	}
}
