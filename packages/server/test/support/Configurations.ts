import { formatApiKey } from "@pointsman/core"
import type { ScriptedProvider } from "./ScriptedProvider.ts"

/** Keys as an operator would have made them; the same at every run. */
export const testKey = formatApiKey("sandbox", new Uint8Array(64).fill(11))
export const liveKey = formatApiKey("production", new Uint8Array(64).fill(12))
export const otherLiveKey = formatApiKey("production", new Uint8Array(64).fill(13))

/** A production connection to a provider of the test. */
export const connectionTo = (provider: Pick<ScriptedProvider, "url" | "apiKey">, id = "main") => ({
  id,
  environment: "production",
  connector: "http",
  credentials: { baseUrl: provider.url, apiKey: provider.apiKey },
  timeout: "5 seconds"
})

type AnyConnection = Readonly<Record<string, unknown>> & { readonly id: string }

/** One workspace with a live key, its connections in the order in which they are asked. */
export const workspaceWith = (connections: ReadonlyArray<AnyConnection>) => ({
  id: "acme",
  name: "Acme",
  country: "NL",
  keys: [{ environment: "production", secret: liveKey }],
  connections,
  routing: { production: { mode: "failover", order: connections.map(({ id }) => id) } }
})

export const configurationWith = (...connections: ReadonlyArray<AnyConnection>) => ({
  workspaces: [workspaceWith(connections)]
})

/** One workspace with a live key, and one connection. */
export const configurationAt = (
  connection: Readonly<Record<string, unknown>>,
  connectors: ReadonlyArray<string> | undefined = undefined
) => ({
  ...(connectors === undefined ? {} : { connectors }),
  workspaces: [
    {
      ...{ id: "acme", name: "Acme", country: "NL", connections: [connection] },
      keys: [{ environment: "production", secret: liveKey }]
    }
  ]
})
