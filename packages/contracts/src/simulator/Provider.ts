/**
 * A provider with books of its own. It does what it is asked at once, slowly, late or never, and answers or does not;
 * what it is asked to look up, and the messages that it writes, tell what stands in its books.
 *
 * The rule that a simulation relies on: whatever it does, it does within twice the time-out of the call; or else it says
 * of the call, until then, that it cannot be sure.
 */
import {
  type CaptureRequest,
  type ChargeRequest,
  type ChargeState,
  type CheckoutOpened,
  type CheckoutRequest,
  type Connector,
  type ConnectorDefinition,
  type Environment,
  NotSent,
  type ProviderMessage,
  type RefundRequest,
  type RefundState,
  type Rejected,
  Unanswered,
  type VoidRequest
} from "@pointsman/core"
import { Effect, Result } from "effect"
import { type Course, type LookUpCourse, type ProviderCall, timeoutMillis } from "./Course.ts"
import {
  type CallRecord,
  type ChargeRecord,
  type RefundRecord,
  refOf,
  refundStateOf,
  stateOf
} from "./ProviderBooks.ts"
import { readProviderMessage } from "./ProviderMail.ts"
import type { Time } from "./Time.ts"

export interface ProviderOptions {
  readonly time: Time
  /** Asked once for each call that arrives. */
  readonly courseOf: (call: ProviderCall) => Course
  readonly lookUpOf: (id: string) => LookUpCourse
  /** Runs as a call arrives, before anything is done: what was written before it was sent has to be there. */
  readonly onCall?: ((call: ProviderCall, environment: Environment) => Effect.Effect<void>) | undefined
  /** Whatever changes in the books is told. */
  readonly onMessage?: ((connectionId: string, message: ProviderMessage) => void) | undefined
}

export interface Provider {
  /** By attempt. */
  readonly charges: ReadonlyMap<string, ChargeRecord>
  /** By refund. */
  readonly refunds: ReadonlyMap<string, RefundRecord>
  readonly calls: ReadonlyArray<CallRecord>
  readonly definition: ConnectorDefinition
  /** A customer pays on the checkouts that are open for the payment, if there are any whose time is not over. */
  readonly pay: (paymentId: string, ends: CustomerPays) => void
  /** Pays out to the merchant what was captured. */
  readonly payOut: (attemptId: string) => void
}

/** What paying on a checkout comes to; `later` where that takes a while, in milliseconds. */
export interface CustomerPays {
  readonly becomes: "done" | "refused"
  readonly later: number | null
}

interface CheckoutRecord {
  readonly request: CheckoutRequest
  readonly connectionId: string
  readonly expiresAt: number
}

/** For how long a customer can pay on its checkout. */
const checkoutMillis = 20 * 60_000

export const simulatedProvider = (options: ProviderOptions): Provider => {
  const { courseOf, lookUpOf, onCall, time } = options
  const charges = new Map<string, ChargeRecord>()
  const chargesByRef = new Map<string, ChargeRecord>()
  const refunds = new Map<string, RefundRecord>()
  const checkouts = new Map<string, CheckoutRecord>()
  const operations = new Set<string>()
  /** Received, and not looked at yet: of these it cannot say that they never come. */
  const postponed = new Set<string>()
  const calls: Array<CallRecord> = []
  let messages = 0

  const tell = (connectionId: string, about: ProviderMessage["about"]) => {
    messages += 1
    options.onMessage?.(connectionId, { id: `pm_${messages}`, at: time.now(), about })
  }
  const tellOfCharge = (charge: ChargeRecord) => {
    const state = stateOf(charge)
    tell(charge.connectionId, { _tag: "Charge", charge: { attemptId: charge.attemptId }, state: () => state })
  }
  const tellOfRefund = (refund: RefundRecord) => {
    const state = refundStateOf(refund)
    tell(refund.charge.connectionId, { _tag: "Refund", refundId: refund.refundId, state: () => state })
  }

  const move = (charge: ChargeRecord, state: ChargeRecord["state"], capturedMinor: number) => {
    charge.state = state
    charge.capturedMinor = capturedMinor
    tellOfCharge(charge)
  }

  /** One call, as its course goes. `execute` does what is asked; `accept` takes it, and gives what finishes it. */
  const call = <Answer>(
    about: ProviderCall,
    environment: Environment,
    execute: () => Answer,
    accept: () => { readonly answer: Answer; readonly finish: (end: "done" | "refused" | "canceled") => void },
    decline: (soft: boolean) => Answer
  ): Effect.Effect<Answer | Rejected, NotSent | Unanswered> =>
    Effect.suspend((): Effect.Effect<Answer | Rejected, NotSent | Unanswered> => {
      const course = courseOf(about)
      if (course._tag === "NotSent") return Effect.fail(new NotSent({ reason: "refused" }))
      calls.push({ name: about.name, id: about.id, at: time.now() })
      const goes = goesAs(about.id, course, execute, accept, decline)
      return onCall === undefined ? goes : Effect.andThen(onCall(about, environment), goes)
    })

  const goesAs = <Answer>(
    id: string,
    course: Exclude<Course, { readonly _tag: "NotSent" }>,
    execute: () => Answer,
    accept: () => { readonly answer: Answer; readonly finish: (end: "done" | "refused" | "canceled") => void },
    decline: (soft: boolean) => Answer
  ): Effect.Effect<Answer | Rejected, Unanswered> =>
    Effect.suspend((): Effect.Effect<Answer | Rejected, Unanswered> => {
      const silence = (millis: number) =>
        Effect.delay(Effect.fail(new Unanswered({ reason: "the provider did not answer" })), millis)
      switch (course._tag) {
        case "Answered":
          return Effect.succeed(execute())
        case "Slow":
          if (course.takes <= timeoutMillis) return Effect.delay(Effect.sync(execute), course.takes)
          time.after(course.takes, execute)
          return silence(timeoutMillis)
        case "Unheard":
          if (course.doneAfter === 0) execute()
          else if (course.doneAfter !== null) time.after(course.doneAfter, execute)
          return silence(course.silentFor)
        case "Postponed":
          postponed.add(id)
          time.after(course.doneAfter, () => {
            postponed.delete(id)
            execute()
          })
          return silence(0)
        case "Rejected":
          return Effect.succeed({ _tag: "Rejected", code: "down", message: "not now" })
        case "Accepted": {
          const { answer, finish } = accept()
          time.after(course.after, () => finish(course.becomes))
          return Effect.succeed(answer)
        }
        case "Declined":
          return Effect.succeed(decline(course.soft))
      }
    })

  const book = (
    { attemptId, money, paymentId, reference }: Pick<ChargeRequest, "attemptId" | "money" | "paymentId" | "reference">,
    connectionId: string,
    state: ChargeRecord["state"]
  ): ChargeRecord => {
    const known = charges.get(attemptId)
    if (known !== undefined) return known
    const capturedMinor = state === "Captured" ? money.minorUnits : 0
    const charge: ChargeRecord = {
      ...{ attemptId, paymentId, connectionId, reference, money },
      ...{ state, capturedMinor, isPaidOut: false }
    }
    charges.set(attemptId, charge)
    chargesByRef.set(refOf(charge), charge)
    tellOfCharge(charge)
    return charge
  }

  const settle = (charge: ChargeRecord, taken: "Captured" | "Authorized", end: "done" | "refused" | "canceled") => {
    if (charge.state !== "Pending") return
    if (end === "done") move(charge, taken, taken === "Captured" ? charge.money.minorUnits : 0)
    else move(charge, end === "refused" ? "Declined" : "Canceled", 0)
  }

  const charge = (request: ChargeRequest, connectionId: string, environment: Environment) => {
    const taken = request.capture ? "Captured" : "Authorized"
    return call<ChargeState>(
      { name: "charge", id: request.attemptId, paymentId: request.paymentId },
      environment,
      () => stateOf(book(request, connectionId, taken)),
      () => {
        const accepted = book(request, connectionId, "Pending")
        return { answer: stateOf(accepted), finish: (end) => settle(accepted, taken, end) }
      },
      (soft) => ({
        ...{ _tag: "Declined" as const, providerRef: refOf(book(request, connectionId, "Declined")) },
        ...(soft
          ? { category: "do_not_honor" as const, code: "do_not_honor", soft }
          : { category: "expired_card" as const, code: "expired_card", soft })
      })
    )
  }

  const openCheckout = (request: CheckoutRequest, connectionId: string, environment: Environment) => {
    const { attemptId, paymentId } = request
    const open = (): CheckoutOpened => {
      const expiresAt = time.now() + checkoutMillis
      checkouts.set(attemptId, { request, connectionId, expiresAt })
      return {
        ...{ _tag: "CheckoutOpened", reference: `co_${attemptId}` },
        ...{ url: `https://pay.example/${attemptId}`, expiresAt }
      }
    }
    const about = { name: "openCheckout", id: attemptId, paymentId } as const
    return call(about, environment, open, () => ({ answer: open(), finish: () => {} }), open)
  }

  const operate = (
    name: "capture" | "void",
    request: VoidRequest | CaptureRequest,
    environment: Environment,
    done: (charge: ChargeRecord) => void
  ): Effect.Effect<ChargeState | Rejected, NotSent | Unanswered> => {
    const charge = chargesByRef.get(request.providerRef)
    if (charge === undefined) return Effect.succeed({ _tag: "Rejected", code: "no_charge", message: "no such charge" })
    const takes = () => {
      const isTaken = charge.state === "Authorized" && !operations.has(request.operationId)
      if (isTaken) operations.add(request.operationId)
      return isTaken
    }
    return call<ChargeState>(
      { name, id: request.operationId, paymentId: charge.paymentId },
      environment,
      () => {
        if (takes()) done(charge)
        return stateOf(charge)
      },
      () => {
        const isTaken = takes()
        if (isTaken) charge.state = name === "capture" ? "Capturing" : "Canceling"
        return {
          answer: stateOf(charge),
          // What a provider accepted, it does.
          finish: () => {
            if (isTaken) done(charge)
          }
        }
      },
      () => stateOf(charge)
    )
  }

  const refund = (
    request: RefundRequest,
    environment: Environment
  ): Effect.Effect<RefundState | Rejected, NotSent | Unanswered> => {
    const { providerRef, refundId } = request
    const charge = chargesByRef.get(providerRef)
    if (charge === undefined) return Effect.succeed({ _tag: "Rejected", code: "no_charge", message: "no such charge" })
    const enter = (state: RefundRecord["state"]): RefundRecord => {
      const known = refunds.get(refundId)
      if (known !== undefined) return known
      const entry: RefundRecord = { refundId, charge, amountMinor: request.money.minorUnits, state }
      refunds.set(refundId, entry)
      tellOfRefund(entry)
      return entry
    }
    return call<RefundState>(
      { name: "refund", id: refundId, paymentId: charge.paymentId },
      environment,
      () => refundStateOf(enter("Succeeded")),
      () => {
        const entry = enter("RefundPending")
        return {
          answer: refundStateOf(entry),
          finish: (end) => {
            if (entry.state !== "RefundPending") return
            entry.state = end === "done" ? "Succeeded" : "RefundFailed"
            tellOfRefund(entry)
          }
        }
      },
      () => refundStateOf(enter("RefundFailed"))
    )
  }

  const lookUp = <State>(id: string, state: () => State | undefined) =>
    Effect.suspend(() => {
      const course = lookUpOf(id)
      if (course === "silent") return Effect.fail(new Unanswered({ reason: "no look-up today" }))
      const told = Effect.sync(() => {
        const known = state()
        if (known !== undefined) return { _tag: "Found", state: known } as const
        return { _tag: "NotFound", conclusive: course !== "unsure" && !postponed.has(id) } as const
      })
      return typeof course === "string" ? told : Effect.delay(told, course.takes)
    })

  const connectorFor = (connectionId: string, environment: Environment): Connector => ({
    charge: (request) => charge(request, connectionId, environment),
    openCheckout: (request) => openCheckout(request, connectionId, environment),
    capture: (request) =>
      operate("capture", request, environment, (one) => move(one, "Captured", request.money.minorUnits)),
    void: (request) => operate("void", request, environment, (one) => move(one, "Canceled", 0)),
    refund: (request) => refund(request, environment),
    lookUpCharge: ({ attemptId }) =>
      lookUp(attemptId, () => {
        const found = charges.get(attemptId)
        return found === undefined ? undefined : stateOf(found)
      }),
    lookUpRefund: ({ refundId }) =>
      lookUp(refundId, () => {
        const found = refunds.get(refundId)
        return found === undefined ? undefined : refundStateOf(found)
      }),
    readMessage: readProviderMessage
  })

  return {
    charges,
    refunds,
    calls,
    definition: {
      name: "simulated",
      environments: ["sandbox", "production"],
      supports: {},
      connect: ({ connectionId, environment }) => Result.succeed(connectorFor(connectionId, environment))
    },
    pay: (paymentId, { becomes, later }) => {
      for (const { connectionId, expiresAt, request } of checkouts.values()) {
        if (request.paymentId !== paymentId || expiresAt <= time.now() || charges.has(request.attemptId)) continue
        const taken = request.capture ? "Captured" : "Authorized"
        const paid = book(request, connectionId, "Pending")
        if (later === null) settle(paid, taken, becomes)
        else time.after(later, () => settle(paid, taken, becomes))
      }
    },
    payOut: (attemptId) => {
      const charge = charges.get(attemptId)
      if (charge === undefined || charge.state !== "Captured" || charge.isPaidOut) return
      charge.isPaidOut = true
      const state = stateOf(charge)
      tell(charge.connectionId, { _tag: "Settled", charge: { attemptId }, state: () => state })
    }
  }
}
