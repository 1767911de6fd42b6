import { type ChildProcess, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { ConfigProvider, Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { settings } from "../src/Settings.ts"

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))

interface Shop {
  readonly url: string
  readonly apiKey: string
  /** As Ctrl-C and supervisors do it; gives the exit code. */
  readonly stop: () => Promise<number | null>
}

const folder = mkdtempSync(join(tmpdir(), "pointsman-shop-"))
const environment = {
  PATH: process.env["PATH"] ?? "",
  PORT: "0",
  SHOP_DATABASE: join(folder, "shop.db"),
  SHOP_ENCRYPTION_KEY: randomBytes(32).toString("base64")
}
let running: ChildProcess | undefined

/** Most of a start goes into reading the same sources again: Node keeps what it made of them. */
const compileCache = fileURLToPath(new URL("../../../node_modules/.cache/commands", import.meta.url))

/** Resolves with what it printed once it listens, or ended. */
const run = () =>
  new Promise<{ readonly child: ChildProcess; readonly text: string }>((resolve, reject) => {
    const child = spawn(process.execPath, ["--conditions=@pointsman/source", main], {
      env: { ...environment, NODE_COMPILE_CACHE: compileCache },
      stdio: ["ignore", "pipe", "pipe"]
    })
    running = child
    let text = ""
    const told = (chunk: Buffer) => {
      text += chunk.toString()
      if (text.includes("Listening on")) resolve({ child, text })
    }
    child.stdout.on("data", told)
    child.stderr.on("data", told)
    child.once("close", () => resolve({ child, text }))
    child.once("error", reject)
  })

const start = async (): Promise<Shop> => {
  const { child, text } = await run()
  const url = /Listening on (http:\S+)/u.exec(text)?.[1]
  const apiKey = /API key for this run: (\S+)/u.exec(text)?.[1]
  if (url === undefined || apiKey === undefined) throw new Error(`the shop did not start\n${text}`)
  return {
    url,
    apiKey,
    stop: () =>
      new Promise((resolve) => {
        child.once("exit", resolve)
        child.kill("SIGTERM")
      })
  }
}

const checkOut = async ({ url }: Shop, order: string) => {
  const response = await fetch(`${url}/orders/${order}/checkout`, { method: "POST" })
  return { status: response.status, body: (await response.json()) as Record<string, string> }
}

const api = async ({ apiKey, url }: Shop, path: string, init: RequestInit = {}) => {
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json", ...init.headers }
  const response = await fetch(`${url}/api/v1${path}`, { ...init, headers })
  return {
    status: response.status,
    replay: response.headers.get("idempotent-replay"),
    // biome-ignore lint/suspicious/noExplicitAny: a test names the fields that it reads.
    body: (await response.json()) as any
  }
}

describe("a shop with Pointsman inside", () => {
  let shop: Shop
  beforeAll(async () => {
    shop = await start()
  }, 30_000)
  afterAll(() => {
    running?.kill("SIGKILL")
    rmSync(folder, { recursive: true, force: true })
  })

  it("an order checked out twice is one payment, which the API shows too", async () => {
    const [one, other] = await Promise.all([checkOut(shop, "1001"), checkOut(shop, "1001")])
    const again = await checkOut(shop, "1001")
    assert.strictEqual(again.status, 200)
    assert.strictEqual(again.body["status"], "CAPTURED")
    // Of two concurrent requests, one may learn that the other is in progress.
    const paid = [one, other].filter(({ status }) => status === 200)
    assert.isNotEmpty(paid)
    for (const { body } of paid) assert.deepStrictEqual(body, again.body)
    for (const { status } of [one, other]) assert.include([200, 409], status)

    const { body } = await api(shop, "/payments")
    assert.deepStrictEqual(
      body.data.map(({ amount, id, reference, status }: Record<string, unknown>) => ({
        amount,
        id,
        reference,
        status
      })),
      [{ amount: 4999, id: again.body["payment"], reference: "1001", status: "CAPTURED" }]
    )
  })

  it("each try of a declined order is a payment of its own, five at most", async () => {
    const tries = []
    for (let count = 0; count < 6; count++) tries.push(await checkOut(shop, "1002"))
    assert.deepStrictEqual(
      tries.map(({ status }) => status),
      [402, 402, 402, 402, 402, 409]
    )
    assert.strictEqual(new Set(tries.slice(0, 5).map(({ body }) => body["payment"])).size, 5)
  })

  it("no provider is asked a second time after an unknown result", async () => {
    const first = await checkOut(shop, "1003")
    const again = await checkOut(shop, "1003")
    assert.deepStrictEqual([first.status, first.body["status"]], [202, "UNKNOWN"])
    assert.deepStrictEqual(again, first)
  })

  it("a payment by the API is replayed when it is sent again", async () => {
    const init = {
      method: "POST",
      headers: { "idempotency-key": "by-the-api-1" },
      body: JSON.stringify({ amount: 700, currency: "EUR", country: "NL" })
    }
    const first = await api(shop, "/payments", init)
    const again = await api(shop, "/payments", init)
    assert.deepStrictEqual([first.status, first.body.data.status, first.replay], [201, "CAPTURED", null])
    assert.deepStrictEqual(again, { ...first, replay: "true" })
  })

  it("the payment of before answers after SIGTERM and a new start", async () => {
    const before = await checkOut(shop, "1001")
    assert.strictEqual(await shop.stop(), 0)
    shop = await start()
    assert.deepStrictEqual(await checkOut(shop, "1001"), before)
    assert.strictEqual(await shop.stop(), 0)
  }, 30_000)
})

it("the message about a too short encryption key does not show it", async () => {
  const environment = { SHOP_ENCRYPTION_KEY: "too-short" }
  const { message } = await Effect.runPromise(Effect.flip(settings.parse(ConfigProvider.fromEnvRecord(environment))))
  assert.include(message, "SHOP_ENCRYPTION_KEY: expected base64 of 32 bytes")
  assert.notInclude(message, "too-short")
})
