package thresholds

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// Nightly is how a configuration, or flags, set nightly runs. What is zero is not set.
type Nightly struct {
	NightlyLimits
	Inputs  []NightlyInput // at most MaxChangeLimits
	Notify  []Text         // arguments of --notify
	Metrics Text           // path
	Keep    *Amount        // days
	Remind  *Amount        // seconds
}

// NightlyLimits are what a snapshot must keep.
type NightlyLimits struct {
	Shrink, Grow []ChangeLimit // at most MaxChangeLimits each
	MaxAge       *Amount       // seconds
	MinKeys      *Amount
}

// NightlyInput has the limits of the snapshots whose names match a glob.
type NightlyInput struct {
	Name *naming.Glob
	NightlyLimits
}

// Amount is a number with its origin, -1 for none.
type Amount struct {
	Number int64
	Origin Origin
}

// With returns the limits, and those of another one in place of what that sets.
func (l NightlyLimits) With(other NightlyLimits) NightlyLimits {
	if other.Shrink != nil {
		l.Shrink = other.Shrink
	}
	if other.Grow != nil {
		l.Grow = other.Grow
	}
	l.MaxAge, l.MinKeys = cmp.Or(other.MaxAge, l.MaxAge), cmp.Or(other.MinKeys, l.MinKeys)
	return l
}

// Of returns the limits of a snapshot. Of several entries that match its name, the last
// one that sets a limit decides it.
func (n *Nightly) Of(name string) NightlyLimits {
	l := n.NightlyLimits
	for i := range n.Inputs {
		if n.Inputs[i].Name.Match([]byte(name)) {
			l = l.With(n.Inputs[i].NightlyLimits)
		}
	}
	return l
}

// MaxChangeLimits is the largest number of limits for losses, and for growth: every group
// of every snapshot is compared with each.
const MaxChangeLimits = 200

// ChangeLimit is a change that is reported: of all keys, or of a group of keys.
type ChangeLimit struct {
	Group *naming.Glob // nil: all keys
	Fleet bool         // of all snapshots together; Group is nil
	Share float64      // of what was there before, if Bytes is 0; +Inf: no limit
	Bytes int64
	Text  string // as it was written, without the group
	Origin
}

// The words that stand for a group in a nightly run: all keys of each snapshot, and of
// all snapshots together.
const (
	ChangeOfInput = "input"
	ChangeOfFleet = "all"
)

// ParseChange reads a percentage, or a size with its unit, which must be more than 0, or
// off.
func ParseChange(s string) (l ChangeLimit, err error) {
	l.Text = strings.TrimSpace(s)
	if l.Text == "off" {
		l.Share = math.Inf(1)
		return l, nil
	}
	if percent, ok := strings.CutSuffix(l.Text, "%"); ok {
		l.Share, err = strconv.ParseFloat(strings.TrimSpace(percent), 64)
		if l.Share /= 100; err != nil || !(l.Share > 0) || math.IsInf(l.Share, 0) {
			err = message.Errorf("{name} is not a percentage", message.Element("name", s))
		}
		return l, err
	}
	if l.Text != "" && l.Text[len(l.Text)-1] >= '0' && l.Text[len(l.Text)-1] <= '9' {
		return l, message.Errorf("{name} is neither a percentage nor a size with its unit", message.Element("name", s))
	}
	if l.Bytes, err = message.ParseBytes(l.Text); err != nil || l.Bytes < 1 {
		err = message.Errorf("{name} is not a size", message.Element("name", s))
	}
	return l, err
}

// Of sets the keys whose change is limited: a group, or a word of a nightly run.
func (l *ChangeLimit) Of(group string) (err error) {
	switch group {
	case "", ChangeOfInput:
	case ChangeOfFleet:
		l.Fleet = true
	default:
		l.Group, err = naming.ParseGlob(group)
	}
	return err
}

// Subject returns the keys whose change is limited, as a configuration names them.
func (l *ChangeLimit) Subject() string {
	switch {
	case l.Fleet:
		return ChangeOfFleet
	case l.Group == nil:
		return ChangeOfInput
	}
	return l.Group.String()
}
