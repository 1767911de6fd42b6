/** `next build && next start`, without telemetry, on a free port. */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, onTestFinished } from "vitest"
import { apiKey, shopFolder } from "../../../express/test/support/ShopProcess.ts"

const example = fileURLToPath(new URL("../..", import.meta.url))
const next = fileURLToPath(new URL("../../node_modules/next/dist/bin/next", import.meta.url))

export const buildAndTry = async (): Promise<void> => {
  const folder = shopFolder()
  const env = {
    ...process.env,
    NODE_ENV: "production" as const,
    NEXT_TELEMETRY_DISABLED: "1",
    SHOP_FOLDER: folder,
    SHOP_API_KEY: apiKey
  }
  await promisify(execFile)(process.execPath, [next, "build"], { cwd: example, env, maxBuffer: 16 * 1024 * 1024 })
  const child = spawn(process.execPath, [next, "start", "-H", "127.0.0.1", "-p", "0"], {
    cwd: example,
    env,
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = once(child, "exit")
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL")
    await ended
  })
  const url = await addressOf(child.stdout)
  child.stdout.resume()
  const checkOut = () =>
    fetch(`${url}/checkout`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ orderId: "1001", item: "tea" })
    })
  const first = await checkOut()
  assert.strictEqual(first.status, 201)
  assert.deepStrictEqual(await (await checkOut()).json(), await first.json())
  const headers = { authorization: `Bearer ${apiKey}` }
  const listed = (await (await fetch(`${url}/api/v1/payments`, { headers })).json()) as { readonly data: unknown }
  assert.lengthOf(listed.data as ReadonlyArray<unknown>, 1)
  assert.strictEqual((await fetch(`${url}/api/v1/payments`)).status, 401)
  assert.match(await (await fetch(url)).text(), /The shop sells tea/u)
}

const addressOf = async (output: NodeJS.ReadableStream): Promise<string> => {
  for await (const line of createInterface({ input: output })) {
    const url = /(http:\/\/127\.0\.0\.1:\d+)/u.exec(line)?.[1]
    if (url !== undefined) return url
  }
  throw new Error("next ended before it listened")
}
