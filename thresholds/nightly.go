package thresholds

import (
	"math"
	"strconv"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// Nightly is how a configuration sets nightly runs. What is zero is not set.
type Nightly struct {
	Shrink, Grow []ChangeLimit // at most MaxChangeLimits each
	// Edits set the limits of the rules max-age and min-keys. Policy.Settings has them if
	// the policy is made for a nightly run.
	Edits   []Edit
	Notify  []Text // arguments of --notify
	Metrics Text   // path
	Keep    *Days
	Remind  *Days
}

// Days is a number of days or seconds with its origin, -1 for never.
type Days struct {
	Number int64
	Origin Origin
}

// MaxChangeLimits is the largest number of limits for losses, and for growth: every group
// of every snapshot is compared with each.
const MaxChangeLimits = 200

// ChangeLimit is a change that is reported: of all keys, or of a group of keys.
type ChangeLimit struct {
	Group *naming.Glob // nil: all keys
	Fleet bool         // of all snapshots together; Group is nil
	Share float64      // of what was there before, if Bytes is 0
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

// ParseChange reads a percentage, or a size with its unit. It must be more than 0.
func ParseChange(s string) (l ChangeLimit, err error) {
	l.Text = strings.TrimSpace(s)
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
