package report

import (
	"math"
	"slices"

	"github.com/rdblens/rdblens/parser/message"
)

// TrendForecast says how full a server is and when it will be full, by a line through the
// reports that single ones that are far off do not move (Theil-Sen).
type TrendForecast struct {
	MaxMemory int64 `json:"maxmemory"` // bytes
	// Of says what is compared: "used_memory" that the snapshots state, "predicted"
	// used_memory where one of them does not, or memory of the "keys".
	Of    string  `json:"of"`
	Now   int64   `json:"now"`   // bytes, of the last report
	Share float64 `json:"share"` // Now / MaxMemory
	// State is "over" if Now is over MaxMemory, else "growing", "flat" (it may as well
	// shrink), or "unknown" of reports of one time.
	State string `json:"state"`
	// PerDay is the slope of the line, in bytes a day: the median of those between any two
	// reports. It is between PerDayLeast and PerDayMost with 90 % confidence; these are nil
	// for fewer than four reports, and cover the pace of the later half of the reports, too,
	// where that is beyond them, as after a growth that stopped.
	PerDay      float64  `json:"per_day"`
	PerDayLeast *float64 `json:"per_day_least,omitempty"`
	PerDayMost  *float64 `json:"per_day_most,omitempty"`
	// Days from the last report until the line meets MaxMemory, nil if it does not within
	// 100 years; DaysLeast and DaysMost are those of the steepest and the flattest slope.
	Days      *float64 `json:"days,omitempty"`
	DaysLeast *float64 `json:"days_least,omitempty"`
	DaysMost  *float64 `json:"days_most,omitempty"`
	// Line is the fitted line: at the first report, at the last one, and where it meets
	// MaxMemory, if it does.
	Line []TrendPoint `json:"line"`
}

// TrendPoint is a figure at a time.
type TrendPoint struct {
	Time  int64 `json:"time"` // seconds since the epoch
	Bytes int64 `json:"bytes"`
}

// Bounds of a forecast.
const (
	forecastPoints = 500 // reports that the line is fitted to; of more, every n-th
	spreadPoints   = 4   // reports from which on the spread is known
	confidence     = 1.6449
	secondsOfDay   = 86400
)

// forecast says when a server is full. Of each point the figure is named by of; points
// are in the order of time, and there is one at least.
func forecast(points []TrendPoint, limit int64, of string) *TrendForecast {
	last := points[len(points)-1]
	f := &TrendForecast{MaxMemory: limit, Of: of, Now: last.Bytes, Share: float64(last.Bytes) / float64(limit),
		State: "unknown", Line: []TrendPoint{}}
	slope, least, most, spread, ok := theilSen(points)
	if later := max(spreadPoints, len(points)/2); len(points) > later+1 {
		if _, low, high, _, ok := theilSen(points[len(points)-later:]); ok && (high < least || low > most) {
			least, most = min(least, low), max(most, high)
		}
	}
	if ok {
		level := levelAt(points, slope, last.Time)
		at := func(t int64) TrendPoint { return TrendPoint{t, int64(level + slope*float64(t-last.Time))} }
		f.Line = append(f.Line, at(points[0].Time), at(last.Time))
		days := func(slope float64) *float64 {
			d := max(0, (float64(limit)-level)/slope/secondsOfDay)
			if slope <= 0 || d > maxFullDays {
				return nil
			}
			return &d
		}
		f.PerDay, f.State = slope*secondsOfDay, "flat"
		if spread {
			f.PerDayLeast, f.PerDayMost = new(least*secondsOfDay), new(most*secondsOfDay)
		}
		if f.Days = days(slope); f.Days != nil {
			f.State = "growing"
			f.Line = append(f.Line, at(last.Time+int64(*f.Days*secondsOfDay)))
		}
		if spread {
			f.DaysLeast, f.DaysMost = days(most), days(least)
		}
	}
	if f.Now > limit {
		f.State = "over"
	}
	return f
}

// theilSen returns the median of the slopes between any two points, in bytes a second,
// and the slopes between which it is with 90 % confidence: those whose ranks are as far
// from the median as Kendall's statistic varies (Sen 1968). ok is false if all points are
// of one time.
func theilSen(points []TrendPoint) (slope, least, most float64, spread, ok bool) {
	var sample []TrendPoint
	for i := range everyNth(len(points), forecastPoints) {
		sample = append(sample, points[i])
	}
	var slopes []float64
	for i, p := range sample {
		for _, q := range sample[i+1:] {
			if seconds := q.Time - p.Time; seconds > 0 {
				slopes = append(slopes, float64(q.Bytes-p.Bytes)/float64(seconds))
			}
		}
	}
	if len(slopes) == 0 {
		return 0, 0, 0, false, false
	}
	slices.Sort(slopes)
	n, pairs := float64(len(sample)), float64(len(slopes))
	away := confidence * math.Sqrt(n*(n-1)*(2*n+5)/18)
	rank := func(x float64) int { return int(min(max(x, 0), pairs-1)) }
	least, most = slopes[rank((pairs-away)/2)], slopes[rank((pairs+away)/2)]
	return median(slopes), least, most, len(sample) >= spreadPoints, true
}

// levelAt returns the figure of the fitted line at a time: the median over the points.
func levelAt(points []TrendPoint, slope float64, at int64) float64 {
	var levels []float64
	for _, p := range points {
		levels = append(levels, float64(p.Bytes)+slope*float64(at-p.Time))
	}
	slices.Sort(levels)
	return median(levels)
}

// median returns the median of numbers in their order.
func median(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// forecastFigures are what a maxmemory is compared with, the best first.
var forecastFigures = [3]struct{ name, title string }{{"used_memory", "used_memory"},
	{"predicted", "predicted used_memory"}, {"keys", "memory of the keys"}}

// sentence answers when the server is full. It is an alert if it is already.
func (f *TrendForecast) sentence() (m message.Message, over bool) {
	title := forecastFigures[0].title
	for _, of := range forecastFigures {
		if of.name == f.Of {
			title = of.title
		}
	}
	args := []message.Arg{message.Size("limit", f.MaxMemory), message.Share("share", f.Share), message.Word("of", title),
		message.Size("now", f.Now), message.Size("more", f.Now-f.MaxMemory), message.Phrase("pace", f.pace())}
	duration := func(name string, days *float64) (rough message.Message) {
		if days != nil {
			rough = RoughDuration(int64(*days * secondsOfDay))
			args = append(args, message.Phrase(name, rough))
		}
		return rough
	}
	least, most := duration("least", f.DaysLeast), duration("most", f.DaysMost)
	duration("days", f.Days)
	if f.Days != nil {
		args = append(args, message.Text("day", day(f.Line[len(f.Line)-1].Time)))
	}
	id := "maxmemory {limit} is {share} full by the {of} of {now}; full in {least} to {most}, most likely on {day}, " +
		"at {pace}"
	switch {
	case f.State == "over" && len(f.Line) == 0:
		return message.New("ALREADY OVER: maxmemory {limit} is {share} full by the {of} of {now}, {more} over", args...), true
	case f.State == "over":
		return message.New("ALREADY OVER: maxmemory {limit} is {share} full by the {of} of {now}, {more} over, and it "+
			"changes by {pace}", args...), true
	case f.State == "unknown":
		id = "maxmemory {limit} is {share} full by the {of} of {now}; reports of one time show no pace"
	case f.State == "flat":
		id = "maxmemory {limit} is {share} full by the {of} of {now}; it does not grow: {pace}"
	case f.DaysLeast == nil:
		id = "maxmemory {limit} is {share} full by the {of} of {now}; full in {days}, on {day}, at {pace} (too few reports " +
			"for a spread)"
	case f.DaysMost != nil && least.String() == most.String():
		id = "maxmemory {limit} is {share} full by the {of} of {now}; full in {least}, most likely on {day}, at {pace}"
	case f.DaysMost == nil:
		id = "maxmemory {limit} is {share} full by the {of} of {now}; full in {least} or later, if it grows at all: {pace}"
	}
	return message.New(id, args...), false
}

// pace is how much is added a day, with its spread.
func (f *TrendForecast) pace() message.Message {
	signed := func(x float64) message.Message {
		if x < 0 {
			return message.New("-{size}", message.Size("size", int64(-x)))
		}
		return message.New("+{size}", message.Size("size", int64(x)))
	}
	if f.PerDayLeast == nil || int64(*f.PerDayLeast) == int64(*f.PerDayMost) {
		return message.New("{size} a day", message.Phrase("size", signed(f.PerDay)))
	}
	return message.New("{size} a day ({least} to {most})", message.Phrase("size", signed(f.PerDay)),
		message.Phrase("least", signed(*f.PerDayLeast)), message.Phrase("most", signed(*f.PerDayMost)))
}
