/**
 * Another process on the same file, for the tests: `node OtherProcess.ts <file> <what> [argument]`.
 * It answers with one line of JSON on its standard output.
 */
import { Directory, Ledger } from "@pointsman/core"
import { Effect, Option } from "effect"
import { newChange, withStorage } from "./Given.ts"

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
const write = Effect.gen(function* () {
  const ledger = yield* Ledger
  const one = Effect.gen(function* () {
    const change = yield* newChange()
    yield* ledger.commit(change)
    return change.payment.after.id
  })
  return yield* Effect.forEach(Array(Number(argument)).keys(), () => one, { concurrency: 4 })
})

const work: Effect.Effect<unknown, unknown, Directory | Ledger | import("@pointsman/core").Ids> =
  what === "revoke" ? revoke : what === "write" ? write : open
const answer = await Effect.runPromise(withStorage({ filename })(work))
process.stdout.write(`${JSON.stringify(answer)}\n`)
