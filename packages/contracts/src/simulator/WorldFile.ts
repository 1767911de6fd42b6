/** The configuration file of a world, as the package `configuration` reads it: what `Furnish.ts` stores, with keys. */
import type { Directory, Merchants, Secrets } from "@pointsman/core/ports"
import type { Effect } from "effect"
import type { Mac } from "effect/crypto"
import { timeoutMillis } from "./CallHandling.ts"
import {
  connectionsMade,
  type MerchantsEndpoint,
  messageSecretOf,
  signingSecretsOf,
  urlOf,
  workspace
} from "./Furnish.ts"

export type WorldFile = ReturnType<typeof worldFile>

/** Applies the file that a process starts with; it fails where the storage does. */
export type ApplyFile = (file: WorldFile) => Effect.Effect<unknown, unknown, Directory | Merchants | Secrets | Mac.Mac>

/** `generation`: `null` for a file without a number. `keys`: of production. */
export const worldFile = (
  generation: number | null,
  keys: ReadonlyArray<string>,
  wanted: ReadonlyArray<MerchantsEndpoint>
) => ({
  ...(generation === null ? {} : { generation }),
  workspaces: [workspaceIn(keys, wanted)]
})

const workspaceIn = (keys: ReadonlyArray<string>, wanted: ReadonlyArray<MerchantsEndpoint>) => ({
  ...{ id: workspace.id, name: workspace.name, country: "NL", category: "retail" },
  keys: keys.map((secret) => ({ environment: "production" as const, secret })),
  connections: connectionsMade.map(([id, environment], index) => ({
    ...{ id, environment, connector: "simulated", priority: 1 + (index % 2) },
    ...{ webhookSecret: messageSecretOf(id), timeout: `${timeoutMillis / 1_000} seconds` }
  })),
  routing: { sandbox: { mode: "failover" as const }, production: { mode: "failover" as const } },
  webhooks: wanted.map((endpoint) => {
    const { previousSecret, secret } = signingSecretsOf(endpoint)
    const { environment, events, id } = endpoint
    return { environment, events, secret, url: urlOf(id), ...(previousSecret === null ? {} : { previousSecret }) }
  })
})
