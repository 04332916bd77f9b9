package memory

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/rdblens/rdblens/parser/internal/release"
)

// Options choose a model where the snapshot does not determine it. The zero
// value takes the server from the snapshot, the allocator that is built with the
// servers' sources, and the state of the server that wrote the file.
type Options struct {
	// Server is the name of a model, such as "redis-7.0" or "valkey-8.1"; ""
	// is the server that wrote the file. Case does not matter, "redis-" may be
	// omitted, and longer versions such as 8.1.1-rc1 or v8.1 are accepted.
	Server string
	// Allocator is one of Allocators, "" the one of UsualAllocator for the server that
	// wrote the file.
	Allocator string
	// State is one of States: "live", the server that wrote the file (the
	// default), or "reloaded", a fresh one that has loaded it.
	State string
	// Cluster reports whether the server is in cluster mode.
	Cluster bool
	// StreamNode is about the stream-node-max-bytes of the server, as full nodes of all
	// streams show it (parser.Info.StreamNode); 0 is unknown, then the default.
	StreamNode int64
	// RDB is the version of the file's format, 0 if unknown. It dates files that
	// do not name their server, and development builds, which all have version
	// 255.255.255.
	RDB int
}

// States returns the names that Options.State accepts, the default first.
func States() []string { return []string{"live", "reloaded"} }

// Servers returns the names of the models, oldest first in each line.
func Servers() []string {
	names := make([]string, len(families))
	for i, f := range families {
		names[i] = f.name
	}
	return names
}

// Choose returns the model for a snapshot that a server of a release has
// written: server is "redis", "valkey", "keydb", "dragonfly", "redis-enterprise",
// or "" before Redis 3.2. The note, if not "", says which model replaces a
// missing one. The model is nil if no model comes close, which the note
// explains. An error is an option that is not valid.
func Choose(server, version string, opt Options) (model *Model, note string, err error) {
	if opt.Allocator == "" && opt.Server == "" {
		opt.Allocator = UsualAllocator(server, version)
	}
	alloc, err := chooseAllocator(opt.Allocator)
	if err != nil {
		return nil, "", err
	}
	var live bool
	switch opt.State {
	case "", "live":
		live = true
	case "reloaded":
	default:
		return nil, "", fmt.Errorf("unknown state %q: it is live or reloaded", opt.State)
	}
	if opt.Server != "" {
		if server, version, err = parseServer(opt.Server); err != nil {
			return nil, "", err
		}
		opt.RDB = 0
	}
	fam, note, approximate := chooseFamily(server, version, opt.RDB)
	if fam == nil {
		return nil, note, nil
	}
	m := newModel(fam, alloc, live, opt.Cluster, approximate)
	m.streamTail = tailOf(opt.StreamNode)
	return m, note, nil
}

// parseServer splits "redis-7.0", "7.0.15", "v7.0" or "Valkey-9.1.0-rc1".
func parseServer(s string) (server, version string, err error) {
	server, version = "redis", strings.ToLower(s)
	if line, rest, ok := strings.Cut(version, "-"); ok && (line == "redis" || line == "valkey") {
		server, version = line, rest
	}
	version = strings.TrimPrefix(version, "v")
	if _, ok := release.ParseName(version); ok {
		return server, version, nil
	}
	return "", "", fmt.Errorf("unknown server %q: the models are %s", s, strings.Join(Servers(), ", "))
}

// developmentVersion is the least major version of builds between releases: they
// say 255.255.255, and 999.999.999 before Redis 6.2.
const developmentVersion = 255

// familyOfFormat returns the family of the first release that wrote a version of
// the format, 0 if unknown.
func familyOfFormat(rdb int) *family {
	v, _ := release.Parse(release.First(release.Redis, min(rdb, release.Newest(release.Redis))))
	return cmp.Or(newestUntil(v, false), familyNamed("redis-6.2"))
}

// newestUntil returns the newest family of a line that a release belongs to, nil if
// all are newer.
func newestUntil(v release.Version, valkey bool) (f *family) {
	for _, g := range families {
		if g.valkey == valkey && v.AtLeast(g.since.Major, g.since.Minor) {
			f = g
		}
	}
	return f
}

func chooseFamily(server, version string, rdb int) (f *family, note string, approximate bool) {
	oldest := familyNamed("redis-6.2")
	v, ok := release.Parse(version)
	valkey := server == "valkey" && (!ok || v.Major >= 8) // 7.2 is that of Redis
	switch {
	case server == "dragonfly":
		return nil, "no memory model covers Dragonfly: its memory figures are omitted", false
	case server == "keydb":
		return oldest, "KeyDB is measured by the model of Redis 6.2, from which it comes: approximate", true
	case server != "redis" && server != "valkey" && server != "redis-enterprise":
		f = familyOfFormat(rdb)
		return f, "the snapshot does not name its server: the model of " + title(f.name) +
			" is used, approximate", true
	case !ok && valkey: // known by its magic, which no release before 9 writes
		f = familyNamed("valkey-9")
		if rdb >= release.ValkeyTrees {
			f = familyNamed("valkey-9.2")
		}
		if version == "" {
			return f, "the snapshot does not name its server's version: the model of " + title(f.name) + " is used, approximate",
				true
		}
		return f, fmt.Sprintf("unknown server version %q: the model of %s is used, approximate", version, title(f.name)), true
	case !ok:
		return oldest, fmt.Sprintf("unknown server version %q: the model of Redis 6.2 is used, approximate", version), true
	case v.Major >= developmentVersion && !valkey:
		f = familyOfFormat(rdb)
		switch rdb {
		case 0, 14: // the radix trees of 8.10 came soon after 8.8
			f = familyNamed("redis-8.10")
		case 12:
			f = familyNamed("redis-8.4")
		}
		return f, "a development build wrote the snapshot: the model of " + title(f.name) + " is used, approximate", true
	case v.Major >= developmentVersion:
		f = familyNamed("valkey-9.2")
		if rdb > 0 && rdb < release.ValkeyTrees {
			f = familyNamed("valkey-9")
		}
		return f, "a development build wrote the snapshot: the model of " + title(f.name) + " is used, approximate", true
	}
	if f = newestUntil(v, valkey); f == nil {
		return oldest, fmt.Sprintf("no memory model is as old as Redis %s: the one of Redis 6.2 is used, approximate",
			version), true
	}
	newest := newestUntil(release.Version{Major: developmentVersion}, valkey)
	if f == newest && !newest.covers(v) {
		return f, fmt.Sprintf("%s is newer than the newest memory model, %s, which is used",
			title(server+"-"+version), title(f.name)), false
	}
	return f, "", false
}

// covers reports whether a release from the first one of the newest family on is
// known to keep keys in the same way.
func (f *family) covers(v release.Version) bool {
	return v.Major == f.since.Major && v.Minor <= f.since.Minor
}

// title writes "redis-7.0" as "Redis 7.0".
func title(name string) string {
	line, version, _ := strings.Cut(name, "-")
	switch line {
	case "redis":
		line = "Redis"
	case "valkey":
		line = "Valkey"
	}
	if version == "" {
		return line
	}
	return line + " " + strings.TrimPrefix(version, "enterprise-")
}

// FindAllocator returns which of Allocators the server may have had, first the likeliest, by
// its used_memory and the prediction for each of them, in bytes: none if used_memory is
// unknown or no allocator explains it, several if it fits them, too. usual is the
// name of the one that servers of its release most often have (UsualAllocator).
//
// A server uses what is predicted, and more: histograms of commands, buffers, spare bytes
// of strings, tables that grow. How much more is taken to be distributed exponentially,
// with a mean of 2 MB, which is 80 histograms, and of 1 % of the prediction, or 15 % after
// deletions. It rarely uses less: predictions are some 1 % high where tables were made with lower
// limits of the compact encodings than the default ones, and tens of kilobytes for the empty
// server. What used_memory leaves open, the usual allocator decides.
func FindAllocator(used int64, predicted []int64, usual string) (fits []int) {
	const (
		few, slack, constant = .01, .15, 2 << 20
		afterDeletions       = .1 // of all servers
		error, errorConstant = .003, 48 << 10
		high                 = .01 // how much too high predictions may be
		prior                = 3   // how many times as often the usual one is
		clearly              = 3   // ratio of chances, over which only one fits
		farther              = .6  // of the prediction, and that many megabytes more, for none
		fartherConstant      = 8 << 20
	)
	chance := func(i int) float64 {
		p := float64(predicted[i])
		more := float64(used) - p
		if more < 0 {
			more /= high*p + errorConstant
			return math.Exp(-more * more / 2)
		}
		more = max(0, more-error*p-errorConstant)
		density := func(share float64) float64 { return math.Exp(-more / (constant + share*p)) }
		return (1-afterDeletions)*density(few) + afterDeletions*density(slack)
	}
	of := func(i int) float64 {
		if allocators[i].name == usual {
			return prior * chance(i)
		}
		return chance(i)
	}
	best := 0
	for i := range predicted {
		if of(i) > of(best) {
			best = i
		}
	}
	far := float64(used) - (1+farther)*float64(predicted[best]) - fartherConstant
	if used <= 0 || chance(best) < .002 || far > 0 {
		return nil
	}
	fits = []int{best}
	for i := range predicted {
		if i != best && clearly*chance(i) > chance(best) {
			fits = append(fits, i)
		}
	}
	return fits
}
