import { describe, expect, it } from "@effect/vitest"
import { firstVersionIn, newClaim, StorageSnapshots } from "@pointsman/core/internal"
import { type Change, Directory, Ids, Ledger, StorageHistory } from "@pointsman/core/ports"
import { layer } from "@pointsman/storage-memory"
import { Effect, Layer, Option } from "effect"
import { newChange, tenant } from "../../sql/test/Given.ts"

const changeOf = Effect.fnUntraced(function* (key: string) {
  const change = yield* newChange({ tenant: { ...tenant }, idempotencyKey: key })
  const paymentId = change.payment.after.id
  return {
    ...change,
    attempts: [],
    events: [{ type: "payment.created", paymentId, createdAt: 0, data: { nested: { amount: 1000 } } }],
    claim: { expected: 0, after: newClaim({ key, fingerprint: "fp", paymentId, claimedAt: 0 }) }
  } satisfies Change
})

const page = { returnUrl: "https://shop.example/back", cancelUrl: null, expiresAt: 1 }

const call = {
  requestedMinor: null,
  money: { minorUnits: 1000, currency: "EUR" },
  idempotencyKey: null,
  connectionId: "first",
  providerRef: "ref-1",
  timeoutMillis: 30_000,
  sentAt: 0,
  answeredAt: null,
  code: null,
  reason: null,
  reply: null
}
const operation = { ...call, id: "op_1", claimedBy: null, kind: "void", outcome: "Unanswered" } as const
const refund = {
  ...call,
  id: "rf_1",
  claimedBy: null,
  origin: "api",
  stage: "Refused",
  providerRefundId: null,
  settledAt: null,
  failureReason: null
} as const

/** As a caller without TypeScript could. */
const vandalise = (value: unknown): void => {
  if (typeof value !== "object" || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    vandalise(inner)
    Reflect.set(value, name, "changed")
  }
}

/** The next write of a payment and of its key. */
const nextOf = (change: Change, version: number): Change => {
  const { claim, payment, tenant } = change
  return {
    tenant,
    payment: { expected: version - 1, after: { ...payment.after, version } },
    attempts: [],
    events: [],
    claim: claim && { expected: version - 1, after: { ...claim.after, version } }
  }
}

/** The first event id takes longest. */
const slowIds = Layer.effect(
  Ids,
  Effect.map(Ids, (ids) => {
    let turns = 16
    const wait = Effect.suspend(() =>
      Effect.repeat(
        Effect.promise(() => Promise.resolve()),
        { times: turns-- }
      )
    )
    return Ids.of({ ...ids, event: Effect.tap(ids.event, () => wait) })
  })
).pipe(Layer.provide(Ids.layer))

describe("memory storage put back to an earlier state", () => {
  it.effect("a step decided on a lost record is stale on another one with its number", () =>
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const snapshots = yield* StorageSnapshots
      const made = yield* changeOf("key-0001")
      const { id } = made.payment.after
      yield* ledger.commit(made)
      const putBack = yield* snapshots?.take ?? Effect.die("it has no snapshots")
      yield* ledger.commit(nextOf(made, 2))
      yield* putBack
      // What is left is the same record as before.
      yield* ledger.commit(nextOf(made, 2))
      const stale = yield* Effect.flip(ledger.commit(nextOf(made, 3)))
      expect(stale._tag).toBe("pointsman/Stale")
      const version = firstVersionIn(2) + 1
      expect(Option.getOrThrow(yield* ledger.payment(tenant, id)).version).toBe(version)
      expect(Option.getOrThrow(yield* ledger.claim(tenant, "key-0001")).version).toBe(version)
      yield* ledger.commit(nextOf(made, version + 1))
    }).pipe(Effect.provide(Layer.provideMerge(layer(), Ids.layer)))
  )

  it.effect("a step decided on a lost payment is stale once it is stored again", () =>
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const snapshots = yield* StorageSnapshots
      const putBack = yield* snapshots?.take ?? Effect.die("it has no snapshots")
      const made = yield* changeOf("key-0001")
      yield* ledger.commit(made)
      yield* putBack
      yield* ledger.commit(made)
      expect((yield* Effect.flip(ledger.commit(nextOf(made, 2))))._tag).toBe("pointsman/Stale")
      // A payment that begins now is numbered as it is stored: its next step is decided on what was written.
      const version = (yield* StorageHistory).firstVersion()
      const later = yield* changeOf("key-0002")
      const first = nextOf(later, version)
      yield* ledger.commit({
        ...first,
        payment: { ...first.payment, expected: 0 },
        claim: first.claim && { ...first.claim, expected: 0 }
      })
      yield* ledger.commit(nextOf(later, version + 1))
    }).pipe(Effect.provide(Layer.provideMerge(layer(), Ids.layer)))
  )
})

describe("memory storage", () => {
  it.effect("the store stays as it was when a caller changes what went in or came out", () =>
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const directory = yield* Directory
      const made = yield* changeOf("key-0001")
      const { after } = made.payment
      const change: Change = {
        ...made,
        payment: { expected: 0, after: { ...after, hosted: { ...page, tokenHash: "hash" } } },
        operations: [{ ...operation, paymentId: after.id }],
        refunds: [{ ...refund, paymentId: after.id }]
      }
      const expected = structuredClone(change)
      const workspace = {
        id: "ws",
        name: "Acme",
        country: null,
        category: null,
        suspended: false,
        partner: { allowance: 1 }
      }
      const contents = { workspaces: [workspace], apiKeys: [], connections: [], routing: [], webhookEndpoints: [] }
      const expectedWorkspace = structuredClone(workspace)
      yield* ledger.commit(change)
      yield* directory.write(contents)
      const { id } = expected.payment.after

      const readAll = Effect.gen(function* () {
        return {
          payment: Option.getOrThrow(yield* ledger.payment(tenant, id)),
          payments: yield* ledger.payments(tenant, { limit: 1 }),
          book: Option.getOrThrow(yield* ledger.book(tenant, id)),
          ofPage: Option.getOrThrow(yield* ledger.paymentOfPage("hash")),
          events: yield* ledger.events(tenant, { limit: 1 }),
          timeline: yield* ledger.timeline(tenant, id, { limit: 1 }),
          claim: Option.getOrThrow(yield* ledger.claim(tenant, "key-0001")),
          workspace: Option.getOrThrow(yield* directory.workspace("ws")),
          contents: yield* directory.contents
        }
      })
      vandalise(change.payment.after)
      vandalise(change.events)
      vandalise(change.claim)
      vandalise(change.operations)
      vandalise(change.refunds)
      vandalise(workspace)
      vandalise(yield* readAll)

      const stored = yield* readAll
      expect(stored.payment).toStrictEqual(expected.payment.after)
      expect(stored.payments).toStrictEqual([expected.payment.after])
      expect(stored.ofPage).toStrictEqual(expected.payment.after)
      expect(stored.book).toStrictEqual({
        payment: expected.payment.after,
        attempts: [],
        operations: expected.operations,
        refunds: expected.refunds
      })
      expect(stored.events.map(({ data }) => data)).toStrictEqual([expected.events[0]?.data])
      expect(stored.timeline).toStrictEqual(stored.events)
      expect(stored.claim).toStrictEqual(expected.claim?.after)
      expect(stored.workspace).toStrictEqual(expectedWorkspace)
      expect(stored.contents.workspaces).toStrictEqual([expectedWorkspace])
    }).pipe(Effect.provide(Layer.provideMerge(layer(), Ids.layer)))
  )

  it.effect("no smaller id follows a larger one when many commit at once with slow ids", () =>
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const changes = yield* Effect.forEach(Array(16).keys(), (number) => changeOf(`key-${number}`))
      yield* Effect.forEach(changes, ledger.commit, { concurrency: "unbounded" })
      const events = yield* ledger.events(tenant, { limit: 99 })
      const ids = events.map(({ id }) => id).reverse()
      expect(ids).toHaveLength(16)
      expect(ids).toStrictEqual(ids.toSorted())
    }).pipe(Effect.provide(Layer.provideMerge(layer(), slowIds)))
  )

  it.effect("a layer knows nothing of what another one writes", () =>
    Effect.gen(function* () {
      const change = yield* changeOf("key-0001")
      const write = Effect.andThen(Ledger, (ledger) => ledger.commit(change)).pipe(Effect.provide(layer()))
      yield* write
      yield* write
    }).pipe(Effect.provide(Ids.layer))
  )
})
