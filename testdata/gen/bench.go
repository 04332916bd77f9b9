package main

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// benchSets are the data sets on which speed is measured. All come from fixed
// seeds; only ctime and the run ID differ between two runs.
var benchSets = []struct {
	name     string
	fill     func(b *benchFill)
	onDemand bool     // made only if it is named
	conf     []string // options of the server
}{
	{"mixed", (*benchFill).mixed, false, nil},
	{"small", (*benchFill).small, false, nil},
	{"big", (*benchFill).big, false, nil},
	{"random", (*benchFill).random, false, nil},
	{"hash", (*benchFill).hash, true, nil},
	{"giga", (*benchFill).giga, true, []string{"--proto-max-bulk-len", "2gb", "--rdbcompression", "no"}},
	{"giga-lzf", (*benchFill).giga, true, []string{"--proto-max-bulk-len", "2gb"}},
	{"documents", (*benchFill).documents, true, []string{"--rdbcompression", "no"}},
	{"documents-lzf", (*benchFill).documents, true, nil},
}

// A benchFill writes a data set through a pipeline.
type benchFill struct {
	rng   *rand.Rand
	send  func(args ...string)
	scale float64 // of the number of keys; 1 is the published size
}

// bench fills a server with each data set (or those named) and saves it as
// DIR/NAME.rdb.
func bench(argv []string, dir string, names []string, scale float64) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, set := range benchSets {
		if len(names) == 0 && set.onDemand || len(names) > 0 && !contains(names, set.name) {
			continue
		}
		if err := benchSet(argv, filepath.Join(dir, set.name+".rdb"), set.fill, scale, set.conf); err != nil {
			return fmt.Errorf("%s: %w", set.name, err)
		}
	}
	return nil
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}

func benchSet(argv []string, target string, fill func(*benchFill), scale float64, conf []string) error {
	begin := time.Now()
	s, err := newServer(argv, conf...)
	if err != nil {
		return err
	}
	defer s.remove()
	if err := s.start(); err != nil {
		return err
	}
	err = s.pipeline(func(send func(args ...string)) {
		fill(&benchFill{rng: rand.New(rand.NewPCG(1, 2)), send: send, scale: scale})
	})
	if err != nil {
		return err
	}
	keys, err := s.integer("DBSIZE")
	if err != nil {
		return err
	}
	if err := s.snapshot(target); err != nil {
		return err
	}
	stat, err := os.Stat(target)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d keys, %.1f MB, %.0f s\n", target, keys, float64(stat.Size())/1e6, time.Since(begin).Seconds())
	return nil
}

// count scales a number of keys or elements.
func (b *benchFill) count(n int) int { return max(1, int(float64(n)*b.scale)) }

// expiry returns a random time in four weeks from 2030 on, so that the file can
// be used for years.
func (b *benchFill) expiry() string {
	return strconv.FormatInt(benchEpoch+b.rng.Int64N(28*24*3600*1000), 10)
}

const benchEpoch = 1_893_456_000_000 // 2030-01-01 in ms

// letters returns n random characters from an alphabet of 64.
func (b *benchFill) letters(n int) string {
	out := make([]byte, n)
	for i := 0; i < n; {
		for v, k := b.rng.Uint64(), 0; k < 10 && i < n; k++ {
			out[i] = base64Alphabet[v&63]
			v >>= 6
			i++
		}
	}
	return string(out)
}

const base64Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// mixed writes 2.35 million keys of every type with names of about 29 bytes, a
// third of them with an expiry, mostly in compact encodings, about 220,000 of
// which are LZF-compressed (from about 213 bytes to 95).
func (b *benchFill) mixed() {
	n := b.count(2_350_000)
	for i := range n {
		name := func(middle, typ string) string { return "shop:" + middle + ":" + strconv.Itoa(1_000_000+i) + ":" + typ }
		var key string
		switch p := b.rng.IntN(1000); {
		case p < 240:
			key = name("session.token", "string")
			b.send("SET", key, b.letters(48))
		case p < 380:
			key = name("stock.amount", "string")
			b.send("SET", key, strconv.Itoa(b.rng.IntN(1_000_000)))
		case p < 500:
			key = name("product.json", "string")
			b.send("SET", key, b.product())
		case p < 600:
			key = name("order.item", "hash")
			b.send(append([]string{"HSET", key}, b.order()...)...)
		case p < 720:
			key = name("user.basic.info", "hash")
			b.send("HSET", key, "name", b.letters(9), "mail", b.letters(14), "age", strconv.Itoa(18+b.rng.IntN(60)), "level", strconv.Itoa(b.rng.IntN(9)))
		case p < 800:
			key = name("user.recent.view", "list")
			b.send(b.items([]string{"RPUSH", key}, 4+b.rng.IntN(12), func() string { return strconv.Itoa(b.rng.IntN(10_000_000)) })...)
		case p < 850:
			key = name("user.friends", "set")
			b.send(b.items([]string{"SADD", key}, 4+b.rng.IntN(20), func() string { return strconv.Itoa(b.rng.IntN(10_000_000)) })...)
		case p < 900:
			key = name("user.coupon.tags", "set")
			b.send(b.items([]string{"SADD", key}, 3+b.rng.IntN(8), func() string { return b.letters(8) })...)
		case p < 980:
			key = name("item.rank.daily", "zset")
			b.send(b.items([]string{"ZADD", key}, 3+b.rng.IntN(10), func() string { return b.letters(7) }, func() string { return strconv.Itoa(b.rng.IntN(100_000)) })...)
		case p < 990:
			key = name("order.events", "stream")
			for e := range 1 + b.rng.IntN(4) {
				b.send("XADD", key, fmt.Sprintf("17000000%05d-%d", b.rng.IntN(1000)+e*1000, e), "type", "paid", "order", strconv.Itoa(b.rng.IntN(1_000_000)))
			}
		default:
			key = b.large(i, name)
		}
		if b.rng.IntN(3) == 0 {
			b.send("PEXPIREAT", key, b.expiry())
		}
	}
}

// large writes a value in a full encoding: hash table, skiplist, quicklist or
// stream of several nodes, or a long string. It returns the key.
func (b *benchFill) large(i int, name func(middle, typ string) string) (key string) {
	switch i % 40 {
	case 0:
		key = name("user.cart.all", "hash")
		b.send(b.items([]string{"HSET", key}, 600, func() string { return "sku:" + b.letters(6) }, func() string { return strconv.Itoa(b.rng.IntN(100)) })...)
	case 1:
		key = name("city.rank.all", "zset")
		b.send(b.items([]string{"ZADD", key}, 400, func() string { return "u:" + b.letters(8) }, func() string { return strconv.Itoa(b.rng.IntN(100_000)) })...)
	case 2:
		key = name("mail.queue", "list")
		b.send(b.items([]string{"RPUSH", key}, 500, func() string { return `{"to":"` + b.letters(10) + `","n":` + strconv.Itoa(b.rng.IntN(1000)) + `}` })...)
	case 3:
		key = name("click.events", "stream")
		for e := range 300 {
			b.send("XADD", key, strconv.Itoa(1_700_000_000_000+e*7)+"-0", "page", strconv.Itoa(b.rng.IntN(1000)), "user", b.letters(6))
		}
	case 4:
		key = name("page.html", "string")
		b.send("SET", key, strings.Repeat(b.letters(40)+"<li class=\"item\">", 60))
	default:
		key = name("seen.devices", "set")
		b.send(b.items([]string{"SADD", key}, 20+b.rng.IntN(60), func() string { return b.letters(12) })...)
	}
	return key
}

// items appends n rounds of the makers' results: single values, or pairs, whose
// first maker makes the member or field. ZADD takes the score first.
func (b *benchFill) items(args []string, n int, makers ...func() string) []string {
	for range n {
		if args[0] == "ZADD" {
			member := makers[0]()
			args = append(args, makers[1](), member)
			continue
		}
		for _, m := range makers {
			args = append(args, m())
		}
	}
	return args
}

// order returns a hash of 213 bytes or so that compresses to less than half.
func (b *benchFill) order() []string {
	day := fmt.Sprintf("2024-%02d-%02d", 1+b.rng.IntN(12), 1+b.rng.IntN(28))
	return []string{
		"order_status", "status_delivered", "order_created_at", day + "T00:00:00", "order_updated_at", day + "T00:00:00",
		"order_currency", "currency_EUR", "order_amount", strconv.Itoa(b.rng.IntN(100_000)), "order_user", b.letters(8),
		"order_country", "country_DE",
	}
}

// product returns a JSON text of about 400 bytes.
func (b *benchFill) product() string {
	return `{"id":` + strconv.Itoa(b.rng.IntN(10_000_000)) + `,"title":"` + b.letters(24) + `","price":` + strconv.Itoa(b.rng.IntN(100_000)) +
		`,"tags":["` + b.letters(6) + `","` + b.letters(6) + `"],"stock":` + strconv.Itoa(b.rng.IntN(1000)) + `,"vendor":"` + b.letters(10) + `","text":"` + b.letters(200) + `"}`
}

// small writes 10 million short strings, a third of them with an expiry.
func (b *benchFill) small() {
	for i := range b.count(10_000_000) {
		key := "user:" + strconv.Itoa(i)
		if b.rng.IntN(3) == 0 {
			b.send("SET", key, b.letters(8), "PXAT", b.expiry())
		} else {
			b.send("SET", key, b.letters(8))
		}
	}
}

// big writes four keys of 5 million elements each.
func (b *benchFill) big() {
	const n = 5_000_000
	b.add(n, func(i int) []string {
		return []string{"field:" + strconv.Itoa(i), "value:" + strconv.Itoa(b.rng.IntN(1_000_000_000))}
	}, "HSET", "big:hash")
	b.add(n, func(i int) []string { return []string{"member:" + strconv.Itoa(i)} }, "SADD", "big:set")
	b.add(n, func(i int) []string {
		return []string{strconv.Itoa(b.rng.IntN(100_000_000)), "member:" + strconv.Itoa(i)}
	}, "ZADD", "big:zset")
	b.add(n, func(int) []string { return []string{"item:" + strconv.Itoa(b.rng.IntN(1_000_000_000_000))} }, "RPUSH", "big:list")
}

// hash writes one hash of a million fields.
func (b *benchFill) hash() {
	b.add(1_000_000, func(i int) []string {
		return []string{"field:" + strconv.Itoa(i), "value:" + strconv.Itoa(b.rng.IntN(1_000_000_000))}
	}, "HSET", "big:hash")
}

// documents writes a million JSON texts of about 1 KB, with names that repeat, short
// and long strings, and numbers.
func (b *benchFill) documents() {
	vocabulary := make([]string, 3000)
	for i := range vocabulary {
		vocabulary[i] = b.letters(3 + b.rng.IntN(8))
	}
	word := func() string { return vocabulary[b.rng.IntN(len(vocabulary))] }
	words := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = word()
		}
		return strings.Join(list, " ")
	}
	for i := range b.count(1_000_000) {
		tags, images, reviews := []string{}, []string{}, []string{}
		for k := range 5 {
			tags = append(tags, `"`+word()+`"`)
			images = append(images, fmt.Sprintf(`"https://cdn.example.com/%s/%d.jpg"`, word(), k))
		}
		for range 2 {
			reviews = append(reviews, fmt.Sprintf(`{"u":"%s","s":%d,"t":"%s"}`, word(), 1+b.rng.IntN(5), words(8)))
		}
		b.send("SET", fmt.Sprintf("product:%07d", i), fmt.Sprintf(`{"id":%d,"sku":"SKU-%08d","title":"%s","description":"%s","price":%.2f,"stock":%d,"tags":[%s],"active":true,`+
			`"seller":{"id":%d,"name":"%s","rating":%v,"city":"%s"},"dimensions":{"w":%d,"h":%d,"d":%d},"images":[%s],"created":"2026-03-04T12:00:00Z","reviews":[%s]}`,
			i, i, words(6), words(35), b.rng.Float64()*1000, b.rng.IntN(1000), strings.Join(tags, ","),
			b.rng.IntN(100_000), words(2), b.rng.Float64()*5, word(), b.rng.IntN(100), b.rng.IntN(100), b.rng.IntN(100), strings.Join(images[:4], ","), strings.Join(reviews, ",")))
	}
}

// giga writes one string of a gigabyte.
func (b *benchFill) giga() {
	b.send("SETRANGE", "giga", strconv.Itoa(b.count(1<<30)-1), "x")
	b.send("SET", "behind", "it")
}

// add sends a command with n rounds of arguments, a thousand at a time.
func (b *benchFill) add(n int, args func(i int) []string, command ...string) {
	const batch = 1000
	for i, n := 0, b.count(n); i < n; {
		list := append([]string{}, command...)
		for k := 0; k < batch && i < n; k++ {
			list = append(list, args(i)...)
			i++
		}
		b.send(list...)
	}
}

// random writes 5 million names that have no pattern.
func (b *benchFill) random() {
	raw := make([]byte, 16)
	for range b.count(5_000_000) {
		for i := range raw {
			raw[i] = byte(b.rng.Uint32())
		}
		key := "tok:" + base64.RawURLEncoding.EncodeToString(raw)
		if b.rng.IntN(3) == 0 {
			b.send("SET", key, b.letters(17), "PXAT", b.expiry())
		} else {
			b.send("SET", key, b.letters(17))
		}
	}
}
