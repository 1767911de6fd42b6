import { Effect, Logger } from "effect"
import { assert, describe, it, vi } from "vitest"
import * as LogText from "../src/LogText.ts"

const misleading = "order\u202e1001\u2028level=ERROR\u0085next\u001b[2Jend"

const lineOf = async (logger: Logger.Logger<unknown, unknown>) => {
  const lines: Array<string> = []
  const spy = vi.spyOn(console, "error").mockImplementation((line: string) => void lines.push(line))
  await Effect.runPromise(
    Effect.logWarning(misleading).pipe(
      Effect.annotateLogs("reference", misleading),
      Effect.provide(Logger.layer([logger]))
    )
  )
  spy.mockRestore()
  return lines.join("\n")
}

describe("a line of the log", () => {
  it.each([
    ["logfmt", LogText.logfmt],
    ["json", LogText.json]
  ] as const)(
    "given text that turns its direction around, when it is logged as %s, then it is visible",
    async (_, logger) => {
      const line = await lineOf(logger)
      assert.notMatch(line, /[\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cc}]/u)
      assert.strictEqual(line.split("\\u202e").length, 3)
      assert.strictEqual(line.split("\\u2028").length, 3)
    }
  )
})
