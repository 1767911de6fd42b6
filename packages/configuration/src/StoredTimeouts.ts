/** What the timeouts of the stored connections mean for starting and stopping. Milliseconds. Pure. */

import type { Connection } from "@pointsman/core"
import type { DirectoryContents } from "@pointsman/core/ports"
import type { ConfigurationFile } from "./ConfigurationFile.ts"

/**
 * A stored connection whose time-out is not shorter than the claim window: a claim must not be taken for dead while its
 * provider is being asked. Connections that `file` names were checked with it; those that it does not name still hold
 * payments.
 */
export const tooSlowConnection = (
  present: DirectoryContents,
  file: ConfigurationFile | undefined,
  claimWindowMillis: number
): Connection | undefined => {
  const named = new Set(file?.workspaces.flatMap((workspace) => (workspace.connections ?? []).map(({ id }) => id)))
  return present.connections.find(
    ({ id, timeoutMillis }) => !named.has(id) && (timeoutMillis ?? 0) >= claimWindowMillis
  )
}

/** For how long a payment may ask one provider after the other, each for as long as its time-out. */
export const longestCallsMillis = (contents: DirectoryContents, providerTimeoutMillis: number): number => {
  const timeouts = contents.connections.map((connection) => connection.timeoutMillis ?? 0)
  const attempts = contents.routing.flatMap(({ settings: { maxAttempts, rules } }) => [
    maxAttempts ?? 0,
    ...(rules ?? []).map((rule) => rule.use.maxAttempts ?? 0)
  ])
  return Math.max(providerTimeoutMillis, ...timeouts) * Math.max(2, ...attempts)
}
