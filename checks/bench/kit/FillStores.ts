/**
 * Stores that hold so many payments, of the workspace `acme` in its sandbox: copies of two that the product made, each
 * committed whole, under ids, a key, texts and times of its own. A million take minutes.
 */
import { Pointsman } from "@pointsman/core"
import { type Change, Ids, Ledger } from "@pointsman/core/ports"
import * as MemoryStorage from "@pointsman/storage-memory"
import * as PostgresStorage from "@pointsman/storage-postgres"
import * as SqliteStorage from "@pointsman/storage-sqlite"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { caller, type Storage, worldLayer } from "../World.ts"
import * as filledIds from "./FilledIds.ts"
import { query } from "./Postgres.ts"

const { tenant } = caller
const sampleKey = "key-of-the-sample"

/**
 * Gives the change of the payment `number`. Its key and its last write are as old as the sample's, so that no background
 * forgets the key or removes the payment.
 */
const makeSample = async (captureMethod: "automatic" | "manual"): Promise<(number: number) => Change> => {
  const runtime = ManagedRuntime.make(worldLayer(MemoryStorage.layer()))
  const began = Date.now()
  const { book, claim, events } = await runtime.runPromise(
    Effect.gen(function* () {
      const [pointsman, ledger] = [yield* Pointsman, yield* Ledger]
      const request = filledIds.sampleRequest(sampleKey, captureMethod)
      const { id } = (yield* pointsman.create(caller, request)).payment
      return {
        book: yield* Effect.fromOption(yield* ledger.book(tenant, id)),
        claim: yield* Effect.fromOption(yield* ledger.claim(tenant, sampleKey)),
        events: yield* pointsman.timeline(tenant, id, { limit: 10 })
      }
    })
  )
  await runtime.dispose()
  const ended = Date.now()
  const { attempts, payment } = book
  const { answeredAt, claimedAt } = claim
  const { updatedAt } = payment
  const text = JSON.stringify({
    tenant,
    payment: { expected: 0, after: { ...payment, version: 1 } },
    attempts,
    events: events.items.map(({ id: _, ...draft }) => draft),
    claim: { expected: 0, after: { ...claim, version: 1 } }
  } satisfies Change)
  const own: Readonly<Record<string, (number: number) => string>> = {
    [payment.id]: filledIds.paymentIdOf,
    [String(attempts[0]?.id)]: filledIds.attemptIdOf,
    [sampleKey]: filledIds.keyOf,
    [filledIds.sampleText]: filledIds.textOf
  }
  const parts = new RegExp([...Object.keys(own), "\\b\\d{13}\\b"].join("|"), "gu")
  return (number) => {
    const change = JSON.parse(
      text.replace(parts, (part) => {
        const isTime = Number(part) >= began && Number(part) <= ended
        return own[part]?.(number) ?? (isTime ? String(filledIds.createdAtOf(number)) : part)
      })
    )
    Object.assign(change.payment.after, { updatedAt })
    Object.assign(change.claim.after, { answeredAt, claimedAt })
    return change
  }
}

/** So many wait for one commit of SQLite, or for the batches of PostgreSQL. */
const concurrency = 256
const timedDigits = "evt_01000000-0000-".length

const fill = async (storage: Storage, count: number): Promise<void> => {
  const samples = { automatic: await makeSample("automatic"), manual: await makeSample("manual") }
  let events = 0
  // Random after the digits of the time: PostgreSQL gives an event that is late the id after the newest one.
  const eventId = (id: string) => filledIds.eventIdOf(events++).slice(0, timedDigits) + id.slice(timedDigits)
  const ids = Layer.effect(
    Ids,
    Effect.map(Ids, (random) => Ids.of({ ...random, event: Effect.map(random.event, eventId) }))
  ).pipe(Layer.provide(Ids.layer))
  const runtime = ManagedRuntime.make(worldLayer(storage.pipe(Layer.provide(ids))))
  try {
    await runtime.runPromise(
      Effect.flatMap(Ledger, (ledger) =>
        Effect.forEach(
          (function* () {
            for (let number = 0; number < count; number++) yield number
          })(),
          (number) => Effect.suspend(() => ledger.commit(samples[filledIds.captureMethodOf(number)](number))),
          { concurrency, discard: true }
        )
      )
    )
  } finally {
    await runtime.dispose()
  }
}

/** Gives the URL back, of a new database that is filled. */
export const fillPostgres = async (url: string, count: number): Promise<string> => {
  await fill(PostgresStorage.layer({ url: Redacted.make(url) }), count)
  await query(url, "vacuum analyze", "checkpoint")
  return url
}

/** Gives the name back, of a new file that is filled. */
export const fillSqlite = async (filename: string, count: number): Promise<string> => {
  await fill(SqliteStorage.layer({ filename }), count)
  return filename
}
