import { assert, it } from "vitest"
import { bodyUntil } from "../src/BodyUntil.ts"
import { world } from "./support/World.ts"

it("given a stream, when the console ends, then the stream breaks off, and its source is cancelled", async () => {
  const ending = new AbortController()
  const { promise: cancelled, resolve } = Promise.withResolvers<void>()
  const endless = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new Uint8Array([1])),
    cancel: () => resolve()
  })
  const reader = bodyUntil(ending.signal, new Response(endless))?.getReader()
  assert.deepStrictEqual((await reader?.read())?.value, new Uint8Array([1]))
  const next = reader?.read().then(
    () => "ended",
    () => "broke off"
  )
  ending.abort()
  assert.strictEqual(await next, "broke off")
  await cancelled
})

it("given a page, then it has a length, and is sent whole", async () => {
  const { close, send } = world()
  const page = await send("/sign-in")
  await close()
  const text = await page.text()
  assert.strictEqual(page.headers.get("content-length"), String(Buffer.byteLength(text)))
})
