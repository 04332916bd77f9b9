package memory

// The releases of Redis that changed what a key takes. Each function lists what
// its release changed, with the file of the server's sources that shows it. The
// figures of an empty server were measured.

func redis62(f *family) {
	*f = family{
		key: keySeparate, sds: sdsClassic, field: sdsClassic,
		dict:      96, // two dictht inside it: dict.h
		shrinks:   10, // dict.h
		zskiplist: 32, skiplistHead: 536,
		quicklist: 40, quicklistNode: 32,
		stream: 40, group: 32, consumer: 24, nack: 24, rax: 24,
		ziplists: true,
		startup:  900000, startupCluster: 1620000, database: 450,
	}
}

func redis70(f *family) {
	f.dict = 56          // table sizes as exponents: dict.h
	f.ziplists = false   // listpacks everywhere
	f.quicklistNode = 40 // sz is a size_t: quicklist.h
	f.stream = 80        // first_id, max_deleted_entry_id, entries_added: stream.h
	f.group = 40         // entries_read: stream.h
	f.startup, f.startupCluster = 948800, 1672500
}

func redis72(f *family) {
	f.setNoValue = true // dictEntryNoValue: dict.c
	f.setListpack = true
	f.shortScores = true  // d2string in util.c
	f.bareListpack = true // listTypeTryConvertQuicklist: t_list.c
	f.consumer = 32       // active_time: stream.h
}

func redis74(f *family) {
	f.field = mstr        // mstr.h
	f.fieldExpiry = 18    // ExpireMeta of ebuckets.h, and mstrFlags of mstr.h
	f.expiryMetadata = 32 // dictExpireMetadata: server.h
	f.listpackEx = 32     // listpackEx: server.h
	f.plainNodes = true   // quicklist.c
	f.shrinks = 8         // dict.h
	f.startup, f.startupCluster = 866000, 1850000
	f.slot, f.slotExpires = 64, 64 // kvstore.c
}

func redis80(f *family) {
	f.startup, f.startupCluster = 743400, 2033400
	f.database = 3778
	f.slot = 2464 // with the histogram of key sizes; measured
}

func redis82(f *family) {
	f.key = keyInObject  // kvobj: object.c
	f.zsetNoValue = true // t_zset.c
	f.stream = 112       // stream.h
	f.nack = 32          // with its node in the index: stream.h
	f.groupIndex = true  // cgroups_ref: stream.h
	f.listpackEx = 24    // without the key: server.h
	f.startup, f.startupCluster = 761000, 2070000
}

func redis84(f *family) {
	f.usage = usageExact // kvobjAllocSize: object.c
	f.sds = sdsTight
	f.setMetadata = 8                      // bytes of the elements
	f.zskiplist = 40                       // server.h
	f.quicklist = 48                       // quicklist.h
	f.stream, f.group, f.rax = 120, 48, 32 // stream.h, rax.h
	f.timeIndex = true                     // stream.h
	f.startup, f.startupCluster = 776000, 2110000
}

func redis86(f *family) {
	f.key = keyBehindMetadata // kvobjSet: object.c
	f.field = sdsTight
	f.fieldExpiry = 16   // entry.c
	f.embedsValue = true // entry.c
	f.sizesForAll = true
	f.memberInNode = true // zslCreateNode: t_zset.c
	f.skiplistHead = 528
	f.stream = 160           // stream.h
	f.group, f.nack = 56, 64 // stream.h
	f.timeIndex = false      // the NACKs themselves are a list by time
	f.startup, f.startupCluster = 789000, 2169000
	f.slotPairs = true
}

func redis88(f *family) {
	f.group = 64           // stream.h
	f.producerUsage = true // t_stream.c
}

// redis810 follows measurements of a build between 8.8 and 8.10, which had all of
// this but templates.
func redis810(f *family) {
	f.rax = 40            // keyFixedLen: rax.h
	f.valuesInTree = true // raxCompressNodeWithValue: rax.c
}
