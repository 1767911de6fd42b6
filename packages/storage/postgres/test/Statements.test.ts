/** How many statements each operation asks of the database, through the whole of core. */

import type { PgConnection } from "@effect/sql-pg"
import { describe, expect } from "@effect/vitest"
import { itRuns } from "@pointsman/contracts/vitest"
import { type Caller, credentialsContext, Pointsman } from "@pointsman/core"
import {
  Connectors,
  Deliveries,
  Directory,
  Ids,
  Ledger,
  SuccessRates,
  Transport,
  Unanswered,
  type WebhookEndpoint
} from "@pointsman/core/ports"
import { openSecretsLayer, sampleRequest, scriptedProvider } from "@pointsman/core/testing"
import { Effect, Layer, Queue } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type Database, open } from "../src/Database.ts"
import { make as makeDeliveries } from "../src/Deliveries.ts"
import { make as makeDirectory } from "../src/Directory.ts"
import { layer as storage } from "../src/Layer.ts"
import { make as makeLedger } from "../src/Ledger.ts"
import { migrate } from "../src/Migrate.ts"
import { makeRates } from "../src/Sql.ts"
import { tenant } from "./Given.ts"
import { hasServer, newDatabase } from "./support/TestDatabase.ts"
import { until } from "./support/Waiting.ts"

const order = { idempotencyKey: null, amountMinor: null, reason: null }
const authorize = { details: { captureMethod: "manual" } } as const

const caller: Caller = {
  tenant,
  workspace: { id: tenant.workspaceId, name: "Shop", country: null, category: null, suspended: false, partner: null }
}

const endpoint = (id: string): WebhookEndpoint => ({
  id,
  ...tenant,
  url: `https://shop.example/${id}`,
  events: ["*"],
  sealedSecret: "sealed",
  active: true
})

/** Core over a database that counts, with a provider that approves and an endpoint for each event. */
const counted = Effect.gen(function* () {
  const asked: Array<string> = []
  const url = yield* newDatabase
  const db = yield* open({ url })
  yield* migrate(db)
  /** Notifications that were passed on, from when the directory listens. */
  let words: number | undefined
  const counting: Database = {
    ...db,
    listen: Effect.fnUntraced(function* (channel) {
      const told = yield* db.listen(channel)
      const passedOn = yield* Queue.unbounded<PgConnection.Notification, SqlError>()
      words = 0
      yield* Effect.forkScoped(
        Effect.forever(
          Effect.flatMap(Queue.take(told), (word) =>
            Effect.sync(() => {
              words = (words ?? 0) + 1
              Queue.offerUnsafe(passedOn, word)
            })
          )
        )
      )
      return passedOn
    }),
    read: (operation, ...statement) => {
      asked.push(operation)
      return db.read(operation, ...statement)
    },
    write: (operation, ...statement) => {
      asked.push(operation)
      return db.write(operation, ...statement)
    },
    update: (operation, ...statement) => {
      asked.push(operation)
      return db.update(operation, ...statement)
    },
    transaction: (operation, body) => {
      asked.push(`${operation}, in several statements`)
      return db.transaction(operation, body)
    }
  }
  const provider = scriptedProvider()
  const { directory } = yield* makeDirectory(counting)
  yield* until(
    "the directory listens",
    Effect.sync(() => words === 0)
  )
  yield* directory.write({
    workspaces: [caller.workspace],
    apiKeys: [],
    connections: [
      {
        ...tenant,
        id: "first",
        name: "First",
        connector: provider.definition.name,
        active: true,
        priority: 1,
        sealedCredentials: `${credentialsContext("first")}|{}`,
        sealedWebhookSecret: null,
        timeoutMillis: null,
        supports: {},
        restrictions: [],
        circuitBreaker: null
      }
    ],
    routing: [],
    webhookEndpoints: [endpoint("one"), endpoint("two")]
  })
  const layer = Pointsman.layer().pipe(
    Layer.provide([
      Layer.effect(Ledger, makeLedger(counting)),
      Layer.succeed(Directory, directory),
      Layer.succeed(Deliveries, makeDeliveries(counting)),
      Layer.succeed(SuccessRates, makeRates(counting)),
      Connectors.layer([provider.definition]),
      openSecretsLayer,
      Layer.succeed(Transport, { send: () => Effect.fail(new Unanswered({ reason: "there is no network here" })) })
    ]),
    Layer.provide(storage({ url, allowAsyncCommit: true })),
    Layer.provide(Ids.layer)
  )
  const pointsman = yield* Effect.provide(Pointsman, layer)
  const other = yield* Effect.provide(Pointsman, Layer.fresh(layer))
  // The copy is used once the word of our own write has come.
  yield* until(
    "our own word has come",
    Effect.sync(() => words === 1)
  )
  yield* until(
    "the copy is used",
    Effect.suspend(() => {
      asked.length = 0
      return Effect.map(directory.contents, () => asked.length === 0)
    })
  )
  const askedBy = Effect.fnUntraced(function* <A, E, R>(operation: Effect.Effect<A, E, R>) {
    asked.length = 0
    const answer = yield* operation
    return { answer, asked: [...asked] }
  })
  return { askedBy, db, other, pointsman, provider }
}).pipe(Effect.provide(Ids.layer))

describe.skipIf(!hasServer)("statements", () => {
  itRuns("each operation that goes well asks for no more than it needs", function* () {
    const { askedBy, db, pointsman } = yield* counted
    // The tenant is known from then on.
    yield* pointsman.create(caller, sampleRequest())
    const direct = yield* askedBy(pointsman.create(caller, sampleRequest({ idempotencyKey: "key-0001" })))
    expect(direct.asked).toEqual(["commit", "commit"])
    const again = yield* askedBy(pointsman.create(caller, sampleRequest({ idempotencyKey: "key-0001" })))
    expect(again.asked).toEqual(["commit", "commit"])
    expect(again.answer.isReplay).toBe(true)

    const created = yield* askedBy(pointsman.create(caller, sampleRequest(authorize)))
    const captured = created.answer.payment.id
    const voided = (yield* pointsman.create(caller, sampleRequest(authorize))).payment.id
    const capture = yield* askedBy(pointsman.capture(caller, { ...order, paymentId: captured }))
    expect(capture.asked).toEqual(["commit", "commit"])
    const annulled = yield* askedBy(pointsman.void(caller, { ...order, paymentId: voided }))
    expect(annulled.asked).toEqual(["commit", "commit"])
    const refund = yield* askedBy(pointsman.refund(caller, { ...order, paymentId: captured }))
    expect(refund.asked).toEqual(["commit", "commit"])
    expect([created, capture, refund].flatMap(({ asked }) => asked)).toHaveLength(6)

    // Each event has gone to both endpoints, in those same commits.
    const [row] = yield* db.read(
      "test",
      "select (select count(*)::integer from events) as events, (select count(*)::integer from deliveries) as sent"
    )
    expect(row?.["sent"]).toBe(2 * (row?.["events"] as number))
    expect(row?.["events"]).toBeGreaterThan(8)
  })

  itRuns("a payment that another server wrote last is read, and decided as stored", function* () {
    const { askedBy, other, pointsman, provider } = yield* counted
    const createdBy = (server: Pointsman["Service"]) =>
      Effect.map(server.create(caller, sampleRequest(authorize)), ({ payment }) => payment.id)

    // The tenant and its endpoints are known from then on.
    yield* createdBy(pointsman)
    const theirs = yield* createdBy(other)
    const capture = yield* askedBy(pointsman.capture(caller, { ...order, paymentId: theirs }))
    expect(capture.asked).toEqual(["book", "commit", "commit"])

    const voided = yield* createdBy(pointsman)
    yield* other.void(caller, { ...order, paymentId: voided })
    const late = yield* askedBy(Effect.flip(pointsman.capture(caller, { ...order, paymentId: voided })))
    // What was kept is refused by its version, and why is read.
    expect(late.asked).toEqual(["commit", "commit", "book"])
    expect(late.answer._tag).toBe("pointsman/NotCapturable")

    yield* other.refund(caller, { ...order, paymentId: theirs, amountMinor: 1500 })
    const rest = yield* askedBy(pointsman.refund(caller, { ...order, paymentId: theirs }))
    expect(rest.asked).toEqual(["commit", "commit", "book", "commit", "commit"])
    expect(rest.answer.payment.state).toBe("Refunded")
    expect(provider.captures.map(({ money }) => money.minorUnits)).toEqual([1999])
    expect(provider.refunds.map(({ money }) => money.minorUnits)).toEqual([1500, 499])
  })
})
