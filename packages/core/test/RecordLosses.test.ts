/** After a loss of records, nothing is sent that a provider may have executed before. */
import { assert, describe, it } from "@effect/vitest"
import { NothingSent, Pointsman, type PointsmanOptions } from "@pointsman/core"
import { Ids, RecordLosses, RecordsMissing } from "@pointsman/core/ports"
import * as MemoryStorage from "@pointsman/storage-memory"
import { Context, Effect, Layer } from "effect"
import { caller, request, tenant, world } from "./support/World.ts"

/** A world whose losses a test declares. */
const given = (options: PointsmanOptions = {}) => {
  const own = world(options)
  const losses = Layer.effectContext(
    Effect.map(Layer.build(MemoryStorage.layer().pipe(Layer.provide(Ids.layer))), (built) =>
      Context.make(RecordLosses, Context.get(built, RecordLosses))
    )
  )
  return { layer: Layer.provideMerge(own.layer, losses), provider: own.provider }
}

const lost = { since: 1_000, reason: "a test", declaredAt: 2_000 }
const returnUrl = "https://shop.example/done"
const order = { idempotencyKey: "order-0002", amountMinor: null, reason: null }

describe("a loss of records", () => {
  const { layer, provider } = given()
  it.effect(
    "given connections that are not recovered, then nothing is sent there, and what is on file is answered",
    () =>
      Effect.gen(function* () {
        const pointsman = yield* Pointsman
        const losses = yield* RecordLosses
        const manual = { captureMethod: "manual" } as const
        const keyed = request({ idempotencyKey: "order-0001", details: manual })
        const { payment } = yield* pointsman.create(caller, keyed)
        const captured = (yield* pointsman.create(caller, request())).payment
        const hosted = request({ idempotencyKey: "order-0005", returnUrl })
        const page = (yield* pointsman.create(caller, hosted)).payment
        const calls = provider.charges.length

        const loss = yield* losses.declare(lost)
        for (const failure of [
          yield* Effect.flip(pointsman.create(caller, request())),
          yield* Effect.flip(pointsman.create(caller, request({ idempotencyKey: "order-0003" }))),
          yield* Effect.flip(pointsman.create(caller, request({ idempotencyKey: "order-0004", returnUrl }))),
          yield* Effect.flip(pointsman.capture(caller, { ...order, paymentId: payment.id })),
          yield* Effect.flip(pointsman.void(caller, { ...order, paymentId: payment.id })),
          yield* Effect.flip(pointsman.refund(caller, { ...order, paymentId: captured.id }))
        ]) {
          assert.instanceOf(failure, NothingSent)
          assert.instanceOf(failure.cause, RecordsMissing)
          assert.strictEqual(failure.cause.since, lost.since)
        }
        assert.lengthOf(provider.charges, calls)
        assert.lengthOf([...provider.captures, ...provider.voids, ...provider.refunds], 0)
        const again = yield* pointsman.create(caller, keyed)
        assert.isTrue(again.isReplay)
        assert.strictEqual((yield* pointsman.create(caller, hosted)).payment.id, page.id)
        assert.deepStrictEqual(yield* pointsman.payment(tenant, payment.id), payment)

        // A payment's own connection is enough for what acts on it, and a create may go to any.
        yield* losses.markRecovered(loss, payment.connectionId ?? "", false)
        assert.strictEqual(
          (yield* pointsman.capture(caller, { ...order, paymentId: payment.id })).payment.state,
          "Captured"
        )
        assert.instanceOf(yield* Effect.flip(pointsman.create(caller, request())), NothingSent)
        yield* losses.end(loss, { outcome: "accepted", at: 3_000 })
        assert.isFalse((yield* pointsman.create(caller, request({ idempotencyKey: "order-0003" }))).isReplay)
      }).pipe(Effect.provide(layer))
  )

  const serving = given({ afterRestore: "serve" })
  it.effect("given servers that serve after a restore, then requests are sent all the same", () =>
    Effect.gen(function* () {
      yield* (yield* RecordLosses).declare(lost)
      assert.strictEqual((yield* (yield* Pointsman).create(caller, request())).payment.state, "Captured")
    }).pipe(Effect.provide(serving.layer))
  )
})
