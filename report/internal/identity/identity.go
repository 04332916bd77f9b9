package identity

// Role is what keys are for.
type Role string

// The roles. Those of jobs are the states of a job queue.
const (
	Waiting   Role = "waiting jobs"
	Delayed   Role = "delayed jobs"
	Active    Role = "active jobs"
	Completed Role = "completed jobs"
	Failed    Role = "failed or dead jobs"
	JobData   Role = "job data"
	Result    Role = "results"
	Schedule  Role = "schedule"
	Events    Role = "stream"      // of events or messages
	QueueInfo Role = "queue index" // which queues or jobs there are
	Leftover  Role = "pub/sub leftovers"
	Session   Role = "session"
	Cache     Role = "cache entry"
	Index     Role = "tag or index set"
	Lock      Role = "lock"
	RateLimit Role = "rate-limit counter"
	Registry  Role = "heartbeat or process registry"
	Metrics   Role = "metrics"
	Metadata  Role = "metadata"
	Setting   Role = "configuration"
	Data      Role = "data" // that the application cannot make again
	// The following are layouts, which no library is needed for.
	Queue       Role = "queue"
	Counter     Role = "counter"
	Leaderboard Role = "leaderboard"
	Bitmap      Role = "bitmap"
	HyperLogLog Role = "HyperLogLog"
	GeoSet      Role = "geo set"
)

var roles = map[Role]bool{Waiting: true, Delayed: true, Active: true, Completed: true, Failed: true, JobData: true, Result: true,
	Schedule: true, Events: true, QueueInfo: true, Leftover: true, Session: true, Cache: true, Index: true, Lock: true,
	RateLimit: true, Registry: true, Metrics: true, Metadata: true, Setting: true, Data: true}

// How sure an Identity is.
const (
	Sure      = "sure"       // three signs or more
	Likely    = "likely"     // two signs
	LooksLike = "looks like" // a layout
)

// Identity says what the keys of a group are.
type Identity struct {
	// Library is the library or product that wrote the keys, "" if only their layout
	// is known.
	Library string `json:"library,omitempty"`
	Role    Role   `json:"role"`
	// ByDesign reports whether the keys have no TTL by design.
	ByDesign bool `json:"by_design"`
	// Setting is the library's setting that bounds the keys, "" if there is none or
	// it is not known.
	Setting string `json:"setting,omitempty"`
	// Deletion is "yes" if the keys can be deleted at the cost of their content alone, "no" if work
	// or data is lost, else "with" and what deletes them; "" not known.
	Deletion string `json:"deletion,omitempty"`
	Sure     string `json:"sure"`
	// Tried is the release of the library whose keys the recogniser was tried on, ""
	// if it is from sources and documentation only.
	Tried  string `json:"tried,omitempty"`
	Source string `json:"source,omitempty"` // where the facts are from
	// EmptySegments reports whether the library writes names with empty segments.
	EmptySegments bool `json:"empty_segments,omitempty"`
}

// FixedName reports whether the library decides how the names are built, so that the
// application cannot change them, apart from a prefix.
func (id *Identity) FixedName() bool { return id != nil && id.Library != "" }

// OfQueue reports whether the keys hold jobs or messages that wait to be processed, or
// that a worker has: they are consumed, and do not expire.
func (id *Identity) OfQueue() bool {
	if id == nil {
		return false
	}
	switch id.Role {
	case Waiting, Delayed, Active, Queue, Events:
		return true
	}
	return false
}

// WholeValue reports whether commands need the value as it is stored: it cannot be
// compressed, and not be split.
func (id *Identity) WholeValue() bool {
	return id != nil && (id.Library != "" || id.Role == Bitmap || id.Role == HyperLogLog)
}

// Explains reports whether nobody can act on what a rule finds about the keys, because
// their library decides it. A layout explains nothing.
func (id *Identity) Explains(rule string) bool {
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
	case "single-element": // it chose the type, too
		return true
	case "compact-encoding": // it was once longer, and will be again
		return id.OfQueue()
	case "queue-backlog": // of a list that is no queue
		return !id.OfQueue() && id.Role != Failed
	}
	return false
}
