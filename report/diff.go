package report

import "github.com/rdblens/rdblens/parser/message"

// DiffSchemaVersion identifies the JSON schema of a Diff, as SchemaVersion that of a
// report.
const DiffSchemaVersion = "rdblens-diff/1"

// The kinds of a change, in Diff.
const (
	ChangeNew       = "new"
	ChangeGone      = "gone"
	ChangeGrown     = "grown"
	ChangeShrunk    = "shrunk"
	ChangeRenamed   = "renamed"
	ChangeTTLLost   = "ttl lost" // a larger share of the keys has no TTL
	ChangeTTLGained = "ttl gained"
)

// Diff is what Compare found to differ between two snapshots or reports of the same
// servers. As a Report, it is plain data that nothing changes.
//
// A change counts if it is at least MinShare of what was there before and at least
// MinBytes. Smaller ones, and findings whose numbers differ, are the traffic of any
// server: they are in the figures, but are no change.
type Diff struct {
	Schema   string   `json:"schema"`   // DiffSchemaVersion
	Complete bool     `json:"complete"` // false if one of the two was not read to its end
	Changed  bool     `json:"changed"`  // something is different, beyond the traffic of a server, or an alert
	Tool     Tool     `json:"tool"`
	Old      DiffSide `json:"old"`
	New      DiffSide `json:"new"`
	// Of sizes that are compared: "memory_bytes", or "value_bytes" if the memory of one of the two is
	// unknown.
	Measure  string   `json:"measure"`
	MinShare float64  `json:"min_share"`
	MinBytes int64    `json:"min_bytes"`
	Alerts   []string `json:"alerts" redact:"of AlertMessages"` // what nobody must miss
	Notes    []string `json:"notes" redact:"of NoteMessages"`   // what limits the comparison
	// AlertMessages are Alerts, and NoteMessages are Notes, as messages.
	AlertMessages []message.Message `json:"alert_messages,omitempty"`
	NoteMessages  []message.Message `json:"note_messages,omitempty"`

	Totals DiffRow   `json:"totals"`
	Types  []DiffRow `json:"types"` // largest change first, as all lists
	// Prefixes are those of the trees of names whose keys changed enough, by bytes or by at least
	// MinKeys and MinShare of their number: the ones that say most about a change. Reports of older
	// versions have none.
	Prefixes []DiffRow `json:"prefixes"`
	MinKeys  int64     `json:"min_keys"`
	// Groups are all groups. Those that were folded differently are compared under the
	// widest pattern that they have in common: GroupsMerged is their number.
	Groups       []DiffRow    `json:"groups"`
	GroupsMerged int64        `json:"groups_merged"`
	Keys         DiffKeys     `json:"keys"`
	Findings     DiffFindings `json:"findings"`
	Separators   string       `json:"separators"` // of the segments of names
	// Redaction says how names were replaced, nil if they were not.
	Redaction *Redaction `json:"redaction,omitempty"`
}

// DiffSide is one of the two snapshots or reports.
type DiffSide struct {
	Name          Name   `json:"name" redact:"path"` // path of the snapshot, or of the first of a report
	Saved         bool   `json:"saved,omitempty"`
	Server        string `json:"server"`
	ServerVersion Name   `json:"server_version" redact:"release"`
	Created       Figure `json:"created"` // when the snapshot was taken, seconds since the epoch
	Profile       string `json:"profile"` // of rules, and those selected
	Complete      bool   `json:"complete"`
	Predicted     Figure `json:"predicted_used_memory"` // of all snapshots
	UsedMem       Figure `json:"used_mem"`              // of all snapshots
}

// DiffRow has the figures of all keys, of a type or of a group on both sides.
type DiffRow struct {
	Type  string `json:"type,omitempty"`  // of all keys of the group, "" if they have several
	Group *Name  `json:"group,omitempty"` // pattern, or the name of the only key
	// Prefix is true if Group is a prefix of names, which has several groups below it.
	Prefix bool `json:"prefix,omitempty"`
	// RenamedTo is the group, absent before, whose keys have the same figures: this
	// one may have been renamed. The row has the figures of both.
	RenamedTo *Name  `json:"renamed_to,omitempty"`
	DB        *int   `json:"db,omitempty"`
	Owner     string `json:"owner,omitempty" redact:"text"`
	Merged    bool   `json:"merged,omitempty"` // from groups that one of the two distinguishes
	// Change is "new", "gone", "grown", "shrunk", "renamed", or "" if the size did not
	// change enough to count. TTL is "ttl lost" or "ttl gained", "" neither.
	Change string `json:"change,omitempty"`
	TTL    string `json:"ttl_change,omitempty"`
	// Explained is true if what changed are single keys in Keys.
	Explained bool `json:"explained_by_keys,omitempty"`
	// Growth is the change of the size as a share of the size before, 0.3 for 30 % more;
	// null if there was nothing.
	Growth *float64 `json:"growth"`
	// Source has the lines of code that likely write the keys of a group that changed, the best
	// first, at most three.
	Source []SourceLine `json:"source,omitempty"`

	KeysBefore             int64  `json:"keys_before"`
	KeysAfter              int64  `json:"keys_after"`
	ElementsBefore         int64  `json:"elements_before"`
	ElementsAfter          int64  `json:"elements_after"`
	ValueBytesBefore       int64  `json:"value_bytes_before"`
	ValueBytesAfter        int64  `json:"value_bytes_after"`
	MemoryBytesBefore      Figure `json:"memory_bytes_before"`
	MemoryBytesAfter       Figure `json:"memory_bytes_after"`
	WithoutTTLBefore       int64  `json:"without_ttl_before"` // keys
	WithoutTTLAfter        int64  `json:"without_ttl_after"`
	WithoutTTLMemoryBefore Figure `json:"memory_bytes_without_ttl_before"`
	WithoutTTLMemoryAfter  Figure `json:"memory_bytes_without_ttl_after"`
}

// DiffKeys has the single keys that differ. Compared are the 10,000 largest of either
// snapshot and those over a limit of a rule, in at most 32 MB; of saved reports those on
// their lists. The keys of new and gone groups are among them.
type DiffKeys struct {
	New    []DiffKey `json:"new"`
	Gone   []DiffKey `json:"gone"`
	Grown  []DiffKey `json:"grown"`
	Shrunk []DiffKey `json:"shrunk"`
	// Entered are keys that the lists of the new report have and those of the old one do
	// not: they are new, or were not larger than Limit. Left is the reverse.
	Entered []DiffKey `json:"entered"`
	Left    []DiffKey `json:"left"`
	// Compared is the number of keys that were compared one by one.
	Compared int64 `json:"compared"`
}

// DiffKey is a key on both sides. Figures are null on a side that does not have the
// key.
type DiffKey struct {
	Input             int    `json:"input,omitempty"` // index into the inputs of a report
	DB                int    `json:"db"`
	Key               Name   `json:"key"` // at most its first 1024 bytes
	Type              string `json:"type"`
	Group             Name   `json:"group"`
	Limit             Figure `json:"limit"` // see DiffKeys.Entered
	ElementsBefore    Figure `json:"elements_before"`
	ElementsAfter     Figure `json:"elements_after"`
	ValueBytesBefore  Figure `json:"value_bytes_before"`
	ValueBytesAfter   Figure `json:"value_bytes_after"`
	MemoryBytesBefore Figure `json:"memory_bytes_before"`
	MemoryBytesAfter  Figure `json:"memory_bytes_after"`
	// Shown is false if the change is one of its whole group.
	Shown bool `json:"shown"`
	// Source has the lines of code that likely write the key, if it is shown; the best first, at
	// most three.
	Source []SourceLine `json:"source,omitempty"`
}

// DiffFindings has the findings of both sides by rule and group, those of instance
// rules by rule and subject: severest first.
type DiffFindings struct {
	New        []DiffFinding `json:"new"` // or severer than before
	Resolved   []DiffFinding `json:"resolved"`
	Persisting []DiffFinding `json:"persisting"`
	// Unknown is the number of those in Persisting that may be new or resolved,
	// because a saved report names only some groups of a rule.
	Unknown int64 `json:"unknown"`
}

// DiffFinding is a rule that keys of a group, or a subject of the instance, break.
type DiffFinding struct {
	Rule           string `json:"rule"`
	Severity       string `json:"severity"`                  // now; before, if it is resolved
	SeverityBefore string `json:"severity_before,omitempty"` // "" if it is new
	DB             *int   `json:"db,omitempty"`              // of all keys of the group
	Group          Name   `json:"group,omitempty"`
	Subject        Name   `json:"subject,omitempty" redact:"subject"` // the worst key, or the subject of an instance rule
	Owner          string `json:"owner,omitempty" redact:"text"`
	CountBefore    int64  `json:"count_before"` // findings
	CountAfter     int64  `json:"count_after"`
	Text           string `json:"text" redact:"of Message"` // about the worst
	// Reason says why a resolved finding is gone.
	Reason        string          `json:"reason,omitempty" redact:"of ReasonMessage"`
	ReasonMessage message.Message `json:"reason_message,omitzero"`
	// Source has the lines of code that likely write the keys of a new finding's group, the best
	// first, at most three.
	Source []SourceLine `json:"source,omitempty"`
	// Fix says what to do about a new finding, zero if the new report does not say it.
	Fix message.Message `json:"fix,omitzero"`
	// Message is Text, and SubjectMessage is Subject, as a message. Older versions do not have them.
	Message        message.Message `json:"message,omitzero"`
	SubjectMessage message.Message `json:"subject_message,omitzero"`
}

func (d *DiffRow) add(side int, g *Group) {
	if side == 0 {
		d.KeysBefore += g.Keys
		d.ElementsBefore += g.Elements
		d.ValueBytesBefore += g.ValueBytes
		d.MemoryBytesBefore = d.MemoryBytesBefore.plus(g.MemoryBytes)
		d.WithoutTTLBefore += g.WithoutTTL
		d.WithoutTTLMemoryBefore = d.WithoutTTLMemoryBefore.plus(g.MemoryWithoutTTL)
		return
	}
	d.KeysAfter += g.Keys
	d.ElementsAfter += g.Elements
	d.ValueBytesAfter += g.ValueBytes
	d.MemoryBytesAfter = d.MemoryBytesAfter.plus(g.MemoryBytes)
	d.WithoutTTLAfter += g.WithoutTTL
	d.WithoutTTLMemoryAfter = d.WithoutTTLMemoryAfter.plus(g.MemoryWithoutTTL)
}

// join keeps the type, database and owner of a row where further keys have the same.
func (d *DiffRow) join(typ string, db *int, owner string) {
	if d.Type != typ {
		d.Type = ""
	}
	if d.DB != nil && (db == nil || *db != *d.DB) {
		d.DB = nil
	}
	if d.Owner != owner {
		d.Owner = ""
	}
}

func (d *DiffRow) changed() bool { return d.Change != "" || d.TTL != "" }

// Size returns the sizes of a row by Measure.
func (d *Diff) Size(r *DiffRow) (before, after int64) {
	if d.Measure == ByMemory {
		return max(0, int64(r.MemoryBytesBefore)), max(0, int64(r.MemoryBytesAfter))
	}
	return r.ValueBytesBefore, r.ValueBytesAfter
}

func (d *Diff) counts(before, after int64) bool {
	by := max(after-before, before-after)
	return by >= d.MinBytes && float64(by) >= d.MinShare*float64(before)
}

// change returns how sizes and keys differ, "" if that does not count.
func (d *Diff) change(before, after int64, was, is bool) string {
	if !d.counts(before, after) {
		return ""
	}
	return kindOfChange(before, after, was, is)
}

// kindOfChange returns how figures differ, of what was there before and is there now or not.
func kindOfChange(before, after int64, was, is bool) string {
	switch {
	case !was:
		return ChangeNew
	case !is:
		return ChangeGone
	case after > before:
		return ChangeGrown
	case after < before:
		return ChangeShrunk
	}
	return ""
}
