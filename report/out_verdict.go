package report

import "github.com/rdblens/rdblens/parser/message"

// verdict says in a sentence or two how bad it is: the rules that are broken with errors,
// what can be saved, and the keys that make other clients wait.
func (v *overview) verdict() message.Message {
	errors := int64(0)
	for i := range v.problems {
		if v.problems[i].Severity == "error" {
			errors++
		}
	}
	first := word("Nothing to fix today.")
	switch {
	case v.r.Totals.Keys == 0:
		first = word("There are no keys.")
	case errors > 0:
		first = message.Plural(errors, "1 thing to fix today.", "{n} things to fix today.")
	case len(v.problems) > 0:
		first = word("Nothing to fix today, some things to look at.")
	}
	saved, whole := v.r.saved(), int64(v.r.Totals.MemoryBytes)
	keys, exact := v.stalling()
	args := []message.Arg{message.Size("size", saved), shareArg("share", saved, whole), keysArg("keys", keys)}
	var second message.Message
	switch {
	case saved > 0 && keys > 0 && exact:
		second = message.New("{size} ({share}) can be saved, {keys} can stall the server.", args...)
	case saved > 0 && keys > 0:
		second = message.New("{size} ({share}) can be saved, at least {keys} can stall the server.", args...)
	case saved > 0:
		second = message.New("{size} ({share}) can be saved.", args...)
	case keys > 0 && exact:
		second = message.New("{keys} can stall the server.", args...)
	case keys > 0:
		second = message.New("At least {keys} can stall the server.", args...)
	}
	return parts(" ", first, second)
}

// saved returns the bytes that all savings add up to: each is about another group.
// Changes of the server are not in it.
func (r *Report) saved() (bytes int64) {
	for i := range r.Savings {
		if s := &r.Savings[i]; s.Group != "" || s.Key != "" {
			bytes += s.SavesBytes
		}
	}
	return bytes
}

// stalling returns the number of keys that make other clients wait: those of errors and
// warnings of rules with that harm. If exact is false there may be more: a report names
// some keys of each rule only, and a key may break several rules.
func (v *overview) stalling() (keys int64, exact bool) {
	type identity struct {
		input, db int
		key       Name
	}
	seen, exact := map[identity]bool{}, true
	for i := range v.problems {
		p := &v.problems[i]
		if !p.blocks || p.Severity == "info" {
			continue
		}
		keys = max(keys, p.Count)
		exact = exact && int64(len(p.Examples)) == p.Count
		for n := range p.Examples {
			if e := &p.Examples[n]; e.KeyRow != nil {
				seen[identity{e.Input, e.DB, e.Key}] = true
			}
		}
	}
	return max(keys, int64(len(seen))), exact
}
