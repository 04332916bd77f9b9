package message

import (
	"math"
	"testing"
)

// TestFormatBounds checks where a figure gets another unit, or another number of digits.
func TestFormatBounds(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 1: "1 B", 1023: "1,023 B", 1024: "1 KB", 1075: "1 KB", 1076: "1.1 KB", 10240: "10 KB", 102_348: "99.9 KB", 102_349: "100 KB", 1_048_063: "1,023 KB", 1_048_064: "1 MB", 1 << 30: "1 GB", 1 << 40: "1 TB", 1 << 50: "1 PB",
		1 << 60: "1,024 PB", math.MaxInt64: "8,192 PB", -1: "-1 B", -2048: "-2 KB", math.MinInt64: "-8,192 PB", 1126: "1.1 KB"} {
		if got := FormatBytes(n); got != want {
			t.Errorf("%d bytes: %q, want %q", n, got, want)
		}
	}
	for share, want := range map[float64]string{0: "0.0%", 0.0009: "<0.1%", 0.001: "0.1%", 0.5: "50.0%", 0.999: "99.9%", 0.9995: ">99.9%", 1: "100.0%", 1.5: "150.0%", -0.1: "-10.0%"} {
		if got := FormatPercent(share); got != want {
			t.Errorf("%v: %q, want %q", share, got, want)
		}
	}
	if got := FormatPercent(math.NaN()); got != "" {
		t.Error(got)
	}
	for n, want := range map[int64]string{0: "0s", 1: "1s", 59: "59s", 60: "1m", 61: "1m 1s", 3599: "59m 59s", 3600: "1h", 3659: "1h", 3660: "1h 1m", 86399: "23h 59m", 86400: "1d", 89999: "1d", 90000: "1d 1h", 100*86400 - 1: "99d 23h", 100*86400 + 3600: "100d", 101 * 86400: "101d", -1: "1s ago", -90: "1m 30s ago",
		math.MinInt64: "106751991167300d ago"} {
		if got := FormatDuration(n); got != want {
			t.Errorf("%d s: %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0s", 1: "1s", 90061: "1d 1h 1m 1s", 86400: "1d", 3601: "1h 1s"} {
		if got := FormatExactDuration(n); got != want {
			t.Errorf("%d s: %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int64]string{0: "1970-01-01 00:00:00 UTC", -1: "1969-12-31 23:59:59 UTC", 253402300799: "9999-12-31 23:59:59 UTC", 253402300800: "253,402,300,800 s since 1970", -62135596800: "0001-01-01 00:00:00 UTC", -62135596801: "-62,135,596,801 s since 1970", 1 << 62: "4,611,686,018,427,387,904 s since 1970"} {
		if got := FormatTime(n); got != want {
			t.Errorf("%d s: %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 keys", 1: "1 key", 2: "2 keys", 1000: "1,000 keys"} {
		if got := FormatCountOf(n, "key", "keys"); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
	for _, c := range []struct {
		u    Unit
		n    int64
		want string
	}{{Bytes, 0, "0 B"}, {Bytes, 1023, "1,023 B"}, {Bytes, 1024, "1 KB"}, {Bytes, 1025, "1,025 B"}, {Bytes, 1536, "1,536 B"}, {Bytes, 5 << 40, "5 TB"}, {Bytes, 1 << 50, "1,024 TB"}, {Ratio, 150, "1.5x"}, {Ratio, 100, "1x"}, {Ratio, 105, "1.05x"}, {Ratio, 7, "0.07x"}, {Percent, 10, "0.1%"}, {Percent, 10000, "100%"},
		{Seconds, 3661, "1h 1m 1s"}, {Count, 5000, "5,000"}} {
		if got := c.u.Format(c.n); got != c.want {
			t.Errorf("%d %s: %q, want %q", c.n, c.u, got, c.want)
		}
	}
	for text, want := range map[string]int64{"1w": 604_800, "1w 2d": 777_600, "1d 2h 3m 4s": 93_784, "90s": 90, " 5m ": 300} {
		if got, err := ParseDuration(text); got != want || err != nil {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
}
