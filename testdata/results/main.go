// Results prints what go test -json says, as go test prints it, and at the end the
// tests that were skipped, with their reasons, which go test keeps to itself:
//
//	go test -json ./... | results
//
// The exit code is 1 if a test or a build failed, or if there was none.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

func main() {
	ok, err := summarize(os.Stdin, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "results:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// An event is a line of go test -json; see go doc cmd/test2json.
type event struct {
	Action, Package, Test, Output string
}

// summarize copies the results of packages, with the output of tests that fail or do
// not end, and then lists what was skipped. It reports whether all packages passed.
func summarize(in io.Reader, out io.Writer) (ok bool, err error) {
	type test struct{ pkg, name string }
	output := map[test]string{}      // of tests that have not ended; of a package, without a name
	skipped := map[string][]string{} // tests by reason
	ok, packages := true, 0
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			fmt.Fprintln(out, lines.Text()) // of go itself
			continue
		}
		at := test{e.Package, e.Test}
		switch e.Action {
		case "output":
			output[at] += e.Output
			continue
		case "build-output":
			fmt.Fprint(out, e.Output)
			continue
		case "skip":
			if e.Test != "" {
				skipped[reason(output[at])] = append(skipped[reason(output[at])], e.Test)
			}
		case "fail":
			ok = false
			fmt.Fprint(out, output[at])
			if e.Test != "" {
				break
			}
			for _, t := range slices.SortedFunc(maps.Keys(output), func(a, b test) int { return strings.Compare(a.name, b.name) }) {
				if t.pkg == e.Package && t.name != "" { // a panic or the end of the time
					fmt.Fprint(out, output[t])
					delete(output, t)
				}
			}
		case "pass":
			if e.Test == "" {
				text := strings.TrimSuffix(output[at], "\n")
				fmt.Fprintln(out, text[strings.LastIndexByte(text, '\n')+1:])
			}
		default:
			continue
		}
		delete(output, at)
		if e.Test == "" {
			packages++
		}
	}
	for i, why := range slices.Sorted(maps.Keys(skipped)) {
		if i == 0 {
			fmt.Fprintln(out, "SKIPPED:")
		}
		fmt.Fprintf(out, "  %s: %s\n", why, strings.Join(skipped[why], ", "))
	}
	return ok && packages > 0, lines.Err()
}

var place = regexp.MustCompile(`^\s*\S+\.go:\d+: `)

// reason returns the message with which a test was skipped.
func reason(output string) string {
	why := "for no reason that it gives"
	for line := range strings.Lines(output) {
		if place.MatchString(line) {
			why = strings.TrimSpace(place.ReplaceAllString(line, ""))
		}
	}
	return why
}
