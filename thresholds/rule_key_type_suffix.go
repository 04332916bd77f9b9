package thresholds

import (
	"slices"
	"strings"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

func init() {
	register(Rule{
		Name:    "key-type-suffix",
		Section: SectionNames,
		Title:   "name whose last segment is not the value's type",
		Types:   []parser.Type{parser.String, parser.List, parser.Set, parser.ZSet, parser.Hash, parser.Stream},
		Params:  []Param{{Name: "aliases", Kind: AliasesParam, Doc: "further words for a type, such as {zset: [rank]}"}},
		check: func(c *compiler) {
			words := typeWords(c.Setting, c.typ)
			c.when(always, -1, 0, func(k *parser.Key, f *naming.Facts, found *Finding) bool {
				if f.LastStart > len(k.Name) || k.NameLen > int64(len(k.Name)) {
					return true // the end of a name over 32 KB is not kept, and is no type
				}
				last := k.Name[f.LastStart:]
				return !slices.Contains(words, string(last))
			})
		},
		text: func(x *explainer) message.Message {
			return x.found("ends with {last}, but holds a {type}", message.Name("last", x.key.Name[x.facts().LastStart:]),
				message.Text("type", x.key.Type.String()))
		},
		advise: func(x *explainer) {
			x.rename()
			name := x.nameWithType()
			switch {
			case x.isCut || x.breaks(name):
			case x.env.Cluster && naming.Slot(name) != naming.Slot(x.key.Name):
				x.advise(adviseName, nil,
					"RENAMENX cannot move it to another slot: write it under the new name from a client, and delete the old one.")
			default:
				x.change(adviseName, message.New("if no program uses the old name any more"),
					x.command("RENAMENX {key} {to}", message.Name("to", name)),
					"Rename it. In a cluster both names must be in one slot.")
			}
		},
		Doc: Doc{
			What: "A name whose last segment is not the type of its value: string, hash, list, set, zset or stream, or an " +
				"alias from the profile or the configuration, whose aliases are added.",
			Why:     "The name then shows which commands apply; a command for another type fails at run time (WRONGTYPE).",
			Fix:     "End the name with the type: user:basic.info:1001:string.",
			Example: "user:basic.info:1001 holds a hash but ends with 1001.",
		},
	})
}

// typeWords returns the words that may end the name of a key of a type.
func typeWords(s *Setting, t parser.Type) []string {
	return append([]string{t.String()}, s.Param("aliases").Aliases[t.String()]...)
}

// breaks reports whether the key would have a finding of a rule on names under
// another name that it does not have under its own.
func (x *explainer) breaks(name []byte) bool {
	broken := func(name []byte) (rules RuleSet) {
		var f naming.Facts
		x.namer.Facts(name, &f)
		k := parser.Key{DB: x.key.DB, Name: name, NameLen: int64(len(name)), Type: x.key.Type, Idle: -1, Freq: -1}
		for _, found := range x.Check(&k, &f, nil) {
			if found.Rule.rule().Section == SectionNames {
				rules |= 1 << found.Rule
			}
		}
		return rules
	}
	return broken(name)&^broken(x.key.Name) != 0
}

// nameWithType returns the name with the type at its end. It replaces the last
// segment if that is empty or names another type, and is appended otherwise.
func (x *explainer) nameWithType() []byte {
	name, last := x.key.Name, x.facts().LastStart
	isType := func(t parser.Type) bool {
		return slices.ContainsFunc(typeWords(x.setting, t),
			func(w string) bool { return strings.EqualFold(w, string(name[last:])) })
	}
	if last > 0 && (last == len(name) || slices.ContainsFunc(x.setting.Rule.Types, isType)) {
		name = slices.Clip(name[:last])
	} else {
		name = append(slices.Clip(name), x.policy.Separators.Value[0])
	}
	return append(name, x.key.Type.String()...)
}
