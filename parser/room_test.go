package parser

import (
	"bytes"
	"errors"
	"slices"
	"testing"
)

// TestRoom has parts that are always full: each gets its turn in the order of
// the file, whatever fails on the way.
func TestRoom(t *testing.T) {
	in := many(8000)
	whole := ran(bytes.NewReader(in), Options{}, 1).lines
	enough := errors.New("enough")
	tests := []struct {
		name string
		in   []byte
		turn error
	}{
		{"sound", in, nil},
		{"cut", in[:len(in)/2], nil},
		{"flipped", flipped(in, len(in)/2), nil},
		{"no more", in, enough},
	}
	for _, tt := range tests {
		for _, jobs := range []int{1, 2, 8} {
			var got []string
			turns := 0
			empty := func(p *[]string) error {
				got, *p = append(got, *p...), nil
				return nil
			}
			info, err := run(t.Context(), bytes.NewReader(tt.in), Options{}, Pass[*[]string]{
				Jobs:  jobs,
				Begin: func() *[]string { return new([]string) },
				Key:   func(p *[]string, k *Key) { *p = append(*p, line(k)) },
				Fold:  empty,
				Full:  func(*[]string) bool { return true },
				Turn: func(p *[]string) error {
					if turns++; turns == 20 && tt.turn != nil {
						return tt.turn
					}
					return empty(p)
				},
			}, smallBlock)
			if (tt.turn != nil) != errors.Is(err, enough) || tt.name == "sound" && err != nil {
				t.Errorf("%s, %d jobs: %v", tt.name, jobs, err)
			}
			if turns < 20 || len(got) > len(whole) || !slices.Equal(got, whole[:len(got)]) || tt.turn == nil && info.Keys != int64(len(got)) {
				t.Errorf("%s, %d jobs: %d keys after %d turns, %d told of", tt.name, jobs, len(got), turns, info.Keys)
			}
		}
	}
}
