package message

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize"
)

// Unit is the unit of a limit or a measured figure. Figures are integers in it.
type Unit uint8

// The units.
const (
	None    Unit = iota
	Bytes        // bytes, written 10 KB, where a KB is 1024 bytes
	Count        // elements, segments, keys and so on, written 5,000
	Seconds      // seconds, written 30d
	Ratio        // hundredths: 10 times is 1000, written 10x
	Percent      // hundredths of a percent: 1 % is 100, written 1%
)

type facts struct {
	name    string // of its definition in the JSON Schema
	invalid string // the error message
	example string // valid in all places of a YAML file, without quotes
	pattern string
	largest int64 // the largest plain number, -1 where a suffix is required
}

// table describes the units. The patterns accept only numbers that do not overflow.
// Editors represent numbers up to the largest ones exactly.
var table = [...]facts{
	Bytes: {"size", "{text} is not a size: write 512, 10 KB or 1.5 MB", "10 KB", bytesPattern(), 1e15 - 1},
	Count: {"count", "{text} is not a whole number, 0 or more", "1000", `^[0-9]([_,]?[0-9]){0,14}$`, 1e15 - 1},
	Seconds: {"time", "{text} is not a duration: write 30d, 12h, 90m or 1w 2d", "30d",
		`^([0-9]{1,9}w ?)?([0-9]{1,9}d ?)?([0-9]{1,9}h ?)?([0-9]{1,9}m ?)?([0-9]{1,12}s)?$`, -1},
	Ratio: {"multiple", "{text} is not a multiple: write 10x or 2.5x", "10x",
		`^([0-9]{1,12}|[0-9]{1,12}(\.[0-9]{1,2})? ?[x×])$`, 1e12 - 1},
	Percent: {"share", "{text} is not a percentage: write 1% or 0.5%", "1%",
		`^0*((100|[0-9]{1,2}) ?%?|(100\.00?|[0-9]{1,2}\.[0-9]{1,2}) ?%)$`, 100},
}

// bytesPattern allows fewer digits with a larger unit, so that all sizes are below
// 2^63.
func bytesPattern() string {
	digits := func(n int) string { return fmt.Sprintf("[0-9](,?[0-9]){0,%d}", n-1) }
	form := digits(15) + " ?[bB]?"
	for i, letter := range []string{"kK", "mM", "gG", "tT", "pP"} {
		form += "|" + digits(15-3*i) + `(\.[0-9]{1,9})? ?[` + letter + "][iI]?[bB]?"
	}
	return "^(" + form + ")$"
}

var compiled = func() (list [len(table)]func() *regexp.Regexp) {
	for u := Bytes; u <= Percent; u++ {
		list[u] = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(table[u].pattern) })
	}
	return list
}()

// String returns the name of the unit: size, count, time, multiple, share, or ""
// for None.
func (u Unit) String() string { return table[u].name }

// Pattern returns the regular expression that a text in the unit matches, in the
// common syntax of RE2 and ECMAScript. The empty text is never valid, even where
// the expression matches it.
func (u Unit) Pattern() string { return table[u].pattern }

// Example returns a figure as a configuration writes it. It needs no quotes
// anywhere in a YAML file.
func (u Unit) Example() string { return table[u].example }

// LargestNumber returns the largest plain number that the unit takes, -1 if a
// figure needs a suffix.
func (u Unit) LargestNumber() int64 { return table[u].largest }

// Parse returns the figure that text states, as a configuration writes it. White
// space is not trimmed. The error is a *Error that begins with the text.
func (u Unit) Parse(text string) (int64, error) {
	if text == "" || !compiled[u]().MatchString(text) {
		return 0, Errorf(table[u].invalid, Element("text", text))
	}
	switch u {
	case Bytes:
		return parseBytes(text)
	case Seconds:
		return parseDuration(text), nil
	case Ratio, Percent:
		whole, places, _ := strings.Cut(strings.TrimRight(text, " x×%"), ".")
		return strconv.ParseInt(whole+(places + "00")[:2], 10, 64)
	}
	return strconv.ParseInt(strings.ReplaceAll(strings.ReplaceAll(text, "_", ""), ",", ""), 10, 64)
}

// Format returns n exactly, such that Parse returns n again: 10 KB, 5,000, 30d,
// 10x, 1%. n must not be negative.
func (u Unit) Format(n int64) string {
	switch u {
	case Bytes:
		i := 0
		for n != 0 && n%1024 == 0 && i < len(byteUnits)-2 {
			n, i = n/1024, i+1
		}
		return FormatCount(n) + " " + byteUnits[i]
	case Seconds:
		return FormatExactDuration(n)
	case Ratio:
		return formatHundredths(n) + "x"
	case Percent:
		return formatHundredths(n) + "%"
	}
	return FormatCount(n)
}

func formatHundredths(n int64) string {
	text := strconv.FormatInt(n/100, 10)
	if n%100 != 0 {
		text += strings.TrimRight(fmt.Sprintf(".%02d", n%100), "0")
	}
	return text
}

// ParseBytes returns the bytes of a size such as "10 KB", "1.5MB" or "512". KB, K
// and KiB all mean 1024 bytes, as in the configuration of a server. White space
// around it is ignored.
func ParseBytes(text string) (int64, error) { return Bytes.Parse(strings.TrimSpace(text)) }

func parseBytes(text string) (int64, error) {
	n := strings.LastIndexAny(text, "0123456789") + 1
	number, suffix := text[:n], strings.ToLower(strings.TrimSpace(text[n:]))
	if suffix != "" && suffix != "b" {
		suffix = suffix[:1] + "ib" // to humanize, a KB is 1000 bytes
	}
	size, err := humanize.ParseBytes(number + suffix)
	return int64(size), err
}

// ParseDuration returns the seconds of a duration such as "30d", "12h", "1w 2d" or
// "90s": weeks, days, hours, minutes and seconds, in this order. White space around
// it is ignored.
func ParseDuration(text string) (int64, error) { return Seconds.Parse(strings.TrimSpace(text)) }

func parseDuration(text string) (total int64) {
	number := int64(0)
	for _, c := range []byte(text) {
		switch {
		case c >= '0' && c <= '9':
			number = number*10 + int64(c-'0')
		case c == 'w':
			total, number = total+number*7*86400, 0
		case c != ' ':
			for _, d := range durations {
				if d.letter == c {
					total += number * d.seconds
				}
			}
			number = 0
		}
	}
	return total
}

// Form is how a figure is written, and with that its unit.
type Form uint8

// The forms of figures.
const (
	FormCount         Form = iota // 1,024
	FormBytes                     // bytes: 3.8 MB
	FormExactBytes                // bytes: 20,480 bytes
	FormSize                      // bytes: exact below 10 KB, above as FormBytes
	FormLimit                     // bytes of a limit: 10 KB, 1,536 B
	FormDuration                  // seconds: 3d 4h
	FormExactDuration             // seconds: 3d 4h 5m 6s
	FormTime                      // seconds since the epoch: 2026-11-22 03:50:00 UTC
	FormShare                     // billionths: 12.5%
	FormRatio                     // hundredths: 10x
	FormPercent                   // hundredths of a percent: 0.5%
	FormNumber                    // without separators: 1024
)

var formNames = [...]string{"count", "bytes", "exact_bytes", "size", "limit", "duration", "exact_duration", "time",
	"share", "ratio", "percent", "number"}

// MarshalText returns the word that JSON uses.
func (f Form) MarshalText() ([]byte, error) { return []byte(formNames[f]), nil }

// UnmarshalText reads what MarshalText writes.
func (f *Form) UnmarshalText(b []byte) error {
	i := slices.Index(formNames[:], string(b))
	if i < 0 {
		return fmt.Errorf("unknown form of a figure %q", b)
	}
	*f = Form(i)
	return nil
}

func (f Form) format(n int64) string {
	switch f {
	case FormBytes:
		return FormatBytes(n)
	case FormExactBytes:
		return FormatExactBytes(n)
	case FormSize:
		if n < 10<<10 {
			return FormatExactBytes(n)
		}
		return FormatBytes(n)
	case FormLimit:
		return Bytes.Format(n)
	case FormDuration:
		return FormatDuration(n)
	case FormExactDuration:
		return FormatExactDuration(n)
	case FormTime:
		return FormatTime(n)
	case FormShare:
		return FormatPercent(float64(n) / 1e9)
	case FormRatio:
		return Ratio.Format(n)
	case FormPercent:
		return Percent.Format(n)
	case FormNumber:
		return fmt.Sprint(n)
	}
	return FormatCount(n)
}

// Figure is a number in a form.
func Figure(name string, n int64, f Form) Arg {
	return Arg{Name: name, Kind: KindFigure, Text: f.format(n), Value: n, Form: f}
}

// Int is a number of things.
func Int(name string, n int64) Arg { return Figure(name, n, FormCount) }

// Size is a size in bytes, rounded: 3.8 MB.
func Size(name string, n int64) Arg { return Figure(name, n, FormBytes) }

// ExactSize is a size in bytes: 20,480 bytes.
func ExactSize(name string, n int64) Arg { return Figure(name, n, FormExactBytes) }

// Duration is a number of seconds, rounded: 3d 4h.
func Duration(name string, seconds int64) Arg { return Figure(name, seconds, FormDuration) }

// Time is a number of seconds since the epoch.
func Time(name string, seconds int64) Arg { return Figure(name, seconds, FormTime) }

// Share is a part of a whole, 0 to 1, as a percentage; NaN is no text.
func Share(name string, share float64) Arg {
	if math.IsNaN(share) {
		return Text(name, "")
	}
	return Figure(name, int64(math.Round(max(-9e9, min(9e9, share))*1e9)), FormShare)
}

// Limit is a limit in a unit: exact, and as a configuration writes it.
func Limit(name string, u Unit, n int64) Arg {
	return Figure(name, n, map[Unit]Form{Bytes: FormLimit, Seconds: FormExactDuration, Ratio: FormRatio,
		Percent: FormPercent}[u])
}

// Measured is a figure that a limit is compared with: exact, except durations.
func Measured(name string, u Unit, n int64) Arg {
	return Figure(name, n, map[Unit]Form{Bytes: FormExactBytes, Seconds: FormDuration, Ratio: FormRatio,
		Percent: FormPercent}[u])
}

// FormatCount returns n with a comma between thousands: "1,024".
func FormatCount(n int64) string { return humanize.Comma(n) }

// FormatCountOf returns a number with its noun: "1 key", "2,000 keys".
func FormatCountOf(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return FormatCount(n) + " " + many
}

var byteUnits = [...]string{"B", "KB", "MB", "GB", "TB", "PB"}

// FormatBytes returns a size in the largest unit of which there is at least one,
// below 100 rounded to one decimal: "512 B", "10 KB", "3.8 MB", "683 MB".
func FormatBytes(n int64) string {
	if n < 0 {
		return "-" + FormatBytes(-max(n, -math.MaxInt64))
	}
	size, unit := float64(n), 0
	for size >= 1023.5 && unit < len(byteUnits)-1 {
		size, unit = size/1024, unit+1
	}
	text := FormatCount(int64(math.Round(size)))
	if unit > 0 && size < 99.95 {
		text = strings.TrimSuffix(strconv.FormatFloat(size, 'f', 1, 64), ".0")
	}
	return text + " " + byteUnits[unit]
}

// FormatExactBytes returns a size to the byte: "1 byte", "20,480 bytes".
func FormatExactBytes(n int64) string { return FormatCountOf(n, "byte", "bytes") }

// FormatPercent returns a share, where 1 is the whole, as a percentage with one
// decimal: "12.5%", from 1,000% on without: "16,065%". A share above 0 is never "0.0%"
// but "<0.1%", one below 1 never "100.0%" but ">99.9%". NaN, a share of nothing, is "".
func FormatPercent(share float64) string {
	p := share * 100
	switch {
	case math.IsNaN(p):
		return ""
	case p > 0 && p < 0.1:
		return "<0.1%"
	case p < 100 && p > 99.9:
		return ">99.9%"
	case p >= 1000 && p < math.MaxInt64:
		return FormatCount(int64(math.Round(p))) + "%"
	}
	return strconv.FormatFloat(p, 'f', 1, 64) + "%"
}

// durations are the units of durations, the largest first. There are no weeks,
// months or years: limits are set in days.
var durations = [...]struct {
	letter  byte
	seconds int64
}{{'d', 86400}, {'h', 3600}, {'m', 60}, {'s', 1}}

// FormatDuration returns seconds in the largest unit and the next smaller one, if
// not 0, truncated: "90d", "3d 4h", "12m 5s", "0s". From 100 days on hours are
// omitted. A negative duration is one that has passed: "1m 30s ago".
func FormatDuration(seconds int64) string {
	if seconds < 0 {
		return FormatDuration(-max(seconds, -math.MaxInt64)) + " ago"
	}
	if seconds >= 100*86400 {
		seconds -= seconds % 86400
	}
	for i, d := range durations {
		if next := i + 1; seconds >= d.seconds && next < len(durations) {
			return FormatExactDuration(seconds - seconds%durations[next].seconds)
		}
	}
	return FormatExactDuration(seconds)
}

// FormatExactDuration returns seconds in all units that are not 0: "30d 1s". The
// number must not be negative.
func FormatExactDuration(seconds int64) string {
	if seconds == 0 {
		return "0s"
	}
	var parts []string
	for _, d := range durations {
		if n := seconds / d.seconds; n > 0 {
			parts = append(parts, strconv.FormatInt(n, 10)+string(d.letter))
			seconds %= d.seconds
		}
	}
	return strings.Join(parts, " ")
}

// FormatTime returns a time in UTC, given in seconds since 1970:
// "2026-11-22 03:50:00 UTC". A year outside 1 to 9999, which a damaged file can
// contain, is returned as the number of seconds.
func FormatTime(seconds int64) string {
	if t := time.Unix(seconds, 0).UTC(); t.Year() >= 1 && t.Year() <= 9999 && seconds > -1<<40 && seconds < 1<<40 {
		return t.Format("2006-01-02 15:04:05 UTC")
	}
	return FormatCount(seconds) + " s since 1970"
}
