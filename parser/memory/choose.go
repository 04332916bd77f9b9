package memory

import (
	"fmt"
	"strings"

	"github.com/rdblens/rdblens/parser/version"
)

// Options choose a model where the snapshot does not say it all. The zero
// value takes the server from the snapshot, the allocator that comes with the
// servers' sources, and the state of the server that wrote the file.
type Options struct {
	// Server is a model's name, such as "redis-7.0" or "valkey-8.1", in any case
	// (also with a longer version, such as 8.1.1-rc1, with a v before it, and
	// without "redis-"); "" is the one that wrote the file.
	Server string
	// Allocator is one of Allocators, "" the first.
	Allocator string
	// State is "live", the server that wrote the file (the default), or
	// "reloaded", a fresh one that has loaded it.
	State string
	// Cluster says that the server is in cluster mode.
	Cluster bool
	// RDB is the version of the file's format, 0 unknown: it dates files that
	// do not name their server, and development builds, which all say version
	// 255.255.255.
	RDB int
}

// States are the names that Options.State takes, the default first.
var States = []string{"live", "reloaded"}

// Servers gives the names of the models, oldest first in each line.
func Servers() []string {
	names := make([]string, len(families))
	for i, f := range families {
		names[i] = f.name
	}
	return names
}

// Choose gives the model for a snapshot that server ("redis", "valkey",
// "keydb", "dragonfly", "redis-enterprise", "" before Redis 3.2) of a version
// has written. The note says in words what stands in for what, "" nothing. The
// model is nil where there is none, which the note explains; an error is an
// option that makes no sense.
func Choose(server, release string, opt Options) (*Model, string, error) {
	mem, err := chooseAllocator(opt.Allocator)
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
		if server, release, err = parseServer(opt.Server); err != nil {
			return nil, "", err
		}
		opt.RDB = 0
	}
	fam, note, approximate := chooseFamily(server, release, opt.RDB)
	if fam == nil {
		return nil, note, nil
	}
	return newModel(fam, mem, live, opt.Cluster, approximate), note, nil
}

// parseServer takes "redis-7.0", "7.0.15", "v7.0" or "Valkey-9.1.0-rc1" apart.
func parseServer(s string) (server, release string, err error) {
	server, release = "redis", strings.ToLower(s)
	if line, rest, ok := strings.Cut(release, "-"); ok && (line == "redis" || line == "valkey") {
		server, release = line, rest
	}
	release = strings.TrimPrefix(release, "v")
	if v, ok := version.Parse(release); ok && v.Major > 0 {
		return server, release, nil
	}
	return "", "", fmt.Errorf("unknown server %q: the models are %s", s, strings.Join(Servers(), ", "))
}

func familyNamed(name string) *family {
	for _, f := range families {
		if f.name == name {
			return f
		}
	}
	return nil
}

// development is the version that builds between releases give themselves.
const development = 255

// unnamed gives the model for a version of the format alone, 0 unknown: that of
// the first release that wrote it.
func unnamed(rdb int) string {
	switch {
	case rdb < 10:
		return "redis-6.2"
	case rdb == 10:
		return "redis-7.0"
	case rdb == 11:
		return "redis-7.2"
	case rdb == 12:
		return "redis-7.4"
	case rdb == 13:
		return "redis-8.6"
	}
	return "redis-8.8"
}

func chooseFamily(server, release string, rdb int) (fam *family, note string, approximate bool) {
	oldest := familyNamed("redis-6.2")
	switch server {
	case "dragonfly":
		return nil, "Dragonfly keeps keys in its own way, which no model covers: memory is not given", false
	case "keydb":
		return oldest, "KeyDB is measured by the model of Redis 6.2, from which it comes: approximate", true
	case "redis", "valkey", "redis-enterprise":
	default:
		fam = familyNamed(unnamed(rdb))
		return fam, "the snapshot does not name its server: the model of " + title(fam.name) + " stands in, approximate", true
	}
	v, ok := version.Parse(release)
	valkey := server == "valkey"
	switch {
	case ok:
	case valkey: // by its magic, which no release before 9 writes
		fam = familyNamed("valkey-9")
		if release == "" {
			return fam, "the snapshot does not say its server's version: the model of " + title(fam.name) + " stands in, approximate", true
		}
		return fam, fmt.Sprintf("the server's version %q is not understood: the model of %s stands in, approximate", release, title(fam.name)), true
	default:
		return oldest, fmt.Sprintf("the server's version %q is not understood: the model of Redis 6.2 stands in, approximate", release), true
	}
	if valkey && v.Major < 8 {
		valkey = false // 7.2, the fork
	}
	if v.Major == development && !valkey {
		name := unnamed(rdb)
		switch rdb {
		case 0:
			name = "redis-8.8"
		case 12:
			name = "redis-8.4"
		}
		return familyNamed(name), "a development build wrote the snapshot: the model of " + title(name) + " stands in, approximate", true
	}
	var newest *family
	for _, f := range families {
		if f.valkey != valkey {
			continue
		}
		if v.AtLeast(f.since.Major, f.since.Minor) {
			fam = f
		}
		newest = f
	}
	if fam == nil {
		return oldest, fmt.Sprintf("Redis %s is older than the models: the one of Redis 6.2 stands in, approximate", release), true
	}
	if fam == newest && (v.Major > fam.since.Major || v.Minor > newestMinor(fam)) {
		return fam, fmt.Sprintf("%s is newer than the newest known model, %s, which stands in", title(server+"-"+release), title(fam.name)), false
	}
	return fam, "", false
}

// newestMinor gives the last release that a family's newest model stands for.
func newestMinor(f *family) int {
	if f.valkey {
		return 1
	}
	return f.since.Minor
}

// title writes "redis-7.0" as "Redis 7.0".
func title(name string) string {
	line, release, _ := strings.Cut(name, "-")
	switch line {
	case "redis":
		line = "Redis"
	case "valkey":
		line = "Valkey"
	}
	if release == "" {
		return line
	}
	return line + " " + strings.TrimPrefix(release, "enterprise-")
}
