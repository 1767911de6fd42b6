import { join } from "node:path"
import { sqlite } from "@pointsman/storage-sqlite"
import { assert, it } from "vitest"
import { ClosedError } from "../src/index.ts"
import { listening } from "./support/Listening.ts"
import { encryptionKey, failureOf, folder, inFiles, open, order } from "./support/Shop.ts"
import { type SlowProvider, slowProvider } from "./support/SlowProvider.ts"
import { visitor } from "./support/Visitor.ts"

/** A create over HTTP. */
const posting = (secret: string, more: RequestInit = {}, headers: Readonly<Record<string, string>> = {}) => ({
  method: "POST",
  headers: { authorization: `Bearer ${secret}`, "content-type": "application/json", ...headers },
  body: JSON.stringify(order),
  ...more
})

const over = (provider: SlowProvider, file: string) => ({
  storage: sqlite(file),
  connectors: [provider.definition],
  encryptionKey,
  workspaces: [{ id: "shop", connections: [{ id: "one", environment: "sandbox" as const, connector: "slow" }] }]
})

it("a call under way is answered before a close, and nothing new is taken", async () => {
  const provider = slowProvider()
  const file = join(folder(), "payments.db")
  const { pointsman } = await open(over(provider, file))
  const paying = pointsman.create(order, { idempotencyKey: "order-1001" })
  await provider.asked
  let isClosed = false
  const closing = pointsman.close().then(() => {
    isClosed = true
  })
  const late = await failureOf(pointsman.create(order))
  assert.instanceOf(late, ClosedError)
  assert.strictEqual(late.moneyMayHaveMoved, false)
  const again = await failureOf(pointsman.create(order, { idempotencyKey: "order-1001" }))
  assert.deepInclude(again, { code: "closed", moneyMayHaveMoved: true })
  assert.strictEqual((await pointsman.handler(new Request("http://shop.example/api/v1/payments"))).status, 503)
  assert.strictEqual(isClosed, false)
  provider.answer()
  assert.strictEqual((await paying).payment.status, "CAPTURED")
  await closing
  const { pointsman: next } = await open(over(slowProvider(), file))
  assert.strictEqual((await next.create(order, { idempotencyKey: "order-1001" })).isReplay, true)
})

it("streams of the console end at once in a close, and a call under way is answered", async () => {
  const provider = slowProvider()
  const { pointsman } = await open(over(provider, join(folder(), "payments.db")))
  await pointsman.operators.add({ login: "jo", role: "viewer" })
  const desk = await pointsman.console({ mount: "/desk" })
  const url = await listening(desk.listener)
  const followed = Promise.withResolvers<void>()
  const browser = visitor(async (address, init) => {
    const answer = await fetch(address, init)
    if (address.includes("/live/")) followed.resolve()
    return answer
  })
  await browser.signIn((await pointsman.operators.createLink("jo", { consoleUrl: `${url}/desk` })).url)
  const paying = pointsman.create(order)
  await provider.asked
  const changes = browser.get(`${url}/desk/live/shop/sandbox`)
  await followed.promise
  const closing = pointsman.close()
  const { status, text } = await changes
  assert.deepStrictEqual([status, text.startsWith("retry: 3000\n\n")], [200, true])
  provider.answer()
  assert.strictEqual((await paying).payment.status, "CAPTURED")
  await closing
})

it("requests under way are answered in a close, by handler and listener alike", async () => {
  const provider = slowProvider()
  const { pointsman } = await open(over(provider, join(folder(), "payments.db")))
  const url = await listening(pointsman.listener)
  const { secret } = await pointsman.createApiKey()
  const init = (key: string) => posting(secret, {}, { "idempotency-key": key })
  const native = fetch(`${url}/api/v1/payments`, init("order-1001"))
  await provider.asked
  const web = pointsman.handler(new Request("http://shop.example/api/v1/payments", init("order-1002")))
  const closing = pointsman.close()
  assert.strictEqual((await fetch(`${url}/api/v1/payments`)).status, 503)
  provider.answer()
  assert.deepStrictEqual([(await native).status, (await web).status], [201, 201])
  await closing
})

it("the payment of a client that left is recorded before the storage closes", async () => {
  const provider = slowProvider()
  const file = join(folder(), "payments.db")
  const { pointsman } = await open(over(provider, file))
  const url = await listening(pointsman.listener)
  const { secret } = await pointsman.createApiKey()
  const leaving = new AbortController()
  const request = fetch(`${url}/api/v1/payments`, posting(secret, { signal: leaving.signal }))
  await provider.asked
  leaving.abort()
  await failureOf(request)
  const closing = pointsman.close()
  provider.answer()
  await closing
  const { pointsman: next } = await open(over(slowProvider(), file))
  assert.deepStrictEqual(
    (await next.payments()).data.map(({ status }) => status),
    ["CAPTURED"]
  )
})

it("a close continues at once after the payment of a Request that was given up", async () => {
  const provider = slowProvider()
  const { pointsman } = await open(over(provider, join(folder(), "payments.db")))
  const { secret } = await pointsman.createApiKey()
  const leaving = new AbortController()
  const init = posting(secret, { signal: leaving.signal })
  const answer = pointsman.handler(new Request("http://shop.example/api/v1/payments", init))
  await provider.asked
  leaving.abort()
  const closing = pointsman.close()
  provider.answer()
  await closing
  await answer
})

it("closing again does nothing, and await using closes too", async () => {
  const path = folder()
  const { pointsman } = await open(inFiles(path))
  await Promise.all([pointsman.close(), pointsman.close()])
  await pointsman.close()
  {
    await using held = (await open(inFiles(path))).pointsman
    await held.create(order)
  }
  const { pointsman: last } = await open(inFiles(path))
  assert.strictEqual((await last.payments()).data.length, 1)
})
