package thresholds

import (
	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds/naming"
)

func init() {
	register(Rule{
		Name:    "key-namespace",
		Section: SectionNames,
		Title:   "name whose first segment is not on the team's list of business modules",
		Params: []Param{{Name: "closed", Kind: FlagParam,
			Doc: "names must begin with a listed namespace; without it a list under namespaces is closed, and a mapping of namespaces to owners is not"}},
		idle: func(p *Policy, s *Setting) string {
			switch {
			case len(p.Namespaces) == 0:
				return "there are no namespaces"
			case s.Param("closed").Number == 0:
				return "namespaces may have further ones; set closed: true if they may not"
			}
			return ""
		},
		check: func(c *compiler) {
			t := &c.engine.namespaces
			c.when(always, -1, 0, func(k *parser.Key, f *naming.Facts, found *Finding) bool {
				return t.find(k.Name, f) == nil
			})
		},
		text: func(x *explainer) string {
			return x.found("{first} is not a listed namespace", "first", quoted(x.shown(x.key.Name[:x.facts().FirstEnd])))
		},
		advise: func(x *explainer) {
			x.advise(adviseName, nil, "Use a listed prefix, or add {first} to namespaces in the configuration.",
				"first", quoted(x.shown(x.key.Name[:x.facts().FirstEnd])))
			x.rename()
		},
		Doc: Doc{
			What: "A name that does not begin with a namespace from the configuration. A namespace is a first segment, or several with their separators. " +
				"Off if the configuration lists none, and if it names owners of namespaces (namespaces: {cart: checkout}) without closed: true, because " +
				"owners need not be known for all. A plain list (namespaces: [order, cart]) is closed unless the rule has closed: false.",
			Why:     "An unregistered namespace has no owner: nobody is responsible for its keys, and two teams may use the same name.",
			Fix:     "Use the agreed prefix, or add the new one to namespaces, with its owner.",
			Example: "tmp:1, where namespaces lists user and order.",
			Sources: []Source{
				{onlyAliyun, aliyun, "【建议】", "以业务名(或数据库名)为前缀(防止key冲突),用冒号分隔,比如业务名:表名:id",
					"Use the name of the business (or of the database) as a prefix, to prevent conflicts between keys, and separate with colons: business:table:id."},
				{onlyBaidu, baidu, "", "方便遇到问题时根据业务标识尽快定位", "So that, when there is a problem, its origin can be found quickly by the business identifier."},
				{onlyTyped, typed, "【强制】", "1 ）业务模块名：具体的功能模块", "1) Business module: the name of the functional module."},
				{onlyUpper, upper, "", "4.redis使用的时候注意命名空间,一个项目一个命名空间,项目内业务不同命名空间也不同。",
					"4. Pay attention to namespaces: one namespace for each project, and different ones for the different businesses of a project."},
			},
			Notes: []Note{{[]string{"default", "baidu", "upper"}, "the list is the team's own: a namespace that is not on it is an error where the document does not mark it as mere advice"}},
		},
	})
}

// CloseNamespaces sets that names must begin with a listed namespace, unless the
// rule's closed parameter is set otherwise later.
func (p *Policy) CloseNamespaces(from Origin) {
	rule, _ := Lookup("key-namespace")
	p.Apply([]Edit{{Rule: rule.ID, Kind: EditParam, Param: 0, Value: Value{Number: 1, Origin: from}, Origin: from}})
}
