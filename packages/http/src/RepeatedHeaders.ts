/**
 * Headers that a request must not send twice. Two readers of such a request could each follow another one of them, and
 * Node joins two idempotency keys into a third one that neither sender knows.
 */
import { Headers, type HttpServerRequest } from "effect/http"

const singleHeaders = ["authorization", "content-type", "host", "idempotency-key"] as const
export type SingleHeader = (typeof singleHeaders)[number]

/** No other header of a usual request has one of these lengths, so that few names are compared. */
const byLength = new Map<number, SingleHeader>(singleHeaders.map((name) => [name.length, name]))

/**
 * Those that the request sends more than once. Node keeps the headers as they came. A web `Request` shows their values
 * joined by a comma: there an idempotency key counts as repeated if the same key was joined with itself, and different
 * keys cannot be told from one key that contains a comma.
 */
export const repeatedHeaders = (request: HttpServerRequest.HttpServerRequest): ReadonlySet<SingleHeader> => {
  const raw: unknown = Reflect.get(request.source, "rawHeaders")
  return Array.isArray(raw) ? repeatedIn(raw) : isJoinedWithItself(request.headers["idempotency-key"]) ? keyAlone : none
}

const none: ReadonlySet<SingleHeader> = new Set()
const keyAlone: ReadonlySet<SingleHeader> = new Set(["idempotency-key"])

/** Names and values by turns. */
const repeatedIn = (raw: ReadonlyArray<string>): ReadonlySet<SingleHeader> => {
  let seen: Set<SingleHeader> | undefined
  let repeated: Set<SingleHeader> | undefined
  for (let at = 0; at < raw.length; at += 2) {
    const given = raw[at] as string
    const name = byLength.get(given.length)
    if (name === undefined || given.toLowerCase() !== name) continue
    seen ??= new Set()
    if (seen.has(name)) repeated = (repeated ?? new Set()).add(name)
    else seen.add(name)
  }
  return repeated ?? none
}

const isJoinedWithItself = (key: string | undefined): boolean => {
  if (key === undefined || !key.includes(", ")) return false
  const keys = key.split(", ")
  return keys.every((one) => one === keys[0])
}

/**
 * The request as its endpoint is to check it: without an authorization that was repeated, so that it is 401, and with an
 * idempotency key that no endpoint takes where that was.
 */
export const withoutRepeated = (
  request: HttpServerRequest.HttpServerRequest,
  repeated: ReadonlySet<SingleHeader>
): HttpServerRequest.HttpServerRequest => {
  let headers = request.headers
  if (repeated.has("authorization")) headers = Headers.remove(headers, "authorization")
  if (repeated.has("idempotency-key")) headers = Headers.set(headers, "idempotency-key", "")
  return request.modify({ headers })
}
