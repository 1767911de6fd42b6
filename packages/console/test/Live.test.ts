/** Streams of changes, as a browser's `EventSource` reads them. */
import { assert, describe, it } from "vitest"
import { usedWorld } from "./support/UsedWorld.ts"

const here = usedWorld()

const at = "/live/acme/sandbox"
const viewer = [{ workspaceId: "acme", role: "viewer" }] as const

const follow = async (path: string, cookie: string) => {
  const response = await here.send(path, { cookie })
  assert.strictEqual(response.status, 200)
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  let text = ""
  const closed = (async () => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      text += new TextDecoder().decode(value)
    }
  })()
  const messages = () => text.split("\n").filter((line) => line === "data: changed").length
  const reaches = async (count: number) => {
    while (messages() < count) await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return { response, closed, messages, reaches, text: () => text, cancel: () => reader.cancel() }
}

describe("streams of changes", () => {
  it("only the streams of the tenant and the payment announce its change", async () => {
    const cookie = await here.signIn("ann", viewer)
    const { id } = await here.pay("acme", "sandbox", "manual")
    const streams = [
      await follow(at, cookie),
      await follow(`${at}?payment=${id}`, cookie),
      await follow(`${at}?payment=01a1fe08-9226-7266-a33a-e3e7f1609a4e`, cookie),
      await follow("/live/acme/production", cookie)
    ] as const
    const [all, own, ...others] = streams
    assert.deepStrictEqual(
      ["content-type", "cache-control", "x-accel-buffering"].map((name) => all.response.headers.get(name)),
      ["text/event-stream", "no-store", "no"]
    )
    const support = await here.signIn("joe", [{ workspaceId: "acme", role: "support" }])
    const headers = { "idempotency-key": "key-of-a-void" }
    await here.send(`/api/workspaces/acme/sandbox/payments/${id}/void`, { method: "POST", cookie: support, headers })
    await Promise.all([all.reaches(1), own.reaches(1)])
    for (const other of others) assert.strictEqual(other.messages(), 0)
    assert.match(all.text(), /^retry: 3000\n\n/u)
    for (const stream of streams) await stream.cancel()
  })

  it("a fifth stream of an operator is refused until one of four closes", async () => {
    const cookie = await here.signIn("ann", viewer)
    const streams = []
    for (let open = 0; open < 4; open++) streams.push(await follow(at, cookie))
    assert.strictEqual((await here.send(at, { cookie })).status, 429)
    const joe = await here.signIn("joe", viewer)
    streams.push(await follow(at, joe))
    await streams[0]?.cancel()
    streams.push(await follow(at, cookie))
    for (const stream of streams) await stream.cancel()
  })

  it("streams of removed, signed-out and demoted operators end within seconds", async () => {
    await here.reopen({}, { clock: "test" })
    const streams = await Promise.all(
      ["ann", "joe", "max"].map(async (login) => {
        const cookie = await here.signIn(login, viewer)
        return { cookie, stream: await follow(at, cookie) }
      })
    )
    const operators = await here.operators
    await here.run(operators.remove("ann"))
    await here.send("/sign-out", { method: "POST", cookie: streams[1]?.cookie })
    await here.run(operators.remove("max"))
    await here.run(
      operators.add({ login: "max", displayName: "Max", grants: [{ workspaceId: "globex", role: "admin" }] })
    )
    await here.pass("3 seconds")
    for (const { stream } of streams) await stream.closed
  })

  it("a console that stops ends its streams at once, and breaks off its exports", async () => {
    const stopping = new AbortController()
    await here.reopen({ stopping: stopping.signal })
    const cookie = await here.signIn("ann", viewer)
    await here.pay("acme", "sandbox", "manual")
    const stream = await follow(at, cookie)
    const exported = await here.send("/payments/acme/sandbox/export.csv", { cookie })
    stopping.abort()
    await stream.closed
    let isBroken = false
    await exported.text().catch(() => {
      isBroken = true
    })
    assert.isTrue(isBroken)
    await (await follow(at, cookie)).closed
  })

  it("no session, another workspace and no such environment have no stream", async () => {
    const cookie = await here.signIn("ann", viewer)
    assert.strictEqual((await here.send(at)).status, 303)
    assert.strictEqual((await here.send("/live/globex/sandbox", { cookie })).status, 403)
    assert.strictEqual((await here.send("/live/acme/staging", { cookie })).status, 404)
  })
})
