package message

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

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
