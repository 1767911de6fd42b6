/** A delivery and its attempts, and what the end of an attempt makes of it. */
import { Result } from "effect"
import { step } from "../machine/Machine.ts"
import { type DeliveryEvent, DeliveryMachine, type DeliveryState } from "./DeliveryMachine.ts"
import type { Tenant } from "./Tenant.ts"

export interface Delivery {
  /** `dlv_` and a UUIDv7; the same at every attempt, and after it was asked for again. */
  readonly id: string
  readonly tenant: Tenant
  readonly endpointId: string
  readonly eventId: string
  readonly state: DeliveryState
  /** How many attempts of the schedule have failed; 0 again when it is sent again by hand. */
  readonly failures: number
  /** How many attempts were ever begun; the number of the last one. */
  readonly attempts: number
  /** Epoch milliseconds: when it is sent next; while it is being sent, when it is taken for lost. `null` at its end. */
  readonly dueAt: number | null
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** Why an attempt brought no answer. The last two sent nothing, and so did `AddressRefused` and `NoConnection`. */
export const sendFailures = [
  "TimedOut",
  "NoConnection",
  "AddressRefused",
  "NoAnswer",
  "EndpointWithdrawn",
  "SecretUnreadable"
] as const
export type SendFailure = (typeof sendFailures)[number]

/** How an attempt ended: the status of the answer, or why there was none. */
export type DeliveryEnd =
  | { readonly _tag: "Answered"; readonly status: number }
  | { readonly _tag: "Failed"; readonly failure: SendFailure }

/** One time that a delivery was sent, or was about to be. */
export interface DeliveryAttempt {
  readonly deliveryId: string
  /** Counts from 1, over all that were ever begun. */
  readonly number: number
  /** Epoch milliseconds. */
  readonly sentAt: number
  /** Epoch milliseconds; `null` where it is unknown: it is in flight, or the process that sent it is gone. */
  readonly endedAt: number | null
  readonly end: DeliveryEnd | null
}

/** In milliseconds: before the first attempt, and between one and the next. */
export const defaultWebhookScheduleMillis: ReadonlyArray<number> = [
  0, 5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 36_000_000
]

/** Spreads what failed together, so that a receiver that comes back is not met by all of it at once. */
const jitter = 0.1

/** `drawn` is from 0 to 1, and makes of a delay what is up to a tenth shorter or longer, in whole milliseconds. */
export const spread = (delayMillis: number, drawn: number): number =>
  Math.round(delayMillis * (1 + (2 * drawn - 1) * jitter))

/** The fact that an end is: redirects are not followed and count as failures, like whatever is no 2xx and no 4xx. */
const factOf = (end: DeliveryEnd, isLast: boolean): DeliveryEvent => {
  if (end._tag === "Failed" && end.failure === "EndpointWithdrawn") return "EndpointWithdrawn"
  if (end._tag === "Answered" && end.status >= 200 && end.status < 300) return "ReceiverAccepted"
  if (end._tag === "Answered" && end.status >= 400 && end.status < 500) return "ReceiverRefused"
  return isLast ? "LastAttemptFailed" : "AttemptFailed"
}

/** The delivery after an attempt that ended `now`. `drawn`: see `spread`. */
export const afterAttempt = (
  delivery: Delivery,
  end: DeliveryEnd,
  now: number,
  scheduleMillis: ReadonlyArray<number>,
  drawn: number
): Delivery => {
  const failures = delivery.failures + 1
  const delay = scheduleMillis[failures]
  const fact = factOf(end, delay === undefined)
  const row = step(DeliveryMachine, delivery.state, fact)
  if (Result.isFailure(row)) return delivery
  const { to: state } = row.success
  return {
    ...delivery,
    state,
    // Where the endpoint was not active nothing was sent: the schedule continues when the endpoint returns.
    failures: fact === "AttemptFailed" || fact === "LastAttemptFailed" ? failures : delivery.failures,
    dueAt: state === "Due" && delay !== undefined ? now + spread(delay, drawn) : null
  }
}

/** Due again at once; `undefined` where its last attempt did not find the endpoint inactive. */
export const resumed = (delivery: Delivery, lastEnd: DeliveryEnd | null, now: number): Delivery | undefined => {
  if (lastEnd?._tag !== "Failed" || lastEnd.failure !== "EndpointWithdrawn") return undefined
  const row = step(DeliveryMachine, delivery.state, "EndpointReturned")
  return Result.isFailure(row) ? undefined : { ...delivery, state: row.success.to, dueAt: now }
}

/** Due again at once; `undefined` where the table does not let it be asked for. */
export const redelivered = (delivery: Delivery, now: number): Delivery | undefined => {
  const row = step(DeliveryMachine, delivery.state, "RedeliveryAsked")
  return Result.isFailure(row) ? undefined : { ...delivery, state: row.success.to, failures: 0, dueAt: now }
}
