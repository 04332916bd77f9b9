package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/thresholds/config"
)

const nightSchema = "rdblens-nightly/1"

// nightState is what nightly knows of the nights before. A run replaces it as a whole,
// last of all, so that a run that is interrupted changes nothing.
type nightState struct {
	Schema string                `json:"schema"`
	Run    string                `json:"run"`    // the last one
	Inputs map[string]nightInput `json:"inputs"` // by name
	Open   map[string]openEvent  `json:"open"`   // what was reported and goes on, by Event.ID in hexadecimal of its hash
	// Unsent is the last message, and UnsentTo whom it may not have reached: arguments of
	// --notify, "" for standard output. The next run sends it again.
	Unsent   string   `json:"unsent,omitempty"`
	UnsentTo []string `json:"unsent_to,omitempty"`
}

type nightInput struct {
	Report   string `json:"report"`   // last complete report, below reports/; "" none
	Settings string `json:"settings"` // what judged it: see night.settings
}

type openEvent struct {
	Since    int64  `json:"since"`    // seconds since the epoch
	Reported int64  `json:"reported"` // the last time
	Input    string `json:"input"`
}

func readNightState(dir string) (*nightState, error) {
	s := &nightState{Schema: nightSchema, Inputs: map[string]nightInput{}}
	b, err := os.ReadFile(filepath.Join(dir, stateFile))
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, reasonOf(err)
	}
	if err := json.Unmarshal(b, s); err != nil || s.Schema != nightSchema {
		return nil, message.Errorf("{file} is not of this version, or damaged",
			message.Path("file", stateFile)).WithHint("remove it: the next night takes stock again")
	}
	return s, nil
}

func (s *nightState) write(dir string) error {
	b, _ := json.MarshalIndent(s, "", " ") // of strings and numbers
	return writeFile(filepath.Join(dir, stateFile), append(b, '\n'))
}

// eventKey is the key of nightState.Open: names in IDs can have any bytes.
func eventKey(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:12])
}

// settings identifies what judges the inputs: the version, every value of the rules, and
// the content of the baseline.
func (n *night) settings() (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%s %q", tool().Version, n.rules)
	for _, entry := range config.Entries(n.policy) {
		applies := !strings.HasPrefix(entry.Path, "nightly.") && !strings.HasPrefix(entry.Path, "source")
		if applies && (n.baseline == "" || entry.Origin.Name != n.baseline) {
			fmt.Fprintf(h, "%q %q", entry.Path, entry.Value)
		}
	}
	if n.baseline != "" {
		b, err := os.ReadFile(n.baseline)
		if err != nil {
			return "", &exitError{code: exitUsage, err: inputError(n.baseline, message.Of(reasonOf(err)))}
		}
		h.Write(b)
	}
	return hex.EncodeToString(h.Sum(nil)[:12]), nil
}

func (n *night) saveReport(path string, r *report.Report) error {
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err == nil {
		err = errors.Join(report.Write("json", z, r, report.WriteOptions{}), z.Close())
	}
	if err != nil {
		return err
	}
	return outputError(writeFile(path, b.Bytes()))
}

// runTime returns when a run began, zero if it has no name of a run.
func runTime(run string) time.Time {
	at, _ := time.Parse(runForm, run[:min(len(run), len(runForm))])
	return at
}

// runForm is the name of a run, which "-2" follows if it is the second of a moment.
const runForm = "2006-01-02T150405Z"

// removeOld removes the reports of runs before the days that are kept, but for a run that
// has the last complete report of an input.
func (n *night) removeOld() {
	needed := map[string]bool{n.run: true}
	for _, in := range n.next.Inputs {
		run, _, _ := strings.Cut(in.Report, "/")
		needed[run] = true
	}
	runs, _ := os.ReadDir(n.path(reportsDir))
	for _, entry := range runs {
		name := entry.Name()
		began := runTime(name)
		if days := int64(n.now.Sub(began) / (24 * time.Hour)); !needed[name] && !began.IsZero() && n.Keep.Number >= 0 && days >= n.Keep.Number {
			os.RemoveAll(n.path(reportsDir, name))
		}
	}
}

// writeFile writes a file that appears whole or not at all.
func writeFile(path string, content []byte) error {
	out, err := report.CreateFile(path, nil)
	if err != nil {
		return err
	}
	defer out.Abort()
	if _, err := out.Write(content); err != nil {
		return report.NewOutputError(path, err)
	}
	return out.Commit()
}
