package identity

import "github.com/rdblens/rdblens/thresholds"

// Identity says what the keys of a group are.
type Identity = thresholds.Identity

// Role is what keys are for.
type Role = thresholds.Role

// The roles.
const (
	Waiting     = thresholds.RoleWaiting
	Delayed     = thresholds.RoleDelayed
	Active      = thresholds.RoleActive
	Completed   = thresholds.RoleCompleted
	Failed      = thresholds.RoleFailed
	JobData     = thresholds.RoleJobData
	Result      = thresholds.RoleResult
	Schedule    = thresholds.RoleSchedule
	Events      = thresholds.RoleEvents
	QueueInfo   = thresholds.RoleQueueInfo
	Leftover    = thresholds.RoleLeftover
	Session     = thresholds.RoleSession
	Cache       = thresholds.RoleCache
	Index       = thresholds.RoleIndex
	Lock        = thresholds.RoleLock
	RateLimit   = thresholds.RoleRateLimit
	Registry    = thresholds.RoleRegistry
	Metrics     = thresholds.RoleMetrics
	Metadata    = thresholds.RoleMetadata
	Setting     = thresholds.RoleSetting
	Data        = thresholds.RoleData
	Queue       = thresholds.RoleQueue
	Counter     = thresholds.RoleCounter
	Leaderboard = thresholds.RoleLeaderboard
	Bitmap      = thresholds.RoleBitmap
	HyperLogLog = thresholds.RoleHyperLogLog
	GeoSet      = thresholds.RoleGeoSet
)
