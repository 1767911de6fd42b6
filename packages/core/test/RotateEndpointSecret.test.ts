/** The secret of a webhook endpoint, replaced by an operator. */
import { createHmac } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { endpointSecretContext, Pointsman } from "@pointsman/core"
import {
  type AuditEntry,
  AuditLog,
  Directory,
  Secrets,
  type WebhookEndpoint,
  type WebhookRequest
} from "@pointsman/core/ports"
import { scriptedSender } from "@pointsman/core/testing"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { rotateEndpointSecret } from "../src/verbs/deliver/RotateEndpointSecret.ts"
import { background, drawing, minute, pass, settle } from "./support/Delivering.ts"
import { itIn } from "./support/ItIn.ts"
import { caller, request, tenant, type World, world } from "./support/World.ts"

const endpoints = [{ id: "shop", events: ["payment.captured"] }]
const order = { endpointId: "shop", overlapMillis: 10 * minute, idempotencyKey: "rotate-once-1", seenRotation: null }

const rotate = (more: Partial<Parameters<Pointsman["Service"]["rotateEndpointSecret"]>[1]> = {}) =>
  Effect.flatMap(Pointsman, ({ rotateEndpointSecret }) => rotateEndpointSecret(tenant, { ...order, ...more }))

const stored = Effect.gen(function* () {
  const { webhookEndpoints } = yield* (yield* Directory).contents
  return webhookEndpoints.find(({ id }) => id === "shop")
})

const tagsOf = ({ body, headers }: WebhookRequest, secrets: ReadonlyArray<string>) => {
  const [time, ...tags] = (headers["x-service-signature"] ?? "").split(",")
  const expected = secrets.map(
    (secret) =>
      `v1=${createHmac("sha256", secret)
        .update(`${time?.slice(2)}.`)
        .update(body)
        .digest("hex")}`
  )
  return [tags, expected]
}

/** Where an endpoint is, of which a secret is rotated. */
const itRotates = (
  title: string,
  body: () => Effect.fn.Return<unknown, unknown, Layer.Success<World["layer"]>>,
  webhookEndpoints: ReadonlyArray<Partial<WebhookEndpoint> & { readonly id: string }> = endpoints
) => itIn(title, world({ webhookEndpoints }), body)

describe("an endpoint's secret", () => {
  it.effect("both secrets sign during the overlap of a rotation, and the new one after", () => {
    const sender = scriptedSender()
    const own = world({ sender, webhookEndpoints: endpoints })
    const deliverOne = Effect.gen(function* () {
      yield* (yield* Pointsman).create(caller, request())
      yield* settle
      return sender.sent.at(-1) as WebhookRequest
    })
    return Effect.gen(function* () {
      yield* background
      yield* pass(minute)
      const { endpoint, isChanged, secret } = yield* rotate()
      const text = Redacted.value(secret)
      assert.isTrue(isChanged)
      assert.match(text, /^whsec_./u)
      assert.deepInclude(endpoint.rotation, { at: minute, previousUntil: 11 * minute })
      assert.deepStrictEqual(yield* stored, endpoint)
      const [both, expectedBoth] = tagsOf(yield* deliverOne, [text, "whsec_shop"])
      assert.deepStrictEqual(both, expectedBoth)
      yield* pass(10 * minute)
      const [alone, expectedAlone] = tagsOf(yield* deliverOne, [text])
      assert.deepStrictEqual(alone, expectedAlone)
    }).pipe(Effect.provide(own.layer), drawing(0.5))
  })

  itRotates("the former secret is gone at once without an overlap", function* () {
    yield* rotate({ overlapMillis: 0 })
    assert.notProperty(yield* stored, "sealedPreviousSecret")
  })

  it.effect("a key sent again gets the same secret, and the endpoint was rotated once", () => {
    const entries: Array<AuditEntry> = []
    const log = Layer.succeed(AuditLog, (entry: AuditEntry) => Effect.sync(() => void entries.push(entry)))
    return Effect.gen(function* () {
      const first = yield* rotate()
      yield* TestClock.adjust(minute)
      const again = yield* rotate({ overlapMillis: 0 })
      assert.isFalse(again.isChanged)
      assert.strictEqual(Redacted.value(again.secret), Redacted.value(first.secret))
      assert.deepStrictEqual(yield* stored, first.endpoint)
      const [entry, ...others] = entries
      assert.deepInclude(entry, { action: "endpoint.secret_rotated", subject: "shop" })
      const details = { workspace_id: "acme", environment: "sandbox", previous_until: 10 * minute }
      assert.deepStrictEqual([JSON.parse(entry?.details ?? ""), others], [details, []])
    }).pipe(Effect.provide([log, world({ webhookEndpoints: endpoints }).layer]))
  })

  itRotates("a form sent again gives another secret once a configuration replaced it", function* () {
    const first = yield* rotate()
    const { rotation: _, sealedPreviousSecret: __, ...endpoint } = first.endpoint
    const sealedSecret = yield* (yield* Secrets).seal(Redacted.make("whsec_other"), endpointSecretContext("shop"))
    const webhookEndpoints = [{ ...endpoint, sealedSecret }]
    yield* (yield* Directory).write({ workspaces: [], apiKeys: [], connections: [], routing: [], webhookEndpoints })
    const again = yield* rotate()
    assert.isTrue(again.isChanged)
    assert.notStrictEqual(Redacted.value(again.secret), Redacted.value(first.secret))
  })

  itRotates("one of two requests about one secret replaces it, also at once", function* () {
    const results = yield* Effect.forEach(
      ["key-of-one", "key-of-other"],
      (idempotencyKey) => Effect.result(rotate({ idempotencyKey })),
      { concurrency: "unbounded" }
    )
    assert.sameMembers(
      results.map(({ _tag }) => _tag),
      ["Success", "Failure"]
    )
    const late = yield* Effect.flip(rotate({ idempotencyKey: "key-of-a-third" }))
    assert.strictEqual(late._tag, "pointsman/EndpointChanged")
    const before = yield* stored
    const seenRotation = before?.rotation?.at ?? null
    const next = yield* rotate({ idempotencyKey: "key-of-a-third", seenRotation })
    assert.strictEqual(next.endpoint.sealedPreviousSecret, before?.sealedSecret)
    // Of what the configuration named, and not of what an operator rotated away.
    assert.strictEqual(next.endpoint.rotation?.configured, before?.rotation?.configured)
  })

  itRotates("two requests under one key get one secret when the reads precede the writes", function* () {
    const directory = yield* Directory
    const stale = yield* directory.contents
    const first = yield* rotate()
    let reads = 0
    const behind = Directory.of({
      ...directory,
      contents: Effect.suspend(() => (reads++ === 0 ? Effect.succeed(stale) : directory.contents))
    })
    const second = yield* rotateEndpointSecret(tenant, order).pipe(Effect.provideService(Directory, behind))
    assert.strictEqual(reads, 2)
    assert.isFalse(second.isChanged)
    assert.strictEqual(Redacted.value(second.secret), Redacted.value(first.secret))
  })

  const undecryptable = [{ id: "shop", sealedSecret: "of another key" }]
  itRotates(
    "only the new secret signs if the rotated one cannot be decrypted",
    function* () {
      assert.isNull((yield* rotate()).endpoint.sealedPreviousSecret)
    },
    undecryptable
  )

  itRotates("an endpoint of another workspace or environment is not found", function* () {
    const { rotateEndpointSecret } = yield* Pointsman
    for (const other of [{ ...tenant, environment: "production" } as const, { ...tenant, workspaceId: "globex" }]) {
      const reason = yield* Effect.flip(rotateEndpointSecret(other, order))
      assert.strictEqual(reason._tag, "pointsman/EndpointNotFound")
    }
  })
})
