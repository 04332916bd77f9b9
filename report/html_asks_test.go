package report

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// testPageAsks asks a page what expires next, what can go, who owns it, which rules a prefix breaks,
// and what has grown. The answers are those that the keys were written for.
func testPageAsks(t *testing.T, ctx context.Context) {
	const days = 24 * 3600
	snapshot := func(more int) []byte {
		var keys []handKey
		for i := range 300 {
			keys = append(keys, handKey{fmt.Sprintf("coupon:%d", i), 4*3600 - 1, 0, "v"},
				handKey{fmt.Sprintf("page:v1:%d", i), 0, 50 * days, "v"}, handKey{fmt.Sprintf("page:v2:%d", i), 0, 9, "v"})
		}
		for i := range 100 + more {
			keys = append(keys, handKey{fmt.Sprintf("cart:%d", i), 9 * days, 1, "v"})
		}
		return handSnapshot(noon, "", keys)
	}
	r := scanBytes(t, Options{}, bytesSource("new.rdb", snapshot(150)))
	r.Owners = []Owner{{Owner: "team-a"}, {}}
	r.Tree.SeveralOwners = true
	for _, n := range r.Tree.Children {
		if n.Prefix == "cart:" {
			n.Owner, n.Children[0].Owner = "team-a", "team-a"
		}
	}
	tab := openPageOf(t, ctx, r, WriteOptions{Since: scanBytes(t, Options{}, bytesSource("old.rdb", snapshot(0)))})
	open := func(hash string) {
		evaluate[any](t, tab, fmt.Sprintf(`(location.hash = %q, new Promise((done) => setTimeout(done, 100)))`, hash))
	}
	shown := func(selector string) string {
		return strings.Join(strings.Fields(evaluate[string](t, tab, fmt.Sprintf(`document.querySelector(%q).innerText`, selector))), " ")
	}
	bright := func() string {
		list := evaluate[[]string](t, tab, `[...document.querySelectorAll(".cell:not(.dim):not(.outer)")].map((c) => decodeURIComponent(c.href.replace(/.*at=/, "")))`)
		slices.Sort(list)
		return strings.Join(list, " ")
	}
	contains := func(what, got string, want ...string) {
		t.Helper()
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: no %q in %q", what, w, got)
			}
		}
	}
	contains("what it is about", shown(".verdict"), "new.rdb", "1,150 keys")
	// The first screen has the answers in brief, with links.
	contains("the first screen", shown("#fix"), "What grew most since old.rdb cart:* +", "Biggest keys", "Expires before midnight (UTC): 300 keys coupon: 300 keys",
		"What can go page:v1:")
	contains("what expires", shown("#expires-next-table"), "within an hour all keys 0", "before midnight (UTC) all keys 300 before 03-02 00:00", "coupon: 300 23:59 300", "within 24 hours all keys 300")
	// The bar of the hour before midnight.
	evaluate[any](t, tab, `(document.querySelector(".bars-links a").click(), new Promise((done) => setTimeout(done, 300)))`)
	contains("the hour", shown("#pane"), "2026-03-01 23:00:00 – 2026-03-02 00:00:00 UTC", "keys 300", "300 keys coupon:",
		"rdblens keys --expire-after 2026-03-01T23:00:00 --expire-before 2026-03-02T00:00:00 new.rdb")
	if got := bright(); got != "coupon:*" {
		t.Errorf("in the hour %s is bright", got)
	}
	// A bar of a week, of what expires in nine days.
	evaluate[any](t, tab, `([...document.querySelectorAll(".times > div")].at(-1).querySelectorAll(".bars-links a")[1].click(), new Promise((done) => setTimeout(done, 300)))`)
	if got := bright(); got != "cart:*" {
		t.Errorf("in the week %s is bright", got)
	}
	open("#at=page:v1:&color=age")
	contains("a prefix", shown("#pane"), "no-ttl × 300", "cold-key × 300", "no TTL, and not used for 50d.", "Delete them only if nobody needs them", "(no owner)")
	if got := evaluate[string](t, tab, `[...document.querySelectorAll(".cell")].map((c) => c.href.replace(/.*at=/, "") + " " + c.className).sort().join(", ")`); !strings.Contains(got, "v1%3A* cell c-4") || !strings.Contains(got, "v2%3A* cell c-0") {
		t.Errorf("idle: %s", got)
	}
	open("#at=page:v2:")
	if got := shown("#pane"); !strings.Contains(got, "no-ttl × 300") || strings.Contains(got, "cold-key") || strings.Contains(got, "not used for") {
		t.Errorf("the other prefix: %s", got)
	}
	open("#at=coupon:")
	contains("coupons", shown("#pane"), "expires before midnight (UTC) 300 keys", "expires within 24 hours 300 keys", "since old.rdb the same")
	open("#at=cart:&color=growth")
	contains("carts", shown("#pane"), "owner team-a", "%), +150 keys")
	contains("growth", shown("#legend"), "doubled or new", "about the same")
	open("#q=owner:team-a")
	if got := bright(); got != "cart:*" || shown("#found") != "250 keys" {
		t.Errorf("of the owner %s is bright, %s", got, shown("#found"))
	}
	if got := shown("#legend"); got != "string warnings" {
		t.Errorf("the legend of types is %s", got)
	}
}
