import { existsSync, readFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "@effect/vitest"
import { itRuns } from "@pointsman/contracts/vitest"
import { Ledger } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { inspect } from "../src/index.ts"
import { newChange, newFile, tenant, withStorage } from "./Given.ts"

const refusal = (filename: string) =>
  Effect.map(
    Effect.flip(Effect.void.pipe(withStorage({ filename, existing: true }))),
    ({ cause }) => (cause as Error).message
  )

describe("an existing file", () => {
  itRuns("an open without a file fails and leaves none behind", function* () {
    const filename = yield* newFile
    yield* refusal(filename)
    yield* Effect.flip(inspect(filename))
    expect(existsSync(filename)).toBe(false)
  })

  it.effect.each<[string, string, number | null, RegExp]>([
    ["a database of somebody else's", "create table notes (text)", null, /^the file is not a Pointsman database/u],
    [
      "a database without a step of its schema, whose server died before it",
      "create table pointsman_migrations (migration_id integer not null primary key, name text not null)",
      0,
      /^it has the outdated schema version 0; .* needs \d+: start the server once/u
    ]
  ])("%s fails to open and changes nothing", ([, schema, number, said]) =>
    Effect.gen(function* () {
      const filename = yield* newFile
      const db = new DatabaseSync(filename)
      db.exec(schema)
      db.close()
      const before = readFileSync(filename)
      expect(yield* refusal(filename)).toMatch(said)
      expect((yield* inspect(filename)).schema).toBe(number)
      expect(readFileSync(filename).equals(before)).toBe(true)
    })
  )

  itRuns("a file of this version opened beside its server lets both write", function* () {
    const filename = yield* newFile
    const write = Effect.gen(function* () {
      const change = yield* newChange()
      yield* (yield* Ledger).commit(change)
      return change.payment.after.id
    })
    yield* Effect.gen(function* () {
      const written = [yield* write, yield* write.pipe(withStorage({ filename, existing: true }))]
      for (const id of written) expect(Option.isSome(yield* (yield* Ledger).payment(tenant, id))).toBe(true)
    }).pipe(withStorage({ filename }))
    // And when nobody else has it open.
    yield* write.pipe(withStorage({ filename, existing: true }))
    const { newest, schema } = yield* inspect(filename)
    expect(schema).toBe(newest)
  })
})
