/** Verified messages about charges that are not stored: which of them declare a loss of records. */
import { assert } from "@effect/vitest"
import { NothingSent, Pointsman } from "@pointsman/core"
import { Directory, Ids, MessageUnreadable, type ProviderMessage, RecordLosses } from "@pointsman/core/ports"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { hearing, providerWith, receive } from "./support/Messages.ts"
import { creating } from "./support/Operations.ts"
import { attemptIdOf, liveCaller } from "./support/Pages.ts"
import { world } from "./support/World.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const noon = 20_000.5 * day
const claimWindowMillis = 15 * minute

interface Told {
  readonly charge: { readonly attemptId: string } | { readonly providerRef: string }
  /** Epoch milliseconds. */
  readonly at: number
}

/** A store of its own at a provider whose messages are `Told`. */
const worldOf = (environment: "production" | "sandbox" = "production") => {
  const read = ({ body }: { readonly body: Uint8Array }) => {
    const { at, charge, id } = JSON.parse(new TextDecoder().decode(body)) as Told & { readonly id: string }
    const state = () => ({ _tag: "Captured", providerRef: "ref" }) as const
    return Effect.succeed<ProviderMessage>({ id, at, about: { _tag: "Charge", charge, state } })
  }
  const provider = providerWith({
    readMessage: read,
    readStored: read,
    hints: {
      read: ({ body }) => {
        const attemptId = /^hint (\S+)$/u.exec(new TextDecoder().decode(body))?.[1]
        return attemptId === undefined
          ? Effect.fail(new MessageUnreadable({ reason: "no hint" }))
          : Effect.succeed(attemptId)
      },
      lookUp: (attemptId) => {
        const body = JSON.stringify({ id: "paid", at: noon, charge: { attemptId } })
        return Effect.map(read({ body: new TextEncoder().encode(body) }), (message) => [{ body, message }])
      }
    }
  })
  return world({ provider, environment, connections: hearing, claimWindowMillis })
}

let messages = 0
const deliver = (told: Told) => receive(JSON.stringify({ ...told, id: `msg_${++messages}` }))

const create = (idempotencyKey: string | null = null) => creating({ idempotencyKey }, liveCaller)

const attemptOf = (idempotencyKey: string | null = null) => Effect.map(create(idempotencyKey), attemptIdOf)

/** The attempt of a charge that another store made at this time, and that this one lost. */
const lostAt = Effect.fnUntraced(function* (at: number, idempotencyKey: string | null = null) {
  yield* TestClock.setTime(at)
  return yield* attemptOf(idempotencyKey).pipe(Effect.provide(worldOf().layer, { local: true }))
})

const newest = Effect.flatMap(RecordLosses, (losses) => losses.newest)
const checkDue = Effect.flatMap(Pointsman, (pointsman) => pointsman.checkDue)

for (const [kind, key] of [
  ["drawn", null],
  ["derived", "order-0001"]
] as const) {
  itIn(`an attempt of ours with a ${kind} id reveals a loss, and nothing is sent`, worldOf(), function* () {
    const attemptId = yield* lostAt(noon, key)
    yield* TestClock.setTime(noon - 2 * day)
    const kept = yield* create()
    yield* TestClock.setTime(noon + hour)
    yield* create()
    assert.isNull(yield* newest)
    yield* deliver({ charge: { attemptId }, at: noon + 1_000 })
    const loss = yield* newest
    assert.isAtMost(loss?.since ?? Number.POSITIVE_INFINITY, kept.createdAt)
    assert.isAtLeast(loss?.since ?? 0, kept.createdAt - hour)
    assert.strictEqual(loss?.reason, "a verified message of connection main names a charge that is not stored")
    assert.instanceOf(yield* Effect.flip(create()), NothingSent)
    // Another one of the same loss undoes nothing that was recovered since.
    yield* (yield* RecordLosses).markRecovered(loss ?? { number: 0, declaredAt: 0 }, "main", false)
    yield* deliver({ charge: { attemptId }, at: noon + 2_000 })
    assert.deepStrictEqual((yield* newest)?.recovered, ["main"])
  })

  itIn(`a charge with a ${kind} id reveals a loss only if older than a commit under way`, worldOf(), function* () {
    const attemptId = yield* lostAt(noon, key)
    yield* TestClock.setTime(noon + claimWindowMillis - 1)
    yield* deliver({ charge: { attemptId }, at: noon })
    yield* checkDue
    assert.isNull(yield* newest)
    yield* TestClock.adjust(claimWindowMillis + minute)
    yield* checkDue
    assert.isNotNull(yield* newest)
  })
}

itIn("a message that overtook its charge's commit reveals no loss later either", worldOf(), function* () {
  yield* TestClock.setTime(noon)
  // The same key gives the same id.
  const attemptId = yield* lostAt(noon, "order-0001")
  yield* deliver({ charge: { attemptId }, at: noon })
  assert.strictEqual(yield* attemptOf("order-0001"), attemptId)
  yield* TestClock.adjust(claimWindowMillis + minute)
  yield* checkDue
  yield* deliver({ charge: { attemptId }, at: noon })
  assert.isNull(yield* newest)
})

itIn("a hint's statement never declares a loss; a verified one does", worldOf(), function* () {
  const attemptId = yield* lostAt(noon)
  const pointsman = yield* Pointsman
  yield* TestClock.setTime(noon + hour)
  yield* receive(`hint ${attemptId}`)
  const { items } = yield* pointsman.messages({ limit: 1 })
  assert.deepInclude(items[0], { outcome: "unmatched", subjectId: attemptId })
  yield* TestClock.adjust(claimWindowMillis + minute)
  yield* checkDue
  yield* pointsman.applyMessage("main", items[0]?.eventId ?? "")
  assert.isNull(yield* newest)
  yield* deliver({ charge: { attemptId }, at: noon })
  assert.isNotNull(yield* newest)
})

itIn("a message is recorded while the store cannot be read, and checked until it can", worldOf(), function* (own) {
  const pointsman = yield* Pointsman
  own.ledger.canRead = (method) => method !== "events"
  const attemptId = yield* lostAt(noon)
  yield* TestClock.setTime(noon + hour)
  yield* deliver({ charge: { attemptId }, at: noon })
  assert.strictEqual((yield* pointsman.messages({ limit: 1 })).items[0]?.outcome, "unmatched")
  yield* Effect.forkScoped(pointsman.keepChecking(minute))
  for (let passed = 0; passed < 30; passed++) yield* TestClock.adjust(minute)
  assert.isNull(yield* newest)
  own.ledger.canRead = () => true
  for (let passed = 0; passed < 6; passed++) yield* TestClock.adjust(minute)
  assert.isNotNull(yield* newest)
})

itIn("charges that were made outside Pointsman reveal no loss", worldOf(), function* () {
  yield* TestClock.setTime(noon)
  for (const attemptId of [
    "order 1001",
    "pi_3NqYtM2eZvKYlo2C0Q6XQ1aB",
    "att_unknown",
    "att_9f1c2f0e-5a3b-4c1d-9e8f-0123456789ab",
    // A UUIDv8 without the beginning of a day.
    "att_0192f0e5-a3b4-8c1d-9e8f-0123456789ab"
  ]) {
    yield* deliver({ charge: { attemptId }, at: noon - 2 * hour })
  }
  yield* deliver({ charge: { providerRef: "ch_1" }, at: noon - 2 * hour })
  yield* TestClock.adjust(hour)
  yield* checkDue
  assert.isNull(yield* newest)
})

for (const [environment, after] of [
  ["sandbox", hour],
  ["production", 31 * day]
] as const) {
  itIn(
    `a charge of ${after / hour} hours ago reveals no loss in the ${environment}`,
    worldOf(environment),
    function* () {
      const attemptId = yield* lostAt(noon)
      yield* TestClock.setTime(noon + after)
      yield* deliver({ charge: { attemptId }, at: noon + after })
      assert.isNull(yield* newest)
    }
  )
}

itIn("another workspace's charge at the same account reveals no loss", worldOf(), function* () {
  yield* TestClock.setTime(noon)
  const directory = yield* Directory
  const { connections, workspaces, ...contents } = yield* directory.contents
  const other = "other"
  yield* directory.write({
    ...contents,
    workspaces: workspaces.map((one) => ({ ...one, id: other })),
    routing: [],
    connections: connections.map((one) => ({ ...one, id: `${one.id}-of-other`, workspaceId: other }))
  })
  const tenant = { ...liveCaller.tenant, workspaceId: other }
  const payment = yield* creating({}, { ...liveCaller, tenant })
  yield* TestClock.adjust(hour)
  yield* deliver({ charge: { attemptId: attemptIdOf(payment) }, at: noon })
  assert.isNull(yield* newest)
})

itIn("a charge of before declares no loss that an operator ended", worldOf(), function* (_, pointsman) {
  const attemptId = yield* lostAt(noon)
  yield* TestClock.setTime(noon + hour)
  yield* deliver({ charge: { attemptId }, at: noon })
  yield* pointsman.acceptLoss(null)
  yield* TestClock.adjust(hour)
  yield* deliver({ charge: { attemptId }, at: noon })
  assert.strictEqual((yield* newest)?.ended?.outcome, "accepted")
  yield* TestClock.adjust(hour)
  const later = yield* Effect.provide(
    Effect.flatMap(Ids, ({ attempt }) => attempt),
    Ids.layer
  )
  yield* TestClock.adjust(hour)
  yield* deliver({ charge: { attemptId: later }, at: noon + 3 * hour })
  assert.deepInclude(yield* newest, { number: 2, ended: null })
})
