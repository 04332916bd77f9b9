package source

import (
	"io"
	"os"
)

// MaxAhead is how many buffers can be begun at a time.
const MaxAhead = 2

// ahead fills buffers of its caller from a reader, in a goroutine of its own: data is
// decompressed while what came before is walked. It ends with stop.
type ahead struct {
	r     io.Reader
	todo  chan []byte     // buffers to fill
	full  chan aheadBlock // those that were filled, in the same order
	quit  chan struct{}   // closed: the goroutine should end
	ended chan struct{}   // closed: it has ended
	begun int             // buffers that were not taken
	rest  []byte          // what read has still to return of the last one that it took
	err   error           // behind rest
}

type aheadBlock struct {
	data []byte
	err  error // behind data
}

func newAhead(r io.Reader) *ahead {
	a := &ahead{
		r:     r,
		todo:  make(chan []byte, MaxAhead),
		full:  make(chan aheadBlock, MaxAhead),
		quit:  make(chan struct{}),
		ended: make(chan struct{}),
	}
	go a.run()
	return a
}

func (a *ahead) run() {
	defer close(a.ended)
	for {
		select {
		case <-a.quit:
			return
		case p := <-a.todo:
			n, err := Fill(a, p)
			a.full <- aheadBlock{p[:n], err} // there is room for all
		}
	}
}

// Read reads from r until stop is called.
func (a *ahead) Read(p []byte) (int, error) {
	select {
	case <-a.quit:
		return 0, os.ErrClosed
	default:
		return a.r.Read(p)
	}
}

// take returns the next of the buffers that were begun. It is not ok if there is none, or
// stop came before it was filled.
func (a *ahead) take() (b aheadBlock, ok bool) {
	if a.begun == 0 {
		return b, false
	}
	a.begun--
	select {
	case b = <-a.full:
		return b, true
	case <-a.ended:
	}
	select {
	case b = <-a.full: // filled before the end
		return b, true
	default:
		return b, false
	}
}

// read returns what is in the buffers that were begun, 0 and no error behind the last one.
func (a *ahead) read(p []byte) (int, error) {
	for len(a.rest) == 0 && a.err == nil && a.begun > 0 {
		b, _ := a.take()
		a.rest, a.err = b.data, b.err
	}
	if len(a.rest) == 0 {
		return 0, a.err
	}
	n := copy(p, a.rest)
	a.rest = a.rest[n:]
	return n, nil
}

// stop ends the goroutine. It waits for a read that is under way.
func (a *ahead) stop() {
	close(a.quit)
	<-a.ended
}
