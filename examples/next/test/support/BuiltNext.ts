/** `next build && next start`, without telemetry, on a free port. */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, onTestFinished } from "vitest"
import { tryConsole } from "../../../express/test/support/ConsoleVisit.ts"
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
    SHOP_API_KEY: apiKey,
    SHOP_OPERATOR: "jo"
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
  const output = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const [, url = ""] = await lineOf(output, /(http:\/\/127\.0\.0\.1:\d+)/u)
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
  // It was printed at the first request.
  const [, token = ""] = await lineOf(output, /^jo signs in once at http:\/\/localhost:3000\/desk\/link\/(\S+)$/u)
  await tryConsole(`${url}/desk/link/${token}`)
  assert.strictEqual((await fetch(`${url}/desk/`, { redirect: "manual" })).headers.get("location"), "/desk")
}

const lineOf = async (output: AsyncIterator<string>, shape: RegExp): Promise<RegExpExecArray> => {
  for (let line = await output.next(); line.done !== true; line = await output.next()) {
    const found = shape.exec(line.value)
    if (found !== null) return found
  }
  throw new Error("next ended too early")
}
