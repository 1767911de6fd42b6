/** Responses that are streams, such as server-sent events and exports, on their way through Node. */
import { once } from "node:events"
import { type IncomingMessage, request as requestTo, type ServerResponse } from "node:http"
import { assert, describe, it } from "vitest"
import { sendWebResponse } from "../src/WebMessages.ts"
import { listening } from "./support/Listening.ts"

const eventStream = { headers: { "content-type": "text/event-stream" } }

interface Source {
  readonly stream: ReadableStream<Uint8Array>
  readonly push: (text: string) => void
  readonly end: () => void
  readonly fail: () => void
  readonly cancelled: Promise<void>
}

const source = (): Source => {
  const { promise: cancelled, resolve } = Promise.withResolvers<void>()
  let at: ReadableStreamDefaultController<Uint8Array> | undefined
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      at = controller
    },
    cancel: () => resolve()
  })
  return {
    stream,
    push: (text) => at?.enqueue(new TextEncoder().encode(text)),
    end: () => at?.close(),
    fail: () => at?.error(new Error("the source broke")),
    cancelled
  }
}

const ask = async (url: string): Promise<IncomingMessage> => {
  const asked = requestTo(url)
  asked.on("error", () => {})
  asked.end()
  const [answer] = (await once(asked, "response")) as [IncomingMessage]
  return answer
}

const next = async (answer: IncomingMessage): Promise<string> => String((await once(answer, "data"))[0])

describe("a response that is a stream", () => {
  it("headers arrive before any event, and each event as it is made", async () => {
    const { end, push, stream } = source()
    const answer = await ask(
      await listening((_request, response) => void sendWebResponse(new Response(stream, eventStream), response))
    )
    assert.strictEqual(answer.headers["content-type"], "text/event-stream")
    for (const text of ["data: 1\n\n", "data: 2\n\n"]) {
      push(text)
      assert.strictEqual(await next(answer), text)
    }
    end()
    answer.resume()
    await once(answer, "end")
  })

  it("a stream is cancelled when its client leaves", async () => {
    const { cancelled, push, stream } = source()
    const answer = await ask(
      await listening((_request, response) => void sendWebResponse(new Response(stream, eventStream), response))
    )
    push("data: 1\n\n")
    await next(answer)
    answer.destroy()
    await cancelled
  })

  it("a stream is cancelled when its client left before the answer", async () => {
    const { cancelled, stream } = source()
    const arrived = Promise.withResolvers<void>()
    const url = await listening(async (_request, response) => {
      arrived.resolve()
      await once(response, "close")
      await sendWebResponse(new Response(stream, eventStream), response)
    })
    const asked = requestTo(url)
    asked.on("error", () => {})
    asked.end()
    await arrived.promise
    asked.destroy()
    await cancelled
  })

  it("a stream waits for a client that reads nothing, and ends whole", async () => {
    const size = 64 * 1024
    const pieces = 1_000
    let made = 0
    const stream = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          made += 1
          controller.enqueue(new Uint8Array(size))
          if (made === pieces) controller.close()
        }
      },
      { highWaterMark: 0 }
    )
    // The package `compression` passes these listeners on, to where `response.off` does not reach.
    let drains = 0
    const listener = (_request: IncomingMessage, response: ServerResponse) => {
      const on = response.on.bind(response)
      Object.assign(response, {
        on: (...given: Parameters<typeof on>) => {
          if (given[0] === "drain") drains += 1
          return on(...given)
        }
      })
      void sendWebResponse(new Response(stream), response)
    }
    const answer = await ask(await listening(listener))
    // Buffers on the way fill, and then it stands still.
    let before: number
    do {
      before = made
      await new Promise((resolve) => setTimeout(resolve, 100))
    } while (made === 0 || made !== before)
    assert.isBelow(before, pieces / 2)
    let received = 0
    for await (const piece of answer) received += (piece as Uint8Array).length
    assert.deepStrictEqual([received, drains], [size * pieces, 1])
  })

  it("a client sees that the rest of a broken stream is missing", async () => {
    const { fail, push, stream } = source()
    const answer = await ask(
      await listening((_request, response) => void sendWebResponse(new Response(stream), response))
    )
    push("id,amount\n")
    await next(answer)
    fail()
    const [error] = (await once(answer, "error")) as [NodeJS.ErrnoException]
    assert.strictEqual(error.code, "ECONNRESET")
  })

  it("the method `flush` of a compression is called after each piece of a stream", async () => {
    const { end, push, stream } = source()
    const flushes: Array<number> = []
    const url = await listening((_request, response) => {
      void sendWebResponse(new Response(stream), Object.assign(response, { flush: () => void flushes.push(1) }))
    })
    const answer = await ask(url)
    push("1")
    await next(answer)
    push("2")
    await next(answer)
    end()
    answer.resume()
    await once(answer, "end")
    assert.lengthOf(flushes, 2)
  })

  it("each cookie is a header, beside one that the program had set", async () => {
    const headers = new Headers([
      ["set-cookie", "a=1; Path=/"],
      ["set-cookie", "b=2; Path=/"]
    ])
    const listener = (_request: IncomingMessage, response: ServerResponse) => {
      response.appendHeader("set-cookie", "own=0")
      void sendWebResponse(new Response("whole", { status: 201, headers }), response)
    }
    const answer = await fetch(await listening(listener))
    assert.strictEqual(answer.status, 201)
    assert.deepStrictEqual(answer.headers.getSetCookie(), ["own=0", "a=1; Path=/", "b=2; Path=/"])
    assert.strictEqual(await answer.text(), "whole")
  })
})
