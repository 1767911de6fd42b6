/**
 * One sequence, sent to the API and told to the model. It ends with a look at all payments and events and at the
 * provider's own record, and fails at the first thing that the model does not expect, with everything that was sent and
 * answered before.
 */
import { replayedCodes } from "@pointsman/http/api"
import type { Answer, Possibility } from "./Answers.ts"
import { type Asked, baseUrl, type Mode } from "./Contract.ts"
import { Model } from "./Model.ts"
import { asked, type Step } from "./Operations.ts"
import { type Bindings, difference } from "./Pattern.ts"
import { lineOf, requestOf, shortened } from "./Requests.ts"
import type { World } from "./World.ts"

interface Reply {
  readonly status: number
  readonly body: unknown
  readonly replay: string | null
  readonly allow: string | null
}

export const agree = async (world: World, mode: Mode, sequence: ReadonlyArray<Step>): Promise<void> => {
  const { keys, now, prefix } = await world.open(mode)
  const model = new Model(mode, prefix, now)
  const sent: Array<Asked> = []
  /** Every name that was bound, and every request id. */
  const taken = new Set<string>()
  const log: Array<string> = [`mode ${mode}`]
  const fail = (what: string) => new Error(`the API and the model disagree: ${what}\n  ${log.join("\n  ")}`)

  const send = async (one: Asked): Promise<Reply> => {
    const response = await world.send(requestOf(one, keys))
    const text = await response.text()
    const replay = response.headers.get("idempotent-replay")
    log.push(`${one.as} ${lineOf(one)}\n    ${response.status}${replay === null ? "" : " (replay)"} ${shortened(text)}`)
    const requestId = response.headers.get("x-request-id") ?? ""
    if (!/^req_[0-9a-f-]{36}$/.test(requestId) || taken.has(requestId)) throw fail(`request id ${requestId}`)
    taken.add(requestId)
    const { error, ...body } = JSON.parse(text)
    if (error === undefined) return { status: response.status, body, replay, allow: response.headers.get("allow") }
    const { doc_url, request_id, ...stated } = error
    const expected = replayedCodes.has(error.code) ? [] : [requestId, `${baseUrl}/docs/errors#${error.code}`]
    if (request_id !== expected[0] || doc_url !== expected[1]) throw fail(`references ${text}`)
    return { status: response.status, body: { error: stated }, replay, allow: response.headers.get("allow") }
  }

  /** Takes the possibility that the reply is; gives how it differs from each when it is none of them. */
  const take = (possibilities: ReadonlyArray<Possibility>, reply: Reply): string | undefined => {
    const differences: Array<string> = []
    for (const { answer, so } of possibilities) {
      const bindings: Bindings = new Map()
      const found = headerDifference(answer, reply) ?? difference(answer.body, reply.body, bindings, taken)
      if (found === undefined) {
        for (const [name, text] of bindings) {
          name.text = text
          taken.add(text)
        }
        so?.(reply)
        return undefined
      }
      differences.push(found)
    }
    return differences.join("; or ")
  }

  const ask = async (one: Asked): Promise<void> => {
    const differs = take(model.answer(one), await send(one))
    if (differs !== undefined) throw fail(differs)
  }

  /** One of the two comes first; the other is answered as one that comes after it, or while it is under way. */
  const askTwice = async (one: Asked): Promise<void> => {
    const [reply, other] = await Promise.all([send(one), send(one)])
    const first = take(model.answer(one), reply)
    const second = first === undefined ? other : reply
    if (first !== undefined) {
      const differs = take(model.answer(one), other)
      if (differs !== undefined) throw fail(`of two at once, none is the first: ${first}; and ${differs}`)
    }
    const differs = take([...model.answer(one), ...model.underWay(one)], second)
    if (differs !== undefined) throw fail(`the second of two at once: ${differs}`)
  }

  const wait = async (millis: number): Promise<void> => {
    await world.advance(millis)
    model.now += millis
    log.push(`${millis} ms pass`)
    for (const one of model.overdue()) await ask(one)
  }

  for (const step of sequence) {
    if (step.step !== "ask" && step.wait > 0) await wait(step.wait)
    if (step.step === "wait") continue
    const one = asked(step, model, sent)
    if (one === undefined) continue
    sent.push(one)
    await (step.step === "again" && step.times === 2 ? askTwice(one) : ask(one))
  }
  const active = (["acme", "acmeLive", "globex"] as const).filter((as) => model.paymentIds("own", as).length > 0)
  for (const as of active) {
    await ask({ as, ask: "list", query: { limit: "100" } })
    await ask({ as, ask: "events", query: { limit: "100" } })
  }
  for (const { charges, id, refunded } of model.moved()) {
    const record = await world.provider(id)
    if (!charges.includes(record.charges)) throw fail(`the provider executed ${record.charges} charges of ${id}`)
    if (record.refunded < refunded.least || record.refunded > refunded.most) {
      throw fail(`the provider refunded ${record.refunded} of ${id}`)
    }
  }
}

const headerDifference = (answer: Answer, { allow, replay, status }: Reply): string | undefined => {
  if (status !== answer.status) return `expected status ${answer.status}, got ${status}`
  if (answer.replay !== undefined && replay !== (answer.replay ? "true" : null)) {
    return `expected Idempotent-Replay to be ${answer.replay ? "true" : "absent"}, got ${replay}`
  }
  const named = (allow ?? "").split(",").map((method) => method.trim())
  const lost = (answer.allow ?? []).filter((method) => !named.includes(method))
  return lost.length === 0 ? undefined : `expected ${lost.join(", ")} in Allow, got ${allow}`
}
