package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds"
)

// What could be saved, and what to fix first.

// saving is what one change would save in one group of keys, or in all.
type saving struct {
	bytes int64
	keys  int64
	how   string
	brief string // a sentence for the list of what to fix first
	group string // for display
}

// Bounds of what is worth a line.
const (
	minSavingKeys  = 2
	minSavingShare = 1.0 / 500 // of all memory
)

// findSavings finds the change of each group that saves most. The figures are
// estimates: the group's sums are exact, the sizes after the change are derived
// from averages.
func (v *overview) findSavings() {
	whole := int64(v.r.Totals.MemoryBytes)
	if whole <= 0 {
		return
	}
	// Fixed words have the lengths of their hashes if they do not stay.
	named := v.r.Redaction == nil || v.r.Redaction.MinKeys > 0 && v.r.Redaction.MinKeys*int64(len(v.r.Inputs)) <= hashFields
	compact := v.compactSavings()
	for i := range v.r.Groups {
		g := &v.r.Groups[i]
		if g.Keys < minSavingKeys || !g.MemoryBytes.Known() {
			continue
		}
		best := compact[g.Group]
		changes := []saving{g.compressed()}
		if named {
			changes = append(changes, g.inHashes(), g.shorterNames())
		}
		for _, s := range changes {
			if s.bytes > best.bytes {
				best = s
			}
		}
		if float64(best.bytes) < minSavingShare*float64(whole) {
			continue
		}
		if best.keys == 0 {
			best.keys = g.Keys
		}
		best.group = g.Group.Display()
		v.savings = append(v.savings, best)
	}
	v.savings = append(v.savings, v.otherServers()...)
	slices.SortStableFunc(v.savings, func(a, b saving) int {
		return cmp.Or(cmp.Compare(b.bytes, a.bytes), cmp.Compare(a.group, b.group), cmp.Compare(a.how, b.how))
	})
	v.savings = v.savings[:min(len(v.savings), overviewSavings)]
}

// otherServers returns what other servers would save, after a restart of each.
func (v *overview) otherServers() (list []saving) {
	if len(v.r.Inputs) == 0 || v.r.Inputs[0].Memory == nil {
		return nil
	}
	own, _ := v.predicted(v.r.Inputs[0].Memory.Model)
	for _, w := range v.r.Inputs[0].Memory.WhatIf {
		if w.State != "reloaded" || w.Model == v.r.Inputs[0].Memory.Model {
			continue
		}
		if n, ok := v.predicted(w.Model); ok && own > n {
			pairs := []string{"server", w.Model, "now", v.r.Inputs[0].Memory.Model, "need", message.FormatBytes(n), "all", message.FormatBytes(own)}
			list = append(list, saving{bytes: own - n, keys: v.r.Totals.Keys, group: thresholds.Fill("{server}, {need}", pairs...),
				how: thresholds.Fill("move from {now}, {all}", pairs...)})
		}
	}
	return list
}

// predicted returns the used_memory that all inputs would have after a restart of a
// server; ok is false if that of one is unknown.
func (v *overview) predicted(model string) (n int64, ok bool) {
	for i := range v.r.Inputs {
		m := v.r.Inputs[i].Memory
		if m == nil {
			return 0, false
		}
		at := slices.IndexFunc(m.WhatIf, func(w WhatIf) bool { return w.Model == model && w.State == "reloaded" })
		if at < 0 {
			return 0, false
		}
		n += int64(m.WhatIf[at].Predicted)
	}
	return n, len(v.r.Inputs) > 0
}

// otherAllocator says which allocator explains used_memory better than the one that
// is assumed, "" if there is none or it was not asked for.
func otherAllocator(in *Input) string {
	m := in.Memory
	if m == nil || m.Difference == nil || !m.Predicted.Known() {
		return ""
	}
	best, off := "", *m.Difference
	for _, w := range m.WhatIf {
		if d := int64(in.UsedMem - w.Predicted); w.Model == m.Model && w.State == m.State && max(d, -d) < max(off, -off) {
			best, off = w.Allocator, d
		}
	}
	pairs := []string{"best", best, "off", shareText(max(off, -off), int64(in.UsedMem)), "before", shareText(max(*m.Difference, -*m.Difference), int64(in.UsedMem)), "now", m.Allocator}
	switch {
	case best != "":
		return thresholds.Fill("used_memory fits --allocator {best} better: the prediction is {off} off, {before} with {now}", pairs...)
	case m.WhatIf == nil && m.Keys*2 > in.UsedMem && max(*m.Difference, -*m.Difference) > int64(in.UsedMem)*3/100:
		return thresholds.Fill("used_memory is {before} off the prediction for {now}: --what-if tries the other allocators", pairs...)
	}
	return ""
}

// compactSavings returns what the compact encodings would save in each group.
func (v *overview) compactSavings() map[Name]saving {
	list := map[Name]saving{}
	for i := range v.r.Rules {
		f := &v.r.Rules[i]
		for _, g := range f.Groups {
			if g.SavedBytes <= list[g.Group].bytes || g.Count < minSavingKeys {
				continue
			}
			pairs := []string{"group", shortName(g.Group), "rule", f.Rule, "keys", message.FormatCount(g.Count), "saved", message.FormatBytes(g.SavedBytes), "worst", f.worst().against()}
			list[g.Group] = saving{bytes: g.SavedBytes, keys: g.Count, how: thresholds.Fill("within the compact limits", pairs...),
				brief: thresholds.Fill("Bring {group} into the compact encoding, within its limits or with higher ones: {keys} keys are near them (rules explain {rule}). Saves {saved}.", pairs...)}
		}
	}
	return list
}

// The sizes of a hash in a listpack that small strings would share: at most
// hashFields fields of up to hashValue bytes, each with entryBytes besides name
// and value (encoding and length of the entry, twice: lpEncodeGetType and
// lpEncodeBacklen in listpack.c), in a block that is up to a quarter too large.
const (
	hashFields = 500
	hashValue  = 64
	entryBytes = 4
	hashBytes  = 128 // the key of the hash
)

// inHashes returns what small strings without a TTL would save as fields of
// hashes: the overhead of each key. Values and names are taken as long as the
// average of the group.
func (g *Group) inHashes() saving {
	n, value, variable := g.WithoutTTL, g.ValueBytes/g.Keys, g.averageName()-g.literal()
	if g.Type != "string" || n < hashFields || value > hashValue || variable > hashValue || !g.MemoryWithoutTTL.Known() {
		return saving{}
	}
	packed := (value+variable+entryBytes)*n*9/8 + (n/hashFields+1)*hashBytes
	s := saving{bytes: int64(g.MemoryWithoutTTL) - packed, keys: n}
	pairs := []string{"overhead", message.FormatExactBytes(int64(g.MemoryWithoutTTL)/n - value), "value", message.FormatExactBytes(value), "all", message.FormatBytes(int64(g.MemoryWithoutTTL) / n), "short", message.FormatBytes(value),
		"keys", message.FormatCount(n), "group", shortName(g.Group), "saved", message.FormatBytes(s.bytes)}
	s.how = thresholds.Fill("share hashes ({all} for {short})", pairs...)
	s.brief = thresholds.Fill("Store the {keys} strings of {group} without a TTL as fields of hashes, up to 500 in each: a key takes {overhead} besides its value of {value}. Saves about {saved}.", pairs...)
	return s
}

// averageName returns the average length of the keys' names, in bytes.
func (g *Group) averageName() int64 { return g.NameBytes / g.Keys }

// literal returns the bytes that the names of all keys of a group have in common.
func (g *Group) literal() int64 {
	if g.Group == FoldedGroup {
		return 0
	}
	return int64(len(g.Group) - strings.Count(string(g.Group), "*"))
}

// Names are worth shortening if all have longLiteral bytes in common; a short form
// has three letters of each word.
const (
	longLiteral = 20
	shortWord   = 3
)

// shorterNames returns what shorter words in the names would save: a byte a key for
// each letter, on average over the size classes of the allocator.
func (g *Group) shorterNames() saving {
	if g.literal() < longLiteral || g.Keys < hashFields {
		return saving{}
	}
	less, word := int64(0), 0
	for _, c := range []byte(g.Group + ":") {
		if c == '*' || c < '0' || c > '9' && c < 'A' || c > 'Z' && c < 'a' || c > 'z' && c < 0x80 {
			less += int64(max(0, word-shortWord))
			word = 0
			continue
		}
		word++
	}
	s := saving{bytes: less * g.Keys}
	pairs := []string{"n", message.FormatCount(less), "group", shortName(g.Group), "keys", message.FormatCount(g.Keys), "saved", message.FormatBytes(s.bytes)}
	s.how = thresholds.Fill("shorter names ({n} B less)", pairs...)
	s.brief = thresholds.Fill("Shorten the names of {group}: three letters a word are {n} bytes less for each of {keys} keys. Saves about {saved}.", pairs...)
	return s
}

// minCompressed is the average length from which on strings are worth compressing,
// in bytes.
const minCompressed = 512

// compressed returns what compressing the strings of a group would save: as much as
// in the snapshot, where the server compressed each of them with LZF. A snapshot
// without compression shows nothing.
func (g *Group) compressed() saving {
	if g.Type != "string" || g.ValueBytes < minCompressed*g.Keys || g.SerializedBytes*10 > g.ValueBytes*8 {
		return saving{}
	}
	s := saving{bytes: g.ValueBytes - g.SerializedBytes}
	pairs := []string{"share", shareText(g.SerializedBytes, g.ValueBytes), "group", shortName(g.Group), "keys", message.FormatCount(g.Keys), "saved", message.FormatBytes(s.bytes)}
	s.how = thresholds.Fill("compress (LZF: to {share})", pairs...)
	s.brief = thresholds.Fill("Compress the values of {group} before they are stored: LZF shrinks the {keys} values to {share} in this file. Saves about {saved}.", pairs...)
	return s
}

// findFixes lists what to do first: against what blocks the server, then what
// saves most memory. No two are about the same key or group.
func (v *overview) findFixes() {
	seen := map[string]bool{}
	add := func(what, sentence string) bool {
		if len(v.fixes) == overviewFixes || sentence == "" || seen[what] {
			return false
		}
		seen[what] = true
		v.fixes = append(v.fixes, sentence)
		return true
	}
	// blocking adds at most n fixes against what blocks the server or is wrong with
	// the snapshot.
	blocking := func(n int) {
		for _, p := range v.problems {
			if e := p.worst(); n > 0 && e != nil && p.harm >= thresholds.Blocks && add(string(e.subject()), p.sentence()) {
				n--
			}
		}
	}
	blocking(2)
	for _, s := range v.savings {
		if add(s.group, s.brief) {
			break
		}
	}
	for _, p := range v.problems {
		if g := p.largestGroup(); g != nil && p.worst() != nil && p.harm == thresholds.UsesMemory {
			add(p.Rule+string(g.Group), p.sentence())
		}
	}
	for _, p := range v.problems {
		if g := p.largestGroup(); g != nil && p.worst() != nil && p.harm == thresholds.Names && p.Severity == thresholds.Error.String() {
			add(p.Rule+string(g.Group), p.sentence())
		}
	}
	blocking(overviewFixes)
	for _, s := range v.savings {
		if len(v.fixes) < 3 {
			add(s.group, s.brief)
		}
	}
}

// largestGroup returns the group of a finding that takes most memory, or the worst
// key if it takes more; nil if there is none.
func (f *Finding) largestGroup() *FindingGroup {
	var largest *FindingGroup
	for i := range f.Groups {
		g := &f.Groups[i]
		if largest == nil || sizeOf(g.MemoryBytes, int64(g.ValueBytes)) > sizeOf(largest.MemoryBytes, int64(largest.ValueBytes)) {
			largest = g
		}
	}
	if e := f.worst(); largest != nil && e != nil && e.KeyRow != nil && sizeOf(e.Memory, int64(e.ValueBytes)) > sizeOf(largest.MemoryBytes, int64(largest.ValueBytes)) {
		return &FindingGroup{Group: e.Key, Count: 1, ValueBytes: e.ValueBytes, MemoryBytes: e.Memory}
	}
	return largest
}

// sentence returns what to do about the worst of a problem.
func (p *problem) sentence() string {
	e := p.worst()
	if rule, ok := thresholds.Lookup(p.Rule); ok && !rule.Instance && e.KeyRow == nil {
		return "" // there are more than a baseline accepts
	}
	measured, _, _ := strings.Cut(e.against(), " ")
	if e.Unit == message.Bytes.String() {
		measured = message.FormatBytes(int64(e.Measured))
	}
	pairs := []string{"key", shortName(e.subject()), "measured", measured, "text", shortSentence(e.Text), "keys", message.FormatCountOf(p.Count, "key", "keys"), "memory", sizeText(p.size())}
	if e.KeyRow != nil {
		reads := "0"
		if e.ValueBytes > 0 {
			reads = message.FormatCount(max(1, thresholds.CardBytes/int64(e.ValueBytes)))
		}
		pairs = append(pairs, "size", sizeText(e.ValueBytes), "keymemory", sizeText(sizeOf(e.Memory, int64(e.ValueBytes))), "reads", reads)
	}
	var groups []string
	for _, g := range e.Groups[:min(len(e.Groups), 2)] {
		groups = append(groups, shortName(g))
	}
	pairs = append(pairs, "groups", strings.Join(groups, ", "))
	if g := p.largestGroup(); g != nil {
		pairs = append(pairs, "group", shortName(g.Group), "groupkeys", message.FormatCountOf(g.Count, "key", "keys"), "groupmemory", sizeText(sizeOf(g.MemoryBytes, int64(g.ValueBytes))))
	}
	s := thresholds.Fill(p.brief, pairs...)
	if p.Count > 1 && p.harm == thresholds.Blocks && e.KeyRow != nil {
		s += " " + thresholds.Fill("There are {keys} of this kind, {memory}.", pairs...)
	}
	return s
}
