package report

import (
	"strconv"

	"github.com/rdblens/rdblens/parser/message"
)

// Filter describes which keys were counted. All figures of the report are about
// these keys.
type Filter struct {
	Types       []string `json:"types,omitempty"`
	Databases   []int    `json:"databases,omitempty"`
	Match       []string `json:"match,omitempty" redact:"text"`
	Regex       []string `json:"regex,omitempty" redact:"text"`
	Under       []string `json:"under,omitempty" redact:"text"` // names begin with one of these
	MinSize     int64    `json:"min_size,omitempty"`
	MinElements int64    `json:"min_elements,omitempty"`
	MaxSize     *int64   `json:"max_size,omitempty"` // nil is none, as in all that follows
	MaxElements *int64   `json:"max_elements,omitempty"`
	// Bounds of memory, in bytes, and of the time of expiry, in seconds since the epoch:
	// from ExpireAfter on, and before ExpireBefore.
	MinMemory    *int64 `json:"min_memory,omitempty"`
	MaxMemory    *int64 `json:"max_memory,omitempty"`
	ExpireAfter  *int64 `json:"expire_after,omitempty"`
	ExpireBefore *int64 `json:"expire_before,omitempty"`
	// The same in seconds after the snapshot was taken; UntilMidnight is until the next midnight (UTC).
	ExpireAfterTaken  *int64 `json:"expire_after_taken,omitempty"`
	ExpireBeforeTaken *int64 `json:"expire_before_taken,omitempty"`
	// Over are rules, as a selection names them: only keys with a finding of one of them.
	Over     []string `json:"over,omitempty"`
	NoTTL    bool     `json:"no_ttl,omitempty"`    // keys without an expiry
	TTLUnder *int64   `json:"ttl_under,omitempty"` // seconds when the snapshot was taken
	TTLOver  *int64   `json:"ttl_over,omitempty"`
	IdleOver *int64   `json:"idle_over,omitempty"` // seconds
	Owners   []string `json:"owners,omitempty" redact:"text"`
	// Dropped is the number of keys that were read and not counted.
	Dropped int64 `json:"dropped"`
}

// UntilMidnight is the value of Filter.ExpireBeforeTaken that stands for the next midnight (UTC).
const UntilMidnight = -1

// filterAlert says which keys were counted, and how many were not.
func filterAlert(f *Filter) message.Message {
	return message.New("FILTERED: only {filter}; {keys} left out of everything below.",
		message.Phrase("filter", filterText(f)), keysArg("keys", f.Dropped))
}

// filterText describes which keys were counted: a list of conditions, zero if there
// are none.
func filterText(f *Filter) message.Message {
	parts := filterConditions(f)
	if parts == nil {
		return message.Message{}
	}
	return message.New("keys {conditions}", message.List("conditions", ", ", parts))
}

// filterConditions returns what a key must be to be counted, each a phrase that stands
// after "keys".
func filterConditions(f *Filter) (parts []message.Message) {
	add := func(id string, args ...message.Arg) { parts = append(parts, message.New(id, args...)) }
	words := func(one, many, name string, values []string, arg func(name, value string) message.Arg) {
		var list []message.Message
		for _, v := range values {
			list = append(list, only(arg(name, v)))
		}
		if len(list) == 1 {
			add(one, message.List(name, " or ", list))
		} else if len(list) > 1 {
			add(many, message.List(name, " or ", list))
		}
	}
	words("of type {type}", "of type {type}", "type", f.Types, message.Text)
	var databases []string
	for _, db := range f.Databases {
		databases = append(databases, strconv.Itoa(db))
	}
	words("in database {database}", "in database {database}", "database", databases, message.Text)
	words("that match {pattern}", "that match {pattern}", "pattern", f.Match, message.Name[string])
	words("that match the expression {pattern}", "that match the expression {pattern}", "pattern", f.Regex,
		message.Name[string])
	words("under {pattern}", "under {pattern}", "pattern", f.Under, message.Name[string])
	words("of the owner {owner}", "of the owners {owner}", "owner", f.Owners, message.Element[string])
	size := func(id string, n *int64) {
		if n != nil {
			add(id, message.ExactSize("size", *n))
		}
	}
	if f.MinSize > 0 {
		size("with values of at least {size}", &f.MinSize)
	}
	size("with values of at most {size}", f.MaxSize)
	if f.MinElements > 0 {
		add("with at least {elements}", elementsArg(f.MinElements))
	}
	if f.MaxElements != nil {
		add("with at most {elements}", elementsArg(*f.MaxElements))
	}
	size("of at least {size} of memory", f.MinMemory)
	size("of at most {size} of memory", f.MaxMemory)
	at := func(id string, seconds *int64) {
		if seconds != nil {
			add(id, message.Time("time", *seconds))
		}
	}
	at("that expire at {time} or later", f.ExpireAfter)
	at("that expire before {time}", f.ExpireBefore)
	words("with a finding of {rule}", "with a finding of {rule}", "rule", f.Over, message.Text)
	if f.NoTTL {
		add("without a TTL")
	}
	duration := func(id string, seconds *int64) {
		if seconds != nil {
			add(id, message.Figure("time", *seconds, message.FormExactDuration))
		}
	}
	duration("that expire {time} after the snapshot or later", f.ExpireAfterTaken)
	if f.ExpireBeforeTaken != nil && *f.ExpireBeforeTaken == UntilMidnight {
		add("that expire before the midnight (UTC) after the snapshot")
	} else {
		duration("that expire less than {time} after the snapshot", f.ExpireBeforeTaken)
	}
	duration("with a TTL under {time}", f.TTLUnder)
	duration("with a TTL over {time}", f.TTLOver)
	duration("idle for more than {time}", f.IdleOver)
	return parts
}

func elementsArg(n int64) message.Arg {
	return message.Number("elements", n, "1 element", "{n} elements")
}
