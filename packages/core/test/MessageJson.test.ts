/** The JSON of providers' messages: what is parsed, and what is refused before it costs anything. */
import { assert, describe } from "@effect/vitest"
import { messageJson, verifiedJson } from "@pointsman/core/connector"
import { MessageUnreadable } from "@pointsman/core/ports"
import { Effect, Result } from "effect"
import { itRuns } from "./support/ItIn.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const nested = (depth: number) => `${"[".repeat(depth)}1${"]".repeat(depth)}`
const objects = (count: number) =>
  `[${Array.from({ length: count - 1 }, (_, at) => `{"${at.toString(36)}":1}`).join()}]`
const fields = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 1])))
/** As long as a message may be. */
const length = 1_048_576

interface Limits {
  readonly containers: number
  readonly commas: number
}

/** Both ways of reading, with what a message may have. A reason as `messageJson` fails with it. */
const readers = {
  messageJson: {
    limits: { containers: 1_000, commas: 2_000 },
    read: (text: string) => Effect.result(messageJson(bytes(text)))
  },
  verifiedJson: {
    limits: { containers: 10_000, commas: 20_000 },
    read: (text: string) =>
      verifiedJson(bytes(text)).pipe(
        Effect.mapError((error) => {
          assert.instanceOf(error, MessageUnreadable)
          return error.reason
        }),
        Effect.result
      )
  }
} as const

const acceptedBy = ({ commas, containers }: Limits): ReadonlyArray<readonly [what: string, text: string]> => [
  ["64 levels", nested(64)],
  ["as many objects and lists as it may have", objects(containers)],
  ["a comma for each that it may have", fields(commas + 1)],
  ["commas in a string", JSON.stringify(",".repeat(30_000))],
  ["brackets in a string", JSON.stringify("[{".repeat(200_000))],
  ["brackets behind an escaped quote", JSON.stringify(`"${"[".repeat(20_000)}\\`)],
  ["brackets in a key", JSON.stringify({ ["[".repeat(20_000)]: 1 })]
]

const tooMuch = ({ commas, containers }: Limits) =>
  `the body is nested deeper than 64 levels, or has more than ${containers} objects and lists, or more than ${commas} commas`

const refusedBy = (limits: Limits): ReadonlyArray<readonly [what: string, text: string, reason: string]> => [
  ["65 levels", nested(65), tooMuch(limits)],
  ["an object more than it may have", objects(limits.containers + 1), tooMuch(limits)],
  ["a megabyte of open lists", "[".repeat(length), tooMuch(limits)],
  ["a megabyte of open objects", '{"a":'.repeat(length / 5), tooMuch(limits)],
  ["a megabyte of objects with a key of their own", objects(80_000), tooMuch(limits)],
  ["a field more than it may have", fields(limits.commas + 2), tooMuch(limits)],
  ["a megabyte of fields", fields(80_000), tooMuch(limits)],
  ["a megabyte of numbers", JSON.stringify(Array(length / 2 - 1).fill(1)), tooMuch(limits)],
  ["an open string", '"[[', "the body is not valid UTF-8 JSON"],
  ["a backslash at the end", '"\\', "the body is not valid UTF-8 JSON"],
  ["an invalid character", "[x]", "the body is not valid UTF-8 JSON"]
]

describe.each(Object.keys(readers) as ReadonlyArray<keyof typeof readers>)("%s", (name) => {
  const { limits, read } = readers[name]
  for (const [what, text] of acceptedBy(limits)) {
    itRuns(`${what} reads as JSON.parse gives it`, function* () {
      assert.deepStrictEqual(yield* read(text), Result.succeed(JSON.parse(text)))
    })
  }
  for (const [what, text, reason] of refusedBy(limits)) {
    itRuns(`${what} is refused`, function* () {
      assert.deepStrictEqual(yield* read(text), Result.fail(reason))
    })
  }
})
