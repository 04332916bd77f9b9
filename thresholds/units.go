package thresholds

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
)

// Unit says what a limit counts. Limits and figures are integers in it.
type Unit uint8

// The units.
const (
	NoUnit  Unit = iota
	Bytes        // written 10KB, where KB is 1024 bytes
	Count        // elements, segments, keys: written 5000
	Seconds      // written 30d
	Times        // hundredths: 10 times is 1000, written 10x
	Percent      // hundredths: 1 % is 100, written 1%
)

// ParseSize gives the bytes of a size such as "10KB", "1.5MB" or "512".
// KB, K and KiB are all 1024 bytes, as in a server's configuration.
func ParseSize(s string) (int64, error) {
	text := strings.TrimSpace(s)
	n := len(text)
	for n > 0 && (text[n-1] < '0' || text[n-1] > '9') {
		n--
	}
	number, suffix := text[:n], strings.ToLower(strings.TrimSpace(text[n:]))
	if len(suffix) > 0 && len(suffix) < 3 && strings.IndexByte("kmgtpe", suffix[0]) >= 0 && suffix[len(suffix)-1] != 'i' {
		suffix = suffix[:1] + "i" + suffix[1:] // humanize takes KB for 1000 bytes
	}
	bytes, err := humanize.ParseBytes(number + suffix)
	if err != nil || bytes > math.MaxInt64 || number == "" {
		return 0, fmt.Errorf("%q is not a size: write 512, 10KB or 1.5MB", s)
	}
	return int64(bytes), nil
}

// durations are the units of ParseDuration in seconds, the largest first.
var durations = []struct {
	letter  byte
	seconds int64
}{{'w', 7 * 86400}, {'d', 86400}, {'h', 3600}, {'m', 60}, {'s', 1}}

// ParseDuration gives the seconds of a length of time such as "30d", "12h",
// "1w2d" or "90s": weeks, days, hours, minutes, seconds.
func ParseDuration(s string) (int64, error) {
	text, total := strings.TrimSpace(s), int64(0)
	bad := fmt.Errorf("%q is not a length of time: write 30d, 12h, 90m or 1w2d", s)
	if text == "" {
		return 0, bad
	}
	next := 0 // units only get smaller
	for text != "" {
		n := 0
		for n < len(text) && text[n] >= '0' && text[n] <= '9' {
			n++
		}
		if n == 0 || n == len(text) {
			return 0, bad
		}
		number, err := strconv.ParseInt(text[:n], 10, 64)
		if err != nil {
			return 0, bad
		}
		for next < len(durations) && durations[next].letter != text[n] {
			next++
		}
		if next == len(durations) || number > (math.MaxInt64/1000-total)/durations[next].seconds {
			return 0, bad
		}
		total += number * durations[next].seconds
		text, next = text[n+1:], next+1
	}
	return total, nil
}

// parseHundredths reads a decimal number with up to two places as hundredths.
func parseHundredths(s string) (int64, error) {
	whole, places, _ := strings.Cut(s, ".")
	if len(places) > 2 {
		return 0, errors.New("more than two decimal places")
	}
	n, err := strconv.ParseInt(whole+(places + "00")[:2], 10, 64)
	if err != nil || n < 0 || whole == "" {
		return 0, errors.New("not a number")
	}
	return n, nil
}

// parse reads a limit in the unit.
func (u Unit) parse(s string) (int64, error) {
	text := strings.TrimSpace(s)
	switch u {
	case Bytes:
		return ParseSize(text)
	case Seconds:
		return ParseDuration(text)
	case Times:
		n, err := parseHundredths(strings.TrimSuffix(strings.TrimSuffix(text, "x"), "×"))
		if err != nil {
			return 0, fmt.Errorf("%q is not a multiple: write 10x", s)
		}
		return n, nil
	case Percent:
		n, err := parseHundredths(strings.TrimSpace(strings.TrimSuffix(text, "%")))
		if err != nil || n > 100_00 {
			return 0, fmt.Errorf("%q is not a share: write 1%%", s)
		}
		return n, nil
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is not a number of zero or more", s)
	}
	return n, nil
}

// Format writes a limit as a configuration has it, so that reading it again
// gives the same number: 10KB, 5000, 30d, 10x, 1%.
func (u Unit) Format(n int64) string {
	switch u {
	case Bytes:
		unit := 0
		for n != 0 && n%1024 == 0 && unit < 4 {
			n, unit = n/1024, unit+1
		}
		return strconv.FormatInt(n, 10) + [...]string{"B", "KB", "MB", "GB", "TB"}[unit]
	case Seconds:
		for _, d := range durations[1:] { // no weeks: 30d, 90d
			if n != 0 && n%d.seconds == 0 {
				return strconv.FormatInt(n/d.seconds, 10) + string(d.letter)
			}
		}
		return strconv.FormatInt(n, 10) + "s"
	case Times:
		return formatHundredths(n) + "x"
	case Percent:
		return formatHundredths(n) + "%"
	}
	return strconv.FormatInt(n, 10)
}

func formatHundredths(n int64) string {
	s := strconv.FormatInt(n/100, 10)
	if n%100 != 0 {
		s += strings.TrimRight(fmt.Sprintf(".%02d", n%100), "0")
	}
	return s
}
