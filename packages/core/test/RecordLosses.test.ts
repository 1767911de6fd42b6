/** After a loss of records, nothing is sent that a provider may have executed before. */
import { assert, describe } from "@effect/vitest"
import { type Caller, NothingSent, Pointsman, type Tenant } from "@pointsman/core"
import { StorageSnapshots } from "@pointsman/core/internal"
import { Directory, Ledger, RecordLosses, RecordsMissing, recoveryRetryMillis } from "@pointsman/core/ports"
import { Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { listingProvider } from "./support/ListingProvider.ts"
import { caller, recovered, request, tenant, world } from "./support/World.ts"

const lost = { since: 1_000, reason: "a test", declaredAt: 2_000 }
const returnUrl = "https://shop.example/done"
const order = { idempotencyKey: "order-0002", amountMinor: null, reason: null }
const whileMissing = { retryAfterMillis: recoveryRetryMillis }

describe("a loss of records", () => {
  itIn("nothing is sent to unrecovered connections, and what is on file is answered", world(), function* (own) {
    const { provider } = own
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
    const unsent = yield* Effect.flip(pointsman.create(caller, request()))
    assert.instanceOf(unsent, NothingSent)
    assert.instanceOf(unsent.cause, RecordsMissing)
    for (const idempotencyKey of ["order-0002", null]) {
      const again = { ...order, idempotencyKey }
      for (const refused of [
        yield* Effect.flip(pointsman.create(caller, request({ idempotencyKey: "order-0003" }))),
        yield* Effect.flip(pointsman.create(caller, request({ idempotencyKey: "order-0004", returnUrl }))),
        yield* Effect.flip(pointsman.capture(caller, { ...again, paymentId: payment.id })),
        yield* Effect.flip(pointsman.void(caller, { ...again, paymentId: payment.id }))
      ]) {
        assert.deepInclude({ ...refused }, { _tag: "pointsman/RequestInProgress", ...whileMissing })
      }
      const refund = yield* Effect.flip(pointsman.refund(caller, { ...again, paymentId: captured.id }))
      assert.deepInclude({ ...refund }, { _tag: "pointsman/RefundPending", ...whileMissing })
    }
    assert.lengthOf(provider.charges, calls)
    assert.lengthOf([...provider.captures, ...provider.voids, ...provider.refunds], 0)
    assert.isTrue((yield* pointsman.create(caller, keyed)).isReplay)
    assert.strictEqual((yield* pointsman.create(caller, hosted)).payment.id, page.id)
    assert.deepStrictEqual(yield* pointsman.payment(tenant, payment.id), payment)

    // What was lost may be at any connection of the workspace.
    yield* losses.markRecovered(loss, payment.connectionId ?? "", false)
    yield* Effect.flip(pointsman.capture(caller, { ...order, paymentId: payment.id }))
    yield* Effect.flip(pointsman.refund(caller, { ...order, paymentId: captured.id }))
    assert.lengthOf(provider.refunds, 0)
    assert.isTrue(Option.isSome(yield* pointsman.acceptLoss("backup")))
    assert.strictEqual((yield* losses.newest)?.ended?.outcome, "accepted")
    assert.strictEqual(
      (yield* pointsman.capture(caller, { ...order, paymentId: payment.id })).payment.state,
      "Captured"
    )
    assert.isFalse((yield* pointsman.create(caller, request({ idempotencyKey: "order-0003" }))).isReplay)
  })

  itIn("requests are sent by servers that serve after a restore", world({ afterRestore: "serve" }), function* () {
    yield* (yield* RecordLosses).declare(lost)
    assert.strictEqual((yield* (yield* Pointsman).create(caller, request())).payment.state, "Captured")
  })

  const other: Tenant = { workspaceId: "other", environment: "sandbox" }
  const others: Caller = { tenant: other, workspace: { ...caller.workspace, id: "other" } }
  itIn("a recovered workspace of two sends its requests, and has its own keys", world(), function* () {
    const directory = yield* Directory
    const contents = yield* directory.contents
    const [main] = contents.connections
    assert.isDefined(main)
    yield* directory.write({
      ...contents,
      workspaces: [...contents.workspaces, others.workspace],
      connections: [...contents.connections, { ...main, ...other, id: "theirs" }],
      routing: [...contents.routing, { ...other, settings: { mode: "failover" } }]
    })
    const pointsman = yield* Pointsman
    const losses = yield* RecordLosses
    const keyed = request({ idempotencyKey: "order-0001" })
    const attempts = yield* Effect.flatMap(pointsman.create(caller, keyed), ({ payment }) =>
      Effect.flatMap(Ledger, (ledger) => ledger.attempts(tenant, payment.id))
    )
    // As a recovery of another store of the first workspace files it.
    yield* losses.fileKey(tenant, {
      tag: attempts[0]?.id.slice(-12) ?? "",
      kind: "charge",
      paymentId: attempts[0]?.paymentId ?? ""
    })
    const loss = yield* losses.declare(lost)
    yield* Effect.flip(pointsman.create(others, keyed))
    yield* losses.markRecovered(loss, "theirs", false)
    assert.isFalse((yield* pointsman.create(others, keyed)).isReplay)
    yield* Effect.flip(pointsman.create(caller, request()))
  })

  const late = listingProvider()
  const inFlight = world({ provider: late })
  itIn("a recovery waits for a charge that was in flight when the loss was declared", inFlight, function* () {
    const snapshots = yield* StorageSnapshots
    assert(snapshots !== undefined)
    const pointsman = yield* Pointsman
    const { onCharge } = late
    late.onCharge = (asked) => Effect.andThen(Effect.sleep("20 seconds"), onCharge(asked))
    const putBack = yield* snapshots.take
    const keyed = request({ idempotencyKey: "order-0001" })
    const sending = yield* Effect.forkChild(Effect.exit(pointsman.create(caller, keyed)))
    yield* TestClock.adjust("1 second")
    yield* putBack
    yield* recovered(pointsman.recover({ since: 0, connectionId: null, isDryRun: false }))
    yield* TestClock.adjust("1 minute")
    yield* Fiber.join(sending)
    late.onCharge = onCharge
    assert.isTrue((yield* pointsman.create(caller, keyed)).isReplay)
    assert.lengthOf(late.charges, 1)
  })
})
