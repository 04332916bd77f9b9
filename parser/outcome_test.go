package parser

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// line writes what a key is in one line; what is not there is left out.
func line(k *Key) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %q %v/%v n=%d v=%d s=%d", k.DB, k.Name, k.Type, k.Encoding, k.Elements, k.ValueBytes, k.Serialized)
	if k.Largest >= 0 {
		fmt.Fprintf(&b, " largest=%d", k.Largest)
		if k.NameLargest(); k.LargestName != nil {
			fmt.Fprintf(&b, ":%q", k.LargestName)
		}
		fmt.Fprintf(&b, " longest=%d", k.Longest)
		if k.LongestValue != 0 && k.LongestValue != k.Longest {
			fmt.Fprintf(&b, "/%d", k.LongestValue)
		}
	}
	if k.NameLen != int64(len(k.Name)) {
		fmt.Fprintf(&b, " name=%d", k.NameLen)
	}
	if k.HasExpire {
		fmt.Fprintf(&b, " at=%d", k.ExpireAt)
	}
	if k.Idle >= 0 {
		fmt.Fprintf(&b, " idle=%d", k.Idle)
	}
	if k.Freq >= 0 {
		fmt.Fprintf(&b, " freq=%d", k.Freq)
	}
	if k.FieldsWithTTL != 0 {
		fmt.Fprintf(&b, " fields=%d@%d", k.FieldsWithTTL, k.MinFieldExpire)
	}
	if k.Nodes != 0 {
		fmt.Fprintf(&b, " nodes=%d", k.Nodes)
	}
	if k.Type == Stream {
		fmt.Fprintf(&b, " live=%d groups=%d consumers=%d pending=%d", k.Live, k.Groups, k.Consumers, k.Pending)
	}
	if k.Integers {
		b.WriteString(" integers")
	}
	if k.LZFIn != 0 {
		fmt.Fprintf(&b, " lzf=%d>%d", k.LZFIn, k.LZFOut)
	}
	if k.ModuleName != "" {
		fmt.Fprintf(&b, " module=%s", k.ModuleName)
	}
	if k.Memory >= 0 {
		fmt.Fprintf(&b, " memory=%d usage=%d compact=%d %v", k.Memory, k.MemoryUsage, k.CompactMemory, k.MemoryBound)
	}
	if k.LongestField >= 0 || k.Formats != 0 {
		fmt.Fprintf(&b, " field=%d formats=%x", k.LongestField, k.Formats)
	}
	return b.String()
}

// An outcome is all that a pass over a snapshot gives.
type outcome struct {
	lines []string
	info  *Info
	err   error
}

func scanned(r io.Reader, opt Options, block int) outcome {
	s := newScanner(r, opt, block)
	var o outcome
	for s.Scan() {
		o.lines = append(o.lines, line(s.Key()))
	}
	o.info, o.err = s.Info(), s.Err()
	return o
}

// ran reads a snapshot by Run, ranSmall does in blocks so small that a fixture
// has several.
func ran(r io.Reader, opt Options, jobs int) outcome      { return ranBlocks(r, opt, jobs, blockSize) }
func ranSmall(r io.Reader, opt Options, jobs int) outcome { return ranBlocks(r, opt, jobs, smallBlock) }

func ranBlocks(r io.Reader, opt Options, jobs, size int) outcome {
	var o outcome
	opt.Jobs = jobs
	o.info, o.err = run(context.Background(), r, opt, lineSinks(func(lines []string, _ bool) error {
		o.lines = append(o.lines, lines...)
		return nil
	}), size)
	return o
}

// lineSink is a sink of the lines of keys.
type lineSink struct {
	lines []string
	size  int
	flush func(lines []string, end bool) error
}

// lineSinks makes sinks whose lines are passed to flush.
func lineSinks(flush func(lines []string, end bool) error) func() Sink {
	return func() Sink { return &lineSink{flush: flush} }
}

func (s *lineSink) Key(k *Key) { s.lines = append(s.lines, line(k)) }
func (s *lineSink) Size() int  { return s.size }

func (s *lineSink) Flush(end bool) error {
	lines := s.lines
	s.lines = nil
	return s.flush(lines, end)
}

// noSink drops all keys.
type noSink struct{}

func (noSink) Key(*Key)         {}
func (noSink) Size() int        { return 0 }
func (noSink) Flush(bool) error { return nil }
func newNoSink() Sink           { return noSink{} }
