package thresholds

import (
	"sort"

	"github.com/rdblens/rdblens/parser"
)

func init() {
	register(Rule{
		Name:    "key-namespace",
		Section: SectionNames,
		Title:   "name whose first segment is not on the team's list of business modules",
		compile: func(c *compiler) {
			t := &c.engine.namespaces
			if !t.any {
				return
			}
			c.when(always, -1, 0, func(k *parser.Key, f *Facts, found *Finding) bool {
				return t.find(k.Name, f) == nil
			})
		},
		Doc: Doc{
			What: "A name that does not begin with a namespace of the configuration. A namespace is a first segment, or several with their separators. " +
				"Off while the configuration lists none.",
			Why:     "A namespace that nobody has registered has no owner: nobody answers for its keys, and two teams may use one name.",
			Fix:     "Use the prefix that was agreed on, or add the new one to namespaces, with its owner.",
			Example: "tmp:1, where namespaces lists user and order.",
			Sources: []Source{
				{onlyAliyun, Aliyun, "【建议】", "以业务名(或数据库名)为前缀(防止key冲突),用冒号分隔,比如业务名:表名:id",
					"Begin with the name of the business (or of the database), so that keys do not clash, and separate with colons: business:table:id."},
				{onlyBaidu, Baidu, "", "方便遇到问题时根据业务标识尽快定位", "So that, when there is a problem, the mark of the business shows at once where it is."},
				{onlyTyped, Typed, "【强制】", "1 ）业务模块名：具体的功能模块", "1) Business module: the function's module."},
				{onlyUpper, Upper, "", "4.redis使用的时候注意命名空间,一个项目一个命名空间,项目内业务不同命名空间也不同。",
					"4. Mind namespaces: one project, one namespace, and within a project one for each business."},
			},
			Notes: []Note{{[]string{"default", "baidu", "upper"}, "the list is the team's own word: what is not on it is an error where the document does not mark it as mere advice"}},
		},
	})
}

// makeNamespaces compiles the namespaces of a policy.
func makeNamespaces(list []Namespace, owners []string, separators string) namespaceTable {
	t := namespaceTable{separators: separators, any: len(list) > 0}
	index := map[string]int{}
	for i, o := range owners {
		index[o] = i
	}
	for _, n := range list {
		owner := index[n.Owner]
		t.owned = t.owned || owner != 0
		t.first[n.Name[0]] = append(t.first[n.Name[0]], namespaceEntry{[]byte(n.Name), owner})
	}
	for i := range t.first {
		sort.SliceStable(t.first[i], func(a, b int) bool { return len(t.first[i][a].name) > len(t.first[i][b].name) })
	}
	return t
}
