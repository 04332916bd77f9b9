package thresholds

import (
	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

func init() {
	register(Rule{
		Name:    "key-namespace",
		Section: SectionNames,
		Title:   "name whose first segment is not on the team's list of business modules",
		Params: []Param{{Name: "closed", Kind: FlagParam,
			Doc: "names must begin with a listed namespace; without it a list under namespaces is closed, and a mapping of " +
				"namespaces to owners is not"}},
		idle: func(p *Policy, s *Setting) string {
			switch {
			case len(p.Namespaces) == 0:
				return "there are no namespaces"
			case s.Param("closed").Number == 0:
				return "names may begin with other words, too: set closed: true for this rule to flag them"
			}
			return ""
		},
		check: func(c *compiler) {
			t := &c.engine.namespaces
			c.when(always, -1, 0, func(k *parser.Key, f *naming.Facts, found *Finding) bool {
				return t.find(k.Name, f) == nil
			})
		},
		text: func(x *explainer) message.Message {
			return x.found("{first} is not a listed namespace", message.Name("first", x.namespaces.missing(x.key.Name)))
		},
		advise: func(x *explainer) {
			x.advise(adviseName, nil, "Use a listed prefix, or add {first} to namespaces in the configuration.",
				message.Name("first", x.namespaces.missing(x.key.Name)))
			x.rename()
		},
		Doc: Doc{
			What: "A name that does not begin with a namespace from the configuration. A namespace is a first segment, or " +
				"several with their separators (prd:pay); * and ? are wildcards within a segment (*:pay). One that ends with " +
				"punctuation that is no separator (celery-task-meta-) has all names that begin with it. Off if the " +
				"configuration lists none, and if it names owners of namespaces (namespaces: {cart: checkout}) without closed: " +
				"true, because owners need not be known for all. A plain list (namespaces: [order, cart]) is closed unless the " +
				"rule has closed: false.",
			Why: "An unregistered namespace has no owner: nobody is responsible for its keys, and two teams may use the " +
				"same name.",
			Fix:     "Use the agreed prefix, or add the new one to namespaces, with its owner.",
			Example: "tmp:1, where namespaces lists user and order.",
		},
	})
}

// CloseNamespaces sets that names must begin with a listed namespace, unless the
// rule's closed parameter is set otherwise later.
func (p *Policy) CloseNamespaces(from Origin) {
	rule, _ := Lookup("key-namespace")
	p.Apply([]Edit{{Rule: rule.ID, Kind: EditParam, Param: 0, Value: Value{Number: 1, Origin: from}, Origin: from}})
}
