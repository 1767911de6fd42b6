import { Effect, Layer } from "effect"
import { type WebhookNotAnswered, type WebhookRequest, WebhookSender } from "../ports/WebhookSender.ts"

export interface ScriptedSender {
  readonly layer: Layer.Layer<WebhookSender>
  /** Every request that was begun, in order. */
  readonly sent: Array<WebhookRequest>
  /** Gives the status of the n-th request's answer, counted from 1; 200 unless set. */
  onSend: (request: WebhookRequest, number: number) => Effect.Effect<number, WebhookNotAnswered>
}

/** A sender that reaches nobody: it records requests and returns scripted answers. */
export const scriptedSender = (): ScriptedSender => {
  const scripted: ScriptedSender = {
    sent: [],
    onSend: () => Effect.succeed(200),
    layer: Layer.sync(WebhookSender, () => ({
      send: (request) => Effect.suspend(() => scripted.onSend(request, scripted.sent.push(request)))
    }))
  }
  return scripted
}
