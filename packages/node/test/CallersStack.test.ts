import { execFile } from "node:child_process"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { assert, it } from "vitest"
import { createPointsman, type Pointsman, PointsmanError, type PointsmanSettings, webhooks } from "../src/index.ts"
import { failureOf, open, order } from "./support/Shop.ts"

const checkOut = async (call: (pointsman: Pointsman) => Promise<unknown>, pointsman: Pointsman) => await call(pointsman)

/** The first place outside of Node that the stack names. */
const placeOf = (error: unknown): string => {
  if (!(error instanceof PointsmanError)) throw error
  const [heading = "", ...rest] = error.stack?.split(/\n {4}at /u) ?? []
  assert.strictEqual(heading, `${error.name}: ${error.message}`)
  return rest.find((place) => !place.includes("(node:")) ?? ""
}

it.each<[string, (pointsman: Pointsman) => Promise<unknown>]>([
  ["a wrong amount", (pointsman) => pointsman.create({ ...order, amount: -1 })],
  ["an unknown payment", (pointsman) => pointsman.payment("01a1fe08-9226-7266-a33a-e3e7f1609a4e")],
  ["a webhook without a signature", () => webhooks.verify({ body: "{}", headers: {}, secret: "whsec_1" })],
  ["wrong settings", () => createPointsman({} as PointsmanSettings)]
])("%s: the stack of a failed call begins with its caller", async (_, call) => {
  const { pointsman } = await open()
  assert.match(placeOf(await failureOf(checkOut(call, pointsman))), /^(?:async )?checkOut .*CallersStack\.test\.ts/u)
})

it("the stack of a call without an awaiting caller says where it arose", async () => {
  const { pointsman } = await open()
  const error = await new Promise((resolve) => {
    pointsman.create({ ...order, amount: -1 }).catch(resolve)
  })
  assert.include((error as Error).stack, "\n    at ")
})

it("an uncaught failure of a start prints the program's line, and no source of ours", async () => {
  const door = JSON.stringify(pathToFileURL(join(import.meta.dirname, "../src/index.ts")).href)
  const program = `import { createPointsman } from ${door}\nawait createPointsman({ storage: "payments.db" })`
  const words = ["--conditions=@pointsman/source", "--input-type=module", "--eval", program]
  const { code, stderr } = await promisify(execFile)(process.execPath, words).then(
    () => ({ code: 0, stderr: "" }),
    (error) => error
  )
  assert.strictEqual(code, 1)
  assert.include(stderr, "storage: expected a storage")
  assert.notInclude(stderr, "packages/node/src")
})
