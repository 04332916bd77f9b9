package report

import (
	"math"
	"testing"
)

func TestScale(t *testing.T) {
	for _, c := range []struct {
		largest, n int64
		want       string
	}{
		{0, 0, "0"}, {9999, 9999, "9,999"}, {10000, 10000, "9.8"}, {10000, 1, "<0.1"}, {10000, 0, "0.0"}, {10000, 52, "0.1"}, {10000, -1, ""},
		{9999 << 10, 9999 << 10, "9,999.0"}, {10000 << 10, 10000 << 10, "9.8"}, {1 << 40, 1 << 40, "1,024.0"}, {math.MaxInt64, math.MaxInt64, "8,192.0"},
	} {
		if got := scaleOf(1, c.largest).format(Figure(c.n)); got != c.want {
			t.Errorf("%d in the scale of %d: %q, want %q", c.n, c.largest, got, c.want)
		}
	}
}

func TestHumanNumbers(t *testing.T) {
	day := int64(86400)
	for got, want := range map[string]string{
		bytesText(0): "0 B", bytesText(1023): "1,023 B", bytesText(1024): "1.0 KB", bytesText(-1536): "-1.5 KB", bytesText(1 << 62): "4,096.0 PB",
		grouped(-1234567): "-1,234,567", grouped(999): "999", grouped(1000): "1,000", grouped(math.MinInt64): "-9,223,372,036,854,775,808",
		counted(1, "key", "keys"): "1 key", counted(1000, "key", "keys"): "1,000 keys",
		percent(0): "0.0%", percent(1): "100.0%", percent(0.9999): ">99.9%", percent(0.0001): "<0.1%", percent(0.1234): "12.3%", percent(ratio(1, 0)): "",
		duration(0): "0s", duration(59): "59s", duration(61): "1m 1s", duration(3600): "1h", duration(3601): "1h", duration(3 * day): "3d",
		duration(400 * day): "1y 35d", duration(-90): "1m 30s ago", duration(math.MinInt64): "292,471,208,677y 195d ago",
		instant(0): "1970-01-01 00:00:00 UTC", instant(-1): "1969-12-31 23:59:59 UTC", instant(math.MinInt64): "-9,223,372,036,854,775,808 s since 1970",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
