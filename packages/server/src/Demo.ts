/** What a server without a configuration starts with, so that a first payment takes one command. */
import { demoWorkspaceId } from "@pointsman/configuration"
import { apiKeyEntropyBytes, type Connection, credentialsContext, formatApiKey, type Workspace } from "@pointsman/core"
import { environmentOfApiKey } from "@pointsman/core/internal"
import { Directory, type DirectoryContents, keyStorageError, Secrets } from "@pointsman/core/ports"
import { Clock, Effect, Option, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { fileFailure } from "./EncryptionKey.ts"
import { readSecretFile, replaceSecretFile } from "./SecretFile.ts"
import type { Settings } from "./Settings.ts"

export const sandboxKeyFile = (databasePath: string): string => `${databasePath}.sandbox-key`

const workspace: Workspace = {
  id: demoWorkspaceId,
  name: "Demo",
  country: "NL",
  category: null,
  suspended: false,
  partner: null
}

const connections = [
  { id: "demo-first", name: "First sandbox provider", priority: 1 },
  { id: "demo-second", name: "Second sandbox provider", priority: 2 }
] as const

/**
 * Makes the demo workspace in a database that has none, and gives its key. Nothing is made beside workspaces from
 * elsewhere, and then there is no key to give; nor where the key was revoked.
 */
export const ensureDemo = Effect.fnUntraced(function* (
  settings: Pick<Settings, "database">,
  present: DirectoryContents
) {
  const isThere = present.workspaces.some((stored) => stored.id === demoWorkspaceId)
  if (!isThere && present.workspaces.length > 0) return Option.none<Redacted.Redacted<string>>()

  const directory = yield* Directory
  const secrets = yield* Secrets
  const key = yield* sandboxKey(settings)
  const hash = yield* secrets.hash(Redacted.value(key))
  const stored = present.apiKeys.find((one) => one.hash === hash)
  // The database holds only the key's hash. Where the file is gone, a new key takes its place.
  const apiKey = {
    hash,
    workspaceId: demoWorkspaceId,
    environment: "sandbox",
    scopes: null,
    name: null,
    expiresAt: null,
    networks: null,
    revokedAt: null,
    // Not the configuration's: a file that is given later must not revoke it.
    source: "operator",
    createdAt: yield* Clock.currentTimeMillis
  } as const
  if (!isThere) {
    yield* directory.write({
      workspaces: [workspace],
      apiKeys: [apiKey],
      connections: yield* Effect.forEach(connections, demoConnection),
      routing: [
        {
          workspaceId: demoWorkspaceId,
          environment: "sandbox",
          settings: { mode: "failover", order: connections.map(({ id }) => id) }
        }
      ],
      webhookEndpoints: []
    })
  } else if (stored === undefined) {
    yield* directory.write({ workspaces: [], apiKeys: [apiKey], connections: [], routing: [], webhookEndpoints: [] })
  } else if (stored.revokedAt !== null) {
    return Option.none<Redacted.Redacted<string>>()
  }
  return Option.some(key)
})

const demoConnection = Effect.fnUntraced(function* (connection: (typeof connections)[number]) {
  const secrets = yield* Secrets
  return {
    ...connection,
    workspaceId: demoWorkspaceId,
    environment: "sandbox",
    connector: "sandbox",
    active: true,
    sealedCredentials: yield* secrets
      .seal(Redacted.make("{}"), credentialsContext(connection.id))
      .pipe(Effect.mapError(keyStorageError("sealing the demo's credentials"))),
    sealedWebhookSecret: null,
    timeoutMillis: null,
    supports: {},
    restrictions: [],
    circuitBreaker: null
  } satisfies Connection
})

/** The key beside the database, so that it can be printed at every start; what a crash left of one is replaced. */
const sandboxKey = Effect.fnUntraced(function* (settings: Pick<Settings, "database">) {
  const { database } = settings
  if (database._tag === "SqliteMemory") return yield* newSandboxKey
  if (database._tag === "Postgres") return yield* derivedSandboxKey
  const path = sandboxKeyFile(database.path)
  const found = yield* readSecretFile(path).pipe(Effect.mapError(fileFailure(path, "read")))
  if (Option.isSome(found) && environmentOfApiKey(found.value) === "sandbox") return Redacted.make(found.value)
  const key = yield* newSandboxKey
  yield* replaceSecretFile(path, Redacted.value(key)).pipe(Effect.mapError(fileFailure(path, "written")))
  return key
})

const newSandboxKey = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  return Redacted.make(formatApiKey("sandbox", yield* random.randomBytes(apiKeyEntropyBytes)))
})

/** The same on every server of one database, which have no file in common, under every encryption key. */
const derivedSandboxKey = Effect.gen(function* () {
  const secrets = yield* Secrets
  const halves = yield* Effect.forEach([1, 2], (half) => secrets.fingerprint(`pointsman sandbox key ${half}`))
  const entropy = Buffer.from(halves.join(""), "hex").subarray(0, apiKeyEntropyBytes)
  return Redacted.make(formatApiKey("sandbox", entropy))
})
