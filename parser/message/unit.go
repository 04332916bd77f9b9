package message

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

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
