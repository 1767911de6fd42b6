/** Sends webhooks (for Node: `@pointsman/transport-node`). Without a sender the deliveries wait. */
import { Context, type Effect, Schema } from "effect"

export interface WebhookRequest {
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** `NoConnection` and `AddressRefused` sent nothing; after `NoAnswer` it may have arrived. For operators. */
export class WebhookNotAnswered extends Schema.TaggedError<WebhookNotAnswered>()("pointsman/WebhookNotAnswered", {
  failure: Schema.Literals(["NoConnection", "AddressRefused", "NoAnswer"]),
  message: Schema.String
}) {}

export class WebhookSender extends Context.Service<
  WebhookSender,
  {
    /**
     * One POST request, and the status of its answer. It follows no redirect, does not retry, and reads of the answer's
     * body as little as it can. It is interrupted when the time for the attempt is over, and ends the connection then.
     */
    readonly send: (request: WebhookRequest) => Effect.Effect<number, WebhookNotAnswered>
  }
>()("pointsman/ports/WebhookSender") {}
