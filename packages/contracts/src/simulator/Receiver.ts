/**
 * The merchants' endpoints: they are reached or not, answer or do not, and keep what they received. They check every
 * signature as the documentation tells receivers to, with code of their own.
 */
import { createHmac } from "node:crypto"
import { WebhookNotAnswered, type WebhookRequest, WebhookSender } from "@pointsman/core/ports"
import { Effect } from "effect"
import type { Draw } from "./Draw.ts"
import { secretOfEndpoint } from "./Furnish.ts"
import type { Time } from "./Time.ts"

/**
 * What an endpoint does with a request. After `Unheard` and `Hangs` it has the request, and the sender does not know.
 */
export type Reception =
  | { readonly _tag: "Answers"; readonly status: number; readonly takes: number }
  | { readonly _tag: "Unheard" }
  | { readonly _tag: "Hangs" }
  | { readonly _tag: "Unreached" }

export const accepted: Reception = { _tag: "Answers", status: 200, takes: 0 }

/** A reception that is not as it should be. */
export const drawReception = (draw: Draw): Reception => {
  switch (draw.below(5)) {
    case 0:
      return { _tag: "Answers", status: draw.pick([500, 503]), takes: 0 }
    case 1:
      return { _tag: "Answers", status: draw.pick([301, 302]), takes: 0 }
    case 2:
      return { _tag: "Answers", status: draw.pick([404, 410, 422]), takes: 0 }
    case 3:
      return { _tag: draw.pick(["Unheard", "Hangs", "Unreached"]) }
    default:
      return { _tag: "Answers", status: 200, takes: draw.pick([100, 14_999, 15_001]) }
  }
}

export interface Received {
  readonly url: string
  readonly eventId: string
  readonly deliveryId: string
  readonly body: string
  /** What was wrong with it; `undefined` for a good one. */
  readonly fault: string | undefined
}

export type Receiver = ReturnType<typeof simulatedReceiver>

/** How old a signature may be, in seconds. */
const toleranceSeconds = 300
const text = new TextDecoder()

const partsOf = ({ headers }: WebhookRequest): ReadonlyArray<ReadonlyArray<string>> =>
  (headers["x-service-signature"] ?? "").split(",").map((part) => part.split("=", 2))

const timestampOf = (request: WebhookRequest): string => partsOf(request).find(([name]) => name === "t")?.[1] ?? ""

const faultOf = (request: WebhookRequest): string | undefined => {
  const secret = secretOfEndpoint(request.url)
  if (secret === undefined) return "no endpoint has this address"
  const tag = createHmac("sha256", secret)
    .update(`${timestampOf(request)}.`)
    .update(request.body)
    .digest("hex")
  const isSigned = partsOf(request).some(([name, value]) => name === "v1" && value === tag)
  return isSigned ? undefined : "its signature is not ours"
}

/** `receptionOf`: how an endpoint takes what comes. */
export const simulatedReceiver = (time: Time, receptionOf: (request: WebhookRequest) => Reception = () => accepted) => {
  /** Everything that arrived, in order. */
  const received: Array<Received> = []

  const isStale = (request: WebhookRequest): boolean =>
    Math.abs(time.now() / 1_000 - Number(timestampOf(request))) > toleranceSeconds

  const receive = (request: WebhookRequest): void => {
    if (isStale(request)) return
    received.push({
      url: request.url,
      eventId: request.headers["x-service-event-id"] ?? "",
      deliveryId: request.headers["x-service-delivery-id"] ?? "",
      body: text.decode(request.body),
      fault: faultOf(request)
    })
  }

  return {
    received,
    sender: WebhookSender.of({
      send: (request) =>
        Effect.suspend((): Effect.Effect<number, WebhookNotAnswered> => {
          const reception = receptionOf(request)
          switch (reception._tag) {
            case "Answers": {
              const takes = reception.takes
              // Of a process that froze between signing and sending the signature is too old: receivers refuse it.
              const status = reception.status < 300 && isStale(request) ? 401 : reception.status
              // Who answers no success may have read nothing.
              if (status < 300) receive(request)
              return takes === 0 ? Effect.succeed(status) : Effect.delay(Effect.succeed(status), takes)
            }
            case "Unheard":
              receive(request)
              return Effect.fail(new WebhookNotAnswered({ failure: "NoAnswer", message: "the connection was lost" }))
            case "Hangs":
              receive(request)
              return Effect.never
            case "Unreached":
              return Effect.fail(new WebhookNotAnswered({ failure: "NoConnection", message: "it was refused" }))
          }
        })
    })
  }
}
