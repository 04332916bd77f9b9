package thresholds

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
)

// Multiples of the limits of compact encodings that savings are computed for.
var compactMultiples = [compactSteps]int64{1, 2, 4}

const compactSteps = 3

// compactForms are the compact encodings that a setting bounds.
const (
	compactHash = iota
	compactZSet
	compactSet
	compactIntset
	compactForms
)

// CompactSum has the collections in their full encoding that limits would make compact,
// and the bytes of memory that they would save.
type CompactSum struct{ Keys, Saves int64 }

// CompactSums are the sums of collections by compact encoding, by the least of the
// multiples 1, 2 and 4 of the limit of elements that they are within, and by that of the
// limit of bytes of an element.
type CompactSums [compactForms][compactSteps][compactSteps]CompactSum

// Add adds the sums of other collections.
func (s *CompactSums) Add(o *CompactSums) {
	for form := range s {
		for e := range s[form] {
			for b := range s[form][e] {
				s[form][e][b].Keys += o[form][e][b].Keys
				s[form][e][b].Saves += o[form][e][b].Saves
			}
		}
	}
}

// upTo returns the sum of the collections within multiples of both limits.
func (s *CompactSums) upTo(form, elements, bytes int) (sum CompactSum) {
	for e := range elements + 1 {
		for b := range bytes + 1 {
			sum.Keys += s[form][e][b].Keys
			sum.Saves += s[form][e][b].Saves
		}
	}
	return sum
}

// compileCompact prepares CountCompact: the limits of each type while compact-encoding is on.
func (e *Engine) compileCompact() {
	s := settingIn(e.policy.Settings, "compact-encoding")
	if !s.On || e.server.family == "dragonfly" {
		return
	}
	for _, t := range []parser.Type{parser.Hash, parser.ZSet, parser.Set} {
		e.compact[t] = makeCompactLimits(s, e.server, t)
	}
}

// CountCompact adds a key to the sums of collections that larger limits would make
// compact, if it is one.
func (e *Engine) CountCompact(k *parser.Key, to *CompactSums) {
	if k.CompactMemory < 0 || k.CompactMemory >= k.Memory || k.Type >= parser.NumTypes || e.compact[k.Type] == nil {
		return
	}
	if k.HasExpire && e.created >= 0 && k.ExpireAt <= e.created {
		return // the server deletes it without any setting
	}
	l := e.compact[k.Type]
	limit, form := l.form(k.Type, k.Integers), compactHash
	switch {
	case k.Encoding != l.full || limit.count == 0:
		return
	case k.Type == parser.ZSet:
		form = compactZSet
	case k.Type == parser.Set && k.Integers:
		form = compactIntset
	case k.Type == parser.Set:
		form = compactSet
	}
	elements, bytes := stepOf(k.Elements, limit.count), stepOf(k.Longest, limit.bytes)
	if elements < 0 || bytes < 0 {
		return
	}
	c := &to[form][elements][bytes]
	c.Keys++
	c.Saves += k.Memory - k.CompactMemory
}

// WasLarger reports whether a collection is in its full encoding although it is within the
// limits of the compact one: no server converts it back before it loads it again.
func (e *Engine) WasLarger(k *parser.Key) bool {
	if k.Type >= parser.NumTypes || e.compact[k.Type] == nil || k.Encoding != e.compact[k.Type].full {
		return false
	}
	limit := e.compact[k.Type].form(k.Type, k.Integers)
	return stepOf(k.Elements, limit.count) == 0 && stepOf(k.Longest, limit.bytes) == 0
}

// stepOf returns the least multiple of a limit that a figure is within, as an index, -1 none.
func stepOf(n, limit int64) int {
	return slices.IndexFunc(compactMultiples[:], func(m int64) bool { return n <= m*limit })
}

// SettingStep is what a value of a setting saves.
type SettingStep struct {
	Value int64 // elements, or bytes
	Keys  int64 // collections that become compact
	Saves int64 // bytes of memory
}

// Collections of a form that are worth a setting: they have at least this part of the
// largest saving.
const enoughSaved = .8

// CompactSettings returns the settings of the server that would make collections compact,
// with what each of 1, 2 and 4 times the present limit saves, as far as they save one part
// in 500 of all memory, whole. The value that is advised is the smallest that saves most. The
// groups show how much more it may be.
func (e *Engine) CompactSettings(sums *CompactSums, groups []GroupSums, whole int64) (list []Advice) {
	var saved, going, resizing [parser.NumTypes]float64
	for i := range groups {
		if g := &groups[i]; g.CompactKeys > 0 && !g.WasLarger && g.Type < parser.NumTypes && g.Model != nil {
			saved[g.Type] += float64(g.CompactSaves)
			going[g.Type] += float64(g.going(g.CompactSaves))
			resizing[g.Type] += g.resizing()
		}
	}
	for form := range compactForms {
		t, word := []parser.Type{parser.Hash, parser.ZSet, parser.Set, parser.Set}[form],
			[]string{"hashes", "sorted sets", "sets", "sets of integers"}[form]
		l := e.compact[t]
		if l == nil {
			continue
		}
		limit := l.form(t, form == compactIntset)
		settings := []struct {
			suffix  string
			present int64
			upTo    func(step int) CompactSum
		}{
			{"entries", limit.count, func(step int) CompactSum { return sums.upTo(form, step, 0) }},
			{"value", limit.bytes, func(step int) CompactSum { return sums.upTo(form, 0, step) }},
		}
		for _, s := range settings {
			now := s.upTo(0) // compact after a restart, with the present limits
			steps := []SettingStep{{s.present, now.Keys, now.Saves}}
			best := 0
			for i := 1; i < compactSteps; i++ {
				sum := s.upTo(i)
				steps = append(steps, SettingStep{compactMultiples[i] * s.present, sum.Keys, sum.Saves})
			}
			most := float64(steps[compactSteps-1].Saves - now.Saves)
			for best < compactSteps-1 && float64(steps[best].Saves-now.Saves) < enoughSaved*most {
				best++
			}
			saves, keys := steps[best].Saves-now.Saves, steps[best].Keys-now.Keys
			if keys == 0 || saves < minSavingBytes || saves*minSavingShare < whole {
				continue
			}
			name := settingName(e.server, t, form == compactIntset) + s.suffix
			more := 1 + resizing[t]/max(1, saved[t])
			a := e.settingAdvice(name, word, steps, best, keys, saves, mostSaved(saves, more*float64(saves)), s.suffix == "value")
			if a.setGoing(int64(float64(saves) * going[t] / max(1, saved[t]))); (saves-a.SavesGoing)*minSavingShare < whole {
				continue
			}
			list = append(list, a)
		}
	}
	slices.SortStableFunc(list, func(a, b Advice) int { return cmp.Compare(b.Saves, a.Saves) })
	return list
}

func (e *Engine) settingAdvice(name, word string, steps []SettingStep, best int, keys, saves, most int64,
	bytes bool) Advice {
	to := steps[best]
	value := func(arg string, n int64) message.Arg { return message.Text(arg, strconv.FormatInt(n, 10)) }
	args := []message.Arg{message.Code("setting", name), value("value", to.Value), value("now", steps[0].Value),
		message.Int("keys", keys), message.Word("collections", word), savedArg(saves, most, false),
		message.Int("us", max(1, to.Value/elementsPerMicrosecond))}
	cost := message.New("a look-up then reads up to {value} elements one after the other, some {us} µs", args...)
	if bytes {
		cost = message.New("a look-up then compares longer elements: of {value} B in place of {now}", args...)
	}
	var others []message.Message
	for i, s := range steps[1:] {
		if i+1 != best {
			others = append(others, message.New("{value}: {saved}", value("value", s.Value),
				message.Size("saved", s.Saves-steps[0].Saves)))
		}
	}
	args = append(args, message.Phrase("cost", cost), message.List("others", ", ", others))
	return Advice{Kind: "setting", Keys: keys, Of: keys, DB: AnyDatabase, Memory: -1, Saves: saves, SavesMost: most, Setting: name,
		Value: to.Value, Steps: steps,
		Text: message.New("Set {setting} to {value} ({now} now): {keys} {collections} become compact when the server "+
			"restarts, or when they are written again. "+
			"Saves {saved}. The cost: {cost}. Others would save: {others}.", args...),
		Brief: message.New("{setting} {value}", args...), Computed: message.New(resizedTables)}
}

// elementsPerMicrosecond is how many elements of a listpack a look-up reads in a microsecond.
const elementsPerMicrosecond = 100

// settingName returns the name of the setting of a compact encoding, without "entries" or
// "value".
func settingName(s server, t parser.Type, integers bool) string {
	names := compactSettings[t]
	if t == parser.Set && integers || t != parser.Set && s.family != "valkey" && !s.AtLeast(7, 0) {
		return names[0]
	}
	return names[1]
}
