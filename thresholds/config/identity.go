package config

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// noIdentity is the role of keys that are not what they look like.
const noIdentity = "none"

func identityShape() shape[thresholds.IdentityEntry] {
	type entry = thresholds.IdentityEntry
	words := append(thresholds.RoleNames(), noIdentity)
	role := as(text("role", ""), func(r *reader, n ast.Node, word string) (string, bool) {
		known := thresholds.IsRole(word) || word == noIdentity
		return word, known || r.refuse(n, thresholds.Suggest(word, words), "{word} is not a role",
			message.Element("word", word))
	})
	role.schema = func() object {
		return object{"description": "what the keys are for; none: they are not what they look like", "enum": words}
	}
	deletion := as(text("delete", ""), func(r *reader, n ast.Node, word string) (string, bool) {
		switch on, ok := parseSwitch(word); {
		case ok && on:
			word = "yes"
		case ok:
			word = "no"
		}
		return word, word == "yes" || word == "no" || strings.HasPrefix(word, "with ") ||
			r.refuse(n, message.New("write yes, no, or with what: with Mailer.purge()"),
				"{word} does not say whether keys may be deleted", message.Element("word", word))
	})
	deletion.schema = func() object {
		return object{"description": "yes: at the cost of what is in them alone; no: work or data is lost; with X: X " +
			"deletes them",
			"type":    []string{"string", "boolean"},
			"pattern": "^([Yy][Ee][Ss]|[Nn][Oo]|[Oo][Nn]|[Oo][Ff][Ff]|[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|with .*)$"}
	}
	s := record[entry]{what: "an entry of identities", fields: []field[entry]{
		to("key", keysShape("the groups whose patterns, or the names of whose largest keys, match a glob, or several"),
			func(e *entry, v []*naming.Glob) { e.Keys = v }),
		to("library", text("library", "the library or program that writes the keys"),
			func(e *entry, v string) { e.Library = v }),
		to("role", role, func(e *entry, v string) {
			if v != noIdentity {
				e.Role = thresholds.Role(v)
			}
			e.None = v == noIdentity
		}),
		to("no_ttl", flag("no_ttl", "true: the keys have no TTL by design"),
			func(e *entry, v thresholds.Switch) { e.ByDesign = v.Value }),
		to("setting", text("setting", "the setting that bounds the keys"), func(e *entry, v string) { e.Setting = v }),
		to("delete", deletion, func(e *entry, v string) { e.Deletion = v }),
	}}.shape().with("required", []string{"key", "role"})
	return as(s, func(r *reader, n ast.Node, e entry) (entry, bool) {
		at := firstKey(n)
		e.Origin = r.origin(at)
		ok := len(e.Keys) > 0 || r.refuse(at, message.New(`write key: "mail:*"`),
			"an entry of identities needs a key pattern")
		if e.Role == "" && !e.None {
			ok = r.refuse(at, message.New("write role: waiting jobs"), "an entry of identities needs a role")
		}
		return e, ok
	})
}

// showIdentity returns what an entry says: "waiting jobs of mailer, no TTL".
func showIdentity(e *thresholds.IdentityEntry) string {
	s := string(e.Role)
	if e.None {
		s = noIdentity
	}
	if e.Library != "" {
		s += " of " + e.Library
	}
	if e.ByDesign {
		s += ", no TTL"
	}
	if e.Setting != "" {
		s += ", setting: " + e.Setting
	}
	if e.Deletion != "" {
		s += ", delete: " + e.Deletion
	}
	return s
}
