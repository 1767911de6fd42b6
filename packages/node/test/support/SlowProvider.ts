/** A provider that answers a charge when the test says so. */
import type { Connector, ConnectorDefinition } from "@pointsman/core/connector"
import { Effect, Result } from "effect"

export interface SlowProvider {
  readonly definition: ConnectorDefinition
  /** Resolves when a charge has reached the provider. */
  readonly asked: Promise<void>
  readonly answer: () => void
}

export const slowProvider = (): SlowProvider => {
  const asked = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  const connector: Connector = {
    charge: ({ attemptId, money }) =>
      Effect.promise(async () => {
        asked.resolve()
        await answered.promise
        return { _tag: "Captured", providerRef: `slow_${attemptId}`, stated: money } as const
      }),
    lookUpCharge: () => Effect.succeed({ _tag: "NotFound", conclusive: false })
  }
  return {
    definition: {
      name: "slow",
      environments: ["sandbox", "production"],
      supports: {},
      connect: () => Result.succeed(connector)
    },
    asked: asked.promise,
    answer: () => answered.resolve()
  }
}
