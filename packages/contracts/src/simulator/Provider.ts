/**
 * A provider with books of its own. It does what it is asked at once, slowly, late or never, and answers or does not;
 * what it is asked to look up, and the messages that it writes, tell what stands in its books. What it does unasked is in
 * `ProviderActs.ts`.
 *
 * The rule that a simulation relies on: whatever it does with a call, it does within twice the time-out of the call; or
 * else it says of the call, until then, that it cannot be sure.
 */
import type { Environment } from "@pointsman/core"
import type { CheckoutOpened, CheckoutRequest, Connector, ConnectorDefinition } from "@pointsman/core/ports"
import { type Effect, Result } from "effect"
import type { CallHandling, LookUpHandling, ProviderCall } from "./CallHandling.ts"
import { type ProviderAct, performAct } from "./ProviderActs.ts"
import { notingBalance, type ProviderBalance, providerBalance } from "./ProviderBalance.ts"
import type { CallRecord, ChargeRecord, RefundRecord } from "./ProviderBooks.ts"
import { type ProviderCalls, providerCalls } from "./ProviderCalls.ts"
import { type ProviderCharges, providerCharges } from "./ProviderCharges.ts"
import { type ProviderDisputes, providerDisputes } from "./ProviderDisputes.ts"
import { providerLists } from "./ProviderLists.ts"
import { type Letter, readProviderMessage, readStoredMessage } from "./ProviderMail.ts"
import { type ProviderWays, plainWays, providerMessages } from "./ProviderMessages.ts"
import { providerOperations } from "./ProviderOperations.ts"
import { providerRefunds } from "./ProviderRefunds.ts"
import type { Time } from "./Time.ts"

export interface ProviderOptions {
  readonly time: Time
  /** How the provider handles a call; asked once for each call that arrives. */
  readonly handlingOf: (call: ProviderCall) => CallHandling
  readonly lookUpOf: (id: string) => LookUpHandling
  /** Runs as a call arrives, before anything is done: what was written before it was sent has to be there. */
  readonly onCall?: ((call: ProviderCall, environment: Environment) => Effect.Effect<void>) | undefined
  /** The provider reports every change in its books. */
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
  /** Those that have an id, by it. */
  readonly disputes: ProviderDisputes["disputes"]
  readonly calls: ReadonlyArray<CallRecord>
  /** The merchant's balance, by connection. */
  readonly balance: ProviderBalance
  readonly definition: ConnectorDefinition
  /** A customer pays on the checkouts that are open for the payment, if there are any whose time is not over. */
  readonly pay: (paymentId: string, ends: CustomerPays) => void
  /** Does something without a request. */
  readonly act: (act: ProviderAct) => void
}

/** What paying on a checkout comes to; `later` where that takes a while, in milliseconds. */
export interface CustomerPays {
  readonly becomes: "done" | "refused"
  readonly later: number | null
}

const ownReference = (attemptId: string): string => `ch_${attemptId}`

export const simulatedProvider = (options: ProviderOptions): Provider => {
  const { captures = (_, askedMinor) => askedMinor, handlingOf, lookUpOf, onCall, onLetter, time } = options
  const { referenceOf = ownReference, ways = plainWays } = options
  const balance = providerBalance(time)
  const messages = notingBalance(providerMessages({ time, ways, onLetter }), balance)
  const calls = providerCalls({ time, handlingOf, lookUpOf, onCall })
  const charges = providerCharges({ calls, messages, ways, captures, referenceOf })
  const checkouts = providerCheckouts(calls, charges, time)
  const operate = providerOperations(calls, charges, messages, ways)
  const refunds = providerRefunds(calls, charges, messages)
  const disputes = providerDisputes(calls, messages)
  const lists = providerLists(calls, charges.charges, refunds.refunds, disputes.disputes)

  const connectorFor = (connectionId: string, environment: Environment): Connector => ({
    charge: (request) => charges.charge(request, connectionId, environment),
    openCheckout: (request) => checkouts.open(request, connectionId, environment),
    capture: (request) => operate("capture", request, environment, request.money.minorUnits),
    void: (request) => operate("void", request, environment, 0),
    refund: (request) => refunds.refund(request, environment),
    lookUpCharge: ({ attemptId }) =>
      charges.lookUpCharge(attemptId, (charge) => (ways.listsRefunds ? refunds.listedOf(charge) : undefined)),
    lookUpRefund: ({ providerRefundId, refundId }) => refunds.lookUpRefund(refundId, providerRefundId),
    ...disputes.methods(environment),
    ...lists.of(connectionId),
    readMessage: readProviderMessage,
    readStored: readStoredMessage
  })

  return {
    charges: charges.charges,
    refunds: refunds.refunds,
    disputes: disputes.disputes,
    calls: calls.calls,
    balance,
    definition: {
      name: "simulated",
      environments: ["sandbox", "production"],
      supports: {},
      connect: ({ connectionId, environment }) => Result.succeed(connectorFor(connectionId, environment))
    },
    pay: checkouts.pay,
    act: (act) => performAct(act, { messages, disputes, time, refunds, balance })
  }
}

interface CheckoutRecord {
  readonly request: CheckoutRequest
  readonly connectionId: string
  readonly expiresAt: number
}

/** For how long a customer can pay on its checkout. */
const checkoutMillis = 20 * 60_000

const providerCheckouts = ({ call }: ProviderCalls, { book, charges, settle }: ProviderCharges, time: Time) => {
  const checkouts = new Map<string, CheckoutRecord>()

  const open = (request: CheckoutRequest, connectionId: string, environment: Environment) => {
    const { attemptId, paymentId } = request
    const opened = (): CheckoutOpened => {
      // The same key again opens the same checkout.
      const { expiresAt } = checkouts.get(attemptId) ?? { expiresAt: time.now() + checkoutMillis }
      if (!checkouts.has(attemptId)) checkouts.set(attemptId, { request, connectionId, expiresAt })
      return {
        ...{ _tag: "CheckoutOpened", reference: `co_${attemptId}` },
        ...{ url: `https://pay.example/${attemptId}`, expiresAt }
      }
    }
    const about = { name: "openCheckout", id: attemptId, paymentId } as const
    return call(about, environment, {
      execute: opened,
      accept: () => ({ answer: opened(), finish: () => {} }),
      decline: opened
    })
  }

  const pay: Provider["pay"] = (paymentId, { becomes, later }) => {
    for (const { connectionId, expiresAt, request } of checkouts.values()) {
      if (request.paymentId !== paymentId || expiresAt <= time.now() || charges.has(request.attemptId)) continue
      const paid = book(request, connectionId, "Pending")
      if (later === null) settle(request, paid, becomes)
      else time.after(later, () => settle(request, paid, becomes))
    }
  }

  return { open, pay }
}
