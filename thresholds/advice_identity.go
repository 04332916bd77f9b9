package thresholds

import (
	"slices"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
)

// Advice about keys that a library wrote begins with its setting: a command on the server
// changes what is there, and the library writes the same again.

var bySetting = []action{adviseExpire, adviseTTL, adviseSplit, adviseMove, adviseTrim, adviseCompress, adviseDelete,
	adviseLook, adviseQueue}

// hasSetting reports whether a setting of the library is known that bounds the keys, and loses no work or data.
func (id *Identity) hasSetting() bool {
	return id.FixedName() && id.Setting != "" && !id.is(RoleWaiting, RoleDelayed, RoleActive, RoleData)
}

// settingOfKey and settingOfGroup are the fixes that name a setting, of a key and of a group.
var (
	settingOfKey   = fix{action: adviseSetting, id: "{what}, {memory}: set {setting}. Key: {key}."}
	settingOfGroup = fix{action: adviseSetting, ofGroup: true, id: "{what}, {memory}: set {setting}. Keys: {which}."}
)

// settingFor returns the fix that names a setting where it replaces another one, else nil.
func (f *fix) settingFor(t *thing) *fix {
	switch {
	case !t.identity.hasSetting() || !slices.Contains(bySetting, f.action):
		return nil
	case f.ofGroup:
		return &settingOfGroup
	}
	return &settingOfKey
}

// adviseSetting adds the setting of the library that bounds the key.
func (x *explainer) adviseSetting() {
	id := x.key.Identity
	if !id.hasSetting() || x.Rule.rule().Section == SectionNames || x.Rule.rule().compacts {
		return
	}
	text := "{library} bounds its {role} with {setting}."
	if id.is(RoleCompleted, RoleFailed, RoleJobData, RoleResult) {
		text = "{library} bounds its {role} with {setting}, which may not act on what is there already."
	}
	x.advise(adviseSetting, nil, text, id.words()...)
}

// deleteThrough adds how to delete a key of a library that nobody may delete behind its
// back. It reports whether it is such a key.
func (x *explainer) deleteThrough() bool {
	id := x.key.Identity
	if !id.FixedName() || id.Deletion == "yes" && !id.ByDesign {
		return false
	}
	switch {
	case strings.HasPrefix(id.Deletion, "with "):
		sentences := []message.Message{message.New("Delete it through {library}: {deletion}. {loses}", id.words()...)}
		if id.DeletesAlso != "" {
			sentences = append(sentences, message.New(deletesAlso, id.words()...))
		}
		x.append(adviseDelete, Advice{Text: message.New("{sentences}", message.List("sentences", " ", sentences)),
			ChangesData: true, Condition: unneeded})
	case id.Deletion == "yes": // by design without a TTL, and written again
		x.append(adviseDelete, Advice{Text: message.New("UNLINK removes it at once and frees its memory in the "+
			"background. {loses}", id.words()...),
			Commands: x.commands("UNLINK {key}"), ChangesData: true, Condition: unneeded})
	default:
		x.append(adviseDelete, Advice{Text: message.New("Do not delete it behind the back of {library}. {loses}",
			id.words()...)})
	}
	return true
}

// Settings are worth a line if their keys have one part in minSettingShare of all memory, and
// minSettingBytes of it or minSettingKeys keys or elements.
const (
	minSettingShare = 50
	minSettingBytes = 1 << 20
	minSettingKeys  = 1000
)

// Kept returns what libraries keep in groups without a TTL although a setting bounds it,
// that with most memory first.
func (e *Engine) Kept(groups []GroupSums, whole int64, l *Listing) (list []Advice) {
	for i := range groups {
		g := &groups[i]
		if g.few() || !g.Identity.hasSetting() || 2*g.WithoutTTL < g.Keys || g.Memory*minSettingShare < whole ||
			!g.Identity.is(RoleCompleted, RoleFailed, RoleJobData, RoleResult, RoleEvents, RoleMetrics, RoleIndex, RoleLeftover,
				RoleCache, RoleSession) {
			continue
		}
		a := settingOfGroup.groupAdvice(g, g.Keys, g.Memory, l, "", nil, g.identityArgs(g.Keys, g.Memory)...)
		list = append(list, *a)
	}
	slices.SortStableFunc(list, func(a, b Advice) int { return int(min(max(b.Memory-a.Memory, -1), 1)) })
	return list
}

// few reports whether what a library keeps in a group is not worth a line.
func (g *GroupSums) few() bool {
	return g.Memory < minSettingBytes && g.Identity.number(g.Keys, g.AllElements, g.Type) < minSettingKeys
}

// identityArgs are the arguments of sentences about keys of a group of a library.
func (g *GroupSums) identityArgs(keys, memory int64) []message.Arg {
	if g.Identity == nil {
		return nil
	}
	elements := g.AllElements
	if keys != g.Keys {
		elements = -1
	}
	return append(g.Identity.words(), message.Phrase("what", g.Identity.counted(keys, elements, g.Type)),
		message.Figure("memory", memory, message.FormSize))
}

// identityArgs are the arguments of sentences about a key of a library.
func (s *Subject) identityArgs() []message.Arg {
	if s.Identity == nil {
		return nil
	}
	return append(s.Identity.words(), message.Phrase("what", s.Identity.counted(1, s.Elements, s.Type)))
}
