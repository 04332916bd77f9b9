package thresholds

import (
	"slices"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
)

// Advice is one thing to do: about a key, the keys of a group, or the instance. It is
// made here for findings (Engine.Advise), for what to fix first (Engine.FixFirst) and
// for savings (Engine.Savings), and allows decides for all of them.
type Advice struct {
	// Kind is the word that reports use: "look", "cost", "split", "ttl", "encoding",
	// "name", "delete", "queue", "setting" or "instance" of a finding; the action itself of the others.
	Kind string
	Text message.Message // what to do
	// Brief is Text in a few words, of a saving.
	Brief message.Message
	Why   message.Message // what it is good for; zero if the text says it
	// Computed says how Saves was computed, zero if the text does.
	Computed message.Message

	// Of advice about a group, or about one key outside of its finding. Group is a
	// pattern and Key a name; at most one is set. Keys are meant, Of match the pattern.
	Group    string
	Key      []byte
	File     string // of the key, where several are read; else ""
	DB       int    // AnyDatabase: several, or not known
	Keys, Of int64
	Memory   int64 // bytes that the keys take, -1 unknown
	Saves    int64 // bytes of memory, 0 none or unknown
	// SavesMost: if not 0, it saves from Saves to SavesMost bytes; the snapshot does not show how much.
	SavesMost int64
	// SavesAtLeast: Saves is a lower bound, because the snapshot does not show the rest.
	SavesAtLeast bool
	// SavesAbout: Saves is an estimate, because it has the data of jobs that keys outside List have.
	SavesAbout bool
	// SavesGoing is the part of Saves that is about keys that CanGo offers to delete.
	SavesGoing int64
	// Data is the group with the data of jobs that go with the key of List, and DataKeys how many of its keys.
	Data     string
	DataKeys int64
	// Severity is that of the finding of a fix, Off of other advice.
	Severity Severity
	// Deletes: UNLINK of the keys that List prints deletes what the advice is about, and nothing else.
	Deletes bool
	// Of a setting of the server, its name, the value that is advised, and what other
	// values save, the present one first.
	Setting string
	Value   int64
	Steps   []SettingStep
	// List is the command line, program first, that prints exactly these keys; nil if
	// there is none.
	List []string

	// ChangesData is true if following the advice changes data or settings of the
	// server, or loses data. Condition says when it may be followed: "if ...".
	ChangesData bool
	Condition   message.Message
	// Commands are for redis-cli, or for a shell if the text says so. CommandText
	// renders them.
	Commands []message.Message
}

// action is a kind of advice, as exclusions tell them apart.
type action uint8

const (
	adviseLook     action = iota // at the key
	adviseCost                   // of reading it
	adviseSplit                  // into parts, by a hash or an index
	adviseMove                   // the largest element
	adviseTrim                   // to what is still needed
	adviseExpire                 // give it a TTL
	adviseTTL                    // all other advice on TTLs
	adviseCompact                // bring it into the compact encoding
	adviseCompress               // the values, before they are stored
	adviseShare                  // a hash: many small strings become its fields
	adviseEncoding               // choose another type or encoding
	adviseName                   // change names
	adviseShorten                // names
	adviseDelete                 // delete it
	adviseLazyFree               // let the server free in the background
	adviseQueue                  // look after consumers
	adviseInstance               // of the server or cluster
	adviseServer                 // to another server
	adviseSetting                // of the library that wrote the keys
	numActions
)

// actions have the word of each action, and that of the kind in a finding, which is
// coarser.
var actions = [numActions]struct{ word, kind string }{
	adviseLook: {"look", "look"}, adviseCost: {"cost", "cost"}, adviseSplit: {"split", "split"},
	adviseMove: {"move", "split"}, adviseTrim: {"trim", "split"},
	adviseExpire: {"expire", "ttl"}, adviseTTL: {"ttl", "ttl"}, adviseCompact: {"compact", "encoding"},
	adviseCompress: {"compress", "encoding"}, adviseShare: {"share", "encoding"},
	adviseEncoding: {"encoding", "encoding"}, adviseName: {"name", "name"}, adviseShorten: {"shorten", "name"},
	adviseDelete:   {"delete", "delete"},
	adviseLazyFree: {"ttl", "ttl"}, adviseQueue: {"queue", "queue"}, adviseInstance: {"instance", "instance"},
	adviseServer:  {"server", "server"},
	adviseSetting: {"setting", "setting"},
}

// Content is a set of what the bytes of a string, or of a largest element, show.
type Content uint8

// The contents. Zero is unknown.
const (
	ContentText        Content = 1 << iota // JSON, XML and plain text
	ContentHyperLogLog                     // a string with the header HYLL
	ContentBitmap                          // runs of one byte
	ContentCompressed                      // or an image
)

// thing is what advice is about, as far as exclusions need to know it: a key, or the
// keys of a group.
type thing struct {
	settings []Setting   // of all rules, for it
	typ      parser.Type // NumTypes: several
	content  Content
	identity *Identity // nil unknown
	elements int64     // of the largest, -1 unknown
	isCold   bool      // it, or most of it, is not being used
}

// exclusion says of what an action is not advised, and what is said instead.
type exclusion struct {
	action action
	of     func(e *Engine, t *thing) bool
	// A template that may have {limit}, and of an Identity {library}, {role}, {setting} and {loses};
	// "": nothing.
	instead string
}

// exclusions say what advice must never do, whoever gives it.
var exclusions = []exclusion{
	{adviseExpire, byDesign, "It has no TTL by design: add an ignore entry with the reason."},
	{adviseExpire, isSureQueue, "It is a queue, which must not expire: watch its length, or add an ignore entry with " +
		"the reason."},
	{adviseExpire, needed, "{library} decides when its keys expire: set it there, not with EXPIRE."},
	{adviseExpire, mayBeQueue, "It may be a queue, which must not expire: watch its length, or add an ignore entry " +
		"with the reason."},
	{adviseExpire, isBigCollection,
		"First bring it under {limit} elements: all of them would be deleted at once when it expires."},
	{adviseSplit, isWorkedOff, "It is a queue: add consumers, or find out which one is stuck. A part of a queue is no queue."},
	{adviseCost, isWorkedOff, ""}, // nobody reads it whole
	{adviseSplit, ofLibrary, "{library} reads it as one key: put less into it."},
	{adviseSplit, hasRole(RoleLeaderboard), "Do not split it: it is read by rank, and its parts would have ranks of their own."},
	{adviseSplit, hasContent(ContentHyperLogLog), ""},
	{adviseMove, ofLibrary, "{library} reads it as one key: put less into it."},
	{adviseTrim, hasRole(RoleGeoSet), ""},
	{adviseTrim, byDesign, ""},
	{adviseTrim, needed, ""},
	{adviseTrim, hasRole(RoleDelayed, RoleSchedule, RoleCompleted, RoleFailed),
		"Its scores are times: remove what is over by score, not by rank."},
	{adviseCompress, hasContent(ContentHyperLogLog | ContentBitmap | ContentCompressed), ""},
	{adviseCompress, hasRole(RoleBitmap, RoleHyperLogLog, RoleCounter), ""},
	{adviseCompress, uncompressed, ""},
	{adviseCompress, canGo, "It is not being used: first see whether it can go."},
	{adviseShare, hasContent(ContentHyperLogLog | ContentBitmap | ContentCompressed), ""},
	{adviseShare, hasRole(RoleBitmap, RoleHyperLogLog, RoleQueue, RoleSetting), ""},
	{adviseShare, ofLibrary, ""},
	{adviseShare, canGo, ""},
	{adviseCompact, canGo, ""},
	{adviseEncoding, canGo, ""},
	{adviseShorten, canGo, ""},
	{adviseShare, func(_ *Engine, t *thing) bool { return t.typ != parser.String }, ""}, // nor of several types
	{adviseEncoding, ofLibrary, ""},
	{adviseName, ofLibrary, "A library chose the name: change its prefix in the library's settings, if it has one."},
	{adviseShorten, ofLibrary, ""},
	{adviseDelete, byDesign, ""},
	{adviseDelete, isQueue, ""},
	{adviseDelete, needed, ""},
	{adviseLazyFree, func(e *Engine, _ *thing) bool { return !e.server.unlinks() },
		"This server deletes expired keys in its main thread. " +
			"Delete the key in batches before it expires."},
}

// byDesign holds for what a library keeps without a TTL, and for configuration.
func byDesign(_ *Engine, t *thing) bool {
	return t.identity != nil && t.identity.ByDesign && (t.identity.FixedName() || t.identity.Sure == Configured) ||
		t.identity.is(RoleSetting)
}

// needed holds for keys that cannot be deleted, or expire, behind the back of their library.
func needed(_ *Engine, t *thing) bool {
	return t.identity.FixedName() && t.identity.Deletion != "yes" || t.identity.is(RoleData)
}

// canGo holds for what is not being used, and what CanGo offers to delete.
func canGo(e *Engine, t *thing) bool {
	return t.isCold && !byDesign(e, t) && !isQueue(e, t) && !needed(e, t)
}

func ofLibrary(_ *Engine, t *thing) bool { return t.identity.FixedName() }
func isQueue(_ *Engine, t *thing) bool   { return t.identity.OfQueue() }

// isWorkedOff holds for a queue, but not for every stream: it may be a log, and groups can read several.
func isWorkedOff(e *Engine, t *thing) bool {
	return isQueue(e, t) && (t.typ != parser.Stream || t.identity.Sure != LooksLike)
}

// isSureQueue holds for a queue that a library or the configuration names.
func isSureQueue(_ *Engine, t *thing) bool {
	return t.identity.OfQueue() && t.identity.Sure != LooksLike
}

// mayBeQueue holds for what looks like a queue, and for every list and stream.
func mayBeQueue(e *Engine, t *thing) bool {
	return isQueue(e, t) || isType(parser.List, parser.Stream)(e, t)
}

// uncompressed holds for values of a library that are no cache: no setting makes it compress them.
func uncompressed(_ *Engine, t *thing) bool {
	return t.identity.FixedName() && !t.identity.is(RoleCache, RoleSession, RoleResult)
}

func hasRole(roles ...Role) func(*Engine, *thing) bool {
	return func(_ *Engine, t *thing) bool { return t.identity.is(roles...) }
}

func hasContent(c Content) func(*Engine, *thing) bool {
	return func(_ *Engine, t *thing) bool { return t.content&c != 0 }
}

// isType also holds for a group whose keys have several types.
func isType(list ...parser.Type) func(*Engine, *thing) bool {
	return func(_ *Engine, t *thing) bool { return t.typ == parser.NumTypes || slices.Contains(list, t.typ) }
}

// isBigCollection reports whether big-key-expiry would flag a key if it had an expiry.
func isBigCollection(_ *Engine, t *thing) bool {
	limit, ok := t.bigCollection()
	return ok && t.elements > limit
}

// bigCollection returns the number of elements from which big-key-expiry flags a
// key, if there is such a number for its type.
func (t *thing) bigCollection() (limit int64, ok bool) {
	if t.typ == parser.NumTypes {
		return 0, false
	}
	return settingIn(t.settings, "big-collection").severest(t.typ)
}

// allows reports whether an action may be advised on a thing. If not, it returns what
// to say instead, zero for nothing.
func (e *Engine) allows(a action, t *thing) (instead message.Message, ok bool) {
	for i := range exclusions {
		if x := &exclusions[i]; x.action == a && x.of(e, t) {
			limit, _ := t.bigCollection()
			args := []message.Arg{message.Int("limit", limit)}
			if t.identity != nil {
				args = append(args, t.identity.words()...)
			}
			return message.New(x.instead, args...), false
		}
	}
	return message.Message{}, true
}

func settingIn(settings []Setting, rule string) *Setting {
	r, _ := Lookup(rule)
	return &settings[r.ID]
}
