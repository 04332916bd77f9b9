package thresholds

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

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

// unitPatterns are the regular expressions of what a configuration writes in a
// unit, without numbers that overflow. The schema has them, too.
var unitPatterns = [...]string{
	Bytes:   sizePattern(),
	Count:   `^[0-9](_?[0-9]){0,14}$`,
	Seconds: `^([0-9]{1,9}w)?([0-9]{1,9}d)?([0-9]{1,9}h)?([0-9]{1,9}m)?([0-9]{1,12}s)?$`,
	Times:   `^([0-9]{1,12}|[0-9]{1,12}(\.[0-9]{1,2})? ?[x×])$`,
	Percent: `^0*((100|[0-9]{1,2}) ?%?|(100\.00?|[0-9]{1,2}\.[0-9]{1,2}) ?%)$`,
}

// mostNumber is the largest plain number that a unit takes, one that editors know
// exactly; -1 where there must be a letter with it.
var mostNumber = [...]int64{Bytes: 1e15 - 1, Count: 1e15 - 1, Seconds: -1, Times: 1e12 - 1, Percent: 100}

var unitForms = sync.OnceValue(func() (forms [len(unitPatterns)]*regexp.Regexp) {
	for u := Bytes; u <= Percent; u++ {
		forms[u] = regexp.MustCompile(unitPatterns[u])
	}
	return forms
})

// sizePattern has fewer digits with a larger unit: all sizes are below 2^63.
func sizePattern() string {
	digits := func(n int) string { return fmt.Sprintf("[0-9](,?[0-9]){0,%d}", n-1) }
	form := digits(15) + " ?[bB]?"
	for i, letter := range []string{"kK", "mM", "gG", "tT", "pP"} {
		form += "|" + digits(15-3*i) + `(\.[0-9]{1,9})? ?[` + letter + "][iI]?[bB]?"
	}
	return "^(" + form + ")$"
}

// matches reports whether a text is of the unit's form.
func (u Unit) matches(s string) bool { return s != "" && unitForms()[u].MatchString(s) }

// ParseSize gives the bytes of a size such as "10KB", "1.5MB" or "512".
// KB, K and KiB are all 1024 bytes, as in a server's configuration.
func ParseSize(s string) (int64, error) {
	text := strings.TrimSpace(s)
	if !Bytes.matches(text) {
		return 0, fmt.Errorf("%q is not a size: write 512, 10KB or 1.5MB", s)
	}
	n := len(text)
	for n > 0 && (text[n-1] < '0' || text[n-1] > '9') {
		n--
	}
	number, suffix := text[:n], strings.ToLower(strings.TrimSpace(text[n:]))
	if len(suffix) > 0 && len(suffix) < 3 && strings.IndexByte("kmgtpe", suffix[0]) >= 0 && suffix[len(suffix)-1] != 'i' {
		suffix = suffix[:1] + "i" + suffix[1:] // humanize takes KB for 1000 bytes
	}
	bytes, err := humanize.ParseBytes(number + suffix)
	return int64(bytes), err
}

// durations are the units of ParseDuration in seconds, the largest first.
var durations = []struct {
	letter  byte
	seconds int64
}{{'w', 7 * 86400}, {'d', 86400}, {'h', 3600}, {'m', 60}, {'s', 1}}

// ParseDuration gives the seconds of a length of time such as "30d", "12h",
// "1w2d" or "90s": weeks, days, hours, minutes, seconds.
func ParseDuration(s string) (int64, error) {
	text, total, number := strings.TrimSpace(s), int64(0), int64(0)
	if !Seconds.matches(text) {
		return 0, fmt.Errorf("%q is not a length of time: write 30d, 12h, 90m or 1w2d", s)
	}
	for _, c := range []byte(text) {
		if c >= '0' && c <= '9' {
			number = number*10 + int64(c-'0')
			continue
		}
		for _, d := range durations {
			if d.letter == c {
				total += number * d.seconds
			}
		}
		number = 0
	}
	return total, nil
}

// parseHundredths reads a decimal number with up to two places as hundredths.
func parseHundredths(s string) (int64, error) {
	whole, places, _ := strings.Cut(s, ".")
	return strconv.ParseInt(whole+(places + "00")[:2], 10, 64)
}

// parse reads a limit as a configuration writes it in the unit.
func (u Unit) parse(s string) (int64, error) {
	if !u.matches(s) {
		return 0, fmt.Errorf("%q is not %s", s, [...]string{
			Bytes:   "a size: write 512, 10KB or 1.5MB",
			Count:   "a whole number of zero or more",
			Seconds: "a length of time: write 30d, 12h, 90m or 1w2d",
			Times:   "a multiple: write 10x or 2.5x",
			Percent: "a share: write 1% or 0.5%",
		}[u])
	}
	switch u {
	case Bytes:
		return ParseSize(s)
	case Seconds:
		return ParseDuration(s)
	case Times, Percent:
		return parseHundredths(strings.TrimRight(s, " x×%"))
	}
	return strconv.ParseInt(strings.ReplaceAll(s, "_", ""), 10, 64)
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
