package report

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestForecast checks states, slopes and days of series whose line is known.
func TestForecast(t *testing.T) {
	const day = secondsOfDay
	line := func(n int, from, perDay int64) (points []TrendPoint) {
		for i := range int64(n) {
			points = append(points, TrendPoint{i * day, from + perDay*i})
		}
		return points
	}
	outlier := line(9, 1000, 100)
	outlier[3].Bytes, outlier[8].Bytes = 90_000, 10
	for name, c := range map[string]struct {
		points []TrendPoint
		limit  int64
		state  string
		perDay float64
		days   float64 // from the last report, -1 none
		spread bool
	}{
		"grows":                    {line(5, 1000, 100), 2400, "growing", 100, 10, true},
		"two reports":              {line(2, 1000, 100), 2100, "growing", 100, 10, false},
		"two that are far off":     {outlier, 2800, "growing", 100, 10, true},
		"constant":                 {line(6, 1000, 0), 2000, "flat", 0, -1, true},
		"shrinks":                  {line(6, 1000, -10), 2000, "flat", -10, -1, true},
		"over":                     {line(6, 1000, 100), 1400, "over", 100, 0, true},
		"over, and shrinks":        {line(6, 1000, -10), 900, "over", -10, -1, true},
		"one report":               {line(1, 1000, 0), 2000, "unknown", 0, -1, false},
		"one report, over":         {line(1, 1000, 0), 999, "over", 0, -1, false},
		"grew, and stopped":        {append(line(6, 1000, 100), line(10, 1500, 0)[6:]...), 2400, "growing", 60, 13, true},
		"full to the byte":         {line(4, 1000, 100), 1300, "growing", 100, 0, true},
		"after a hundred years":    {line(4, 0, 1), 36504, "flat", 1, -1, true},
		"of one time":              {[]TrendPoint{{day, 1}, {day, 5}}, 9, "unknown", 0, -1, false},
		"more reports than pairs ": {line(3000, 1000, 100), 1000 + 100*3009, "growing", 100, 10, true},
	} {
		f := forecast(c.points, c.limit, "predicted")
		days := -1.
		if f.Days != nil {
			days = *f.Days
		}
		if f.State != c.state || math.Abs(f.PerDay-c.perDay) > 1e-6 || math.Abs(days-c.days) > 1e-6 || (f.PerDayLeast != nil) != c.spread {
			t.Errorf("%s: %s, %g a day, %g days, %+v", name, f.State, f.PerDay, days, f)
		}
		if stopped := name == "grew, and stopped"; stopped && (f.DaysMost != nil || f.DaysLeast == nil || *f.PerDayLeast != 0) {
			t.Errorf("%s: %+v", name, f)
		}
		last := c.points[len(c.points)-1]
		if f.Now != last.Bytes || f.Share != float64(last.Bytes)/float64(c.limit) || f.Days != nil && f.Line[2].Bytes != c.limit && c.days > 0 {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// TestForecastSpread draws series of a line with noise, some with days that are far off,
// and counts how often the true slope is within the spread, which is said to be 90 %.
func TestForecastSpread(t *testing.T) {
	const perDay, runs = 1000., 400
	for _, far := range []float64{0, .1} {
		rng := rand.New(rand.NewPCG(1, 2))
		within := 0
		for range runs {
			var points []TrendPoint
			for i := range 30 {
				noise := rng.NormFloat64() * 5000
				if rng.Float64() < far {
					noise *= 20
				}
				points = append(points, TrendPoint{int64(i * secondsOfDay), int64(1e6 + perDay*float64(i) + noise)})
			}
			if f := forecast(points, 1e9, "predicted"); *f.PerDayLeast <= perDay && perDay <= *f.PerDayMost {
				within++
			}
		}
		if share := float64(within) / runs; share < .86 || share > .96 {
			t.Errorf("%g of days far off: the slope is within its spread in %.3f of %d series", far, share, runs)
		}
	}
}

// TestForecastSentences checks the answers.
func TestForecastSentences(t *testing.T) {
	const mb, day = 1 << 20, secondsOfDay
	series := func(values ...int64) (points []TrendPoint) {
		for i, v := range values {
			points = append(points, TrendPoint{1_772_323_200 + int64(i)*day, v * mb})
		}
		return points
	}
	for want, f := range map[string]*TrendForecast{
		"maxmemory 1 GB is 50.8% full by the used_memory of 520 MB; full in 109d to 125d, most likely on 2026-07-04, at +4.3 MB a day (+4 MB to +4.6 MB)": forecast(series(480, 487, 489, 496, 499, 501, 509, 512, 515, 520), 1024*mb, "used_memory"),
		"maxmemory 1,000 MB is 52.0% full by the used_memory of 520 MB; full in 12d, on 2026-03-14, at +40 MB a day (too few reports for a spread)":       forecast(series(480, 520), 1000*mb, "used_memory"),
		"maxmemory 1 GB is 50.8% full by the predicted used_memory of 520 MB; it does not grow: -5 MB a day":                                              forecast(series(535, 530, 525, 520), 1024*mb, "predicted"),
		"maxmemory 1 GB is 50.8% full by the memory of the keys of 520 MB; reports of one time show no pace":                                              forecast(series(520), 1024*mb, "keys"),
	} {
		if m, over := f.sentence(); english(m) != want || over {
			t.Errorf("%q, want %q", english(m), want)
		}
	}
	if m, over := forecast(series(500, 510, 520, 530), 512*mb, "used_memory").sentence(); !over ||
		english(m) != "ALREADY OVER: maxmemory 512 MB is 103.5% full by the used_memory of 530 MB, 18 MB over, and it changes by +10 MB a day" {
		t.Error(english(m))
	}
}
