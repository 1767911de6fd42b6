/** The headers of answers. Names on the wire have no case; the document writes them as people do. */
import type { Header, Reference } from "./Model.ts"

export const headers = {
  RequestId: {
    description: "The request id. Quote it in support requests.",
    required: true,
    schema: { type: "string", pattern: "^req_[0-9a-f-]{36}$" }
  },
  RetryAfter: {
    description: "Seconds to wait before the next request.",
    schema: { type: "integer", minimum: 1 }
  },
  Authenticate: {
    description: "The authentication scheme of the endpoint.",
    required: true,
    schema: { type: "string", enum: ["Bearer"] }
  }
} as const satisfies Record<string, Header>

const reference = (name: keyof typeof headers): Reference => ({ $ref: `#/components/headers/${name}` })

/** What every answer of a status carries. */
export const headersOf = (status: string): Readonly<Record<string, Reference>> => ({
  "X-Request-Id": reference("RequestId"),
  ...(status === "401" ? { "WWW-Authenticate": reference("Authenticate") } : {}),
  ...(["409", "429", "500", "503"].includes(status) ? { "Retry-After": reference("RetryAfter") } : {})
})

/** `idempotency-key` is `Idempotency-Key`. */
export const headerName = (name: string): string => name.replace(/(^|-)[a-z]/gu, (start) => start.toUpperCase())
