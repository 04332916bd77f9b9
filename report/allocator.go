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

// The values of Memory.AllocatorBasis.
const (
	AllocatorGiven   = "given"   // by the caller
	AllocatorFound   = "found"   // used_memory fits this one, and no other
	AllocatorTie     = "tie"     // used_memory fits others nearly as well
	AllocatorAlike   = "alike"   // the predictions for all allocators are within half a per cent
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

// A foundAllocator is what a source shows of the allocator.
type foundAllocator struct {
	name  string   // "" the usual one of the server
	basis string   // as Memory.AllocatorBasis
	fits  []string // of a tie, as Memory.AllocatorFits
	// differ is by what part the keys differ between fits.
	differ float64
}

// FindOptions returns the options of the memory model of the server that wrote a snapshot,
// with its Allocator and StreamNode, for the commands that read it without a Scan. Of a large
// source its first megabytes are read; if whole is true, and they do not decide on the
// allocator, more and at last all of it. What the options name already, and a source that
// cannot be read again, stay as they are.
func FindOptions(ctx context.Context, source *Source, options memory.Options, whole bool) memory.Options {
	found := options
	for part := int64(firstPart); ; part *= nextPart {
		if part > source.Size/nextPart {
			part = math.MaxInt64
		}
		a, node, certain := findAllocator(ctx, source, options, part, false)
		if found.Allocator = a.name; part == firstPart || found.StreamNode == 0 {
			found.StreamNode = node
		}
		if certain || !whole || part > source.Size {
			return found
		}
	}
}

// findAllocator reads a part of a source, all of a small one. It also returns
// parser.Info.StreamNode, and reports whether all of the source would
// show the same allocator, and in the same way if basis is to be certain, too.
func findAllocator(ctx context.Context, source *Source, options memory.Options, part int64, basisToo bool) (
	found foundAllocator, streamNode int64, certain bool) {
	if options.Allocator != "" {
		return foundAllocator{name: options.Allocator, basis: AllocatorGiven}, 0, true
	}
	unknown := foundAllocator{basis: AllocatorUnknown}
	if source.Size < 0 || source.Once || options.Server != "" {
		return unknown, 0, false
	}
	src, err := source.Open(ctx)
	if err != nil {
		return unknown, 0, false
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
			o := options
			o.RDB, o.Cluster = info.Version, o.Cluster || info.Cluster
			if info.UsedMem > 0 {
				model, _, _ = memory.Choose(info.Server, info.ServerVersion, o)
			}
			return model
		}}, func() parser.Sink {
			return &censusSink{all: all, census: census{databases: make(map[int]*memory.Database)}}
		})
	streamNode = info.StreamNode
	if model == nil || info.SampledBytes == 0 {
		return unknown, streamNode, model == nil
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
			certain = a.name == found.name && (!basisToo || a.basis == found.basis && slices.Equal(a.fits, found.fits))
		}
	}
	if !certain && found.basis != AllocatorFound && !info.Ended { // what is known of a part is too rough to decide between two that fit
		found.name = ""
	}
	return found, streamNode, certain
}

// allocatorOf returns the allocator that explains used_memory. keys is what all keys
// take by the model, with what they share.
func allocatorOf(model *memory.Model, info *parser.Info, keys int64, databases []memory.Database) (found foundAllocator) {
	own := sampleOf(info, model)
	if own == 0 {
		return foundAllocator{name: model.Allocator(), basis: AllocatorUnknown}
	}
	var predicted []int64
	for i, m := range model.Allocators() {
		p := m.Instance(int64(float64(keys)*float64(info.Sampled[i])/float64(own)), databases, info.Slots)
		predicted = append(predicted, p.UsedMemory)
	}
	usual := memory.UsualAllocator(info.Server, info.ServerVersion)
	var keysOf []int64
	for _, i := range memory.FindAllocator(info.UsedMem, predicted, usual) {
		keysOf = append(keysOf, info.Sampled[i])
		found.fits = append(found.fits, memory.Allocators()[i])
	}
	const alike = .005
	spread := float64(slices.Max(predicted)-slices.Min(predicted)) / float64(slices.Min(predicted))
	found.basis = AllocatorTie
	switch {
	case len(found.fits) == 0:
		return foundAllocator{name: usual, basis: AllocatorUnknown}
	case spread < alike:
		found.basis = AllocatorAlike
	case len(found.fits) == 1:
		found.basis = AllocatorFound
	}
	found.name = found.fits[0]
	found.differ = float64(slices.Max(keysOf))/float64(max(1, slices.Min(keysOf))) - 1
	if found.basis != AllocatorTie {
		found.fits = nil
	}
	return found
}

func sampleOf(info *parser.Info, model *memory.Model) int64 {
	for i, name := range memory.Allocators() {
		if name == model.Allocator() && i < len(info.Sampled) {
			return info.Sampled[i]
		}
	}
	return 0
}

// allocatorNote says what is not sure about the allocator of an input; zero nothing.
func allocatorNote(in *Input) (none message.Message) {
	m := in.Memory
	if m == nil {
		return none
	}
	switch m.AllocatorBasis {
	case AllocatorTie:
		const seen = .01 // less does not show
		if m.AllocatorsDiffer <= seen {
			return none
		}
		var fits []message.Message
		for _, name := range m.AllocatorFits {
			fits = append(fits, message.New("{allocator}", message.Text("allocator", name)))
		}
		return message.New("used_memory fits {fits}: figures are for the first ({flag})",
			message.List("fits", ", ", fits), message.Code("flag", "--allocator"))
	case AllocatorAssumed:
		return message.New("figures are for {now}, but used_memory fits another allocator: read the file itself, or name "+
			"it ({flag})",
			message.Text("now", m.Allocator), message.Code("flag", "--allocator"))
	case AllocatorUnknown:
		if m.PartsOf == PartsOfSnapshot || m.PartsOf == PartsOfInfo {
			return message.New("used_memory does not show the allocator: figures are for {now} ({flag})",
				message.Text("now", m.Allocator), message.Code("flag", "--allocator"))
		}
	}
	return none
}
