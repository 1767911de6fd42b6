/** The JSON of providers' messages: what is parsed, and what is refused before it costs anything. */
import { assert, describe, it } from "@effect/vitest"
import { messageJson } from "@pointsman/core/connector"
import { Effect, Result } from "effect"

const bytes = (text: string) => new TextEncoder().encode(text)
const nested = (depth: number) => `${"[".repeat(depth)}1${"]".repeat(depth)}`
const objects = (count: number) =>
  `[${Array.from({ length: count - 1 }, (_, at) => `{"${at.toString(36)}":1}`).join()}]`
const fields = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 1])))
/** As long as a message may be. */
const length = 1_048_576

const read = (text: string) => Effect.result(messageJson(bytes(text)))

const accepted: ReadonlyArray<readonly [what: string, text: string]> = [
  ["64 levels", nested(64)],
  ["10,000 objects and lists", objects(10_000)],
  ["20,001 fields", fields(20_001)],
  ["commas in a string", JSON.stringify(",".repeat(30_000))],
  ["brackets in a string", JSON.stringify("[{".repeat(200_000))],
  ["brackets behind an escaped quote", JSON.stringify(`"${"[".repeat(20_000)}\\`)],
  ["brackets in a key", JSON.stringify({ ["[".repeat(20_000)]: 1 })]
]

const tooMuch =
  "the body is nested deeper than 64 levels, or has more than 10000 objects and lists, or more than 20000 commas"

const refused: ReadonlyArray<readonly [what: string, text: string, reason: string]> = [
  ["65 levels", nested(65), tooMuch],
  ["10,001 objects and lists", objects(10_001), tooMuch],
  ["a megabyte of open lists", "[".repeat(length), tooMuch],
  ["a megabyte of open objects", '{"a":'.repeat(length / 5), tooMuch],
  ["a megabyte of objects with a key of their own", objects(80_000), tooMuch],
  ["20,002 fields", fields(20_002), tooMuch],
  ["a megabyte of fields", fields(80_000), tooMuch],
  ["a megabyte of numbers", JSON.stringify(Array(length / 2 - 1).fill(1)), tooMuch],
  ["an open string", '"[[', "the body is not valid UTF-8 JSON"],
  ["a backslash at the end", '"\\', "the body is not valid UTF-8 JSON"],
  ["an invalid character", "[x]", "the body is not valid UTF-8 JSON"]
]

describe("messageJson", () => {
  for (const [what, text] of accepted) {
    it.effect(`given ${what}, when it is read, then it is what JSON.parse gives`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* read(text), Result.succeed(JSON.parse(text)))
      })
    )
  }
  for (const [what, text, reason] of refused) {
    it.effect(`given ${what}, when it is read, then it is refused`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* read(text), Result.fail(reason))
      })
    )
  }
})
