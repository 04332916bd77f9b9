package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A shop writes the keyspace of a small web shop, with good habits and bad ones,
// so that every part of a report has something to show. Its content is the same
// in every run; its expiries count from now.
type shop struct {
	*filler
	now time.Time
}

// makeShop writes the snapshot of the shop.
func makeShop(argv []string, target string) error {
	s, err := newFilled(argv, fillShop, "--maxmemory-policy", "volatile-lru")
	if err != nil {
		return err
	}
	defer s.remove()
	time.Sleep(3 * time.Second) // for some carts to expire
	if err := s.snapshot(target); err != nil {
		return err
	}
	stat, err := os.Stat(target)
	if err == nil && stat.Size() >= 1<<20 {
		err = fmt.Errorf("%s has %d bytes, over 1 MiB", filepath.Base(target), stat.Size())
	}
	return err
}

func fillShop(f *filler) {
	f.rng = rand.New(rand.NewPCG(2024, 5))
	h := &shop{filler: f, now: time.Now()}
	f.do("DEBUG", "SET-ACTIVE-EXPIRE", "0")
	h.sessions()
	h.orders()
	h.catalogue()
	h.customers()
	h.coupons()
	h.queues()
	h.reports()
	h.strays()
	h.otherDatabase()
	h.coldKeys()
}

// in returns the time after a duration from now as an argument of PEXPIREAT.
func (h *shop) in(d time.Duration) string {
	return strconv.FormatInt(h.now.Add(d).UnixMilli(), 10)
}

// hex returns n random hexadecimal digits.
func (h *shop) hex(n int) string {
	const digits = "0123456789abcdef"
	b := make([]byte, n)
	for i := range b {
		b[i] = digits[h.rng.IntN(16)]
	}
	return string(b)
}

func (h *shop) pick(words ...string) string { return words[h.rng.IntN(len(words))] }

func (h *shop) itoa(n int) string { return strconv.Itoa(h.rng.IntN(n)) }

// sessions writes sessions with expiries spread over a day; some have none.
func (h *shop) sessions() {
	for i := range 400 {
		key := "session:" + h.hex(32)
		value := `{"user":` + h.itoa(50_000) + `,"lang":"` + h.pick("en", "de", "fr", "zh") + `","csrf":"` + h.hex(24) + `"}`
		if i%25 == 0 {
			h.do("SET", key, value)
			continue
		}
		h.do("SET", key, value, "PXAT", h.in(time.Duration(1+h.rng.IntN(24*60))*time.Minute))
	}
	for i := range 60 {
		h.do("SET", "login:remember:"+strconv.Itoa(1000+i*37), h.hex(40), "PXAT", h.in(time.Duration(200+i)*24*time.Hour))
	}
	h.add(60, func(i int) []string { return []string{"198.51.100." + strconv.Itoa(i), h.itoa(30)} }, "HSET", "limit:login:attempts")
}

// orders writes compact hashes without an expiry, each with a list of items.
func (h *shop) orders() {
	for i := range 300 {
		id := strconv.Itoa(100_000 + i*7)
		h.do("HSET", "order:"+id+":hash", "user", h.itoa(50_000), "state", h.pick("paid", "sent", "returned", "open"), "total", h.itoa(20_000), "currency", "EUR",
			"created", fmt.Sprintf("2024-05-%02dT%02d:%02d:00Z", 1+i%28, h.rng.IntN(24), h.rng.IntN(60)))
		args := []string{"RPUSH", "order:" + id + ":items"}
		for range 1 + h.rng.IntN(5) {
			args = append(args, "sku-"+h.itoa(9000))
		}
		h.do(args...)
		if i%3 == 0 {
			h.do("EXPIRE", "order:"+id+":items", strconv.Itoa(86_400*(5+i%60)))
		}
	}
	for i := range 40 {
		h.do("SET", fmt.Sprintf("order:count:2024-04-%02d", 1+i%30), h.itoa(900))
	}
}

// catalogue writes cached pages, all products as one text, and a stock table that
// is too large.
func (h *shop) catalogue() {
	var b strings.Builder
	b.WriteString(`{"products":[`)
	for i := range 1150 {
		fmt.Fprintf(&b, `{"id":%d,"name":"%s %s","price":%d,"currency":"EUR","available":true,"tags":["%s","sale"]},`,
			1000+i, h.pick("blue", "green", "red", "plain"), h.pick("shirt", "mug", "poster", "socks"), 100*h.rng.IntN(90), h.pick("summer", "winter"))
	}
	b.WriteString(`{}]}`)
	h.do("SET", "cache:catalogue:all", b.String(), "PXAT", h.in(20*time.Minute))
	for i := range 30 {
		h.do("SET", "cache:page:"+strconv.Itoa(i), "<html><body>"+strings.Repeat("<li class=\"product\">"+h.pick("shirt", "mug")+"</li>", 60+i)+"</body></html>",
			"PXAT", h.in(time.Duration(5+i)*time.Minute))
	}
	h.add(5200, func(i int) []string { return []string{"sku-" + strconv.Itoa(i), h.itoa(100)} }, "HSET", "product:stock:hash")
	for i := range 120 {
		h.do("HSET", "product:"+strconv.Itoa(1000+i)+":hash", "name", h.pick("shirt", "mug", "poster"), "price", h.itoa(9000), "weight", h.itoa(900))
	}
	// Hashes that have just outgrown the compact encoding, by count and by one
	// long value, and one that has shrunk again.
	h.add(600, func(i int) []string { return []string{strconv.Itoa(i), h.itoa(1000)} }, "HSET", "product:views:today")
	h.do("HSET", "product:featured:hash", "id", "1042", "name", "poster", "text", strings.Repeat("A poster for the kitchen. ", 5))
	h.add(700, func(i int) []string { return []string{strconv.Itoa(i), "1"} }, "HSET", "product:locks:hash")
	h.add(680, func(i int) []string { return []string{strconv.Itoa(i)} }, "HDEL", "product:locks:hash")
	h.add(150, func(i int) []string { return []string{h.itoa(1000), "sku-" + strconv.Itoa(i)} }, "ZADD", "product:rank:week")
	for i := range 25 {
		h.do("SADD", "tag:"+h.pick("summer", "winter", "sale", "gift")+":"+strconv.Itoa(i), "sku-"+h.itoa(900), "sku-"+h.itoa(900), h.itoa(900))
		h.do("SADD", "category:"+strconv.Itoa(i)+":set", strconv.Itoa(i), strconv.Itoa(100+i), strconv.Itoa(70_000+i))
	}
}

var names = []string{"ada", "alan", "barbara", "claude", "dennis", "donald", "edsger", "frances", "grace", "john", "kathleen", "ken", "leslie", "margaret", "niklaus", "rob", "shafi", "tim", "tony"}

// customers writes profiles with names of people, a large leaderboard with an
// expiry, carts, and the visitors of a day.
func (h *shop) customers() {
	for i := range 240 {
		h.do("HSET", "profile:"+names[i%len(names)]+string(rune('a'+i/len(names)))+":hash", "mail", names[i%len(names)]+"@example.org", "points", h.itoa(900), "city", h.pick("Bonn", "Lyon", "Turin"))
	}
	h.add(5100, func(i int) []string { return []string{h.itoa(100_000), "u" + strconv.Itoa(10_000+i)} }, "ZADD", "leaderboard:global:zset")
	h.do("PEXPIREAT", "leaderboard:global:zset", h.in(12*24*time.Hour))
	for i := range 20 {
		h.add(20, func(k int) []string { return []string{h.itoa(5000), "u" + strconv.Itoa(10_000+k*31)} }, "ZADD", "leaderboard:city:"+strconv.Itoa(i))
	}
	for i := range 150 {
		key := "cart:" + h.hex(8) + "-" + h.hex(4) + "-4" + h.hex(3) + "-a" + h.hex(3) + "-" + h.hex(12)
		h.do("HSET", key, "sku-"+h.itoa(9000), h.itoa(5), "sku-"+h.itoa(9000), h.itoa(5))
		if i%10 != 0 {
			h.do("PEXPIREAT", key, h.in(time.Duration(1+i%7)*24*time.Hour+time.Duration(i)*time.Minute))
		}
	}
	for i := range 12 { // expired when the snapshot is taken
		h.do("SET", "cart:reserved:"+strconv.Itoa(i), "1", "PXAT", h.in(time.Second))
	}
	for i := range 30 {
		h.do("HSET", "{user"+strconv.Itoa(i%3)+"}:settings:"+strconv.Itoa(i), "theme", "dark")
		h.do("RPUSH", "{user"+strconv.Itoa(i%3)+"}:recent:"+strconv.Itoa(i), "sku-1", "sku-2")
	}
	h.add(2000, func(i int) []string { return []string{"visitor" + strconv.Itoa(i*i)} }, "PFADD", "visitors:2024-05-01")
	h.do("PFADD", "visitors:2024-05-02", "a", "b", "c")
	h.do("SETBIT", "active:2024-05-01:bitmap", "50000", "1")
}

// coupons writes the coupons of a campaign, which expire in the same minute.
func (h *shop) coupons() {
	end := strconv.FormatInt(h.now.Truncate(24*time.Hour).Add(5*24*time.Hour+30*time.Second).UnixMilli(), 10)
	for i := range 10_500 {
		h.do("SET", "coupon:flash:"+strconv.Itoa(10_000+i), h.itoa(50), "PXAT", end)
	}
	for i := range 100 {
		h.do("SET", "coupon:birthday:"+strconv.Itoa(i), h.pick("5", "10"), "PXAT", h.in(time.Duration(10+i)*25*time.Hour))
	}
}

// queues writes a list that nobody consumes and a stream whose group lags.
func (h *shop) queues() {
	h.add(1500, func(i int) []string {
		return []string{`{"to":"` + h.pick(names...) + `@example.org","template":"` + h.pick("welcome", "invoice") + `","order":` + strconv.Itoa(100_000+i) + `}`}
	}, "RPUSH", "queue:mail:list")
	h.do("RPUSH", "queue:thumbnails:list", "sku-1", "sku-2", "sku-3")
	const key = "events:orders:stream"
	begin := h.now.Add(-2 * time.Hour).UnixMilli()
	for i := range 2000 {
		h.do("XADD", key, strconv.FormatInt(begin+int64(i)*3000, 10)+"-0", "order", strconv.Itoa(100_000+i), "event", h.pick("created", "paid", "sent"), "by", h.pick("web", "app"))
	}
	h.do("XGROUP", "CREATE", key, "billing", "0")
	h.do("XGROUP", "CREATE", key, "warehouse", "0")
	h.do("XREADGROUP", "GROUP", "billing", "billing-1", "COUNT", "900", "STREAMS", key, ">")
	h.do("XREADGROUP", "GROUP", "billing", "billing-2", "COUNT", "300", "STREAMS", key, ">")
	h.do("XREADGROUP", "GROUP", "warehouse", "w1", "COUNT", "2000", "NOACK", "STREAMS", key, ">")
	h.do("XADD", "events:returns:stream", "*", "order", "100007")
}

// reports writes other large values: a hash of more than a megabyte, and texts of
// more than ten kilobytes.
func (h *shop) reports() {
	for i := range 40 {
		page := "<tr><td>invoice</td><td>" + strconv.Itoa(100_000+i) + "</td><td>EUR</td></tr>\n"
		h.do("HSET", "archive:invoices:2023", fmt.Sprintf("%04d", i), strings.Repeat(page, 29_000/len(page)))
	}
	for i := range 6 {
		h.do("SET", fmt.Sprintf("report:daily:2024-05-%02d", 1+i), strings.Repeat("shirts;sold;"+h.itoa(900)+"\n", 700+i*40))
	}
	h.do("SET", "report:xml:last", "<?xml version=\"1.0\"?><report>"+strings.Repeat("<row sku=\"sku-1\" sold=\"3\"/>", 450)+"</report>")
	h.functions()
}

// strays writes names that no convention allows, and hostile ones.
func (h *shop) strays() {
	for _, name := range []string{
		"tmp", "x", "test2", "User:Profile:42", "user profile 42", "order:100007:", ":leading", "a::b", "it's:a:quote", `win\path`, "caf\u00e9:menu", "bin\xff\xfe:key",
		"\x1b[31mred alert\x1b[0m", "<script>alert('shop')</script>", "=cmd|' /C calc'!A0", "line\nbreak", "\u202etxt.exe", "price-list.v2+final=1",
		"session:" + strings.Repeat("very-long-name-", 9) + "end", "customer.address.of.the.invoice.for.order.100014",
	} {
		h.do("SET", name, "1")
	}
	h.do("HSET", "config:shop:hash", "open", "1")
	h.do("SADD", "flags:beta:set", "on")
	h.do("ZADD", "flags:order:zset", "1", "first")
	h.do("RPUSH", "flags:old:list", "only")
}

// otherDatabase writes statistics to database 1.
func (h *shop) otherDatabase() {
	h.do("SELECT", "1")
	for i := range 80 {
		h.do("SET", fmt.Sprintf("stats:pageviews:2024-%02d-%02d", 1+i/28, 1+i%28), h.itoa(90_000))
		h.do("ZADD", "stats:top:"+strconv.Itoa(i), h.itoa(100), "sku-"+h.itoa(900), h.itoa(100), "sku-"+h.itoa(900))
	}
	h.do("SELECT", "0")
}

// coldKeys writes keys that were not read for months.
func (h *shop) coldKeys() {
	for i := range 45 {
		key := "legacy:import:" + strconv.Itoa(i)
		h.do("SET", key, strings.Repeat("row;", 40+i))
		payload, err := h.s.text("DUMP", key)
		if err != nil && h.err == nil {
			h.err = err
		}
		h.do("RESTORE", key, "0", payload, "REPLACE", "IDLETIME", strconv.Itoa(86_400*(20+3*i)))
	}
}
