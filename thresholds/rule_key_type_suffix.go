package thresholds

import "github.com/rdblens/rdblens/parser"

func init() {
	register(Rule{
		Name:    "key-type-suffix",
		Section: SectionNames,
		Title:   "name whose last segment is not the value's type",
		Types:   []parser.Type{parser.String, parser.List, parser.Set, parser.ZSet, parser.Hash, parser.Stream},
		Params:  []Param{{Name: "aliases", Kind: AliasesParam, Doc: "other words for a type, such as {zset: [rank, geo]}"}},
		compile: func(c *compiler) {
			words := append([]string{c.typ.String()}, c.Param("aliases").Aliases[c.typ.String()]...)
			c.when(always, -1, 0, func(k *parser.Key, f *Facts, found *Finding) bool {
				if f.LastStart > len(k.Name) || k.NameLen > int64(len(k.Name)) {
					return true // a name of more than 64 KB ends with no type
				}
				last := k.Name[f.LastStart:]
				for _, w := range words {
					if string(last) == w {
						return false
					}
				}
				return true
			})
		},
		Doc: Doc{
			What:    "A name whose last segment is not the type of its value: string, hash, list, set, zset or stream, or an alias of the configuration.",
			Why:     "Who reads the name knows which commands apply; a command of another type is an error at run time (WRONGTYPE).",
			Fix:     "End the name with the type: user:basic.info:1001:string.",
			Example: "user:basic.info:1001 holds a hash and ends with 1001.",
			Sources: []Source{
				{onlyTyped, Typed, "【强制】", "Redis key命名以key所代表的value类型结尾，以提高可读性；", "A name ends with the type of the value that the key stands for, so that it reads better."},
			},
		},
	})
}
