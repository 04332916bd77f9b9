package thresholds

func init() {
	register(Rule{
		Name:     "slot-skew",
		Section:  SectionInstance,
		Title:    "hash slot with many times its fair share of the memory",
		Instance: true,
		Unit:     Times,
		Params: []Param{
			{Name: "min_size", Unit: Bytes, Default: "10MB", Doc: "slots of no more than this are never reported"},
			{Name: "min_keys", Unit: Count, Default: "1000", Doc: "silent in snapshots with fewer keys"},
		},
		Doc: Doc{
			What: "A hash slot over 10 MB that holds more than 10 times its fair share: all memory divided by the slots that have keys. Only in snapshots that show " +
				"cluster mode, or with --cluster, and from 1000 keys on.",
			Why:     "A slot cannot be split: the node that has it fills up and runs hot while others are idle, and moving slots does not help.",
			Fix:     "Look for the big key or the hash tag in the slot; split the key, or take the tag out of the names.",
			Example: "slot 5474: 812 MB, 340 times its fair share.",
			Sources: []Source{
				{[]string{"default", "baidu"}, Baidu, "", "**要注意使用 hashtag 避免大量数据落入同一个数据分片**， 造成多个节点数据不均衡",
					"When hash tags are used, see that not much data falls into one shard, which leaves the nodes out of balance."},
				{onlyDefault, Aliyun, "", "1.内存空间不均匀:这样会不利于集群对内存的统一管理,存在丢失数据的隐患。",
					"1. Uneven memory: a cluster can then not manage its memory as one, and data may be lost."},
			},
			Notes: []Note{{[]string{"default", "baidu"}, "ours: no document names a number"}},
		},
	})
}
