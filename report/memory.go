package report

import (
	"slices"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/memory"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/internal/serverinfo"
)

// Memory is the memory that the keys of a snapshot take in a server.
type Memory struct {
	Model string `json:"model"` // server and version whose formulas were used
	AllocatorChoice
	State       string `json:"state"` // "live" or "reloaded"
	Approximate bool   `json:"approximate"`
	Bound       bool   `json:"memory_is_lower_bound,omitempty"` // a lower bound: no model covers the types of some keys
	// Note says why this model was chosen. NoteMessage is the same as a message.
	Note        string          `json:"note,omitempty" redact:"of NoteMessage"`
	NoteMessage message.Message `json:"note_message,omitzero"`

	// Predicted is the predicted used_memory: Startup + Keys + Tables.
	Predicted Figure `json:"predicted_used_memory"`
	Startup   Figure `json:"startup"` // an empty server
	Keys      Figure `json:"keys"`    // all keys
	Tables    Figure `json:"tables"`  // hash tables of the databases
	// KeysPlusMinus is by how much Keys varies by chance: levels of skiplists and seeds of
	// hash tables differ from one start of the server to the next. Two standard deviations,
	// which 95 of 100 servers are within; 0 nothing is random.
	KeysPlusMinus int64 `json:"keys_plus_minus,omitempty"`
	// Parts are what UsedMemory consists of: those that are not Outside add up to it. It is
	// the used_memory of Options.Info, else that of the snapshot, else Predicted, as
	// PartsOf says: "info", "snapshot" or "prediction".
	Parts      []MemoryPart `json:"parts,omitempty"`
	PartsOf    string       `json:"parts_of,omitempty"`
	UsedMemory Figure       `json:"used_memory,omitempty"`
	// Difference is the snapshot's used-mem minus Predicted, nil if either is
	// unknown; Explanation says what it may be, and ExplanationMessages the same as messages.
	Difference          *int64            `json:"difference"`
	Explanation         []string          `json:"explanation" redact:"of ExplanationMessages"`
	ExplanationMessages []message.Message `json:"explanation_messages,omitempty"`
	Fit                 *Fit              `json:"fit,omitempty"`
	// WhatIf has the predictions for other servers, allocators and states, if they were
	// asked for.
	WhatIf []WhatIf `json:"what_if,omitempty"`
}

// Fit compares the predicted and the reported memory with a maxmemory.
type Fit struct {
	MaxMemory int64 `json:"maxmemory"`
	// Fits: neither the prediction nor Reported is over MaxMemory. Nil: undecided, because
	// nothing or only a lower bound is predicted, or there are later writes.
	Fits *bool `json:"fits"`
	// MaxMemory minus the prediction; negative: too much; nil: nothing or only a lower bound is
	// predicted.
	Free *int64 `json:"free"`
	// Reported is the used_memory of Options.Info, else of the snapshot; unknown of another
	// server than the one that wrote it.
	Reported Figure `json:"reported_used_memory"`
	// PredictedShare and ReportedShare are the prediction and Reported divided by
	// MaxMemory, nil if they are unknown.
	PredictedShare *float64   `json:"predicted_share"`
	ReportedShare  *float64   `json:"reported_share"`
	Policies       []Eviction `json:"policies"`
}

// Eviction is what an eviction policy can evict.
type Eviction struct {
	Policy      string  `json:"policy"`
	Keys        int64   `json:"keys"`
	MemoryBytes Figure  `json:"memory_bytes"`
	Share       float64 `json:"share"` // of all keys' memory, 0 to 1
}

// keyspace is what newMemory needs to know of one input.
type keyspace struct {
	Model     *memory.Model // nil if there is none
	Note      string        // why it was chosen, or none was
	Other     bool          // it is the model of another server than the one that wrote the input
	Databases []Database    // totals of all keys of the input
	Slots     []memory.Slot // as parser.Info has them
	Partial   bool          // not all keys were counted: nothing is predicted
	MaxMemory int64         // bytes of a server that the keys are to fit into, 0 not asked
	NameBytes int64         // of the names of all keys
	Random    memory.Random // elements whose memory chance decides
	Info      *serverinfo.Info

	Templates     int64 // memory of the field names that hashes share, bytes
	Bounded       int64 // keys whose memory is a lower bound
	Rough         int64 // keys whose memory is approximate
	Expired       int64 // keys past their expiry when the snapshot was taken
	ExpiredMemory int64 // memory of the expired keys, bytes
}

// newMemory returns the predicted used_memory of a server with the keys of an
// input, compared with what the snapshot says, and whether it fits into a
// maxmemory.
func newMemory(in *Input, c keyspace) *Memory {
	m := &Memory{Note: c.Note, NoteMessage: message.Sentence(c.Note), Predicted: Unknown, Startup: Unknown, Keys: Unknown,
		Tables: Unknown}
	defer m.fit(in, &c)
	if c.Model == nil {
		return m
	}
	m.Model, m.Allocator, m.State, m.Approximate = c.Model.Name(), c.Model.Allocator(), c.Model.State(),
		c.Model.Approximate()
	if c.Partial {
		m.explain("not predicted: only a part of the keys was counted")
		return m
	}
	m.Bound = c.Bounded > 0
	var databases []memory.Database
	var all, volatile eviction
	for _, d := range c.Databases {
		databases = append(databases, memory.Database{Number: d.DB, Keys: d.Keys, Expires: d.WithTTL})
		all.add(d.Keys, int64(d.MemoryBytes))
		volatile.add(d.WithTTL, int64(d.WithTTLMemory))
	}
	// An append-only file is loaded with its expired keys.
	dropped := c.Expired > 0 && c.Model.State() == "reloaded" && !in.AOFBase
	if dropped {
		all.add(-c.Expired, -c.ExpiredMemory)
		volatile.add(-c.Expired, -c.ExpiredMemory)
		if len(c.Slots) == 0 { // their slots are unknown: then no table shrinks
			dropExpired(databases, c.Expired)
		}
		m.explain("{keys} left out: a primary drops such keys when it loads the file",
			message.Number("keys", c.Expired, "1 expired key", "{n} expired keys"))
	}
	p := c.Model.Instance(all.bytes+c.Templates, databases, c.Slots)
	m.Predicted, m.Startup, m.Keys, m.Tables = Figure(p.UsedMemory), Figure(p.Startup), Figure(p.Keys), Figure(p.Tables)
	m.KeysPlusMinus = int64(2 * c.Model.Deviation(c.Random))
	m.divide(in, &p, c.NameBytes, all.keys, c.Info, c.Other)
	if m.Bound {
		m.explain("a lower bound: of {keys} of modules or arrays only the bytes in the file are known",
			keysArg("keys", c.Bounded))
	}
	if c.Rough > 0 {
		m.explain("approximate: the memory of {keys} of modules was not measured, or depends on what no snapshot shows",
			keysArg("keys", c.Rough))
	}
	if in.UsedMem.Known() {
		d := int64(in.UsedMem) - p.UsedMemory
		m.Difference = &d
		if c.Other {
			m.explain("the prediction is for {model}, used_memory is that of the server that wrote the snapshot",
				message.Text("model", m.Model))
		} else {
			m.explainDifference(d, dropped)
		}
	}
	if c.MaxMemory > 0 {
		m.Fit = &Fit{Policies: []Eviction{all.of("allkeys-*", all.bytes), volatile.of("volatile-*", all.bytes),
			{Policy: "noeviction"}}}
	}
	return m
}

// fit compares the memory with the maxmemory that was asked for.
func (m *Memory) fit(in *Input, c *keyspace) {
	if c.MaxMemory <= 0 {
		return
	}
	if m.Fit == nil {
		m.Fit = &Fit{Policies: []Eviction{}}
	}
	f := m.Fit
	f.MaxMemory, f.Reported = c.MaxMemory, in.UsedMem
	if n, ok := c.Info.Get("used_memory"); ok {
		f.Reported = Figure(n)
	}
	if c.Other {
		f.Reported = Unknown
	}
	over := f.Reported > Figure(f.MaxMemory)
	if f.Reported.Known() {
		f.ReportedShare = new(float64(f.Reported) / float64(f.MaxMemory))
	}
	if m.Predicted.Known() {
		f.PredictedShare = new(float64(m.Predicted) / float64(f.MaxMemory))
		over = over || m.Predicted > Figure(f.MaxMemory)
		if !m.Bound || m.Predicted > Figure(f.MaxMemory) { // a lower bound that fits decides nothing
			f.Free = new(f.MaxMemory - int64(m.Predicted))
		}
	}
	if over || f.Free != nil && in.laterText().IsZero() {
		f.Fits = new(!over)
	}
}

// fitText says how full a server is, of an input whose Memory has a Fit.
func (in *Input) fitText() message.Message {
	m, f := in.Memory, in.Memory.Fit
	reported, predicted := f.Reported > 0, m.Predicted > 0 // reports of older versions have no Reported
	id := "{max}: how full that is, neither the snapshot nor a prediction says"
	switch {
	case predicted && m.Bound && reported:
		id = "{max}: at least {p} full by the prediction of {predicted}, {r} by the used_memory of {reported}"
	case predicted && m.Bound:
		id = "{max}: at least {p} full by the prediction of {predicted}"
	case predicted && reported:
		id = "{max}: {p} full by the prediction of {predicted}, {r} by the used_memory of {reported}"
	case predicted:
		id = "{max}: {p} full by the prediction of {predicted}"
	case reported:
		id = "{max}: {r} full by the used_memory of {reported}"
	}
	return withLater(message.New(id, message.Size("max", f.MaxMemory), shareArg("p", int64(m.Predicted), f.MaxMemory),
		shareArg("r", int64(f.Reported), f.MaxMemory),
		sizeArg("predicted", m.Predicted), sizeArg("reported", f.Reported)), in.laterText())
}

// over returns by how much the larger figure is over MaxMemory, 0 if neither is.
func (f *Fit) over(m *Memory) int64 {
	return max(0, int64(max(m.Predicted, f.Reported))-f.MaxMemory)
}

// eviction adds up what a kind of policy can evict.
type eviction struct{ keys, bytes int64 }

func (e *eviction) add(keys, bytes int64) {
	if e.keys += keys; keys < 0 || bytes > 0 {
		e.bytes += bytes
	}
}

func (e *eviction) of(policy string, whole int64) Eviction {
	return Eviction{Policy: policy, Keys: e.keys, MemoryBytes: Figure(e.bytes), Share: shareOf(e.bytes, whole)}
}

// dropExpired removes n expired keys from the databases. How many each has is
// unknown, so they are taken from the first ones.
func dropExpired(databases []memory.Database, n int64) {
	for i := range databases {
		d := &databases[i]
		part := min(n, d.Expires)
		d.Keys, d.Expires, n = d.Keys-part, d.Expires-part, n-part
	}
}

// shareOf returns part / whole, 0 if whole is 0.
func shareOf(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

func (m *Memory) explain(id string, args ...message.Arg) {
	sentence := message.New(id, args...)
	m.Explanation, m.ExplanationMessages = append(m.Explanation, sentence.String()),
		append(m.ExplanationMessages, sentence)
}

// stored returns m without the texts that restore makes of the rest, as a state has it.
func (m *Memory) stored() *Memory {
	if m == nil {
		return nil
	}
	s := *m
	s.NoteMessage, s.Explanation, s.Parts = message.Message{}, nil, slices.Clone(m.Parts)
	for i := range s.Parts {
		s.Parts[i].Remedy, s.Parts[i].RemedyMessage = "", message.Message{}
	}
	return &s
}

func (m *Memory) restore() {
	if m == nil {
		return
	}
	m.NoteMessage = message.Sentence(m.Note)
	for i := range m.Parts {
		m.Parts[i].setRemedy()
	}
	for _, sentence := range m.ExplanationMessages {
		m.Explanation = append(m.Explanation, sentence.String())
	}
}

// explainDifference says what the difference d, in bytes, between a snapshot's
// used-mem and the prediction may be. Dropped: the prediction omits expired keys.
func (m *Memory) explainDifference(d int64, dropped bool) {
	predicted := int64(m.Predicted)
	size := message.Size("size", d)
	switch {
	case m.Bound && d > 0:
		m.explain("the difference: what those keys take beyond the bound, buffers, slack left by deleted data, or another " +
			"allocator")
		return
	case dropped && d > 0:
		m.explain("about {size} that a restart frees: the expired keys, buffers of clients and replicas, and slack left by "+
			"deleted data", size)
		return
	case d > 0 && m.State == "reloaded":
		m.explain("about {size} that a restart frees: buffers of clients and replicas, and slack left by deleted data", size)
	case d > 0:
		m.explain("about {size} that is not keys: buffers, slack left by deleted data (a restart frees both), or another "+
			"allocator", size)
		if d > max(predicted/20, 256<<10) { // less may be anything
			m.explain("keys that were changed often take more than their figures until a restart: all of them together at "+
				"most {size}, a string that was appended to up to 2.2 times as much, a table that was larger many times", size)
		}
	case d < 0:
		m.explain("the server used less than this model predicts for its keys")
	}
	if -d > predicted/10 {
		m.explain("over 10 %: another allocator (--allocator), lists whose nodes the server compresses " +
			"(list-compress-depth), or a build that differs")
	}
}

// modelOf returns the memory model for a snapshot, nil if there is none, why it was
// chosen, and whether it is that of another server than the one that wrote the
// snapshot.
func modelOf(info *parser.Info, options memory.Options) (m *memory.Model, note string, other bool) {
	options.Cluster, options.RDB = options.Cluster || info.Cluster, info.Version
	m, note, _ = memory.Choose(info.Server, info.ServerVersion, options) // check tried the options
	if options.Server == "" || m == nil {
		return m, note, false
	}
	options.Server = ""
	writer, _, _ := memory.Choose(info.Server, info.ServerVersion, options)
	return m, note, writer == nil || writer.Name() != m.Name()
}
