package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
)

// Bounds of a download.
const (
	maxAttempts   = 6 // in a row that bring no byte
	firstPause    = time.Second / 2
	longestPause  = 30 * time.Second // also of what Retry-After asks for
	headerTimeout = 30 * time.Second // until a response begins
	stallTimeout  = 60 * time.Second // without a byte
	maxRedirects  = 10
)

// isURL reports whether a path is a URL rather than a file.
func isURL(path string) bool {
	return strings.HasPrefix(path, "https://") || strings.HasPrefix(path, "http://")
}

// withoutSecrets returns a URL without its query, in which presigned URLs have
// their signature, and without user and password. Other paths are returned as they
// are.
func withoutSecrets(path string) string {
	if !isURL(path) {
		return path
	}
	u, err := url.Parse(path)
	if err != nil {
		scheme, _, _ := strings.Cut(path, "://")
		return scheme + "://..." // any part of it may be secret
	}
	u.User, u.RawQuery, u.Fragment, u.ForceQuery = nil, "", "", false
	return u.String()
}

// download reads a URL. When the connection breaks, it goes on with a range
// request where it stopped, as long as the server says that the object is the same.
type download struct {
	ctx     context.Context
	cancel  context.CancelFunc // of the present request
	client  *http.Client
	url     string
	limit   int64         // bytes at most
	first   time.Duration // pause before the second attempt; it doubles with each
	body    io.ReadCloser
	stalled *time.Timer
	offset  int64                 // bytes that were read
	size    int64                 // of the object in bytes, -1 unknown
	version string                // its ETag or date, "" unknown
	failed  int                   // attempts without a byte
	warn    func(message.Message) // is called before each further attempt, unless it is nil
}

// newDownload returns a reader of a URL, which is requested when it is first read.
// It must be read to its end or closed.
func newDownload(ctx context.Context, url string, limit int64) (*download, error) {
	if !strings.HasPrefix(url, "https://") {
		return nil, message.Errorf("http is not encrypted").WithHint("use https, or fetch it with a tool of your choice " +
			"and pipe it to rdblens scan -")
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableCompression = true // ranges count the bytes of the object
	transport.ResponseHeaderTimeout = headerTimeout
	return &download{ctx: ctx, url: url, limit: limit, first: firstPause, size: -1,
		client: &http.Client{Transport: transport, CheckRedirect: checkRedirect}}, nil
}

func checkRedirect(to *http.Request, via []*http.Request) error {
	switch {
	case len(via) > maxRedirects:
		return final(fmt.Sprintf("more than %d redirects", maxRedirects))
	case to.URL.Scheme != "https":
		return final("redirected to a URL that is not https")
	}
	return nil
}

// finalError is an error that another attempt would repeat.
type finalError struct{ error }

func (e finalError) Unwrap() error { return e.error }

func final(id string, args ...message.Arg) error { return finalError{message.Errorf(id, args...)} }

// permanent reports whether a request that failed would fail again: nobody listens there,
// there is no such host, or its certificate is not accepted.
func permanent(err error) bool {
	var certificate *tls.CertificateVerificationError
	var name *net.DNSError
	return errors.As(err, &certificate) || errors.Is(err, syscall.ECONNREFUSED) || errors.As(err, &name) && name.IsNotFound
}

func (d *download) Read(p []byte) (int, error) {
	for {
		if err := d.ctx.Err(); err != nil {
			return 0, err
		}
		var pause time.Duration
		err := error(nil)
		if d.body == nil {
			pause, err = d.request()
		}
		if err == nil {
			var n int
			d.stalled.Reset(stallTimeout)
			n, err = d.body.Read(p)
			d.stalled.Stop()
			if d.offset += int64(n); d.offset > d.limit {
				return 0, message.Errorf("longer than {limit} (max_download in rdblens.yaml)", message.Size("limit", d.limit))
			}
			if n > 0 {
				d.failed = 0
				return n, nil
			}
			if err == nil {
				continue
			}
			d.drop()
			if err == io.EOF && (d.size < 0 || d.offset == d.size) {
				return 0, io.EOF
			}
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
		}
		var final finalError
		if d.failed++; errors.As(err, &final) || permanent(err) || d.failed == maxAttempts {
			return 0, d.plain(err)
		}
		if pause == 0 {
			pause = d.first << (d.failed - 1)
		}
		if pause = min(pause, longestPause); d.warn != nil {
			d.warn(message.New("{host}: {reason}; attempt {n} of {most} in {pause}", message.Element("host", d.host()),
				message.Reason("reason", d.bare(err)),
				message.Int("n", int64(d.failed+1)), message.Int("most", maxAttempts),
				message.Duration("pause", int64(pause.Round(time.Second)/time.Second))))
		}
		select {
		case <-time.After(pause):
		case <-d.ctx.Done():
		}
	}
}

// request asks for the object from offset on. It returns how long the server asks
// to wait before the next attempt, 0 if it does not say.
func (d *download) request() (pause time.Duration, err error) {
	ctx, cancel := context.WithCancel(d.ctx)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.url, nil)
	if err != nil {
		cancel()
		return 0, finalError{err}
	}
	if d.offset > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", d.offset))
		if d.version != "" {
			req.Header.Set("If-Range", d.version)
		}
	}
	resp, err := d.client.Do(req)
	if err != nil {
		cancel()
		return 0, err
	}
	if pause, err = d.check(resp); err != nil {
		resp.Body.Close()
		cancel()
		return pause, err
	}
	d.body, d.cancel = resp.Body, cancel
	d.stalled = time.AfterFunc(stallTimeout, cancel)
	return 0, nil
}

func (d *download) check(resp *http.Response) (pause time.Duration, err error) {
	status := message.Errorf("the server answers {n}",
		message.Text("n", fmt.Sprint(resp.StatusCode, " ", http.StatusText(resp.StatusCode))))
	switch {
	case resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode >= 500:
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
		return time.Duration(max(0, min(seconds, 3600))) * time.Second, status
	case d.offset == 0 && resp.StatusCode == http.StatusOK:
		d.size = resp.ContentLength
		d.version = cmp.Or(strongTag(resp.Header.Get("ETag")), resp.Header.Get("Last-Modified"))
		if d.size > d.limit {
			return 0, final("{size}, longer than {limit} (max_download in rdblens.yaml)", message.Size("size", d.size),
				message.Size("limit", d.limit))
		}
		return 0, nil
	case d.offset > 0 && resp.StatusCode == http.StatusPartialContent:
		var first, last, size int64
		if _, err := fmt.Sscanf(resp.Header.Get("Content-Range"), "bytes %d-%d/%d", &first, &last, &size); err != nil ||
			first != d.offset || d.size >= 0 && size != d.size {
			return 0, final("the connection broke, and the server does not continue where it stopped")
		}
		return 0, nil
	case d.offset > 0 && resp.StatusCode == http.StatusOK:
		return 0, final("the connection broke, and the server cannot continue, or the object was changed meanwhile")
	}
	if resp.StatusCode == http.StatusForbidden || resp.StatusCode == http.StatusUnauthorized {
		status = status.WithHint("a presigned URL is valid for a limited time, and for the method GET")
	}
	return 0, finalError{status}
}

// strongTag returns an ETag that If-Range takes, "" for a weak one.
func strongTag(tag string) string {
	if strings.HasPrefix(tag, "W/") {
		return ""
	}
	return tag
}

// host returns the host of the URL; its path and query may have secrets.
func (d *download) host() string {
	u, err := url.Parse(d.url)
	if err != nil {
		return ""
	}
	return u.Host
}

// bare returns an error without the URL, which may have secrets.
func (d *download) bare(err error) error {
	if final, ok := errors.AsType[finalError](err); ok {
		err = final.error
	}
	if errors.Is(err, context.Canceled) {
		err = message.Errorf("no byte came for {duration}", message.Duration("duration", int64(stallTimeout/time.Second)))
	}
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err
	}
	return err
}

// plain returns an error as the user sees it: without the URL, and how far it went.
func (d *download) plain(err error) error {
	err = d.bare(err)
	if d.offset > 0 {
		return &message.Error{Message: message.New("after {size}: {reason}", message.Size("size", d.offset),
			message.Reason("reason", err)), Err: err}
	}
	if d.failed > 1 {
		return &message.Error{Message: message.New("{reason} ({n} attempts)", message.Reason("reason", err),
			message.Int("n", int64(d.failed))), Hint: hintOf(err), Err: err}
	}
	return &parser.FormatError{Reason: message.Of(err), Hint: hintOf(err)}
}

func (d *download) drop() {
	if d.body != nil {
		d.stalled.Stop()
		d.body.Close()
		d.cancel()
		d.body = nil
	}
}

func (d *download) Close() error {
	if d == nil {
		return nil
	}
	d.drop()
	d.client.CloseIdleConnections()
	return nil
}
