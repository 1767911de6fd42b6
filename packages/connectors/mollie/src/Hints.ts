/**
 * Mollie's webhooks of one payment, which are not signed and hold its id alone
 * (https://docs.mollie.com/reference/webhooks): `id=tr_…`, sent to the payment's `webhookUrl` when its status changes, when a
 * capture or a refund of it changes, and when a chargeback comes. "Fetch the latest status": one request returns the payment
 * with all of these (https://docs.mollie.com/reference/get-payment). Where its total of refunds is more than those that came
 * with it, they are listed (https://docs.mollie.com/reference/list-refunds): a total is no refund.
 *
 * What is found is written down as the events that Mollie's signed webhooks would hold, so that both are read alike.
 */
import {
  type HintedMessage,
  MessageUnreadable,
  type NotSent,
  segment,
  type TransportAnswer,
  type Unanswered,
  type UnsignedMessage
} from "@pointsman/core/connector"
import { Effect, Redacted, Result } from "effect"
import { fromMollie } from "./Amounts.ts"
import { failureIn, onlySuccess, type Read, type Reader, readable, unreadable } from "./Answers.ts"
import { refundsOf } from "./Lookups.ts"
import { keptOfMessage, readStored } from "./Messages.ts"
import type { Ask } from "./Pages.ts"
import * as Protocol from "./Protocol.ts"

/** The whole body: nothing else is sent. */
const hintForm = /^id=(tr_[0-9A-Za-z]{1,64})$/u

/** What is longer is none of them. */
const hintBytesAtMost = 128

export const readHint = ({ body, headers }: UnsignedMessage): Effect.Effect<string, MessageUnreadable> => {
  const isShort = body.length <= hintBytesAtMost && headers["x-mollie-signature"] === undefined
  const id = isShort ? hintForm.exec(new TextDecoder().decode(body))?.[1] : undefined
  return id === undefined
    ? Effect.fail(new MessageUnreadable({ reason: "it is not the id of a payment (id=tr_…)" }))
    : Effect.succeed(id)
}

export const lookUpHint = Effect.fnUntraced(function* (
  ask: Ask,
  id: string,
  reader: Reader
): Effect.fn.Return<ReadonlyArray<HintedMessage>, NotSent | Unanswered> {
  const { answer, isComplete, ours } = yield* ask(
    `/v2/payments/${segment(id)}?embed=captures,refunds,chargebacks`,
    (answer): Read<Found> => found(answer, id)
  )
  if (ours === null) return []
  const refunds = isComplete ? embeddedRefunds(ours.payment) : yield* refundsOf(ask, id)
  return yield* Effect.forEach(eventsOf(ours, refunds), (event) => {
    const body = keptOfMessage(JSON.stringify(event))
    return Effect.matchEffect(readStored({ body: new TextEncoder().encode(body), secret: noSecret }, reader), {
      onSuccess: (message) => Effect.succeed({ body, message } satisfies HintedMessage),
      onFailure: () => Effect.fromResult(unreadable(answer, event.type))
    })
  })
})

/** Nothing of it is verified by a secret. */
const noSecret = Redacted.make("")

interface Found {
  readonly answer: TransportAnswer
  /** `null` for a payment that is not ours. */
  readonly ours: Ours | null
  /** Whether all of its refunds came with it. */
  readonly isComplete: boolean
}

interface Ours {
  readonly payment: Protocol.WholePayment
  readonly attemptId: string
}

interface OwnEvent {
  readonly resource: "event"
  /** The same for the same words of Mollie, so that what is stated again changes nothing. */
  readonly id: string
  readonly type: string
  readonly entityId: string
  readonly createdAt: string | null
  readonly _embedded: { readonly entity: unknown }
  readonly attempt_id?: string
}

const found = (answer: TransportAnswer, id: string): Read<Found> => {
  // Anybody can name a payment that there is not.
  if (answer.status === 404 && failureIn(answer) !== undefined) return Result.succeed(notOurs(answer))
  return onlySuccess(answer, () =>
    Result.flatMap(readable(Protocol.WholePayment, answer), (payment): Read<Found> => {
      if (payment.id !== id) return unreadable(answer, "id")
      const attemptId = Protocol.markIn(payment.metadata, "attempt_id")
      if (attemptId === null) return Result.succeed(notOurs(answer))
      const total = payment.amountRefunded ?? null
      const refunded = total === null ? 0 : fromMollie(total)?.minorUnits
      if (refunded === undefined) return unreadable(answer, "amountRefunded")
      return Result.succeed({ answer, ours: { payment, attemptId }, isComplete: refunded <= embeddedMinor(payment) })
    })
  )
}

const notOurs = (answer: TransportAnswer): Found => ({ answer, ours: null, isComplete: true })

const embeddedRefunds = ({ _embedded }: Protocol.WholePayment): ReadonlyArray<Protocol.Refund> =>
  _embedded?.refunds ?? []

/** In minor units: what the refunds that came with the payment give back, or will. */
const embeddedMinor = (payment: Protocol.WholePayment): number =>
  embeddedRefunds(payment)
    .filter(({ status }) => status !== "failed" && status !== "canceled")
    .reduce((sum, { amount }) => sum + (fromMollie(amount)?.minorUnits ?? 0), 0)

/** Each refund is one event, also one that was made in Mollie's dashboard. */
const eventsOf = ({ attemptId, payment }: Ours, refunds: ReadonlyArray<Protocol.Refund>): ReadonlyArray<OwnEvent> => {
  const { _embedded: { captures = [], chargebacks = [] } = {}, ...entity } = payment
  const { amountCaptured, id, status } = payment
  const captured = amountCaptured?.value ?? ""
  return [
    // The customer has not paid yet.
    ...(status === "open"
      ? []
      : [eventOf(`payment.${status}`, entity, `${id} ${status} ${captured}`.trim(), timeOf(payment))]),
    ...captures
      .filter(({ metadata, status }) => status !== "pending" && Protocol.markIn(metadata, "operation_id") !== null)
      .map((capture) => eventOf(`capture.${capture.status}`, capture, `${capture.id} ${capture.status}`, null)),
    ...refunds.map((refund) => ({
      ...eventOf(`refund.${refund.status}`, refund, `${refund.id} ${refund.status}`, null),
      attempt_id: attemptId
    })),
    ...chargebacks.map((chargeback) => {
      const { createdAt, reversedAt } = chargeback
      const word = reversedAt === undefined || reversedAt === null ? "received" : "reversed"
      return eventOf(`chargeback.${word}`, chargeback, `${chargeback.id} ${word}`, reversedAt ?? createdAt)
    })
  ]
}

const eventOf = (type: string, entity: { readonly id: string }, id: string, createdAt: string | null): OwnEvent => ({
  resource: "event",
  id,
  type,
  entityId: entity.id,
  createdAt,
  _embedded: { entity }
})

/** When the payment reached its status; an authorization of which something was captured since names no time of that. */
const timeOf = ({ amountCaptured, status, ...payment }: Protocol.WholePayment): string | null => {
  if (status === "open" || status === "pending") return null
  return status === "authorized" && amountCaptured != null ? null : (payment[`${status}At`] ?? null)
}
