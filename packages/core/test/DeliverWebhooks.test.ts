/** Webhooks on their way to merchants: when they are sent, how often and with what. */
import { createHmac } from "node:crypto"
import { assert } from "@effect/vitest"
import { type Delivery, Pointsman, type Tenant } from "@pointsman/core"
import { defaultWebhookScheduleMillis } from "@pointsman/core/internal"
import {
  Deliveries,
  Directory,
  Ledger,
  Secrets,
  StorageError,
  type WebhookEndpoint,
  WebhookNotAnswered,
  type WebhookRequest
} from "@pointsman/core/ports"
import { openSecretsLayer, type ScriptedSender, scriptedSender } from "@pointsman/core/testing"
import { Clock, Effect, Fiber, Layer } from "effect"
import { background, drawn, lookEvery, minute, pass, second, settle } from "./support/Delivering.ts"
import { itIn } from "./support/ItIn.ts"
import { created } from "./support/Operations.ts"
import { assertFields } from "./support/Steps.ts"
import { tenant, world } from "./support/World.ts"

const create = created()

/** The background delivers, from the events of one payment on. */
const sending = Effect.tap(Effect.andThen(background, create), () => settle)

const deliveries = Effect.gen(function* () {
  return (yield* (yield* Pointsman).deliveries(tenant, { limit: 1000 })).items.toReversed()
})

const only = Effect.gen(function* () {
  const [delivery, ...others] = yield* deliveries
  assert.lengthOf(others, 0)
  return delivery as Delivery
})

const changeEndpoints = Effect.fnUntraced(function* (change: Partial<WebhookEndpoint>) {
  const directory = yield* Directory
  const { webhookEndpoints, ...contents } = yield* directory.contents
  yield* directory.write({ ...contents, webhookEndpoints: webhookEndpoints.map((one) => ({ ...one, ...change })) })
})

/** One endpoint, which hears of captures alone: one event for each payment. */
const captures = [{ id: "shop", events: ["payment.captured"] }]

const answering = (status: number) => () => Effect.succeed(status)
const notAnswered = (failure: WebhookNotAnswered["failure"]) => () =>
  Effect.fail(new WebhookNotAnswered({ failure, message: "as told" }))
const hanging = () => Effect.never

/** A world that sends to a scripted receiver, the times at which it sent, and draws that leave delays as they are. */
const given = (onSend?: ScriptedSender["onSend"], options: Parameters<typeof world>[0] = {}, draw = 0.5) => {
  const sender = scriptedSender()
  const answer = onSend ?? sender.onSend
  const times: Array<number> = []
  sender.onSend = (one, number) =>
    Effect.andThen(
      Effect.tap(Clock.currentTimeMillis, (now) => Effect.sync(() => times.push(now))),
      answer(one, number)
    )
  const own = world({ sender, webhookEndpoints: captures, ...options })
  return { ...own, sender, times, layer: drawn(own.layer, draw) }
}

const verified = ({ body, headers }: WebhookRequest, secret: string) => {
  const [, time = "", tag = ""] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers["x-service-signature"] ?? "") ?? []
  assert.strictEqual(tag, createHmac("sha256", secret).update(`${time}.`).update(body).digest("hex"))
  return Number(time)
}

const shown = given(undefined, { webhookEndpoints: [{ id: "shop" }] })
itIn("a payment's events are sent to an endpoint at once, as the API shows them", shown, function* ({ sender }) {
  yield* background
  yield* pass(12_345)
  const payment = yield* create
  yield* settle
  const { items } = yield* (yield* Pointsman).timeline(tenant, payment.id, { limit: 10 })
  assert.deepStrictEqual(
    sender.sent.map(({ body }) => JSON.parse(new TextDecoder().decode(body))),
    items.map(({ createdAt, data, id, type }) => ({ id, type, created: new Date(createdAt).toISOString(), data }))
  )
  assertFields(items, "type", "payment.created", "payment.captured")
  const stored = yield* deliveries
  sender.sent.forEach((sent, index) => {
    assert.strictEqual(sent.url, "https://merchant.example/shop")
    assert.deepStrictEqual(Object.keys(sent.headers).toSorted(), [
      "content-type",
      "x-service-delivery-id",
      "x-service-event-id",
      "x-service-signature"
    ])
    assert.strictEqual(sent.headers["content-type"], "application/json")
    assert.strictEqual(sent.headers["x-service-event-id"], items[index]?.id)
    assert.strictEqual(sent.headers["x-service-delivery-id"], stored[index]?.id)
    assert.strictEqual(verified(sent, "whsec_shop"), 12)
  })
  assert.deepStrictEqual(
    stored.map(({ dueAt, failures, state }) => ({ dueAt, failures, state })),
    Array.from({ length: 2 }, () => ({ dueAt: null, failures: 0, state: "Delivered" as const }))
  )
})

// The looks of more than a day are many: the whole schedule for one failure, and a short one for the others.
const whole = defaultWebhookScheduleMillis
const short = [0, 5 * second, 10 * second]
const failures: ReadonlyArray<readonly [string, ScriptedSender["onSend"], lasts: number, typeof whole]> = [
  ["is answered 500", answering(500), 0, whole],
  ["is answered 503", answering(503), 0, short],
  ["is answered 599", answering(599), 0, short],
  ["is redirected", answering(302), 0, short],
  ["is answered 304", answering(304), 0, short],
  ["is not connected", notAnswered("NoConnection"), 0, short],
  ["loses its connection", notAnswered("NoAnswer"), 0, short],
  ["goes to an address that is refused", notAnswered("AddressRefused"), 0, short],
  ["meets a defect", () => Effect.die(new Error("as told")), 0, short],
  ["is never answered", hanging, 15 * second, short]
]
for (const [what, onSend, lasts, scheduleMillis] of failures) {
  const own = given(onSend, { webhookScheduleMillis: scheduleMillis })
  itIn(`what ${what} is sent by the schedule and then given up`, own, function* ({ sender, times }) {
    yield* sending
    let expected = 0
    for (const [index, delay] of scheduleMillis.entries()) {
      if (index > 0) {
        expected += lasts + delay
        yield* pass(lasts + delay - 1)
        assert.lengthOf(times, index)
        yield* pass(1)
      }
      assert.strictEqual(times.at(-1), expected)
      assert.lengthOf(times, index + 1)
    }
    yield* pass(lasts)
    const last = yield* only
    assert.deepStrictEqual(
      [last.state, last.dueAt, last.failures, last.attempts],
      ["GivenUp", null, scheduleMillis.length, scheduleMillis.length]
    )
    yield* pass(60 * minute)
    assert.lengthOf(times, scheduleMillis.length)
    // One id over all attempts, and a signature of the moment for each.
    const ids = sender.sent.map(({ headers }) => headers["x-service-delivery-id"])
    assert.deepStrictEqual([...new Set(ids)], [last.id])
    sender.sent.forEach((sent, index) => {
      assert.strictEqual(verified(sent, "whsec_shop"), Math.floor((times[index] ?? 0) / 1000))
      assert.deepStrictEqual(sent.body, sender.sent[0]?.body)
    })
    const attempts = yield* (yield* Pointsman).deliveryAttempts(tenant, last.id)
    assertFields(
      attempts,
      ["number", "sentAt", "endedAt"],
      ...times.map((time, index) => [index + 1, time, time + lasts])
    )
  })
}

for (const [draw, factor] of [
  [0, 0.9],
  [1, 1.1]
] as const) {
  const own = given(answering(500), { webhookScheduleMillis: [...short, 60 * minute] }, draw)
  itIn(`each delay is multiplied for a draw of ${draw}: ${factor} times as long`, own, function* ({ times }) {
    yield* sending
    for (const delay of [...short.slice(1), 60 * minute]) {
      const { dueAt } = yield* only
      const now = yield* Clock.currentTimeMillis
      assert.strictEqual(dueAt, (times.at(-1) ?? 0) + Math.round(delay * factor))
      yield* pass((dueAt ?? 0) - now)
      // The next look may be that far away.
      yield* pass(lookEvery - 1)
    }
    assert.strictEqual((yield* only).state, "GivenUp")
  })
}

const scheduled = given(answering(500), { webhookScheduleMillis: [10 * second, 15 * second] })
itIn("an operator's schedule is followed, its first delay included", scheduled, function* ({ times }) {
  yield* sending
  yield* pass(minute)
  assert.deepStrictEqual(times, [10 * second, 25 * second])
  assert.strictEqual((yield* only).state, "GivenUp")
})

for (const status of [200, 201, 202, 204, 299, 400, 401, 404, 408, 410, 429, 499]) {
  const expected = status < 300 ? "Delivered" : "Refused"
  itIn(`an answer ${status} is final: ${expected}`, given(answering(status)), function* ({ sender }, pointsman) {
    yield* sending
    yield* pass(60 * minute)
    assert.lengthOf(sender.sent, 1)
    const { dueAt, id, state } = yield* only
    assert.deepStrictEqual([state, dueAt], [expected, null])
    assertFields(yield* pointsman.deliveryAttempts(tenant, id), "end", { _tag: "Answered", status })
  })
}

const refused = given(answering(410))
itIn("a refused delivery's file has its attempts; it is resent only as it was seen", refused, function* ({ sender }) {
  const payment = yield* sending
  const pointsman = yield* Pointsman
  const { id } = yield* only
  const { attempts, delivery, event } = yield* pointsman.deliveryFile(tenant, id)
  assert.deepStrictEqual([delivery.state, event.type, event.paymentId], ["Refused", "payment.captured", payment.id])
  assertFields(attempts, ["number", "end"], [1, { _tag: "Answered", status: 410 }])
  assert.deepStrictEqual(yield* pointsman.deliveredEvents(tenant, [id, "dlv_of_none"]), new Map([[id, event]]))
  for (const seenAttempts of [0, 2]) {
    const refused = yield* Effect.flip(pointsman.redeliver(tenant, id, { seenAttempts }))
    assert.strictEqual(refused._tag, "pointsman/NotRedeliverable")
  }
  yield* pointsman.redeliver(tenant, id, { seenAttempts: 1 })
  yield* settle
  assert.lengthOf(sender.sent, 2)
  const elsewhere = yield* Effect.flip(pointsman.deliveryFile({ ...tenant, environment: "production" }, id))
  assert.strictEqual(elsewhere._tag, "pointsman/DeliveryNotFound")
})

const back = given((_, number) => Effect.succeed(number < 3 ? 500 : 200))
itIn("a failed delivery arrives when the receiver is back, and nothing more is sent", back, function* ({ sender }) {
  yield* sending
  yield* pass(60 * minute)
  const delivery = yield* only
  assert.deepStrictEqual([delivery.state, delivery.failures, delivery.attempts], ["Delivered", 2, 3])
  assert.lengthOf(sender.sent, 3)
})

const sealedPreviousSecret = "webhook-endpoint:shop:secret|whsec_old"
const replacing = given(undefined, { webhookEndpoints: [{ ...captures[0], id: "shop", sealedPreviousSecret }] })
itIn("what is sent with a secret that is being replaced is signed with both", replacing, function* ({ sender }) {
  yield* sending
  const { body, headers } = sender.sent[0] as WebhookRequest
  const tagOf = (secret: string) => createHmac("sha256", secret).update("0.").update(body).digest("hex")
  assert.strictEqual(headers["x-service-signature"], `t=0,v1=${tagOf("whsec_shop")},v1=${tagOf("whsec_old")}`)
})

const asked: Array<string> = []
const counting = Layer.effect(
  Secrets,
  Effect.map(Secrets, (secrets) => ({
    ...secrets,
    open: (sealed, context) => {
      asked.push(sealed)
      return secrets.open(sealed, context)
    }
  }))
).pipe(Layer.provide(openSecretsLayer))
const counted = given(undefined, { secrets: counting })
itIn("an endpoint's secret is opened once for many payments, and again when replaced", counted, function* ({ sender }) {
  yield* background
  for (let count = 0; count < 3; count++) yield* Effect.andThen(create, settle)
  assert.deepStrictEqual(
    asked.filter((sealed) => sealed.startsWith("webhook-endpoint:")),
    ["webhook-endpoint:shop:secret|whsec_shop"]
  )
  yield* changeEndpoints({ sealedSecret: "webhook-endpoint:shop:secret|whsec_new" })
  yield* Effect.andThen(create, settle)
  assert.lengthOf(sender.sent, 4)
  verified(sender.sent[2] as WebhookRequest, "whsec_shop")
  verified(sender.sent[3] as WebhookRequest, "whsec_new")
})

const unreadable = given(undefined, {
  webhookEndpoints: [{ ...captures[0], id: "shop", sealedSecret: "of another key" }]
})
itIn("nothing is sent while a secret cannot be opened, and it is tried again", unreadable, function* ({ sender }) {
  yield* sending
  assert.lengthOf(sender.sent, 0)
  const { dueAt, id, state } = yield* only
  assert.deepStrictEqual([state, dueAt], ["Due", 5 * second])
  const attempts = yield* (yield* Pointsman).deliveryAttempts(tenant, id)
  assertFields(attempts, "end", { _tag: "Failed", failure: "SecretUnreadable" })
})

itIn("what was due for an endpoint that is no longer active is given up unsent", given(), function* ({ sender }) {
  yield* create
  yield* changeEndpoints({ active: false })
  yield* background
  yield* settle
  assert.lengthOf(sender.sent, 0)
  const { failures, state } = yield* only
  assert.deepStrictEqual([state, failures], ["GivenUp", 0])
})

const died = given((_, number) => (number === 1 ? hanging() : Effect.succeed(200)))
itIn("another process sends under the same ids after the lease of one that died", died, function* ({ sender, times }) {
  const dying = yield* background
  yield* create
  yield* settle
  assert.lengthOf(sender.sent, 1)
  yield* Fiber.interrupt(dying)
  yield* background
  yield* pass(minute - 1)
  assert.lengthOf(sender.sent, 1)
  yield* pass(1)
  assert.deepStrictEqual(times, [0, minute])
  const [first, again] = sender.sent
  assert.deepStrictEqual(again?.body, first?.body)
  for (const id of ["x-service-event-id", "x-service-delivery-id"]) {
    assert.strictEqual(again?.headers[id], first?.headers[id])
  }
  assert.strictEqual(verified(again as WebhookRequest, "whsec_shop"), 60)
  const delivery = yield* only
  // What nobody heard the end of counts as no failure: the schedule is where it was.
  assert.deepStrictEqual([delivery.state, delivery.failures, delivery.attempts], ["Delivered", 0, 2])
  const attempts = yield* (yield* Pointsman).deliveryAttempts(tenant, delivery.id)
  assertFields(attempts, ["end", "endedAt"], [null, null], [{ _tag: "Answered", status: 200 }, minute])
})

const unheard = given(undefined, { webhookEndpoints: [{ id: "shop" }] })
itIn(
  "what was written is sent although the ledger loses the answers of its commits",
  unheard,
  function* ({ sender, ledger }) {
    yield* background
    ledger.onCommit = (number) => (number === 2 ? "unheard" : undefined)
    yield* Effect.exit(create)
    yield* pass(minute)
    const types = sender.sent.map(({ body }) => JSON.parse(new TextDecoder().decode(body)).type)
    const { items } = yield* (yield* Pointsman).events(tenant, { limit: 100 })
    assert.deepStrictEqual(types, items.map(({ type }) => type).toReversed())
    assert.include(types, "payment.captured")
  }
)

const unwritten = given(undefined, { webhookEndpoints: [{ id: "shop" }] })
itIn("nothing is sent of a commit that surely wrote nothing", unwritten, function* ({ sender, ledger }) {
  yield* background
  ledger.onCommit = () => "unwritten"
  yield* Effect.exit(create)
  yield* pass(minute)
  assert.lengthOf(sender.sent, 0)
  assert.lengthOf(yield* deliveries, 0)
})

let refusals = 3
const failing = Layer.effect(
  Deliveries,
  Effect.map(Deliveries, (store) => ({
    ...store,
    record: (records) =>
      Effect.suspend(() => {
        refusals -= 1
        return refusals >= 0
          ? Effect.fail(new StorageError({ operation: "record", cause: new Error("as told") }))
          : store.record(records)
      })
  }))
)
const own = given()
const layer = drawn(Layer.fresh(own.layerOver(failing)))
itIn("an end that the store cannot record for a while is recorded later, and sent once", { layer }, function* () {
  yield* sending
  yield* pass(10 * second)
  assert.lengthOf(own.sender.sent, 1)
  assert.strictEqual((yield* only).state, "Delivered")
})

const again = given((_, number) => Effect.succeed(number <= 2 ? 500 : number === 3 ? 410 : 200), {
  webhookScheduleMillis: [0, lookEvery]
})
itIn("a message given up or refused is sent at once under its id when requested again", again, function* ({ sender }) {
  const pointsman = yield* Pointsman
  yield* sending
  yield* pass(lookEvery)
  const givenUp = yield* only
  assert.strictEqual(givenUp.state, "GivenUp")
  const asked = yield* pointsman.redeliver(tenant, givenUp.id)
  assert.deepStrictEqual([asked.state, asked.failures, asked.dueAt], ["Due", 0, lookEvery])
  yield* settle
  assert.strictEqual((yield* only).state, "Refused")
  yield* pointsman.redeliver(tenant, givenUp.id)
  yield* settle
  assert.deepStrictEqual([(yield* only).state, sender.sent.length], ["Delivered", 4])
  assert.strictEqual(sender.sent[3]?.headers["x-service-delivery-id"], givenUp.id)
  const refusal = yield* Effect.flip(pointsman.redeliver(tenant, givenUp.id))
  assert.deepInclude(refusal, { _tag: "pointsman/NotRedeliverable", state: "Delivered" })
  // One that arrived is sent again for who saw it, once.
  const seen = { seenAttempts: 4 }
  yield* pointsman.redeliver(tenant, givenUp.id, seen)
  yield* settle
  assert.deepStrictEqual([(yield* only).state, sender.sent.length], ["Delivered", 5])
  assert.strictEqual(
    (yield* Effect.flip(pointsman.redeliver(tenant, givenUp.id, seen)))._tag,
    "pointsman/NotRedeliverable"
  )
  const other: Tenant = { ...tenant, environment: "production" }
  for (const call of [
    pointsman.redeliver(other, givenUp.id),
    pointsman.redeliver(tenant, "dlv_of_nobody"),
    Effect.andThen(pointsman.deliveryAttempts(other, givenUp.id), Effect.never)
  ]) {
    assert.strictEqual((yield* Effect.flip(call))._tag, "pointsman/DeliveryNotFound")
  }
})

itIn("deliveries wait in the store without a sender", world({ webhookEndpoints: captures }), function* () {
  yield* background
  const payment = yield* create
  yield* pass(minute)
  const { attempts, state } = yield* only
  assert.deepStrictEqual([state, attempts], ["Due", 0])
  assert.strictEqual((yield* (yield* Ledger).timeline(tenant, payment.id, { limit: 10 })).length, 2)
})
