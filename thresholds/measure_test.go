package thresholds

import (
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
)

// TestUnitsOfMeasures checks that a rule whose limits are in another unit than what it
// measures does not compile.
func TestUnitsOfMeasures(t *testing.T) {
	compiles := func(u message.Unit, m measure) (ok bool) {
		defer func() { ok = recover() == nil }()
		s := Setting{Rule: &Rule{Name: "test", Unit: u}, On: true, Limits: []Limit{{Type: AnyType, Severity: Error, Value: 5}}}
		(&compiler{Setting: &s, typ: parser.String, table: &table{}}).over(m, nil)
		return true
	}
	for _, c := range []struct {
		unit message.Unit
		m    measure
		want bool
	}{{message.Count, elements, true}, {message.Bytes, elements, false}, {message.Bytes, valueBytes, true}, {message.Seconds, timeLeft, true}, {message.Count, timeLeft, false},
		{message.Seconds, idleTime, true}, {message.Bytes, nameLength, true}, {message.Count, nameLength, false}, {message.Count, classes, false}} {
		if got := compiles(c.unit, c.m); got != c.want {
			t.Errorf("limits of %s, measure %d: %t", c.unit, c.m, got)
		}
	}
}
