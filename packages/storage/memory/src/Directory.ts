import type { Tenant } from "@pointsman/core"
import { resumed, withStatedAccount } from "@pointsman/core/internal"
import { Directory, type DirectoryContents, keyUseEveryMillis, logEntry } from "@pointsman/core/ports"
import { Clock, Effect, Option } from "effect"
import { append } from "./Audit.ts"
import { byText, copy, type State, tenantKey } from "./State.ts"

export const make = (state: State): Directory["Service"] =>
  Directory.of({
    keyHolder: (hash) =>
      Effect.sync(() => {
        const apiKey = state.apiKeys.get(hash)
        const workspace = apiKey && state.workspaces.get(apiKey.workspaceId)
        return apiKey && workspace ? Option.some(copy({ apiKey, workspace })) : Option.none()
      }),
    workspace: (id) => Effect.sync(() => Option.map(Option.fromUndefinedOr(state.workspaces.get(id)), copy)),
    connections: (tenant) =>
      Effect.sync(() => copy(sorted(state.connections).filter((connection) => isOf(tenant, connection)))),
    connection: (id) => Effect.sync(() => Option.map(Option.fromUndefinedOr(state.connections.get(id)), copy)),
    routing: (tenant) =>
      Effect.sync(() => Option.map(Option.fromUndefinedOr(state.routing.get(tenantKey(tenant))?.settings), copy)),
    contents: Effect.sync(() => contentsOf(state)),
    state: Effect.sync(() => ({ contents: contentsOf(state), configurations: copy(state.configurations) })),
    write: (contents, audit) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        write(state, contents, now)
        return audit === undefined ? Effect.void : logEntry(append(state, audit))
      }),
    apply: ({ after, audit, configuration, contents, seenSecrets = new Map() }) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if ((state.configurations.at(-1)?.generation ?? 0) !== after) return Effect.succeed(false)
        for (const [id, sealed] of seenSecrets) {
          if (state.webhookEndpoints.get(id)?.sealedSecret !== sealed) return Effect.succeed(false)
        }
        write(state, contents, now)
        if (configuration !== null) state.configurations.push(copy(configuration))
        return Effect.as(audit === undefined ? Effect.void : logEntry(append(state, audit)), true)
      }),
    replaceEndpointSecret: (expectedSealed, after, audit) =>
      Effect.suspend(() => {
        const stored = state.webhookEndpoints.get(after.id)
        if (stored?.sealedSecret !== expectedSealed) return Effect.succeed(false)
        const { sealedPreviousSecret: _, ...rest } = stored
        const { rotation, sealedPreviousSecret, sealedSecret } = copy(after)
        state.webhookEndpoints.set(after.id, {
          ...rest,
          sealedSecret,
          ...(sealedPreviousSecret == null ? {} : { sealedPreviousSecret }),
          rotation
        })
        return Effect.as(logEntry(append(state, audit)), true)
      }),
    recordAccount: ({ account, at, connectionId, sealedCredentials }) =>
      Effect.sync(() => {
        const connection = state.connections.get(connectionId)
        if (connection?.sealedCredentials !== sealedCredentials) return
        state.connections.set(connectionId, {
          ...connection,
          account: withStatedAccount(connection.account, account, at)
        })
      }),
    recordKeyUses: (uses) =>
      Effect.sync(() => {
        for (const { at, hash } of uses) {
          const before = state.keyUses.get(hash)
          if (before === undefined || at - before >= keyUseEveryMillis) state.keyUses.set(hash, at)
        }
      }),
    keyUses: Effect.sync(() => new Map(state.keyUses))
  })

const contentsOf = (state: State): DirectoryContents =>
  copy({
    workspaces: sorted(state.workspaces),
    apiKeys: sorted(state.apiKeys),
    connections: sorted(state.connections),
    routing: sorted(state.routing),
    webhookEndpoints: sorted(state.webhookEndpoints)
  })

const write = (state: State, input: DirectoryContents, now: number): void => {
  const contents: DirectoryContents = copy(input)
  for (const workspace of contents.workspaces) state.workspaces.set(workspace.id, workspace)
  for (const apiKey of contents.apiKeys) {
    const before = state.apiKeys.get(apiKey.hash)
    if (before?.source !== "operator" || before.revokedAt === null) state.apiKeys.set(apiKey.hash, apiKey)
  }
  for (const { account: _, ...connection } of contents.connections) {
    const account = state.connections.get(connection.id)?.account
    state.connections.set(connection.id, { ...connection, ...(account === undefined ? {} : { account }) })
  }
  for (const routing of contents.routing) state.routing.set(tenantKey(routing), routing)
  for (const endpoint of contents.webhookEndpoints) state.webhookEndpoints.set(endpoint.id, endpoint)
  const active = new Set(contents.webhookEndpoints.filter((endpoint) => endpoint.active).map(({ id }) => id))
  for (const stored of state.deliveries.values()) {
    if (!active.has(stored.delivery.endpointId)) continue
    stored.delivery = resumed(stored.delivery, stored.attempts.at(-1)?.end ?? null, now) ?? stored.delivery
  }
}

const isOf = (tenant: Tenant, owner: Tenant): boolean =>
  owner.workspaceId === tenant.workspaceId && owner.environment === tenant.environment

/** By their keys, so that two reads of the same contents are equal. */
const sorted = <A>(rows: ReadonlyMap<string, A>): ReadonlyArray<A> =>
  [...rows].sort(([a], [b]) => byText(a, b)).map(([, row]) => row)
