/** One request, and what its answer is: the API's, or a failure. Nothing is repeated here. */
import type { RoutingExclusion } from "./Contract.ts"
import { type Failure, isKnownCode } from "./Errors.ts"
import type { Endpoint } from "./Settings.ts"

export interface Order {
  readonly method: "GET" | "POST"
  /** Below `/api/v1`, with its query. */
  readonly path: string
  readonly body?: string | FormData
  /**
   * `new`: a payment. `more`: something of a payment that exists, which may have been asked for before. Both are sent with
   * an idempotency key, because a provider may execute them. `none`: no provider is asked.
   */
  readonly money: "none" | "new" | "more"
}

export interface Answer {
  readonly body: Readonly<Record<string, unknown>>
  readonly isReplay: boolean
}

export type Sent = { readonly answer: Answer } | { readonly failure: Failure }

export const send = async (
  { apiKey, fetch, url }: Endpoint,
  { body, method, path }: Order,
  idempotencyKey: string | null,
  signal: AbortSignal
): Promise<Sent> => {
  const headers = {
    accept: "application/json",
    authorization: `Bearer ${apiKey}`,
    ...(typeof body === "string" ? { "content-type": "application/json" } : {}),
    ...(idempotencyKey === null ? {} : { "idempotency-key": idempotencyKey })
  }
  let response: Response
  let text: string
  try {
    // A redirect that was followed would turn a payment into a read of the list.
    response = await fetch(`${url}${path}`, {
      method,
      headers,
      signal,
      redirect: "manual",
      ...(body === undefined ? {} : { body })
    })
    text = await response.text()
  } catch (cause) {
    return { failure: { code: "no_answer", message: "No answer came: the connection failed, or time was up.", cause } }
  }
  return read(response, text)
}

const read = ({ headers, status }: Response, text: string): Sent => {
  const requestId = headers.get("x-request-id")
  const retryAfter = /^\d{1,9}$/u.exec(headers.get("retry-after") ?? "")
  const about = {
    status,
    requestId,
    ...(retryAfter === null ? {} : { retryAfterMillis: Number(retryAfter[0]) * 1000 })
  }
  const body = parsed(text)
  if (status >= 200 && status < 300 && isObject(body) && "data" in body) {
    return { answer: { body, isReplay: headers.get("idempotent-replay") === "true" } }
  }
  const error = isObject(body) && isObject(body["error"]) ? body["error"] : {}
  const { code, doc_url: docUrl, excluded, message, param } = error
  if (status < 400 || typeof code !== "string") {
    return {
      failure: { ...about, code: "no_answer", message: `Status ${status} came with what is not an answer of the API.` }
    }
  }
  return {
    failure: {
      ...about,
      code: isKnownCode(code) ? code : "unknown_code",
      message: `${isKnownCode(code) ? "" : `${code}: `}${typeof message === "string" ? message : code}`,
      ...(typeof param === "string" ? { param } : {}),
      ...(typeof docUrl === "string" ? { docUrl } : {}),
      ...(Array.isArray(excluded) ? { excluded: excluded as ReadonlyArray<RoutingExclusion> } : {})
    }
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
