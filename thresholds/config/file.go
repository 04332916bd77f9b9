package config

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/naming"
	"github.com/rdblens/rdblens/thresholds/units"
)

// file is what a configuration or a profile says.
type file struct {
	title, source string // of a profile

	extends       thresholds.Text
	separators    thresholds.Text
	cluster       *thresholds.Switch
	hashTags      *thresholds.Switch
	edits         edits
	ignores       []thresholds.Ignore
	overrides     []thresholds.Override
	namespaces    []thresholds.Namespace
	abbreviations []thresholds.Abbreviation
}

// forms are the shapes of configurations and profiles.
type forms struct {
	config, profile shape[file]
	definitions     object // of the JSON Schema of configurations
}

var describe = sync.OnceValue(func() (f forms) {
	f.definitions = object{
		"off":      anyOf(object{"enum": []any{"off", false}}, words(wordsOff...)),
		"switch":   anyOf(object{"type": "boolean"}, words(append(append([]string(nil), wordsOn...), wordsOff...)...)),
		"severity": words(append([]string{"off"}, severities...)...),
	}
	for u := units.Bytes; u <= units.Percent; u++ {
		f.definitions[u.String()] = unitSchema(u)
	}
	separators := to("separators", separatorsShape(), func(f *file, v thresholds.Text) { f.separators = v })
	rules := to("rules", rulesShape(false).with("description", "changes to the rules of the profile"), func(f *file, v edits) { f.edits = v })
	f.profile = record[file]{what: "the profile", fields: []field[file]{separators, rules,
		to("title", text("title", ""), func(f *file, v string) { f.title = v }),
		to("source", text("source", ""), func(f *file, v string) { f.source = v }),
	}}.shape()
	f.config = record[file]{what: "the configuration", fields: []field[file]{separators, rules,
		to("extends", extendsShape(), func(f *file, v thresholds.Text) { f.extends = v }),
		to("cluster", flag("cluster", "true: snapshots come from cluster nodes, whatever they show"), func(f *file, v thresholds.Switch) { f.cluster = &v }),
		to("hashtags", flag("hashtags", "false: a proxy treats {...} as an ordinary part of names").with("default", true),
			func(f *file, v thresholds.Switch) { f.hashTags = &v }),
		to("ignore", listOf("ignore", ignoreShape().defined(f.definitions, "ignore"), nil).with("description", "findings that are excluded from the counts"),
			func(f *file, v []thresholds.Ignore) { f.ignores = v }),
		to("overrides", listOf("overrides", overrideShape().defined(f.definitions, "override"), fewOverrides).with("description",
			"settings for the keys that match a pattern; of several that match, the last one that sets something decides it"),
			func(f *file, v []thresholds.Override) { f.overrides = v }),
		to("namespaces", namespacesShape(), func(f *file, v []thresholds.Namespace) { f.namespaces = v }),
		to("abbreviations", abbreviationsShape(), func(f *file, v []thresholds.Abbreviation) { f.abbreviations = v }),
	}}.shape()
	f.config.schema = orNull(f.config.schema)
	return f
})

// Schema returns the JSON Schema (draft 2020-12) of configurations, for editors. It
// accepts what Load accepts, except where no schema can tell: whether a date
// exists, whether a range of characters is empty, whether a glob matches a rule, and
// how many overrides have rules.
func Schema() []byte {
	f := describe()
	root := with(f.config.schema, "$schema", "https://json-schema.org/draft/2020-12/schema", "title", "rdblens configuration", "$defs", f.definitions)
	out, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		panic(err) // there are only maps, lists, texts and numbers
	}
	return append(out, '\n')
}

// read reads a configuration or a profile. The result is valid if r.errs is empty.
func (r *reader) read(of shape[file]) (f file) {
	if n := r.parse(); n != nil {
		f, _ = of.read(r, n)
	}
	return f
}

func extendsShape() shape[thresholds.Text] {
	s := located(text("extends", "")).that(func(r *reader, n ast.Node, v *thresholds.Text) bool {
		return isProfile(v.Value) || r.refuse(n, thresholds.Suggest(v.Value, profileNames), "unknown profile %q", v.Value)
	})
	s.schema = object{"description": "the profile to start from", "enum": profileNames, "default": thresholds.DefaultProfile}
	return s
}

// refuse reports a problem at a node and returns false.
func (r *reader) refuse(n ast.Node, hint, format string, args ...any) bool {
	r.at(n.GetToken(), hint, format, args...)
	return false
}

// Separators are any ASCII punctuation except braces, which are for hash tags. A
// namespace contains no stars and brackets, and at least one character that cannot
// be a separator.
const (
	separatorsPattern = "^[!-/:-@\\[-`|~]+$"
	namespacePattern  = "^[^*?\\[]*[^\\x00-/:-@\\[-`|~\\x7f][^*?\\[]*$"
)

var (
	matchesSeparators = regexp.MustCompile(separatorsPattern).MatchString
	matchesNamespace  = regexp.MustCompile(namespacePattern).MatchString
)

func separatorsShape() shape[thresholds.Text] {
	s := located(text("separators", "")).that(func(r *reader, n ast.Node, v *thresholds.Text) bool {
		return matchesSeparators(v.Value) || r.refuse(n, `write ":" or ":#_"`, "separators must be ASCII punctuation, not %q", v.Value)
	})
	s.schema = object{"description": "the characters between the segments of names", "type": "string", "pattern": separatorsPattern}
	return s
}

// keysShape is one key pattern or several.
func keysShape(description string) shape[[]*naming.Glob] {
	pattern := text("a key pattern", "glob").with("minLength", 1, "pattern", `\S`)
	return shape[[]*naming.Glob]{with(oneOrMore(pattern.schema), "description", description), func(r *reader, n ast.Node) (globs []*naming.Glob, ok bool) {
		entries := list(n)
		if len(entries) == 0 {
			r.at(n.GetToken(), `write "*" for all keys`, "key needs a pattern")
		}
		for _, entry := range entries {
			text, ok := pattern.read(r, entry)
			if !ok {
				continue
			}
			g, err := naming.ParseGlob(text)
			if err == nil && strings.TrimSpace(text) == "" {
				err = errors.New("blank")
			}
			if err != nil {
				r.at(entry.GetToken(), `write "*" for all keys`, "key pattern: %v", err)
			}
			globs = append(globs, g)
		}
		return globs, true
	}}
}

func ignoreShape() shape[thresholds.Ignore] {
	type entry = thresholds.Ignore
	names := append([]string{"all"}, thresholds.RuleNames()...)
	rule := text("a rule", "")
	rule.schema = anyOf(object{"enum": names}, object{"type": "string", "pattern": `[*?\[\\]`})
	rules := shape[[]string]{with(oneOrMore(rule.schema), "description", "rule, or glob over rules, or several"), rule.that(func(r *reader, n ast.Node, name *string) bool {
		if _, err := thresholds.MatchRules(*name); err != nil {
			return r.refuse(n, hintOf(err), "%v", err)
		}
		return true
	}).readAll}
	until := shape[time.Time]{object{"description": "last day on which the entry applies", "type": "string",
		"pattern": `^[0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|[12][0-9]))$`},
		func(r *reader, n ast.Node) (day time.Time, ok bool) {
			text, ok := r.scalar(n, "until")
			if !ok {
				return day, false
			}
			day, err := time.Parse(time.DateOnly, text)
			if err != nil {
				r.at(n.GetToken(), "write 2027-01-31: the last day on which the entry applies", "%q is not a date", text)
			}
			return day, err == nil
		}}
	s := record[entry]{what: "an entry of ignore", fields: []field[entry]{
		to("rule", rules, func(e *entry, names []string) {
			e.Names = names
			for _, name := range names {
				set, _ := thresholds.MatchRules(name)
				e.Rules |= set
			}
		}),
		to("key", keysShape("glob, as KEYS takes it, or several; without it any key, and the instance"), func(e *entry, v []*naming.Glob) { e.Keys = v }),
		to("reason", text("reason", "why these findings are acceptable").with("pattern", `\S`), func(e *entry, v string) { e.Reason = v }),
		to("until", until, func(e *entry, day time.Time) { e.Until = day.AddDate(0, 0, 1) }),
	}}.shape().with("required", []string{"rule", "reason"})
	return s.that(func(r *reader, n ast.Node, e *entry) bool {
		at, before := firstKey(n), len(r.errs)
		e.Origin = r.origin(at)
		if e.Rules == 0 {
			r.at(at.GetToken(), `write rule: "*" for all rules`, "an entry of ignore needs a rule")
		}
		if strings.TrimSpace(e.Reason) == "" {
			r.at(at.GetToken(), "write reason: why these findings are acceptable", "an entry of ignore needs a reason")
		}
		return len(r.errs) == before
	})
}

func overrideShape() shape[thresholds.Override] {
	type entry = thresholds.Override
	owner := located(text("owner", "the team that these keys belong to").with("minLength", 1)).that(func(r *reader, n ast.Node, v *thresholds.Text) bool {
		return v.Value != "" || r.refuse(n, "omit owner", "owner must not be empty")
	})
	s := record[entry]{what: "an entry of overrides", fields: []field[entry]{
		to("key", keysShape("glob, as KEYS takes it, or several"), func(e *entry, v []*naming.Glob) { e.Keys = v }),
		to("owner", owner, func(e *entry, v thresholds.Text) { e.Owner = v }),
		to("rules", rulesShape(true), func(e *entry, v edits) { e.Edits = v }),
	}}.shape().with("required", []string{"key"}, "anyOf", []any{object{"required": []string{"owner"}},
		object{"required": []string{"rules"}, "properties": object{"rules": object{"type": "object", "minProperties": 1}}}})
	return s.that(func(r *reader, n ast.Node, e *entry) bool {
		at, before := firstKey(n), len(r.errs)
		e.Origin = r.origin(at)
		if len(e.Keys) == 0 {
			r.at(at.GetToken(), `write key: "feed:*"`, "an entry of overrides needs a key pattern")
		}
		if e.Owner.Value == "" && !hasRules(n) {
			r.at(at.GetToken(), "add an owner, or rules", "an entry of overrides changes nothing")
		}
		return len(r.errs) == before
	})
}

// hasRules reports whether an override names a rule, even one that it leaves as it
// is, as no-ttl: {} does.
func hasRules(n ast.Node) bool {
	override, _ := plain(n).(*ast.MappingNode)
	return override != nil && slices.ContainsFunc(override.Values, func(entry *ast.MappingValueNode) bool {
		rules, ok := plain(entry.Value).(*ast.MappingNode)
		return ok && len(rules.Values) > 0
	})
}

// fewOverrides refuses overrides with rules beyond thresholds.MaxOverrides.
func fewOverrides(r *reader, n ast.Node, before []thresholds.Override, next *thresholds.Override) bool {
	if len(next.Edits) == 0 {
		return true
	}
	ruled := 0
	for _, o := range before {
		if len(o.Edits) > 0 {
			ruled++
		}
	}
	return ruled < thresholds.MaxOverrides ||
		r.refuse(firstKey(n), "list several patterns in one entry", "more than %d overrides with rules", thresholds.MaxOverrides)
}

// namespacesShape is a list of names, or a mapping of names to owners.
func namespacesShape() shape[[]thresholds.Namespace] {
	name := text("a namespace", "namespace").with("pattern", namespacePattern).that(func(r *reader, n ast.Node, v *string) bool {
		switch {
		case strings.ContainsAny(*v, "*?["):
			return r.refuse(n, "patterns belong under overrides", "a namespace is a plain word, not %q", *v)
		case !matchesNamespace(*v):
			return r.refuse(n, "write the first segment of names, such as user", "a namespace is a word, not %q", *v)
		}
		return true
	})
	owner := text("owner", "owner")
	owned := record[string]{what: "a namespace", fields: []field[string]{to("owner", owner, func(into *string, v string) { *into = v })}}.shape()
	return shape[[]thresholds.Namespace]{with(anyOf(
		object{"type": "array", "maxItems": maxEntries, "items": name.schema},
		object{"type": "object", "maxProperties": maxEntries, "propertyNames": object{"pattern": namespacePattern},
			"additionalProperties": anyOf(owner.schema, owned.schema, object{"type": "null"})},
		object{"type": "null"},
	), "description", "first segments that names may begin with, and their owners; a separator at the end is ignored"),
		func(r *reader, n ast.Node) (all []thresholds.Namespace, ok bool) {
			add := func(n ast.Node, owner string) {
				if word, ok := name.read(r, n); ok {
					all = append(all, thresholds.Namespace{Name: word, Owner: owner, Origin: r.origin(n)})
				}
			}
			if _, ok := plain(n).(*ast.SequenceNode); ok {
				for _, entry := range atMost(r, "namespaces", list(n)) {
					add(entry, "")
				}
				return all, true
			}
			entries, ok := r.mapping(n, "namespaces")
			for _, entry := range atMost(r, "namespaces", entries) {
				by := ""
				switch plain(entry.Value).(type) {
				case *ast.NullNode:
				case *ast.MappingNode:
					by, _ = owned.read(r, entry.Value)
				default:
					by, _ = owner.read(r, entry.Value)
				}
				add(entry.Key, by)
			}
			return all, ok
		}}
}

func abbreviationsShape() shape[[]thresholds.Abbreviation] {
	short := text("a short form", "short form").with("minLength", 1)
	return shape[[]thresholds.Abbreviation]{object{"description": "words that have an agreed short form: economic: ec", "type": []string{"object", "null"}, "maxProperties": maxEntries,
		"propertyNames": object{"pattern": `^\s*[A-Za-z]+(\s+[A-Za-z]+)*\s*$`}, "additionalProperties": short.schema},
		func(r *reader, n ast.Node) (all []thresholds.Abbreviation, ok bool) {
			entries, ok := r.mapping(n, "abbreviations")
			for _, entry := range atMost(r, "abbreviations", entries) {
				long, ok := r.scalar(entry.Key, "a name")
				if !ok {
					continue
				}
				brief, ok := short.read(r, entry.Value)
				switch words := strings.Fields(long); {
				case !ok:
				case slices.ContainsFunc(words, func(w string) bool { return !isLetters(w) }):
					r.at(entry.Key.GetToken(), "write words of a-z, separated by spaces", "%q: an abbreviation is of words of letters", long)
				case len(words) == 0 || brief == "":
					r.at(entry.Key.GetToken(), "write economic: ec", "an abbreviation needs a word and its short form")
				default:
					all = append(all, thresholds.Abbreviation{Long: long, Short: brief, Origin: r.origin(entry.Key)})
				}
			}
			return all, ok
		}}
}

var isLetters = regexp.MustCompile("^[A-Za-z]+$").MatchString
