// Package watchdog ends tests that hang. Go's fuzzing has no limit of time for
// one input: without a watchdog an endless loop is never reported.
package watchdog

import (
	"fmt"
	"runtime"
	"testing"
	"time"
)

// limit is far more than any input of a fuzz test takes, on a loaded machine too.
const limit = 30 * time.Second

// Start ends the process unless the function that it returns is called within 30
// seconds. The panic names the test and shows the stacks of all goroutines; a
// fuzz run then reports and keeps the input. Tests write
//
//	defer watchdog.Start(t)()
func Start(t testing.TB) (stop func()) { return start(t, limit) }

func start(t testing.TB, limit time.Duration) func() {
	timer := time.AfterFunc(limit, func() {
		// Stack stops what runs. A panic does not, and shows no stack of what runs on
		// another thread.
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		panic(fmt.Sprintf("%s hangs: it has been running for %v\n%s", t.Name(), limit, stacks))
	})
	return func() { timer.Stop() }
}
