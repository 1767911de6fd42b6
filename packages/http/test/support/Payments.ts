/** What a merchant does with payments, in few words. */

import { brokenInvariants } from "@pointsman/contracts"
import { Ledger } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { expect } from "vitest"
import type { Reply } from "./Web.ts"
import { acme, keys, type World } from "./World.ts"

export type OperationName = "capture" | "void" | "refund"

const pathOf: Record<OperationName, string> = { capture: "capture", void: "void", refund: "refunds" }

export interface Asked {
  readonly body?: unknown
  readonly idempotencyKey?: string | undefined
  readonly key?: string
  /** Which server is asked, from 0. */
  readonly server?: number
}

const headersOf = ({ idempotencyKey }: Asked) =>
  idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }

export const create = (world: World, fields: object = {}, asked: Omit<Asked, "body"> = {}): Promise<Reply> =>
  send(world, "/payments", { ...asked, body: { amount: 1000, currency: "EUR", country: "NL", ...fields } })

export const operate = (world: World, name: OperationName, id: string, asked: Asked = {}): Promise<Reply> =>
  send(world, `/payments/${id}/${pathOf[name]}`, asked)

const send = (world: World, path: string, asked: Asked): Promise<Reply> => {
  const server = world.servers[asked.server ?? 0]
  if (server === undefined) throw new Error(`there is no server ${asked.server}`)
  return server.send(`/api/v1${path}`, {
    method: "POST",
    key: asked.key ?? keys.acme,
    body: asked.body,
    headers: headersOf(asked)
  })
}

export const get = (world: World, path: string, key: string = keys.acme): Promise<Reply> =>
  world.send(`/api/v1${path}`, { key })

/** Keeps texts and files for a dispute, as a form. */
export const keepEvidence = async (
  world: World,
  disputeId: string,
  parts: Readonly<Record<string, string | Uint8Array>>
): Promise<Reply> => {
  const data = new FormData()
  for (const [name, part] of Object.entries(parts)) {
    if (typeof part === "string") data.append(name, part)
    else data.append(name, new Blob([new Uint8Array(part)]), "of the client.exe")
  }
  const request = new Request("http://pointsman.test", { method: "POST", body: data })
  return world.send(`/api/v1/disputes/${disputeId}/evidence`, {
    key: keys.acme,
    body: new Uint8Array(await request.arrayBuffer()),
    headers: { "content-type": request.headers.get("content-type") ?? "" }
  })
}

export const answerDispute = (
  world: World,
  disputeId: string,
  what: "submit" | "accept",
  idempotencyKey = `key of ${disputeId}`
): Promise<Reply> => send(world, `/disputes/${disputeId}/${what}`, { idempotencyKey })

/** A payment of 10.00 EUR, whose money is held or taken; its id. */
export const authorized = (world: World, fields: object = {}) => created(world, { capture_method: "manual", ...fields })
export const captured = (world: World, fields: object = {}) => created(world, fields)

const created = async (world: World, fields: object): Promise<string> => {
  const reply = await create(world, { reference: "order-1", ...fields })
  expect(reply.status).toBe(201)
  return reply.body.data.payment_id
}

type OnCharge = World["provider"]["onCharge"]

/** The end of every charge, each under a reference of its own: a provider gives none twice. */
export const endingAs =
  (end: ReturnType<OnCharge>): OnCharge =>
  ({ attemptId }) =>
    Effect.map(end, (answer) =>
      "providerRef" in answer && answer.providerRef !== null && answer.providerRef !== ""
        ? { ...answer, providerRef: `ref_${attemptId}` }
        : answer
    )

/** "409 not_capturable", or the status alone of an answer that went well. */
export const answerOf = (reply: Reply): string =>
  reply.body?.error === undefined ? String(reply.status) : `${reply.status} ${reply.body.error.code}`

export interface WireEvent {
  readonly id: string
  readonly type: string
  readonly created: string
  readonly data: Readonly<Record<string, unknown>>
}

/** The payment as it is retrieved, but for its refunds, which reads of one payment alone have. */
export const retrieve = async (world: World, id: string): Promise<Record<string, unknown>> => {
  const { refunds: _, ...payment } = (await get(world, `/payments/${id}`)).body.data
  return payment
}

/** Who made each refund of the payment, of how much, and what became of it. */
export const refundsOf = async (world: World, id: string): Promise<ReadonlyArray<readonly unknown[]>> => {
  const { body } = await get(world, `/payments/${id}`)
  const refunds: ReadonlyArray<Record<string, unknown>> = body.data.refunds
  return refunds.map(({ amount, origin, status }) => [origin, amount, status]).sort()
}

/** All of it, oldest first. */
export const timeline = async (world: World, id: string): Promise<ReadonlyArray<WireEvent>> => {
  const { body } = await get(world, `/payments/${id}/events?limit=100`)
  expect(body.has_more).toBe(false)
  return body.data
}

/** Fails unless what is stored of the payment holds together. */
export const expectSound = async (world: World, id: string): Promise<void> => {
  const record = await world.run(
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const book = Option.getOrThrow(yield* ledger.book(acme, id))
      return { ...book, events: yield* ledger.timeline(acme, id, { limit: 1000 }) }
    })
  )
  expect(brokenInvariants(record)).toEqual([])
}

/** What a payment comes to: its status, and the amounts that are not 0. */
export interface Outcome {
  readonly status: string
  readonly captured_amount?: number
  readonly refunded_amount?: number
  readonly refund_pending_amount?: number
  readonly decline_category?: string | null
  readonly decline_reason?: string | null
  readonly decline?: Readonly<Record<string, unknown>>
}

/** An event, by its type and by what it says besides the data that all events have. */
export type Told = readonly [type: string, details?: Readonly<Record<string, unknown>>]

/** Fails unless the payment is retrieved so, and its timeline tells this and nothing else. */
export const expectOutcome = async (
  world: World,
  id: string,
  outcome: Outcome,
  told: ReadonlyArray<Told>
): Promise<void> => {
  const payment = await retrieve(world, id)
  expect(payment).toMatchObject({
    payment_status: outcome.status,
    captured_amount: 0,
    refunded_amount: 0,
    refund_pending_amount: 0,
    decline_category: null,
    decline_reason: null,
    next_action: { type: "NONE" },
    ...outcome
  })
  expect(payment).not.toHaveProperty("routing")
  const events = await timeline(world, id)
  expect(events.map(({ type, data }) => [type, data])).toEqual(
    told.map(([type, details]) => [
      type,
      {
        payment_id: id,
        reference: payment["reference"],
        payment_status: outcome.status,
        environment: "sandbox",
        amount: payment["amount"],
        currency: payment["currency"],
        // Of a part; of the whole amount it is absent.
        ...(type === "payment.captured" && payment["captured_amount"] !== payment["amount"]
          ? { captured_amount: payment["captured_amount"] }
          : {}),
        ...details
      }
    ])
  )
  await expectSound(world, id)
}

const wasPending = { payment_status: "PENDING" }

/** How the timelines of `authorized` and `captured` begin. */
export const toldOfAuthorization: ReadonlyArray<Told> = [
  ["payment.created", wasPending],
  ["payment.authorized", { payment_status: "AUTHORIZED" }]
]
export const toldOfCapture: ReadonlyArray<Told> = [
  ["payment.created", wasPending],
  ["payment.captured", { payment_status: "CAPTURED" }]
]

export const aRefundId: unknown = expect.stringMatching(
  /^rf_[0-9a-f]{8}-[0-9a-f]{4}-[78][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u
)

/** What an event of a refund says besides: of how much it is, and the payment's amounts after it. */
export const refundOf = (refund_amount: number, refunded_total: number, refund_pending_amount: number) => ({
  refund_id: aRefundId,
  origin: "api",
  refund_amount,
  refunded_total,
  refund_pending_amount
})
