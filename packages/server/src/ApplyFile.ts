/** A configuration file, applied beside the servers that run: they serve it from their next request on. */
import { apiKeyIdOf } from "@pointsman/core/internal"
import { Effect } from "effect"
import { applyConfiguration, olderText, revokedText } from "./ApplyConfiguration.ts"
import { CommandFailure } from "./commands/CommandFailure.ts"
import { readConfiguration } from "./ReadConfiguration.ts"
import type { Settings } from "./Settings.ts"

export const applyFile = Effect.fnUntraced(function* (
  path: string,
  settings: Pick<Settings, "claimWindowMillis" | "providerTimeoutMillis">,
  environment: Readonly<Record<string, string | undefined>>,
  rollback: boolean
) {
  const { file, loaded } = yield* readConfiguration(path, { ...settings, environment })
  const { revokedKeys, standing } = yield* applyConfiguration(path, file, { rollback })
  if (standing._tag === "Older") return yield* new CommandFailure({ message: olderText(path, standing) })
  const { generation } = standing
  return {
    document: { generation, applied: standing._tag === "New", revoked_keys: revokedKeys.map(apiKeyIdOf) },
    text:
      standing._tag === "New"
        ? `Applied ${path} as generation ${generation}. Servers use it from now on.`
        : `${path} is already served, as generation ${generation}.`,
    warnings: [
      ...(revokedKeys.length === 0 ? [] : [revokedText(path, revokedKeys)]),
      ...(loaded.length === 0 ? [] : [restartText(path)])
    ]
  }
})

/** A running server keeps the connectors that it loaded. */
const restartText = (path: string): string =>
  `Servers load connectors at their start: restart them if \`connectors\` in ${path}, or a file of them, has changed. Until ` +
  "then, a connection of a connector that they have not loaded takes no payments."
