package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc64"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/rdblens/rdblens/testdata/testtool"
)

// commands are the programs that the tests run as separate processes.
var commands = map[string]func(){"rdblens": main}

func TestMain(m *testing.M) {
	if path := os.Getenv(untranslatedVariable); path != "" {
		command := regexp.MustCompile(`^(rdblens|-[-a-z]+|namespaces:)( [-a-zA-Z0-9.=:{}\[\]]+)*$`) // as it is in any language
		untranslated = func(sentence string) {
			if command.MatchString(sentence) {
				return
			}
			f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
			if err != nil {
				panic(err)
			}
			fmt.Fprintf(f, "%q\n", sentence)
			f.Close()
		}
	}
	testscript.Main(m, commands)
}

// untranslatedVariable is the environment variable with the file to which the commands
// of scripts write sentences without a translation.
const untranslatedVariable = "RDBLENS_UNTRANSLATED"

// TestScripts runs testdata/script: every command, flag and exit code. Besides the
// commands of testscript, a script has
//
//	exits N COMMAND...      run a command, which must exit with code N
//	rdb OUT TEXT            write a snapshot; see snapshotOf
//	cut FILE N              drop the last N bytes
//	flip FILE N             invert the byte N before the end
//	nofiles PATTERN         no file matches
//
// and $REPO, the directory of the module.
func TestScripts(t *testing.T) {
	repo, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(t.TempDir(), "untranslated")
	t.Cleanup(func() { // when all scripts have ended
		list, _ := os.ReadFile(missing)
		for line := range strings.Lines(string(list)) {
			if sentence, err := strconv.Unquote(strings.TrimSpace(line)); err != nil {
				t.Error(err)
			} else {
				testtool.Untranslated(t, "a script", sentence)
			}
		}
	})
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("REPO", repo)
			e.Setenv(untranslatedVariable, missing)
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":   exits,
			"rdb":     writeSnapshot,
			"cut":     cutFile,
			"flip":    flipByte,
			"nofiles": noFiles,
		},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits N COMMAND...")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

func writeSnapshot(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: rdb OUT TEXT")
	}
	b, err := snapshotOf(ts.ReadFile(args[1]))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b, 0o666))
}

func cutFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: cut FILE N")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	b := ts.ReadFile(args[0])
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(b[:len(b)-n]), 0o666))
}

func flipByte(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: flip FILE N")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	b := []byte(ts.ReadFile(args[0]))
	b[len(b)-n] ^= 0xff
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b, 0o666))
}

func noFiles(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: nofiles PATTERN")
	}
	found, err := filepath.Glob(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(found) > 0 {
		ts.Fatalf("there is %q", found)
	}
}

// snapshotOf returns a snapshot of plain types, described by one record a line:
//
//	magic REDIS0011        the first line, if at all
//	nocrc                  store no checksum
//	aux NAME VALUE
//	db N
//	ttl MS | idle S | freq N   of the next key
//	string NAME VALUE
//	list|set NAME VALUE...
//	hash NAME FIELD VALUE...
//	zset NAME MEMBER SCORE...
//	stamped NAME N TYPE    N keys NAME0, NAME1, ... of one small element
//
// A word in quotes is a Go string, and TEXT*N the text N times. An element
// N#TEXT stands for N elements TEXT0, TEXT1, ...; of a hash, fields of value v.
func snapshotOf(text string) ([]byte, error) {
	out := append(make([]byte, 0, 4<<20), "REDIS0011"...)
	crc := true
	for i, line := range strings.Split(text, "\n") {
		words, err := wordsOf(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		if len(words) == 0 || strings.HasPrefix(words[0], "//") {
			continue
		}
		number := func(n int) uint64 {
			v, e := strconv.ParseInt(words[n], 10, 64)
			if e != nil {
				err = e
			}
			return uint64(v)
		}
		switch words[0] {
		case "magic":
			out = []byte(words[1])
		case "nocrc":
			crc = false
		case "aux":
			out = appendString(appendString(append(out, 250), words[1]), words[2])
		case "db":
			out = appendLength(append(out, 254), int(number(1)))
		case "ttl":
			out = binary.LittleEndian.AppendUint64(append(out, 252), number(1))
		case "idle":
			out = appendLength(append(out, 248), int(number(1)))
		case "freq":
			out = append(out, 249, byte(number(1)))
		case "string":
			out = appendString(appendString(append(out, 0), words[1]), words[2])
		case "list", "set":
			kind := map[string]byte{"list": 1, "set": 2}[words[0]]
			out = appendLength(appendString(append(out, kind), words[1]), countOf(words[2:]))
			for _, w := range words[2:] {
				out, _ = spread(out, w, "")
			}
		case "hash":
			var pairs []byte
			n := 0
			for _, w := range words[2:] {
				more := 0
				if pairs, more = spread(pairs, w, "v"); more == 0 {
					more = 1
				} else {
					more *= 2
				}
				n += more
			}
			out = append(appendLength(appendString(append(out, 4), words[1]), n/2), pairs...)
		case "zset":
			out = appendLength(appendString(append(out, 5), words[1]), (len(words)-2)/2)
			for i := 2; i+1 < len(words); i += 2 {
				score, e := strconv.ParseFloat(words[i+1], 64)
				if e != nil {
					err = e
				}
				out = binary.LittleEndian.AppendUint64(appendString(out, words[i]), math.Float64bits(score))
			}
		case "stamped":
			for n := range number(2) {
				name := words[1] + strconv.FormatUint(n, 10)
				switch words[3] {
				case "string":
					out = appendString(appendString(append(out, 0), name), "v")
				case "set":
					out = appendString(appendLength(appendString(append(out, 2), name), 1), "m")
				}
			}
		default:
			return nil, fmt.Errorf("line %d: no record %q", i+1, words[0])
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	out = append(out, 255)
	var sum uint64
	if crc {
		sum = ^crc64.Update(^uint64(0), jones, out) // without the inversions
	}
	return binary.LittleEndian.AppendUint64(out, sum), nil
}

// jones is the polynomial of the checksum at the end of a snapshot.
var jones = crc64.MakeTable(0x95ac9329ac4bc9b5)

// wordsOf splits a line into words; see snapshotOf.
func wordsOf(line string) (words []string, err error) {
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		var w string
		if line[0] == '"' {
			q, err := strconv.QuotedPrefix(line)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", line, err)
			}
			w, _ = strconv.Unquote(q)
			line = line[len(q):]
		} else {
			w, line, _ = strings.Cut(line, " ")
		}
		if text, times, ok := strings.Cut(w, "*"); ok {
			if n, err := strconv.Atoi(times); err == nil {
				w = strings.Repeat(text, n)
			}
		}
		words = append(words, w)
	}
	return words, nil
}

// spread appends the elements that N#TEXT stands for, each with a value if that is not "", and
// returns N. Another word is an element, and 0 is returned.
func spread(dst []byte, word, value string) (elements []byte, n int) {
	n, text := timesOf(word)
	if n == 0 {
		return appendString(dst, word), 0
	}
	var digits []byte
	for i := range n {
		digits = strconv.AppendInt(digits[:0], int64(i), 10)
		dst = append(append(appendLength(dst, len(text)+len(digits)), text...), digits...)
		if value != "" {
			dst = appendString(dst, value)
		}
	}
	return dst, n
}

// timesOf returns the parts of N#TEXT, 0 for another word.
func timesOf(word string) (n int, text string) {
	count, text, _ := strings.Cut(word, "#")
	if n, err := strconv.Atoi(count); err == nil && text != "" {
		return n, text
	}
	return 0, ""
}

// countOf returns how many elements words stand for.
func countOf(words []string) (count int) {
	for _, w := range words {
		n, _ := timesOf(w)
		count += max(n, 1)
	}
	return count
}

func appendLength(dst []byte, n int) []byte {
	if n < 64 {
		return append(dst, byte(n))
	}
	return binary.BigEndian.AppendUint32(append(dst, 0x80), uint32(n))
}

func appendString(dst []byte, s string) []byte {
	return append(appendLength(dst, len(s)), s...)
}
