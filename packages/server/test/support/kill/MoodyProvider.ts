/**
 * A provider with moods behind the connector `http`, in the test's own process: it outlives every server. It executes at
 * once, slowly, late or never; it answers, or it does not; it accepts, finishes later and tells so by signed messages. It
 * never lies: what it says is in its books, and what it does not execute at once it executes within `latestMillis`, or
 * says until then that it cannot be sure.
 */
import { createHmac } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { setTimeout as pause } from "node:timers/promises"
import { onTestFinished } from "vitest"
import { sendJson, serveHttp } from "../HttpHere.ts"
import { type Reply, refusal } from "../ProviderRecord.ts"
import { chargeView, emptyBooks, referenceOf, refundView } from "./Books.ts"
import { coursesOf, type Reaction } from "./Courses.ts"
import type { Draw } from "./Draw.ts"
import { ok, type Work, workIn } from "./ProviderWork.ts"

/** What was accepted is finished within this time, in milliseconds. */
const finishedWithinMillis = 900

export const messageSecret = "whsec_provider"
export const providerKey = "provider-api-key"

/** How a call goes. Those that tell send a signed message, too. */
const courses = {
  answered: 24,
  answeredAndTold: 3,
  slow: 4,
  executedSilent: 2,
  silent: 1,
  executedDropped: 2,
  dropped: 2,
  late: 2,
  executedFailed: 2,
  failed: 1,
  accepted: 4,
  refused: 2,
  declined: 2,
  softlyDeclined: 2
} as const

const lookUpCourses = { answered: 16, dropped: 2, silent: 1, failed: 1 } as const

export interface Surroundings {
  /** Where the server is now, which takes the messages; `undefined` while it is down. */
  readonly target: () => string | undefined
  /** The time by which everybody goes, the server too. Epoch milliseconds. */
  readonly now: () => number
  /** Whether a message that was sent at a time of this machine's, and answered with a 5xx, was to be expected. */
  readonly isExcused?: (sentAt: number) => boolean
}

/** Listens until the test is over. */
export const startMoodyProvider = async (draw: Draw, { isExcused = () => false, now, target }: Surroundings) => {
  const books = emptyBooks()
  const { idle, take, underWay } = coursesOf(draw)
  /** Messages that were not answered 200 by a server that was up. */
  const refusedMessages: Array<string> = []
  let isWell = false
  let isOver = false
  let finishing = 0
  let telling = 0
  let messages = 0

  const finishLater = (finish: () => void) => {
    finishing += 1
    setTimeout(
      () => {
        finish()
        finishing -= 1
      },
      draw.between(50, finishedWithinMillis)
    )
  }

  /** Sends a message until it is acknowledged, and now and then once more. */
  const tell = async (connection: string, type: string, data: object) => {
    const id = `msg_${++messages}`
    const body = JSON.stringify({ id, type, created: new Date(now()).toISOString(), data })
    const sends = isWell || draw.chance(0.7) ? 1 : 2
    telling += 1
    for (let acknowledged = 0; acknowledged < sends && !isOver; ) {
      const sentAt = Date.now()
      const status = await postMessage(target(), connection, body, now())
      if (status === 200) acknowledged += 1
      else if (status !== undefined && (status < 500 || !isExcused(sentAt))) refusedMessages.push(`${id}: ${status}`)
      if (acknowledged < sends) await pause(draw.between(20, 120))
    }
    telling -= 1
  }

  const { charging, operating, refunding } = workIn({
    books,
    draw,
    finishLater,
    send: (connection, type, data) => void tell(connection, type, data)
  })

  const react = async (id: string, work: Work): Promise<Reaction> => {
    const refuse = () => refusal(422, "not_now")
    const execute = () => work.execute() ?? refuse()
    const course = isWell ? "answered" : draw.weighted(courses)
    switch (course) {
      case "answeredAndTold": {
        const reply = execute()
        work.tell()
        return reply
      }
      case "accepted":
        return work.accept() ?? refuse()
      case "declined":
        return work.decline(false)
      case "softlyDeclined":
        return work.decline(true)
      default:
        return take(course, id, execute)
    }
  }

  const lookUp = (name: "attempt_id" | "refund_id", id: string, found: object | undefined): Reaction => {
    const course = isWell ? "answered" : draw.weighted(lookUpCourses)
    if (course === "failed") return refusal(500, "broken")
    if (course !== "answered") return course
    if (found !== undefined) return ok(found)
    return { status: 404, body: { found: false, [name]: id, conclusive: !underWay.has(id) } }
  }

  const answer = async (request: IncomingMessage, response: ServerResponse, text: Buffer) => {
    const url = new URL(request.url ?? "/", "http://provider")
    const [connection = "", collection = "", reference, operation] = url.pathname.split("/").slice(1)
    if (request.headers.authorization !== `Bearer ${providerKey}`) return send(response, refusal(401, "unauthorized"))
    // As an adapter without such calls answers: the record of the charge has to do.
    if (collection === "operations" || collection === "account") return send(response, refusal(501, `no_${collection}`))
    if (request.method === "GET") {
      const name = collection === "refunds" ? "refund_id" : "attempt_id"
      const id = url.searchParams.get(name) ?? ""
      const charge = books.charges.find(({ attemptId }) => attemptId === id)
      const refund = books.refunds.find(({ refundId }) => refundId === id)
      const found = charge === undefined ? refund && refundView(refund) : chargeView(charge)
      return settle(request, response, lookUp(name, id, found))
    }
    const body = JSON.parse(String(text))
    const id = String(body.attempt_id ?? body.operation_id ?? body.refund_id)
    books.asked.set(id, (books.asked.get(id) ?? 0) + 1)
    const charge = books.charges.find((one) => referenceOf(one) === reference)
    if (operation === undefined) return settle(request, response, await react(id, charging(connection, body)))
    if (charge === undefined) return send(response, refusal(404, "no_charge"))
    const work =
      operation === "refunds"
        ? refunding(charge, body)
        : operation === "capture"
          ? operating(charge, "capture", id, body.amount)
          : operating(charge, "void", id, charge.amount)
    settle(request, response, await react(id, work))
  }

  const server = await serveHttp(answer)
  onTestFinished(() => {
    isOver = true
  })
  return {
    books,
    /** For a connection's `credentials.baseUrl`. */
    baseUrl: (connection: string) => `${server.url}/${connection}`,
    refusedMessages,
    idle,
    /** From now on it executes at once, and answers. */
    calm: () => {
      isWell = true
    },
    /** How much is still to be finished or told. */
    open: () => underWay.size + finishing + telling
  }
}

export type MoodyProvider = Awaited<ReturnType<typeof startMoodyProvider>>

/** Sends a signed message. The status of the answer; `undefined` where there was none. */
export const postMessage = async (
  target: string | undefined,
  connection: string,
  body: string,
  now: number
): Promise<number | undefined> => {
  if (target === undefined) return undefined
  const time = Math.floor(now / 1000)
  const tag = createHmac("sha256", messageSecret).update(`${time}.${body}`).digest("hex")
  try {
    const answer = await fetch(`${target}/api/v1/psp-webhooks/${connection}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-service-signature": `t=${time},v1=${tag}` },
      body
    })
    await answer.arrayBuffer()
    return answer.status
  } catch {
    return undefined
  }
}

const settle = (request: IncomingMessage, response: ServerResponse, reaction: Reaction): void => {
  if (reaction === "dropped") request.socket.destroy()
  else if (reaction !== "silent") send(response, reaction)
}

const send = (response: ServerResponse, { body, status }: Reply): void => sendJson(response, status, body)
