package report

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds"
)

// Input is one snapshot.
type Input struct {
	Name          Name   `json:"name" redact:"path"` // "-" standard input
	Server        string `json:"server"`
	ServerVersion Name   `json:"server_version" redact:"release"`
	Format        string `json:"format"` // magic: "REDIS" or "VALKEY"
	RDBVersion    int    `json:"rdb_version"`
	Created       Figure `json:"created"` // when the snapshot was taken, seconds since the epoch
	Checksum      string `json:"checksum"`
	Bytes         int64  `json:"bytes"`                                  // of the decompressed snapshot that were read
	FileBytes     Figure `json:"file_bytes"`                             // of the file, as it is stored
	Keys          int64  `json:"keys"`                                   // whole keys read, before any filter
	AnnouncedKeys *int64 `json:"announced_keys,omitempty"`               // keys that the file says it has; nil: it says nothing
	Databases     int    `json:"databases"`                              // databases that have keys, at most 65,536
	UsedMem       Figure `json:"used_mem"`                               // used_memory when the snapshot was taken
	ReplicationID Name   `json:"replication_id,omitempty" redact:"drop"` // that the server and its replicas share, "" none
	Cluster       bool   `json:"cluster"`
	AOFBase       bool   `json:"aof_base,omitempty"`
	Later         *Later `json:"later,omitempty"`
	// At most 1 MB where it is compressed or comes from a pipe.
	Trailing      int64          `json:"trailing_bytes,omitempty"`
	Frames        []string       `json:"frames"` // what surrounds the snapshot, outermost first
	Functions     int64          `json:"functions"`
	FunctionBytes int64          `json:"function_bytes"`
	Scripts       int64          `json:"scripts,omitempty"` // Lua scripts in the header
	ScriptBytes   int64          `json:"script_bytes,omitempty"`
	Modules       []Module       `json:"modules"`
	LoadableBy    Loadable       `json:"loadable_by"`
	Memory        *Memory        `json:"memory,omitempty"`
	Target        *Compatibility `json:"target,omitempty"` // nil: not asked
	Complete      bool           `json:"complete"`
	// The end mark was read: every key that the file announces is counted, even if there is an Error.
	Ended    bool     `json:"ended"`
	Warnings []string `json:"warnings" redact:"of WarningMessages"`
	Error    *Damage  `json:"error,omitempty"`
	// WarningMessages are Warnings as messages.
	WarningMessages []message.Message `json:"warning_messages,omitempty"`
}

// Later is what the manifest of an append-only file lists behind its base: files of
// commands, which are not read.
type Later struct {
	Files   int   `json:"files"`
	Missing int   `json:"missing"` // of these, files that are not there
	Bytes   int64 `json:"bytes"`   // of all others
}

// Text says how much is missing in the base of an append-only file, or in a snapshot that is
// such a base by its header (base) and has no manifest beside it; zero nothing.
func (l *Later) Text(base bool) (none message.Message) {
	switch {
	case l == nil && base:
		return message.New("the base of an append-only file; later writes not included")
	case l == nil:
		return none
	case l.Missing > 0:
		return message.New("the base of an append-only file, of which later files are missing")
	case l.Bytes > 0:
		return message.New("the base of an append-only file; {size} of later writes not included", message.Size("size", l.Bytes))
	}
	return none
}

func (in *Input) warn(m message.Message) {
	in.WarningMessages, in.Warnings = append(in.WarningMessages, m), append(in.Warnings, m.String())
}

func (in *Input) laterText() message.Message { return in.Later.Text(in.AOFBase && in.Trailing == 0) }

// withLater adds what a sentence about a snapshot does not include.
func withLater(sentence, later message.Message) message.Message {
	if later.IsZero() {
		return sentence
	}
	return message.New("{fit} ({later})", message.Phrase("fit", sentence), message.Phrase("later", later))
}

// Loadable names the oldest servers that can load a snapshot, "" if none can, and
// the module types that they need.
type Loadable struct {
	Redis   string `json:"redis"`
	Valkey  string `json:"valkey"`
	Modules []Name `json:"modules" redact:"module"`
}

// Module is what a snapshot has of one module type.
type Module struct {
	Name Name  `json:"name" redact:"module"`
	Keys int64 `json:"keys"`
	Aux  int64 `json:"aux"` // records outside of any key
}

// newInput returns the row of a snapshot: what its header and end say, as far as
// they were read, and why it was not read to its end (err, else nil). FileBytes is the length
// of the file, -1 if unknown.
func newInput(name string, fileBytes int64, info *parser.Info, err error) Input {
	in := Input{Name: Name(name), FileBytes: Figure(fileBytes), Created: Unknown, UsedMem: Unknown, Complete: err == nil}
	if info != nil && info.Magic != "" {
		in.Server, in.ServerVersion = info.Server, Name(info.ServerVersion)
		in.Format, in.RDBVersion = info.Magic, info.Version
		in.Created, in.UsedMem = Figure(info.Created), Figure(info.UsedMem)
		in.Checksum, in.Bytes, in.Trailing, in.Ended = info.Checksum.String(), info.Bytes, info.Trailing, info.Ended
		in.Keys, in.Databases = info.Keys, info.Databases
		if info.AnnouncedKeys >= 0 {
			in.AnnouncedKeys = &info.AnnouncedKeys
		}
		if missing, _ := info.Missing(); missing > 0 {
			in.Complete = false
		}
		in.Cluster, in.AOFBase, in.Frames = info.Cluster, info.AOFBase, info.Frames
		in.Functions, in.FunctionBytes = info.Functions, info.FunctionBytes
		in.Scripts, in.ScriptBytes = info.Scripts, info.ScriptBytes
		for _, a := range info.Aux {
			if a.Name == "repl-id" && strings.Trim(a.Value, "0") != "" {
				in.ReplicationID = Name(a.Value)
			}
		}
		for _, m := range info.Modules {
			in.Modules = append(in.Modules, Module{Name: Name(m.Name), Keys: m.Keys, Aux: m.Aux})
		}
		if err == nil { // nobody knows what else a damaged file has
			in.LoadableBy.Redis, in.LoadableBy.Valkey = info.LoadableBy()
			for _, m := range info.LoadModules() {
				in.LoadableBy.Modules = append(in.LoadableBy.Modules, Name(m))
			}
		}
		for _, w := range info.Warnings {
			in.warn(w)
		}
	}
	if err != nil {
		in.Error = damageOf(err)
	}
	return in
}

// Damage says why an input was not read to its end, or not at all.
type Damage struct {
	Offset  Figure `json:"offset"`   // in the decompressed snapshot; unknown if nothing was read
	LastKey *Name  `json:"last_key"` // the last key that was read whole
	Key     *Name  `json:"key"`      // the key that was being read
	Reason  string `json:"reason" redact:"of Message"`
	Hint    string `json:"hint,omitempty" redact:"of HintMessage"`
	// Message is Reason, and HintMessage is Hint, as a message. Older versions do not have them.
	Message     message.Message `json:"message,omitzero"`
	HintMessage message.Message `json:"hint_message,omitzero"`
}

// damageOf returns the reason why a snapshot was not read to its end.
func damageOf(err error) *Damage {
	d := &Damage{Offset: Unknown, Message: reasonOf(err)}
	var damage *parser.DamageError
	var format *parser.FormatError
	switch {
	case errors.As(err, &damage):
		d.Offset, d.LastKey, d.Key = Figure(damage.Offset), optionalName(damage.LastKey), optionalName(damage.Key)
	case errors.As(err, &format):
		d.Hint, d.HintMessage = format.Hint.String(), format.Hint
	}
	d.Reason = d.Message.String()
	return d
}

// reasonOf returns why something could not be read, without what a report says
// elsewhere: the name of the file, the offset and the keys.
func reasonOf(err error) message.Message {
	var damage *parser.DamageError
	var format *parser.FormatError
	var path *fs.PathError
	var own message.Messager
	switch {
	case errors.Is(err, context.Canceled):
		return word(interrupted)
	case errors.As(err, &damage):
		return damage.Reason
	case errors.As(err, &format):
		return format.Reason
	case errors.As(err, &own):
		return own.AsMessage()
	case errors.As(err, &path):
		return word(path.Err.Error())
	}
	return message.Of(err)
}

// interrupted is Damage.Reason of an input that the end of the context interrupted.
const interrupted = "interrupted"

// SameServer is a pair of inputs that seem to be snapshots of one server, or of one and its replica.
type SameServer struct {
	Inputs [2]int `json:"inputs"` // indexes into inputs, the older snapshot first
	// Sign is "snapshot" if both are the same one, by its time, used_memory, keys and bytes,
	// "replication id" if both have the same one, and "names" if they were taken at different
	// times and have names of keys in common: Share of those of the input with fewer, 0 to 1, estimated
	// from 256 names. Reports that were merged from states know replication ids only.
	Sign  string  `json:"sign"`
	Share float64 `json:"share,omitempty"`
}

// Names show that inputs are of one server if there are leastShared of them, and half of the sample.
const (
	leastShared     = 5
	mostSameServers = 100
)

// findSameServers sets which inputs are of one server. Those of a cluster have no keys in common.
func (f *finisher) findSameServers() {
	r := f.r
	if len(r.Inputs) < 2 {
		return
	}
	add := func(a, b int, s SameServer) {
		if r.Inputs[a].Created > r.Inputs[b].Created {
			a, b = b, a
		}
		if s.Inputs = [2]int{a, b}; len(r.SameServer) < mostSameServers {
			r.SameServer = append(r.SameServer, s)
		}
	}
	of := map[Name]int{}
	copies := map[[4]Figure]int{}
	related := map[[2]int]bool{}
	for i := range r.Inputs {
		in := &r.Inputs[i]
		id, what := in.ReplicationID, [4]Figure{in.Created, in.UsedMem, Figure(in.Keys), Figure(in.Bytes)}
		if first, known := copies[what]; known && in.Created.Known() && in.Keys > 0 {
			related[[2]int{first, i}] = true
			add(first, i, SameServer{Sign: "snapshot"})
			continue
		}
		copies[what] = i
		if first, known := of[id]; known {
			related[[2]int{first, i}] = true
			add(first, i, SameServer{Sign: "replication id"})
		} else if id != "" {
			of[id] = i
		}
	}
	for a := range f.Snapshots {
		for b := a + 1; b < len(f.Snapshots) && len(r.SameServer) < mostSameServers; b++ {
			one, other := &f.Snapshots[a], &f.Snapshots[b]
			n, of := one.Names.Common(&other.Names)
			if n >= leastShared && 2*n >= of && one.Env.Created != other.Env.Created && !related[[2]int{one.Input, other.Input}] {
				add(one.Input, other.Input, SameServer{Sign: "names", Share: ratio(int64(n), int64(of))})
			}
		}
	}
}

// SameServerAlerts says which inputs are counted twice.
func (r *Report) SameServerAlerts() (list []message.Message) {
	for i := range r.SameServer {
		s := &r.SameServer[i]
		a, b := &r.Inputs[s.Inputs[0]], &r.Inputs[s.Inputs[1]]
		if s.Sign == "snapshot" {
			list = append(list, message.New("TWICE: {old} and {new} are the same snapshot. All sums count its keys twice.",
				fileArg("old", a.Name), fileArg("new", b.Name)))
			continue
		}
		sign := message.New("the same replication id")
		if s.Sign == "names" {
			sign = message.New("{share} of their names", message.Share("share", s.Share))
		}
		args := []message.Arg{fileArg("old", a.Name), fileArg("new", b.Name), message.Phrase("sign", sign),
			message.Duration("apart", int64(b.Created-a.Created)), message.Code("diff", "rdblens diff OLD NEW"),
			message.Code("browse", "rdblens browse --since OLD NEW")}
		list = append(list, message.New("TWICE: {old} and {new}, taken {apart} apart, seem to be of one server: they share "+
			"{sign}. All sums count its keys twice. {diff} and {browse} say what changed between them.", args...))
	}
	return list
}

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
	Future   bool            `json:"future,omitempty"` // of max-age: the snapshot was taken later than now
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
		if c.Rule == "max-age" && int64(measured) > now+thresholds.ClockSlack {
			c.Input, c.Measured, c.Future = i, measured, true
			return false
		}
	}
	if c.Rule == "max-age" {
		return c.Measured > 0 && now-int64(c.Measured) <= c.Limit
	}
	return int64(c.Measured) >= c.Limit
}

func (c *Check) sentence(r *Report) message.Message {
	args := []message.Arg{message.Text("rule", c.Rule), fileArg("file", r.Inputs[c.Input].Name),
		message.Int("n", int64(c.Limit)), keysArg("keys", int64(c.Measured)), message.Time("time", int64(c.Measured)),
		message.Figure("limit", c.Limit, message.FormExactDuration)}
	id := ""
	switch {
	case c.Rule == "min-keys" && c.Met:
		id = "{rule} {n}: met, {file} has {keys}"
	case c.Rule == "min-keys":
		id = "{rule} {n}: NOT MET, {file} has {keys}"
	case c.Met:
		id = "{rule} {limit}: met, {file} was taken {time}"
	case c.Future:
		id = "{rule} {limit}: NOT MET, {file} was taken {time}, in the future"
	case c.Measured.Known():
		id = "{rule} {limit}: NOT MET, {file} was taken {time}"
	default:
		id = "{rule} {limit}: NOT MET, {file} does not say when it was taken"
	}
	return withLater(message.New(id, args...), r.Inputs[c.Input].laterText())
}

// FileSource returns the Source of a file, or of standard input if path is "-".
func FileSource(path string) Source {
	s := Source{Name: path, Size: -1, Once: path == "-",
		Open: func(context.Context) (io.ReadCloser, error) { return parser.Open(path) }}
	if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() {
		s.Size = st.Size()
	} else if err == nil && !st.IsDir() {
		s.Once = true
	}
	return s
}
