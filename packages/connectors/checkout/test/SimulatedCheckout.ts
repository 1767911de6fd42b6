/**
 * The simulator's provider as a Checkout.com: its books behind the real connector, over Checkout.com's requests, answers and
 * signed events. What Checkout.com has no word for (a settlement, a capture of no stated amount, a conclusive absence, by
 * which an operator stands in the simulation) is passed on as the provider's own word, and counted.
 */
import { CheckoutConnector } from "@pointsman/connector-checkout"
import {
  type CaptureRequest,
  type ChargeLookup,
  type ChargeRecord,
  type ChargeRequest,
  type ChargeState,
  type CheckoutRequest,
  type Connector,
  type ConnectorDefinition,
  type Environment,
  type Found,
  type MessageAbout,
  type Money,
  money,
  type NotSent,
  type ProviderMessage,
  type RawMessage,
  type RefundLookup,
  type RefundRequest,
  type RefundState,
  type Rejected,
  Transport,
  type TransportAnswer,
  type TransportRequest,
  type Unanswered,
  type VoidRequest
} from "@pointsman/core/connector"
import { Effect, Redacted, Result } from "effect"
import {
  accepted,
  action,
  answer,
  authorization,
  dispute,
  event,
  failure,
  instrument,
  link,
  list,
  openedLink,
  payment,
  prefix,
  signed,
  told
} from "./Checkout.ts"

/** How many words went over the wire, and how many did not. */
export interface Spoken {
  overWire: number
  passedOn: number
}

type Asked =
  | ChargeRequest
  | CheckoutRequest
  | CaptureRequest
  | VoidRequest
  | RefundRequest
  | ChargeLookup
  | RefundLookup

type Ends<A> = Effect.Effect<A, NotSent | Unanswered>

const keys = {
  sandbox: { secretKey: "sk_sbox_o2nulev2arguvyf6w7sc5fkznas", prefix },
  production: { secretKey: "sk_o2nulev2arguvyf6w7sc5fkznas", prefix }
} as const satisfies Record<Environment, object>

export const speakingCheckout =
  (spoken: Spoken) =>
  (provider: ConnectorDefinition): ConnectorDefinition => ({
    ...provider,
    connect: (account, transport) =>
      Result.map(provider.connect(account, transport), (books): Connector => {
        const clientOver = (send: Transport["Service"]["send"]) =>
          Result.getOrThrow(
            CheckoutConnector.definition.connect(
              { ...account, credentials: keys[account.environment] },
              Transport.of({ send })
            )
          )
        /** One call by a connector of its own, so that its provider knows what was asked. */
        const call = <A>(asked: Asked, ask: (client: Connector) => Ends<A> | undefined): Ends<A> =>
          Effect.suspend(() => {
            const wordless: { said?: unknown } = {}
            const client = clientOver((request) => answerTo(books, asked, request, wordless))
            const ends = ask(client) ?? Effect.die(new Error("the connector lacks it"))
            return Effect.matchEffect(ends, {
              onSuccess: (end) => {
                spoken.overWire++
                return Effect.succeed(end)
              },
              onFailure: (failed): Ends<A> => {
                if (!("said" in wordless)) return Effect.fail(failed)
                spoken.passedOn++
                return Effect.succeed(wordless.said as A)
              }
            })
          })
        const reader = clientOver(() => Effect.die(new Error("a message sends nothing")))
        return {
          ...books,
          charge: (request) =>
            call(request, (client) => client.charge({ ...request, instrument: Redacted.make(instrument) })),
          openCheckout: (request) => call(request, (client) => client.openCheckout?.(request)),
          capture: (request) => call(request, (client) => client.capture?.(request)),
          void: (request) => call(request, (client) => client.void?.(request)),
          refund: (request) => call(request, (client) => client.refund?.(request)),
          lookUpCharge: (request) => call(request, (client) => client.lookUpCharge(request)),
          lookUpRefund: (request) => call(request, (client) => client.lookUpRefund?.(request)),
          readMessage: (raw) =>
            Effect.flatMap(books.readMessage?.(raw) ?? Effect.die("no messages"), (message) => {
              // Checkout.com gives up after 30 hours; the simulator does not.
              const isOld = raw.receivedAt - (message.at ?? 0) > repeatedForMillis
              const signedEvent = isOld ? undefined : inEvent(message, raw)
              const read = signedEvent === undefined ? undefined : reader.readMessage?.({ ...raw, ...signedEvent })
              spoken[read === undefined ? "passedOn" : "overWire"]++
              return read ?? Effect.succeed(message)
            }),
          readStored: (stored) =>
            Effect.flatMap(books.readStored?.(stored) ?? Effect.die("no messages"), (message) => {
              const signedEvent = inEvent(message, stored)
              return signedEvent === undefined
                ? Effect.succeed(message)
                : (reader.readStored?.({ ...stored, body: signedEvent.body }) ?? Effect.die("none again"))
            })
        }
      })
  })

// Requests and answers.

const answerTo = (
  books: Connector,
  asked: Asked,
  request: TransportRequest,
  wordless: { said?: unknown }
): Ends<TransportAnswer> => {
  const { pathname, searchParams } = new URL(request.url)
  const [, resource, id = "", part] = pathname.split("/").map(decodeURIComponent)
  const body = JSON.parse(request.body ?? "{}")
  const none = Effect.die(new Error("the books lack it"))
  /** What the wire says of the amount counts, and not what was asked. */
  const told = "money" in asked && "amount" in body ? { money: money(body.amount, asked.money.currency) } : {}
  const say = <A>(end: Ends<A>, words: (said: A) => TransportAnswer | undefined): Ends<TransportAnswer> =>
    Effect.map(end, (said) => {
      const answered = words(said)
      if (answered === undefined) wordless.said = said
      return answered ?? answer(599, "")
    })
  const reference = searchParams.get("reference") ?? body.reference
  if (request.method === "POST") {
    if (resource === "payment-links") {
      return say(books.openCheckout?.({ ...asked, ...told } as CheckoutRequest) ?? none, (opened) =>
        opened._tag === "Rejected"
          ? refused(opened)
          : answer(
              201,
              openedLink({
                id: opened.reference,
                reference,
                expires_on: new Date(opened.expiresAt ?? 0).toISOString(),
                _links: { redirect: { href: opened.url } }
              })
            )
      )
    }
    if (part === undefined) {
      const charge = { ...asked, ...told, capture: body.capture } as ChargeRequest
      return say(books.charge(charge), (state) =>
        state._tag === "Rejected"
          ? refused(state)
          : paymentAnswer(state, { reference, money: charge.money }, (one) => one)
      )
    }
    if (part === "refunds") {
      return say(books.refund?.({ ...asked, ...told, providerRef: id } as RefundRequest) ?? none, (state) =>
        state._tag === "Rejected"
          ? refused(state)
          : answer(202, accepted({ action_id: state.providerRefundId, reference }))
      )
    }
    const operation = { ...asked, ...told, providerRef: id }
    const operated =
      part === "captures" ? books.capture?.(operation as CaptureRequest) : books.void?.(operation as VoidRequest)
    return say(operated ?? none, (state) => {
      if (state._tag === "Rejected") return refused(state)
      const isAccepted = state._tag === "Pending" || state._tag === (part === "captures" ? "Captured" : "Canceled")
      return isAccepted ? answer(202, accepted({ reference })) : undefined
    })
  }
  if (part === "actions") {
    const refund = asked as RefundLookup
    return say(books.lookUpRefund?.(refund) ?? none, (found) => actionsAnswer(found, refund))
  }
  const lookup = asked as ChargeLookup
  const ours = { reference: null, money: lookup.money }
  return say(books.lookUpCharge(lookup), (recorded) => {
    const found = withoutApproval(recorded)
    if (resource === "payment-links") return linkAnswer(found, id, lookup)
    if (found._tag === "NotFound") return found.conclusive ? undefined : answer(200, list())
    const isListed = id === ""
    return paymentAnswer(found.state, { ...ours, reference: isListed ? reference : null }, (one) =>
      isListed ? list(one) : { ...one, id }
    )
  })
}

const refused = ({ code, message }: Rejected): TransportAnswer => failure(422, [code, message])

const codes: Readonly<Record<string, string>> = {
  insufficient_funds: "20051",
  do_not_honor: "20005",
  expired_card: "20054",
  issuer_unavailable: "20091",
  limit_exceeded: "20061",
  other: "20999"
}

const paymentAnswer = (
  state: ChargeState,
  { money: asked, reference }: { readonly money: Money; readonly reference: string | null },
  shaped: (payment: object) => unknown
): TransportAnswer | undefined => {
  const { _tag, providerRef } = state
  if (providerRef === null) return undefined
  const stated = "stated" in state ? state.stated : undefined
  const { currency, minorUnits: amount } = stated ?? asked
  const of = (status: string, fields: object = {}) =>
    answer(
      200,
      shaped(payment({ id: providerRef, status, amount, currency, reference, balances: undefined, ...fields }))
    )
  switch (_tag) {
    case "Authorized":
      return stated === undefined ? undefined : of("Authorized", { balances: { total_authorized: amount } })
    case "Captured":
      return stated === undefined ? undefined : of("Captured", { balances: { total_captured: amount } })
    case "Pending":
      return of("Pending")
    case "Canceled":
      return of("Voided", { balances: { total_captured: 0 } })
    case "NeedsCustomer":
      return of("Pending", { _links: { redirect: { href: "https://3ds.example/" } } })
    case "Declined": {
      const code = codes[state.category]
      return code === undefined ? undefined : of("Declined", { response_code: code })
    }
  }
}

/** Checkout.com takes the money of a page by itself. */
const withoutApproval = (found: Found<ChargeRecord>): Found<ChargeState> => {
  if (found._tag === "NotFound") return found
  if (found.state._tag === "Approved") throw new Error("the simulated provider approves nothing without taking it")
  return { _tag: "Found", state: found.state }
}

const linkAnswer = (
  found: Found<ChargeState>,
  id: string,
  { attemptId }: ChargeLookup
): TransportAnswer | undefined => {
  const at = (fields: object) => answer(200, link({ id, reference: referenceOf(attemptId), ...fields }))
  if (found._tag === "NotFound") return at({ status: found.conclusive ? "Expired" : "Active" })
  const { providerRef } = found.state
  return providerRef === null ? undefined : at({ status: "Payment Received", payment_id: providerRef })
}

/** As `Reference.ts` writes it, by other means: the simulator's ids are UUIDs. */
const referenceOf = (attemptId: string): string =>
  `a${BigInt(`0x${attemptId.slice(4).replaceAll("-", "")}`)
    .toString(36)
    .padStart(25, "0")}`

const actionsAnswer = (found: Found<RefundState>, { refundId }: RefundLookup): TransportAnswer | undefined => {
  if (found._tag === "NotFound") return found.conclusive ? undefined : answer(200, [authorization])
  const { state } = found
  const { _tag, providerRefundId } = state
  const amount = "stated" in state ? state.stated?.minorUnits : undefined
  if (_tag === "RefundFailed" && state.isFinal === false) return undefined
  if (_tag !== "RefundFailed" && amount === undefined) return undefined
  const approved = _tag === "RefundPending" ? undefined : _tag === "Succeeded"
  const refund = action({ id: providerRefundId, type: "Refund", amount, approved, metadata: { refund_id: refundId } })
  return answer(200, [refund, authorization])
}

// Messages.

const repeatedForMillis = 30 * 60 * 60 * 1000

const inEvent = (message: ProviderMessage, { secret }: Pick<RawMessage, "secret">) => {
  const said = wordsOf(message.about)
  if (said === undefined || message.at === null) return undefined
  const [type, data] = said
  const told = event(type, data, { id: message.id, created_on: new Date(message.at).toISOString(), _links: undefined })
  return signed(JSON.stringify(told), Redacted.value(secret))
}

const nothing = money(0, "EUR")

/** An event of Checkout.com's, and its data; `undefined` where it has none. */
const wordsOf = (about: MessageAbout): readonly [string, Readonly<Record<string, unknown>>] | undefined => {
  switch (about._tag) {
    case "Charge": {
      const state = about.state(nothing)
      const stated = "stated" in state ? state.stated : undefined
      const type = chargeEvents[state._tag]
      if (type === undefined || state.providerRef === null) return undefined
      if (stated === undefined && state._tag !== "Canceled" && state._tag !== "Declined") return undefined
      const code = state._tag === "Declined" ? codes[state.category] : "10000"
      if (code === undefined) return undefined
      return [
        type,
        told({
          ...{ id: state.providerRef, amount: stated?.minorUnits, currency: stated?.currency, response_code: code },
          metadata:
            "attemptId" in about.charge ? { attempt_id: about.charge.attemptId, page: "false" } : { page: "false" },
          balances: state._tag === "Captured" ? { total_captured: stated?.minorUnits } : {}
        })
      ]
    }
    case "Refund": {
      const state = about.state(nothing)
      const metadata = { refund_id: about.refundId }
      const action_id = state.providerRefundId
      if (state._tag === "RefundFailed") {
        return state.isFinal === false ? undefined : ["payment_refund_declined", told({ action_id, metadata })]
      }
      if (state.stated === undefined) return undefined
      const { currency, minorUnits: amount } = state.stated
      const type = state._tag === "Succeeded" ? "payment_refunded" : "payment_refund_pending"
      return [type, told({ action_id, metadata, amount, currency })]
    }
    case "Operation": {
      const state = about.state(nothing)
      const data = told({ metadata: { operation_id: about.operationId } })
      if (state._tag === "OperationPending") return ["payment_capture_pending", data]
      return state._tag === "OperationFailed" && state.isFinal ? ["payment_capture_declined", data] : undefined
    }
    case "Dispute": {
      const { charge, disputeId, verdict } = about
      if (disputeId === null || "attemptId" in charge) return undefined
      const of = { id: disputeId, payment_id: charge.providerRef, client_id: undefined }
      return [verdict === "opened" ? "dispute_received" : `dispute_${verdict}`, dispute(of)]
    }
    default:
      return undefined
  }
}

const chargeEvents: Readonly<Record<string, string | undefined>> = {
  Authorized: "payment_approved",
  Captured: "payment_captured",
  Canceled: "payment_voided",
  Pending: "payment_pending",
  Declined: "payment_declined"
}
