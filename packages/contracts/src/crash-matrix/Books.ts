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
  type DisputeRequest,
  type Found,
  NotSent,
  type RefundRequest,
  type RefundState,
  type Rejected,
  type SubmissionState,
  Unanswered
} from "@pointsman/core/ports"
import { Clock, Effect } from "effect"
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

export interface SubmissionEntry {
  readonly operationId: string
  state: "Pending" | "Done" | "Failed"
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

/** What becomes of one request. */
interface Asked<State> {
  readonly execute: (handling: RequestHandling) => void
  readonly accept: () => void
  /** At once, or what was accepted. */
  readonly refuse: () => void
  /** What it is about was so when it came. */
  readonly opposite?: () => void
  /** As it is answered. */
  readonly state: () => State
  /** A refusal that says something else. */
  readonly says?: Partial<Record<RequestHandling, State>>
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

const rejected: Rejected = { _tag: "Rejected", code: "unavailable", message: "Not now." }

/** Regardless of the process that asked. */
const later = (millis: number, act: () => void) =>
  Effect.forkDetach(Effect.delay(Effect.sync(act), millis), { startImmediately: true })

const stateOf = ({ attemptId, capturedMinor, money, state }: ChargeEntry): ChargeState => {
  const providerRef = refOf(attemptId)
  switch (state) {
    case "Accepted":
      return { _tag: "Pending", providerRef }
    case "Authorized":
      return { _tag: "Authorized", providerRef, stated: money }
    case "Captured":
      return { _tag: "Captured", providerRef, stated: { ...money, minorUnits: capturedMinor } }
    case "Canceled":
      return { _tag: "Canceled", providerRef }
    case "Declined":
      return { _tag: "Declined", providerRef, category: "expired_card", code: "expired_card", soft: false }
  }
}

const submissionStateOf = ({ state }: SubmissionEntry): SubmissionState =>
  state === "Failed"
    ? { _tag: "SubmissionFailed", reason: "it is not taken" }
    : { _tag: state === "Done" ? "SubmissionDone" : "SubmissionPending" }

const refused = (code: "do_not_honor" | "other", soft: boolean): ChargeState => ({
  _tag: "Declined",
  providerRef: null,
  category: code,
  code: code === "other" ? "not_possible" : code,
  soft
})

/** By how much a request is executed for another amount. */
const more = (handling: RequestHandling, moreMinor: number, lessMinor: number): number =>
  handling === "statesMore" ? moreMinor : handling === "statesLess" ? -lessMinor : 0

export const openBooks = (): Books => {
  const charges: Array<ChargeEntry> = []
  const refunds: Array<RefundEntry> = []
  const submissions: Array<SubmissionEntry> = []
  const requests: Array<SentRequest> = []
  const checkouts = new Map<string, CheckoutEntry>()
  let script: Script = ["executed"]
  let gone: Array<RequestHandling> = []

  /** One request and its answer, as the script handles it. */
  const exchange = <State>(cut: Cut, id: string, asked: Asked<State>) =>
    Effect.gen(function* () {
      const handling = handlingOf(script, gone.length)
      gone.push(handling)
      if (handling === "notSent") return yield* new NotSent({ reason: "the connection was refused" })
      const request: SentRequest = { id, leftAt: yield* Clock.currentTimeMillis, isExecuted: false }
      requests.push(request)
      if (cut("on its way")) yield* Effect.sleep(transitMillis)
      const answer = yield* handle(handling, request, asked)
      cut("done, and not answered")
      if (answer !== undefined) return answer
      yield* Effect.sleep(timeoutMillis)
      return yield* new Unanswered({ reason: "no answer came in time" })
    })

  const charge = (
    { attemptId, capture, money, paymentId }: Pick<ChargeRequest, "attemptId" | "capture" | "money" | "paymentId">,
    connectionId: string,
    cut: Cut,
    id = attemptId
  ) => {
    const entry: ChargeEntry = {
      ...{ attemptId, paymentId, connectionId, money },
      ...{ state: "Accepted", heldMinor: 0, capturedMinor: 0 }
    }
    const enter = (state: ChargeEntry["state"], heldMinor = 0) => {
      if (!charges.includes(entry)) charges.push(entry)
      Object.assign(entry, { state, heldMinor, capturedMinor: state === "Captured" ? heldMinor : 0 })
    }
    return exchange<ChargeState>(cut, id, {
      execute: (handling) => enter(capture ? "Captured" : "Authorized", money.minorUnits + more(handling, 1_000, 499)),
      accept: () => enter("Accepted"),
      refuse: () => enter("Declined"),
      opposite: () => enter("Canceled"),
      state: () => stateOf(entry),
      says: { softDeclined: refused("do_not_honor", true) }
    })
  }

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

  /** A capture, for the amount; or a void. */
  const operate = (
    { operationId, providerRef }: Pick<CaptureRequest, "operationId" | "providerRef">,
    capturedMinor: number | null,
    cut: Cut
  ) =>
    Effect.suspend(() => {
      const entry = chargeOf(providerRef)
      if (entry === undefined) return Effect.succeed(rejected)
      const become = (state: ChargeEntry["state"], taken = entry.capturedMinor) =>
        void Object.assign(entry, { state, capturedMinor: taken })
      return exchange<ChargeState>(cut, operationId, {
        execute: (handling) =>
          capturedMinor === null
            ? become("Canceled", 0)
            : become("Captured", capturedMinor + more(handling, entry.money.minorUnits - capturedMinor, 499)),
        accept: () => become("Accepted"),
        refuse: () => become("Authorized"),
        opposite: () => (capturedMinor === null ? become("Captured", entry.money.minorUnits) : become("Canceled")),
        state: () => stateOf(entry),
        says: { declined: refused("other", false) }
      })
    })

  const refundStateOf = ({ amountMinor, providerRef, refundId, state }: RefundEntry): RefundState => {
    const providerRefundId = `re_${refundId}`
    if (state === "RefundFailed") return { _tag: state, providerRefundId, reason: "the account is closed" }
    const currency = chargeOf(providerRef)?.money.currency ?? "EUR"
    return { _tag: state, providerRefundId, stated: { minorUnits: amountMinor, currency } }
  }

  const refund = ({ money: { minorUnits }, providerRef, refundId }: RefundRequest, cut: Cut) => {
    const entry: RefundEntry = { refundId, providerRef, amountMinor: minorUnits, state: "RefundPending" }
    const enter = (state: RefundEntry["state"], amountMinor = minorUnits) => {
      if (!refunds.includes(entry)) refunds.push(entry)
      Object.assign(entry, { state, amountMinor })
    }
    return exchange<RefundState>(cut, refundId, {
      execute: (handling) => enter("Succeeded", minorUnits + more(handling, 100, 100)),
      accept: () => enter("RefundPending"),
      refuse: () => enter("RefundFailed"),
      state: () => refundStateOf(entry)
    })
  }

  const answerDispute = ({ operationId }: DisputeRequest, cut: Cut) => {
    const entry: SubmissionEntry = { operationId, state: "Pending" }
    const enter = (state: SubmissionEntry["state"]) => {
      if (!submissions.includes(entry)) submissions.push(entry)
      entry.state = state
    }
    return exchange<SubmissionState>(cut, operationId, {
      execute: () => enter("Done"),
      accept: () => enter("Pending"),
      refuse: () => enter("Failed"),
      state: () => submissionStateOf(entry)
    })
  }

  const found = <Entry, State>(entry: Entry | undefined, view: (entry: Entry) => State): Found<State> =>
    entry === undefined ? { _tag: "NotFound", conclusive: canSay(script) } : { _tag: "Found", state: view(entry) }

  return {
    submissions,
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
      charge: (request) => charge(request, connectionId, cut),
      openCheckout,
      completeCheckout: (request) => completeCheckout(request, connectionId, cut),
      capture: (request) => operate(request, request.money.minorUnits, cut),
      void: (request) => operate(request, null, cut),
      refund: (request) => refund(request, cut),
      submitDispute: (request) => answerDispute(request, cut),
      acceptDispute: (request) => answerDispute(request, cut),
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
          return found(entry, stateOf)
        }),
      lookUpRefund: ({ refundId }) =>
        Effect.sync(() =>
          found(
            refunds.findLast((one) => one.refundId === refundId),
            refundStateOf
          )
        ),
      lookUpDispute: ({ operationId }) =>
        Effect.sync(() =>
          found(
            submissions.findLast((one) => one.operationId === operationId),
            submissionStateOf
          )
        )
    })
  }
}

/** What the provider does with a request, and says; `undefined` says nothing. */
const handle = Effect.fnUntraced(function* <State>(
  handling: RequestHandling,
  request: SentRequest,
  { accept, execute, opposite, refuse, says, state }: Asked<State>
) {
  const done = () => {
    request.isExecuted = true
    execute(handling)
  }
  switch (handling) {
    case "executed":
    case "statesMore":
    case "statesLess":
      done()
      return state()
    case "opposite":
      opposite?.()
      return state()
    case "declined":
    case "softDeclined":
      refuse()
      return says?.[handling] ?? state()
    case "accepted":
    case "acceptedAndRefused":
      accept()
      yield* later(acceptedMillis, handling === "accepted" ? done : refuse)
      return state()
    case "executedInSilence":
      done()
      return undefined
    case "late":
      yield* later(lateMillis, done)
      return undefined
    case "rejected":
      return rejected
    default:
      return undefined
  }
})
