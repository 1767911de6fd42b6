/** One request to Stripe's API: its address, its headers and its form. */
import type { ConnectorAccount, NotSent, Transport, TransportAnswer, Unanswered } from "@pointsman/core/connector"
import { Effect, Redacted, type Result } from "effect"
import type { Credentials } from "./Credentials.ts"
import { version } from "./Protocol.ts"
import { encode, type Form } from "./Requests.ts"

export interface Call {
  readonly method: "GET" | "POST"
  /** Under the version, encoded. */
  readonly path: string
  readonly form: Form
  /** The attempt, operation or refund id. */
  readonly id?: string
}

export interface Caller {
  readonly send: (request: Call) => Effect.Effect<TransportAnswer, NotSent | Unanswered>
  /** Sends it, and reads the answer. */
  readonly call: <A>(
    request: Call,
    read: (answer: TransportAnswer) => Result.Result<A, Unanswered>
  ) => Effect.Effect<A, NotSent | Unanswered>
}

/** A page of 100 payments, each with its metadata, in bytes. */
const pageBytesAtMost = 8 * 1024 * 1024

export const stripeCaller = (
  { account, baseUrl, secretKey }: Credentials,
  { timeoutMillis }: Pick<ConnectorAccount, "timeoutMillis">,
  transport: Transport["Service"]
): Caller => {
  const send: Caller["send"] = ({ form, id, method, path }) =>
    transport.send({
      method,
      url: `${baseUrl}/v1/${path}${method === "GET" && form.length > 0 ? `?${encode(form)}` : ""}`,
      headers: {
        authorization: `Bearer ${Redacted.value(secretKey)}`,
        accept: "application/json",
        "stripe-version": version,
        // It has no effect on a GET, and shows in Stripe's log of requests.
        ...(id === undefined ? {} : { "idempotency-key": id }),
        ...(account === null ? {} : { "stripe-account": account }),
        ...(method === "POST" ? { "content-type": "application/x-www-form-urlencoded" } : {})
      },
      ...(method === "POST" ? { body: encode(form) } : {}),
      timeoutMillis,
      maxAnswerBytes: pageBytesAtMost
    })
  return {
    send,
    call: (request, read) => Effect.flatMap(send(request), (answer) => Effect.fromResult(read(answer)))
  }
}
