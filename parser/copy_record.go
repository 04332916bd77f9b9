package parser

import "io"

// recorder keeps what was read since the end of the last key: the bytes that
// the scanner has read ahead, and of a longer record those that head has room for.
type recorder struct {
	r    io.Reader
	read int64 // bytes read until now
	head []byte
	at   int64  // offset of head[0]
	tail []byte // the last bytes read, once head is full
}

func (c *recorder) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	b := p[:n]
	c.read += int64(n)
	if c.tail == nil {
		if len(c.head)+n <= cap(c.head) {
			c.head = append(c.head, b...)
			return n, err
		}
		c.tail = append(make([]byte, 0, 2*scannerAhead), c.head[max(0, len(c.head)-scannerAhead):]...)
		c.head = append(c.head, b[:cap(c.head)-len(c.head)]...)
	}
	if over := len(c.tail) + n - cap(c.tail); over > 0 {
		kept := copy(c.tail, c.tail[max(0, len(c.tail)-scannerAhead):])
		c.tail = c.tail[:kept]
	}
	c.tail = append(c.tail, b...)
	return n, err
}

// End passes the end of the snapshot on.
func (c *recorder) End(read int64, rest []byte) (int64, error) {
	if e, ok := c.r.(Ender); ok {
		return e.End(read, rest)
	}
	return int64(len(rest)), nil
}

// forget says that what lies before an offset is not needed any more.
func (c *recorder) forget(offset int64) {
	if c.tail != nil {
		from := max(0, int64(len(c.tail))-(c.read-offset))
		c.head = append(c.head[:0], c.tail[from:]...)
		c.at, c.tail = c.read-int64(len(c.head)), nil
		return
	}
	if gone := offset - c.at; gone > int64(len(c.head))/2 || gone > scannerAhead {
		c.head = append(c.head[:0], c.head[min(gone, int64(len(c.head))):]...)
		c.at = c.read - int64(len(c.head))
	}
}

// since gives what was recorded from an offset on.
func (c *recorder) since(offset int64) []byte {
	return c.head[min(max(0, offset-c.at), int64(len(c.head))):]
}
