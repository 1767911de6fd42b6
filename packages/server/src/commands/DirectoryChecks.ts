/** What settings and directory can get wrong together although each of them, taken alone, is good. Pure. */
import { isIP } from "node:net"
import { accountText, type Connection, mayAct, type Operator } from "@pointsman/core"
import type { DirectoryContents } from "@pointsman/core/ports"
import { isPublicAddress } from "@pointsman/transport-node"
import type { Settings } from "../Settings.ts"
import { type CheckLine, eachOr, ok, warning, wrong } from "./Checkup.ts"
import { ownUrl } from "./ServerLine.ts"
import { counted } from "./Words.ts"

/** A start refuses it too: a claim would be taken for dead while its provider is still being asked. */
export const timeoutLines = (
  { connections }: Pick<DirectoryContents, "connections">,
  { claimWindowMillis }: Pick<Settings, "claimWindowMillis">
): ReadonlyArray<CheckLine> =>
  eachOr(
    connections
      .filter(({ timeoutMillis }) => (timeoutMillis ?? 0) >= claimWindowMillis)
      .map(({ id, timeoutMillis }) =>
        wrong(
          "timeouts",
          `the connection "${id}" has a timeout of ${timeoutMillis} ms, but the claim window is ` +
            `${claimWindowMillis} ms: increase POINTSMAN_CLAIM_WINDOW (--claim-window), or shorten the timeout`
        )
      ),
    ok("timeouts", `all are shorter than the claim window of ${claimWindowMillis} ms`)
  )

/** Without a known account, "never received" by a lookup settles nothing: it may be another account's answer. */
export const accountLines = ({ connections }: Pick<DirectoryContents, "connections">): ReadonlyArray<CheckLine> =>
  eachOr(
    connections.flatMap(({ account, active, id }) => {
      if (account === undefined) {
        return active
          ? [
              warning(
                "accounts",
                `the account of the connection "${id}" is not known: a lookup that does not find a payment settles ` +
                  "nothing there. Its provider has not answered a server yet, or names no account. " +
                  "`GET /health/ready` lists those that have not answered"
              )
            ]
          : []
      }
      return account.changedAt === null
        ? []
        : [
            wrong(
              "accounts",
              `the credentials of the connection "${id}" opened another account than ${accountText(account.first)}, that ` +
                `of its payments; now they open ${accountText(account.current)}. It receives no new payments: configure ` +
                "the other account under a new connection id"
            )
          ]
    }),
    ok("accounts", "known for all active connections")
  )

/** Addresses and `localhost` alone: no name is looked up. */
export const webhookLines = (
  { webhookEndpoints }: Pick<DirectoryContents, "webhookEndpoints">,
  { allowPrivateWebhooks }: Pick<Settings, "allowPrivateWebhooks">
): ReadonlyArray<CheckLine> => {
  const active = webhookEndpoints.filter((endpoint) => endpoint.active)
  if (allowPrivateWebhooks)
    return [ok("webhooks", `${counted(active.length, "active endpoint")}, private addresses are allowed`)]
  return eachOr(
    active
      .filter(({ url }) => isPrivate(hostOf(url)))
      .map(({ environment, id, url, workspaceId }) =>
        wrong(
          "webhooks",
          `${originOf(url)} (${id}) of ${workspaceId} (${environment}) is a private address, so nothing is ` +
            "sent there: use a public address, or set POINTSMAN_ALLOW_PRIVATE_WEBHOOKS " +
            "(--allow-private-webhooks) to true"
        )
      ),
    ok("webhooks", `${counted(active.length, "active endpoint")}, none at a known private address`)
  )
}

export const baseUrlLines = (
  { apiKeys }: Pick<DirectoryContents, "apiKeys">,
  { baseUrl, ...own }: Pick<Settings, "baseUrl" | "host" | "port" | "tlsCertificate">
): ReadonlyArray<CheckLine> => {
  const url = baseUrl ?? ownUrl(own)
  const hasLive = apiKeys.some((key) => key.environment === "production" && key.revokedAt === null)
  if (!hasLive || !isThisMachine(hostOf(url))) return [ok("base URL", url)]
  return [
    warning(
      "base URL",
      `${url} is a local address, but production keys exist: customers cannot open hosted pages. Set ` +
        "POINTSMAN_BASE_URL (--base-url) to the public URL"
    )
  ]
}

/** The sandbox's own connector must not answer for money. */
export const environmentFault = (
  { environment }: Pick<Connection, "environment">,
  environments: ReadonlyArray<string>
): string | undefined =>
  environments.includes(environment)
    ? undefined
    : `its connector does not support ${environment}: configure another one`

const hostOf = (url: string): string =>
  (URL.parse(url)?.hostname ?? "").replace(/^\[(.*)\]$/u, "$1").replace(/\.$/u, "")

/** Without path and query, in which a receiver may have put a secret. */
const originOf = (url: string): string => URL.parse(url)?.origin ?? "an address"

const isLocalName = (host: string): boolean => host === "localhost" || host.endsWith(".localhost")

const isPrivate = (host: string): boolean => (isIP(host) === 0 ? isLocalName(host) : !isPublicAddress(host))

const isThisMachine = (host: string): boolean =>
  isLocalName(host) || /^(?:127\.\d+\.\d+\.\d+|0\.0\.0\.0|::1?|::ffff:7f[0-9a-f]{2}:[0-9a-f]+)$/u.test(host)

/** A correction that no operator may approve stays open, and so does its payment. */
export const fourEyesLines = (
  { workspaces }: Pick<DirectoryContents, "workspaces">,
  operators: ReadonlyArray<Pick<Operator, "active" | "grants">>
): ReadonlyArray<CheckLine> => {
  const needed = workspaces.filter(({ fourEyes }) => fourEyes !== undefined)
  if (needed.length === 0) return [ok("four eyes", "no workspace asks for a second person")]
  return eachOr(
    needed.flatMap(({ id }) => {
      const able = operators.filter((operator) => mayAct(operator, "correction.decide", id)).length
      return able >= 2
        ? []
        : [
            warning(
              "four eyes",
              `the workspace "${id}" asks for a second person, and ${counted(able, "operator")} may decide its ` +
                "corrections: add one with the role operations, unless a program decides them"
            )
          ]
    }),
    ok("four eyes", `${counted(needed.length, "workspace")}, each with two operators or more`)
  )
}

/** All of them. */
export const directoryLines = (
  contents: DirectoryContents,
  settings: Settings,
  operators: ReadonlyArray<Operator>
): ReadonlyArray<CheckLine> => [
  ...accountLines(contents),
  ...timeoutLines(contents, settings),
  ...webhookLines(contents, settings),
  ...baseUrlLines(contents, settings),
  ...fourEyesLines(contents, operators)
]
