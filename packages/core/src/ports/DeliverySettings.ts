import { Context } from "effect"
import { defaultWebhookScheduleMillis } from "../model/Delivery.ts"

export interface DeliverySettings {
  /** In milliseconds: before the first attempt, and between one and the next. */
  readonly scheduleMillis: ReadonlyArray<number>
  /** For the whole of an attempt, in milliseconds. */
  readonly timeoutMillis: number
  /** After this, in milliseconds, an attempt of which nothing was recorded is taken for lost. */
  readonly leaseMillis: number
  /** Attempts at once of one process that are not slow yet. Each is one connection, which waits most of the time. */
  readonly atOnce: number
  /** With the slow ones, which hold nobody else up: many endpoints may hang at the same time. */
  readonly atOnceWithSlow: number
  /** In milliseconds: an attempt that is not answered by then is slow. */
  readonly slowAfterMillis: number
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
    atOnceWithSlow: 1_024,
    slowAfterMillis: 1_000,
    atOncePerEndpoint: 4
  })
})
