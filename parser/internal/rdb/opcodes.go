package rdb

// The opcodes of a snapshot. Those under 200 and 242 to 243 mean what the
// dialect says.
const (
	OpEnterpriseLRU  = 107
	OpEnterpriseSlot = 121
	OpDFFullSyncEnd  = 200
	OpDFZstd         = 201
	OpDFLZ4          = 202
	OpDFBlobEnd      = 203
	OpDFJournalBlob  = 210
	OpDFJournal      = 211
	OpDFMask         = 220
	OpDFVectorIndex  = 222
	OpDFShardIndex   = 223
	OpDFTaggedChunk  = 224
	OpTemplate       = 242 // Redis 8.10; Valkey: an update in a forkless save
	OpKeyMeta        = 243 // Redis 8.6; Valkey 9: a slot import
	OpSlotInfo       = 244
	OpFunction       = 245
	OpFunctionPreGA  = 246
	OpModuleAux      = 247
	OpIdle           = 248
	OpFreq           = 249
	OpAux            = 250
	OpResizeDB       = 251
	OpExpireMS       = 252
	OpExpire         = 253
	OpSelectDB       = 254
	OpEOF            = 255
)
