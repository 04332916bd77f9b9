package message

import (
	"math"
	"strconv"
	"testing"
)

const day = 86400

func TestParseBytes(t *testing.T) {
	for s, want := range map[string]int64{"0": 0, "512": 512, "10KB": 10240, "10 KB": 10240, "10kb": 10240, "10K": 10240, "10 KiB": 10240, "10Ki": 10240, "1MB": 1 << 20, "1.5MB": 3 << 19, "2G": 2 << 30,
		"1,024": 1024, "7B": 7, "7 B": 7, "1T": 1 << 40, " 10KB ": 10240} {
		if got, err := ParseBytes(s); err != nil || got != want {
			t.Errorf("%q: %d, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "KB", "-1", "10XB", "1e3", "ten", "99999999999999999999", "10KBB", "9999999EB", "0x10", "1KB2", "10  KB"} {
		if got, err := ParseBytes(s); err == nil {
			t.Errorf("%q was parsed as %d", s, got)
		}
	}
}

func TestParseDuration(t *testing.T) {
	for s, want := range map[string]int64{"30d": 30 * day, "1w2d": 9 * day, "1w 2d": 9 * day, "90m": 5400, "12h": 43200, "0s": 0, "1d12h30m5s": day + 12*3600 + 1800 + 5, "1d 5s": day + 5, "1d ": day} {
		if got, err := ParseDuration(s); err != nil || got != want {
			t.Errorf("%q: %d, %v", s, got, err)
		}
	}
	for _, s := range []string{"", " ", "30", "d", "1d1d", "1h1d", "-1d", "1y", "99999999999999999w", "1d  5s", "1 d"} {
		if got, err := ParseDuration(s); err == nil {
			t.Errorf("%q was parsed as %d", s, got)
		}
	}
}

func TestParseIsTheInverseOfFormat(t *testing.T) {
	for u, list := range map[Unit][]int64{Bytes: {0, 1, 100, 1024, 1025, 10 << 20, 5 << 40, 5 << 50, 123456789}, Count: {0, 5000, 1234567}, Seconds: {0, 59, 60, 3600, 30 * day, 30*day + 1, 400*day + 3601},
		Ratio: {0, 1000, 250, 1005}, Percent: {0, 100, 50, 1, 10000}} {
		for _, n := range list {
			text := u.Format(n)
			if got, err := u.Parse(text); err != nil || got != n {
				t.Errorf("%d was formatted as %q and parsed as %d, %v", n, text, got, err)
			}
		}
		if _, err := u.Parse(u.Example()); err != nil {
			t.Error(err)
		}
	}
	for text, want := range map[string]int64{"10": 1000, "2.5x": 250, "2.55×": 255, "0012 x": 1200} {
		if n, err := Ratio.Parse(text); err != nil || n != want {
			t.Errorf("%q: %d, %v", text, n, err)
		}
	}
	for u, list := range map[Unit][]string{Ratio: {"", "-1", "x", "1.234x", "2.5"}, Percent: {"101%", "100.5%", "-1", "%", "0.5"}, Count: {"", "-1", "1.5", "many", "1KB", "_", "5_", "5,", "1000000000000000"},
		Bytes: {"1.5", "1.5B", " 10KB", "1000000000000000"}, Seconds: {"", "30", " 30d"}} {
		for _, s := range list {
			if n, err := u.Parse(s); err == nil {
				t.Errorf("%q was parsed as %d", s, n)
			}
		}
	}
}

func TestFormat(t *testing.T) {
	for got, want := range map[string]string{
		Bytes.Format(10240): "10 KB", Bytes.Format(10241): "10,241 B", Bytes.Format(0): "0 B", Bytes.Format(5 << 50): "5,120 TB",
		Count.Format(5000): "5,000", Seconds.Format(30 * day): "30d", Ratio.Format(1000): "10x", Ratio.Format(250): "2.5x", Percent.Format(50): "0.5%", None.Format(1000): "1,000",
		FormatBytes(0): "0 B", FormatBytes(1023): "1,023 B", FormatBytes(1024): "1 KB", FormatBytes(-1536): "-1.5 KB", FormatBytes(1 << 62): "4,096 PB", FormatBytes(1<<20 - 1): "1 MB", FormatBytes(699051): "683 KB", FormatBytes(1404567): "1.3 MB", FormatBytes(102348): "99.9 KB", FormatBytes(102349): "100 KB",
		FormatBytes(math.MaxInt64): "8,192 PB", FormatBytes(math.MinInt64): "-8,192 PB",
		FormatExactBytes(1): "1 byte", FormatExactBytes(20480): "20,480 bytes",
		FormatCount(-1234567): "-1,234,567", FormatCount(999): "999", FormatCount(1000): "1,000", FormatCount(math.MinInt64): "-9,223,372,036,854,775,808",
		FormatCountOf(1, "key", "keys"): "1 key", FormatCountOf(1000, "key", "keys"): "1,000 keys",
		FormatPercent(0): "0.0%", FormatPercent(1): "100.0%", FormatPercent(9.994): "999.4%", FormatPercent(160.647): "16,065%", FormatPercent(0.9999): ">99.9%", FormatPercent(0.0001): "<0.1%", FormatPercent(0.1234): "12.3%", FormatPercent(math.NaN()): "",
		FormatDuration(0): "0s", FormatDuration(59): "59s", FormatDuration(61): "1m 1s", FormatDuration(3600): "1h", FormatDuration(3601): "1h", FormatDuration(3720): "1h 2m", FormatDuration(3 * day): "3d",
		FormatDuration(3*day + 4*3600): "3d 4h", FormatDuration(60): "1m", FormatDuration(30*day + 3600): "30d 1h", FormatDuration(412 * day): "412d", FormatDuration(400*day + 7200): "400d", FormatDuration(-90): "1m 30s ago", FormatDuration(math.MinInt64): "106751991167300d ago",
		FormatExactDuration(30*day + 1): "30d 1s", FormatExactDuration(0): "0s",
		FormatTime(253_402_300_799): "9999-12-31 23:59:59 UTC", FormatTime(253_402_300_800): "253,402,300,800 s since 1970",
		FormatTime(-62_135_596_800): "0001-01-01 00:00:00 UTC", FormatTime(-62_135_596_801): "-62,135,596,801 s since 1970",
		FormatTime(0): "1970-01-01 00:00:00 UTC", FormatTime(-1): "1969-12-31 23:59:59 UTC", FormatTime(math.MinInt64): "-9,223,372,036,854,775,808 s since 1970",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestLargestNumber(t *testing.T) {
	for u := Bytes; u <= Percent; u++ {
		n := u.LargestNumber()
		if n < 0 {
			if _, err := u.Parse("1"); err == nil {
				t.Errorf("%v: a plain number was parsed", u)
			}
			continue
		}
		if _, err := u.Parse(strconv.FormatInt(n, 10)); err != nil {
			t.Errorf("%d: %v", n, err)
		}
		if got, err := u.Parse(strconv.FormatInt(n+1, 10)); err == nil {
			t.Errorf("%d was parsed as %d", n+1, got)
		}
	}
}
