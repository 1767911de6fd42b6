/**
 * A provider with a record of its own. It executes what it is asked at once, slowly, late or never; it answers, or it
 * does not. What it is asked to look up it tells from its record.
 *
 * The rule that a walk relies on: whatever it executes, it executes within twice the time-out of the call; or else it
 * says of the call, until then, that it cannot be sure.
 */
import {
  type CaptureRequest,
  type ChargeAnswer,
  type ChargeRequest,
  type ChargeState,
  type CheckoutOpened,
  type Connector,
  type Money,
  NotSent,
  type OperationAnswer,
  type RefundAnswer,
  type RefundRequest,
  type RefundState,
  type Rejected,
  Unanswered,
  type VoidRequest
} from "@pointsman/core"
import { Clock, Effect } from "effect"
import type { Draw } from "./Draw.ts"

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** Of every connection of a walk, in milliseconds. */
export const timeoutMillis = 30 * second

/** One charge in the provider's books. */
export interface ChargeRecord {
  readonly attemptId: string
  readonly paymentId: string
  readonly connectionId: string
  readonly money: Money
  /** `Capturing` and `Canceling`: accepted, and still to be done. */
  state: "Pending" | "Authorized" | "Capturing" | "Canceling" | "Captured" | "Canceled" | "Declined"
  capturedMinor: number
}

export interface RefundRecord {
  readonly refundId: string
  readonly providerRef: string
  readonly amountMinor: number
  state: "RefundPending" | "Succeeded" | "RefundFailed"
}

interface CheckoutRecord {
  readonly attemptId: string
  readonly paymentId: string
  readonly connectionId: string
  readonly money: Money
  readonly capture: boolean
  readonly expiresAt: number
}

/** The process that calls. What happens to a dead one's calls nobody learns. */
export interface CallingProcess {
  readonly isDead: () => boolean
  readonly die: () => void
}

export interface WalkProvider {
  readonly charges: ReadonlyMap<string, ChargeRecord>
  readonly refunds: ReadonlyMap<string, RefundRecord>
  readonly connectorFor: (connectionId: string, process: CallingProcess) => Connector
  /** A customer pays on the checkout that was opened for the payment, if there is one whose time is not over. */
  readonly pay: (paymentId: string) => Effect.Effect<void>
  /** From now on it is well: it answers every look-up. */
  readonly recover: () => void
}

const refOf = (attemptId: string) => `ch_${attemptId}`

/** How a call goes, but for what it is about. */
const courses = [
  "answered",
  "answered",
  "answered",
  "answered",
  "answered",
  "answered",
  "answered",
  "answered",
  "slow",
  "slow",
  "dropped",
  "dropped",
  "lost",
  "late",
  "late",
  "postponed",
  "rejected",
  "notSent",
  "accepted",
  "accepted",
  "dies",
  "declined",
  "soft"
] as const
type Course = (typeof courses)[number]

export const walkProvider = (draw: Draw): WalkProvider => {
  const charges = new Map<string, ChargeRecord>()
  const refunds = new Map<string, RefundRecord>()
  const checkouts = new Map<string, CheckoutRecord>()
  const operations = new Set<string>()
  /** Received, and not looked at yet: charges and refunds of which it cannot say that they never come. */
  const postponed = new Set<string>()
  let isWell = false

  const stateOf = (charge: ChargeRecord): ChargeState => {
    const providerRef = refOf(charge.attemptId)
    const stated = (minorUnits: number): Money => ({ minorUnits, currency: charge.money.currency })
    switch (charge.state) {
      case "Pending":
      case "Capturing":
      case "Canceling":
        return { _tag: "Pending", providerRef }
      case "Authorized":
        return { _tag: "Authorized", providerRef, stated: charge.money }
      case "Captured":
        return { _tag: "Captured", providerRef, stated: stated(charge.capturedMinor) }
      case "Canceled":
        return { _tag: "Canceled", providerRef }
      case "Declined":
        return { _tag: "Declined", providerRef, category: "do_not_honor", code: "do_not_honor", soft: false }
    }
  }

  const later = (millis: number, act: () => void) =>
    Effect.forkDetach(Effect.andThen(Effect.sleep(millis), Effect.sync(act)), { startImmediately: true })

  /** Something that it took and does in its own time. */
  const eventually = (act: () => void) => later(draw.pick([2 * minute, 50 * minute, 5 * hour, 30 * hour]), act)

  /**
   * One call, as `course` has it go. `execute` does what is asked and gives the answer; `accept` takes it for later.
   * What the provider said to a process that died meanwhile nobody hears. `id`: what it can postpone, and say so.
   */
  const call = <Answer>(
    process: CallingProcess,
    course: Course,
    execute: () => Answer,
    accept: () => Effect.Effect<Answer>,
    id?: string
  ): Effect.Effect<Answer | Rejected, NotSent | Unanswered> => {
    const silence = Effect.fail(new Unanswered({ reason: `the call went ${course}` }))
    const went = Effect.gen(function* () {
      if (process.isDead()) return yield* Effect.never
      switch (course) {
        case "slow": {
          const takes = draw.pick([second, 20 * second, timeoutMillis - 1, timeoutMillis + second, 50 * second])
          if (takes > timeoutMillis) {
            yield* later(takes, execute)
            return yield* Effect.delay(silence, timeoutMillis)
          }
          yield* Effect.sleep(takes)
          return execute()
        }
        case "dropped":
          execute()
          return yield* silence
        case "lost":
          return yield* Effect.delay(silence, draw.pick([0, timeoutMillis]))
        case "late":
          yield* later(1 + draw.below(2 * timeoutMillis - 1), execute)
          return yield* Effect.delay(silence, draw.pick([0, timeoutMillis]))
        case "postponed":
          if (id !== undefined) {
            postponed.add(id)
            yield* eventually(() => {
              postponed.delete(id)
              execute()
            })
          }
          return yield* silence
        case "rejected":
          return { _tag: "Rejected", code: "down", message: "not now" } satisfies Rejected
        case "notSent":
          return yield* new NotSent({ reason: "refused" })
        case "accepted":
          return yield* accept()
        case "dies":
          if (draw.chance(0.5)) execute()
          process.die()
          return yield* Effect.never
        default:
          return execute()
      }
    })
    return Effect.flatMap(Effect.result(went), (end) => (process.isDead() ? Effect.never : Effect.fromResult(end)))
  }

  const book = (
    { money, paymentId }: Pick<ChargeRequest, "money" | "paymentId">,
    attemptId: string,
    connectionId: string,
    state: ChargeRecord["state"]
  ): ChargeRecord => {
    const capturedMinor = state === "Captured" ? money.minorUnits : 0
    const charge = charges.get(attemptId) ?? { attemptId, paymentId, connectionId, money, state, capturedMinor }
    charges.set(attemptId, charge)
    return charge
  }

  const settle = (charge: ChargeRecord, state: ChargeRecord["state"]) => {
    if (charge.state !== "Pending") return
    charge.state = state
    if (state === "Captured") charge.capturedMinor = charge.money.minorUnits
  }

  const charge = (request: ChargeRequest, connectionId: string, process: CallingProcess) => {
    const taken = request.capture ? "Captured" : "Authorized"
    const course = draw.pick(courses)
    if (course === "declined" || course === "soft") {
      book(request, request.attemptId, connectionId, "Declined")
      const soft = course === "soft"
      return Effect.succeed<ChargeAnswer>({
        _tag: "Declined",
        providerRef: null,
        category: soft ? "do_not_honor" : "expired_card",
        code: course,
        soft
      })
    }
    return call<ChargeState>(
      process,
      course,
      () => stateOf(book(request, request.attemptId, connectionId, taken)),
      () =>
        Effect.suspend(() => {
          const accepted = book(request, request.attemptId, connectionId, "Pending")
          const becomes = draw.pick<ChargeRecord["state"]>([taken, taken, "Declined", "Canceled"])
          return Effect.as(
            eventually(() => settle(accepted, becomes)),
            stateOf(accepted)
          )
        }),
      request.attemptId
    )
  }

  const openCheckout = (
    request: Omit<ChargeRequest, "instrument" | "simulation">,
    connectionId: string,
    process: CallingProcess
  ) =>
    Effect.gen(function* () {
      const expiresAt = (yield* Clock.currentTimeMillis) + 20 * minute
      const { attemptId } = request
      const open = (): CheckoutOpened => {
        checkouts.set(attemptId, { ...request, connectionId, expiresAt })
        return {
          _tag: "CheckoutOpened",
          reference: `co_${attemptId}`,
          url: `https://pay.example/${attemptId}`,
          expiresAt
        }
      }
      return yield* call(process, draw.pick(courses), open, () => Effect.sync(open))
    })

  const chargeOf = (providerRef: string) => [...charges.values()].find((one) => refOf(one.attemptId) === providerRef)

  const operate = (
    request: VoidRequest | CaptureRequest,
    process: CallingProcess,
    done: (charge: ChargeRecord) => void,
    underWay: "Capturing" | "Canceling"
  ): Effect.Effect<OperationAnswer, NotSent | Unanswered> => {
    const charge = chargeOf(request.providerRef)
    if (charge === undefined) return Effect.succeed({ _tag: "Rejected", code: "no_charge", message: "no such charge" })
    const once = (act: () => void) => {
      if (charge.state === "Authorized" && !operations.has(request.operationId)) {
        operations.add(request.operationId)
        act()
      }
      return stateOf(charge)
    }
    return call<ChargeState>(
      process,
      draw.pick(courses),
      () => once(() => done(charge)),
      () =>
        Effect.suspend(() => {
          let isTaken = false
          const state = once(() => {
            charge.state = underWay
            isTaken = true
          })
          return Effect.as(isTaken ? eventually(() => done(charge)) : Effect.void, isTaken ? stateOf(charge) : state)
        })
    )
  }

  const refundStateOf = ({ amountMinor, providerRef, refundId, state }: RefundRecord): RefundState => {
    const providerRefundId = `re_${refundId}`
    if (state === "RefundFailed") return { _tag: state, providerRefundId, reason: "closed account" }
    const currency = chargeOf(providerRef)?.money.currency ?? "EUR"
    return { _tag: state, providerRefundId, stated: { minorUnits: amountMinor, currency } }
  }

  const refund = (
    request: RefundRequest,
    process: CallingProcess
  ): Effect.Effect<RefundAnswer, NotSent | Unanswered> => {
    const enter = (state: RefundRecord["state"]): RefundRecord => {
      const { providerRef, refundId } = request
      const entry = refunds.get(refundId) ?? { refundId, providerRef, amountMinor: request.money.minorUnits, state }
      refunds.set(refundId, entry)
      return entry
    }
    const course = draw.pick(courses)
    if (course === "declined") return Effect.succeed(refundStateOf(enter("RefundFailed")))
    return call<RefundState>(
      process,
      course,
      () => refundStateOf(enter("Succeeded")),
      () =>
        Effect.suspend(() => {
          const entry = enter("RefundPending")
          const becomes = draw.pick(["Succeeded", "RefundFailed"] as const)
          const settled = eventually(() => {
            entry.state = becomes
          })
          return Effect.as(settled, refundStateOf(entry))
        }),
      request.refundId
    )
  }

  /** A look-up, which a provider that is not well may leave unanswered, or answer without being sure. */
  const lookUp = <State>(id: string, state: () => State | undefined) =>
    Effect.gen(function* () {
      if (!isWell && draw.chance(0.2)) return yield* new Unanswered({ reason: "no look-up today" })
      if (!isWell && draw.chance(0.1)) yield* Effect.sleep(draw.pick([second, 20 * second]))
      const known = state()
      if (known !== undefined) return { _tag: "Found", state: known } as const
      return { _tag: "NotFound", conclusive: !postponed.has(id) && (isWell || draw.chance(0.8)) } as const
    })

  return {
    charges,
    refunds,
    recover: () => {
      isWell = true
    },
    pay: Effect.fnUntraced(function* (paymentId) {
      const now = yield* Clock.currentTimeMillis
      for (const checkout of checkouts.values()) {
        if (checkout.paymentId !== paymentId || checkout.expiresAt <= now || charges.has(checkout.attemptId)) continue
        const taken = checkout.capture ? "Captured" : "Authorized"
        const paid = book(
          checkout,
          checkout.attemptId,
          checkout.connectionId,
          draw.pick<ChargeRecord["state"]>([taken, taken, "Pending", "Declined"])
        )
        yield* eventually(() => settle(paid, draw.pick<ChargeRecord["state"]>([taken, "Declined"])))
      }
    }),
    connectorFor: (connectionId, process) => ({
      charge: (request) => charge(request, connectionId, process),
      openCheckout: (request) => openCheckout(request, connectionId, process),
      capture: (request) =>
        operate(
          request,
          process,
          (one) => {
            one.state = "Captured"
            one.capturedMinor = request.money.minorUnits
          },
          "Capturing"
        ),
      void: (request) =>
        operate(
          request,
          process,
          (one) => {
            one.state = "Canceled"
          },
          "Canceling"
        ),
      refund: (request) => refund(request, process),
      lookUpCharge: ({ attemptId }) =>
        lookUp(attemptId, () => {
          const found = charges.get(attemptId)
          return found === undefined ? undefined : stateOf(found)
        }),
      lookUpRefund: ({ refundId }) =>
        lookUp(refundId, () => {
          const found = refunds.get(refundId)
          return found === undefined ? undefined : refundStateOf(found)
        })
    })
  }
}
