package thresholds

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rdblens/rdblens/parser"
)

// The conventions on names as regular expressions: slow, and written another
// way than the rules.
var (
	specialNames  = regexp.MustCompile("[\\s'\"`\\\\\\x00-\\x1f\\x7f\u00a0\u0085\u3000]")
	uuids         = regexp.MustCompile(`\b[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}\b`)
	betweenDigits = regexp.MustCompile(`([0-9])[-.+=]([0-9])`)
	operators     = regexp.MustCompile(`[-.+=]`)
	typedNames    = regexp.MustCompile(`^[a-z][a-z0-9.:]*$`)
	upperNames    = regexp.MustCompile(`^[A-Z0-9:]*$`)
	braced        = regexp.MustCompile(`(?s)\{.*\}`)
)

var nameExpectations = map[string]func(profile string, a about, k *parser.Key) Severity{
	"key-special-char": func(p string, a about, k *parser.Key) Severity {
		if !utf8.ValidString(a.name) || specialNames.MatchString(a.name) {
			return Error
		}
		return Off
	},
	"key-charset": func(p string, a about, k *parser.Key) Severity {
		switch p {
		case "baidu":
			name := uuids.ReplaceAllString(a.name, "")
			for range 2 { // 1-2-3: each digit ends one match
				name = betweenDigits.ReplaceAllString(name, "$1$2")
			}
			if operators.MatchString(name) {
				return Info
			}
		case "typed":
			if !typedNames.MatchString(a.name) {
				return Error
			}
		case "upper":
			if !upperNames.MatchString(a.name) {
				return Info
			}
		}
		return Off
	},
	"key-length": func(p string, a about, k *parser.Key) Severity {
		switch n := len(a.name); {
		case n > 128:
			return by(p, "wiwwi")
		case n > 30:
			return by(p, "--i-i")
		case n < 3:
			return by(p, "----i")
		}
		return Off
	},
	"key-structure": func(p string, a about, k *parser.Key) Severity {
		segments := segmentsUnder(p, a.name)
		least := map[string]int{"default": 2, "aliyun": 2, "baidu": 2, "typed": 3, "upper": 4}[p]
		if also := strings.Split(strings.Trim(strings.ReplaceAll(a.name, "#", ":"), "_"), "_"); (p == "default" || p == "baidu") && len(also) >= least {
			return Off
		}
		if len(segments) < least {
			return by(p, "wiwew")
		}
		return Off
	},
	"key-empty-segment": func(p string, a about, k *parser.Key) Severity {
		if slices.Contains(segmentsUnder(p, a.name), "") {
			return Info
		}
		return Off
	},
	"key-type-suffix": func(p string, a about, k *parser.Key) Severity {
		if a.words[len(a.words)-1] != k.Type.String() {
			return by(p, "---e-")
		}
		return Off
	},
	"key-hashtag": func(p string, a about, k *parser.Key) Severity {
		if !braced.MatchString(a.name) {
			return Off
		}
		if strings.HasPrefix(a.file, "cluster") {
			return by(p, "--w--")
		}
		return by(p, "--i--")
	},
	"key-namespace":    func(p string, a about, k *parser.Key) Severity { return Off }, // no lists
	"key-abbreviation": func(p string, a about, k *parser.Key) Severity { return Off },
}

func init() {
	for name, want := range nameExpectations {
		expectations[name] = want
	}
}

// TestNamesOnServersKeys names the keys of names.rdb that must be found, so that
// the expressions above are right as well.
func TestNamesOnServersKeys(t *testing.T) {
	for _, c := range []struct {
		profile, rule string
		found, clean  []string
	}{
		{"default", "key-special-char", []string{"special:a b", "special:tab\t", "special:line\n", "special:nbsp\u00a0x", "special:it's", `special:"x"`, "special:`x`", `special:a\b`, "special:\x00",
			"special:\x7f", "special:\x1b[0m", "special:\xff", "special:\xe4\xb8", "\u5168\u89d2\u3000\u7a7a\u683c"},
			[]string{"special:\u4e2d\u6587", "special:caf\u00e9", "chars:a-b", "{tag}:x", "chars:a@b"}},
		{"baidu", "key-charset", []string{"chars:a-b", "chars:a.b", "chars:a+b", "chars:a=b", "chars:1-b", "chars:a-1", "v1.x:y"},
			[]string{"chars:1-2", "chars:1.2", "chars:2024-05-01", "chars:v1.2.3", "2020-08-29:x", "v1.2:x", "app:v2.0:user", "video_info#olympic#2020-08-29#1", "chars:a_b", "chars:a#b"}},
		{"typed", "key-charset", []string{"chars:A", "1chars:x", "_chars:x", "Chars:x:y", "chars:a_b", "chars:a-b", "chars:a#b", "{tag}:x", ":a:b", "special:\u4e2d\u6587", "1user:1:string"},
			[]string{"chars:a.b", "chars:1.2", "user:basic.info:1001:string", "app:v2.0:user", "a:b"}},
		{"upper", "key-charset", []string{"chars:A", "chars:a.b", "User:1", "video_info#olympic#2020-08-29#1"}, []string{"CHARS:A:B:C", "PRO:USER:UID:18", "SHOP:ORDER:ID:1", "::"}},
		{"typed", "key-structure", []string{"single", "a:b"}, []string{"a:b:", "a::b", "a:b:c", "user:basic.info:1001:string"}},
		{"upper", "key-structure", []string{"PRO:USER:18", "a:b:c"}, []string{"a:b:c:", "PRO:USER:UID:18", "a:b:c:d"}},
		{"baidu", "key-structure", []string{"single"}, []string{":a:b", "::", "a:b", "a#b", "a_b", "video_info#olympic#2020-08-29#1"}},
		{"aliyun", "key-structure", []string{"single", "a#b", "a_b"}, []string{"a:b", "user::1"}},
		{"aliyun", "key-empty-segment", []string{"user::1", ":a:b", "::", "a:b:"}, []string{"a:b", "a#b", "single"}},
		{"typed", "key-type-suffix", []string{"suffix:hash.value:string", "suffix:string.value:str", "suffix:zset.value:sorted", "user:1"},
			[]string{"suffix:hash.value:hash", "suffix:zset.value:zset", "suffix:stream.value:stream", "suffix:string.value:string", "user:basic.info:1001:string"}},
		{"baidu", "key-hashtag", []string{"{tag}:x", "x:{tag}", "{a}{b}:c", "{{a}}:b", "a{}b", "x:{}"}, []string{"x{y", "x}y{z", "a{b"}},
	} {
		p := mustLoad(t, LoadOptions{Profile: c.profile})
		seen := map[string]bool{}
		readSnapshot(t, "names.rdb", p, func(e *Engine, k *parser.Key) {
			name := string(k.Name)
			seen[name] = true
			hit := found(t, e, c.rule, k).Severity != Off
			if slices.Contains(c.found, name) && !hit || slices.Contains(c.clean, name) && hit {
				t.Errorf("%s under %s: %q: found %v", c.rule, c.profile, name, hit)
			}
		})
		for _, name := range append(c.found, c.clean...) {
			if !seen[name] && name != "user:1" {
				t.Errorf("names.rdb has no %q", name)
			}
		}
	}
}

// TestNamesOfEveryLength: 2, 3, 30, 31, 128 and 129 bytes are in names.rdb.
func TestNamesOfEveryLength(t *testing.T) {
	p := mustLoad(t, LoadOptions{Profile: "baidu"})
	got := map[int]Severity{}
	readSnapshot(t, "names.rdb", p, func(e *Engine, k *parser.Key) { got[len(k.Name)] = found(t, e, "key-length", k).Severity })
	for n, want := range map[int]Severity{2: Off, 3: Off, 29: Off, 30: Off, 31: Info, 127: Info, 128: Info, 129: Warning, 300: Warning} {
		if s, ok := got[n]; !ok || s != want {
			t.Errorf("%d bytes: %s (there: %v), want %s", n, s, ok, want)
		}
	}
}

// TestListsOnServersKeys: rules that speak only where a team has a list.
func TestListsOnServersKeys(t *testing.T) {
	p := mustLoad(t, LoadOptions{Config: writeConfig(t, "namespaces: [user, app, 'report:2024-05-01']\nabbreviations: {economic: ec}")})
	want := map[string][2]Severity{ // namespace, abbreviation
		"user:economic:y": {Off, Info}, "economic:x:y": {Error, Info}, "user": {Off, Off}, "app:v1:user": {Off, Off}, "user::1": {Off, Off},
		"report:2024-05-01:eu": {Off, Off}, "report:20240501:eu": {Error, Off}, "User:1": {Error, Off}, "1user:1:string": {Error, Off}, "user 1": {Error, Off},
	}
	readSnapshot(t, "names.rdb", p, func(e *Engine, k *parser.Key) {
		w, ok := want[string(k.Name)]
		if !ok {
			return
		}
		delete(want, string(k.Name))
		if got := [2]Severity{found(t, e, "key-namespace", k).Severity, found(t, e, "key-abbreviation", k).Severity}; got != w {
			t.Errorf("%q: %v, want %v", k.Name, got, w)
		}
	})
	if len(want) > 0 {
		t.Errorf("not in names.rdb: %v", want)
	}
}

// segmentsUnder returns the segments of a name under a profile.
func segmentsUnder(profile, name string) []string {
	separators := map[string]string{"default": ":#", "baidu": ":#"}[profile]
	return strings.Split(strings.Map(func(r rune) rune {
		if strings.ContainsRune(separators, r) {
			return ':'
		}
		return r
	}, name), ":")
}
