package thresholds

import (
	"github.com/rdblens/rdblens/parser/message"
)

// Rules about groups compare the keys of one group with each other. They need the sums of
// the whole snapshot, and are judged once, after all keys.

type groupCheck func(s *Setting, g *GroupSums) (InstanceFinding, bool)

// JudgeGroups returns what rules about groups find: the worst first, at most 100 for a rule,
// and as many that the configuration ignores. It counts the others as Findings does.
func (e *Engine) JudgeGroups(groups []GroupSums) (kept []InstanceFinding, omitted []Omitted) {
	var rules []accumulator
	for _, r := range Rules() {
		s := &e.policy.Settings[r.ID]
		if r.ofGroup == nil || !s.On || s.lacksLimits() {
			continue
		}
		rules = append(rules, wholeSnapshot(func(totals) (list []InstanceFinding) {
			for i := range groups {
				g := &groups[i]
				if g.IsFolded || g.Identity.Explains(r.Name) {
					continue
				}
				if found, ok := r.ofGroup(s, g); ok {
					found.Rule, found.Identity, found.DB = r.ID, g.Identity, g.DB
					found.Subject, found.Groups = message.New("{group}", message.Name("group", g.Group)), []string{g.Group}
					list = append(list, found)
				}
			}
			return list
		})())
	}
	return e.judge(rules, totals{}, nil, nil)
}
