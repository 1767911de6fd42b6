/**
 * `pointsman keys`: API keys, as far as anybody can see them. The store has their hashes alone, so that a key is called by
 * the beginning of its hash, and shown once: when it is made.
 */
import { momentExpected, readMoment } from "@pointsman/configuration"
import {
  type ApiKey,
  type ApiKeyOptions,
  scopes as allScopes,
  Pointsman,
  type Scope,
  type Tenant
} from "@pointsman/core"
import { apiKeyIdOf, environmentOfApiKey, isApiKeyName, isNetwork } from "@pointsman/core/internal"
import { Directory } from "@pointsman/core/ports"
import { Clock, Console, Effect, Option, Redacted, Result } from "effect"
import { Flag } from "effect/cli"
import { CommandFailure } from "./CommandFailure.ts"
import { argument, commandGroup, switchFlag } from "./CommandHelp.ts"
import { databaseCommand } from "./DatabaseCommand.ts"
import { print } from "./Output.ts"
import { rotateCommand } from "./RotateCommand.ts"
import { shortened, type Text, table } from "./Table.ts"
import { anyEnvironmentFlag, anyWorkspaceFlag, environmentFlag, within, workspaceFlag, workspaceOf } from "./Tenants.ts"
import { printable, timeOf, timeOrNull } from "./Words.ts"

const readScopes = (text: string): Option.Option<ReadonlyArray<Scope>> => {
  const named = new Set(text.split(",").map((word) => word.trim()))
  const known = allScopes.filter((scope) => named.has(scope))
  return known.length === named.size ? Option.some(known) : Option.none()
}

const readNetworks = (text: string): Option.Option<ReadonlyArray<string>> => {
  const networks = text.split(",").map((network) => network.trim())
  return networks.every(isNetwork) ? Option.some(networks) : Option.none()
}

const list = databaseCommand(
  {
    name: "list",
    short: "List keys, newest first",
    long:
      "List the active keys, newest first. KEY is a prefix of the key's SHA-256 hash; the key itself is " +
      "not stored.",
    examples: { "pointsman keys list --workspace acme --environment production --all": "One workspace" },
    flags: {
      workspace: anyWorkspaceFlag,
      environment: anyEnvironmentFlag,
      all: switchFlag("all", "Include revoked keys")
    }
  },
  function* ({ all, environment, workspace }, { json }) {
    const contents = yield* (yield* Directory).contents
    const isMeant = yield* Effect.fromResult(within(contents, workspace, environment))
    const uses = yield* (yield* Directory).keyUses
    const keys = contents.apiKeys
      .filter((key) => isMeant(key) && (all || key.revokedAt === null))
      .toSorted((a, b) => b.createdAt - a.createdAt || (a.hash < b.hash ? -1 : 1))
      .map((key) => keyView(key, uses.get(key.hash)))
    yield* print(json, { data: keys }, keys.length === 0 ? "" : keysText(keys))
    if (!json && keys.length === 0) yield* Console.error("No keys found.")
  }
)

const create = databaseCommand(
  {
    name: "create",
    short: "Create a key",
    long:
      "Create an API key and print it, once, as the only line on standard output. Running servers accept " +
      "it immediately, and applying a configuration file does not revoke it.",
    examples: {
      "pointsman keys create --workspace acme --environment production > acme.key": "With all scopes",
      "pointsman keys create --workspace acme --environment production --scopes payments:read,events:read":
        "For reporting, read-only",
      "pointsman keys create --environment production --name shop --expires 2027-06-30 --networks 203.0.113.0/24":
        "Limited to a period and a network"
    },
    isAudited: true,
    flags: {
      workspace: workspaceFlag,
      environment: environmentFlag,
      scopes: Flag.String("scopes").pipe(
        Flag.withMetavar("a,b"),
        Flag.withDescription(`Scopes of the key: ${allScopes.join(", ")}; default: all`),
        Flag.filterMap(readScopes, () => `comma-separated scopes out of ${allScopes.join(", ")}`),
        Flag.optional
      ),
      name: Flag.String("name").pipe(
        Flag.withDescription("What operators call the key"),
        Flag.filterMap(
          (name) => (isApiKeyName(name) ? Option.some(name) : Option.none()),
          () => "a name of 1 to 120 characters"
        ),
        Flag.optional
      ),
      expires: Flag.String("expires").pipe(
        Flag.withMetavar("time"),
        Flag.withDescription(`When the key expires: ${momentExpected}; default: never`),
        Flag.filterMap(readMoment, () => momentExpected),
        Flag.optional
      ),
      networks: Flag.String("networks").pipe(
        Flag.withMetavar("a,b"),
        Flag.withDescription("IP addresses and CIDR ranges that requests may come from; default: any"),
        Flag.filterMap(readNetworks, () => "comma-separated IP addresses or CIDR ranges, such as 203.0.113.0/24"),
        Flag.optional
      )
    }
  },
  function* ({ environment, expires, name, networks, scopes, workspace }, { json }) {
    const expiresAt = Option.getOrNull(expires)
    if (expiresAt !== null && expiresAt <= (yield* Clock.currentTimeMillis)) {
      return yield* new CommandFailure({ message: "--expires: expected a time in the future." })
    }
    const workspaceId = yield* workspaceOf(workspace)
    const options = { name: Option.getOrNull(name), expiresAt, networks: Option.getOrNull(networks) }
    yield* createAndShow({ workspaceId, environment }, Option.getOrNull(scopes), options, json)
  }
)

/** Uninterruptible: a key that is stored and was not shown is lost. */
const createAndShow = Effect.fnUntraced(function* (
  tenant: Tenant,
  scopes: ApiKey["scopes"],
  options: ApiKeyOptions,
  json: boolean
) {
  const { apiKey, secret } = yield* (yield* Pointsman).createApiKey(tenant, scopes, options).pipe(
    // It was there a moment ago, and none is ever deleted.
    Effect.catchTag("pointsman/WorkspaceNotFound", Effect.die),
    Effect.tapError(() =>
      Console.error(
        "No key was shown, but an unused key may have been stored: check `pointsman keys list`, and revoke it."
      )
    )
  )
  const view = keyView(apiKey)
  yield* print(json, { data: { ...view, key: Redacted.value(secret) } }, Redacted.value(secret))
  yield* Console.error(
    `Created the key ${nameOf(view)} with ${scopesText(view)}. It is shown only once: only its hash is stored.`
  )
}, Effect.uninterruptible)

const revoke = databaseCommand(
  {
    name: "revoke",
    short: "Revoke a key",
    long: "Revoke a key permanently. Running servers reject it from the next request on; requests in flight complete.",
    examples: { "pointsman keys revoke 3f9a1c04be77": "By its prefix in the list" },
    isAudited: true,
    flags: {
      key: argument("key", "Hash from `pointsman keys list`, or a unique prefix of it")
    }
  },
  function* ({ key: text }, { json }) {
    const directory = yield* Directory
    const { apiKeys } = yield* directory.contents
    const found = yield* Effect.fromResult(oneKey(apiKeys, text))
    const usedAt = (yield* directory.keyUses).get(found.hash)
    const { apiKey, isChanged } = yield* (yield* Pointsman).revokeApiKey(found.hash).pipe(
      // It was there a moment ago, and none is ever deleted.
      Effect.catchTag("pointsman/ApiKeyNotFound", Effect.die),
      Effect.tapError(() =>
        Console.error(`The key ${nameOf(keyView(found))} may or may not be revoked: run the command again.`)
      )
    )
    const view = keyView(apiKey, usedAt)
    const said = isChanged
      ? `Revoked the key ${nameOf(view)}. Servers reject it from now on.`
      : `The key ${nameOf(view)} was already revoked at ${view.revoked}.`
    yield* print(json, { data: view }, `${said}\n${limitsText(view)}`)
    if (json && !isChanged) yield* Console.error(said)
    if (found.source === "configuration") {
      yield* Console.error("This key comes from a configuration file. Remove it there too; no file reactivates it.")
    }
  }
)

const restore = databaseCommand(
  {
    name: "restore",
    short: "Restore a key that a file omitted",
    long:
      "Reactivate a key that was revoked because an applied configuration file no longer named it. A key that " +
      "`pointsman keys revoke` revoked stays revoked.",
    examples: { "pointsman keys restore 3f9a1c04be77": "By its prefix in the list" },
    isAudited: true,
    flags: {
      key: argument("key", "Hash from `pointsman keys list --all`, or a unique prefix of it")
    }
  },
  function* ({ key: text }, { json }) {
    const directory = yield* Directory
    const { apiKeys } = yield* directory.contents
    const found = yield* Effect.fromResult(oneKey(apiKeys, text))
    const usedAt = (yield* directory.keyUses).get(found.hash)
    const { apiKey, isChanged } = yield* (yield* Pointsman).restoreApiKey(found.hash).pipe(
      Effect.catchTags({
        // It was there a moment ago, and none is ever deleted.
        "pointsman/ApiKeyNotFound": Effect.die,
        "pointsman/ApiKeyNotRestorable": () =>
          Effect.fail(
            new CommandFailure({
              message:
                `The key ${nameOf(keyView(found))} was revoked with \`pointsman keys revoke\`, which is permanent. ` +
                "Create a new key with `pointsman keys create`."
            })
          )
      }),
      Effect.tapError(({ _tag }) =>
        _tag === "pointsman/StorageError"
          ? Console.error(`The key ${nameOf(keyView(found))} may or may not be restored: run the command again.`)
          : Effect.void
      )
    )
    const view = keyView(apiKey, usedAt)
    const said = isChanged
      ? `Restored the key ${nameOf(view)}. Servers accept it from now on.`
      : `The key ${nameOf(view)} is not revoked.`
    yield* print(json, { data: view }, said)
    if (json && !isChanged) yield* Console.error(said)
    if (isChanged) {
      yield* Console.error(
        "The next configuration that is applied and does not name this key revokes it again: add it to the file."
      )
    }
  }
)

export const keysCommand = commandGroup(
  "keys",
  {
    short: "Manage API keys, and rotate the encryption key",
    long: "List, create, revoke and restore API keys, and rotate the encryption key."
  },
  [list, create, revoke, restore, rotateCommand]
)

/** Fewer could mean another key than the one that was meant. */
const shortest = 8

/** The key whose hash begins so. What is refused is not repeated: it may be the key itself. */
export const oneKey = (apiKeys: ReadonlyArray<ApiKey>, text: string): Result.Result<ApiKey, CommandFailure> => {
  const refuse = (message: string) => Result.fail(new CommandFailure({ message }))
  if (environmentOfApiKey(text) !== undefined) {
    return refuse(
      "Expected a hash prefix from `pointsman keys list`, not the key itself: the first 12 characters of " +
        "its SHA-256 in lower-case hex."
    )
  }
  if (!/^[0-9a-f]+$/u.test(text) || text.length < shortest || text.length > 64) {
    return refuse(`Expected a hash prefix from \`pointsman keys list\`, with at least ${shortest} characters.`)
  }
  const found = apiKeys.filter(({ hash }) => hash.startsWith(text))
  const [only, another] = found
  if (only === undefined) return refuse(`Key ${text} not found.`)
  if (another === undefined) return Result.succeed(only)
  return refuse(
    `More than one key begins with ${text}, so none was changed: ` +
      `${found.map((key) => `${key.hash} of ${ownerOf(keyView(key))}`).join(", ")}. Give a longer prefix.`
  )
}

/** `usedAt`: when a request last used it, in epoch milliseconds. */
const keyView = (key: ApiKey, usedAt?: number) => ({
  id: apiKeyIdOf(key),
  workspace_id: key.workspaceId,
  environment: key.environment,
  /** `null`: every scope. */
  scopes: key.scopes,
  /** `null`: none. */
  name: key.name,
  expires: timeOrNull(key.expiresAt),
  /** `null`: any. */
  networks: key.networks,
  source: key.source,
  created: timeOf(key.createdAt),
  /** `null`: never. */
  last_used: timeOrNull(usedAt ?? null),
  revoked: timeOrNull(key.revokedAt)
})

type KeyView = ReturnType<typeof keyView>

const scopesText = ({ scopes }: KeyView): string => (scopes === null ? "all scopes" : scopes.join(", "))

/** What a person who revokes a key has to know of it: whether it is in use, and from where. */
const limitsText = (view: KeyView): string =>
  `Scopes: ${view.scopes?.join(", ") ?? "all"}. Expires: ${view.expires ?? "never"}. Networks: ${view.networks?.join(", ") ?? "any"}. ` +
  `Last used: ${view.last_used ?? "never"}.`

const ownerOf = ({ environment, workspace_id }: KeyView): string => `${printable(workspace_id)} (${environment})`

const nameOf = (view: KeyView): string => `${view.id} of ${ownerOf(view)}`

const keysText = (keys: ReadonlyArray<KeyView>): Text =>
  table(
    [
      "KEY",
      shortened("NAME"),
      "WORKSPACE",
      "ENVIRONMENT",
      shortened("SCOPES"),
      shortened("NETWORKS"),
      "SOURCE",
      "CREATED",
      "EXPIRES",
      "LAST USED",
      "REVOKED"
    ],
    keys.map((one) => [
      one.id,
      one.name,
      one.workspace_id,
      one.environment,
      one.scopes === null ? "every" : one.scopes.join(","),
      one.networks === null ? "any" : one.networks.join(","),
      one.source,
      one.created,
      one.expires,
      one.last_used,
      one.revoked
    ])
  )
