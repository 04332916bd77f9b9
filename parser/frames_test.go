package parser

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/rdblens/rdblens/parser/internal/crc64"
)

// packers compress as the usual tools do, with a checksum of the content.
var packers = map[string]func(p []byte) []byte{
	"gzip": func(p []byte) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write(p)
		w.Close()
		return b.Bytes()
	},
	"zstd": func(p []byte) []byte {
		w, _ := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
		return w.EncodeAll(p, nil)
	},
	"lz4": func(p []byte) []byte {
		var b bytes.Buffer
		w := lz4.NewWriter(&b)
		w.Apply(lz4.BlockSizeOption(lz4.Block64Kb))
		w.Write(p)
		w.Close()
		return b.Bytes()
	},
}

// hexStrings is a snapshot of keys with texts that barely shrink. Its checksum is
// switched off unless it is summed.
func hexStrings(keys int, summed bool) []byte {
	rnd := rand.New(rand.NewPCG(1, 2))
	p := []byte("REDIS0011")
	for i := range keys {
		for j, text := range []string{fmt.Sprintf("key:%d", i), fmt.Sprintf("%x", rnd.Uint64())} {
			if j == 0 {
				p = append(p, 0)
			}
			p = append(append(p, byte(len(text))), text...)
		}
	}
	p = append(p, 0xff)
	if summed {
		return binary.LittleEndian.AppendUint64(p, crc64.Update(0, p))
	}
	return append(p, make([]byte, 8)...)
}

// passes reads a compressed snapshot by a Scanner and by Run, which must agree.
func passes(t *testing.T, what string, in []byte) (o outcome, refused bool) {
	t.Helper()
	for i := range 2 {
		src, err := Wrap(bytes.NewReader(in))
		if err != nil {
			return outcome{err: err}, true
		}
		if i == 0 {
			o = scanned(src, Options{}, scanBlock)
		} else if r := ran(src, Options{}, 2); !slices.Equal(r.lines, o.lines) || fmt.Sprint(r.err) != fmt.Sprint(o.err) {
			t.Errorf("%s: a Scanner finds %d keys, %v; Run %d, %v", what, len(o.lines), o.err, len(r.lines), r.err)
		}
		src.Close()
	}
	return o, false
}

// TestFrameDiagnosis has damage before and after compression, in checksums alone, and
// cuts.
func TestFrameDiagnosis(t *testing.T) {
	p := hexStrings(20_000, true)
	wrong := bytes.Clone(p)
	copy(wrong[len(p)/2:], bytes.Repeat([]byte{0xf0}, 100)) // neither types nor lengths
	for kind, pack := range packers {
		good := pack(p)
		flipped := func(at int) []byte {
			b := bytes.Clone(good)
			b[at] ^= 1
			return b
		}
		sum := len(good) - 1
		if kind == "gzip" {
			sum -= 7
		}
		unchanged := "; the " + kind + " checksum is right: the file has not changed since it was compressed"
		for _, c := range []struct {
			name   string
			in     []byte
			want   string
			unsure bool // the keys before the damage
		}{
			{"sound", good, "", false},
			{"damage before compression", pack(wrong), unchanged, false},
			{"a cut before compression", pack(p[:len(p)/2]), unchanged, false},
			{"damage", flipped(len(good) / 2), "", true},
			// Package zstd does not return the last block of a frame with a wrong checksum.
			{"damage to the checksum", flipped(sum), "the " + kind + " data is damaged: ", kind == "zstd"},
			{"a cut", good[:len(good)/2],
				"the " + kind + " data ends early; no checksum confirms the keys before offset ", false},
			{"damage before compression, and a cut", pack(wrong)[:len(good)*3/4],
				"; the " + kind + " data ends early: no checksum confirms the keys before offset ", false},
		} {
			what := kind + ", " + c.name
			o, refused := passes(t, what, c.in)
			var damage *DamageError
			if refused || errors.As(o.err, &damage) != (c.name != "sound") {
				t.Errorf("%s: %v", what, o.err)
			} else if damage != nil && !strings.Contains(damage.Reason.Quoted(), c.want) {
				t.Errorf("%s: %q, want %q", what, damage.Reason.Quoted(), c.want)
			} else if damage != nil {
				unsure := fmt.Sprintf("keys before offset %d may be wrong", damage.Offset)
				if strings.Contains(damage.Reason.Quoted(), unsure) != c.unsure {
					t.Errorf("%s: %q", what, damage.Reason.Quoted())
				}
			}
		}
		// A digit becomes another one, and only the checksum of the frame can tell.
		in := pack(hexStrings(20_000, false))
		for at := len(in) / 4; at < len(in)/4+40; at++ {
			b := bytes.Clone(in)
			b[at] ^= 1
			if o, _ := passes(t, kind, b); o.err == nil || !strings.Contains(o.err.Error(), "may be wrong") {
				t.Errorf("%s, the byte at %d differs: %v", kind, at, o.err)
			}
		}
	}
}

// TestDamagedFrames cuts and flips compressed snapshots anywhere: the keys are those of
// the sound one, or the error says that they may not be. RDBLENS_FRAMES is the number
// of places for each, a tenth for snapshots above 1 MB; RDBLENS_CORPUS is a directory of
// further snapshots.
func TestDamagedFrames(t *testing.T) {
	places := 15
	if n, err := strconv.Atoi(os.Getenv("RDBLENS_FRAMES")); err == nil {
		places = n
	}
	files, _ := filepath.Glob("../testdata/truth/redis-7.0.15/*.rdb")
	if dir := os.Getenv("RDBLENS_CORPUS"); dir != "" {
		filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err == nil && slices.Contains([]string{".rdb", ".dfs", ".aof", ".bin"}, filepath.Ext(path)) {
				files = append(files, path)
			}
			return err
		})
	}
	if len(files) == 0 {
		t.Fatal("no snapshots")
	}
	var runs, read atomic.Int64
	var workers sync.WaitGroup
	next := make(chan string)
	for range 2 {
		workers.Go(func() {
			for file := range next {
				if n := damageFrames(t, file, places); n > 0 {
					runs.Add(int64(n))
					read.Add(1)
				}
			}
		})
	}
	for _, file := range files {
		next <- file
	}
	close(next)
	workers.Wait()
	t.Logf("%d cuts and changes of %d files", runs.Load(), read.Load())
}

// damageFrames cuts and flips a snapshot, and returns how often.
func damageFrames(t *testing.T, file string, places int) (runs int) {
	p, err := os.ReadFile(file)
	if err != nil {
		t.Error(err)
		return 0
	}
	kinds := []string{"gzip", "zstd", "lz4"}
	if places > 100 {
		kinds = kinds[:1]
	}
	if len(p) > 1<<20 {
		places /= 10
	}
	rnd := rand.New(rand.NewPCG(3, uint64(len(p))))
	for _, kind := range kinds {
		good := packers[kind](p)
		sound, refused := passes(t, file, good)
		if refused {
			continue
		}
		for i := range 2 * places {
			in, what := bytes.Clone(good), ""
			if at := rnd.IntN(len(in)); i%2 == 0 {
				in, what = in[:at], fmt.Sprintf("%s, %s, cut at %d", file, kind, at)
			} else {
				in[at] ^= 1 << rnd.IntN(8)
				what = fmt.Sprintf("%s, %s, changed at %d", file, kind, at)
			}
			runs++
			src, err := Wrap(bytes.NewReader(in))
			if err != nil {
				continue
			}
			o := scanned(src, Options{}, scanBlock)
			src.Close()
			prefix := len(o.lines) <= len(sound.lines) && slices.Equal(o.lines, sound.lines[:len(o.lines)])
			text := fmt.Sprint(o.err)
			unsure := strings.Contains(text, "may be wrong") || strings.Contains(text, "no checksum confirms")
			if !prefix && !unsure || o.err == nil && len(o.lines) < len(sound.lines) {
				t.Errorf("%s: other keys, and %v", what, o.err)
			}
		}
	}
	return runs
}
