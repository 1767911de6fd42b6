/** Doubles for tests: a provider with scripted answers, a ledger that fails on demand, and secrets in the open. */
import { Effect, Layer } from "effect"
import type { CreateRequest } from "./decide/CreateRequest.ts"
import { type WebhookNotAnswered, type WebhookRequest, WebhookSender } from "./ports/WebhookSender.ts"

export * from "./testing/FaultyLedger.ts"
export * from "./testing/OpenSecrets.ts"
export * from "./testing/ScriptedConnector.ts"

/** A card payment of 19.99 EUR from the Netherlands without a key, and what a test wants to be otherwise. */
export const sampleRequest = (
  change: Partial<Omit<CreateRequest, "details">> & { readonly details?: Partial<CreateRequest["details"]> } = {}
): CreateRequest => ({
  idempotencyKey: null,
  instruments: null,
  debug: false,
  ...change,
  details: {
    money: { minorUnits: 1999, currency: "EUR" },
    country: "NL",
    method: "card",
    cardBrand: null,
    initiator: "cit",
    captureMethod: "automatic",
    reference: null,
    simulation: null,
    ...change.details
  }
})

export interface ScriptedSender {
  readonly layer: Layer.Layer<WebhookSender>
  /** Every request that was begun, in order. */
  readonly sent: Array<WebhookRequest>
  /** Gives the status of the n-th request's answer, counted from 1; 200 unless set. */
  onSend: (request: WebhookRequest, number: number) => Effect.Effect<number, WebhookNotAnswered>
}

/** A sender without a network: it records requests and returns scripted answers. */
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
