import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, it } from "vitest"

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))

it("one charge of the example answers both requests", async () => {
  const { stderr, stdout } = await promisify(execFile)(process.execPath, ["--conditions=@pointsman/source", main])
  const lines = stdout.trimEnd().split("\n")
  const answer = "[0-9a-f-]{36}: CAPTURED, 1234 minor units of EUR at tiny as tiny_1"
  assert.match(lines[0] ?? "", new RegExp(`^${answer}$`))
  assert.strictEqual(lines[1], `${lines[0]} (a replay)`)
  assert.deepStrictEqual(lines.slice(2), [
    "Events: payment.created, payment.captured",
    "1. Our account tiny at Tiny Pay (tiny), priority 1, score 42, nothing measured yet.",
    "2. Our account tiny-flat at Tiny Pay (tiny-flat), priority 1, score 60, nothing measured yet.",
    "The scores are what it costs the shop, in minor units.",
    "Tiny Pay was asked to charge 1 time(s)."
  ])
  assert.strictEqual(stderr, "")
})
