package codebase

import (
	"cmp"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
)

// A Reference is a line of source that likely writes the keys of a group, as reports
// have it.
type Reference struct {
	Dir      string `json:"dir,omitempty" redact:"path"` // of the checkout, "" there is one
	File     string `json:"file" redact:"path"`          // relative to it, with slashes
	Line     int    `json:"line"`                        // from 1
	Function string `json:"function,omitempty" redact:"text"`
	Text     string `json:"text,omitempty" redact:"text"` // the line
	Pattern  string `json:"pattern" redact:"name"`        // of the keys that the line names
	Sure     string `json:"sure"`                         // "certain" or "likely"
	// Expiry says of a group with keys without a TTL whether the line writes them with an expiry:
	// "none", "set", "" unknown.
	Expiry  string          `json:"expiry,omitempty"`
	Why     string          `json:"why" redact:"of Message"`
	Message message.Message `json:"message"`
	URL     string          `json:"url,omitempty" redact:"text"`    // of the line
	Owners  []string        `json:"owners,omitempty" redact:"text"` // that CODEOWNERS names
}

// Place returns file:line.
func (r *Reference) Place() string {
	return path.Join(r.Dir, r.File) + ":" + strconv.Itoa(r.Line)
}

// A Finder finds the source of groups of keys in checkouts.
type Finder struct {
	Checkouts []*Checkout
	// URL is the address of a line, in which {path} and {line} stand for its place; ""
	// none.
	URL string
}

// Find returns the lines of source that likely write the keys of each group, best
// first, at most three.
func (f *Finder) Find(groups []Group) [][]Reference {
	all := make([][]Candidate, len(groups))
	from := map[*Pattern]*Checkout{}
	for _, c := range f.Checkouts {
		for i, list := range c.Match(groups) {
			all[i] = append(all[i], list...)
			for _, candidate := range list {
				from[candidate.Pattern] = c
			}
		}
	}
	result := make([][]Reference, len(groups))
	for i, list := range all {
		slices.SortStableFunc(list, byScore)
		for n, candidate := range list[:min(len(list), maxCandidates)] {
			if candidate.Score >= list[0].Score-scoreGap || n == 0 {
				result[i] = append(result[i], f.reference(&candidate, from[candidate.Pattern]))
			}
		}
	}
	return result
}

// byScore orders candidates, the best first.
func byScore(a, b Candidate) int {
	return cmp.Or(cmp.Compare(a.late, b.late), cmp.Compare(b.Score, a.Score))
}

func (f *Finder) reference(c *Candidate, from *Checkout) Reference {
	r := Reference{File: c.File, Line: c.Line, Function: c.Function, Text: c.Text, Pattern: c.Key, Sure: c.Sure.String(),
		Expiry: c.Expiry, Message: c.Why()}
	if len(f.Checkouts) > 1 {
		r.Dir = from.Dir
	}
	r.Why = r.Message.String()
	if f.URL != "" {
		r.URL = strings.NewReplacer("{path}", (&url.URL{Path: c.File}).EscapedPath(), "{line}",
			strconv.Itoa(c.Line)).Replace(f.URL)
	}
	r.Owners = from.owners.of(c.File)
	return r
}

// Why says why a line is a candidate.
func (c *Candidate) Why() message.Message {
	var why []message.Message
	key := message.Name("pattern", c.Key)
	switch { // what the keys of the group are, compared with those of the line
	case c.Filled && c.Folded:
		key = message.Phrase("pattern", message.New("the similar pattern {pattern}", key))
	case c.Filled:
		key = message.Phrase("pattern", message.New("the broader pattern {pattern}", key))
	case c.Folded:
		key = message.Phrase("pattern", message.New("the narrower pattern {pattern}", key))
	}
	switch {
	case c.Library != "" && c.Key != "":
		why = append(why, message.New("it sets up {library}, {name}", message.Text("library", c.Library),
			message.Name("name", c.Key)))
	case c.Library != "":
		why = append(why, message.New("it sets up {library}", message.Text("library", c.Library)))
	case len(c.Commands) > 0:
		why = append(why, message.New("{commands} with {pattern}", message.Code("commands", strings.Join(c.Commands, ", ")),
			key))
	default:
		why = append(why, message.New("it names {pattern}", key))
	}
	switch c.Expiry {
	case "none":
		why = append(why, message.New("writes without an expiry"))
	case "set":
		why = append(why, message.New("writes with an expiry"))
	}
	if c.Prefix != "" {
		why = append(why, message.New("keys have the prefix {prefix}", message.Name("prefix", c.Prefix)))
	}
	return message.New("{reasons}", message.List("reasons", "; ", why))
}

type owners []ownerEntry

type ownerEntry struct {
	pattern ignorePattern
	names   []string
}

func (w *walker) ownersOf() (list owners) {
	for _, name := range [...]string{".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"} {
		text, ok := w.read(name)
		if !ok {
			continue
		}
		for line := range strings.Lines(text) {
			line, _, _ = strings.Cut(line, " #")
			fields := strings.Fields(line)
			if len(fields) == 0 || len(list) >= maxIgnore || strings.HasPrefix(fields[0], "#") ||
				strings.HasPrefix(fields[0], "[") {
				continue
			}
			if parsed := (ignoreList{}).with(fields[0], 0); len(parsed) == 1 && !parsed[0].negated {
				list = append(list, ownerEntry{parsed[0], fields[1:]})
			}
		}
		return list
	}
	return nil
}

// of returns the owners of a file: those of the last entry for it or for a directory
// above it.
func (o owners) of(file string) []string {
	for i := len(o) - 1; i >= 0; i-- {
		for p, directory := file, false; p != "."; p, directory = path.Dir(p), true {
			if (ignoreList{o[i].pattern}).ignores(p, directory) {
				return o[i].names
			}
		}
	}
	return nil
}
