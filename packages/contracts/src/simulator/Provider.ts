/**
 * A provider with books of its own. It does what it is asked at once, slowly, late or never, and answers or does not;
 * what it is asked to look up, and the messages that it writes, tell what stands in its books. What it does unasked is in
 * `ProviderActs.ts`.
 *
 * The rule that a simulation relies on: whatever it does with a call, it does within twice the time-out of the call; or
 * else it says of the call, until then, that it cannot be sure.
 */
import type { Environment } from "@pointsman/core"
import {
  type CaptureRequest,
  type ChargeRequest,
  type ChargeState,
  type CheckoutOpened,
  type CheckoutRequest,
  type Connector,
  type ConnectorDefinition,
  type NotSent,
  type RefundRequest,
  type RefundState,
  type Rejected,
  Unanswered,
  type VoidRequest
} from "@pointsman/core/ports"
import { Effect, Result } from "effect"
import type { CallHandling, LaterOn, LookUpHandling, ProviderCall } from "./CallHandling.ts"
import { type CallActions, handleCall } from "./HandleCall.ts"
import { type ProviderAct, performAct } from "./ProviderActs.ts"
import {
  type CallRecord,
  type ChargeRecord,
  type OperationRecord,
  type RefundRecord,
  refundedOf,
  refundStateOf,
  stateOf,
  withoutAmount
} from "./ProviderBooks.ts"
import { type Letter, readProviderMessage, readStoredMessage } from "./ProviderMail.ts"
import { type ProviderWays, plainWays, providerMessages } from "./ProviderMessages.ts"
import type { Time } from "./Time.ts"

export interface ProviderOptions {
  readonly time: Time
  /** How the provider handles a call; asked once for each call that arrives. */
  readonly handlingOf: (call: ProviderCall) => CallHandling
  readonly lookUpOf: (id: string) => LookUpHandling
  /** Runs as a call arrives, before anything is done: what was written before it was sent has to be there. */
  readonly onCall?: ((call: ProviderCall, environment: Environment) => Effect.Effect<void>) | undefined
  /** Whatever changes in the books is told. */
  readonly onLetter?: ((letter: Letter) => void) | undefined
  readonly ways?: ProviderWays | undefined
  /** What is captured of what was asked for, in minor units; all of it unless set. */
  readonly captures?: ((call: ProviderCall, askedMinor: number) => number) | undefined
  /** The reference of a new charge, by those that its connection has; one of its own unless set. */
  readonly referenceOf?: ((attemptId: string, others: ReadonlyArray<string>) => string) | undefined
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
  /** Does something that nobody asked for. */
  readonly act: (act: ProviderAct) => void
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

const ownReference = (attemptId: string): string => `ch_${attemptId}`

export const simulatedProvider = (options: ProviderOptions): Provider => {
  const { captures = (_, askedMinor) => askedMinor, handlingOf, lookUpOf, onCall, onLetter, time } = options
  const { referenceOf = ownReference, ways = plainWays } = options
  const messages = providerMessages({ time, ways, onLetter })
  const charges = new Map<string, ChargeRecord>()
  /** The first of each reference: what is asked of it, is asked of that one. */
  const chargesByRef = new Map<string, ChargeRecord>()
  const refunds = new Map<string, RefundRecord>()
  const checkouts = new Map<string, CheckoutRecord>()
  const operations = new Set<string>()
  const postponed = new Set<string>()
  const calls: Array<CallRecord> = []

  /** One call, as `handlingOf` says. */
  const call = <Answer>(
    about: ProviderCall,
    environment: Environment,
    actions: CallActions<Answer>
  ): Effect.Effect<Answer | Rejected, NotSent | Unanswered> =>
    Effect.suspend((): Effect.Effect<Answer | Rejected, NotSent | Unanswered> => {
      const handling = handlingOf(about)
      const goes = Effect.suspend(() => handleCall({ id: about.id, handling, postponed, time }, actions))
      if (handling._tag === "NotSent") return goes
      calls.push({ name: about.name, id: about.id, at: time.now() })
      return onCall === undefined ? goes : Effect.andThen(onCall(about, environment), goes)
    })

  /** As it is answered to a call or a look-up. */
  const answerOf = (charge: ChargeRecord): ChargeState =>
    ways.answersWithoutAmounts ? withoutAmount(stateOf(charge)) : stateOf(charge)

  /** Takes the money of a charge, and notes what was not asked for. Gives whether only a message tells of it. */
  const take = (charge: ChargeRecord, about: ProviderCall, askedMinor: number): boolean => {
    charge.state = "Captured"
    charge.capturedMinor = captures(about, askedMinor)
    const isHidden = ways.answersWithoutAmounts && charge.capturedMinor !== askedMinor
    if (charge.capturedMinor > askedMinor || isHidden) {
      charge.contradictions.push(`captured ${charge.capturedMinor} of ${askedMinor}`)
    }
    return isHidden
  }

  const book = (request: ChargeRequest | CheckoutRequest, connectionId: string, state: BookedAs): ChargeRecord => {
    const { attemptId, money, paymentId, reference } = request
    const known = charges.get(attemptId)
    if (known !== undefined) return known
    const others = [...charges.values()].filter(
      (one) => one.connectionId === connectionId && one.paymentId !== paymentId && one.state !== "Declined"
    )
    const charge: ChargeRecord = {
      ...{ attemptId, paymentId, connectionId, reference, money },
      providerRef: referenceOf(
        attemptId,
        others.map(({ providerRef }) => providerRef)
      ),
      ...{ state, capturedMinor: 0, isPaidOut: false, operation: null },
      ...{ disputes: new Map(), contradictions: [], lastWord: null, isReferenceShared: false }
    }
    charges.set(attemptId, charge)
    const first = chargesByRef.get(charge.providerRef)
    if (first === undefined) chargesByRef.set(charge.providerRef, charge)
    else for (const one of [first, charge]) shareReference(one)
    const isHidden = state === "Captured" && take(charge, chargeCall(request), money.minorUnits)
    messages.ofCharge(charge, isHidden)
    return charge
  }

  const settle = (request: ChargeRequest | CheckoutRequest, charge: ChargeRecord, end: LaterOn) => {
    if (charge.state !== "Pending") return
    if (end !== "done") charge.state = end === "refused" ? "Declined" : "Canceled"
    else if (!request.capture) charge.state = "Authorized"
    messages.ofCharge(charge, charge.state === "Pending" && take(charge, chargeCall(request), charge.money.minorUnits))
  }

  const charge = (request: ChargeRequest, connectionId: string, environment: Environment) =>
    call<ChargeState>(chargeCall(request), environment, {
      execute: () => answerOf(book(request, connectionId, request.capture ? "Captured" : "Authorized")),
      accept: () => {
        const accepted = book(request, connectionId, "Pending")
        return { answer: answerOf(accepted), finish: (end) => settle(request, accepted, end) }
      },
      decline: (soft) => ({
        ...{ _tag: "Declined", providerRef: book(request, connectionId, "Declined").providerRef, soft },
        ...(soft
          ? { category: "do_not_honor", code: "do_not_honor" }
          : { category: "expired_card", code: "expired_card" })
      })
    })

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
    return call(about, environment, {
      execute: open,
      accept: () => ({ answer: open(), finish: () => {} }),
      decline: open
    })
  }

  const operate = (
    kind: OperationRecord["kind"],
    request: VoidRequest | CaptureRequest,
    environment: Environment,
    askedMinor: number
  ): Effect.Effect<ChargeState | Rejected, NotSent | Unanswered> => {
    const charge = chargesByRef.get(request.providerRef)
    if (charge === undefined) return Effect.succeed({ _tag: "Rejected", code: "no_charge", message: "no such charge" })
    const { operationId } = request
    const about = { name: kind, id: operationId, paymentId: charge.paymentId }
    /** `undefined` where the charge cannot be operated on, or was by this call. */
    const takes = (): OperationRecord | undefined => {
      if (charge.state !== "Authorized" || operations.has(operationId)) return undefined
      operations.add(operationId)
      charge.operation = { operationId, kind, state: "Accepted" }
      return charge.operation
    }
    const finish = (operation: OperationRecord | undefined, end: LaterOn) => {
      if (operation === undefined) return
      operation.state = end === "refused" ? "Failed" : "Done"
      if (end === "refused") {
        charge.state = "Authorized"
        return messages.ofFailure(charge, operation, true)
      }
      if (kind === "void") charge.state = "Canceled"
      messages.ofDone(charge, operation, kind === "capture" && take(charge, about, askedMinor))
    }
    return call<ChargeState>(about, environment, {
      execute: () => {
        finish(takes(), "done")
        return answerOf(charge)
      },
      accept: () => {
        const operation = takes()
        if (operation !== undefined) charge.state = kind === "capture" ? "Capturing" : "Canceling"
        return { answer: answerOf(charge), finish: (end) => finish(operation, end) }
      },
      decline: () => answerOf(charge)
    })
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
      const amountMinor = request.money.minorUnits
      const given = refundedOf([...refunds.values()].filter((one) => one.charge === charge))
      const isCovered = charge.state === "Captured" && given + amountMinor <= charge.capturedMinor
      const entry: RefundRecord = { refundId, charge, amountMinor, state: isCovered ? state : "RefundFailed" }
      refunds.set(refundId, entry)
      messages.ofRefund(entry)
      return entry
    }
    return call<RefundState>({ name: "refund", id: refundId, paymentId: charge.paymentId }, environment, {
      execute: () => refundStateOf(enter("Succeeded")),
      accept: () => {
        const entry = enter("RefundPending")
        return {
          answer: refundStateOf(entry),
          finish: (end) => {
            if (entry.state !== "RefundPending") return
            entry.state = end === "done" ? "Succeeded" : "RefundFailed"
            messages.ofRefund(entry)
          }
        }
      },
      decline: () => refundStateOf(enter("RefundFailed"))
    })
  }

  const lookUp = <State>(id: string, state: () => State | undefined) =>
    Effect.suspend(() => {
      const handling = lookUpOf(id)
      if (handling === "silent") return Effect.fail(new Unanswered({ reason: "no look-up today" }))
      const told = Effect.sync(() => {
        const known = state()
        if (known !== undefined) return { _tag: "Found", state: known } as const
        return { _tag: "NotFound", conclusive: handling !== "unsure" && !postponed.has(id) } as const
      })
      return typeof handling === "string" ? told : Effect.delay(told, handling.takes)
    })

  const connectorFor = (connectionId: string, environment: Environment): Connector => ({
    charge: (request) => charge(request, connectionId, environment),
    openCheckout: (request) => openCheckout(request, connectionId, environment),
    capture: (request) => operate("capture", request, environment, request.money.minorUnits),
    void: (request) => operate("void", request, environment, 0),
    refund: (request) => refund(request, environment),
    lookUpCharge: ({ attemptId }) =>
      lookUp(attemptId, () => {
        const found = charges.get(attemptId)
        return found === undefined ? undefined : answerOf(found)
      }),
    lookUpRefund: ({ refundId }) =>
      lookUp(refundId, () => {
        const found = refunds.get(refundId)
        return found === undefined ? undefined : refundStateOf(found)
      }),
    readMessage: readProviderMessage,
    readStored: readStoredMessage
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
        const paid = book(request, connectionId, "Pending")
        if (later === null) settle(request, paid, becomes)
        else time.after(later, () => settle(request, paid, becomes))
      }
    },
    act: (act) => performAct(act, messages, time)
  }
}

const shareReference = (charge: ChargeRecord): void => {
  charge.isReferenceShared = true
  charge.contradictions.push(`its reference ${charge.providerRef} is that of another payment too`)
}

type BookedAs = "Pending" | "Authorized" | "Captured" | "Declined"

const chargeCall = ({ attemptId, paymentId }: ChargeRequest | CheckoutRequest): ProviderCall => ({
  ...{ name: "charge", id: attemptId, paymentId }
})
