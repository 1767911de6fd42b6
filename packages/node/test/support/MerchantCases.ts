/** What a merchant's calls do, by whichever door: those of `@pointsman/node`, and those of `@pointsman/client` over HTTP. */
import { assert, describe, it } from "vitest"
import type { CreatePayment, Page, PaymentsQuery } from "../../src/index.ts"

interface ShownPayment {
  readonly id: string
  readonly status: string
  readonly captured_amount: number
  readonly refunded_amount: number
  readonly decline_category: string | null
  readonly created: string
  readonly routing?: { readonly attempts: ReadonlyArray<unknown> }
}

interface ShownEvent {
  readonly type: string
  readonly data: { readonly payment_id: string }
}

type Answered = Promise<{ readonly payment: ShownPayment; readonly isReplay: boolean }>
interface Keyed {
  readonly idempotencyKey?: string
}

export interface MerchantCalls {
  readonly create: (order: CreatePayment, options?: Keyed) => Answered
  readonly capture: (id: string, order?: { readonly amount?: number }, options?: Keyed) => Answered
  readonly void: (id: string, options?: Keyed) => Answered
  readonly refund: (
    id: string,
    order?: { readonly amount?: number; readonly reason?: string },
    options?: Keyed
  ) => Answered
  readonly payment: (id: string) => Promise<ShownPayment>
  readonly payments: (query?: PaymentsQuery) => Promise<Page<ShownPayment>>
  readonly timeline: (id: string) => Promise<Page<ShownEvent>>
  readonly events: (query: { readonly type: string }) => Promise<Page<ShownEvent>>
}

const plain: CreatePayment = { amount: 1999, currency: "EUR", country: "NL", reference: "order-1001" }

const paid = async (calls: MerchantCalls, more: Partial<CreatePayment> = {}) =>
  (await calls.create({ ...plain, ...more })).payment.id

type ErrorCase = readonly [
  name: string,
  call: (calls: MerchantCalls) => Promise<unknown>,
  code: string,
  moneyMayHaveMoved: boolean
]

/** A call that fails, and the error that it fails with. */
export const errorCases: ReadonlyArray<ErrorCase> = [
  ["a wrong amount", (c) => c.create({ ...plain, amount: 19.99 }), "validation_error", false],
  [
    "a card number in the reference",
    (c) => c.create({ ...plain, reference: "4111 1111 1111 1111" }),
    "validation_error",
    false
  ],
  ["a short key", (c) => c.create(plain, { idempotencyKey: "short" }), "invalid_idempotency_key", false],
  ["an unknown payment", (c) => c.payment("01a1fe08-9226-7266-a33a-e3e7f1609a4e"), "not_found", false],
  [
    "a key for another order",
    async (c) => {
      await c.create(plain, { idempotencyKey: "order-reused" })
      await c.create({ ...plain, amount: 2000 }, { idempotencyKey: "order-reused" })
    },
    "idempotency_key_reuse",
    false
  ],
  ["a capture of a captured payment", async (c) => c.capture(await paid(c)), "not_capturable", true],
  ["a void of a captured payment", async (c) => c.void(await paid(c)), "not_voidable", true],
  [
    "a second capture after one without an answer",
    async (c) => {
      const id = await paid(c, { capture_method: "manual", simulate: { capture: "no_answer" } })
      await c.capture(id).catch(() => {})
      await c.capture(id)
    },
    "not_capturable",
    true
  ],
  [
    "a refund of an authorization",
    async (c) => c.refund(await paid(c, { capture_method: "manual" })),
    "not_refundable",
    false
  ],
  [
    "a capture above the authorization",
    async (c) => c.capture(await paid(c, { capture_method: "manual" }), { amount: 2000 }),
    "invalid_amount",
    false
  ],
  [
    "a capture that the provider refuses",
    async (c) => c.capture(await paid(c, { capture_method: "manual", simulate: { capture: "refuse" } })),
    "psp_error",
    false
  ],
  [
    "a capture without an answer",
    async (c) => c.capture(await paid(c, { capture_method: "manual", simulate: { capture: "no_answer" } })),
    "capture_result_unknown",
    true
  ],
  [
    "a void without an answer",
    async (c) => c.void(await paid(c, { capture_method: "manual", simulate: { void: "no_answer" } })),
    "void_result_unknown",
    true
  ],
  [
    "a refund without an answer",
    async (c) => c.refund(await paid(c, { simulate: { refund: "no_answer" } })),
    "refund_result_unknown",
    true
  ],
  [
    "a refund that is not confirmed",
    async (c) => c.refund(await paid(c, { simulate: { refund: "pending" } })),
    "refund_pending",
    true
  ]
]

/** `open`: a workspace; its payments may be those of other tests too. */
export const merchantSuite = (name: string, open: () => Promise<MerchantCalls>): void => {
  let orders = 0
  const anOrder = (): CreatePayment => ({ ...plain, reference: `${name} ${++orders}` })

  describe(name, () => {
    it("an order paid twice under one key is charged once and answered alike", async () => {
      const calls = await open()
      const order = anOrder()
      const first = await calls.create(order, { idempotencyKey: "order-1001" })
      const again = await calls.create(order, { idempotencyKey: "order-1001" })
      assert.strictEqual(first.isReplay, false)
      assert.strictEqual(again.isReplay, true)
      assert.deepStrictEqual(again.payment, first.payment)
      assert.strictEqual(first.payment.status, "CAPTURED")
      assert.strictEqual(first.payment.captured_amount, 1999)
      assert.strictEqual(first.payment.routing?.attempts.length, 1)
      assert.strictEqual((await calls.payments({ reference: order.reference })).data.length, 1)
    })

    it("the amounts of a partial capture and its refund add up", async () => {
      const calls = await open()
      const { payment } = await calls.create({ ...anOrder(), capture_method: "manual" })
      assert.strictEqual(payment.status, "AUTHORIZED")
      const captured = await calls.capture(payment.id, { amount: 1500 }, { idempotencyKey: "capture-1001" })
      assert.strictEqual(captured.payment.captured_amount, 1500)
      const replayed = await calls.capture(payment.id, { amount: 1500 }, { idempotencyKey: "capture-1001" })
      assert.strictEqual(replayed.isReplay, true)
      const part = await calls.refund(payment.id, { amount: 500, reason: "returned" })
      assert.strictEqual(part.payment.status, "PARTIALLY_REFUNDED")
      const rest = await calls.refund(payment.id)
      assert.strictEqual(rest.payment.status, "REFUNDED")
      assert.strictEqual(rest.payment.refunded_amount, 1500)
      const types = (await calls.timeline(payment.id)).data.map(({ type }) => type)
      assert.deepStrictEqual(types, [
        "payment.created",
        "payment.authorized",
        "payment.captured",
        "payment.refunded",
        "payment.refunded"
      ])
    })

    it("an authorization that is voided is cancelled", async () => {
      const calls = await open()
      const { payment } = await calls.create({ ...anOrder(), capture_method: "manual" })
      assert.strictEqual((await calls.void(payment.id)).payment.status, "CANCELLED")
    })

    it("a declined payment is a result and no error", async () => {
      const calls = await open()
      const { payment } = await calls.create({ ...anOrder(), simulate: { charge: "decline:expired_card" } })
      assert.strictEqual(payment.status, "DECLINED")
      assert.strictEqual(payment.decline_category, "expired_card")
    })

    it("each of several payments comes once in pages", async () => {
      const calls = await open()
      const order = anOrder()
      const made: Array<string> = []
      for (let count = 0; count < 3; count++) made.unshift((await calls.create(order)).payment.id)
      const first = await calls.payments({ limit: 2, status: "CAPTURED", reference: order.reference })
      assert.strictEqual(first.has_more, true)
      const rest = await calls.payments({ limit: 2, reference: order.reference, before: first.next_cursor ?? "" })
      assert.deepStrictEqual(
        [...first.data, ...rest.data].map(({ id }) => id),
        made
      )
      assert.strictEqual(rest.next_cursor, null)
      const other = anOrder()
      const { payment } = await calls.create({ ...other, metadata: { channel: "web" } })
      const found = await calls.payments({
        reference: other.reference,
        metadata: { channel: "web" },
        amount: order.amount,
        currency: order.currency,
        created_from: payment.created
      })
      assert.deepStrictEqual(
        found.data.map(({ id }) => id),
        [payment.id]
      )
      made.unshift(payment.id)
      const events = await calls.events({ type: "payment.captured" })
      assert.deepStrictEqual(
        events.data.slice(0, made.length).map(({ data }) => data.payment_id),
        made
      )
    })
  })
}
