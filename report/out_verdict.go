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

// verdict says in a sentence or two how bad it is: the fixes that are for today, what can go and,
// besides, be saved, and the keys that make other clients wait.
func (v *overview) verdict() message.Message {
	today, later := v.today()
	first := word("Nothing to fix today.")
	switch {
	case v.r.Totals.Keys == 0:
		first = word("There are no keys.")
	case today > 0 && later > 0 && !v.small:
		first = message.New("{n} to fix today, {later} later.", message.Number("n", today, "1 thing", "{n} things"),
			message.Int("later", later))
	case today > 0:
		first = message.Plural(today, "1 thing to fix today.", "{n} things to fix today.")
	case len(v.problems) > 0:
		first = word("Nothing to fix today, some things to look at.")
	}
	saved, whole := v.r.saved(), int64(v.r.Totals.MemoryBytes)
	can := "{size} ({share}) can be saved"
	if len(v.r.CanGo) > 0 && !v.small {
		first = message.New("{first} What can go frees {size}.", message.Phrase("first", first),
			message.Phrase("size", v.r.canGoFrees()))
		can = "{size} more ({share}) can be saved"
	}
	var second message.Message
	if saved > 0 {
		second = message.New(can, message.Size("size", saved), shareArg("share", saved, whole))
	}
	if keys := v.r.Totals.Stalling; keys > 0 {
		second = parts(", ", second, message.New("{keys} can stall the server", keysArg("keys", keys)))
	}
	if !second.IsZero() {
		second = message.New("{sentence}.", message.Phrase("sentence", second))
	}
	return parts(" ", first, second)
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
