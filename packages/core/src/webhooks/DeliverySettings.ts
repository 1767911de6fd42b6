import { Context } from "effect"
import { defaultWebhookScheduleMillis } from "./Delivery.ts"

export interface DeliverySettings {
  /** In milliseconds: before the first attempt, and between one and the next. */
  readonly scheduleMillis: ReadonlyArray<number>
  /** For the whole of an attempt, in milliseconds (decisions, section 9). */
  readonly timeoutMillis: number
  /** After this, in milliseconds, an attempt of which nothing was recorded is taken for lost. */
  readonly leaseMillis: number
  /** Attempts at once of one process. Each is one connection, which waits most of the time. */
  readonly atOnce: number
  /** Attempts at once to one endpoint, of all processes: one that hangs takes no more than these of the others. */
  readonly atOncePerEndpoint: number
}

export const DeliverySettings = Context.Reference<DeliverySettings>("pointsman/webhooks/DeliverySettings", {
  defaultValue: () => ({
    scheduleMillis: defaultWebhookScheduleMillis,
    timeoutMillis: 15_000,
    // Long enough for a store that has to be asked several times to record the end of an attempt.
    leaseMillis: 60_000,
    atOnce: 128,
    atOncePerEndpoint: 4
  })
})
