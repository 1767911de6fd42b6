/** A configuration file, applied beside the servers that run: they serve it from their next request on. */
import { sendsNothing } from "@pointsman/configuration"
import { apiKeyIdOf } from "@pointsman/core/internal"
import { Effect } from "effect"
import { applyConfiguration, olderText, revokedText } from "./ApplyConfiguration.ts"
import { CommandFailure } from "./commands/CommandFailure.ts"
import * as InstalledConnectors from "./InstalledConnectors.ts"
import { readConfiguration } from "./ReadConfiguration.ts"
import type { Settings } from "./Settings.ts"

export const applyFile = Effect.fnUntraced(function* (
  path: string,
  settings: Pick<Settings, "claimWindowMillis" | "providerTimeoutMillis">,
  environment: Readonly<Record<string, string | undefined>>,
  rollback: boolean
) {
  const file = yield* readConfiguration(path, {
    connectors: InstalledConnectors.forChecking(),
    transport: sendsNothing,
    claimWindowMillis: settings.claimWindowMillis,
    providerTimeoutMillis: settings.providerTimeoutMillis,
    environment
  })
  const { revokedKeys, standing } = yield* applyConfiguration(path, file, { rollback })
  if (standing._tag === "Older") return yield* new CommandFailure({ message: olderText(path, standing) })
  const { generation } = standing
  return {
    document: { generation, applied: standing._tag === "New", revoked_keys: revokedKeys.map(apiKeyIdOf) },
    text:
      standing._tag === "New"
        ? `Applied ${path} as generation ${generation}. Servers use it from now on.`
        : `${path} is already served, as generation ${generation}.`,
    warning: revokedKeys.length === 0 ? null : revokedText(path, revokedKeys)
  }
})
