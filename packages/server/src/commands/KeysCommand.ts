/**
 * `pointsman keys`: API keys, as far as anybody can see them. The store has their hashes alone, so that a key is called by
 * the beginning of its hash, and shown once: when it is made.
 */
import {
  type ApiKey,
  scopes as allScopes,
  apiKeyIdOf,
  Directory,
  environmentOfApiKey,
  Pointsman,
  type Scope,
  type Tenant
} from "@pointsman/core"
import { Console, Effect, Option, Redacted, Result } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { CommandFailure } from "./CommandFailure.ts"
import { databaseSettings, onDatabase } from "./OpenDatabase.ts"
import { jsonFlag, print } from "./Output.ts"
import { settingFlags, textsOf } from "./SettingFlags.ts"
import { printable, table } from "./Table.ts"
import {
  anyEnvironmentFlag,
  anyWorkspaceFlag,
  environmentFlag,
  oneWorkspace,
  within,
  workspaceFlag
} from "./Tenants.ts"
import { timeOf, timeOrNull } from "./Words.ts"

const readScopes = (text: string): Option.Option<ReadonlyArray<Scope>> => {
  const named = new Set(text.split(",").map((word) => word.trim()))
  const known = allScopes.filter((scope) => named.has(scope))
  return known.length === named.size ? Option.some(known) : Option.none()
}

const list = Command.make(
  "list",
  {
    workspace: anyWorkspaceFlag,
    environment: anyEnvironmentFlag,
    all: Flag.Boolean("all").pipe(
      Flag.withDescription("Those that were revoked too"),
      Flag.withDefault(false),
      Flag.withoutNegation
    ),
    json: jsonFlag,
    ...settingFlags(databaseSettings)
  },
  Effect.fnUntraced(function* ({ all, environment, json, workspace, ...settings }) {
    yield* onDatabase(
      textsOf(settings),
      Effect.fnUntraced(function* () {
        const contents = yield* (yield* Directory).contents
        const isMeant = yield* Effect.fromResult(within(contents, workspace, environment))
        const keys = contents.apiKeys
          .filter((key) => isMeant(key) && (all || key.revokedAt === null))
          .toSorted((a, b) => b.createdAt - a.createdAt || (a.hash < b.hash ? -1 : 1))
          .map(keyView)
        yield* print(json, { data: keys }, keys.length === 0 ? "" : keysText(keys))
        if (!json && keys.length === 0) yield* Console.error("There is no such key.")
      })
    )
  })
).pipe(
  Command.withDescription(
    "List the keys that work, the newest first. KEY is the beginning of the key's SHA-256: the key itself is not stored."
  ),
  Command.withShortDescription("List keys, newest first"),
  Command.withExamples([
    { command: "pointsman keys list --workspace acme --environment production --all", description: "Of one workspace" }
  ])
)

const create = Command.make(
  "create",
  {
    workspace: workspaceFlag,
    environment: environmentFlag,
    scopes: Flag.String("scopes").pipe(
      Flag.withMetavar("a,b"),
      Flag.withDescription(`What the key may do: ${allScopes.join(", ")}; without it all`),
      Flag.filterMap(readScopes, () => `scopes with commas between them, of ${allScopes.join(", ")}`),
      Flag.optional
    ),
    json: jsonFlag,
    ...settingFlags(databaseSettings)
  },
  Effect.fnUntraced(function* ({ environment, json, scopes, workspace, ...settings }) {
    yield* onDatabase(
      textsOf(settings),
      Effect.fnUntraced(function* () {
        const contents = yield* (yield* Directory).contents
        const workspaceId = yield* Effect.fromResult(oneWorkspace(contents, workspace))
        yield* createAndShow({ workspaceId, environment }, Option.getOrNull(scopes), json)
      })
    )
  })
).pipe(
  Command.withDescription(
    "Make a key and print it, and nothing else, to the standard output: this once. Running servers take it at once, and " +
      "no configuration file revokes it."
  ),
  Command.withShortDescription("Make a key"),
  Command.withExamples([
    { command: "pointsman keys create --workspace acme --environment production > acme.key", description: "For all" },
    {
      command: "pointsman keys create --workspace acme --environment production --scopes payments:read,events:read",
      description: "For a report"
    }
  ])
)

/** In one go: nobody could get hold of a key that is stored and was not shown. */
const createAndShow = Effect.fnUntraced(function* (tenant: Tenant, scopes: ApiKey["scopes"], json: boolean) {
  const { apiKey, secret } = yield* (yield* Pointsman).createApiKey(tenant, scopes).pipe(
    // It was there a moment ago, and none is ever deleted.
    Effect.catchTag("pointsman/WorkspaceNotFound", Effect.die),
    Effect.tapError(() =>
      Console.error(
        "No key was shown. One that nobody has may be stored all the same: look with `pointsman keys list`, and revoke it."
      )
    )
  )
  const view = keyView(apiKey)
  yield* print(json, { data: { ...view, key: Redacted.value(secret) } }, Redacted.value(secret))
  yield* Console.error(
    `This is the key ${nameOf(view)}, for ${scopesText(view)}. It is shown this once: only its hash is stored.`
  )
}, Effect.uninterruptible)

const revoke = Command.make(
  "revoke",
  {
    key: Argument.String("key").pipe(
      Argument.withDescription("What `pointsman keys list` calls the key, or as much of it as no other key begins with")
    ),
    json: jsonFlag,
    ...settingFlags(databaseSettings)
  },
  Effect.fnUntraced(function* ({ json, key: text, ...settings }) {
    yield* onDatabase(
      textsOf(settings),
      Effect.fnUntraced(function* () {
        const { apiKeys } = yield* (yield* Directory).contents
        const found = yield* Effect.fromResult(oneKey(apiKeys, text))
        const { apiKey, isChanged } = yield* (yield* Pointsman).revokeApiKey(found.hash).pipe(
          // It was there a moment ago, and none is ever deleted.
          Effect.catchTag("pointsman/ApiKeyNotFound", Effect.die),
          Effect.tapError(() =>
            Console.error(`Whether the key ${nameOf(keyView(found))} is revoked is not known: revoke it again.`)
          )
        )
        const view = keyView(apiKey)
        const said = isChanged
          ? `The key ${nameOf(view)} is revoked: servers refuse it from now on.`
          : `The key ${nameOf(view)} was revoked already, at ${view.revoked}.`
        yield* print(json, { data: view }, said)
        if (json && !isChanged) yield* Console.error(said)
        if (found.source === "configuration") {
          yield* Console.error(
            "A configuration file brought this key. Take it out there too; a start does not bring it back to life."
          )
        }
      })
    )
  })
).pipe(
  Command.withDescription(
    "Revoke a key, for good. Running servers refuse it from their next request on; what they have begun comes to its end."
  ),
  Command.withShortDescription("Revoke a key"),
  Command.withExamples([{ command: "pointsman keys revoke 3f9a1c04be77", description: "As the list calls it" }])
)

export const keysCommand = Command.make("keys").pipe(
  Command.withDescription("API keys: who has which, making one and revoking one."),
  Command.withShortDescription("Make and revoke API keys"),
  Command.withSubcommands([list, create, revoke])
)

/** Fewer could mean another key than the one that was meant. */
const shortest = 8

/** The key whose hash begins so. What is refused is not repeated: it may be the key itself. */
export const oneKey = (apiKeys: ReadonlyArray<ApiKey>, text: string): Result.Result<ApiKey, CommandFailure> => {
  const refuse = (message: string) => Result.fail(new CommandFailure({ message }))
  if (environmentOfApiKey(text) !== undefined) {
    return refuse(
      "This is the key itself, and not what `pointsman keys list` calls it: the first 12 characters of its SHA-256, " +
        "lower-case hex."
    )
  }
  if (!/^[0-9a-f]+$/u.test(text) || text.length < shortest || text.length > 64) {
    return refuse(
      `Expected what \`pointsman keys list\` calls the key, or at least the first ${shortest} characters of it.`
    )
  }
  const found = apiKeys.filter(({ hash }) => hash.startsWith(text))
  const [only, another] = found
  if (only === undefined) return refuse(`There is no key ${text}.`)
  if (another === undefined) return Result.succeed(only)
  return refuse(
    `More than one key begins with ${text}, and none was revoked: ` +
      `${found.map((key) => `${key.hash} of ${ownerOf(keyView(key))}`).join(", ")}. More of the hash says which one.`
  )
}

const keyView = (key: ApiKey) => ({
  id: apiKeyIdOf(key),
  workspace_id: key.workspaceId,
  environment: key.environment,
  /** `null`: every scope. */
  scopes: key.scopes,
  source: key.source,
  created: timeOf(key.createdAt),
  revoked: timeOrNull(key.revokedAt)
})

type KeyView = ReturnType<typeof keyView>

const scopesText = ({ scopes }: KeyView): string => (scopes === null ? "every scope" : scopes.join(", "))

const ownerOf = ({ environment, workspace_id }: KeyView): string => `${printable(workspace_id)} (${environment})`

const nameOf = (view: KeyView): string => `${view.id} of ${ownerOf(view)}`

const keysText = (keys: ReadonlyArray<KeyView>): string =>
  table(
    ["KEY", "WORKSPACE", "ENVIRONMENT", "SCOPES", "SOURCE", "CREATED", "REVOKED"],
    keys.map((one) => [
      one.id,
      one.workspace_id,
      one.environment,
      one.scopes === null ? "every" : one.scopes.join(","),
      one.source,
      one.created,
      one.revoked
    ])
  )
