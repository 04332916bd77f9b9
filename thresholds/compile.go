package thresholds

import (
	"math"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds/naming"
)

type tables struct {
	settings []Setting
	types    [parser.NumTypes]table
}

// table has the rules that apply to one type. A gate is the first comparison of a
// rule; the check behind it runs only if the gate is passed.
type table struct {
	gates     []gate
	checks    []check // one for each gate
	prefilter prefilter
}

// gate lets a key pass if measure & mask > limit.
type gate struct {
	limit   int64
	mask    int64
	measure measure
}

type check struct {
	found   Finding // of a plain check: complete except for the measure
	plain   bool    // one level and no confirmation
	counted bool    // the finding has the measure and the limit
	second  bool    // the rule has another check before this one
	negated bool    // the measure is the negated figure
	levels  []level // severest first
	confirm confirmation
}

type level struct {
	limit    int64 // negated if the measure is
	severity Severity
}

// levels returns the limits for a type, the severest first. What is more is
// flagged.
func (s *Setting) levels(t parser.Type) []level {
	var levels []level
	for severity := Error; severity >= Info; severity-- {
		if v, ok := s.Limit(t, false, severity); ok {
			levels = append(levels, level{v, severity})
		}
	}
	return levels
}

// confirmation examines a key that passed the gate. It returns false if there is no
// finding, and may change figures and note of the finding.
type confirmation = func(k *parser.Key, f *naming.Facts, found *Finding) bool

func (e *Engine) tables(settings []Setting) *tables {
	t := &tables{settings: settings}
	for i := range settings {
		s := &settings[i]
		if !s.On || s.Rule.check == nil || s.Idle(e.policy) != "" {
			continue
		}
		for typ := range parser.NumTypes {
			if s.Rule.AppliesTo(typ) {
				s.Rule.check(&compiler{engine: e, settings: settings, Setting: s, typ: typ, table: &t.types[typ]})
			}
		}
	}
	for typ := range t.types {
		t.types[typ].prefilter = newPrefilter(&t.types[typ])
	}
	return t
}

type compiler struct {
	*Setting
	engine   *Engine
	settings []Setting
	typ      parser.Type
	table    *table
}

// over adds the rule's limits: a measure above a limit is flagged. confirm may be
// nil. A measure is exact to one in the unit of the limits: what may be exactly at a limit
// is not over it.
func (c *compiler) over(m measure, confirm confirmation) {
	levels, per := c.levels(c.typ), c.scaleOf(m)
	for i := range levels {
		levels[i].limit = min(levels[i].limit, (math.MaxInt64-per+1)/per)*per + per - 1
	}
	c.add(m, -1, false, levels, inUnits(per, confirm))
}

// inUnits divides the figures of a finding by how many of the measure are one of the unit.
func inUnits(per int64, confirm confirmation) confirmation {
	if per == 1 {
		return confirm
	}
	return func(k *parser.Key, f *naming.Facts, found *Finding) bool {
		found.Measured, found.Limit = found.Measured/per, found.Limit/per
		return confirm == nil || confirm(k, f, found)
	}
}

// scaleOf returns how many of a measure are one of the unit of the rule's limits. It
// panics if they are of different kinds.
func (c *compiler) scaleOf(m measure) int64 {
	s := scales[m]
	if s.unit != c.Rule.Unit {
		panic("thresholds: the limits of " + c.Rule.Name + " are not in the unit of what it measures")
	}
	return s.per
}

// under adds the rule's lower limits: a figure below a limit is flagged. The
// measure is the negated figure.
func (c *compiler) under(m measure, confirm confirmation) {
	var levels []level
	per := c.scaleOf(m)
	for s := Error; s >= Info; s-- {
		if v, ok := c.Limit(c.typ, c.Rule.Bound == Both, s); ok {
			levels = append(levels, level{max(-v, -math.MaxInt64/per) * per, s})
		}
	}
	c.add(m, -1, true, levels, inUnits(per, confirm))
}

// when adds a rule without limits: a key with measure & mask > limit is flagged.
// confirm may be nil, and may set figures.
func (c *compiler) when(m measure, mask, limit int64, confirm confirmation) {
	c.whenSevere(m, mask, limit, c.Severity, confirm)
}

// whenSevere is when with another severity than that of the setting.
func (c *compiler) whenSevere(m measure, mask, limit int64, severity Severity, confirm confirmation) {
	c.add(m, mask, false, []level{{limit, severity}}, confirm)
	x := &c.table.checks[len(c.table.checks)-1]
	x.found.Limit, x.counted = 0, false
}

func (c *compiler) add(m measure, mask int64, negated bool, levels []level, confirm confirmation) {
	if len(levels) == 0 {
		return
	}
	least := levels[0].limit
	for _, l := range levels {
		least = min(least, l.limit)
	}
	t := c.table
	n := len(t.checks)
	x := check{levels: levels, negated: negated, confirm: confirm, plain: len(levels) == 1 && confirm == nil && !negated,
		counted: true,
		second:  n > 0 && t.checks[n-1].found.Rule == c.Rule.ID}
	x.found = Finding{Rule: c.Rule.ID, Severity: levels[0].severity, ranked: c.Rule.rank != nil, Limit: levels[0].limit}
	t.gates = append(t.gates, gate{least, mask, m})
	t.checks = append(t.checks, x)
}

func (t *table) check(dst []Finding, k *parser.Key, f *naming.Facts, created int64) []Finding {
	var m measures
	fillMeasures(&m, k, f, created)
	checks := t.checks[:len(t.gates)]
	for i := range t.gates {
		g := &t.gates[i]
		measured := m[g.measure%numMeasures]
		if measured&g.mask <= g.limit {
			continue
		}
		c := &checks[i]
		if !c.plain || c.second {
			dst = c.report(dst, measured, k, f)
			continue
		}
		dst = append(dst, c.found)
		if c.counted {
			dst[len(dst)-1].Measured = measured
		}
	}
	return dst
}

// report appends the finding of a check whose gate was passed, unless it is not
// confirmed. Of two findings of one rule the severer one remains.
func (c *check) report(dst []Finding, measured int64, k *parser.Key, f *naming.Facts) []Finding {
	n := len(dst)
	dst = append(dst, c.found)
	found := &dst[n]
	if c.counted {
		for _, l := range c.levels {
			if measured > l.limit {
				found.Severity, found.Measured, found.Limit = l.severity, measured, l.limit
				break
			}
		}
		if c.negated {
			found.Measured, found.Limit = -found.Measured, -found.Limit
		}
	}
	if c.confirm != nil && !c.confirm(k, f, found) {
		return dst[:n]
	}
	if c.second && n > 0 && dst[n-1].Rule == found.Rule {
		if found.Severity > dst[n-1].Severity {
			dst[n-1] = *found
		}
		return dst[:n]
	}
	return dst
}
