/** A shop as its `npm start` runs it, on a free port. The shops of the other frameworks are tested with it too. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { assert, onTestFinished } from "vitest"
import { tryConsole } from "./ConsoleVisit.ts"

/**
 * A key as the configuration takes them; it opens the shops of these tests alone.
 *
 * @public for the example of Next, which is no workspace
 */
export const apiKey = "ps_test_0369CFILORUXadgjmpsvy147ADGJMPSV3OFgj0"

export interface ShopProcess {
  readonly url: string
  /** Signs the operator `jo` in, once. */
  readonly link: string
  /** As Ctrl-C does; gives the exit code. */
  readonly stop: () => Promise<number | null>
}

/** `folder`: where it keeps its payments. */
export const startShop = async (main: string, folder: string): Promise<ShopProcess> => {
  const child = spawn(process.execPath, ["--conditions=@pointsman/source", main], {
    env: { ...process.env, PORT: "0", SHOP_FOLDER: folder, SHOP_API_KEY: apiKey, SHOP_OPERATOR: "jo" },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = once(child, "exit")
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL")
    await ended
  })
  let url: string | undefined
  for await (const line of createInterface({ input: child.stdout })) {
    url ??= /listens on (http:\S+)$/u.exec(line)?.[1]
    const link = /^jo signs in once at (http:\S+)$/u.exec(line)?.[1]
    if (url === undefined || link === undefined) continue
    child.stdout.resume()
    return {
      url,
      link,
      stop: async () => {
        child.kill("SIGINT")
        await ended
        return child.exitCode
      }
    }
  }
  throw new Error("the shop ended before it listened")
}

export const shopFolder = (): string => {
  const path = mkdtempSync(join(tmpdir(), "pointsman-shop-"))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

export const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body)
  })

export const authorization = { authorization: `Bearer ${apiKey}` }

interface CheckedOut {
  readonly status: string
  readonly paymentId: string
}

/**
 * What every shop does: an order is paid once however often it is sent; the API beside it takes payments of its own; and
 * paths that are nobody's stay the framework's.
 */
export const tryShop = async (main: string, folder = shopFolder()): Promise<void> => {
  const shop = await startShop(main, folder)
  const order = { orderId: "1001", item: "tea" }
  const first = await post(`${shop.url}/checkout`, order)
  assert.strictEqual(first.status, 201)
  const paid = (await first.json()) as CheckedOut
  assert.strictEqual(paid.status, "CAPTURED")
  assert.deepStrictEqual(await (await post(`${shop.url}/checkout`, order)).json(), paid)
  assert.strictEqual((await post(`${shop.url}/checkout`, { orderId: "1002", item: "a castle" })).status, 422)

  const direct = await post(
    `${shop.url}/api/v1/payments`,
    { amount: 1999, currency: "EUR", country: "NL" },
    { ...authorization, "idempotency-key": "direct-0001" }
  )
  assert.strictEqual(direct.status, 201)
  const listed = await fetch(`${shop.url}/api/v1/payments`, { headers: authorization })
  const { data } = (await listed.json()) as { readonly data: ReadonlyArray<{ readonly reference: string | null }> }
  assert.deepStrictEqual(
    data.map(({ reference }) => reference),
    [null, "1001"]
  )
  assert.strictEqual((await fetch(`${shop.url}/api/v1/payments`)).status, 401)
  assert.strictEqual((await fetch(`${shop.url}/nothing`)).status, 404)
  await tryConsole(shop.link)
  assert.strictEqual(await shop.stop(), 0)
}
