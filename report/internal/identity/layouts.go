package identity

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds"
)

// layouts are what keys of no library can look like, the surest first. Each needs two
// signs, as a library does: a form of the value, and a word in the name or the TTL. Whether such
// keys have no TTL by design, only who writes them can know.
var layouts = []struct {
	role thresholds.Role
	like func(k *Sample) bool
}{
	{thresholds.RoleHyperLogLog, func(k *Sample) bool { return isHyperLogLog(k) }},
	{thresholds.RoleLock,
		func(k *Sample) bool { return isString(k) && k.TTL && lockWords.in(k.Name) && isToken(k) }},
	{thresholds.RoleRateLimit, func(k *Sample) bool {
		return isString(k) && k.TTL && ofKind(k, "number") && (limitWords.in(k.Name) || addressEnd().Match(k.Name))
	}},
	{thresholds.RoleRateLimit, isWindow},
	{thresholds.RoleCounter,
		func(k *Sample) bool { return isString(k) && !k.TTL && ofKind(k, "integer") && !ofKind(k, "time") }},
	{thresholds.RoleSession, func(k *Sample) bool {
		return k.TTL && sessionWords.in(k.Name) && (k.Type == parser.Hash || isString(k) && k.Bytes >= 16)
	}},
	{thresholds.RoleGeoSet, isGeoSet},
	{thresholds.RoleLeaderboard,
		func(k *Sample) bool { return k.Type == parser.ZSet && boardWords.in(k.Name) && !areTimes(k) }},
	{thresholds.RoleQueue, func(k *Sample) bool { return k.Type == parser.List && queueWords.in(k.Name) }},
	{thresholds.RoleDelayed,
		func(k *Sample) bool { return k.Type == parser.ZSet && delayWords.in(k.Name) && areTimes(k) }},
	{thresholds.RoleEvents, func(k *Sample) bool { return k.Type == parser.Stream }},
	{thresholds.RoleBitmap, isBitmap},
	{thresholds.RoleIndex, func(k *Sample) bool {
		return (k.Type == parser.Set || k.Type == parser.ZSet) && indexWords.in(k.Name)
	}},
	{thresholds.RoleCache, func(k *Sample) bool {
		// JSON is no sign: what must not be lost has it, too.
		return isString(k) && k.TTL && (cacheWords.in(k.Name) || isSerialized(k) && !ofKind(k, "json", "json-list"))
	}},
}

// Words of names. A word is between characters that are no letters.
var (
	lockWords    = words(" lock locks locked mutex lease semaphore redlock ")
	limitWords   = words(" rate rates limit limits limiter ratelimit throttle attempts attempt quota rl flood hits window tries ")
	sessionWords = words(" session sessions sess sid login token tokens auth jwt oauth ")
	boardWords   = words(" leaderboard leaderboards board rank ranks ranking lb score scores top highscore highscores hot trending popular ")
	queueWords   = words(" queue queues queued jobs job tasks task pending waiting wait inbox outbox mq buffer work todo backlog dlq deadletter retry ")
	delayWords   = words(" delayed delay schedule scheduled schedules retry retries queue timers timer reminders ")
	indexWords   = words(" index idx tag tags by members followers following friends ids keys set ")
	cacheWords   = words(" cache cached fragment page html render rendered memo response ")
	addressEnd   = lazy(`[:_-](?:[0-9]{1,3}\.){3}[0-9]{1,3}$`)
	geoWords     = words(" geo geos location locations loc near nearby position positions places place gps poi drivers couriers stores map ")
	bitWords     = words(" bitmap bitmaps bits bit dau mau wau active online seen flags sign signin checkin attendance bloom visited ")
)

// words is a list of words in lower case, with spaces around each.
type words string

func (w words) in(name []byte) bool {
	for word := range bytes.FieldsFuncSeq(name, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') }) {
		if strings.Contains(string(w), " "+strings.ToLower(string(word))+" ") {
			return true
		}
	}
	return false
}

// layout returns what a group of no library looks like, nil if its samples look like
// several things, or like nothing.
func layout(g *Group) *thresholds.Identity {
	if len(g.Samples) == 0 {
		return nil
	}
	for i := range layouts {
		l := &layouts[i]
		all := true
		for _, k := range g.Samples {
			all = all && !k.NameOnly && !k.Unlike && l.like(k)
		}
		if all {
			return &thresholds.Identity{Role: l.role, Sure: thresholds.LooksLike}
		}
	}
	return nil
}

func isString(k *Sample) bool { return k.Type == parser.String }

func ofKind(k *Sample, names ...string) (is bool) {
	k.texts(func(t text) bool {
		for _, name := range names {
			is = is || kinds[name](t)
		}
		return false
	})
	return is
}

// isToken reports whether a string is what identifies the owner of a lock.
func isToken(k *Sample) bool {
	return k.Bytes <= 8 || k.Bytes <= 128 && !isSerialized(k) && bytes.IndexByte(k.Text, ' ') < 0
}

func isSerialized(k *Sample) bool {
	return ofKind(k, "json", "json-list", "pickle", "!pickle", "marshal", "rails", "java", "php", "compressed", "gob",
		"msgpack")
}

// isHyperLogLog reports whether a string begins as hyperloglog.c of Redis writes it: the
// magic, and an encoding, which is dense (0) or sparse (1).
func isHyperLogLog(k *Sample) bool {
	return isString(k) && len(k.Text) >= 16 && string(k.Text[:4]) == "HYLL" && k.Text[4] <= 1
}

func areTimes(k *Sample) bool {
	for i := range k.Values {
		if s := k.Values[i].Score; !isSeconds(s) && !isSeconds(s/1e3) && !isSeconds(s/1e6) {
			return false
		}
	}
	return len(k.Values) > 0
}

// isGeoSet reports whether scores are geohashes of 52 bits: large whole numbers. A name
// without a word of places needs one that is no time in microseconds.
func isGeoSet(k *Sample) bool {
	if k.Type != parser.ZSet || len(k.Values) == 0 {
		return false
	}
	for i := range k.Values {
		if s := k.Values[i].Score; s < 1e14 || s >= 1<<52 || s != math.Trunc(s) {
			return false
		}
	}
	return geoWords.in(k.Name) || !areTimes(k)
}

// isWindow reports whether members are the times that are their scores: the requests in a
// window that slides.
func isWindow(k *Sample) bool {
	if k.Type != parser.ZSet || !k.TTL || !areTimes(k) {
		return false
	}
	for i := range k.Values {
		if v, err := strconv.ParseFloat(string(k.Values[i].Text), 64); err != nil || v != k.Values[i].Score {
			return false
		}
	}
	return true
}

// isBitmap reports whether a string has few bits set and is no text: bytes that are 0,
// or that have one bit, beside a name with a word of bitmaps or in great number.
func isBitmap(k *Sample) bool {
	if !isString(k) || len(k.Text) == 0 || isSerialized(k) {
		return false
	}
	sparse, letters := 0, 0
	for _, b := range k.Text {
		if b&(b-1) == 0 {
			sparse++
		}
		if b >= ' ' && b < 0x7f {
			letters++
		}
	}
	n := len(k.Text)
	return letters*4 < n*3 && (bitWords.in(k.Name) || n >= 32 && sparse*10 >= n*9)
}
