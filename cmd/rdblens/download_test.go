package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rdblens/rdblens/parser/message"
)

// object is an object store that breaks each connection after some bytes.
type object struct {
	data   []byte
	piece  int    // bytes before the connection breaks, 0 never
	tag    string // ETag, with the number of the request where it has a %d
	ranges bool
	status []int // of the first requests
	after  string
	asked  atomic.Int32
}

func (o *object) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := int(o.asked.Add(1)) - 1
	if n < len(o.status) {
		w.Header().Set("Retry-After", o.after)
		w.WriteHeader(o.status[n])
		return
	}
	tag := o.tag
	if strings.Contains(tag, "%d") {
		tag = fmt.Sprintf(tag, n)
	}
	w.Header().Set("ETag", tag)
	from := 0
	if o.ranges && r.Header.Get("Range") != "" && (r.Header.Get("If-Range") == "" || r.Header.Get("If-Range") == tag) {
		fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from)
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(o.data)-1, len(o.data)))
		w.Header().Set("Content-Length", fmt.Sprint(len(o.data)-from))
		w.WriteHeader(http.StatusPartialContent)
	} else {
		w.Header().Set("Content-Length", fmt.Sprint(len(o.data)))
	}
	rest := o.data[from:]
	if o.piece == 0 || len(rest) <= o.piece {
		w.Write(rest)
		return
	}
	w.Write(rest[:o.piece])
	w.(http.Flusher).Flush()
	panic(http.ErrAbortHandler) // breaks the connection
}

// TestDownload reads objects over connections that break, from servers that do and
// do not continue.
func TestDownload(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789"), 100_000)
	for name, c := range map[string]struct {
		*object
		limit int64
		asked int32
		want  string // of the error
	}{
		"whole":             {object: &object{tag: `"a"`}, asked: 1},
		"continued":         {object: &object{tag: `"a"`, piece: 300_000, ranges: true}, asked: 4},
		"without a tag":     {object: &object{piece: 600_000, ranges: true}, asked: 2},
		"busy":              {object: &object{status: []int{503, 429, 500}, after: "0"}, asked: 4},
		"always busy":       {object: &object{status: []int{503, 503, 503, 503, 503, 503, 503}}, asked: 6, want: "503 Service Unavailable"},
		"changed meanwhile": {object: &object{tag: `"%d"`, piece: 300_000, ranges: true}, asked: 2, want: "changed meanwhile"},
		"no ranges":         {object: &object{tag: `"a"`, piece: 300_000}, asked: 2, want: "cannot continue"},
		"refused":           {object: &object{status: []int{403}}, asked: 1, want: "403 Forbidden"},
		"too long":          {object: &object{}, limit: 999_999, asked: 1, want: "max_download"},
	} {
		t.Run(name, func(t *testing.T) {
			o := c.object
			o.data = data
			server := httptest.NewTLSServer(o)
			defer server.Close()
			if c.limit == 0 {
				c.limit = int64(len(data))
			}
			d, err := newDownload(t.Context(), server.URL+"/dump.rdb?X-Amz-Signature=secret", c.limit)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			d.client.Transport, d.first = server.Client().Transport, time.Millisecond
			got, err := io.ReadAll(d)
			if c.want == "" && (err != nil || !bytes.Equal(got, data)) {
				t.Errorf("%d bytes, %v", len(got), err)
			}
			if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret")) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
			if n := o.asked.Load(); n != c.asked {
				t.Errorf("%d requests, want %d", n, c.asked)
			}
		})
	}
}

// TestDownloadFailures counts the connections to servers that never answer: a certificate that
// is not accepted and a port that refuses are tried once, a connection that breaks is tried
// again, and each further attempt is reported.
func TestDownloadFailures(t *testing.T) {
	server := httptest.NewUnstartedServer(&object{data: []byte("REDIS0011")})
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	breaks, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer breaks.Close()
	go func() {
		for {
			conn, err := breaks.Accept()
			if err != nil {
				return
			}
			conn.Close()
		}
	}()
	for _, c := range []struct {
		url, want string
		dials     int
	}{
		{server.URL, "certificate signed by unknown authority", 1},
		{strings.Replace(server.URL, "127.0.0.1", "localhost", 1), "certificate", 1},
		{"https://" + gone.Addr().String(), "connection refused", 1},
		{"https://" + breaks.Addr().String(), "(6 attempts)", 6},
	} {
		d, err := newDownload(t.Context(), c.url+"/dump.rdb?X-Amz-Signature=secret", 100)
		if err != nil {
			t.Fatal(err)
		}
		dials, warned := 0, 0
		d.client.Transport.(*http.Transport).DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
			dials++
			return new(net.Dialer).DialContext(ctx, network, addr)
		}
		d.first, d.warn = time.Millisecond, func(m message.Message) {
			if warned++; !strings.Contains(m.String(), "attempt "+fmt.Sprint(warned+1)+" of 6") {
				t.Error(m)
			}
		}
		_, err = io.ReadAll(d)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: error %v, want one with %q", c.url, err, c.want)
		}
		if dials != c.dials || warned != c.dials-1 {
			t.Errorf("%s: %d connections, %d further attempts reported, want %d", c.url, dials, warned, c.dials)
		}
		d.Close()
	}
}

// TestDownloadIsEncrypted checks that no snapshot is read over http, not even
// where an https URL redirects to one.
func TestDownloadIsEncrypted(t *testing.T) {
	plain := httptest.NewServer(&object{data: []byte("REDIS0011")})
	defer plain.Close()
	if _, err := newDownload(t.Context(), plain.URL, 100); err == nil {
		t.Error("http is read")
	}
	server := httptest.NewTLSServer(http.RedirectHandler(plain.URL+"/?token=secret", http.StatusFound))
	defer server.Close()
	d, err := newDownload(t.Context(), server.URL, 100)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	d.client.Transport, d.first = server.Client().Transport, time.Millisecond
	if _, err := io.ReadAll(d); err == nil || !strings.Contains(err.Error(), "not https") || strings.Contains(err.Error(), "secret") {
		t.Errorf("error %v", err)
	}
}

// TestWithoutSecrets checks what is shown of a URL.
func TestWithoutSecrets(t *testing.T) {
	for url, want := range map[string]string{
		"https://bucket.example.com/a/dump.rdb?X-Amz-Signature=f00&X-Amz-Date=1": "https://bucket.example.com/a/dump.rdb",
		"https://user:password@example.com/dump.rdb#token":                       "https://example.com/dump.rdb",
		"https://user:pass%word@example.com/%zz?secret":                          "https://...",
		"a?b=c.rdb": "a?b=c.rdb",
	} {
		if got := withoutSecrets(url); got != want {
			t.Errorf("%s is shown as %s, want %s", url, got, want)
		}
	}
}

// TestCommandLine checks that the command line of a report hides signatures and keeps
// what a run needs again.
func TestCommandLine(t *testing.T) {
	e := env{args: []string{"scan", "a=https://user:secret@example.com/dump.rdb?secret", "--source-url", "https://git.example/{path}?at=main#L{line}"}}
	if got, want := e.commandLine(), "rdblens scan a=https://example.com/dump.rdb --source-url 'https://git.example/{path}?at=main#L{line}'"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
