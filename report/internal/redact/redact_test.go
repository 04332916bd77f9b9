package redact

import (
	"regexp"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

var hashes = regexp.MustCompile(`h[0-9a-f]{12}`)

func TestNames(t *testing.T) {
	patterns := map[string]int64{"user:*:profile": 100, "order*:v*": 250, "{*}.tail": 100, "few:*": 99, "rare:*:profile": 99, "single": 500, "a b:*": 100}
	r := New("salt", 100)
	r = r.Learn(naming.NewNamer(":"), 1, func(yield func([]byte, int64) bool) {
		for p, n := range patterns {
			yield([]byte(p), n)
		}
	})
	for name, want := range map[string]string{
		"":                                  "",
		"user:10086:profile":                "user:#:profile",
		"user:*:profile":                    "user:*:profile",
		"profile:user":                      "profile:user",
		"User:profile":                      "#:profile",
		"order20261122:v7:x":                "order#:v#:#",
		"order*:x*":                         "order*:#*",
		"few:1":                             "#:#",
		"rare:1:profile":                    "#:#:profile", // 199 keys have profile
		"single":                            "#",           // a name, however many keys have it
		"{user:7:profile}.tail":             "{user:#:profile}.tail",
		"{user}:{profile}":                  "{user}:{profile}",
		"a b:c":                             "a b:#",
		"::user::":                          "::user::",
		"9f86d081884c7d65:user":             "#:user",
		"\x00\xff:user":                     "#:user",
		strings.Repeat("user:", 40):         strings.Repeat("user:", maxSegments) + "#",
		"user:" + strings.Repeat("x", 9000): "user:#",
	} {
		got := string(r.Name([]byte(name)))
		if shape := hashes.ReplaceAllString(got, "#"); shape != want {
			t.Errorf("%.40q is %q, want %q", name, got, want)
		}
	}
}

// TestSnapshots checks that a key which is in each of several snapshots counts once.
func TestSnapshots(t *testing.T) {
	r := New("salt", 100)
	r = r.Learn(naming.NewNamer(":"), 3, func(yield func([]byte, int64) bool) { yield([]byte("alice:*"), 299) })
	if got := string(r.Name([]byte("alice:1"))); strings.Contains(got, "alice") {
		t.Error(got)
	}
}

// TestCutNames checks that names are told apart by what was cut from them, and that
// lists which retain different parts of a name have one hash of it.
func TestCutNames(t *testing.T) {
	r := New("salt", 0)
	key := func(n int, end string) *parser.Key {
		name := []byte(strings.Repeat("x", n) + end)
		return &parser.Key{Name: name, NameLen: int64(len(name))}
	}
	a, b := key(3000, "a"), key(3000, "b")
	if string(r.KeyName(a)) == string(r.KeyName(b)) {
		t.Error("two long names have one hash")
	}
	for _, most := range []int{maxName, 1000} {
		name, hash := a.CutName(most)
		if cut := (&parser.Key{Name: name, NameLen: a.NameLen, NameHash: hash}); string(r.KeyName(cut)) != string(r.KeyName(a)) {
			t.Errorf("cut to %d bytes it has another hash", most)
		}
	}
}

// TestMessages checks what of a message is replaced: names, elements, paths and sentences of
// others, also in code and in messages within it, and nothing else.
func TestMessages(t *testing.T) {
	r := New("salt", 0)
	m := message.New("{key} {element} {file} {stdin} {reason} {text} {code} {n}: {list}", message.Name("key", "a:secret"), message.Element("element", "secret"),
		message.Path("file", "secret"), message.Path("stdin", "-"), message.Foreign("reason", "secret text"), message.Text("text", "ours"),
		message.Phrase("code", message.New("GET {key}", message.Name("key", "secret"))), message.Int("n", 7),
		message.List("list", ", ", []message.Message{message.New("{name}", message.Name("name", "secret"))}))
	if got := hashes.ReplaceAllString(r.Message(m).String(), "#"); got != "#:# # # - # ours GET # 7: #" {
		t.Error(got)
	}
	if !strings.Contains(m.String(), "a:secret") {
		t.Error("the message was changed")
	}
	for version, want := range map[string]string{"7.0.15": "7.0.15", "7.2.4-acme": "7.2.4-#", "acme": "#", "": ""} {
		if got := hashes.ReplaceAllString(r.Release(version), "#"); got != want {
			t.Errorf("%q is %q, want %q", version, got, want)
		}
	}
	for path, same := range map[string]bool{"-": true, "a": false, "": true} {
		if got := r.File(path); (got == path) != same {
			t.Errorf("%q is %q", path, got)
		}
	}
	if New("", 100).SaltID() != "" || New("a", 100).SaltID() == New("b", 100).SaltID() {
		t.Error("the salt is not identified")
	}
}

// TestLearn checks which words stay: those of the patterns of at least so many distinct
// keys, a key of several snapshots being one.
func TestLearn(t *testing.T) {
	for _, c := range []struct {
		minKeys, keys int64
		snapshots     int
		pattern       string
		stays         bool
	}{{100, 100, 1, "user:*", true}, {100, 99, 1, "user:*", false}, {100, 299, 3, "user:*", false}, {100, 300, 3, "user:*", true}, {100, 100, 0, "user:*", true}, {100, 500, 1, "user:x", false}, {1, 500, 1, "user:x", true}, {0, 500, 1, "user:*", false},
		{100, 100, 1, "user:*:user", true}, {150, 100, 1, "user:*:user", false}} {
		r := New("salt", c.minKeys)
		before := string(r.Name([]byte("user:17")))
		unlearned := r
		r = r.Learn(naming.NewNamer(":"), c.snapshots, func(yield func([]byte, int64) bool) { yield([]byte(c.pattern), c.keys) })
		if string(unlearned.Name([]byte("user:17"))) != before {
			t.Error("the redactor that learned was changed")
		}
		if words := r.Words(); (len(words) > 0) != (c.stays || c.pattern == "user:x" && c.minKeys == 1) || c.stays && words[0] != "user" {
			t.Errorf("%+v: words %q", c, words)
		}
		got := string(r.Name([]byte("user:17")))
		if strings.HasPrefix(got, "user:") != c.stays || !strings.Contains(got, ":") || strings.HasSuffix(got, "17") {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
