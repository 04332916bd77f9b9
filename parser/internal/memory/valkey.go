package memory

// The releases of Valkey that changed what a key takes, as in redis.go. Valkey
// 7.2 is Redis 7.2.

// valkey80 begins with Redis 7.2, from which Valkey comes.
func valkey80(f *family) {
	redis62(f)
	redis70(f)
	redis72(f)
	f.valkey = true
	f.key = keyInEntry // embedded keys: dict.c
	f.sds, f.field = sdsTight, sdsTight
	f.plainNodes = true // quicklist.c
	f.shrinks = 8       // dict.h
	f.startup, f.startupCluster = 948000, 2650000
	f.database = 642
	f.slot, f.slotExpires = 80, 80 // kvstore.c
}

func valkey81(f *family) {
	f.key = keyInObject            // createUnembeddedObjectWithKeyAndExpire: object.c
	f.usage = usageWithoutName     // objectComputeSize: object.c
	f.hashtable, f.dict = true, 72 // hashtable.c
	f.setNoValue = false
	f.embedsValue = true // hashTypeEntry: t_hash.c
	f.rax = 32           // alloc_size: rax.h
	f.startup, f.startupCluster = 943700, 2739800
	f.slot, f.slotExpires = 88, 88
}

func valkey9(f *family) {
	f.key = keyOverlay // shouldEmbedStringObject: object.c
	f.usage = usageBlocks
	f.dict = 80                          // hashtable.c
	f.hashMetadata = 8                   // pointer to the index of expiries: t_hash.c
	f.fieldExpiry = 8                    // entry.c
	f.memberInNode = true                // zslCreateNode: t_zset.c
	f.zskiplist, f.skiplistHead = 528, 0 // the head is inside: server.h
	f.startup, f.startupCluster = 973300, 2570500
	f.database, f.usedDatabase = 8, 1110 // made at the first use
	f.slot, f.slotExpires = 96, 96
}

// valkey92 follows the sources of Valkey 9.2 alone.
func valkey92(f *family) {
	f.btree = true          // fbtree.h, ordered_index.c
	f.listpackExpiry = true // hashTypeUpdateVolatileCount: t_hash.c
}
