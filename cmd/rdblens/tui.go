package main

// All terminal behaviour:
//   - Standard output has the result and nothing else, on a terminal or not.
//   - The progress bar goes to standard error, if that is a terminal that can move
//     its cursor. It disappears when the pass is done.
//   - There is no bar while rows of keys are written to a terminal.
//   - No byte of a snapshot reaches a terminal unescaped: errors, hints and names are
//     escaped by package text.

import (
	"io"
	"os"
	"strconv"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progressStep is the time between two drawings of the bar, and progressDelay the
// time that a pass may take without one. A terminal with less than progressWidth
// columns has no room for the number of bytes: a line that wraps is not erased.
const (
	progressStep  = 100 * time.Millisecond
	progressDelay = 300 * time.Millisecond
	progressWidth = 72
)

func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// takesColor reports whether w is a terminal that shows colours, and the user has
// not declined them (https://no-color.org).
func takesColor(w io.Writer) bool {
	return isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// now returns the time that a report states: the present one, unless
// SOURCE_DATE_EPOCH sets it (https://reproducible-builds.org/specs/source-date-epoch).
func now() time.Time {
	if s, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		return time.Unix(s, 0)
	}
	return time.Now()
}

// terminalSize returns the columns and lines of a terminal, 0 if w is none.
func terminalSize(w io.Writer) (columns, lines int) {
	if f, ok := w.(*os.File); ok {
		columns, lines, _ = term.GetSize(int(f.Fd()))
	}
	return columns, lines
}

// terminalWidth returns the columns of a terminal, 0 if w is none.
func terminalWidth(w io.Writer) int {
	columns, _ := terminalSize(w)
	return columns
}

// startProgress draws a bar on stderr during a pass: bytes, rate and remaining
// time. total is the number of bytes of the sources, -1 if unknown; done returns
// the number that was read. stop removes the bar; it must be called before anything
// else is written.
func startProgress(stderr io.Writer, total int64, done func() int64) (stop func()) {
	if !isTerminal(stderr) || os.Getenv("TERM") == "dumb" {
		return func() {}
	}
	options := []progressbar.Option{
		progressbar.OptionSetWriter(stderr),
		progressbar.OptionSetDescription("reading"),
		progressbar.OptionShowBytes(true),
		progressbar.OptionUseIECUnits(true),
		progressbar.OptionShowTotalBytes(true),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionSetWidth(24),
		progressbar.OptionThrottle(progressStep / 2),
		progressbar.OptionSpinnerCustom([]string{"-", "\\", "|", "/"}),
		progressbar.OptionSetSpinnerChangeInterval(0), // no goroutine that draws by itself
	}
	if width := terminalWidth(stderr); width == 0 || width >= progressWidth {
		options = append(options, progressbar.OptionShowCount())
	}
	bar := progressbar.NewOptions64(total, options...)
	bar.StartWithoutRender() // the rate counts from here
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		select {
		case <-quit:
			return
		case <-time.After(progressDelay):
		}
		tick := time.NewTicker(progressStep)
		defer tick.Stop()
		for {
			n := done()
			if total >= 0 {
				n = min(n, total-1) // a full bar would end its line
			}
			bar.Set64(max(n, 0))
			bar.RenderBlank() // Set64 draws only a new percentage
			select {
			case <-quit:
				bar.Clear()
				return
			case <-tick.C:
			}
		}
	}()
	return func() {
		close(quit)
		<-gone
	}
}
