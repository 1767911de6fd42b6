import { memory } from "@pointsman/storage-memory"
import { Effect } from "effect"
import { assert, it } from "vitest"
import {
  type CreatePayment,
  IdempotencyError,
  NotFoundError,
  type Pointsman,
  PointsmanError,
  ProviderRefusedError,
  RoutingFailedError,
  StateError,
  UnknownResultError,
  ValidationError
} from "../src/index.ts"
import { errorCases } from "./support/MerchantCases.ts"
import { failureOf, memoryWith, open, order, shop } from "./support/Shop.ts"

/** As `errorCases`. */
type OwnCase = readonly [
  name: string,
  call: (pointsman: Pointsman) => Promise<unknown>,
  code: string,
  moneyMayHaveMoved: boolean
]

const ownCases: ReadonlyArray<OwnCase> = [
  ["no key in production", (p) => p.create(order, { environment: "production" }), "idempotency_key_required", false],
  [
    "no connection for it",
    (p) => p.create(order, { environment: "production", idempotencyKey: "order-1001" }),
    "routing_failed",
    false
  ],
  [
    "a statement that does not fit",
    async (p) => {
      const { payment } = await p.create(order)
      await p.resolveReview(
        payment.id,
        { about: "charge", says: "declined" },
        { evidence: "The dashboard.", by: "Ada" }
      )
    },
    "statement_refused",
    false
  ]
]

const kinds: Readonly<Record<string, abstract new (...args: never) => PointsmanError>> = {
  validation_error: ValidationError,
  invalid_amount: ValidationError,
  invalid_idempotency_key: ValidationError,
  idempotency_key_required: ValidationError,
  not_found: NotFoundError,
  idempotency_key_reuse: IdempotencyError,
  routing_failed: RoutingFailedError,
  not_capturable: StateError,
  not_voidable: StateError,
  not_refundable: StateError,
  statement_refused: StateError,
  psp_error: ProviderRefusedError,
  capture_result_unknown: UnknownResultError,
  void_result_unknown: UnknownResultError,
  refund_result_unknown: UnknownResultError,
  refund_pending: UnknownResultError
}

for (const [name, call, code, moneyMayHaveMoved] of [...errorCases, ...ownCases]) {
  it(`${name} fails with ${code}`, async () => {
    const { pointsman } = await open({ background: false })
    const failure = await failureOf(call(pointsman))
    if (!(failure instanceof PointsmanError)) throw failure
    assert.isTrue(failure instanceof (kinds[code] ?? Error), failure.name)
    assert.strictEqual(failure.code, code)
    assert.strictEqual(failure.moneyMayHaveMoved, moneyMayHaveMoved)
    assert.notStrictEqual(failure.message, "")
  })
}

/** Each names the field, and nothing is charged. */
const wrongCalls: Readonly<Record<string, readonly [call: (p: Pointsman) => Promise<unknown>, says: RegExp]>> = {
  "two wrong fields": [
    (p) => p.create({ ...order, amount: -1, currency: "EURO" }),
    /^`amount` must be an integer.*; `currency` must be/u
  ],
  "a field in other letters": [
    (p) => p.create({ ...order, captureMethod: "manual" } as CreatePayment),
    /^`captureMethod` is not a field of `order`: expected one of amount, currency/u
  ],
  "a key in other letters": [
    (p) => p.create(order, { idempotency_key: "order-1001" } as object),
    /^`idempotency_key` is not a field of `options`: expected one of workspace, environment, idempotencyKey/u
  ],
  "a key among the fields": [
    (p) => p.create({ ...order, idempotencyKey: "order-1001" } as CreatePayment),
    /^`idempotencyKey` is not a field of `order`/u
  ],
  "no object": [(p) => p.create("order" as never), /^`order` must be an object/u],
  "an unknown environment": [
    (p) => p.create(order, { environment: "live" as never }),
    /^`environment` must be one of sandbox, production/u
  ],
  "an unknown workspace": [
    (p) => p.create(order, { workspace: "other" }),
    /^`workspace` must be a configured workspace; "other" not found/u
  ],
  "an invalid limit": [(p) => p.payments({ limit: 0 }), /^`limit` must be an integer from 1 to 100/u],
  "metadata that is no text": [
    (p) => p.payments({ metadata: { order: 1 as never } }),
    /^`metadata` must be an object/u
  ],
  "an invalid status": [(p) => p.payments({ status: "PAID" as never }), /^`status` must be one of CREATED/u],
  "a hosted payment without pages": [
    (p) => p.create({ ...order, return_url: "https://shop.example/thanks" }),
    /hosted payment flow is not available/u
  ],
  "a statement with a field in other letters": [
    (p) =>
      p.resolveReview(
        "01a1fe08-9226-7266-a33a-e3e7f1609a4e",
        { about: "charge", says: "captured", Amount: 5 } as never,
        {
          evidence: "The dashboard.",
          by: "Ada"
        }
      ),
    /^`stated` must be .* with attempt_id, amount and provider_reference where/u
  ],
  "scopes in other letters": [
    (p) => p.createApiKey({ scope: ["payments:read"] } as object),
    /^`scope` is not a field of `order`: expected one of .*scopes/u
  ],
  "scopes that are no order": [(p) => p.createApiKey(["payments:read"] as object), /^`order` must be an object/u],
  "scopes that are null": [(p) => p.createApiKey({ scopes: null } as never), /^`scopes` must be a list/u],
  "a key with a blank name": [(p) => p.createApiKey({ name: " " }), /^`name` must be a text of 1 to 120/u],
  "a key that expired before": [
    (p) => p.createApiKey({ expiresAt: new Date(0) }),
    /^`expiresAt` must be a Date in the future/u
  ],
  "a key for a network that is none": [
    (p) => p.createApiKey({ networks: ["10.0.0.0/33"] }),
    /^`networks` must be a list of IP addresses and CIDR ranges/u
  ],
  "an invalid delivery status": [
    (p) => p.deliveries({ status: "lost" as never }),
    /^`status` must be one of due, sending/u
  ]
}

for (const [name, [call, says]] of Object.entries(wrongCalls)) {
  it(`${name} is refused by field, and nothing charged`, async () => {
    const { pointsman } = await open({ background: false })
    const failure = await failureOf(call(pointsman))
    assert.instanceOf(failure, ValidationError)
    assert.match(failure.message, says)
    assert.deepStrictEqual((await pointsman.payments()).data, [])
  })
}

it("an undefined field of a payment counts as left out", async () => {
  const { pointsman } = await open()
  const { payment } = await pointsman.create({ ...order, card_brand: undefined } as never, {
    idempotencyKey: undefined
  })
  assert.strictEqual(payment.card_brand, null)
})

it("no environment is guessed for a payment", async () => {
  const { pointsman } = await open({ environment: undefined } as object)
  const failure = await failureOf(pointsman.create(order))
  assert.instanceOf(failure, ValidationError)
  assert.match(failure.message, /^`environment` is required/u)
  assert.strictEqual((await pointsman.create(order, { environment: "sandbox" })).payment.environment, "sandbox")
})

it("an error says whose payment it is of two workspaces", async () => {
  const other = { ...shop, id: "other", connections: [{ id: "third", environment: "sandbox" as const }] }
  const { pointsman } = await open({ workspaces: [shop, other] })
  const failure = await failureOf(pointsman.create(order))
  assert.instanceOf(failure, ValidationError)
  assert.match(failure.message, /^`workspace` is required/u)
  const { payment } = await pointsman.create(order, { workspace: "other" })
  const hidden = await failureOf(pointsman.payment(payment.id, { workspace: "shop" }))
  assert.instanceOf(hidden, NotFoundError)
})

it("a suspended workspace is refused as its keys are", async () => {
  const { pointsman } = await open({ workspaces: [{ ...shop, suspended: true }] })
  const failure = await failureOf(pointsman.create(order))
  assert.instanceOf(failure, StateError)
  assert.strictEqual(failure.code, "workspace_suspended")
  assert.strictEqual(failure.moneyMayHaveMoved, false)
  const again = await failureOf(pointsman.create(order, { idempotencyKey: "order-1001" }))
  assert.deepInclude(again, { code: "workspace_suspended", moneyMayHaveMoved: true })
})

it("a payment without a route says without debug why each connection was excluded", async () => {
  const eurOnly = { ...shop, connections: [{ id: "first", environment: "sandbox", supports: { currencies: ["EUR"] } }] }
  const { pointsman } = await open({ storage: memory(), workspaces: [eurOnly as typeof shop] })
  const failure = await failureOf(pointsman.create({ ...order, currency: "USD" }))
  assert.instanceOf(failure, RoutingFailedError)
  assert.deepStrictEqual(
    failure.excluded.map(({ code, providerId }) => [providerId, code]),
    [["first", "CURRENCY_NOT_SUPPORTED"]]
  )
})

it("an error says that money may have moved if the store fails during a call", async () => {
  // Its commits end in a way that nothing provides for.
  const storage = memoryWith(() => ({ commit: () => Effect.die(new Error("a secret of the store")) }))
  const { lines, pointsman } = await open({ storage, background: false })
  const failure = await failureOf(pointsman.create(order, { idempotencyKey: "order-1001" }))
  assert.instanceOf(failure, UnknownResultError)
  assert.strictEqual(failure.code, "payment_result_unknown")
  assert.notInclude(failure.message, "a secret of the store")
  assert.include(lines.find(({ level }) => level === "error")?.cause ?? "", "a secret of the store")
})

it("digits that may be a card number make no payment if a shop refuses them", async () => {
  const reference = "4111111111111111"
  const { pointsman: stores } = await open()
  assert.strictEqual((await stores.create({ ...order, reference })).payment.reference, reference)
  const { pointsman: refuses } = await open({ cardNumbers: "refuse" })
  const failure = await failureOf(refuses.create({ ...order, reference }))
  assert.instanceOf(failure, ValidationError)
  assert.strictEqual(failure.message, "`reference` must not contain a card number.")
})

it("nothing is recorded of a person's text with a card number", async () => {
  const { pointsman } = await open()
  const card = "4111 1111 1111 1111"
  const [payment, correction] = ["01a1fe08-9226-7266-a33a-e3e7f1609a4e", "01a1fe08-9226-7266-a33a-e3e7f1609a4f"]
  for (const [asked, field] of [
    [() => pointsman.corrections.reject(payment, correction, { by: "Jo", reason: card }), "reason"],
    [() => pointsman.reconciliation.close("first/txn_1", { by: "Jo", note: card }), "note"]
  ] as const) {
    const failure = await failureOf(asked())
    assert.instanceOf(failure, ValidationError)
    assert.strictEqual(failure.message, `\`${field}\` must not contain a card number.`)
  }
})
