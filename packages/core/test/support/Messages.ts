/** Verified messages of the provider at `main`. */
import { Pointsman, type VerifiedMessage, webhookSecretContext } from "@pointsman/core"
import type { Connector } from "@pointsman/core/connector"
import type { ChargeRecord, MessageAbout, ProviderMessage, StoredMessage } from "@pointsman/core/ports"
import { type ScriptedProvider, scriptedProvider } from "@pointsman/core/testing"
import { Effect, Result } from "effect"
import { tenant } from "./World.ts"

/** Connections with secrets for their webhooks. */
export const hearing = ["main", "backup"].map((id) => ({
  id,
  sealedWebhookSecret: `${webhookSecretContext(id)}|whsec_${id}`
}))

let written = 0

/** Written at 0 under an id of its own, unless told otherwise. */
export const messageOf = (
  about: MessageAbout,
  {
    at = 0,
    id = `msg_${++written}`,
    ...more
  }: Partial<Omit<VerifiedMessage, "message"> & Pick<ProviderMessage, "at" | "id">> = {}
): VerifiedMessage => ({
  ...{ connectionId: "main", tenant, receivedAt: 0, body: "{}", reason: null },
  ...more,
  message: { id, at, about }
})

/** A message at `main` as it is stored: received, and about no charge of ours, unless told otherwise. */
export const rowOf = (over: Partial<StoredMessage> = {}): StoredMessage => ({
  ...{ connectionId: "main", eventId: "msg_1", paymentId: null, about: "charge", subjectId: "", disputeId: null },
  ...{ verdict: null, outcome: "received", reason: null, writtenAt: 1, receivedAt: 1, body: "", isSealed: false },
  ...over
})

/** A message is received and recorded. */
export const say = (...told: Parameters<typeof messageOf>) =>
  Effect.flatMap(Pointsman, ({ recordMessage }) => recordMessage(messageOf(...told)))

/** A message arrives as these bytes: it is verified, and recorded. */
export const receive = (body: string, connectionId = "main", headers: Readonly<Record<string, string>> = {}) =>
  Effect.flatMap(Pointsman, ({ recordMessage, verifyMessage }) =>
    Effect.flatMap(verifyMessage({ connectionId, headers, body: new TextEncoder().encode(body) }), recordMessage)
  )

/** What is stated of the charge of an attempt. */
export const ofAttempt = (attempt: { readonly id: string } | undefined, state: ChargeRecord): MessageAbout => ({
  _tag: "Charge",
  charge: { attemptId: attempt?.id ?? "" },
  state: () => state
})

/** A scripted provider, or the given one, whose connector has these methods, too. */
export const providerWith = (methods: Partial<Connector>, provider = scriptedProvider()): ScriptedProvider => {
  const { connect, ...definition } = provider.definition
  return Object.assign(provider, {
    definition: {
      ...definition,
      connect: (...given: Parameters<typeof connect>) =>
        Result.map(connect(...given), (connector) => ({ ...connector, ...methods }))
    }
  })
}
