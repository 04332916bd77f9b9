package parser

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// TestSinkMemory has sinks that are always too large: each is flushed in the order
// of the file, whatever fails on the way.
func TestSinkMemory(t *testing.T) {
	r := newRDB("REDIS0011")
	for i := range 30000 {
		if name := fmt.Sprintf("key:%d", i); i%5000 == 0 {
			r.key(28, name).len(1).len(0).len(7).len(0).str("not for blocks")
		} else {
			r.key(0, name).str(strings.Repeat("x", i%100))
		}
	}
	in := r.end()
	whole := ran(bytes.NewReader(in), Options{}, 1).lines
	enough := errors.New("enough")
	tests := []struct {
		name string
		in   []byte
		turn error
	}{
		{"sound", in, nil},
		{"cut", in[:len(in)/2], nil},
		{"flipped", flipped(in, bytes.Index(in, []byte("key:15001"))-2), nil},
		{"no more", in, enough},
	}
	for _, tt := range tests {
		for _, jobs := range []int{1, 2, 8} {
			var got []string
			turns := 0
			flush := func(lines []string, end bool) error {
				if !end {
					if turns++; turns == 20 && tt.turn != nil {
						return tt.turn
					}
				}
				got = append(got, lines...)
				return nil
			}
			info, err := run(t.Context(), bytes.NewReader(tt.in), Options{Jobs: jobs, SinkMemory: 1}, func() Sink {
				return &lineSink{size: 2 << 20, flush: flush}
			}, smallBlock)
			if (tt.turn != nil) != errors.Is(err, enough) || tt.name == "sound" && err != nil {
				t.Errorf("%s, %d jobs: %v", tt.name, jobs, err)
			}
			if turns < 20 || len(got) > len(whole) || !slices.Equal(got, whole[:len(got)]) || tt.turn == nil && info.Keys != int64(len(got)) {
				t.Errorf("%s, %d jobs: %d keys after %d turns, %d counted", tt.name, jobs, len(got), turns, info.Keys)
			}
		}
	}
}

// growingSink holds much memory from its first key on, as a Shard does whose keys have
// many patterns, and says so late.
type growingSink struct {
	held *atomic.Int64 // bytes of all sinks
	peak *atomic.Int64
	size int
	keys int
}

const grownSink = 1 << 20

func (s *growingSink) Key(k *Key) {
	if s.keys++; s.keys > 1 {
		return
	}
	s.size = grownSink
	for held := s.held.Add(grownSink); ; {
		if peak := s.peak.Load(); held <= peak || s.peak.CompareAndSwap(peak, held) {
			return
		}
	}
}

func (s *growingSink) Size() int { return s.size }

func (s *growingSink) Flush(end bool) error {
	if end && s.keys > 0 {
		s.held.Add(-grownSink)
		s.keys = 0
	}
	return nil
}

// TestSinkAdmission checks that so many sinks are in use as fit into SinkMemory, and
// one more for the unit that is first in order, however many goroutines there are.
func TestSinkAdmission(t *testing.T) {
	r := newRDB("REDIS0011")
	for i := range 30000 {
		r.key(0, fmt.Sprintf("key:%d", i)).str("value")
	}
	in := r.end()
	for _, most := range []int64{2, 5} {
		var held, peak atomic.Int64
		info, err := run(t.Context(), bytes.NewReader(in), Options{Jobs: 16, SinkMemory: most * grownSink}, func() Sink {
			return &growingSink{held: &held, peak: &peak}
		}, smallBlock)
		if err != nil || info.Keys != 30000 || held.Load() != 0 {
			t.Errorf("%d keys, %d bytes held, %v", info.Keys, held.Load(), err)
		}
		if n := peak.Load() / grownSink; n > most+1 {
			t.Errorf("%d sinks in use, %d fit", n, most)
		}
	}
}
