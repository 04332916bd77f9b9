// Package redact replaces names by short hashes, so that a report can leave the
// house: names of keys, elements, groups, files and everything else that a snapshot or
// a command line has, but no figure and no type.
//
// A name is split into segments at the separators of the policy, and at braces.
// Separators and braces stay. A segment becomes an h and twelve
// hexadecimal digits of its HMAC-SHA256, so equal segments stay equal under one salt. If
// asked for, fixed words stay: those that occur in the patterns of at least MinKeys
// distinct keys, of which there are few, and Words names them all:
//
//	user:10086:profile   h0b1f2c55d0e7:h5f0c91d2ab34:h8a6be01f93c2
//	user:10086:profile   user:h5f0c91d2ab34:profile, if user and profile are fixed words
//	order2026            orderh77e0a1b2c3d4, if order* is a fixed word
//
// What stays besides: types, sizes, times, offsets and numbers of databases and
// slots; a slot narrows a guess at a name to one in 16,384.
package redact

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"regexp"
	"slices"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// maxSegments bounds the segments of a name that are hashed apart. What follows is
// one segment.
const maxSegments = 32

// maxName is the number of bytes of a name that are hashed besides its length and
// its own hash. Some lists of a report retain no more.
const maxName = 512

// Redactor replaces names. It may be used by several goroutines.
type Redactor struct {
	minKeys int64 // 0: no word stays
	salted  bool
	key     []byte
	namer   *naming.Namer
	words   map[string]bool // fixed words, and patterns of segments
}

// New returns a Redactor. Two with the same salt replace a name by the same hash; ""
// is a random salt. Words of at least minKeys distinct keys stay, none if it is 0.
func New(salt string, minKeys int64) *Redactor {
	r := &Redactor{minKeys: minKeys, salted: salt != "", key: []byte(salt)}
	if !r.salted {
		r.key = make([]byte, sha256.Size)
		rand.Read(r.key) // it never fails
	}
	r.namer = naming.NewNamer(":")
	return r
}

// MinKeys returns the least number of distinct keys of a fixed word.
func (r *Redactor) MinKeys() int64 { return r.minKeys }

// SaltID identifies the salt: names of two reports with the same one can be
// compared. It is "" of a random salt.
func (r *Redactor) SaltID() string {
	if !r.salted {
		return ""
	}
	return string(r.hash([]byte("\x00salt")))
}

// Learn returns a Redactor that splits names as the namer does, and that keeps the
// fixed words in the patterns of groups and the number of their keys. As the same key
// may be in each of several snapshots, their number divides that of the keys.
func (r *Redactor) Learn(namer *naming.Namer, snapshots int,
	groups func(yield func(pattern []byte, keys int64) bool)) *Redactor {
	c := *r
	r = &c
	r.namer, r.words = namer, map[string]bool{}
	if r.minKeys <= 0 {
		return r
	}
	counts := map[string]int64{}
	groups(func(pattern []byte, keys int64) bool {
		keys /= int64(max(snapshots, 1))
		if bytes.IndexByte(pattern, '*') < 0 {
			keys = 1
		}
		var seen []string
		for _, s := range r.split(pattern) {
			if word := string(s); !slices.Contains(seen, word) && !r.separates(s) {
				seen = append(seen, word)
				counts[word] += keys
			}
		}
		return true
	})
	for word, keys := range counts {
		if keys >= r.minKeys {
			r.words[word] = true
		}
	}
	return r
}

// Words returns the fixed words, in order. Of a pattern of segments, such as order*, a
// star stands for what is replaced.
func (r *Redactor) Words() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(r.words)), func(word string) bool { return word == "*" })
}

// Name returns what replaces the name of a key, a part of one, or a pattern.
func (r *Redactor) Name(name []byte) []byte { return r.name(name, nil) }

// KeyName is Name for a key, whose name may be cut.
func (r *Redactor) KeyName(k *parser.Key) []byte {
	name, hash := k.CutName(maxName)
	if int64(len(name)) == k.NameLen {
		return r.Name(name)
	}
	return r.name(name, binary.BigEndian.AppendUint64(nil, hash))
}

// Element returns what replaces the name or content of an element, a path or any
// other text.
func (r *Redactor) Element(name []byte) []byte { return r.hash(name) }

// Text is Element for a string, "" for "".
func (r *Redactor) Text(s string) string {
	if s == "" {
		return ""
	}
	return string(r.hash([]byte(s)))
}

// File returns what replaces a path. That of standard input stays.
func (r *Redactor) File(path string) string {
	if path == "-" {
		return path
	}
	return r.Text(path)
}

// Message returns a message without names.
func (r *Redactor) Message(m message.Message) message.Message {
	return m.Map(func(a message.Arg) message.Arg {
		switch a.Kind {
		case message.KindName:
			a.Text = string(r.Name([]byte(a.Text)))
		case message.KindElement, message.KindForeign:
			a.Text = r.Text(a.Text)
		case message.KindPath:
			a.Text, a.URL = r.File(a.Text), ""
		}
		return a
	})
}

var release = regexp.MustCompile(`^[0-9]{1,3}(\.[0-9]{1,3}){1,3}`)

// Release returns the digits of a server's version, and what replaces the rest.
func (r *Redactor) Release(version string) string {
	digits := release.FindString(version)
	if rest := version[len(digits):]; digits != "" && rest != "" {
		return digits + "-" + r.Text(rest)
	}
	return digits + r.Text(version[len(digits):])
}

// name replaces a name. The last segment is hashed with what was cut from the name.
func (r *Redactor) name(name, cut []byte) []byte {
	segments := r.split(name)
	dst := make([]byte, 0, len(name)+16)
	for i, s := range segments {
		last := i == len(segments)-1
		switch shape := r.namer.AppendPattern(nil, s); {
		case last && cut != nil:
			dst = append(dst, r.hash(append(slices.Clone(s), cut...))...)
		case r.separates(s) || string(s) == "*" || string(s) == "…" || r.words[string(shape)] && bytes.Equal(shape, s):
			dst = append(dst, s...)
		case r.words[string(shape)] && shape[0] != '*' && len(s) <= naming.MaxPattern:
			dst = append(append(dst, shape[:bytes.IndexByte(shape, '*')]...), r.hash(s)...)
		case bytes.Equal(shape, s) && bytes.IndexByte(s, '*') >= 0:
			dst = append(append(dst, r.hash(s)...), '*')
		default:
			dst = append(dst, r.hash(s)...)
		}
	}
	return dst
}

func (r *Redactor) separates(segment []byte) bool {
	return len(segment) == 1 &&
		(bytes.IndexByte([]byte(r.namer.Separators()), segment[0]) >= 0 || segment[0] == '{' || segment[0] == '}')
}

// split returns the segments of a name and, between them, its separators and braces. No
// segment is empty.
func (r *Redactor) split(name []byte) (list [][]byte) {
	from := 0
	cut := func(to int) {
		if to > from {
			list = append(list, name[from:to])
		}
		from = to
	}
	for i := 0; i < len(name) && len(list) < 2*maxSegments; i++ {
		if r.separates(name[i : i+1]) {
			cut(i)
			cut(i + 1)
		}
	}
	cut(len(name))
	return list
}

// hash returns an h and twelve hexadecimal digits.
func (r *Redactor) hash(b []byte) []byte {
	mac := hmac.New(sha256.New, r.key)
	mac.Write(b)
	return hex.AppendEncode([]byte{'h'}, mac.Sum(nil)[:6])
}
