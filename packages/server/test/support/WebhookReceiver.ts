/** A merchant's receiver of webhooks, in the test's own process. */
import type { IncomingHttpHeaders } from "node:http"
import { serveHttp } from "./HttpHere.ts"
import { until } from "./Until.ts"

export interface Heard {
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** To which it came: whatever follows the receiver's URL. */
  readonly path: string
  /** When it came, by the receiver's clock. */
  readonly at: number
}

export interface Receiver {
  readonly url: string
  readonly heard: ReadonlyArray<Heard>
  /** How many senders hung up before they were answered. */
  readonly hungUp: () => number
  /** Resolves when so many webhooks have come. */
  readonly count: (atLeast: number) => Promise<void>
  /** With which status the webhook with this number is answered, counted from 1; `undefined`: never. */
  status: (number: number) => number | undefined
  /** Hangs up on every sender. */
  readonly stop: () => Promise<void>
}

/** Listens until the test is over. `now`: its clock. */
export const startReceiver = async (now: () => number = Date.now): Promise<Receiver> => {
  const heard: Array<Heard> = []
  let hungUp = 0
  const { stop, url } = await serveHttp((request, response, body) => {
    response.once("close", () => {
      if (!response.writableEnded) hungUp += 1
    })
    heard.push({ headers: request.headers, body: String(body), path: request.url ?? "", at: now() })
    const status = receiver.status(heard.length)
    if (status !== undefined) response.writeHead(status).end()
  })
  const receiver: Receiver = {
    url: `${url}/hook`,
    heard,
    hungUp: () => hungUp,
    status: () => 200,
    count: (atLeast) => until(`${atLeast} webhooks`, () => heard.length >= atLeast),
    stop
  }
  return receiver
}
