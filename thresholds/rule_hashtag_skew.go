package thresholds

func init() {
	register(Rule{
		Name:     "hashtag-skew",
		Section:  SectionInstance,
		Title:    "hash tag that holds too large a share of the memory",
		Instance: true,
		Unit:     Percent,
		Params:   []Param{{Name: "min_size", Unit: Bytes, Default: "10MB", Doc: "tags of no more than this are never reported"}},
		Doc: Doc{
			What: "One {tag} whose keys hold more than 1 % of all memory and more than 10 MB. Only in snapshots that show cluster mode, or with --cluster. Sums are " +
				"exact up to 16,384 tags; beyond, they may be low by at most the memory of all tags divided by 8192.",
			Why:     "All keys with one tag lie in one slot, on one node. No resharding can spread them.",
			Fix:     "Make the tag finer (the user's number, not the word user), or leave it out where no command needs the keys together.",
			Example: "{user}: 2.1 GB in 1,200,000 keys, 38% of the memory.",
			Sources: []Source{
				{[]string{"default", "baidu"}, Baidu, "", "**要注意使用 hashtag 避免大量数据落入同一个数据分片**， 造成多个节点数据不均衡",
					"When hash tags are used, see that not much data falls into one shard, which leaves the nodes out of balance."},
			},
			Notes: []Note{{[]string{"default", "baidu"}, "ours: no document names a number"}},
		},
	})
}
