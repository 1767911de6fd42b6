import { Effect, Result } from "effect"
import type { ChargeAnswer, ChargeRequest, ChargeState, ConnectorDefinition, Found } from "../ports/Connector.ts"
import type { NotSent, Unanswered } from "../ports/Transport.ts"
import type { Supports } from "../routing/Connection.ts"

/** A provider that answers as a test tells it, and remembers what it was asked. */
export interface ScriptedProvider {
  readonly definition: ConnectorDefinition
  /** Every charge that reached it, in order. */
  readonly charges: Array<ChargeRequest & { readonly connectionId: string }>
  /** What it answers; captures (or authorizes) unless told otherwise. */
  onCharge: (
    request: ChargeRequest & { readonly connectionId: string }
  ) => Effect.Effect<ChargeAnswer, NotSent | Unanswered>
}

export const scriptedProvider = (options: { readonly name?: string; readonly supports?: Supports } = {}) => {
  const provider: ScriptedProvider = {
    charges: [],
    onCharge: approve,
    definition: {
      name: options.name ?? "scripted",
      environments: ["sandbox", "production"],
      supports: options.supports ?? {},
      connect: ({ connectionId }) =>
        Result.succeed({
          charge: (request) =>
            Effect.suspend(() => {
              const charge = { ...request, connectionId }
              provider.charges.push(charge)
              return provider.onCharge(charge)
            }),
          lookUpCharge: () => Effect.succeed<Found<ChargeState>>({ _tag: "NotFound", conclusive: false })
        })
    }
  }
  return provider
}

/** Takes or holds the amount asked for. */
export const approve = (request: ChargeRequest): Effect.Effect<ChargeAnswer> =>
  Effect.succeed({
    _tag: request.capture ? "Captured" : "Authorized",
    providerRef: `ref_${request.attemptId}`
  })
