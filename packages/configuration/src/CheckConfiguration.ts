/** What a configuration file can get wrong although every field, taken alone, is good. Pure: nothing is called. */
import { type Environment, environments, isCurrency, paymentMethodNames } from "@pointsman/core"
import { environmentOfApiKey } from "@pointsman/core/internal"
import type { ConnectorDefinition, Connectors, Transport } from "@pointsman/core/ports"
import { Option, Result } from "effect"
import { checkArchive, inArchive } from "./ArchiveFile.ts"
import { contrastAtLeast, readableShade, whiteTextContrast } from "./ColorContrast.ts"
import type {
  ConfigurationFile,
  ConnectionFile,
  ConsoleFile,
  RoutingFile,
  WebhookFile,
  WorkspaceFile
} from "./ConfigurationFile.ts"
import type { Mistake } from "./DecodeFile.ts"
import { checkCurrencies, checkFees } from "./FeeFields.ts"
import { checkReports, readDuration } from "./TimeText.ts"

export interface CheckOptions {
  readonly connectors: Connectors["Service"]
  /** Connectors are built with it to see whether they take their credentials; nothing is sent. */
  readonly transport: Transport["Service"]
  readonly claimWindowMillis: number
  /** The name under which the author of the configuration knows the claim window; for messages. */
  readonly claimWindowSetting: string
  readonly providerTimeoutMillis: number
}

type Path = ReadonlyArray<PropertyKey>

export const checkConfiguration = (file: ConfigurationFile, options: CheckOptions): ReadonlyArray<Mistake> => [
  ...repeated(
    file.workspaces.map((workspace, index) => [workspace.id, ["workspaces", index, "id"]]),
    "expected a workspace id that is unique"
  ),
  ...repeated(
    everywhere(file, (workspace, path) =>
      (workspace.connections ?? []).map((connection, index) => [connection.id, [...path, "connections", index, "id"]])
    ),
    "expected a connection id that is unique across all workspaces"
  ),
  ...repeated(
    everywhere(file, (workspace, path) =>
      (workspace.keys ?? []).map((key, index) => [key.secret, [...path, "keys", index, "secret"]])
    ),
    "expected a key that is listed only once"
  ),
  ...repeated(
    everywhere(file, (workspace, path) =>
      (workspace.webhooks ?? []).map((webhook, index) => [
        JSON.stringify([workspace.id, webhook.environment, webhook.url]),
        [...path, "webhooks", index, "url"]
      ])
    ),
    "expected a URL that is unique among the webhooks of this workspace and environment"
  ),
  ...checkConsole(file.console, new Set(file.workspaces.map(({ id }) => id))).map(
    ({ message, path }): Mistake => ({ path: ["console", ...path], message })
  ),
  ...inArchive(checkArchive(file.archive)),
  ...checkCurrencies(file.fourEyes, ["fourEyes"]),
  ...file.workspaces.flatMap((workspace, index) => checkWorkspace(workspace, ["workspaces", index], options))
]

/** A role in a workspace that does not exist would refuse all operators who have it. */
export const checkConsole = (
  file: ConsoleFile | undefined,
  workspaceIds: ReadonlySet<string>
): ReadonlyArray<Mistake> => {
  const oidc = file?.oidc
  const limits = [
    ...checkCurrencies(file?.refundLimits, ["refundLimits"]),
    ...checkCurrencies(file?.recentSignIn?.refunds, ["recentSignIn", "refunds"])
  ]
  if (limits.length > 0) return limits
  if ((oidc?.rolesClaim === undefined) !== (oidc?.roles === undefined)) {
    return [{ path: ["oidc", "roles"], message: "expected `rolesClaim` and `roles` together, or neither" }]
  }
  return Object.entries(oidc?.roles ?? {}).flatMap(([value, { workspace }]) =>
    workspace === undefined || workspaceIds.has(workspace)
      ? []
      : [{ path: ["oidc", "roles", value, "workspace"], message: "expected the id of a configured workspace" }]
  )
}

const everywhere = <A>(
  file: ConfigurationFile,
  each: (workspace: WorkspaceFile, path: Path) => ReadonlyArray<readonly [A, Path]>
): ReadonlyArray<readonly [A, Path]> =>
  file.workspaces.flatMap((workspace, index) => each(workspace, ["workspaces", index]))

const repeated = (entries: ReadonlyArray<readonly [string, Path]>, message: string): ReadonlyArray<Mistake> => {
  const seen = new Set<string>()
  return entries.flatMap(([key, path]) => {
    if (seen.has(key)) return [{ path, message }]
    seen.add(key)
    return []
  })
}

const checkWorkspace = (workspace: WorkspaceFile, path: Path, options: CheckOptions): ReadonlyArray<Mistake> => [
  ...checkColor(workspace.brand?.color, [...path, "brand", "color"]),
  ...checkCurrencies(workspace.fourEyes, [...path, "fourEyes"]),
  ...(workspace.keys ?? []).flatMap((key, index) => checkKey(key, [...path, "keys", index, "secret"])),
  ...(workspace.connections ?? []).flatMap((connection, index) =>
    checkConnection(connection, workspace, [...path, "connections", index], options)
  ),
  ...environments.flatMap((environment) => {
    const routing = workspace.routing?.[environment]
    return routing === undefined
      ? []
      : checkRouting(routing, workspace.connections ?? [], environment, [...path, "routing", environment])
  }),
  ...(workspace.webhooks ?? []).flatMap((webhook, index) => checkEvents(webhook, [...path, "webhooks", index]))
]

export const checkEvents = ({ events = ["*"] }: Pick<WebhookFile, "events">, path: Path): ReadonlyArray<Mistake> =>
  events.length > 1 && events.includes("*")
    ? [{ path: [...path, "events"], message: 'expected either ["*"] or event types' }]
    : []

const checkColor = (color: string | undefined, path: Path): ReadonlyArray<Mistake> => {
  const contrast = color === undefined ? undefined : whiteTextContrast(color)
  if (color === undefined || contrast === undefined || contrast >= contrastAtLeast) return []
  // Rounded down, so that what is not enough never reads as enough.
  const stated = (Math.floor(contrast * 100) / 100).toFixed(2)
  const message =
    `expected a color on which white text has a contrast of at least ${contrastAtLeast}:1 (WCAG AA): this one has ` +
    `${stated}:1, and its nearest shade with enough contrast is "${readableShade(color)}"`
  return [{ path, message }]
}

const checkKey = (
  key: { readonly secret: string; readonly environment: Environment },
  path: Path
): ReadonlyArray<Mistake> => {
  const prefix = key.environment === "sandbox" ? "ps_test_" : "ps_live_"
  const environment = environmentOfApiKey(key.secret)
  if (environment === key.environment) return []
  const message =
    environment === undefined
      ? `expected an API key: ${prefix}, 32 letters and digits, and a checksum of 6 characters`
      : `expected a key of the ${key.environment} environment, which begins with ${prefix}`
  return [{ path, message }]
}

const checkConnection = (
  connection: ConnectionFile,
  { country }: WorkspaceFile,
  path: Path,
  options: CheckOptions
): ReadonlyArray<Mistake> => [
  ...checkConnector(connection, path, options),
  ...checkTimeout(connection, path, options),
  ...(connection.previousWebhookSecret !== undefined && connection.webhookSecret === undefined
    ? [{ path: [...path, "previousWebhookSecret"], message: "expected a webhookSecret that replaces it" }]
    : []),
  ...Object.keys(connection.supports?.amount ?? {})
    .filter((currency) => !isCurrency(currency))
    .map((currency) => ({
      path: [...path, "supports", "amount", currency],
      message: 'expected an ISO 4217 currency code as the name of the field, such as "EUR"'
    })),
  ...checkFees(connection.fees ?? [], country, [...path, "fees"]),
  ...Object.keys(connection.supports?.paymentMethods ?? {})
    .filter((name) => !paymentMethodNames.some((known) => known === name))
    .map((name) => ({
      path: [...path, "supports", "paymentMethods", name],
      message: `expected the name of a payment method as the name of the field: one of ${paymentMethodNames.join(", ")}`
    }))
]

/** A sandbox connection that names no connector has the simulator. */
export const connectorOf = (connection: ConnectionFile): string | undefined =>
  connection.connector ?? (connection.environment === "sandbox" ? "sandbox" : undefined)

const checkConnector = (connection: ConnectionFile, path: Path, options: CheckOptions): ReadonlyArray<Mistake> => {
  const { environment } = connection
  const fitting = options.connectors.names.filter((name) =>
    Option.exists(options.connectors.definition(name), (definition) => definition.environments.includes(environment))
  )
  const expected = `expected one of the connectors for ${environment}: ${fitting.join(", ")}`
  const name = connectorOf(connection)
  if (name === undefined) return [{ path: [...path, "connector"], message: expected }]
  const definition = Option.getOrUndefined(options.connectors.definition(name))
  return definition?.environments.includes(environment) === true
    ? checkCredentials(connection, definition, path, options)
    : [{ path: [...path, "connector"], message: expected }]
}

const checkCredentials = (
  connection: ConnectionFile,
  definition: ConnectorDefinition,
  path: Path,
  options: CheckOptions
): ReadonlyArray<Mistake> => {
  const connector = definition.connect(
    {
      connectionId: connection.id,
      environment: connection.environment,
      credentials: connection.credentials ?? {},
      timeoutMillis: timeoutOf(connection) ?? options.providerTimeoutMillis
    },
    options.transport
  )
  if (Result.isSuccess(connector)) {
    return connection.reports === undefined ? [] : checkReports(connector.success, [...path, "reports"])
  }
  // Connectors say "credentials.apiKey: expected …".
  const named = /^credentials((?:\.[\w$-]+|\[\d+\])*): (.+)$/su.exec(connector.failure)
  const fields = Array.from(named?.[1]?.matchAll(/\.([\w$-]+)|\[(\d+)\]/gu) ?? [], (field) =>
    field[2] === undefined ? (field[1] as string) : Number(field[2])
  )
  return [{ path: [...path, "credentials", ...fields], message: named?.[2] ?? connector.failure }]
}

const checkTimeout = (connection: ConnectionFile, path: Path, options: CheckOptions): ReadonlyArray<Mistake> =>
  (timeoutOf(connection) ?? 0) < options.claimWindowMillis
    ? []
    : [
        {
          path: [...path, "timeout"],
          message:
            `expected less than the claim window of ${options.claimWindowMillis} ms ` +
            `(${options.claimWindowSetting}), or a claim would expire during its provider call`
        }
      ]

/** Milliseconds. */
export const timeoutOf = (connection: ConnectionFile): number | undefined =>
  connection.timeout === undefined ? undefined : Option.getOrUndefined(readDuration(connection.timeout))

export const checkRouting = (
  routing: RoutingFile,
  connections: ReadonlyArray<Pick<ConnectionFile, "id" | "environment">>,
  environment: Environment,
  path: Path
): ReadonlyArray<Mistake> => {
  const known = new Set(
    connections.filter((connection) => connection.environment === environment).map((connection) => connection.id)
  )
  const message =
    known.size === 0
      ? `expected a ${environment} connection of this workspace, but it has none`
      : `expected a ${environment} connection of this workspace: ${[...known].join(", ")}`
  const unknownIn = (order: ReadonlyArray<string> | undefined, at: Path): ReadonlyArray<Mistake> =>
    (order ?? []).flatMap((id, index) => (known.has(id) ? [] : [{ path: [...at, index], message }]))
  const rules = routing.rules ?? []
  return [
    ...unknownIn(routing.order, [...path, "order"]),
    ...rules.flatMap((rule, index) => {
      const use = [...path, "rules", index, "use"]
      const weights = Object.keys(rule.use.split ?? {})
      return [
        ...unknownIn(rule.use.order, [...use, "order"]),
        ...weights.filter((id) => !known.has(id)).map((id) => ({ path: [...use, "split", id], message })),
        ...(rule.use.split !== undefined && weights.length === 0
          ? [{ path: [...use, "split"], message: "expected at least one connection with its weight" }]
          : []),
        ...weights
          .filter((id) => known.has(id) && rule.use.order?.includes(id) === false)
          .map((id) => ({ path: [...use, "split", id], message: "expected a connection from this rule's order" }))
      ]
    }),
    ...repeated(
      rules.map((rule, index) => [rule.name, [...path, "rules", index, "name"]]),
      "expected a rule name that is unique"
    ),
    ...unknownIn(routing.control?.order, [...path, "control", "order"])
  ]
}
