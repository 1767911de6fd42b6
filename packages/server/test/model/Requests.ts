/** What is asked, as HTTP and as a line of a report. */
import type { ActorName, Asked } from "./Contract.ts"

const payments = "/api/v1/payments"

export const requestOf = (one: Asked, keys: Readonly<Record<ActorName, string | null>>): Request => {
  const { method, path } = routeOf(one)
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

const routeOf = (one: Asked): { readonly method: string; readonly path: string } => {
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

export const lineOf = (one: Asked): string => {
  const { method, path } = routeOf(one)
  const key = "key" in one && one.key !== undefined ? ` key ${JSON.stringify(shortened(one.key))}` : ""
  const body = "body" in one && one.body !== undefined ? one.body : undefined
  const text = body === undefined ? "" : "text" in body ? body.text : JSON.stringify(body.json)
  return `${method} ${path}${key} ${shortened(text)}`
}

export const shortened = (text: string): string => (text.length > 1_500 ? `${text.slice(0, 1_500)}…` : text)
