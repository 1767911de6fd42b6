/**
 * One sequence, sent to the API and told to the model. It ends with a look at all payments and events, and fails at the
 * first answer that the model does not expect, with everything that was sent and answered before.
 */
import { type ActorName, type Asked, type Mode, Model } from "./Model.ts"
import { asked, type Step } from "./Operations.ts"
import { type Bindings, difference } from "./Pattern.ts"
import type { World } from "./World.ts"

export const agree = async (world: World, mode: Mode, sequence: ReadonlyArray<Step>): Promise<void> => {
  const { keys, now, prefix } = await world.open(mode)
  const model = new Model(mode, prefix, now)
  const sent: Array<Asked> = []
  const requestIds = new Set<string>()
  const taken = new Set<string>()
  const log: Array<string> = [`mode ${mode}`]

  const ask = async (one: Asked): Promise<void> => {
    const response = await world.send(requestOf(one, keys))
    const text = await response.text()
    const { replay, status } = { status: response.status, replay: response.headers.get("idempotent-replay") }
    log.push(`${one.as} ${lineOf(one)}\n    ${status}${replay === null ? "" : " (replay)"} ${shortened(text)}`)
    const body: unknown = JSON.parse(text)
    const differences: Array<string> = []
    for (const { answer, so } of model.answer(one)) {
      const bindings: Bindings = new Map()
      const found =
        (status === answer.status ? undefined : `expected status ${answer.status}, got ${status}`) ??
        difference(answer.body, body, bindings, taken) ??
        (answer.replay === undefined || replay === (answer.replay ? "true" : null)
          ? undefined
          : `expected Idempotent-Replay ${answer.replay}, got ${replay}`) ??
        (answer.allow === undefined ? undefined : missing(answer.allow, response.headers.get("allow")))
      if (found === undefined) {
        for (const [name, value] of bindings) {
          name.text = value
          taken.add(value)
        }
        so?.({ status, body })
        const requestId = response.headers.get("x-request-id") ?? ""
        if (!/^req_[0-9a-f-]{36}$/.test(requestId) || requestIds.has(requestId)) {
          throw new Error(`a request id of its own was expected, got ${requestId}\n  ${log.join("\n  ")}`)
        }
        requestIds.add(requestId)
        return
      }
      differences.push(found)
    }
    throw new Error(`the API and the model disagree: ${differences.join("; or ")}\n  ${log.join("\n  ")}`)
  }

  for (const step of sequence) {
    if (step.step === "wait") {
      await world.advance(step.millis)
      model.now += step.millis
      log.push(`${step.millis} ms pass`)
      for (const one of model.overdue()) await ask(one)
      continue
    }
    const one = asked(step, model, sent)
    if (one === undefined) continue
    sent.push(one)
    await ask(one)
  }
  const active = (["acme", "acmeLive", "globex"] as const).filter((as) => model.paymentIds("own", as).length > 0)
  for (const as of active) {
    await ask({ as, ask: "list", query: { limit: "100" } })
    await ask({ as, ask: "events", query: { limit: "100" } })
  }
}

const payments = "/api/v1/payments"

const requestOf = (one: Asked, keys: Readonly<Record<ActorName, string | null>>): Request => {
  const { method, path } = lineParts(one)
  const body = "body" in one ? one.body : undefined
  const key = "key" in one ? one.key : undefined
  return new Request(`http://pointsman.test${path}`, {
    method,
    headers: {
      ...(keys[one.as] === null ? {} : { authorization: `Bearer ${keys[one.as]}` }),
      ...(key === undefined ? {} : { "idempotency-key": key }),
      ...(body === undefined ? {} : { "content-type": "application/json" })
    },
    ...(body === undefined ? {} : { body: "text" in body ? body.text : JSON.stringify(body.json) })
  })
}

const lineParts = (one: Asked): { readonly method: string; readonly path: string } => {
  switch (one.ask) {
    case "stray":
      return one
    case "create":
      return { method: "POST", path: payments }
    case "retrieve":
      return { method: "GET", path: `${payments}/${one.id}` }
    case "list":
      return { method: "GET", path: `${payments}${queryOf(one.query)}` }
    case "timeline":
      return { method: "GET", path: `${payments}/${one.id}/events${queryOf(one.query)}` }
    case "events":
      return { method: "GET", path: `/api/v1/events${queryOf(one.query)}` }
    case "refund":
      return { method: "POST", path: `${payments}/${one.id}/refunds` }
    default:
      return { method: "POST", path: `${payments}/${one.id}/${one.ask}` }
  }
}

const queryOf = (query: Readonly<Record<string, string>>): string => {
  const text = new URLSearchParams(query).toString()
  return text === "" ? "" : `?${text}`
}

const lineOf = (one: Asked): string => {
  const { method, path } = lineParts(one)
  const key = "key" in one && one.key !== undefined ? ` key ${JSON.stringify(shortened(one.key))}` : ""
  const body = "body" in one && one.body !== undefined ? one.body : undefined
  const text = body === undefined ? "" : "text" in body ? body.text : JSON.stringify(body.json)
  return `${method} ${path}${key} ${shortened(text)}`
}

const shortened = (text: string): string => (text.length > 1_500 ? `${text.slice(0, 1_500)}…` : text)

const missing = (methods: ReadonlyArray<string>, allow: string | null): string | undefined => {
  const named = (allow ?? "").split(",").map((method) => method.trim())
  const lost = methods.filter((method) => !named.includes(method))
  return lost.length === 0 ? undefined : `expected ${lost.join(", ")} in Allow, got ${allow}`
}
