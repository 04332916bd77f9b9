package source

import "io"

const (
	aheadSize  = 128 << 10 // bytes of a buffer
	aheadCount = 4         // buffers: one is read, one is filled, others lie between them
)

// ahead reads from a reader in a goroutine of its own, a few buffers ahead: data is
// decompressed while what came before is walked. Errors come after the data that was
// read before them.
type ahead struct {
	full, free chan *aheadBuffer
	quit       chan struct{} // closed: the goroutine should end
	ended      chan struct{} // closed: it has ended
	cur        *aheadBuffer  // what is being read, nil at the beginning
	pos        int           // cur.data[:pos] was read
}

type aheadBuffer struct {
	data []byte
	err  error // behind data
}

// newAhead starts to read r, which nobody else may read until stop returns.
func newAhead(r io.Reader) *ahead {
	a := &ahead{
		full:  make(chan *aheadBuffer, aheadCount),
		free:  make(chan *aheadBuffer, aheadCount),
		quit:  make(chan struct{}),
		ended: make(chan struct{}),
	}
	for range aheadCount {
		a.free <- new(aheadBuffer)
	}
	go a.run(r)
	return a
}

func (a *ahead) run(r io.Reader) {
	defer close(a.ended)
	for {
		var b *aheadBuffer
		select {
		case <-a.quit:
			return
		case b = <-a.free:
		}
		if b.data == nil { // not before it is needed: many sources are small
			b.data = make([]byte, aheadSize)
		}
		var n int
		n, b.err = r.Read(b.data[:aheadSize])
		b.data = b.data[:n]
		a.full <- b // there is room for all
		if b.err != nil {
			return
		}
	}
}

// Read returns what was read ahead. An error remains.
func (a *ahead) Read(p []byte) (int, error) {
	for a.cur == nil || a.pos == len(a.cur.data) {
		if a.cur != nil {
			if a.cur.err != nil {
				return 0, a.cur.err
			}
			a.free <- a.cur
		}
		select {
		case a.cur = <-a.full:
		case <-a.quit:
			return 0, io.ErrClosedPipe
		}
		a.pos = 0
	}
	n := copy(p, a.cur.data[a.pos:])
	a.pos += n
	return n, nil
}

// stop ends the goroutine. It waits for a read that is under way.
func (a *ahead) stop() {
	close(a.quit)
	<-a.ended
}
