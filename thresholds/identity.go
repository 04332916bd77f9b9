package thresholds

import (
	"slices"
	"strings"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
)

// Role is what keys are for.
type Role string

// The roles. Those of jobs are the states of a job queue.
const (
	RoleWaiting   Role = "waiting jobs"
	RoleDelayed   Role = "delayed jobs"
	RoleActive    Role = "active jobs"
	RoleCompleted Role = "completed jobs"
	RoleFailed    Role = "failed or dead jobs"
	RoleJobData   Role = "job data"
	RoleResult    Role = "results"
	RoleSchedule  Role = "schedule"
	RoleEvents    Role = "stream"      // of events or messages
	RoleQueueInfo Role = "queue index" // which queues or jobs there are
	RoleLeftover  Role = "pub/sub leftovers"
	RoleSession   Role = "session"
	RoleCache     Role = "cache entry"
	RoleIndex     Role = "tag or index set"
	RoleLock      Role = "lock"
	RoleRateLimit Role = "rate-limit counter"
	RoleRegistry  Role = "heartbeat or process registry"
	RoleMetrics   Role = "metrics"
	RoleMetadata  Role = "metadata"
	RoleSetting   Role = "configuration"
	RoleData      Role = "data" // that the application cannot make again
	// The following are layouts, which no library is needed for.
	RoleQueue       Role = "queue"
	RoleCounter     Role = "counter"
	RoleLeaderboard Role = "leaderboard"
	RoleBitmap      Role = "bitmap"
	RoleHyperLogLog Role = "HyperLogLog"
	RoleGeoSet      Role = "geo set"
)

// roles says of each role what is lost with its keys, and how they are counted. A role
// without a plural has none that reads well.
var roles = map[Role]struct {
	loses     string
	one, many string
}{
	RoleWaiting:   {"The jobs are lost.", "1 waiting job", "{n} waiting jobs"},
	RoleDelayed:   {"The jobs never run.", "1 delayed job", "{n} delayed jobs"},
	RoleActive:    {"Jobs that run are not run again if their worker dies.", "1 active job", "{n} active jobs"},
	RoleCompleted: {"The jobs' results and times are lost.", "1 completed job", "{n} completed jobs"},
	RoleFailed:    {"The jobs can no longer be tried again.", "1 failed or dead job", "{n} failed or dead jobs"},
	RoleJobData: {"The jobs are lost, and lists of jobs still name them.", "1 key of job data",
		"{n} keys of job data"},
	RoleResult:   {"Who waits for a result does not get it.", "1 result", "{n} results"},
	RoleSchedule: {"What is scheduled does not run.", "", ""},
	RoleEvents: {"Entries that were not read yet are lost, and the places of consumer groups.", "1 entry",
		"{n} entries"},
	RoleQueueInfo: {"The library no longer finds its queues or jobs.", "", ""},
	RoleLeftover: {"Replies that nobody waits for any more are lost.", "1 leftover of pub/sub",
		"{n} leftovers of pub/sub"},
	RoleSession: {"Its user is logged out.", "1 session", "{n} sessions"},
	RoleCache: {"It is computed again when it is read: with many at once, that is a load.", "1 cache entry",
		"{n} cache entries"},
	RoleIndex: {"What it lists is no longer found or invalidated by it.", "1 tag or index set",
		"{n} tag or index sets"},
	RoleLock:        {"If its owner still works, another one may begin the same work.", "1 lock", "{n} locks"},
	RoleRateLimit:   {"The limit is counted from 0 again.", "1 rate-limit counter", "{n} rate-limit counters"},
	RoleRegistry:    {"Processes that run write it again; others are forgotten.", "", ""},
	RoleMetrics:     {"Statistics are lost.", "", ""},
	RoleMetadata:    {"The library loses its state.", "", ""},
	RoleSetting:     {"The configuration is lost.", "1 setting", "{n} settings"},
	RoleData:        {"The application cannot make it again.", "", ""},
	RoleQueue:       {"What waits in it is lost.", "1 item", "{n} items"},
	RoleCounter:     {"It is counted from 0 again.", "1 counter", "{n} counters"},
	RoleLeaderboard: {"The ranking is lost.", "", ""},
	RoleBitmap:      {"The bits are lost.", "", ""},
	RoleHyperLogLog: {"What was counted is lost.", "", ""},
	RoleGeoSet:      {"The positions are lost.", "", ""},
}

// RoleNames returns the roles, in alphabetical order.
func RoleNames() (names []string) {
	for r := range roles {
		names = append(names, string(r))
	}
	slices.Sort(names)
	return names
}

// IsRole reports whether a word is a role.
func IsRole(word string) bool { return roles[Role(word)].loses != "" }

// How sure an Identity is.
const (
	Sure       = "sure"       // three signs or more
	Likely     = "likely"     // two signs
	LooksLike  = "looks like" // a layout
	Configured = "configured" // the configuration says so
)

// LessSure returns the less sure of two values of Identity.Sure.
func LessSure(a, b string) string {
	for _, sure := range []string{LooksLike, Likely, Sure, Configured} {
		if a == sure || b == sure {
			return sure
		}
	}
	return a
}

// Identity says what the keys of a group are.
type Identity struct {
	// Library is the library or product that wrote the keys, "" if only their layout
	// is known.
	Library string `json:"library,omitempty"`
	Role    Role   `json:"role"`
	// Queue is the name of the queue that all keys belong to, "" if there is none or if
	// they belong to several.
	Queue string `json:"queue,omitempty" redact:"name"`
	// ByDesign reports whether the keys have no TTL by design.
	ByDesign bool `json:"by_design"`
	// Setting is the library's setting that bounds the keys, "" if there is none or
	// it is not known.
	Setting string `json:"setting,omitempty"`
	// Deletion is "yes" if the keys can be deleted at the cost of their content alone, "no" if work
	// or data is lost, else "with" and what deletes them; "" not known.
	Deletion string `json:"deletion,omitempty"`
	// DeletesEach reports whether Deletion deletes one key or one job, and is called for each.
	DeletesEach bool `json:"deletes_each,omitempty"`
	// DeletesAlso are the roles, with commas between them, whose keys of the same queue Deletion deletes besides.
	DeletesAlso string `json:"deletes_also,omitempty"`
	Sure        string `json:"sure"`
	// Tried is the release of the library whose keys the recogniser was tried on, ""
	// if it is from sources and documentation only.
	Tried  string `json:"tried,omitempty"`
	Source string `json:"source,omitempty"` // where the facts are from
	// EmptySegments reports whether the library writes names with empty segments, WhiteSpace
	// whether it writes names with white space, quotes or control characters.
	EmptySegments bool `json:"empty_segments,omitempty"`
	WhiteSpace    bool `json:"white_space,omitempty"`
}

// FixedName reports whether the library decides how the names are built, so that the
// application cannot change them, apart from a prefix.
func (id *Identity) FixedName() bool { return id != nil && id.Library != "" }

func (id *Identity) is(roles ...Role) bool {
	return id != nil && slices.Contains(roles, id.Role)
}

// OfQueue reports whether the keys hold jobs or messages that wait to be processed, or
// that a worker has: they are consumed, and do not expire.
func (id *Identity) OfQueue() bool {
	return id.is(RoleWaiting, RoleDelayed, RoleActive, RoleQueue, RoleEvents)
}

// IsBacklog reports whether the keys hold jobs that somebody should work off: they wait, or
// they failed. A layout only looks so.
func (id *Identity) IsBacklog() bool {
	return id.is(RoleWaiting, RoleFailed) && id.Sure != LooksLike
}

// Explains reports whether nobody can act on what a rule finds about the keys, because
// their library decides it. A layout explains nothing.
func (id *Identity) Explains(rule string) bool {
	if id != nil && id.Sure == Configured && rule == "no-ttl" {
		return id.ByDesign
	}
	if !id.FixedName() {
		return false
	}
	switch rule {
	case "no-ttl":
		return id.ByDesign
	case "key-structure", "key-type-suffix":
		return true
	case "key-empty-segment":
		return id.EmptySegments
	case "key-special-char":
		return id.WhiteSpace
	case "key-length": // of a cache entry most is what the application calls it
		return id.Role != RoleCache
	case "single-element": // it chose the type, too
		return true
	case "compact-encoding": // it was once longer, and will be again
		return id.OfQueue()
	case "queue-backlog": // of a list that is no queue
		return !id.OfQueue() && id.Role != RoleFailed
	case "mixed-ttl": // sessions alone have a TTL always
		return id.Role != RoleSession
	}
	return false
}

// deletesAlso says what else Deletion deletes; see words.
const deletesAlso = "It also deletes of the same queue: {also}."

// words are those of who wrote the keys: nobody translates the name of a library or a
// setting, and what a team configured are its own words.
func (id *Identity) words() []message.Arg {
	library, setting := message.Text("library", id.Library), message.Code("setting", id.Setting)
	deletion := strings.TrimPrefix(id.Deletion, "with ")
	through := message.Code("deletion", deletion)
	if id.Sure == Configured {
		library, setting, through = message.Element("library", id.Library), message.Element("setting", id.Setting),
			message.Element("deletion", deletion)
	}
	return []message.Arg{library, setting, through,
		message.Each("also", ", ", "role", strings.Split(id.DeletesAlso, ", "), message.Word),
		message.Word("role", string(id.Role)), message.Name("queue", id.Queue), message.Word("loses", roles[id.Role].loses)}
}

var queueTypes = []parser.Type{parser.List, parser.Set, parser.ZSet, parser.Stream}

// number returns how many jobs or keys there are: jobs are the elements of a queue.
func (id *Identity) number(keys, elements int64, typ parser.Type) int64 {
	if id.is(RoleWaiting, RoleDelayed, RoleActive, RoleCompleted, RoleFailed, RoleEvents, RoleQueue) &&
		slices.Contains(queueTypes, typ) {
		return elements
	}
	return keys
}

// counted says how many keys, or elements of one key, of a library there are: "3,000
// completed jobs of BullMQ queue email".
func (id *Identity) counted(keys, elements int64, typ parser.Type) message.Message {
	role := roles[id.Role]
	n := id.number(keys, elements, typ)
	what := message.New("{role}", message.Word("role", string(id.Role)))
	if role.many != "" && n >= 0 {
		what = message.Plural(n, role.one, role.many)
	}
	args := append(id.words(), message.Phrase("what", what))
	switch {
	case id.Library == "":
		return what
	case id.Queue != "":
		return message.New("{what} of {library} queue {queue}", args...)
	}
	return message.New("{what} of {library}", args...)
}

// Label names what the keys are, in a few words for a table: "BullMQ: completed jobs", "looks like: lock".
// It is zero if nothing is known, or only that they are streams, which their type says.
func (id *Identity) Label() message.Message {
	switch {
	case id == nil || id.Sure == LooksLike && id.Role == RoleEvents:
		return message.Message{}
	case id.Library != "" && id.Role != "":
		return message.New("{library}: {role}", id.words()...)
	case id.Library != "":
		return message.New("{library}", id.words()...)
	case id.Sure == LooksLike:
		return message.New("looks like: {role}", id.words()...)
	}
	return message.New("{role}", id.words()...)
}
