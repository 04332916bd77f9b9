package report

import (
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/internal/agg"
	"github.com/rdblens/rdblens/report/internal/cluster"
	"github.com/rdblens/rdblens/report/internal/identity"
	"github.com/rdblens/rdblens/thresholds"
)

// SchemaVersion identifies the JSON schema of a report. Fields may be added under
// the same version; a field that changes its meaning or is removed requires a new
// one.
const SchemaVersion = "rdblens/2"

// olderSchemas are those that Read reads besides. A field that they do not have is
// its zero value.
var olderSchemas = []string{"rdblens/1"}

// The measures that keys are ranked by: the keys of Report.Top. Each is the name
// of the column that has the figure.
const (
	ByMemory      = "memory_bytes"
	ByMemoryUsage = "memory_usage_bytes"
	ByValueBytes  = "value_bytes"
	ByElements    = "elements"
	BySerialized  = "serialized_bytes"
	ByLargest     = "largest_element_bytes"
)

// Measures returns the measures that keys are ranked by, the default first.
func Measures() []string {
	return []string{ByMemory, ByMemoryUsage, ByValueBytes, ByElements, BySerialized, ByLargest}
}

// Report is what Scan found in one or several snapshots. It is plain data that
// nothing changes after Scan returned it, with a versioned JSON form.
//
// Sizes are in bytes and durations in seconds unless the name says otherwise.
// Lists are in the order in which they are shown, which is total: the same
// snapshots result in the same report, byte by byte.
type Report struct {
	Schema string `json:"schema"` // SchemaVersion
	// Complete is false if an input was not read to its end: Inputs say why.
	Complete bool `json:"complete"`
	// Interrupted reports whether the context ended before the scan, as on a signal.
	Interrupted bool    `json:"interrupted,omitempty"`
	Tool        Tool    `json:"tool"`
	Config      Config  `json:"config"`
	Filter      *Filter `json:"filter,omitempty"` // nil: every key was counted
	// Redaction says how names were replaced, nil if they were not.
	Redaction *Redaction `json:"redaction,omitempty"`
	Inputs    []Input    `json:"inputs"`
	// SameServer has pairs of inputs that seem to be of one server: all sums count its keys twice.
	SameServer []SameServer `json:"same_server,omitempty"`
	// Cluster compares the inputs with Options.Cluster, nil if that is not given.
	Cluster *cluster.Check `json:"cluster,omitempty"`

	// Checks answer the limits of whole snapshots that were set, --min-keys and --max-age.
	Checks []Check `json:"checks,omitempty"`

	Totals Totals `json:"totals"`
	// Nodes has the totals of each input that was read, if there are several, most
	// bytes first.
	Nodes     []Node     `json:"nodes,omitempty"`
	Types     []TypeRow  `json:"types"`     // types that have keys, most bytes first
	Encodings []Encoding `json:"encodings"` // most bytes first
	Databases []Database `json:"databases"` // by input, then number; at most 1024 of an input, and OtherDatabases

	// Top has the largest keys by measure, TopByType those of each type, by type
	// and measure. By is the measure of the list that is shown where there is
	// room for one.
	By        string                         `json:"by"`
	Top       map[string][]KeyRow            `json:"top"`
	TopByType map[string]map[string][]KeyRow `json:"top_by_type"`
	Hot       []KeyRow                       `json:"hot"` // highest LFU counters; empty where the snapshot has none

	// FixFirst is what to do first: against what blocks the server, then what saves most
	// memory. Savings has the change of each group that saves most memory, the largest
	// saving first, at most 100.
	FixFirst []Step `json:"fix_first"`
	Savings  []Step `json:"savings"`
	// CanGo has what can be deleted with the least harm, what frees most memory first, at most 100
	// rows; nil in reports of older versions. Savings do not count it.
	CanGo []Removable `json:"can_go,omitempty"`

	Findings Counts    `json:"findings"` // findings by severity
	Rules    []Finding `json:"rules"`    // severest first, then in the order of the rules
	// Counted are findings that are only counted, because the limit is a profile's
	// recommendation that many keys are over. They are not in Rules.
	Counted []Counted `json:"counted,omitempty"`
	// Passed are the names of the rules that keys were checked against and that found
	// nothing that counts, in the order of the rules; nil of older versions.
	Passed  []string  `json:"passed,omitempty"`
	Ignored []Ignored `json:"ignored"`

	Groups []Group `json:"groups"` // in the order of Options.GroupOrder
	// GroupsFolded is the number of patterns without a group of their own, an
	// estimate with a standard error under 2 %. Their keys are counted in the
	// group of a wider pattern, with * for a segment that has too many values.
	GroupsFolded int64 `json:"groups_folded"`
	// Tree has the keys by what their names begin with, heaviest prefixes first, at most
	// Options.TreeNodes of them. Nil: it was not asked for, or the report has no keys, or is of an older version.
	Tree   *TreeNode `json:"tree,omitempty"`
	Owners []Owner   `json:"owners"`
	// Budgets are those of the configuration: those of groups and owners, and in a cluster
	// of databases, over all inputs, the others for each.
	Budgets []Budget `json:"budgets,omitempty"`

	Expiry     []Bucket   `json:"expiry"` // TTLs when the snapshot was taken
	Histograms Histograms `json:"histograms"`
	// Slots has all hash slots of a cluster in 256 ranges, nil if the rule slot-skew did
	// not add them up.
	Slots []thresholds.SlotRange `json:"slots,omitempty"`

	// ExpiryTimes has the keys that expire in steps of time, for the next day, 30 days and two
	// years; nil if the rule ttl-stampede did not add them up, or no key expires.
	ExpiryTimes []thresholds.ExpiryTimes `json:"expiry_times,omitempty"`

	// ExpiresNext has the keys that expire soon after the snapshot was taken: within an hour, before
	// midnight (UTC), and within 24 hours, in the order of their ends: each has all that the ones
	// before it have. ExpiresHourly
	// has the hours of the 24 in which keys expire. Those that had expired already are in none. Both
	// are nil if no key expires so soon, and in reports of older versions.
	ExpiresNext   []Expiring `json:"expires_next,omitempty"`
	ExpiresHourly []Expiring `json:"expires_hourly,omitempty"`

	// Bounds says what else is not exact, nil if nothing is.
	Bounds *Bounds `json:"bounds,omitempty"`

	// State returns what format shard writes, nil if Options.Shard did not ask for it.
	State func() []byte `json:"-"`
}

// FoldedGroup is what the groups that an output leaves out are called together.
const FoldedGroup = "(other)"

// Tool is the program that made the report.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Config is the configuration that was in force.
type Config struct {
	Profile  string `json:"profile"`
	File     string `json:"file,omitempty" redact:"path"`     // the team's configuration, "" none
	Rules    string `json:"rules,omitempty"`                  // --rules as given, "" all of the profile
	Baseline string `json:"baseline,omitempty" redact:"path"` // accepted findings, "" none
	FailOn   string `json:"fail_on,omitempty"`
	// Checked are the rules that were in force, in the order of the rules. Reports of older
	// versions do not have them.
	Checked    []string `json:"checked,omitempty"`
	Separators string   `json:"separators,omitempty"` // of the segments of names, each an ASCII character
	Cluster    bool     `json:"cluster"`              // configured or recognized as a cluster's node
	// Warnings are about valid but suspicious settings. WarningMessages are the same as messages.
	Warnings        []string          `json:"warnings" redact:"of WarningMessages"`
	WarningMessages []message.Message `json:"warning_messages,omitempty"`
}

// Totals are sums over all counted keys.
type Totals struct {
	Keys            int64  `json:"keys"`
	Elements        int64  `json:"elements"`
	ValueBytes      int64  `json:"value_bytes"`
	SerializedBytes int64  `json:"serialized_bytes"`
	MemoryBytes     Figure `json:"memory_bytes"`
	MemoryUsage     Figure `json:"memory_usage_bytes"`
	// MemoryBound: the memory figures are a lower bound, because no model covers
	// the types or the servers of some keys.
	MemoryBound bool `json:"memory_is_lower_bound,omitempty"`
	// MemoryApproximate: those of some keys may differ from the truth to either
	// side, because their types were not measured or depend on what no snapshot
	// shows.
	MemoryApproximate bool `json:"memory_is_approximate,omitempty"`
	// WithoutMemory is the number of keys of inputs whose server no model covers:
	// they add nothing to the memory figures and are in no list by memory.
	WithoutMemory int64 `json:"keys_without_memory,omitempty"`
	NameBytes     int64 `json:"key_name_bytes"`
	WithTTL       int64 `json:"keys_with_ttl"`
	WithoutTTL    int64 `json:"keys_without_ttl"`
	// Value bytes and memory of the keys without an expiry, which the volatile
	// eviction policies never evict.
	WithoutTTLBytes  int64  `json:"value_bytes_without_ttl"`
	WithoutTTLMemory Figure `json:"memory_bytes_without_ttl,omitempty"`
	Expired          Figure `json:"expired"` // past their expiry when the snapshot was taken
	FieldsWithTTL    int64  `json:"fields_with_ttl"`
	StreamGroups     int64  `json:"stream_groups"`
	StreamPending    int64  `json:"stream_pending"`
	// Stalling is the number of keys that make other clients wait: those that a rule with that harm
	// flags as a warning or an error. Older reports do not have it.
	Stalling int64 `json:"stalling_keys,omitempty"`
}

// Node has the totals of one of several inputs.
type Node struct {
	Input       int     `json:"input"` // index into inputs
	Keys        int64   `json:"keys"`
	ValueBytes  int64   `json:"value_bytes"`
	MemoryBytes Figure  `json:"memory_bytes"`
	Share       float64 `json:"share"` // of all memory, else of all value bytes, 0 to 1
	// Skew is how many times the mean of the inputs the node has of memory, else of value
	// bytes. 1 is as much as the others.
	Skew       float64 `json:"skew"`
	WithoutTTL int64   `json:"keys_without_ttl"`
	// Findings about the node's keys, and the node alone; not those over several inputs.
	Findings Counts `json:"findings"`
}

// TypeRow has the totals of one data type.
type TypeRow struct {
	Type            string  `json:"type"`
	Keys            int64   `json:"keys"`
	Elements        int64   `json:"elements"`
	ValueBytes      int64   `json:"value_bytes"`
	SerializedBytes int64   `json:"serialized_bytes"`
	MemoryBytes     Figure  `json:"memory_bytes"`
	MemoryUsage     Figure  `json:"memory_usage_bytes"`
	Share           float64 `json:"share"`         // of all memory, else of all value bytes, 0 to 1
	AverageBytes    Figure  `json:"average_bytes"` // value bytes a key
	WithTTL         int64   `json:"keys_with_ttl"`
	MaxElements     Figure  `json:"max_elements"`
	MaxValueBytes   Figure  `json:"max_value_bytes"`
	MaxMemoryBytes  Figure  `json:"max_memory_bytes"`
	LargestKey      *KeyRow `json:"largest_key"` // by memory, else by value bytes
}

// Encoding has the totals of one type in one encoding.
type Encoding struct {
	Type        string `json:"type"`
	Encoding    string `json:"encoding,omitempty"` // "" unknown
	Keys        int64  `json:"keys"`
	Elements    int64  `json:"elements"`
	ValueBytes  int64  `json:"value_bytes"`
	MemoryBytes Figure `json:"memory_bytes"`
	// Keys without an expiry. Of strings with the encoding "int" they are the
	// counters that never expire, among others.
	WithoutTTL       int64  `json:"keys_without_ttl,omitempty"`
	WithoutTTLMemory Figure `json:"memory_bytes_without_ttl,omitempty"`
}

// OtherDatabases is the number of the Database that stands for the databases of an
// input beyond the 1,024 that are distinguished.
const OtherDatabases = agg.OtherDatabases

// Database has the totals of one database of one input.
type Database struct {
	Input       int    `json:"input"` // index into inputs
	DB          int    `json:"db"`    // or OtherDatabases
	Keys        int64  `json:"keys"`
	WithTTL     int64  `json:"keys_with_ttl"`
	ValueBytes  int64  `json:"value_bytes"`
	MemoryBytes Figure `json:"memory_bytes"`
	// WithTTLMemory is the memory of the keys that have an expiry.
	WithTTLMemory Figure `json:"memory_bytes_with_ttl"`
}

// Counts has the numbers of findings by severity.
type Counts struct {
	Error   int64 `json:"error"`
	Warning int64 `json:"warning"`
	Info    int64 `json:"info"`
	Ignored int64 `json:"ignored"`
	// Explained are those of keys that a recognised library writes as it does by design
	// (without a TTL, under a name of its own), and those that are only counted, see
	// Report.Counted. They are in no other number. Of a node they are not known, and not
	// taken out.
	Explained int64 `json:"explained,omitempty"`
}

func (c *Counts) add(severity thresholds.Severity, n int64) {
	switch severity {
	case thresholds.Error:
		c.Error += n
	case thresholds.Warning:
		c.Warning += n
	case thresholds.Info:
		c.Info += n
	}
}

// Finding has the findings of one rule at one severity.
type Finding struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"` // "error", "warning" or "info"
	Title    string `json:"title"`    // what the rule flags, one line
	// Raised reports whether the team itself gave such findings this severity, in its
	// configuration or by a flag.
	Raised      bool   `json:"raised,omitempty"`
	Count       int64  `json:"count"`       // exact
	ValueBytes  Figure `json:"value_bytes"` // of an instance rule, only that of inputs without memory figures
	MemoryBytes Figure `json:"memory_bytes"`
	MemoryUsage Figure `json:"memory_usage_bytes"` // unknown of an instance rule
	// SavedBytes is the memory that the compact encodings would save, where the rule
	// advises them.
	SavedBytes int64 `json:"saved_bytes,omitempty"`
	// Groups are the groups with most findings, GroupsMore is the number of others
	// that have any.
	Groups     []FindingGroup `json:"groups"`
	GroupsMore Figure         `json:"groups_more"`
	Examples   []Example      `json:"examples"` // worst first
}

// Counted has the number of findings of one rule at one severity, and how the keys lie
// between the limits of the rule.
type Counted struct {
	Rule        string          `json:"rule"`
	Severity    string          `json:"severity"`
	Title       string          `json:"title"`
	Limit       int64           `json:"limit"` // in Unit
	Unit        string          `json:"unit"`  // as in Example
	Count       int64           `json:"count"` // exact
	Of          int64           `json:"of"`    // keys that the rule checks
	ValueBytes  int64           `json:"value_bytes"`
	MemoryBytes Figure          `json:"memory_bytes"`
	Histogram   []CountedBucket `json:"histogram"` // by limit
}

// CountedBucket has the keys up to a limit, and over the one before.
type CountedBucket struct {
	UpTo Figure `json:"up_to"` // in the unit of the rule; unknown: over all limits
	Keys int64  `json:"keys"`  // of the first one also those that the rule exempts
}

// FindingGroup has the findings among the keys of one group.
type FindingGroup struct {
	Group       Name   `json:"group"`
	Count       int64  `json:"count"`                 // findings
	ValueBytes  Figure `json:"value_bytes"`           // of their keys; unknown of an instance rule
	MemoryBytes Figure `json:"memory_bytes"`          // of their keys; unknown as above
	SavedBytes  int64  `json:"saved_bytes,omitempty"` // as in Finding
}

// Example is one key, or the Subject of an instance rule, that a rule flags.
type Example struct {
	*KeyRow
	// Index into inputs; that of the KeyRow if there is one.
	Input   int    `json:"input,omitempty"`
	Subject Name   `json:"subject,omitempty" redact:"of SubjectMessage"` // "minute 2026-03-01 00:00", "slot 123"
	Keys    int64  `json:"keys,omitempty"`                               // of the subject
	Bytes   int64  `json:"bytes,omitempty"`                              // of the subject
	Groups  []Name `json:"groups,omitempty"`                             // of the subject's keys
	// Inputs is the number of inputs that Keys and Bytes are sums over, 0 one. Input is
	// then that with the largest part, InputKeys and InputBytes, 0 if that is not known.
	Inputs     int    `json:"inputs,omitempty"`
	InputKeys  int64  `json:"input_keys,omitempty"`
	InputBytes int64  `json:"input_bytes,omitempty"`
	Measured   Figure `json:"measured"` // in Unit; unknown if there is nothing to measure
	Limit      Figure `json:"limit"`    // that was exceeded; unknown as above
	// "size" (bytes), "count", "time" (seconds), "multiple" or "share" (hundredths of x or %).
	Unit   string   `json:"unit,omitempty"`
	Text   string   `json:"text" redact:"of Message"` // one sentence: what was measured, and the limit
	Advice []Advice `json:"advice"`
	// Reason is the sentence of the team's own standard that demands it, Source where that
	// stands, as the configuration says; "" none.
	Reason string `json:"reason,omitempty" redact:"text"`
	Source string `json:"source,omitempty" redact:"text"`
	// Message is Text, and SubjectMessage is Subject, as a message. Older versions do not have them.
	Message        message.Message `json:"message,omitzero"`
	SubjectMessage message.Message `json:"subject_message,omitzero"`
}

// Advice is one thing to do about a finding.
type Advice struct {
	Kind     string   `json:"kind"` // "look", "delete", "split", "ttl", "encoding", "cost", ...
	Text     string   `json:"text" redact:"of Message"`
	Commands []string `json:"commands,omitempty" redact:"commands CommandMessages"` // for redis-cli
	// ChangesData is true if the commands change data or settings. Condition says
	// when they may be run: "if it is no longer needed"; "" if they only look.
	ChangesData bool   `json:"changes_data"`
	Condition   string `json:"condition" redact:"of ConditionMessage"`
	// Message is Text, and ConditionMessage is Condition, as a message. Older versions do not have them.
	Message          message.Message `json:"message,omitzero"`
	ConditionMessage message.Message `json:"condition_message,omitzero"`
	// CommandMessages are Commands as messages, which a saved report does not have.
	CommandMessages []message.Message `json:"-"`
}

// Ignored has the findings that an entry of the configuration ignores.
type Ignored struct {
	Rule     string `json:"rule"`
	Pattern  string `json:"pattern" redact:"name"`
	Database *int   `json:"database,omitempty"` // nil: any
	By       string `json:"by,omitempty" redact:"text"`
	Reason   string `json:"reason" redact:"text"`
	Source   string `json:"source,omitempty" redact:"text"` // where the reason stands
	Until    string `json:"until,omitempty"`                // the last day, "" if it has no end
	Expired  bool   `json:"expired,omitempty"`
	// It applies and matched nothing, although every key was checked against all rules of the profile.
	Unused bool `json:"unused,omitempty"`
	// Findings are at least twice as bad as was accepted, or twice as many: these are not ignored.
	Grown    bool   `json:"grown,omitempty"`
	Baseline string `json:"baseline,omitempty" redact:"path"` // file and line, if the entry is of the baseline
	Count    int64  `json:"count"`
}

// Group has the totals of the keys whose names have one pattern, such as
// user:*:string.
type Group struct {
	Group       Name   `json:"group"`
	Keys        int64  `json:"keys"`
	Elements    int64  `json:"elements"`
	ValueBytes  int64  `json:"value_bytes"`
	MemoryBytes Figure `json:"memory_bytes"`
	MemoryUsage Figure `json:"memory_usage_bytes"`
	// SerializedBytes and NameBytes are 0 in reports of older versions.
	SerializedBytes int64 `json:"serialized_bytes,omitempty"`
	NameBytes       int64 `json:"key_name_bytes,omitempty"`
	WithoutTTL      int64 `json:"without_ttl"`
	// MemoryWithoutTTL is the memory of the keys without an expiry. Reports of older
	// versions do not have it.
	MemoryWithoutTTL Figure `json:"memory_bytes_without_ttl,omitempty"`
	Type             string `json:"type,omitempty"` // of all keys, "" if they have several
	DB               *int   `json:"db,omitempty"`   // of all keys, nil if they are in several
	// Shortest TTL when the snapshot was taken, negative if expired; nil: no key has a known one.
	TTLMin *int64 `json:"ttl_min"`
	// Estimate: the error is under 1/32 if it is at least half of TTLMax and that is under a year,
	// else under 1/4; 0: expired.
	TTLMedian  *int64  `json:"ttl_median"`
	TTLMax     *int64  `json:"ttl_max"`
	LargestKey *KeyRow `json:"largest_key"`
	Findings   int64   `json:"findings"`
	Errors     int64   `json:"errors"` // findings of that severity
	Owner      string  `json:"owner,omitempty" redact:"text"`
	// Identity says which library wrote the keys, or what they look like; nil if that is
	// not known, and in reports of older versions.
	Identity *Identity `json:"identity,omitempty"`
	// Source has the lines of code that likely write the keys, the best first, at most three.
	Source []SourceLine `json:"source,omitempty"`
}

// LooksLike is Identity.Sure of keys that no library is known of.
const LooksLike = thresholds.LooksLike

// Identity says what the keys of a group are. A Recogniser is what is known of the keys
// of one library or product, a Shape one form of them.
type (
	Identity   = thresholds.Identity
	Recogniser = identity.Recogniser
	Shape      = identity.Shape
)

// Owner has the totals of the keys of one owner.
type Owner struct {
	Owner       string `json:"owner" redact:"text"` // "" nobody
	Keys        int64  `json:"keys"`
	Elements    int64  `json:"elements"`
	ValueBytes  int64  `json:"value_bytes"`
	MemoryBytes Figure `json:"memory_bytes"`
	WithoutTTL  int64  `json:"without_ttl"`
	Findings    Counts `json:"findings"`
}

// Budget has the sums of the keys that a budget of the configuration limits, and
// how much of it they use.
type Budget struct {
	Input      int           `json:"input"`                      // index into inputs; of several, that with most bytes
	Inputs     int           `json:"inputs,omitempty"`           // number of inputs that the sums are over, 0 one
	Budget     Name          `json:"budget" redact:"of Message"` // a glob, "owner NAME", "database N" or "snapshot"
	Keys       int64         `json:"keys"`
	Bytes      int64         `json:"bytes"` // memory, or value bytes where memory is unknown
	WithoutTTL int64         `json:"without_ttl"`
	Limits     []BudgetLimit `json:"limits"`
	Reason     string        `json:"reason,omitempty" redact:"text"`
	Source     string        `json:"source,omitempty" redact:"text"` // where the reason stands
	// Message is Budget as a message. Older versions do not have it.
	Message message.Message `json:"message,omitzero"`
}

// BudgetLimit is one limit of a budget.
type BudgetLimit struct {
	Measure  string `json:"measure"` // "keys", "memory" (bytes), "without_ttl" or "growth" a day (both hundredths of %)
	Severity string `json:"severity"`
	Limit    int64  `json:"limit"`
	Exceeded bool   `json:"exceeded"` // always false for growth, which only diff knows
}

// Bucket is a bucket of a histogram: keys whose figure is at least Min and less
// than Max. A nil bound is none; if both are nil, the keys have no such figure.
type Bucket struct {
	Label       string `json:"label"`
	Min         *int64 `json:"min"`
	Max         *int64 `json:"max"`
	Keys        int64  `json:"keys"`
	ValueBytes  int64  `json:"value_bytes"`
	MemoryBytes Figure `json:"memory_bytes"`
}

// Histograms are over all counted keys. A histogram is empty if no key has its
// figure.
type Histograms struct {
	KeyLength []Bucket `json:"key_length"` // bytes of the name
	Elements  []Bucket `json:"elements"`   // collections and streams
	Idle      []Bucket `json:"idle"`       // seconds since the last access
	LFU       []Bucket `json:"lfu"`        // logarithmic counter, 0 to 255
}
