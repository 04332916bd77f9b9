package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
)

// A client speaks RESP2 to one server over one connection. Bulk and simple
// strings come back as string, integers as int64, arrays as []any, nil
// replies as nil; an error reply is a replyError in the error result.
type client struct {
	conn net.Conn
	r    *bufio.Reader
	w    *bufio.Writer
	num  []byte
}

// A replyError is an error reply of the server.
type replyError string

func (e replyError) Error() string { return string(e) }

// dial connects to a server's socket.
func dial(network, address string) (*client, error) {
	conn, err := net.Dial(network, address)
	if err != nil {
		return nil, err
	}
	return &client{conn: conn, r: bufio.NewReaderSize(conn, 1<<16), w: bufio.NewWriterSize(conn, 1<<16)}, nil
}

func (c *client) close() error { return c.conn.Close() }

// write queues one command without sending it.
func (c *client) write(args ...string) {
	c.header('*', len(args))
	for _, a := range args {
		c.header('$', len(a))
		c.w.WriteString(a)
		c.w.WriteString("\r\n")
	}
}

// header queues a type byte, a decimal and a line end. Errors of the buffered
// writer are sticky and appear in Flush.
func (c *client) header(kind byte, n int) {
	c.num = strconv.AppendInt(append(c.num[:0], kind), int64(n), 10)
	c.num = append(c.num, '\r', '\n')
	c.w.Write(c.num)
}

// do sends one command and reads its reply.
func (c *client) do(args ...string) (any, error) {
	c.write(args...)
	if err := c.w.Flush(); err != nil {
		return nil, err
	}
	v, err := c.read()
	if err != nil {
		return nil, fmt.Errorf("%.60q: %w", args, err)
	}
	return v, nil
}

// read reads one reply.
func (c *client) read() (any, error) {
	line, err := c.r.ReadSlice('\n')
	if err != nil {
		return nil, err
	}
	if len(line) < 3 {
		return nil, fmt.Errorf("short reply line %q", line)
	}
	kind, text := line[0], string(line[1:len(line)-2])
	switch kind {
	case '+':
		return text, nil
	case '-':
		return nil, replyError(text)
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("reply %q: %w", line, err)
	}
	switch kind {
	case ':':
		return n, nil
	case '$':
		return c.readBulk(n)
	case '*':
		return c.readArray(n)
	}
	return nil, fmt.Errorf("unknown reply kind %q", kind)
}

func (c *client) readBulk(n int64) (any, error) {
	if n < 0 {
		return nil, nil
	}
	b := make([]byte, n+2)
	if _, err := io.ReadFull(c.r, b); err != nil {
		return nil, err
	}
	return string(b[:n]), nil
}

func (c *client) readArray(n int64) (any, error) {
	if n < 0 {
		return nil, nil
	}
	out := make([]any, n)
	for i := range out {
		v, err := c.read()
		var re replyError
		if errors.As(err, &re) {
			v, err = re, nil
		}
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

// text is do for a command whose reply is a string; nil is "".
func (c *client) text(args ...string) (string, error) {
	v, err := c.do(args...)
	if err != nil {
		return "", err
	}
	s, _ := v.(string)
	return s, nil
}

// integer is do for a command whose reply is a number; nil is -1.
func (c *client) integer(args ...string) (int64, error) {
	v, err := c.do(args...)
	if err != nil {
		return 0, err
	}
	if n, ok := v.(int64); ok {
		return n, nil
	}
	return -1, nil
}

// strings is do for a command whose reply is an array of strings.
func (c *client) strings(args ...string) ([]string, error) {
	v, err := c.do(args...)
	if err != nil {
		return nil, err
	}
	list, _ := v.([]any)
	out := make([]string, len(list))
	for i, e := range list {
		out[i], _ = e.(string)
	}
	return out, nil
}

// pipeline sends the commands that fill writes, reads the replies concurrently,
// and returns the first error reply.
func (c *client) pipeline(fill func(send func(args ...string))) error {
	var first error
	err := c.pipelineReplies(fill, func(_ any, err error) {
		if first == nil {
			first = err
		}
	})
	if err == nil {
		err = first
	}
	return err
}

// pipelineReplies is pipeline that calls read with each reply or error reply, in
// order, from another goroutine.
func (c *client) pipelineReplies(fill func(send func(args ...string)), read func(v any, err error)) error {
	const batch = 500
	sent := make(chan int, 16)
	done := make(chan error, 1)
	go func() {
		for n := range sent {
			for ; n > 0; n-- {
				v, err := c.read()
				var re replyError
				if err != nil && !errors.As(err, &re) {
					c.conn.Close() // unblocks the writer
					for range sent {
					}
					done <- err
					return
				}
				read(v, err)
			}
		}
		done <- nil
	}()
	n := 0
	var writeErr error
	flush := func() {
		if err := c.w.Flush(); err != nil && writeErr == nil {
			writeErr = err
		}
		sent <- n
		n = 0
	}
	fill(func(args ...string) {
		c.write(args...)
		if n++; n == batch {
			flush()
		}
	})
	flush()
	close(sent)
	if err := <-done; err != nil {
		return err
	}
	return writeErr
}
