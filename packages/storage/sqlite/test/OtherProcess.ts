/**
 * Another process on the same file, for the tests: `node OtherProcess.ts <file> <what> [argument]`.
 * It answers with one line of JSON on its standard output.
 */
import { Directory, Ledger } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { newChange, tenant, withStorage } from "./Given.ts"

const [filename = "", what = "", argument = ""] = process.argv.slice(2)

/** Only opens the file, and so brings its schema up to date. */
const open = Effect.succeed("opened")

/** Revokes the API key with this hash. */
const revoke = Effect.gen(function* () {
  const directory = yield* Directory
  const { apiKey } = Option.getOrThrow(yield* directory.keyHolder(argument))
  yield* directory.write({
    workspaces: [],
    apiKeys: [{ ...apiKey, revokedAt: 5 }],
    connections: [],
    routing: [],
    webhookEndpoints: []
  })
  return "revoked"
})

/** Writes so many payments, a few at a time. */
const writeMany = Effect.fnUntraced(function* (count: number) {
  const ledger = yield* Ledger
  const one = Effect.gen(function* () {
    const change = yield* newChange()
    yield* ledger.commit(change)
    return change.payment.after.id
  })
  return yield* Effect.forEach(Array(count).keys(), () => one, { concurrency: 4 })
})

/** Writes so many payments, and after each tenth waits until another process has written too. */
const takeTurns = Effect.gen(function* () {
  const ledger = yield* Ledger
  const own: Array<string> = []
  for (let written = 0; written < Number(argument); written += 10) {
    own.push(...(yield* writeMany(10)))
    const isOfAnother = Effect.map(
      ledger.events(tenant, { limit: 1 }),
      ([newest]) => newest !== undefined && !own.includes(newest.paymentId)
    )
    for (let look = 0; !(yield* isOfAnother); look++) {
      if (look === 100_000) throw new Error("no other process wrote within a hundred seconds")
      yield* Effect.sleep("1 millis")
    }
  }
  return own
})

const works: Readonly<
  Record<string, Effect.Effect<unknown, unknown, Directory | Ledger | import("@pointsman/core/ports").Ids>>
> = { open, revoke, takeTurns, write: writeMany(Number(argument)) }
const work = works[what]
if (work === undefined) throw new Error(`nothing is called ${what}`)
const answer = await Effect.runPromise(withStorage({ filename })(work))
process.stdout.write(`${JSON.stringify(answer)}\n`)
