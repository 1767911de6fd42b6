/** Payments that leave the store: archived before they are removed, read from the archive, and closed to operations. */
import { assert } from "@effect/vitest"
import { PaymentNotFound, Pointsman } from "@pointsman/core"
import {
  Archive,
  ArchiveError,
  type ArchiveManifest,
  type ArchiveService,
  Ledger,
  StorageError,
  type WholePayment
} from "@pointsman/core/ports"
import { Effect, Exit, Layer, Logger, Option, Stream } from "effect"
import { TestClock } from "effect/testing"
import { begin, day, disputed, opened, state } from "./support/Disputes.ts"
import { itHere, itIn } from "./support/ItIn.ts"
import { created, operate, operationKinds, told } from "./support/Operations.ts"
import { tenant, world } from "./support/World.ts"

const year = 366 * 24 * 60 * 60_000

/** An archive in memory. Each of its puts ends as `onPut` says, before or after what it keeps. */
const archiveDouble = () => {
  const kept = new Map<string, WholePayment>()
  const failure = new ArchiveError({ operation: "test", reason: "the bucket does not answer", cause: "test" })
  const double = {
    kept,
    puts: 0,
    finds: 0,
    onPut: "keeps" as "keeps" | "fails" | "keeps and fails" | "dies" | "keeps and dies" | "loses one",
    onFind: "answers" as "answers" | "fails" | "hangs",
    layer: Layer.suspend(() => Layer.succeed(Archive, service))
  }
  const service: ArchiveService = {
    location: "memory",
    put: Effect.fnUntraced(function* (payments) {
      double.puts += 1
      if (double.onPut === "fails") return yield* failure
      if (double.onPut === "dies") return yield* Effect.die("the process ended")
      const written = double.onPut === "loses one" ? payments.slice(1) : payments
      for (const payment of written) kept.set(payment.book.payment.id, payment)
      if (double.onPut === "keeps and fails") return yield* failure
      if (double.onPut === "keeps and dies") return yield* Effect.die("the process ended")
      return [{ payments: written.length } as ArchiveManifest]
    }),
    find: (of, id) =>
      Effect.suspend(() => {
        double.finds += 1
        if (double.onFind === "fails") return Effect.fail(failure)
        if (double.onFind === "hangs") return Effect.never
        const found = kept.get(id)
        const isOf = found?.book.payment.tenant.environment === of.environment
        return Effect.succeed(isOf ? Option.fromUndefinedOr(found) : Option.none())
      }),
    tenants: Effect.succeed([]),
    list: () => Stream.empty,
    read: () => Stream.empty,
    verify: () => Effect.die("not asked"),
    reach: Effect.void
  }
  return double
}

const sweep = Effect.flatMap(Pointsman, ({ sweepStore }) => sweepStore({ isDryRun: false, pauseMillis: 0 }))

const isStored = (id: string) =>
  Effect.flatMap(Ledger, (ledger) => Effect.map(ledger.payment(tenant, id), Option.isSome))

const anotherId = (id: string) => id.replace(/.$/u, (end) => (end === "0" ? "1" : "0"))

/** A payment that is old enough to leave. */
const oldPayment = Effect.tap(created(), () => TestClock.adjust(8 * year))

const own = () => {
  const archive = archiveDouble()
  return { archive, layer: world().layer.pipe(Layer.provide(archive.layer)) }
}

itIn("a payment that left is read from the archive, with its timeline", own(), function* (own, pointsman) {
  const { id } = yield* oldPayment
  const before = yield* pointsman.payment(tenant, id)
  const file = yield* pointsman.paymentFile(tenant, id)
  const timeline = yield* pointsman.timeline(tenant, id, { limit: 50 })
  assert.strictEqual(own.archive.finds, 0)
  yield* sweep
  assert.isFalse(yield* isStored(id))
  assert.deepStrictEqual(yield* pointsman.payment(tenant, id), before)
  assert.deepStrictEqual(yield* pointsman.paymentFile(tenant, id), file)
  assert.deepStrictEqual(yield* pointsman.timeline(tenant, id, { limit: 50 }), timeline)
  const [first, second] = timeline.items
  assert(first !== undefined && second !== undefined)
  assert.deepStrictEqual(yield* pointsman.timeline(tenant, id, { limit: 1 }), { items: [first], hasMore: true })
  const rest = yield* pointsman.timeline(tenant, id, { after: first.id, limit: 50 })
  assert.deepStrictEqual(rest.items, timeline.items.slice(1))
  const elsewhere = { ...tenant, environment: "production" } as const
  assert.instanceOf(yield* Effect.flip(pointsman.payment(elsewhere, id)), PaymentNotFound)
  assert.instanceOf(yield* Effect.flip(pointsman.timeline(elsewhere, id, { limit: 1 })), PaymentNotFound)
})

itIn("a payment with an ended dispute is archived with it, but without evidence", own(), function* (own, pointsman) {
  const { dispute, payment } = yield* disputed()
  yield* state(payment.providerRef, { verdict: "lost" }, begin + day)
  yield* TestClock.adjust(8 * year)
  yield* sweep
  assert.isFalse(yield* isStored(payment.id))
  const [left] = own.archive.kept.get(payment.id)?.disputes ?? []
  assert.deepInclude(left, { id: dispute.id, status: "lost", money: opened.money, evidence: null })
  assert.deepStrictEqual((yield* pointsman.disputes(tenant, { limit: 9 })).items, [])
})

itIn("a capture, void or refund of an archived payment is refused", own(), function* (own) {
  const { id: paymentId } = yield* oldPayment
  yield* sweep
  for (const kind of operationKinds) {
    assert.strictEqual(told(yield* operate(kind, paymentId)), "pointsman/PaymentArchived")
    own.archive.onFind = "fails"
    assert.strictEqual(told(yield* operate(kind, paymentId)), "pointsman/NothingSent")
    own.archive.onFind = "answers"
  }
  assert.strictEqual(told(yield* operate("capture", anotherId(paymentId))), "pointsman/PaymentNotFound")
})

itIn("reads from an archive that fails or is silent fail; other payments are read", own(), function* (own) {
  const pointsman = yield* Pointsman
  const { id } = yield* oldPayment
  yield* sweep
  const recent = yield* created()
  own.archive.onFind = "fails"
  assert.instanceOf(yield* Effect.flip(pointsman.payment(tenant, id)), StorageError)
  own.archive.onFind = "hangs"
  yield* Effect.forkChild(pointsman.payment(tenant, id), { startImmediately: true })
  assert.strictEqual((yield* pointsman.payment(tenant, recent.id)).id, recent.id)
  const finds = own.archive.finds
  const young = anotherId(recent.id)
  assert.instanceOf(yield* Effect.flip(pointsman.payment(tenant, young)), PaymentNotFound)
  assert.strictEqual(own.archive.finds, finds)
})

for (const onPut of ["fails", "keeps and fails", "dies", "keeps and dies", "loses one"] as const) {
  itIn(`payments stay when an archive ${onPut}, and the next sweep archives them again`, own(), function* (own) {
    const { id } = yield* oldPayment
    own.archive.onPut = onPut
    assert.isTrue(Exit.isFailure(yield* Effect.exit(sweep)))
    assert.isTrue(yield* isStored(id))
    own.archive.onPut = "keeps"
    yield* sweep
    assert.isFalse(yield* isStored(id))
    assert.isTrue(own.archive.kept.has(id))
    assert.strictEqual(own.archive.puts, 2)
  })
}

itHere("an old payment is not found without an archive, and the log says so once", function* (_, pointsman) {
  const lines: Array<string> = []
  const logger = Logger.make(({ message }) => void lines.push(String(message)))
  const { id } = yield* oldPayment
  yield* sweep
  const recent = yield* created()
  const young = anotherId(recent.id)
  yield* Effect.gen(function* () {
    for (const asked of [id, id, young, "no id"]) {
      assert.instanceOf(yield* Effect.flip(pointsman.payment(tenant, asked)), PaymentNotFound)
    }
  }).pipe(Effect.provide(Logger.layer([logger])))
  assert.lengthOf(lines, 1)
  assert.include(lines[0], "old enough to have left the store")
})
