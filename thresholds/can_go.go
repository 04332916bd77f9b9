package thresholds

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/rdblens/rdblens/parser/message"
)

// CanGo returns what can be deleted with the least harm, what frees most memory first, at most
// so many: keys that are not being used, and what libraries keep of work that is done. Condition
// says when. It sets Going of the groups. Nothing is in it that adviseDelete is not allowed for.
func (e *Engine) CanGo(groups []GroupSums, l *Listing, most int) (list []Advice) {
	for i := range groups {
		g := &groups[i]
		if g.Cold > 0 && canGo(e, &thing{identity: g.Identity, isCold: true}) {
			list = append(list, *g.unused(l))
		} else if g.isDone() {
			list = append(list, *g.done(groups, l))
		} else if g.isKept() {
			list = append(list, *g.kept(l))
		}
	}
	slices.SortStableFunc(list, func(a, b Advice) int {
		return cmp.Or(cmp.Compare(b.Saves, a.Saves), cmp.Compare(b.Keys, a.Keys), strings.Compare(a.Group, b.Group))
	})
	list = list[:min(len(list), most)]
	for i := range list {
		list[i].Deletes = list[i].Deletes && e.server.unlinks()
		for n := range groups {
			switch g := &groups[n]; {
			case list[i].Data != "" && g.Group == list[i].Data:
				g.Going = min(g.Going+list[i].DataKeys, g.Keys)
			case g.Group == list[i].Group:
				g.Going = min(g.Going+list[i].Keys, g.Keys)
			}
		}
	}
	return list
}

// going returns the part of what all keys of a group save that is about keys that can go.
func (g *GroupSums) going(saves int64) int64 {
	return int64(float64(saves) * float64(g.Going) / float64(max(g.Keys, 1)))
}

// unused is about the keys of a group that are not being used.
func (g *GroupSums) unused(l *Listing) *Advice {
	args := []message.Arg{message.Duration("least", g.IdleLeast), message.Duration("most", g.IdleMost)}
	short := func(seconds int64) string { return message.New("{n}", message.Duration("n", seconds)).String() }
	f := fix{action: adviseDelete, id: "{which}: no TTL, and not used for {least} to {most}."}
	switch {
	case g.IdleLeast < 0:
		f.id = "{which}: no TTL, and an LFU counter of 0."
	case short(g.IdleLeast) == short(g.IdleMost):
		f.id = "{which}: no TTL, and not used for {most}."
	}
	a := f.groupAdvice(g, g.Cold, g.ColdMemory, l, "cold-key", nil, args...)
	if g.ColdUnder != "" {
		under := *g
		under.Group, under.Keys = g.ColdUnder, g.ColdOf
		a.Text = message.New(f.id, append(args, message.Phrase("which", which(&under, g.Cold, g.ColdOf)))...)
		a.Of, a.List = g.ColdOf, l.under(g.ColdUnder, "--over", "cold-key")
	}
	a.Saves, a.Deletes = max(g.ColdMemory, 0), true
	a.Brief = message.New("not used, no TTL")
	a.Condition = message.New("Delete them only if nobody needs them: on a replica, reads on the master do not count.")
	return a
}

// isDone reports whether a group has the records of a library about work that is done, and many
// of them.
func (g *GroupSums) isDone() bool {
	return g.Identity.FixedName() && g.Identity.Sure != LooksLike && !g.few() &&
		g.Identity.is(RoleCompleted, RoleFailed, RoleLeftover) &&
		(g.Identity.Deletion == "yes" || strings.HasPrefix(g.Identity.Deletion, "with "))
}

// isKept reports whether a group has results of a library that have no TTL, and many of them. A pattern
// without a letter may match other keys, too.
func (g *GroupSums) isKept() bool {
	return g.Identity.FixedName() && g.Identity.Sure != LooksLike && !g.few() && g.Identity.is(RoleResult) &&
		g.Identity.Deletion == "yes" && g.WithoutTTL >= minSettingKeys && strings.ContainsFunc(g.Group, unicode.IsLetter)
}

// kept is about the results of a library that have no TTL.
func (g *GroupSums) kept(l *Listing) *Advice {
	f := fix{action: adviseDelete, id: "{what} without a TTL."}
	if g.Identity.Setting != "" {
		f.id = "{what} without a TTL. First set {setting}, which bounds new ones."
	}
	a := f.groupAdvice(g, g.WithoutTTL, g.MemoryWithoutTTL, l, "", []string{"--no-ttl"},
		g.identityArgs(g.WithoutTTL, g.MemoryWithoutTTL)...)
	a.Saves, a.Deletes = max(g.MemoryWithoutTTL, 0), true
	a.Brief = message.New("{what}, no TTL", g.identityArgs(g.WithoutTTL, g.MemoryWithoutTTL)...)
	a.Condition = message.New("Delete them only if nobody waits for them or reads them later.")
	return a
}

// done is about the records of work that is done. The keys with the data of the jobs go with them:
// as many of these as the jobs are of all that the queue has.
func (g *GroupSums) done(groups []GroupSums, l *Listing) *Advice {
	var jobs, dataKeys, data int64
	var dataGroup string
	for i := range groups {
		switch o := &groups[i]; {
		case !o.Identity.FixedName() || o.Identity.Library != g.Identity.Library || o.Identity.Queue != g.Identity.Queue:
		case o.Identity.is(RoleJobData):
			number := o.Keys
			if number == 1 { // a hash of them
				number = o.AllElements
			}
			if number > dataKeys {
				dataGroup, dataKeys, data = o.Group, number, max(o.Memory, 0)
			}
		case o.Identity.is(RoleWaiting, RoleDelayed, RoleActive, RoleCompleted, RoleFailed):
			jobs += o.Identity.number(o.Keys, o.AllElements, o.Type)
		}
	}
	n := g.Identity.number(g.Keys, g.AllElements, g.Type)
	through := g.Identity.Deletion != "yes"
	of := min(n, dataKeys)
	if !through {
		of = 0 // nothing deletes the data with them
	} else if jobs > n { // those that wait have data, too
		of = min(of, int64(float64(dataKeys)*float64(n)/float64(jobs)))
	}
	args := append(g.identityArgs(g.Keys, g.Memory), message.Name("data", dataGroup), message.Int("n", of))
	var sentences []message.Message
	add := func(id string) { sentences = append(sentences, message.New(id, args...)) }
	if of > 0 {
		add("{what}, and the data of about {n} in {data}.")
	} else {
		add("{what}.")
	}
	switch {
	case !through:
	case g.Identity.DeletesEach:
		add("Delete each with {deletion}.")
	default:
		add("Delete them with {deletion}.")
	}
	if through && g.Identity.DeletesAlso != "" {
		add(deletesAlso)
	}
	if of > 0 {
		add("Never delete their list alone: the data would stay, and nothing would name it.")
	}
	if through && g.Identity.Setting != "" {
		add("First set {setting}, which bounds new ones.")
	}
	f := fix{action: adviseDelete, id: "{sentences}"}
	a := f.groupAdvice(g, g.Keys, g.Memory, l, "", nil, append(args, message.List("sentences", " ", sentences))...)
	a.Saves, a.Deletes = max(g.Memory, 0), !through
	if of > 0 {
		a.SavesAbout, a.Data, a.DataKeys = true, dataGroup, of
		a.Saves += int64(float64(data) * float64(of) / float64(dataKeys))
	}
	a.Brief = message.New("{what}", args...)
	a.Condition = message.New("Delete them only if nobody reads their results or tries them again.")
	if g.Identity.is(RoleLeftover) {
		a.Condition = message.New("Delete them only if the processes that read them are gone.")
	}
	return a
}
