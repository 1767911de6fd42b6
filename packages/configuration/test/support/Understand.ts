/** The configuration file as a server reads it, with connectors of a test. */
import { formatMistake, openConnectionOf, sendsNothing, understandConfiguration } from "@pointsman/configuration"
import type { Connector, ConnectorDefinition } from "@pointsman/core/ports"
import { Effect, Option, Result } from "effect"

/** A connector that takes any credentials; `refusal`: those that it does not. */
export const definition = (
  name: string,
  environments: ConnectorDefinition["environments"],
  { refusal, ...more }: Partial<Connector> & { readonly refusal?: (credentials: unknown) => string | null } = {}
): ConnectorDefinition => ({
  name,
  environments,
  supports: {},
  connect: ({ credentials }) => {
    const refused = refusal?.(credentials) ?? null
    return refused === null
      ? Result.succeed({ charge: () => Effect.never, lookUpCharge: () => Effect.never, ...more })
      : Result.fail(refused)
  }
})

export const understand = (
  json: unknown,
  {
    definitions = [definition("sandbox", ["sandbox"])],
    environment = {}
  }: {
    readonly definitions?: ReadonlyArray<ConnectorDefinition>
    readonly environment?: Readonly<Record<string, string>> | undefined
  } = {}
) =>
  understandConfiguration(json, {
    connectors: {
      names: definitions.map(({ name }) => name),
      definition: (name) => Option.fromUndefinedOr(definitions.find((one) => one.name === name))
    },
    transport: sendsNothing,
    claimWindowMillis: 900_000,
    claimWindowSetting: "the claim window",
    providerTimeoutMillis: 30_000,
    environment
  })

export const mistakesIn = (understood: ReturnType<typeof understand>): ReadonlyArray<string> =>
  Result.match(understood, { onFailure: (mistakes) => mistakes.map(formatMistake), onSuccess: () => [] })

/** The file's first connection, as it is opened. */
export const firstConnection = (understood: ReturnType<typeof understand>) => {
  const [workspace] = Result.getOrThrow(understood).workspaces
  const [stated] = workspace?.connections ?? []
  return workspace && stated && openConnectionOf(workspace, stated)
}

/** A file of one connection with these fields. */
export const fileWith = (fields: object, workspace: object = { country: "NL" }) => ({
  workspaces: [{ id: "acme", ...workspace, connections: [{ id: "main", environment: "sandbox", ...fields }] }]
})
