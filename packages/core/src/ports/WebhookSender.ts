/**
 * Sends webhooks to addresses that merchants chose. `@pointsman/transport-node` has one for Node. Without a sender the
 * deliveries wait in the store for a process that has one.
 */
import { Context, type Effect, Schema } from "effect"

export interface WebhookRequest {
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/**
 * No answer: `NoConnection` and `AddressRefused` sent nothing; after `NoAnswer` the receiver may have it. The message
 * is for the operator and holds nothing of the request.
 */
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
