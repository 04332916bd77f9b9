package report

import (
	"context"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/memory"
	"github.com/rdblens/rdblens/parser/message"
)

// Which allocator a server had, no snapshot says, but its used_memory does: that is near
// what is predicted for one of them. So a sample of the keys is measured with each.

// The values of AllocatorChoice.AllocatorBasis.
const (
	AllocatorGiven   = "given"   // by the caller
	AllocatorFound   = "found"   // used_memory fits this one, and no other
	AllocatorTie     = "tie"     // used_memory fits others nearly as well
	AllocatorAlike   = "alike"   // the same, but its keys are hardly different with these
	AllocatorAssumed = "assumed" // used_memory fits another one, but the input cannot be read again
	AllocatorUnknown = "unknown" // the snapshot has no used_memory, or no allocator explains it
)

// Parts of a file that are read before all of it.
const (
	smallFile = 8 << 20 // bytes up to which that is the whole file
	firstPart = 2 << 20
	nextPart  = 8 // times as much
)

// A census counts what used_memory is predicted from.
type census struct {
	mu        sync.Mutex
	memory    int64
	databases map[int]*memory.Database
	blocks    []blockSums
}

type blockSums struct{ keys, bytes, memory float64 }

type censusSink struct {
	all *census
	census
	block blockSums
}

func (s *censusSink) Key(k *parser.Key) {
	s.memory += max(k.Memory, 0)
	s.block.keys++
	s.block.bytes += float64(k.NameLen + k.Serialized)
	d := s.databases[k.DB]
	if d == nil {
		d = &memory.Database{Number: k.DB}
		s.databases[k.DB] = d
	}
	d.Keys++
	if k.HasExpire {
		d.Expires++
	}
}

func (s *censusSink) Size() int { return 0 }

func (s *censusSink) Flush(bool) error {
	s.all.mu.Lock()
	defer s.all.mu.Unlock()
	s.all.memory += s.memory
	for n, d := range s.databases {
		to := s.all.databases[n]
		if to == nil {
			to = &memory.Database{Number: n}
			s.all.databases[n] = to
		}
		to.Keys += d.Keys
		to.Expires += d.Expires
	}
	s.block.memory = float64(s.memory)
	s.all.blocks = append(s.all.blocks, s.block)
	s.memory, s.block = 0, blockSums{}
	clear(s.databases)
	return nil
}

// fit returns the memory of all keys by that of the blocks that were read, and how far it
// may be off, as a part of it. The file has times the bytes of what was read, and the given
// number of keys. The result is that of the plane through the blocks (least squares), with three
// standard errors and half of what bytes and keys differ by.
func (c *census) fit(times, keys float64) (memory, spread float64) {
	var n, kk, kb, bb, km, bm, sumK, sumB, sumM float64
	for _, x := range c.blocks {
		n, sumK, sumB, sumM = n+1, sumK+x.keys, sumB+x.bytes, sumM+x.memory
		kk, kb, bb, km, bm = kk+x.keys*x.keys, kb+x.keys*x.bytes, bb+x.bytes*x.bytes, km+x.keys*x.memory, bm+x.bytes*x.memory
	}
	if n < 6 {
		return 0, math.Inf(1)
	}
	ofKey, ofByte := 0., bm/bb
	if det := kk*bb - kb*kb; det > 1e-6*kk*bb { // else all keys have the same length
		ofKey, ofByte = (km*bb-bm*kb)/det, (bm*kk-km*kb)/det
	}
	rest := 0.
	for _, x := range c.blocks {
		d := x.memory - ofKey*x.keys - ofByte*x.bytes
		rest += d * d
	}
	return ofKey*keys + ofByte*times*sumB, 3*math.Sqrt(rest/(n-2)*n)/sumM + math.Abs(times*sumK/keys-1)/2
}

// AllocatorChoice is what a source shows of the allocator of its server.
type AllocatorChoice struct {
	// Allocator is the one that figures are for, "" the usual one of the server.
	Allocator string `json:"allocator"`
	// AllocatorBasis is "given" by the caller, or "found" by used_memory; "tie" if that
	// fits several allocators, "alike" if these differ by at most one per cent for the keys,
	// "assumed" if it fits another one but the input cannot be read again, "unknown" if
	// nothing can be said.
	AllocatorBasis string `json:"allocator_basis,omitempty"`
	// AllocatorFits are the allocators of a tie, the likeliest first.
	AllocatorFits []string `json:"allocator_fits,omitempty"`
	// AllocatorsDiffer is by what part the memory of all keys differs between those of a tie, or a
	// key in the mean, whichever is more.
	AllocatorsDiffer float64 `json:"allocators_differ,omitempty"`
}

// FindOptions returns the options of the memory model of the server that wrote a snapshot,
// with its Allocator and StreamNode, for the commands that read it without a Scan, and how the
// allocator was chosen. Of a large source its first megabytes are read; if whole is true, and
// they do not decide on the allocator, more and at last all of it. What the options name
// already, and a source that cannot be read again, stay as they are.
func FindOptions(ctx context.Context, source *Source, options memory.Options, whole bool) (memory.Options, AllocatorChoice) {
	found := options
	for part := int64(firstPart); ; part *= nextPart {
		if part > source.Size/nextPart {
			part = math.MaxInt64
		}
		a, node, certain := findAllocator(ctx, source, options, part, false)
		if found.Allocator = a.Allocator; part == firstPart || found.StreamNode == 0 {
			found.StreamNode = node
		}
		if certain || !whole || part > source.Size {
			return found, a
		}
	}
}

// findAllocator reads a part of a source, all of a small one. It also returns
// parser.Info.StreamNode, and reports whether all of the source would
// show the same allocator, and in the same way if basis is to be certain, too.
func findAllocator(ctx context.Context, source *Source, options memory.Options, part int64, basisToo bool) (
	found AllocatorChoice, streamNode int64, certain bool) {
	unknown := AllocatorChoice{Allocator: options.Allocator, AllocatorBasis: AllocatorUnknown}
	given := options.Allocator != ""
	if given {
		unknown.AllocatorBasis = AllocatorGiven
	}
	if source.Size < 0 || source.Once {
		return unknown, 0, given
	}
	src, err := source.Open(ctx)
	if err != nil {
		return unknown, 0, given
	}
	defer src.Close()
	var in io.Reader = src
	if source.Size > max(smallFile, part) {
		in = io.LimitReader(src, part)
	}
	var model *memory.Model
	all := &census{databases: make(map[int]*memory.Database)}
	state := options.State
	options.State = ""
	info, err := parser.Run(ctx, in,
		parser.Options{NoChecksum: true, Allocators: true, Memory: func(info *parser.Info) *memory.Model {
			if m, _, other := modelOf(info, options); info.UsedMem > 0 && !other {
				model = m
			}
			return model
		}}, func() parser.Sink {
			return &censusSink{all: all, census: census{databases: make(map[int]*memory.Database)}}
		})
	streamNode = info.StreamNode
	if given || model == nil || info.SampledBytes == 0 {
		return unknown, streamNode, given || model == nil
	}
	keys, rest, spread := float64(all.memory), 1., math.Inf(1) // rest: what all keys are of those that were read
	switch {
	case info.Ended:
		spread = 0
	case len(info.Frames) == 0: // parts of a large key are in the sample, too
		keys = float64(sampleOf(info, model)) * float64(source.Size) / float64(info.SampledBytes)
		rest = float64(source.Size) / float64(info.Bytes)
		if len(all.databases) == 1 && info.AnnouncedKeys > 0 {
			if more, s := all.fit(rest, float64(info.AnnouncedKeys)); s < .1 {
				keys, spread = more, s
			}
		}
	case info.AnnouncedKeys > info.Keys && info.Keys > 0:
		rest = float64(info.AnnouncedKeys) / float64(info.Keys)
		keys *= rest
	default:
		return unknown, streamNode, false
	}
	var databases []memory.Database
	for _, d := range all.databases {
		d.Keys, d.Expires = int64(float64(d.Keys)*rest), int64(float64(d.Expires)*rest)
		databases = append(databases, *d)
	}
	certain = (!info.Ended || err == nil) && info.TemplateMemory == 0 && (state == "" || state == model.State())
	if len(databases) <= 1 && info.AnnouncedKeys >= 0 {
		announced := memory.Database{Keys: info.AnnouncedKeys, Expires: info.AnnouncedExpires}
		for _, d := range databases {
			certain = certain && (!info.Ended || d.Keys == announced.Keys && d.Expires == announced.Expires)
		}
		databases = []memory.Database{announced}
	}
	found = allocatorOf(model, info, int64(keys), databases)
	certain = certain && spread < 1
	for _, part := range []float64{-1, -.5, .5, 1} {
		if certain && spread > 0 {
			a := allocatorOf(model, info, int64(keys*(1+part*spread)), databases)
			certain = a.Allocator == found.Allocator && (!basisToo || a.AllocatorBasis == found.AllocatorBasis &&
				slices.Equal(a.AllocatorFits, found.AllocatorFits))
		}
	}
	if !certain && found.AllocatorBasis != AllocatorFound && !info.Ended { // a part is too rough to decide between two that fit
		found.Allocator = ""
	}
	return found, streamNode, certain
}

// allocatorOf returns the allocator that explains used_memory. keys is what all keys
// take by the model, with what they share.
func allocatorOf(model *memory.Model, info *parser.Info, keys int64, databases []memory.Database) (found AllocatorChoice) {
	own := sampleOf(info, model)
	if own == 0 {
		return AllocatorChoice{Allocator: model.Allocator(), AllocatorBasis: AllocatorUnknown}
	}
	var predicted []int64
	for i, m := range model.Allocators() {
		p := m.Instance(int64(float64(keys)*float64(info.Sampled[i])/float64(own)), databases, info.Slots)
		predicted = append(predicted, p.UsedMemory)
	}
	usual := memory.UsualAllocator(info.Server, info.ServerVersion)
	fits := memory.FindAllocator(info.UsedMem, predicted, usual)
	if len(fits) == 0 {
		return AllocatorChoice{Allocator: usual, AllocatorBasis: AllocatorUnknown}
	}
	for _, i := range fits {
		all := float64(info.Sampled[i])/float64(max(1, info.Sampled[fits[0]])) - 1
		each := math.Exp2(float64(info.SampledLogs[i]-info.SampledLogs[fits[0]])/float64(max(1, info.SampledKeys)<<16)) - 1
		found.AllocatorFits = append(found.AllocatorFits, memory.Allocators()[i])
		found.AllocatorsDiffer = max(found.AllocatorsDiffer, math.Abs(all), math.Abs(each))
	}
	const seen = .01 // less does not show
	found.Allocator, found.AllocatorBasis = found.AllocatorFits[0], AllocatorTie
	if found.AllocatorsDiffer <= seen {
		found = AllocatorChoice{Allocator: found.Allocator, AllocatorBasis: AllocatorAlike}
		if len(fits) < len(predicted) {
			found.AllocatorBasis = AllocatorFound
		}
	}
	return found
}

// readOnce returns what a choice is of a source that was read with an allocator and cannot be
// read again.
func (a AllocatorChoice) readOnce(allocator string) AllocatorChoice {
	if at := slices.Index(a.AllocatorFits, allocator); at > 0 {
		a.AllocatorFits = slices.Insert(slices.Delete(a.AllocatorFits, at, at+1), 0, allocator)
	} else if at < 0 && a.Allocator != allocator && a.AllocatorBasis != AllocatorUnknown {
		a = AllocatorChoice{AllocatorBasis: AllocatorAssumed}
	}
	a.Allocator = allocator
	return a
}

// AllocatorOf returns the choice for a source that was read once, with a model and
// parser.Options.Allocators. keys is the memory of all keys, in bytes.
func AllocatorOf(model *memory.Model, info *parser.Info, keys int64) AllocatorChoice {
	return allocatorOf(model, info, keys+info.TemplateMemory, []memory.Database{{Keys: info.Keys, Expires: max(0, info.AnnouncedExpires)}}).
		readOnce(model.Allocator())
}

func sampleOf(info *parser.Info, model *memory.Model) int64 {
	for i, name := range memory.Allocators() {
		if name == model.Allocator() && i < len(info.Sampled) {
			return info.Sampled[i]
		}
	}
	return 0
}

// Doubt says what is not sure about the allocator; zero nothing.
func (a AllocatorChoice) Doubt() (none message.Message) {
	now, flag := message.Text("now", a.Allocator), message.Code("flag", "--allocator")
	switch a.AllocatorBasis {
	case AllocatorTie:
		return message.New("sizes are for {now} and may be {share} off: used_memory also fits {fits} ({flag})", now,
			message.Each("fits", ", ", "allocator", a.AllocatorFits[1:], message.Text),
			message.Share("share", a.AllocatorsDiffer), flag)
	case AllocatorAssumed:
		return message.New("figures are for {now}, but used_memory fits another allocator: read the file itself, or name "+
			"it ({flag})", now, flag)
	case AllocatorUnknown:
		return message.New("sizes are for {now}: used_memory does not show the allocator ({flag})", now, flag)
	}
	return none
}
