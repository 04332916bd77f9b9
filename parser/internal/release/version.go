package release

import (
	"strconv"
	"strings"
)

// A Version is the first two numbers of a server's version. Nothing that
// rdblens decides depends on the third. The zero Version is older than all.
type Version struct{ Major, Minor int }

// Parse returns the first two numbers of a version such as 7.0.15, v8.1 or
// 9.1.0-rc1; the second is 0 where there is none. Whatever follows the first
// character that is neither digit nor dot is ignored. ok is false if s does not
// begin with a number or has no number after its first dot; the numbers that
// cannot be read are 0.
func Parse(s string) (v Version, ok bool) {
	s = strings.TrimPrefix(s, "v")
	if end := strings.IndexFunc(s, func(r rune) bool { return r != '.' && (r < '0' || r > '9') }); end >= 0 {
		s = s[:end]
	}
	major, rest, dot := strings.Cut(s, ".")
	if v.Major, ok = number(major); !ok || !dot {
		return v, ok
	}
	minor, _, _ := strings.Cut(rest, ".")
	v.Minor, ok = number(minor)
	return v, ok
}

func number(s string) (int, bool) {
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil {
		return 0, false
	}
	return int(n), true
}

// ParseName is Parse for a version that a person wrote: what follows its numbers begins
// with a hyphen, and is one word.
func ParseName(s string) (v Version, ok bool) {
	numbers, _, _ := strings.Cut(strings.TrimPrefix(s, "v"), "-")
	v, ok = Parse(numbers)
	return v, ok && v.Major > 0 && strings.Trim(numbers, "0123456789.") == "" && !strings.ContainsAny(s, ", ;/")
}

// AtLeast reports whether v is major.minor or later.
func (v Version) AtLeast(major, minor int) bool {
	return v.Major > major || v.Major == major && v.Minor >= minor
}

// String returns the version as major.minor.
func (v Version) String() string { return strconv.Itoa(v.Major) + "." + strconv.Itoa(v.Minor) }
