package config

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml/ast"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/naming"
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
	namespaces    namespaces
	budgets       []thresholds.Budget
	abbreviations []thresholds.Abbreviation
	identities    []thresholds.IdentityEntry
	nightly       thresholds.Nightly
	codeDirs      []thresholds.Text
	sourceURL     thresholds.Text

	maxDownload *thresholds.Amount
}

// The shapes of files, and of what several of them have. Each is made when it is
// needed first.
var (
	ignores   = sync.OnceValue(ignoreShape)
	overrides = sync.OnceValue(overrideShape)
	budgets   = sync.OnceValue(budgetShape)
	identity  = sync.OnceValue(identityShape)

	// settingFields are the fields of profiles and configurations.
	settingFields = sync.OnceValue(func() []field[file] {
		return []field[file]{
			to("separators", separatorsShape(), func(f *file, v thresholds.Text) { f.separators = v }),
			to("rules", rulesShape(false).with("description", "changes to the rules of the profile"),
				func(f *file, v edits) { f.edits = v }),
		}
	})
	profileForm = sync.OnceValue(func() shape[file] {
		return record[file]{what: "the profile", fields: append(settingFields(),
			to("title", text("title", ""), func(f *file, v string) { f.title = v }),
			to("source", text("source", ""), func(f *file, v string) { f.source = v }),
		)}.shape()
	})
	baselineForm = sync.OnceValue(func() shape[file] {
		return record[file]{what: "the baseline", fields: []field[file]{ignoreField()}}.shape()
	})
	configForm = sync.OnceValue(func() shape[file] {
		form := record[file]{what: "the configuration", fields: append(settingFields(),
			to("extends", extendsShape(), func(f *file, v thresholds.Text) { f.extends = v }),
			to("cluster", flag("cluster", "true: snapshots come from cluster nodes, whatever they show"),
				func(f *file, v thresholds.Switch) { f.cluster = &v }),
			to("hashtags", flag("hashtags", "false: a proxy treats {...} as an ordinary part of names").with("default", true),
				func(f *file, v thresholds.Switch) { f.hashTags = &v }),
			ignoreField(),
			to("overrides", as(entries("overrides", overrides()).with("description",
				"settings for the keys that match a pattern; of several that match, the last one that sets something "+
					"decides it"), fewOverrides),
				func(f *file, v []thresholds.Override) { f.overrides = v }),
			to("budgets", budgetsShape(), func(f *file, v []thresholds.Budget) { f.budgets = v }),
			to("identities", entries("identities", identity()).with("description",
				"what keys are, where it is not recognised or wrong; the last entry that matches decides"),
				func(f *file, v []thresholds.IdentityEntry) { f.identities = v }),
			to("namespaces", namespacesShape(), func(f *file, v namespaces) { f.namespaces = v }),
			to("abbreviations", abbreviationsShape(), func(f *file, v []thresholds.Abbreviation) { f.abbreviations = v }),
			to("nightly", nightlyShape(), func(f *file, v thresholds.Nightly) { f.nightly = v }),
			to("source", codeDirsShape(), func(f *file, v []thresholds.Text) { f.codeDirs = v }),
			to("source_url", sourceURLShape(), func(f *file, v thresholds.Text) { f.sourceURL = v }),
			to("max_download", amount("max_download", message.Bytes, "bytes that are read of a URL at most"),
				func(f *file, v *thresholds.Amount) { f.maxDownload = v }),
		)}.shape()
		form.schema = form.schema.orNull()
		return form
	})
)

func ignoreField() field[file] {
	return to("ignore", entries("ignore", ignores()).with("description", "findings that are excluded from the counts"),
		func(f *file, v []thresholds.Ignore) { f.ignores = v })
}

// entries is a list of records that may be left blank. The schema of a record is
// among the definitions.
func entries[T any](name string, of shape[T]) shape[[]T] {
	of.schema = ref(name)
	s := listOf(name, of)
	s.schema = s.schema.orNull()
	return s
}

// Schema returns the JSON Schema (draft 2020-12) of configurations, for editors. It
// accepts what Load accepts, except where no schema can tell: whether a date
// exists, whether a range of characters is empty, whether a glob matches a rule, and
// how many overrides have rules.
func Schema() []byte {
	definitions := object{
		"off":        words(wordsOff, "not", object{"enum": []bool{true}}),
		"switch":     words(slices.Concat(wordsOn, wordsOff)),
		"severity":   words(slices.Concat([]string{"off"}, severities), "type", "string"),
		"setting":    words(slices.Concat([]string{"on", "off"}, severities, []string{"true", "yes", "false", "no"})),
		"ignore":     ignores().schema(),
		"overrides":  overrides().schema(),
		"budgets":    budgets().schema(),
		"identities": identity().schema(),
	}
	for u := message.Bytes; u <= message.Percent; u++ {
		definitions[u.String()] = unitSchema(u)
	}
	root := with(configForm().schema(), "$schema", "https://json-schema.org/draft/2020-12/schema", "title",
		"rdblens configuration", "$defs", definitions)
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
	s := as(text("extends", ""), func(r *reader, n ast.Node, name string) (string, bool) {
		return name, slices.Contains(profileNames, name) ||
			r.refuse(n, thresholds.Suggest(name, profileNames), "unknown profile {profile}", message.Element("profile", name))
	})
	s.schema = func() object {
		return object{"description": "the profile to start from", "enum": profileNames, "default": thresholds.DefaultProfile}
	}
	return as(s, located)
}

// Separators are any ASCII punctuation except braces, which are for hash tags. A
// namespace contains no brackets, and at least one character that cannot be a separator or
// a wildcard.
const (
	separatorsPattern = "^[!-/:-@\\[-`|~]+$"
	wildEndPattern    = "[*?][!-/:-@\\[-`|~]*$" // of a namespace, which must end with a word
	namespacePattern  = "^[^\\[]*[^\\x00-/:-@\\[-`|~\\x7f][^\\[]*$"
)

var (
	hasWildEnd        = matching(wildEndPattern)
	endsOpen          = matching("[!-/:-@\\[-`{-~]$")
	matchesSeparators = matching(separatorsPattern)
	matchesNamespace  = matching(namespacePattern)
	isLetters         = matching("^[A-Za-z]+$")
)

// matching returns a function that reports whether a text matches a pattern, which is compiled for the first one.
func matching(pattern string) func(string) bool {
	re := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
	return func(s string) bool { return re().MatchString(s) }
}

// CheckSeparators returns an error if a configuration cannot have these separators.
func CheckSeparators(v string) error {
	if !matchesSeparators(v) {
		return message.Errorf("separators must be ASCII punctuation, not {separators}", message.Element("separators", v))
	}
	return nil
}

func separatorsShape() shape[thresholds.Text] {
	s := as(text("separators", ""), func(r *reader, n ast.Node, v string) (string, bool) {
		return v, matchesSeparators(v) || r.refuse(n, message.New(`write ":" or ":#_"`),
			"separators must be ASCII punctuation, not {separators}", message.Element("separators", v))
	})
	s.schema = func() object {
		return object{"description": "the characters between the segments of names", "type": "string",
			"pattern": separatorsPattern, "errorMessage": `write ":" or ":#_"`}
	}
	return as(s, located)
}

func keysShape(description string) shape[[]*naming.Glob] {
	glob := as(text("a key pattern", "glob").with("minLength", 1, "pattern", `\S`, "errorMessage",
		`write "*" for all keys`), func(r *reader, n ast.Node, pattern string) (*naming.Glob, bool) {
		g, err := naming.ParseGlob(pattern)
		if err == nil && strings.TrimSpace(pattern) == "" {
			err = message.Errorf("blank")
		}
		return g, err == nil || r.refuse(n, message.New(`write "*" for all keys`), "key pattern: {reason}",
			message.Reason("reason", err))
	})
	s := listOf("key", glob)
	s.schema = listSchema(glob.schema, "minItems", 1).with("description", description)
	return as(s, func(r *reader, n ast.Node, globs []*naming.Glob) ([]*naming.Glob, bool) {
		return globs, len(list(n)) > 0 || r.refuse(n, message.New(`write "*" for all keys`), "key needs a pattern")
	})
}

func ownerShape(description string) shape[string] {
	return as(text("owner", description).with("minLength", 1), func(r *reader, n ast.Node, name string) (string, bool) {
		return name, name != "" || r.refuse(n, message.New("omit owner"), "owner must not be empty")
	})
}

func overrideShape() shape[thresholds.Override] {
	type entry struct {
		thresholds.Override
		reason, source thresholds.Text // of its rules that have none of their own
	}
	s := record[entry]{what: "an entry of overrides", fields: []field[entry]{
		to("key", keysShape("glob, as KEYS takes it, or several"), func(e *entry, v []*naming.Glob) { e.Keys = v }),
		to("owner", as(ownerShape("the team that these keys belong to"), located),
			func(e *entry, v thresholds.Text) { e.Owner = v }),
		to("rules", rulesShape(true), func(e *entry, v edits) { e.Edits = v }),
		to("reason", reasonShape("the sentence of the team's own standard that demands these settings"),
			func(e *entry, v thresholds.Text) { e.reason = v }),
		to("source", sourceShape(), func(e *entry, v thresholds.Text) { e.source = v }),
	}}.shape().with("required", []string{"key"}, "if", object{"not": object{"required": []string{"owner"}}}, "then",
		object{"required": []string{"rules"}, "properties": object{"rules": object{"type": "object", "minProperties": 1}}})
	return as(s, func(r *reader, n ast.Node, e entry) (thresholds.Override, bool) {
		at := firstKey(n)
		e.Origin = r.origin(at)
		e.Edits = withReason(e.Edits, thresholds.EditReason, e.reason)
		e.Edits = withReason(e.Edits, thresholds.EditSource, e.source)
		ok := len(e.Keys) > 0 || r.refuse(at, message.New(`write key: "feed:*"`), "an entry of overrides needs a key pattern")
		if e.Owner.Value == "" && !hasRules(r, n) {
			ok = r.refuse(at, message.New("add an owner, or rules"), "an entry of overrides changes nothing")
		}
		return e.Override, ok
	})
}

// withReason adds a reason, or a source, for the rules that have none of their own.
func withReason(list edits, kind thresholds.EditKind, v thresholds.Text) edits {
	if v.Value == "" {
		return list
	}
	var has thresholds.RuleSet
	for i := range list {
		if list[i].Kind == kind {
			has |= 1 << list[i].Rule
		}
	}
	for i := range list {
		if rule := list[i].Rule; !has.Has(rule) {
			has |= 1 << rule
			list = append(list, thresholds.Edit{Rule: rule, Kind: kind, Value: thresholds.Value{Text: v.Value},
				Origin: v.Origin})
		}
	}
	return list
}

// hasRules reports whether an override names a rule, even one that it leaves as it
// is, as no-ttl: {} does.
func hasRules(r *reader, override ast.Node) bool {
	return slices.ContainsFunc(r.mapping(override, "", noHint), func(entry *ast.MappingValueNode) bool {
		return isMapping(entry.Value) && len(r.mapping(entry.Value, "", noHint)) > 0
	})
}

// fewOverrides refuses overrides with rules beyond thresholds.MaxOverrides.
func fewOverrides(r *reader, n ast.Node, overrides []thresholds.Override) ([]thresholds.Override, bool) {
	nodes, ruled := list(n), 0
	for i, o := range overrides {
		if len(o.Edits) > 0 {
			ruled++
		}
		if ruled > thresholds.MaxOverrides && len(nodes) == len(overrides) { // else there are other problems
			return nil, r.refuse(firstKey(nodes[i]), message.New("list several patterns in one entry"),
				"more than {n} overrides with rules", message.Int("n", thresholds.MaxOverrides))
		}
	}
	return overrides, true
}

// namespaces are the namespaces of a configuration. A plain list of names has all
// namespaces that are allowed; a mapping of names to owners need not.
type namespaces struct {
	all    []thresholds.Namespace
	isList bool
	origin thresholds.Origin
}

func namespacesShape() shape[namespaces] {
	name := as(text("a namespace", "namespace").with("pattern", namespacePattern, "not",
		object{"type": "string", "pattern": wildEndPattern}, "errorMessage",
		"write the first segments of names, such as user or *:pay"), func(r *reader, n ast.Node,
		word string) (thresholds.Namespace, bool) {
		entry := thresholds.Namespace{Name: word, Origin: r.origin(n)}
		if strings.Contains(word, "[") {
			return entry, r.refuse(n, message.New("write * for any characters within a segment, ? for one"),
				"a namespace has no brackets, as {word} has", message.Element("word", word))
		}
		if hasWildEnd(word) {
			start := strings.TrimRight(word, "*?")
			hint := message.New("write {name}", message.Code("name", strings.TrimRight(start, ":")))
			switch {
			case start == "":
				hint = message.New("write the first segment of names, such as user")
			case !endsOpen(start): // user* is more than the segment user
				hint = message.New("write {name}, or {entry} for all names that begin with it", message.Code("name", start),
					message.Code("entry", "overrides: [{key: '"+start+"*', owner: ...}]"))
			}
			return entry, r.refuse(n, hint, "a namespace ends with a word, not with a wildcard as {word} does",
				message.Element("word", word))
		}
		return entry, matchesNamespace(word) || r.refuse(n, message.New("write the first segment of names, such as user"),
			"a namespace is a word, not {word}", message.Element("word", word))
	})
	names := listOf("namespaces", name)
	owner := text("owner", "owner")
	owned := record[string]{what: "a namespace",
		fields: []field[string]{to("owner", owner, func(into *string, v string) { *into = v })}}.shape()
	return shape[namespaces]{func() object {
		return with(byType("array", object{"maxItems": maxEntries, "items": name.schema()},
			object{"type": []string{"array", "object", "null"}, "maxProperties": maxNames,
				"propertyNames": with(name.schema(), "type", "string"),
				"additionalProperties": byType("object", owned.schema(),
					with(owner.schema(), "type", []string{"string", "number", "boolean", "null"}))},
		), "description", "first segments of names, such as pay, prd:pay or *:pay, where * is within a segment. A list has "+
			"all that are allowed. A mapping names their owners, and further ones are allowed unless "+
			"key-namespace has closed: true. A separator at the end is ignored; other punctuation there, as in "+
			"celery-task-meta-, has all names that begin with it.")
	},
		func(r *reader, n ast.Node) (v namespaces, ok bool) {
			v.origin = r.origin(n)
			if _, v.isList = plain(n).(*ast.SequenceNode); v.isList {
				v.all, ok = names.read(r, n)
				return v, ok
			}
			for _, entry := range atMost(r, "namespaces", maxNames,
				r.mapping(n, "namespaces", message.New("write {example}", message.Code("example", "order: {owner: checkout}")))) {
				by := owner
				if _, ok := plain(entry.Value).(*ast.NullNode); ok || isMapping(entry.Value) {
					by = owned
				}
				if next, ok := name.read(r, entry.Key); ok {
					next.Owner, _ = by.read(r, entry.Value)
					v.all = append(v.all, next)
				}
			}
			return v, true
		}}
}

func abbreviationsShape() shape[[]thresholds.Abbreviation] {
	short := text("a short form", "short form").with("minLength", 1)
	return shape[[]thresholds.Abbreviation]{func() object {
		return object{"description": "words that have an agreed short form: economic: ec", "type": []string{"object", "null"},
			"maxProperties": maxNames,
			"propertyNames": object{"pattern": `^\s*[A-Za-z]+(\s+[A-Za-z]+)*\s*$`,
				"errorMessage": "write words of a-z, separated by spaces"}, "additionalProperties": short.schema()}
	},
		func(r *reader, n ast.Node) (all []thresholds.Abbreviation, ok bool) {
			for _, entry := range atMost(r, "abbreviations", maxNames,
				r.mapping(n, "abbreviations", message.New("write {example}", message.Code("example", "economic: ec")))) {
				long, ok1 := r.scalar(entry.Key, "a name")
				brief, ok2 := short.read(r, entry.Value)
				switch words := strings.Fields(long); {
				case !ok1 || !ok2:
				case slices.ContainsFunc(words, func(w string) bool { return !isLetters(w) }):
					r.refuse(entry.Key, message.New("write words of a-z, separated by spaces"),
						"{words}: an abbreviation is of words of letters", message.Element("words", long))
				case len(words) == 0 || brief == "":
					r.refuse(entry.Key, message.New("write economic: ec"), "an abbreviation needs a word and its short form")
				default:
					all = append(all, thresholds.Abbreviation{Long: long, Short: brief, Origin: r.origin(entry.Key)})
				}
			}
			return all, true
		}}
}
