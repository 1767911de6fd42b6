/** One request to Stripe's API: its address, its headers and its form. */
import type {
  ConnectorAccount,
  EvidenceFile,
  NotSent,
  Transport,
  TransportAnswer,
  Unanswered
} from "@pointsman/core/connector"
import { Effect, Redacted, type Result } from "effect"
import { type Credentials, stripeUrl } from "./Credentials.ts"
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
  /** Uploads a file as evidence, which moves nothing. `id`: of the upload. */
  readonly upload: (file: EvidenceFile, id: string) => Effect.Effect<TransportAnswer, NotSent | Unanswered>
  /** Sends it, and reads the answer. */
  readonly call: <A>(
    request: Call,
    read: (answer: TransportAnswer) => Result.Result<A, Unanswered>
  ) => Effect.Effect<A, NotSent | Unanswered>
}

/** Uploads go to a host of their own (https://docs.stripe.com/file-upload). */
const filesUrl = "https://files.stripe.com"

/** The same for each upload: a request that is repeated under its idempotency key must be the same. */
const boundary = "pointsman-7f3b1c9e5d2a4f60"

const fileName: Readonly<Record<EvidenceFile["type"], string>> = {
  "application/pdf": "evidence.pdf",
  "image/jpeg": "evidence.jpg",
  "image/png": "evidence.png"
}

/** A form of two parts (RFC 7578): the purpose and the file. */
const multipart = ({ bytes, type }: EvidenceFile): Uint8Array => {
  const utf8 = new TextEncoder()
  const head = utf8.encode(
    `--${boundary}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\ndispute_evidence\r\n` +
      `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${fileName[type]}"\r\n` +
      `content-type: ${type}\r\n\r\n`
  )
  const tail = utf8.encode(`\r\n--${boundary}--\r\n`)
  const whole = new Uint8Array(head.length + bytes.length + tail.length)
  whole.set(head)
  whole.set(bytes, head.length)
  whole.set(tail, head.length + bytes.length)
  return whole
}

/** A page of 100 payments, each with its metadata, in bytes. */
const pageBytesAtMost = 8 * 1024 * 1024

export const stripeCaller = (
  { account, baseUrl, secretKey }: Credentials,
  { timeoutMillis }: Pick<ConnectorAccount, "timeoutMillis">,
  transport: Transport["Service"]
): Caller => {
  const headersOf = (id: string | undefined) => ({
    authorization: `Bearer ${Redacted.value(secretKey)}`,
    accept: "application/json",
    "stripe-version": version,
    // It has no effect on a GET, and shows in Stripe's log of requests.
    ...(id === undefined ? {} : { "idempotency-key": id }),
    ...(account === null ? {} : { "stripe-account": account })
  })
  const send: Caller["send"] = ({ form, id, method, path }) =>
    transport.send({
      method,
      url: `${baseUrl}/v1/${path}${method === "GET" && form.length > 0 ? `?${encode(form)}` : ""}`,
      headers: {
        ...headersOf(id),
        ...(method === "POST" ? { "content-type": "application/x-www-form-urlencoded" } : {})
      },
      ...(method === "POST" ? { body: encode(form) } : {}),
      timeoutMillis,
      maxAnswerBytes: pageBytesAtMost
    })
  return {
    send,
    upload: (file, id) =>
      transport.send({
        method: "POST",
        url: `${baseUrl === stripeUrl ? filesUrl : baseUrl}/v1/files`,
        headers: { ...headersOf(id), "content-type": `multipart/form-data; boundary=${boundary}` },
        bytes: multipart(file),
        timeoutMillis
      }),
    call: (request, read) => Effect.flatMap(send(request), (answer) => Effect.fromResult(read(answer)))
  }
}
