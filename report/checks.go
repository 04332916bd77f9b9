package report

import (
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds"
)

// Check is the answer to a limit of whole snapshots, --min-keys or --max-age: whether the
// worst of the inputs keeps it.
type Check struct {
	Rule  string `json:"rule"`  // "min-keys" or "max-age"
	Input int    `json:"input"` // index into inputs: the one with the fewest keys, or the oldest
	Limit int64  `json:"limit"` // keys, or seconds
	// Measured is the number of keys that were counted, or when the snapshot was taken, in
	// seconds since the epoch; unknown if it does not say.
	Measured Figure          `json:"measured"`
	Met      bool            `json:"met"`
	Text     string          `json:"text" redact:"of Message"`
	Message  message.Message `json:"message,omitzero"`
}

// checkLimits answers the limits of whole snapshots that the policy sets, by the severest
// limit of each. now is in seconds since the epoch.
func (r *Report) checkLimits(p *thresholds.Policy, now int64) {
	for _, name := range []string{"min-keys", "max-age"} {
		rule, _ := thresholds.Lookup(name)
		s := &p.Settings[rule.ID]
		var limit *thresholds.Limit
		for i := range s.Limits {
			if l := &s.Limits[i]; !l.None && (limit == nil || l.Severity > limit.Severity) {
				limit = l
			}
		}
		if !s.On || limit == nil || len(r.Inputs) == 0 {
			continue
		}
		c := Check{Rule: name, Limit: limit.Value}
		c.Met = c.worst(r, now)
		c.Message = c.sentence(r)
		c.Text = c.Message.String()
		r.Checks = append(r.Checks, c)
	}
}

// worst finds the input that a limit is hardest for, and reports whether it keeps it.
func (c *Check) worst(r *Report, now int64) bool {
	keys := make([]int64, len(r.Inputs))
	keys[0] = r.Totals.Keys
	if len(r.Nodes) > 0 {
		keys[0] = 0
		for _, n := range r.Nodes {
			keys[n.Input] = n.Keys
		}
	}
	for i := range r.Inputs {
		measured := Figure(keys[i])
		if c.Rule == "max-age" {
			measured = r.Inputs[i].Created
		}
		if i == 0 || measured < c.Measured {
			c.Input, c.Measured = i, measured
		}
	}
	if c.Rule == "max-age" {
		return c.Measured > 0 && now-int64(c.Measured) <= c.Limit
	}
	return int64(c.Measured) >= c.Limit
}

func (c *Check) sentence(r *Report) message.Message {
	args := []message.Arg{message.Text("rule", c.Rule), fileArg("file", r.Inputs[c.Input].Name),
		message.Int("n", int64(c.Limit)),
		keysArg("keys", int64(c.Measured)), message.Time("time", int64(c.Measured)),
		message.Figure("limit", c.Limit, message.FormExactDuration)}
	id := ""
	switch {
	case c.Rule == "min-keys" && c.Met:
		id = "{rule} {n}: met, {file} has {keys}"
	case c.Rule == "min-keys":
		id = "{rule} {n}: NOT MET, {file} has {keys}"
	case c.Met:
		id = "{rule} {limit}: met, {file} was taken {time}"
	case c.Measured.Known():
		id = "{rule} {limit}: NOT MET, {file} was taken {time}"
	default:
		id = "{rule} {limit}: NOT MET, {file} does not say when it was taken"
	}
	return message.New(id, args...)
}
