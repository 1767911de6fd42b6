/**
 * A ledger in a process of its own, for the tests: `node DiskFaultsProcess.ts <file>`. It reads orders from its standard
 * input, one line of JSON each, and answers each with one line. `{ "commit": 3 }` writes three payments at once, and says
 * of each what the ledger said; `{ "stored": [ids] }` says which of them it finds.
 */
import { createInterface } from "node:readline"
import { Ledger } from "@pointsman/core/ports"
import { Effect, Option, Result } from "effect"
import { newChange, tenant, withStorage } from "./Given.ts"

const commit = Effect.fnUntraced(function* (count: number) {
  const ledger = yield* Ledger
  const changes = yield* Effect.forEach(Array(count).keys(), () => newChange())
  return yield* Effect.forEach(
    changes,
    (change) =>
      Effect.map(Effect.result(ledger.commit(change)), (written) => ({
        id: change.payment.after.id,
        said: Result.isSuccess(written) ? "written" : written.failure._tag
      })),
    { concurrency: "unbounded" }
  )
})

const stored = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
  const ledger = yield* Ledger
  return yield* Effect.filter(ids, (id) => Effect.map(ledger.payment(tenant, id), Option.isSome))
})

const orders = createInterface({ input: process.stdin })[Symbol.asyncIterator]()

await Effect.runPromise(
  Effect.gen(function* () {
    for (;;) {
      const line = yield* Effect.promise(() => orders.next())
      if (line.done === true) return
      const order = JSON.parse(line.value)
      const answer: unknown = "commit" in order ? yield* commit(order.commit) : yield* stored(order.stored)
      process.stdout.write(`${JSON.stringify(answer)}\n`)
    }
  }).pipe(withStorage({ filename: process.argv[2] ?? "" }))
)
