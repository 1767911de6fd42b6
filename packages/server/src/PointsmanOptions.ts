import type { CheckIntervals, PointsmanOptions } from "@pointsman/core"
import type { Settings } from "./Settings.ts"

/** The same for everybody who writes to one database: a time that one process writes, another acts on. */
export const pointsmanOptions = (settings: Settings): PointsmanOptions => ({
  claimWindowMillis: settings.claimWindowMillis,
  providerTimeoutMillis: settings.providerTimeoutMillis,
  checkIntervals: checkIntervals(settings),
  webhookScheduleMillis: settings.webhookScheduleMillis,
  lookUpsPerConnection: settings.lookUpsPerConnection,
  messagesPerConnection: settings.messagesPerConnection,
  deliveriesPerEndpoint: settings.deliveriesPerEndpoint,
  proofLookUpsPerDay: settings.proofLookUpsPerDay ?? 0,
  afterRestore: settings.afterRestore,
  cardNumbers: settings.cardNumbers
})

export const checkIntervals = (settings: Settings): CheckIntervals => ({
  unknownMillis: settings.unknownCheckIntervalMillis,
  pendingMillis: settings.pendingCheckIntervalMillis,
  refundMillis: settings.refundCheckIntervalMillis,
  deadRequestMillis: settings.deadRequestIntervalMillis
})
