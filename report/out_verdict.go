package report

import (
	"github.com/rdblens/rdblens/parser/message"
)

// today returns how many of the fixes are about an error, and how many are left. A report without
// severities of fixes has as many as rules with errors.
func (v *overview) today() (today, later int64) {
	for i := range v.r.FixFirst {
		if s := &v.r.FixFirst[i]; s.ChangesData && !v.advice {
			continue
		} else if s.Severity == "error" {
			today++
		} else {
			later++
		}
	}
	if today > 0 {
		return today, later
	}
	for i := range v.problems {
		if v.problems[i].Severity == "error" {
			today++
		}
	}
	return today, max(0, later-today)
}

// fixesNote says the same of the list of fixes as the verdict does.
func (v *overview) fixesNote() message.Message {
	today, later := v.today()
	if today == 0 || later == 0 {
		return message.Message{}
	}
	return message.New("{today} today, {later} later", message.Int("today", today), message.Int("later", later))
}

// verdict says in a few sentences how bad it is: the fixes that are for today, the keys that make other
// clients wait, what can be saved and, besides, go.
func (v *overview) verdict() message.Message {
	today, later := v.today()
	first := word("Nothing to fix today.")
	switch {
	case v.r.Totals.Keys == 0:
		first = word("There are no keys.")
	case today > 0 && later > 0:
		first = message.New("{n} to fix today, {later} later.", message.Number("n", today, "1 thing", "{n} things"),
			message.Int("later", later))
	case today > 0:
		first = message.Plural(today, "1 thing to fix today.", "{n} things to fix today.")
	case len(v.problems) > 0:
		first = word("Nothing to fix today, some things to look at.")
	}
	list := []message.Message{first}
	if keys := v.r.Totals.Stalling; keys > 0 {
		list = append(list, message.New("{keys} can stall the server.", keysArg("keys", keys)))
	}
	saved, can := v.r.saved(), "{size} ({share}) can be saved."
	if len(v.r.CanGo) > 0 {
		can = "{size} ({share}) can be saved, {going} can go if nobody needs it."
		if saved == 0 {
			can = "{going} can go if nobody needs it."
		}
	}
	if saved > 0 || len(v.r.CanGo) > 0 {
		list = append(list, message.New(can, message.Size("size", saved),
			shareArg("share", saved, int64(v.r.Totals.MemoryBytes)), message.Phrase("going", v.r.canGoFrees())))
	}
	return parts(" ", list...)
}

// saved returns the bytes that all savings add up to: each is about another group.
// Changes of the server are not in it, nor what is freed by what can go.
func (r *Report) saved() (bytes int64) {
	for i := range r.Savings {
		if s := &r.Savings[i]; s.Group != "" || s.Key != "" {
			bytes += s.SavesBytes - s.SavesGoing
		}
	}
	return bytes
}
