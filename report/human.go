package report

import (
	"math"
	"strconv"
	"time"
)

// Numbers for people. Those of a column share one scale, which stands in its
// heading, so that the eye can compare them; exact numbers are in the formats
// for machines.

// byteScale is a unit of bytes.
type byteScale struct {
	unit string
	size int64
}

var scales = []byteScale{{"B", 1}, {"KB", 1 << 10}, {"MB", 1 << 20}, {"GB", 1 << 30}, {"TB", 1 << 40}, {"PB", 1 << 50}}

// scaleOf gives the scale of a column: the smallest unit in which its largest
// figure stays below 10,000.
func scaleOf(figures ...int64) byteScale {
	largest := int64(0)
	for _, f := range figures {
		largest = max(largest, f, -f)
	}
	for _, s := range scales {
		if largest < 10000*s.size {
			return s
		}
	}
	return scales[len(scales)-1]
}

// format gives a figure in the scale, with one decimal above bytes. What is
// more than nothing never reads as 0; unknown figures are empty.
func (s byteScale) format(f Figure) string {
	if !f.Known() {
		return ""
	}
	n := int64(f)
	if s.size == 1 {
		return grouped(n)
	}
	tenths := n/s.size*10 + (n%s.size*10+s.size/2)/s.size
	if tenths == 0 && n > 0 {
		return "<0.1"
	}
	return grouped(tenths/10) + "." + strconv.FormatInt(tenths%10, 10)
}

// bytesText gives one size with its own unit: "1.5 MB".
func bytesText(n int64) string {
	if n < 0 {
		return "-" + bytesText(-n)
	}
	s := scales[0]
	for _, next := range scales[1:] {
		if n < next.size {
			break
		}
		s = next
	}
	return s.format(Figure(n)) + " " + s.unit
}

// grouped gives a number with a comma between thousands.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// count gives a figure with commas, "" for an unknown one.
func (f Figure) count() string {
	if !f.Known() {
		return ""
	}
	return grouped(int64(f))
}

// counted gives a number and its noun: "1 key", "2 keys".
func counted(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + many
}

// percent gives a share of 0 to 1. What is more than nothing never reads as 0,
// what is less than everything never as 100.
func percent(share float64) string {
	p := share * 100
	switch {
	case math.IsNaN(p):
		return ""
	case p > 0 && p < 0.1:
		return "<0.1%"
	case p < 100 && p > 99.9:
		return ">99.9%"
	}
	return strconv.FormatFloat(p, 'f', 1, 64) + "%"
}

// ratio is a share of 0 to 1; NaN of nothing.
func ratio(part, whole int64) float64 {
	if whole == 0 {
		return math.NaN()
	}
	return float64(part) / float64(whole)
}

// duration gives seconds in at most two units: "3d 4h", "12m 5s". Negative is
// time ago.
func duration(seconds int64) string {
	if seconds < 0 {
		if seconds == math.MinInt64 {
			seconds++
		}
		return duration(-seconds) + " ago"
	}
	units := []struct {
		name string
		size int64
	}{{"y", 365 * 86400}, {"d", 86400}, {"h", 3600}, {"m", 60}, {"s", 1}}
	for i, u := range units {
		if seconds < u.size && u.size > 1 {
			continue
		}
		s := grouped(seconds/u.size) + u.name
		if i+1 < len(units) {
			if next := seconds % u.size / units[i+1].size; next > 0 {
				s += " " + strconv.FormatInt(next, 10) + units[i+1].name
			}
		}
		return s
	}
	return ""
}

// ttl gives seconds left, "" where there is no expiry.
func ttl(seconds *int64) string {
	if seconds == nil {
		return ""
	}
	return duration(*seconds)
}

// instant gives a time in UTC. A file can hold years that no calendar has:
// those are given in seconds.
func instant(seconds int64) string {
	if t := time.Unix(seconds, 0).UTC(); t.Year() >= 1 && t.Year() <= 9999 && seconds > -1<<40 && seconds < 1<<40 {
		return t.Format("2006-01-02 15:04:05 UTC")
	}
	return grouped(seconds) + " s since 1970"
}
