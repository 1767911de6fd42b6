/** The simulator's provider, which handles each request for money as a script says. */

import type { Money } from "@pointsman/core"
import {
  type CheckoutRequest,
  type Connector,
  type ConnectorDefinition,
  NotSent,
  type Rejected,
  type Unanswered
} from "@pointsman/core/ports"
import { Clock, Effect, Exit, Result } from "effect"
import { answered, type CallHandling, timeoutMillis } from "../simulator/CallHandling.ts"
import type { Provider } from "../simulator/Provider.ts"
import { stateOf } from "../simulator/ProviderBooks.ts"
import { hour, minute, second } from "../simulator/Time.ts"

/** A request that was under way when its process died is with the provider after that. */
const transitMillis = second
/** What was accepted is done after that. */
const after = 10 * minute
/** For how long a customer can approve a checkout. */
const checkoutMillis = 6 * hour

/** What a provider does with one request, and what it says; and whether money moves, or is held or released, by it. */
const handlings = {
  executed: [answered, true],
  declined: [{ _tag: "Declined", soft: false }, false],
  softDeclined: [{ _tag: "Declined", soft: true }, false],
  rejected: [{ _tag: "Rejected" }, false],
  notSent: [{ _tag: "NotSent" }, false],
  accepted: [{ _tag: "Accepted", after, becomes: "done" }, true],
  acceptedAndRefused: [{ _tag: "Accepted", after, becomes: "refused" }, false],
  executedInSilence: [{ _tag: "Unheard", doneAfter: 0, silentFor: 0 }, true],
  lost: [{ _tag: "Unheard", doneAfter: null, silentFor: 0 }, false],
  /** After the time-out, and within twice the time-out: what a provider must keep to. */
  late: [{ _tag: "Unheard", doneAfter: 50 * second, silentFor: 0 }, true],
  statesMore: [answered, true],
  statesLess: [answered, true],
  /** What it is about was so when it came. */
  opposite: [answered, false],
  cannotSay: [{ _tag: "Unheard", doneAfter: null, silentFor: 0 }, false]
} as const satisfies Record<string, readonly [CallHandling, boolean]>
export type RequestHandling = keyof typeof handlings

/** The n-th request is handled by the n-th of them, and those after the last one by the last. */
export type Script = readonly [RequestHandling, ...ReadonlyArray<RequestHandling>]

/** How the script handles a request, counted from 0. */
export const handlingOf = (script: Script, request: number): RequestHandling =>
  script[Math.min(request, script.length - 1)] ?? script[0]

/** Whether its lookups can tell what it did not do. */
export const canSay = (script: Script): boolean => !script.includes("cannotSay")

/** A request that left our machine. */
export interface SentRequest {
  /** Of the attempt, the operation or the refund. */
  readonly id: string
  /** Epoch milliseconds. */
  readonly leftAt: number
  readonly isExecuted: boolean
}

/**
 * Called between a request and its answer, beyond the process that asked. Where the process ends at this point it is
 * `true`, and the provider continues without it.
 */
export type Cut = (point: "on its way" | "done, and not answered") => boolean

const rejected: Rejected = { _tag: "Rejected", code: "unavailable", message: "Not now." }
const notPossible = {
  _tag: "Declined",
  providerRef: null,
  category: "other",
  code: "not_possible",
  soft: false
} as const

/** The request for another amount, if the script has it executed so. */
const stating = <Request extends { readonly money: Money }>(
  request: Request,
  handling: RequestHandling,
  moreMinor: number,
  lessMinor: number
): Request => {
  const change = handling === "statesMore" ? moreMinor : handling === "statesLess" ? -lessMinor : 0
  return { ...request, money: { ...request.money, minorUnits: request.money.minorUnits + change } }
}

/** `provider`: that of the world. */
export const scriptProvider = (provider: () => Provider) => {
  const requests: Array<SentRequest> = []
  /** Pages that take nothing by themselves. `said`: how often the record said that it is approved, and nothing taken. */
  const checkouts = new Map<string, { readonly request: CheckoutRequest; isApproved: boolean; said: number }>()
  let script: Script = ["executed"]
  let gone: Array<RequestHandling> = []
  let next: CallHandling = answered

  /** One request and its answer, as the script handles it. */
  const exchange = <A>(
    cut: Cut,
    id: string,
    call: (handling: RequestHandling) => Effect.Effect<A, NotSent | Unanswered>
  ): Effect.Effect<A, NotSent | Unanswered> =>
    Effect.gen(function* () {
      const handling = handlingOf(script, gone.length)
      gone.push(handling)
      if (handling === "notSent") return yield* new NotSent({ reason: "the connection was refused" })
      const [handled, isExecuted] = handlings[handling]
      requests.push({ id, leftAt: yield* Clock.currentTimeMillis, isExecuted })
      if (cut("on its way")) yield* Effect.sleep(transitMillis)
      next = handled
      const exit = yield* Effect.exit(call(handling))
      cut("done, and not answered")
      return yield* Exit.isFailure(exit) ? Effect.delay(exit, timeoutMillis) : exit
    })

  const chargeOf = (attemptId: string) => provider().charges.get(attemptId)

  /** What was canceled is captured, and what was captured is canceled. */
  const oppositeOf = (attemptId: string) => {
    const charge = chargeOf(attemptId)
    if (charge === undefined) return rejected
    const isTaken = charge.state !== "Captured"
    Object.assign(charge, {
      state: isTaken ? "Captured" : "Canceled",
      capturedMinor: isTaken ? charge.money.minorUnits : 0
    })
    return stateOf(charge)
  }

  const connectorOf = (own: ReturnType<Provider["connectorFor"]>, cut: Cut): Connector => {
    const charge = (request: Parameters<typeof own.charge>[0], id = request.attemptId) =>
      exchange(cut, id, (handling) =>
        Effect.map(own.charge(stating(request, handling, 1_000, 499)), (answer) =>
          handling === "opposite" ? oppositeOf(request.attemptId) : answer
        )
      )
    const operate = (
      { attemptId, operationId }: Parameters<typeof own.void>[0],
      call: (handling: RequestHandling) => ReturnType<typeof own.void>
    ) =>
      exchange(cut, operationId, (handling) =>
        Effect.map(call(handling), (answer) =>
          handling === "opposite" ? oppositeOf(attemptId) : handling === "declined" ? notPossible : answer
        )
      )
    return {
      charge: (request) => charge(request),
      openCheckout: (request) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const { attemptId } = request
          checkouts.set(attemptId, { request, isApproved: false, said: 0 })
          const url = `https://pay.example/${attemptId}`
          return { _tag: "CheckoutOpened", reference: `co_${attemptId}`, url, expiresAt: now + checkoutMillis }
        }),
      /** The same id is another request only where the record said in between that nothing was taken. */
      completeCheckout: ({ attemptId }) =>
        Effect.suspend(() => {
          const checkout = checkouts.get(attemptId)
          if (checkout?.isApproved !== true) return Effect.succeed(rejected)
          const request = { ...checkout.request, instrument: null, simulation: null }
          return charge(request, `${attemptId}, approval ${checkout.said}`)
        }),
      capture: (request) => {
        const rest = (chargeOf(request.attemptId)?.money.minorUnits ?? 0) - request.money.minorUnits
        return operate(request, (handling) => own.capture(stating(request, handling, rest, 499)))
      },
      void: (request) => operate(request, () => own.void(request)),
      refund: (request) =>
        exchange(cut, request.refundId, (handling) => own.refund(stating(request, handling, 100, 100))),
      submitDispute: (request) => exchange(cut, request.operationId, () => own.submitDispute(request)),
      acceptDispute: (request) => exchange(cut, request.operationId, () => own.acceptDispute(request)),
      lookUpCharge: (request) =>
        Effect.suspend((): ReturnType<Connector["lookUpCharge"]> => {
          const { attemptId } = request
          const checkout = checkouts.get(attemptId)
          const mayBeTaken = !canSay(script) && gone.some((handling) => handling !== "notSent")
          if (chargeOf(attemptId) !== undefined || checkout?.isApproved !== true || mayBeTaken) {
            return own.lookUpCharge(request)
          }
          checkout.said += 1
          return Effect.succeed({ _tag: "Found", state: { _tag: "Approved", providerRef: `ch_${attemptId}` } })
        }),
      lookUpRefund: own.lookUpRefund,
      lookUpDispute: own.lookUpDispute
    }
  }

  return {
    requests,
    /** From now on it handles requests so. */
    follow: (handlings: Script) => {
      script = handlings
      gone = []
    },
    /** Those that were used since. Nothing that happened depends on those after them, but for `cannotSay`. */
    gone: () => gone,
    /** The customer of a payment approves the checkout that was opened for it: nothing is taken before that is asked for. */
    approve: (paymentId: string) => {
      for (const checkout of checkouts.values()) checkout.isApproved ||= checkout.request.paymentId === paymentId
    },
    /** Opens a dispute of the only charge, with a deadline in so many milliseconds. */
    dispute: (disputeId: string, dueIn: number) => {
      for (const charge of provider().charges.values()) {
        provider().act({ _tag: "Disputes", charge, disputeId, verdict: "opened", dueIn })
      }
    },
    handlingOf: () => next,
    /** It knows its own charge, but not the outcome of an operation on it. */
    lookUpOf: (id: string) => (canSay(script) ? "told" : chargeOf(id) === undefined ? "unsure" : "silent"),
    /** Each process connects for itself, and its requests are its own, also when it is dead. */
    reached: (definition: ConnectorDefinition, cut: Cut): ConnectorDefinition => ({
      ...definition,
      connect: ({ connectionId, environment }) =>
        Result.succeed(connectorOf(provider().connectorFor(connectionId, environment), cut))
    })
  } as const
}

export type ScriptedProvider = ReturnType<typeof scriptProvider>
