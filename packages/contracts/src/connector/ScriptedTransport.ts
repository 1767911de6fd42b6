/** A transport in memory: it records what it is asked to send, and answers by a script. */
import type { NotSent, Transport, TransportAnswer, TransportRequest, Unanswered } from "@pointsman/core/connector"
import { Effect } from "effect"

export interface ScriptedTransport {
  readonly transport: Transport["Service"]
  /** Every request, in order. */
  readonly requests: ReadonlyArray<TransportRequest>
}

/** One entry for each request. A request beyond the script is a defect: nobody asked for it. */
export const scriptedTransport = (
  script: ReadonlyArray<Effect.Effect<TransportAnswer, NotSent | Unanswered>>
): ScriptedTransport => {
  const requests: Array<TransportRequest> = []
  return {
    requests,
    transport: {
      send: (request) =>
        Effect.suspend(() => {
          requests.push(request)
          return script[requests.length - 1] ?? Effect.die(new Error("the connector sent a request too many"))
        })
    }
  }
}
