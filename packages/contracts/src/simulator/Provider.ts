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
import { Result } from "effect"
import { type ProviderOptions, plainWays } from "./CallHandling.ts"
import { type ProviderAct, performAct } from "./ProviderActs.ts"
import { providerBalance } from "./ProviderBalance.ts"
import { type ProviderCalls, providerCalls } from "./ProviderCalls.ts"
import { type ProviderCharges, providerCharges } from "./ProviderCharges.ts"
import { disputeMethods, providerDisputes } from "./ProviderDisputes.ts"
import { providerLists } from "./ProviderLists.ts"
import { readProviderMessage, readStoredMessage } from "./ProviderMail.ts"
import { providerMessages } from "./ProviderMessages.ts"
import { providerOperations } from "./ProviderOperations.ts"
import { providerRefunds } from "./ProviderRefunds.ts"
import { minute, type Time } from "./Time.ts"

export type Provider = ReturnType<typeof simulatedProvider>

/** What paying on a checkout comes to; `later` where that takes a while, in milliseconds. */
export interface CustomerPays {
  readonly becomes: "done" | "refused"
  readonly later: number | null
}

export const simulatedProvider = (options: ProviderOptions) => {
  const { time, ways = plainWays } = options
  const settings = {
    captures: (_: unknown, askedMinor: number) => askedMinor,
    referenceOf: (attemptId: string) => `ch_${attemptId}`,
    ...{ ...options, ways }
  }
  /** The merchant's balance, by connection. */
  const balance = providerBalance(time)
  const messages = providerMessages(settings, balance)
  const calls = providerCalls(options)
  const charges = providerCharges(calls, messages, settings)
  const checkouts = providerCheckouts(calls, charges, time)
  const operate = providerOperations(calls, charges, messages, ways)
  const refunds = providerRefunds(calls, charges, messages)
  const disputes = providerDisputes(calls, messages)

  const connectorFor = (connectionId: string, environment: Environment) =>
    ({
      charge: (request) => charges.charge(request, connectionId, environment),
      openCheckout: (request) => checkouts.open(request, connectionId, environment),
      capture: (request) => operate("capture", request, environment, request.money.minorUnits),
      void: (request) => operate("void", request, environment, 0),
      refund: (request) => refunds.refund(request, environment),
      lookUpCharge: ({ attemptId }) =>
        calls.lookUp(attemptId, () => {
          const found = charges.charges.get(attemptId)
          if (found === undefined) return undefined
          const listed = ways.listsRefunds ? { refunds: refunds.listedOf(found) } : {}
          return { state: charges.answerOf(found), ...listed }
        }),
      lookUpRefund: ({ providerRefundId, refundId }) => refunds.lookUpRefund(refundId, providerRefundId),
      ...disputeMethods(calls, disputes, environment),
      ...providerLists(calls, charges.charges, refunds.refunds, disputes.disputes, connectionId),
      readMessage: readProviderMessage,
      readStored: readStoredMessage
    }) satisfies Connector

  const definition: ConnectorDefinition = {
    name: "simulated",
    environments: ["sandbox", "production"],
    supports: {},
    connect: ({ connectionId, environment }) => Result.succeed(connectorFor(connectionId, environment))
  }
  return {
    /** By attempt. */
    charges: charges.charges,
    /** By refund. */
    refunds: refunds.refunds,
    /** Those that have an id, by it. */
    disputes: disputes.disputes,
    calls: calls.calls,
    balance,
    definition,
    connectorFor,
    /** A customer pays on the checkouts that are open for the payment, if there are any whose time is not over. */
    pay: checkouts.pay,
    /** Does something without a request. */
    act: (act: ProviderAct): void => performAct(act, { messages, disputes, time, refunds, balance })
  }
}

/** For how long a customer can pay on its checkout. */
const checkoutMillis = 20 * minute

const providerCheckouts = ({ call }: ProviderCalls, { book, charges, settle }: ProviderCharges, time: Time) => {
  const checkouts = new Map<
    string,
    { readonly request: CheckoutRequest; readonly connectionId: string; readonly expiresAt: number }
  >()

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
    return call({ name: "openCheckout", id: attemptId, paymentId }, environment, {
      execute: opened,
      accept: () => ({ answer: opened(), finish: () => {} }),
      decline: opened
    })
  }

  const pay = (paymentId: string, { becomes, later }: CustomerPays): void => {
    for (const { connectionId, expiresAt, request } of checkouts.values()) {
      if (request.paymentId !== paymentId || expiresAt <= time.now() || charges.has(request.attemptId)) continue
      const paid = book(request, connectionId, "Pending")
      if (later === null) settle(request, paid, becomes)
      else time.after(later, () => settle(request, paid, becomes))
    }
  }

  return { open, pay }
}
