import { Effect, Logger } from "effect"
import { assert, describe, it, vi } from "vitest"
import * as LogText from "../src/LogText.ts"

const misleading = "order\u202e1001\u2028level=ERROR\u0085next\u001b[2Jend"

const lineOf = async (
  logger: Logger.Logger<unknown, unknown>,
  logs = Effect.logWarning(misleading),
  annotations: Readonly<Record<string, unknown>> = { reference: misleading }
) => {
  const lines: Array<string> = []
  const spy = vi.spyOn(console, "error").mockImplementation((line: string) => void lines.push(line))
  await Effect.runPromise(logs.pipe(Effect.annotateLogs(annotations), Effect.provide(Logger.layer([logger]))))
  spy.mockRestore()
  return lines.join("\n")
}

describe("a line of the log", () => {
  it.each([
    ["logfmt", LogText.logfmt],
    ["text", LogText.text],
    ["json", LogText.json]
  ] as const)("text that turns its direction around is visible when logged as %s", async (format, logger) => {
    const line = await lineOf(logger)
    assert.notMatch(line, /[\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cc}]/u)
    const mark = format === "text" ? "order?" : "order\\u202e"
    assert.strictEqual(line.split(mark).length, 3)
  })

  it("an audit entry as text says who did what, without hash and details", async () => {
    const entry = { number: 7, actor: "Ann", via: "command", action: "key.created", subject: "key_1" }
    const line = await lineOf(LogText.text, Effect.logInfo("audit"), { ...entry, details: '{"a":1}', hash: "ff00" })
    assert.match(line, /^\d{4}-\d\d-\d\dT\S+Z INFO {2}audit 7: key\.created key_1, by Ann \(command\)$/u)
  })
})
