package message

import (
	"fmt"
	"math"
	"slices"
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
