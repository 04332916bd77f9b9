package identity

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds"
)

// holds reports whether the value of a sample is as the shape says.
func (s *pattern) holds(k *Sample) bool {
	if k.NameOnly {
		return true
	}
	if k.Unlike || s.TTL != "" && k.TTL != (s.TTL == "yes") {
		return false
	}
	all := int64(len(k.Values)) >= k.Elements || k.Type == parser.Stream
	if len(s.fields) > 0 && !hasFields(k, s.fields, all) {
		return false
	}
	if len(s.anyField) > 0 && !slices.ContainsFunc(s.anyField, func(f string) bool { return hasField(k, f) }) {
		return false
	}
	if len(s.onlyFields) > 0 {
		for i := range k.Values {
			if !slices.Contains(s.onlyFields, string(k.Values[i].Name)) {
				return false
			}
		}
	}
	if s.FieldLike != "" && !slices.ContainsFunc(k.Values, func(v Value) bool { return s.fieldLike().Match(v.Name) }) {
		return false
	}
	if s.score != nil {
		if len(k.Values) == 0 {
			return false
		}
		for i := range k.Values {
			if !s.score(k.Values[i].Score) {
				return false
			}
		}
	}
	if len(s.json) == 0 && s.Text == "" && len(s.kinds) == 0 {
		return true
	}
	ok, any := true, false
	k.texts(func(t text) bool {
		if k.Type == parser.Hash || k.Type == parser.Stream {
			any, ok = true, s.textHolds(t) // one of the fields will do
			return !ok
		}
		if !any || t.whole {
			any, ok = true, s.textHolds(t) // all items and members
		}
		return ok
	})
	return ok && any
}

func (s *pattern) textHolds(t text) bool {
	for i, key := range s.json {
		if i == 0 && !isJSON(t.b) {
			return false
		}
		if !bytes.Contains(t.b, []byte(`"`+key+`":`)) && !bytes.Contains(t.b, []byte(`"`+key+`" :`)) {
			return false
		}
	}
	if s.Text != "" && !s.text().Match(t.b) {
		return false
	}
	return len(s.kinds) == 0 || slices.ContainsFunc(s.kinds, func(is func(text) bool) bool { return is(t) })
}

func hasField(k *Sample, field string) bool {
	return slices.ContainsFunc(k.Values, func(v Value) bool { return string(v.Name) == field })
}

// hasFields reports whether fields are there: all, or one if not all fields of the key are
// in the sample.
func hasFields(k *Sample, fields []string, all bool) bool {
	found := 0
	for _, f := range fields {
		if hasField(k, f) {
			found++
		}
	}
	return found == len(fields) || !all && found > 0
}

// place is where a library may have keys: a prefix in a database, or a queue there.
type place struct {
	library       int
	db            int
	prefix, queue string
}

type proof struct {
	shapes []*Shape
	signs  int
}

func (p *proof) add(s *Shape) {
	if !slices.Contains(p.shapes, s) {
		p.shapes = append(p.shapes, s)
		p.signs += s.Sign
	}
}

// sufficient is how many signs name a library.
const sufficient = 2

type match struct {
	place
	shape *candidate
}

type matcher struct {
	list   []*Recogniser
	byType [parser.NumTypes][]*candidate
	proofs map[place]*proof
	// learned has the libraries that are sure in a database, with the prefixes that are
	// sure, the longest first.
	learned map[place][]string
}

// candidate is a shape of a library that samples may have. It is compiled when it is
// needed first: most are not in most snapshots.
type candidate struct {
	*Shape
	library  int
	order    int    // among the shapes of its library
	literal  string // that all names have
	gram     gram   // of the literal
	compiled *pattern
}

func (c *candidate) mayMatch(name []byte, g *grams) bool {
	return g.have(c.gram) && bytes.Contains(name, []byte(c.literal))
}

func (c *candidate) get() *pattern {
	if c.compiled == nil {
		p, err := c.ready()
		if err != nil {
			panic(err) // a test compiles all of them
		}
		c.compiled = p
	}
	return c.compiled
}

func newMatcher(list []*Recogniser) *matcher {
	m := &matcher{list: list, proofs: map[place]*proof{}, learned: map[place][]string{}}
	for i, r := range list {
		for n, s := range r.Shapes {
			literal := literalOf(s.Name)
			m.byType[s.Type.Type] = append(m.byType[s.Type.Type],
				&candidate{Shape: s, library: i, order: n, literal: literal, gram: gramOf(literal)})
		}
	}
	return m
}

// look returns the shapes with signs that a sample has.
func (m *matcher) look(k *Sample) (found []match) {
	if k.NameOnly {
		return nil
	}
	grams := gramsOf(k.Name)
	for _, c := range m.byType[k.Type%parser.NumTypes] {
		if c.Sign == 0 || !c.mayMatch(k.Name, &grams) || !c.get().holds(k) {
			continue
		}
		p := c.get()
		prefix, queue, ok := p.match(k.Name)
		if !ok {
			continue
		}
		found = append(found, match{place{c.library, k.DB, prefix, queue}, c})
	}
	return found
}

// lookAt returns the shapes with signs that the samples of a group have, and notes them. Of a shape with a number
// that does not differ, all PerClass samples must have the same one.
func (m *matcher) lookAt(g *Group) [][]match {
	found := make([][]match, len(g.Samples))
	for j, k := range g.Samples {
		found[j] = m.look(k)
	}
	for j, list := range found {
		found[j] = slices.DeleteFunc(list, func(f match) bool {
			return f.shape.get().same && (len(found) < PerClass || slices.ContainsFunc(found, func(o []match) bool {
				return !slices.Contains(o, f)
			}))
		})
	}
	for _, list := range found {
		for _, f := range list {
			m.note(f.place, f.shape.Shape)
			if f.queue != "" {
				f.queue = ""
				m.note(f.place, f.shape.Shape)
			}
		}
	}
	return found
}

func (m *matcher) note(at place, s *Shape) {
	p := m.proofs[at]
	if p == nil {
		p = &proof{}
		m.proofs[at] = p
	}
	p.add(s)
}

func (m *matcher) learn() {
	for at, p := range m.proofs {
		if p.signs < sufficient {
			continue
		}
		all := place{library: at.library, db: at.db}
		list := m.learned[all]
		if at.queue == "" {
			list = append(list, at.prefix)
		}
		m.learned[all] = list // the library is known, if at no prefix
	}
	for _, list := range m.learned {
		slices.SortFunc(list, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	}
}

// lookAgain returns the shapes without a sign that a sample has where its library is
// known to be; of a sample of which only the name is known, also those with signs.
func (m *matcher) lookAgain(k *Sample) (found []match) {
	if len(m.learned) == 0 {
		return nil
	}
	grams := gramsOf(k.Name)
	for _, c := range m.byType[k.Type%parser.NumTypes] {
		if c.Sign > 0 && !k.NameOnly || !c.mayMatch(k.Name, &grams) ||
			k.NameOnly && (strings.HasPrefix(c.Name, "{D}") || m.list[c.library].Weak) {
			continue
		}
		prefixes, known := m.learned[place{library: c.library, db: k.DB}]
		if !known || !c.get().holds(k) {
			continue
		}
		p := c.get()
		if !p.learned && !p.beside {
			prefix, queue, ok := p.match(k.Name)
			if ok && !(k.NameOnly && p.bare && (prefix == "" || prefix == anywhere)) {
				found = append(found, match{place{c.library, k.DB, prefix, queue}, c})
			}
			continue
		}
		for _, prefix := range prefixes {
			rest, ok := k.Name, p.beside
			if p.learned && prefix != "" && prefix != anywhere {
				rest, ok = bytes.CutPrefix(k.Name, []byte(prefix))
			}
			if ok && p.re().Match(rest) {
				found = append(found, match{place{c.library, k.DB, prefix, ""}, c})
				break
			}
		}
	}
	return found
}

// unlike reports whether no library and no layout can have a sample, whatever other samples are.
func (m *matcher) unlike(k *Sample) bool {
	grams := gramsOf(k.Name)
	for _, c := range m.byType[k.Type%parser.NumTypes] {
		if !grams.have(c.gram) || !c.get().holds(k) {
			continue
		}
		if _, _, ok := c.get().match(k.Name); ok || c.get().learned || c.get().beside {
			return false
		}
	}
	return layout(&Group{Samples: []*Sample{k}}) == nil
}

// signs returns the signs for a match: those at the queue, or else at the prefix.
func (m *matcher) signs(f match) int {
	p := m.proofs[f.place]
	if f.queue != "" && (p == nil || p.signs < sufficient) &&
		(f.shape.Sign > 0 || f.prefix != "" && f.prefix != anywhere) {
		f.queue = ""
		p = m.proofs[f.place]
	}
	if p == nil {
		return 0
	}
	return p.signs
}

// decide returns the best of the shapes of a sample, nil if no library is sure.
func (m *matcher) decide(found []match) (best *match, signs int) {
	for i := range found {
		f := &found[i]
		n := m.signs(*f)
		if n < sufficient {
			continue
		}
		if best == nil || f.library != best.library && m.better(f, best, n, signs) {
			best, signs = f, n
		}
	}
	return best, signs
}

func (m *matcher) better(a, b *match, signs, than int) bool {
	x, y := m.list[a.library], m.list[b.library]
	switch {
	case x.Weak != y.Weak:
		return y.Weak
	case slices.Contains(x.Beats, y.Library):
		return true
	case slices.Contains(y.Beats, x.Library):
		return false
	case a.shape.Sign != b.shape.Sign && (a.shape.Sign == 0 || b.shape.Sign == 0):
		return a.shape.Sign > b.shape.Sign
	}
	return signs > than
}

// Identify returns the identities of groups, nil where none is known.
func Identify(groups []*Group) []*thresholds.Identity {
	return identify(Recognisers(), groups)
}

// agreement is the share of the samples of a group that one library must have.
const agreement = 0.9

func identify(list []*Recogniser, groups []*Group) []*thresholds.Identity {
	m := newMatcher(list)
	found := make([][][]match, len(groups))
	for i, g := range groups {
		found[i] = m.lookAt(g)
	}
	m.learn()
	for i, g := range groups {
		for j, k := range g.Samples {
			list := append(found[i][j], m.lookAgain(k)...)
			slices.SortStableFunc(list, func(a, b match) int { return a.shape.order - b.shape.order })
			found[i][j] = list
		}
	}
	out := make([]*thresholds.Identity, len(groups))
	for i, g := range groups {
		if out[i] = m.group(g, found[i]); out[i] == nil {
			out[i] = layout(g)
		}
	}
	return out
}

func (m *matcher) group(g *Group, found [][]match) *thresholds.Identity {
	type key struct {
		library int
		shape   *Shape
	}
	votes := map[key]int{}
	libraries := map[int]int{}
	signs := map[int]int{}
	queues := map[int]map[string]bool{}
	for j := range g.Samples {
		if best, n := m.decide(found[j]); best != nil {
			votes[key{best.library, best.shape.Shape}]++
			if queues[best.library] == nil {
				queues[best.library] = map[string]bool{}
			}
			if !best.shape.get().same {
				queues[best.library][best.queue] = true
			}
			libraries[best.library]++
			signs[best.library] = max(signs[best.library], n)
		}
	}
	for library, n := range libraries {
		if float64(n) < agreement*float64(len(g.Samples)) {
			continue
		}
		var best *Shape
		for _, s := range m.list[library].Shapes {
			if v := votes[key{library, s}]; v > 0 && (best == nil || v > votes[key{library, best}]) {
				best = s
			}
		}
		id := m.list[library].identity(best, signs[library])
		if len(queues[library]) == 1 {
			for q := range queues[library] {
				id.Queue = q
			}
		}
		return id
	}
	return nil
}

func (r *Recogniser) identity(s *Shape, signs int) *thresholds.Identity {
	id := &thresholds.Identity{Library: r.Library, Role: s.Role, ByDesign: s.ByDesign, Setting: s.Setting,
		Deletion: s.Delete, DeletesEach: s.Each, DeletesAlso: s.Also, Sure: thresholds.Likely,
		Tried: r.Tried, Source: r.Source, EmptySegments: r.EmptySegments, WhiteSpace: strings.ContainsAny(s.Name, " \"\x01")}
	if signs > sufficient {
		id.Sure = thresholds.Sure
	}
	return id
}
