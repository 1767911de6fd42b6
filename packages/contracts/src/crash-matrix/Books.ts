/**
 * A provider that handles requests as a script says, and keeps its own books. It takes no notice of our ids: what it is
 * asked twice it does twice, so that nothing of it hides a request that was sent again.
 */
import type { Money } from "@pointsman/core"
import {
  type CaptureRequest,
  type ChargeAnswer,
  type ChargeRequest,
  type ChargeState,
  type CheckoutOpened,
  type CheckoutRequest,
  type CompletionRequest,
  type Connector,
  NotSent,
  type RefundState,
  type Rejected,
  Unanswered
} from "@pointsman/core/ports"
import { Clock, Effect } from "effect"

import { disputeBooks, type SubmissionEntry } from "./DisputeBooks.ts"
import { type Cut, canSay, handlingOf, type RequestHandling, type Script, type SentRequest } from "./Requests.ts"

const second = 1_000
/** Of every connection, in milliseconds. */
const timeoutMillis = 30 * second
/** A request that was under way when its process died is with the provider after that. */
const transitMillis = second
/** Done after the time-out, and within twice the time-out: what a provider must keep to. */
const lateMillis = 50 * second
/** What was accepted is done after that. */
const acceptedMillis = 10 * 60 * second

export interface ChargeEntry {
  readonly attemptId: string
  readonly paymentId: string
  readonly connectionId: string
  /** As it was asked for. */
  readonly money: Money
  /** `Accepted`: taken, and still to be done. */
  state: "Accepted" | "Authorized" | "Captured" | "Canceled" | "Declined"
  /** What was held of it, also where it was released or taken since. */
  heldMinor: number
  capturedMinor: number
}

export interface RefundEntry {
  readonly refundId: string
  readonly providerRef: string
  amountMinor: number
  state: "RefundPending" | "Succeeded" | "RefundFailed"
}

export interface Books {
  readonly charges: ReadonlyArray<ChargeEntry>
  readonly refunds: ReadonlyArray<RefundEntry>
  readonly submissions: ReadonlyArray<SubmissionEntry>
  readonly requests: ReadonlyArray<SentRequest>
  /** From now on the n-th request is handled by the n-th of them, and those after the last one by the last. */
  readonly follow: (script: Script) => void
  /** Those that were used since. Nothing that happened depends on those after them, but for `cannotSay`. */
  readonly gone: () => ReadonlyArray<RequestHandling>
  /** The customer of a payment approves the checkout that was opened for it: nothing is taken before that is asked for. */
  readonly approve: (paymentId: string) => void
  readonly connectorFor: (connectionId: string, cut: Cut) => Connector
}

const refOf = (attemptId: string) => `ch_${attemptId}`

/** A page that takes nothing by itself. */
interface CheckoutEntry {
  readonly request: CheckoutRequest
  isApproved: boolean
  /** How often the record said that it is approved and that nothing was taken. */
  saidApproved: number
}

/** For how long a customer can approve it. */
const checkoutMillis = 6 * 60 * 60 * second

export const openBooks = (): Books => {
  const charges: Array<ChargeEntry> = []
  const refunds: Array<RefundEntry> = []
  const requests: Array<SentRequest> = []
  const checkouts = new Map<string, CheckoutEntry>()
  let script: Script = ["executed"]
  let gone: Array<RequestHandling> = []

  /** Regardless of the process that asked. */
  const later = (millis: number, act: () => void) =>
    Effect.forkDetach(Effect.delay(Effect.sync(act), millis), { startImmediately: true })

  /** One request and its answer. `arrive` is what the provider does with it and says; `undefined` says nothing. */
  const exchange = <Answer>(
    cut: Cut,
    id: string,
    arrive: (handling: RequestHandling, request: SentRequest) => Effect.Effect<Answer | undefined>
  ): Effect.Effect<Answer, NotSent | Unanswered> =>
    Effect.gen(function* () {
      const handling = handlingOf(script, gone.length)
      gone.push(handling)
      if (handling === "notSent") return yield* new NotSent({ reason: "the connection was refused" })
      const request: SentRequest = { id, leftAt: yield* Clock.currentTimeMillis, isExecuted: false }
      requests.push(request)
      if (cut("on its way")) yield* Effect.sleep(transitMillis)
      const answer = yield* arrive(handling, request)
      cut("done, and not answered")
      if (answer !== undefined) return answer
      yield* Effect.sleep(timeoutMillis)
      return yield* new Unanswered({ reason: "no answer came in time" })
    })

  const stateOf = (charge: ChargeEntry): ChargeState => {
    const providerRef = refOf(charge.attemptId)
    switch (charge.state) {
      case "Accepted":
        return { _tag: "Pending", providerRef }
      case "Authorized":
        return { _tag: "Authorized", providerRef, stated: charge.money }
      case "Captured":
        return { _tag: "Captured", providerRef, stated: { ...charge.money, minorUnits: charge.capturedMinor } }
      case "Canceled":
        return { _tag: "Canceled", providerRef }
      case "Declined":
        return { _tag: "Declined", providerRef, category: "expired_card", code: "expired_card", soft: false }
    }
  }

  const rejected: Rejected = { _tag: "Rejected", code: "unavailable", message: "Not now." }

  const charge = (
    request: Pick<ChargeRequest, "attemptId" | "capture" | "money" | "paymentId">,
    connectionId: string,
    cut: Cut,
    id = request.attemptId
  ) =>
    exchange<ChargeState | Rejected>(cut, id, (handling, sent) =>
      Effect.gen(function* () {
        const { attemptId, money, paymentId } = request
        const taken = request.capture ? "Captured" : "Authorized"
        const enter = (state: ChargeEntry["state"], amountMinor = money.minorUnits): ChargeEntry => {
          const heldMinor = state === "Captured" || state === "Authorized" ? amountMinor : 0
          const capturedMinor = state === "Captured" ? amountMinor : 0
          const entry: ChargeEntry = { attemptId, paymentId, connectionId, money, state, heldMinor, capturedMinor }
          charges.push(entry)
          sent.isExecuted ||= heldMinor > 0
          return entry
        }
        switch (handling) {
          case "executed":
            return stateOf(enter(taken))
          case "statesMore":
            return stateOf(enter(taken, money.minorUnits + 1_000))
          case "statesLess":
            return stateOf(enter(taken, money.minorUnits - 499))
          case "opposite":
            return stateOf(enter("Canceled"))
          case "declined":
            return stateOf(enter("Declined"))
          case "softDeclined":
            enter("Declined")
            return { _tag: "Declined", providerRef: null, category: "do_not_honor", code: "do_not_honor", soft: true }
          case "accepted":
          case "acceptedAndRefused": {
            const entry = enter("Accepted")
            yield* later(acceptedMillis, () => {
              entry.state = handling === "accepted" ? taken : "Declined"
              sent.isExecuted = handling === "accepted"
              entry.heldMinor = handling === "accepted" ? money.minorUnits : 0
              entry.capturedMinor = entry.state === "Captured" ? money.minorUnits : 0
            })
            return stateOf(entry)
          }
          case "executedInSilence":
            enter(taken)
            return undefined
          case "late":
            yield* later(lateMillis, () => enter(taken))
            return undefined
          case "rejected":
            return rejected
          default:
            return undefined
        }
      })
    )

  const openCheckout = (request: CheckoutRequest): Effect.Effect<CheckoutOpened> =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const { attemptId } = request
      checkouts.set(attemptId, { request, isApproved: false, saidApproved: 0 })
      const url = `https://pay.example/${attemptId}`
      return { _tag: "CheckoutOpened", reference: `co_${attemptId}`, url, expiresAt: now + checkoutMillis }
    })

  /** The same id is another request only where the record said in between that nothing was taken. */
  const completeCheckout = ({ attemptId }: CompletionRequest, connectionId: string, cut: Cut) =>
    Effect.suspend((): Effect.Effect<ChargeAnswer, NotSent | Unanswered> => {
      const checkout = checkouts.get(attemptId)
      if (checkout?.isApproved !== true) return Effect.succeed(rejected)
      return charge(checkout.request, connectionId, cut, `${attemptId}, approval ${checkout.saidApproved}`)
    })

  const chargeOf = (providerRef: string) => charges.find(({ attemptId }) => refOf(attemptId) === providerRef)

  /** A capture or a void. `done`: what it does to the charge, for the amount that it comes to. */
  const operate = (
    request: Pick<CaptureRequest, "operationId" | "providerRef">,
    cut: Cut,
    done: (charge: ChargeEntry, handling: RequestHandling) => void
  ) =>
    exchange<ChargeState | Rejected>(cut, request.operationId, (handling, sent) =>
      Effect.gen(function* () {
        const entry = chargeOf(request.providerRef)
        if (entry === undefined) return rejected
        const execute = () => {
          sent.isExecuted = true
          done(entry, handling)
          return stateOf(entry)
        }
        switch (handling) {
          case "executed":
          case "statesMore":
          case "statesLess":
            return execute()
          case "opposite":
            // Not because of this request: it was so when it came.
            done(entry, handling)
            return stateOf(entry)
          case "declined":
            return { _tag: "Declined", providerRef: null, category: "other", code: "not_possible", soft: false }
          case "accepted":
          case "acceptedAndRefused":
            entry.state = "Accepted"
            yield* later(acceptedMillis, () => {
              if (handling === "accepted") execute()
              else entry.state = "Authorized"
            })
            return stateOf(entry)
          case "executedInSilence":
            execute()
            return undefined
          case "late":
            yield* later(lateMillis, execute)
            return undefined
          case "rejected":
            return rejected
          default:
            return undefined
        }
      })
    )

  const refundStateOf = ({ amountMinor, providerRef, refundId, state }: RefundEntry): RefundState => {
    const providerRefundId = `re_${refundId}`
    if (state === "RefundFailed") return { _tag: state, providerRefundId, reason: "the account is closed" }
    const currency = chargeOf(providerRef)?.money.currency ?? "EUR"
    return { _tag: state, providerRefundId, stated: { minorUnits: amountMinor, currency } }
  }

  const disputes = disputeBooks({
    ...{ exchange, rejected, canSay: () => canSay(script) },
    afterAccepting: (act) => later(acceptedMillis, act),
    afterTimeout: (act) => later(lateMillis, act)
  })

  return {
    submissions: disputes.submissions,
    charges,
    refunds,
    requests,
    follow: (handlings) => {
      script = handlings
      gone = []
    },
    gone: () => gone,
    approve: (paymentId) => {
      for (const checkout of checkouts.values()) checkout.isApproved ||= checkout.request.paymentId === paymentId
    },
    connectorFor: (connectionId, cut) => ({
      ...disputes.methods(cut),
      charge: (request) => charge(request, connectionId, cut),
      openCheckout,
      completeCheckout: (request) => completeCheckout(request, connectionId, cut),
      capture: (request) =>
        operate(request, cut, (entry, handling) => {
          const { minorUnits } = request.money
          entry.state = handling === "opposite" ? "Canceled" : "Captured"
          if (handling === "opposite") return
          entry.capturedMinor =
            handling === "statesMore"
              ? entry.money.minorUnits
              : handling === "statesLess"
                ? minorUnits - 499
                : minorUnits
        }),
      void: (request) =>
        operate(request, cut, (entry, handling) => {
          entry.state = handling === "opposite" ? "Captured" : "Canceled"
          entry.capturedMinor = handling === "opposite" ? entry.money.minorUnits : 0
        }),
      refund: (request) =>
        exchange<RefundState | Rejected>(cut, request.refundId, (handling, sent) =>
          Effect.gen(function* () {
            const { money, providerRef, refundId } = request
            const enter = (state: RefundEntry["state"], amountMinor = money.minorUnits): RefundEntry => {
              const entry: RefundEntry = { refundId, providerRef, amountMinor, state }
              refunds.push(entry)
              sent.isExecuted ||= state === "Succeeded"
              return entry
            }
            switch (handling) {
              case "executed":
                return refundStateOf(enter("Succeeded"))
              case "statesMore":
                return refundStateOf(enter("Succeeded", money.minorUnits + 100))
              case "statesLess":
                return refundStateOf(enter("Succeeded", money.minorUnits - 100))
              case "declined":
                return refundStateOf(enter("RefundFailed"))
              case "accepted":
              case "acceptedAndRefused": {
                const entry = enter("RefundPending")
                yield* later(acceptedMillis, () => {
                  entry.state = handling === "accepted" ? "Succeeded" : "RefundFailed"
                  sent.isExecuted = handling === "accepted"
                })
                return refundStateOf(entry)
              }
              case "executedInSilence":
                enter("Succeeded")
                return undefined
              case "late":
                yield* later(lateMillis, () => enter("Succeeded"))
                return undefined
              case "rejected":
                return rejected
              default:
                return undefined
            }
          })
        ),
      lookUpCharge: ({ attemptId }) =>
        Effect.gen(function* () {
          const entry = charges.findLast((one) => one.attemptId === attemptId)
          // It knows its own charge, but not the outcome of an operation on it.
          if (!canSay(script) && entry !== undefined) return yield* new Unanswered({ reason: "no lookup today" })
          const checkout = checkouts.get(attemptId)
          const wasAsked = gone.some((handling) => handling !== "notSent")
          if (entry === undefined && checkout?.isApproved === true && (canSay(script) || !wasAsked)) {
            checkout.saidApproved += 1
            return { _tag: "Found", state: { _tag: "Approved", providerRef: refOf(attemptId) } }
          }
          return entry === undefined
            ? { _tag: "NotFound", conclusive: canSay(script) }
            : { _tag: "Found", state: stateOf(entry) }
        }),
      lookUpRefund: ({ refundId }) =>
        Effect.gen(function* () {
          const entry = refunds.findLast((one) => one.refundId === refundId)
          return entry === undefined
            ? { _tag: "NotFound", conclusive: canSay(script) }
            : { _tag: "Found", state: refundStateOf(entry) }
        })
    })
  }
}
