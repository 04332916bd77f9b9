package message

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

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
