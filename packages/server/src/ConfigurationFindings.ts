/**
 * What a configuration file says about routing and can never come to, and providers that it reaches without encryption. None
 * of it is a mistake: a connection that is switched off for a night must not stop a start. Pure.
 */
import { isIP } from "node:net"
import {
  type ConfigurationFile,
  formatPath,
  openConnectionOf,
  productionConnection,
  type RuleFinding,
  type RuleFindingKind,
  type RulePlace,
  routingSettingsOf,
  ruleFindings
} from "@pointsman/configuration"
import { defaultRoutingSettings, environments } from "@pointsman/core"
import { providerLimits } from "@pointsman/core/internal"
import type { Connectors } from "@pointsman/core/ports"
import { isPublicAddress } from "@pointsman/transport-node"
import { printable } from "./commands/Words.ts"
import { type Settings, settingName } from "./Settings.ts"

export interface ConfigurationFinding {
  readonly path: ReadonlyArray<PropertyKey>
  /** The rule's name; `null` where it is about no rule. */
  readonly rule: string | null
  readonly kind: RuleFindingKind | "insecure"
  readonly reason: string
}

/** `file` has no mistake. */
export const configurationFindings = (
  file: ConfigurationFile,
  connectors: Connectors["Service"]
): ReadonlyArray<ConfigurationFinding> => [...routingFindings(file, connectors), ...insecureConnections(file)]

const insecureConnections = ({ workspaces }: ConfigurationFile): ReadonlyArray<ConfigurationFinding> =>
  workspaces.flatMap(({ connections = [] }, workspace) =>
    connections.flatMap(({ credentials, environment }, connection): ReadonlyArray<ConfigurationFinding> => {
      if (environment !== "production" || !isOpen(credentials?.["baseUrl"])) return []
      const path = ["workspaces", workspace, "connections", connection, "credentials", "baseUrl"]
      const reason = "Its payments and its secret reach the provider over the public internet without encryption."
      return [{ path, rule: null, kind: "insecure", reason: `${reason} Use https.` }]
    })
  )

/** Names of networks of one's own: a service beside the server, or of its cluster. */
const ownNames = /\.(?:internal|local|localhost|lan|svc|test|home\.arpa)$/u

const isOpen = (baseUrl: unknown): boolean => {
  if (typeof baseUrl !== "string" || !URL.canParse(baseUrl)) return false
  const { hostname, protocol } = new URL(baseUrl)
  const host = hostname.replace(/^\[|\]$|\.$/gu, "")
  const isPublic = isIP(host) > 0 ? isPublicAddress(host) : host.includes(".") && !ownNames.test(host)
  return protocol === "http:" && isPublic
}

const routingFindings = (
  file: ConfigurationFile,
  connectors: Connectors["Service"]
): ReadonlyArray<ConfigurationFinding> =>
  file.workspaces.flatMap((workspace, index) =>
    environments.flatMap((environment) => {
      const routing = workspace.routing?.[environment]
      const connections = (workspace.connections ?? [])
        .filter((connection) => connection.environment === environment)
        .map((connection) => openConnectionOf(workspace, connection))
      // Who has neither makes no payments in this environment.
      if (routing === undefined && connections.length === 0) return []
      const path = ["workspaces", index, ...(routing === undefined ? ["connections"] : ["routing", environment])]
      return ruleFindings({
        settings: routing === undefined ? defaultRoutingSettings : routingSettingsOf(routing),
        connections,
        providerSupports: providerLimits(connectors),
        merchantCountry: workspace.country ?? null,
        merchantCategory: workspace.category ?? null
      }).map((finding) => inFile(finding, path))
    })
  )

const inFile = ({ kind, place, reason }: RuleFinding, path: ReadonlyArray<PropertyKey>): ConfigurationFinding => ({
  path: [...path, ...within(place)],
  rule: place._tag === "Rule" ? place.name : null,
  kind,
  reason
})

const within = (place: RulePlace): ReadonlyArray<PropertyKey> => {
  switch (place._tag) {
    case "Rule":
      return ["rules", place.index]
    case "Control":
      return ["control"]
    case "Engine":
      return []
  }
}

/** One line: `workspaces[0].routing.production.rules[2] "rest" (unreachable): Every payment that it matches is …` */
export const formatFinding = ({ kind, path, reason, rule }: ConfigurationFinding): string =>
  printable(`${formatPath(path)}${rule === null ? "" : ` ${JSON.stringify(rule)}`} (${kind}): ${reason}`)

/** Why no server starts with this database and this configuration file, in words; `undefined` where one does. */
export const volatileFault = (
  { allowVolatileStorage, database }: Pick<Settings, "allowVolatileStorage" | "database">,
  file: ConfigurationFile
): string | undefined => {
  const connection = database._tag === "SqliteMemory" && !allowVolatileStorage ? productionConnection(file) : undefined
  return connection === undefined
    ? undefined
    : `${settingName("database")}: expected a database that outlives the server, because the connection "${connection}" is ` +
        "for production: sqlite::memory: loses payments and idempotency keys when the server stops, so that a request that " +
        `is sent again charges twice. Use sqlite:<path> or postgres://, or set ${settingName("allowVolatileStorage")} to ` +
        "true if that loss is acceptable."
}
