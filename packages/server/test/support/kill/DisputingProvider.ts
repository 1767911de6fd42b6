/**
 * A provider behind the connector `http` whose every charge is disputed. It lies outside every server that is killed, and
 * counts what arrives: it takes evidence or an acceptance at once, late, or never, answers or does not, and executes what
 * it did not answer within `latestMillis`, or says until then that it cannot be sure.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { onTestFinished } from "vitest"
import { sendJson, serveHttp } from "../HttpHere.ts"
import { type Reply, refusal } from "../ProviderRecord.ts"
import { coursesOf, type Reaction } from "./Courses.ts"
import type { Draw } from "./Draw.ts"
import { postMessage, providerKey, type Surroundings } from "./MoodyProvider.ts"
import { ok } from "./ProviderWork.ts"
import { pause } from "./Setting.ts"

/** How an answer to a dispute goes. */
const courses = {
  answered: 10,
  slow: 3,
  accepted: 2,
  executedSilent: 3,
  silent: 2,
  executedDropped: 3,
  dropped: 3,
  late: 2,
  executedFailed: 2,
  failed: 1,
  refused: 2
} as const

const lookUpCourses = { answered: 8, dropped: 1, failed: 1 } as const

export type AnswerKind = "submit" | "accept"

/** One request that reached the provider. */
export interface Arrived {
  readonly operationId: string
  readonly kind: AnswerKind
  /** Whether an earlier request for the dispute, under another id, had been executed by then. */
  readonly isSecond: boolean
  /** Whether the provider sent an answer. */
  isAnswered: boolean
}

export interface DisputeBook {
  readonly disputeId: string
  readonly paymentId: string
  /** Epoch milliseconds by the clock that everybody goes by. */
  readonly dueBy: number
  readonly arrived: Array<Arrived>
  /** What it took for later, and what it has. */
  pending: { readonly operationId: string; readonly kind: AnswerKind } | undefined
  executed: { readonly operationId: string; readonly kind: AnswerKind; readonly at: number } | undefined
  /** How often each answer was looked up, and answered so. */
  readonly lookedUp: Map<string, number>
}

/** Listens until the test is over. */
export const startDisputingProvider = async (draw: Draw, { now, target }: Pick<Surroundings, "now" | "target">) => {
  /** By the provider's id. */
  const disputes = new Map<string, DisputeBook>()
  /** The attempt of each payment. */
  const attempts = new Map<string, string>()
  const { idle, later, take, underWay } = coursesOf(draw)
  let isWell = false
  let opening = 0

  const execute = (book: DisputeBook, operationId: string, kind: AnswerKind): Reply => {
    if (book.executed === undefined && now() < book.dueBy) book.executed = { operationId, kind, at: now() }
    return book.executed?.operationId === operationId ? answerOf(book) : refusal(422, "not_taken")
  }

  const react = async (book: DisputeBook, id: string, kind: AnswerKind): Promise<Reaction> => {
    const course = isWell ? "answered" : draw.weighted(courses)
    if (course !== "accepted") return take(course, id, () => execute(book, id, kind))
    if (book.executed !== undefined || now() >= book.dueBy) return refusal(422, "not_taken")
    book.pending = { operationId: id, kind }
    later(id, () => {
      execute(book, id, kind)
      book.pending = undefined
    })
    return answerOf(book)
  }

  const lookUp = (operationId: string): Reply | undefined => {
    const course = isWell ? "answered" : draw.weighted(lookUpCourses)
    if (course === "dropped") return undefined
    if (course === "failed") return refusal(500, "broken")
    const has = (one: { readonly operationId: string } | undefined) => one?.operationId === operationId
    for (const book of disputes.values()) {
      const isKnown = book.arrived.some(has) || has(book.executed)
      if (isKnown) book.lookedUp.set(operationId, (book.lookedUp.get(operationId) ?? 0) + 1)
      const found = has(book.executed) ? book.executed : has(book.pending) ? book.pending : undefined
      if (found === undefined) continue
      const status = found === book.executed ? "confirmed" : "pending"
      return ok({ operation_id: operationId, kind: `dispute_${found.kind}`, status })
    }
    return { status: 404, body: { found: false, operation_id: operationId, conclusive: !underWay.has(operationId) } }
  }

  const answer = async (request: IncomingMessage, response: ServerResponse, bytes: Buffer) => {
    const text = String(bytes)
    const url = new URL(request.url ?? "/", "http://provider")
    const [collection = "", name = "", operation] = url.pathname.split("/").slice(1)
    const send = ({ body, status }: Reply) => sendJson(response, status, body)
    if (request.headers.authorization !== `Bearer ${providerKey}`) return send(refusal(401, "unauthorized"))
    if (collection === "account") return send(refusal(501, "no_account"))
    if (collection === "charges" && request.method === "POST" && name === "") {
      const { amount, attempt_id: id, payment_id: paymentId } = JSON.parse(text)
      attempts.set(paymentId, id)
      return send(ok({ provider_reference: `ch_${id}`, status: "captured", captured_amount: amount }))
    }
    if (collection === "operations") {
      const found = lookUp(url.searchParams.get("operation_id") ?? "")
      return found === undefined ? void request.socket.destroy() : send(found)
    }
    const book = disputes.get(name)
    if (book === undefined || (operation !== "submit" && operation !== "accept")) return send(refusal(404, "unknown"))
    const operationId = String(JSON.parse(text).operation_id)
    const before = book.executed ?? book.pending
    const isSecond = before !== undefined && before.operationId !== operationId
    const arrived: Arrived = { operationId, kind: operation, isSecond, isAnswered: false }
    book.arrived.push(arrived)
    const reply = await react(book, operationId, operation)
    if (reply === "dropped") return void request.socket.destroy()
    if (reply === "silent") return
    // An error says nothing of the evidence.
    arrived.isAnswered = reply.status < 500 && !request.socket.destroyed
    send(reply)
  }

  const { url } = await serveHttp(answer)
  let isOver = false
  onTestFinished(() => {
    isOver = true
  })
  return {
    /** For the credentials of each connection. */
    baseUrl: () => url,
    disputes,
    /** Disputes of which it still says so. */
    opening: () => opening,
    /** Opens a dispute of the payment's charge, and says so until a server has taken the message. */
    open: (paymentId: string, dueInMillis: number) => {
      const attemptId = attempts.get(paymentId) ?? ""
      const disputeId = `du_${attemptId}`
      const dueBy = now() + dueInMillis
      const book = { disputeId, paymentId, dueBy, arrived: [], pending: undefined, executed: undefined }
      disputes.set(disputeId, { ...book, lookedUp: new Map() })
      const data = {
        ...{ attempt_id: attemptId, dispute_id: disputeId, status: "needs_response", reason: "not_received" },
        ...{ amount: 1999, currency: "EUR", evidence_due_by: new Date(dueBy).toISOString() }
      }
      const message = { id: `msg_${disputeId}`, type: "dispute.opened", created: new Date(now()).toISOString(), data }
      const say = async () => {
        opening += 1
        while (!isOver && (await postMessage(target(), "main", JSON.stringify(message), now())) !== 200) {
          await pause(20)
        }
        opening -= 1
      }
      void say()
    },
    idle,
    /** From now on it does what it is asked, and answers. */
    calm: () => {
      isWell = true
    }
  }
}

/** The dispute as the protocol shows it. */
const answerOf = ({ disputeId, executed }: DisputeBook): Reply =>
  ok({
    dispute_id: disputeId,
    status: executed === undefined ? "needs_response" : executed.kind === "submit" ? "under_review" : "accepted"
  })
