package thresholds

func init() {
	register(Rule{
		Name:    "compact-encoding",
		Section: SectionSize,
		Title:   "collection in its full encoding although it is near the limits of the compact one",
		Types:   collections,
		Params: []Param{
			{Name: "max_ratio", Unit: Count, Default: "4", Doc: "only collections of up to this many times the count limit are reported"},
			{Name: "hash_count", Unit: Count, Default: "512", Doc: "hash-max-listpack-entries of your servers"},
			{Name: "hash_bytes", Unit: Bytes, Default: "64B", Doc: "hash-max-listpack-value of your servers"},
			{Name: "zset_count", Unit: Count, Default: "128", Doc: "zset-max-listpack-entries of your servers"},
			{Name: "zset_bytes", Unit: Bytes, Default: "64B", Doc: "zset-max-listpack-value of your servers"},
			{Name: "intset_count", Unit: Count, Default: "512", Doc: "set-max-intset-entries of your servers"},
			{Name: "set_count", Unit: Count, Default: "128", Doc: "set-max-listpack-entries of your servers, from Redis 7.2 and Valkey on"},
			{Name: "set_bytes", Unit: Bytes, Default: "64B", Doc: "set-max-listpack-value of your servers, from Redis 7.2 and Valkey on"},
			{Name: "list_count", Unit: Count, Default: "512", Doc: "list-max-ziplist-entries of servers before 3.2"},
			{Name: "list_bytes", Unit: Bytes, Default: "64B", Doc: "list-max-ziplist-value of servers before 3.2"},
		},
		unit: func(note uint8) Unit {
			if note == notePassedBytes {
				return Bytes
			}
			return Count
		},
		rank: compactSaving,
		compile: func(c *compiler) {
			if l := compactLimits(c); l.family != "dragonfly" { // it has encodings of its own
				c.when(full, -1, 0, l.confirm)
			}
		},
		Doc: Doc{
			What: "A hash, set or sorted set in its full encoding (hashtable, skiplist; a list as linkedlist) although it is near the limits of the " +
				"compact one (listpack, ziplist, intset). The finding names the limit that was passed: the count, the bytes of the longest single field, value " +
				"or member, both, or neither: then it grew once and shrank, and a reload makes it compact.",
			Why: "The full encoding takes three to ten times the memory: a structure, pointers and a rounded allocation for each element. Up to a few " +
				"hundred elements the compact one is as fast.",
			Fix: "Keep below the limits: split the collection, shorten its fields, move the one long value out. Or raise the server's limit after a " +
				"measurement. Where no limit was passed, a restart or DUMP and RESTORE makes it compact.",
			Example: "user:1001, a hash of 600 fields as hashtable: 600 elements, over 512; compact would save 31 KB.",
			Sources: []Source{
				{[]string{"default", "baidu"}, Baidu, "", "默认 Redis 配置下，控制成员数目并且控制单个成员大小是可以对应使用压缩算法的，可以降低Redis本身数据结构的开销。",
					"With the default configuration, keeping the number of members and the size of a single member in bounds lets the compact encodings be used, which lowers what Redis' own structures cost. (Table: hash 512 / 64B, set 512 / 64B, list 512 / 64B, sorted set 128 / 64B.)"},
				{onlyAliyun, Aliyun, "【推荐】", "例如:实体类型(要合理控制和使用数据结构内存编码优化配置,例如ziplist,但也要注意节省内存和性能之间的平衡)",
					"For entities, say (control and use the settings of the compact encodings, such as ziplist, with reason, and mind the balance of saved memory and speed)."},
			},
			Notes: []Note{
				{[]string{"default", "aliyun", "baidu"}, "ours: sets of strings have a compact encoding only from Redis 7.2 and Valkey on, with 128 members; lists are compact by nature since 3.2"},
				{onlyDefault, "one document demands it, the others leave it open: an info"},
			},
		},
	})
}
