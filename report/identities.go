package report

import (
	"github.com/rdblens/rdblens/report/internal/agg"
	"github.com/rdblens/rdblens/report/internal/identity"
)

// identities returns what is known of groups, by their patterns.
func (f *finisher) identities() map[string]*Identity {
	byPattern := map[string]*identity.Group{}
	for _, s := range f.Samples.Samples() {
		pattern := string(f.Tables.Groups.PatternOf(s.DB, s.Name))
		g := byPattern[pattern]
		if g == nil {
			g = &identity.Group{Pattern: pattern}
			byPattern[pattern] = g
		}
		g.Samples = append(g.Samples, &s.Sample)
	}
	var groups []*identity.Group
	for pattern, from := range f.Tables.Groups.All {
		g := byPattern[string(pattern)]
		if g == nil {
			if g = withoutSample(from); g == nil {
				continue
			}
		}
		g.Pattern, g.Keys = string(pattern), from.Keys
		groups = append(groups, g)
	}
	known := map[string]*Identity{}
	for i, id := range identity.Identify(groups) {
		if id != nil {
			known[groups[i].Pattern] = id
		}
	}
	return known
}

// withoutSample returns a group with the name of its largest key, nil if its keys have
// several types.
func withoutSample(g *agg.Group) *identity.Group {
	t, one := g.Type()
	largest := g.Largest()
	if !one || largest == nil {
		return nil
	}
	k := largest.Key()
	return &identity.Group{Samples: []*identity.Sample{{Name: k.Name, DB: k.DB, Type: t, TTL: k.HasExpire, NameOnly: true}}}
}

// Recogniser is what is known of the keys of one library or product, Shape one form of
// them.
type (
	Recogniser = identity.Recogniser
	Shape      = identity.Shape
)

// Recognisers returns all libraries and products whose keys are recognised, by name.
// Nobody may change them.
func Recognisers() []*Recogniser { return identity.Recognisers() }

// FindRecogniser returns the one of a library, by its name or another word for it; nil if
// there is none.
func FindRecogniser(library string) *Recogniser { return identity.Find(library) }
