import { Context } from "effect"
import { defaultSendWithinMillis } from "../model/Attempt.ts"
import { type CheckIntervals, defaultCheckIntervals } from "../model/CheckIntervals.ts"
import { defaultClaimWindowMillis } from "../model/Claim.ts"
import { defaultWebhookScheduleMillis } from "../model/Delivery.ts"

export interface PaymentSettings {
  /** For how long a claim without an answer counts as being worked on, in milliseconds. */
  readonly claimWindowMillis: number
  /**
   * A request goes out only this soon after the commit of its claim, in milliseconds. A process that froze in
   * between (a debugger, a paused machine) must not send on a claim that others have given up by now.
   */
  readonly sendWithinMillis: number
  readonly checkIntervals: CheckIntervals
  /** What happens at connections that are not recovered after a loss of records: nothing is sent, unless it is `serve`. */
  readonly afterRestore: AfterRestore
}

export type AfterRestore = "refuse" | "serve"

export const PaymentSettings = Context.Reference<PaymentSettings>("pointsman/payment/PaymentSettings", {
  defaultValue: () => ({
    claimWindowMillis: defaultClaimWindowMillis,
    sendWithinMillis: defaultSendWithinMillis,
    checkIntervals: defaultCheckIntervals,
    afterRestore: "refuse"
  })
})

/** How many closed payments the background compares with their providers' records, and which. */
export interface ProofSettings {
  /** Lookups of one connection in a day, of all processes together; 0 for none. */
  readonly lookUpsPerDay: number
  /** Payments that were created longer ago are not looked up, in milliseconds. */
  readonly createdWithinMillis: number
  /** Payments that were written since are not looked up, in milliseconds: a message about them may be on its way. */
  readonly restsForMillis: number
}

export const ProofSettings = Context.Reference<ProofSettings>("pointsman/ports/ProofSettings", {
  defaultValue: () => ({ lookUpsPerDay: 0, createdWithinMillis: 30 * 24 * 60 * 60_000, restsForMillis: 60 * 60_000 })
})

/** How much of one process a connection takes at once, so that the trouble of its provider is not that of others. */
export interface ConnectionShares {
  /** Payments that are checked at once, most of the time waiting for a lookup. */
  readonly lookUps: number
  /** Verified messages that are recorded at once. */
  readonly messages: number
  /** Lookups at once that unsigned hints are the reason for. */
  readonly hints: number
}

export const ConnectionShares = Context.Reference<ConnectionShares>("pointsman/ports/ConnectionShares", {
  // As many as keep a provider busy that answers, and few beside the places of a process and the store's connections.
  defaultValue: () => ({ lookUps: 16, messages: 16, hints: 4 })
})

export interface DeliverySettings {
  /** In milliseconds: before the first attempt, and between one and the next. */
  readonly scheduleMillis: ReadonlyArray<number>
  /** For the whole of an attempt, in milliseconds. */
  readonly timeoutMillis: number
  /** After this, in milliseconds, an attempt of which nothing was recorded is taken for lost. */
  readonly leaseMillis: number
  /** Attempts at once of one process that are not slow yet. Each is one connection, which waits most of the time. */
  readonly atOnce: number
  /** Including slow ones, which do not delay others: many endpoints may hang at the same time. */
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

export interface CardNumberPolicy {
  /** Of digits alone, which may be an order number: whether they are refused as well. */
  readonly bare: BareCardNumbers
  /** Whether the warning about them is due: one an hour. */
  readonly warns: (nowMillis: number) => boolean
}

/** What happens to a card number that is written as digits alone. */
export type BareCardNumbers = "warn" | "refuse"

const warningMillis = 60 * 60_000

export const cardNumberPolicy = (bare: BareCardNumbers): CardNumberPolicy => {
  let warnedAt = Number.NEGATIVE_INFINITY
  return {
    bare,
    warns: (nowMillis) => {
      if (nowMillis - warnedAt < warningMillis) return false
      warnedAt = nowMillis
      return true
    }
  }
}

export const CardNumbers = Context.Reference<CardNumberPolicy>("pointsman/ports/CardNumbers", {
  defaultValue: () => cardNumberPolicy("warn")
})
