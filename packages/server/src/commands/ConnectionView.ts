/** Connections, for programs and for people: everything but their secrets. */
import { feeFileOf, feeRuleOf, feeText } from "@pointsman/configuration"
import { type AmountRange, accountText, type Condition, type Connection, type Supports } from "@pointsman/core"
import { defaultCircuitBreaker } from "@pointsman/core/internal"
import { facts, paragraphs, shortened, type Text, table } from "./Table.ts"
import { moneyText } from "./Words.ts"

export const connectionView = (connection: Connection) => ({
  id: connection.id,
  name: connection.name,
  workspace_id: connection.workspaceId,
  environment: connection.environment,
  connector: connection.connector,
  active: connection.active,
  priority: connection.priority,
  /** Where its provider sends messages, under the server's base URL. */
  webhook_path: `/api/v1/psp-webhooks/${encodeURIComponent(connection.id)}`,
  has_webhook_secret: connection.sealedWebhookSecret !== null,
  has_previous_webhook_secret: connection.sealedPreviousWebhookSecret !== undefined
})

type ConnectionView = ReturnType<typeof connectionView>

/** `supports`, `restrictions` and `fees` as the configuration file has them; amounts in minor units. */
export const connectionDetails = (connection: Connection, providerTimeoutMillis: number) => {
  const { account } = connection
  const { failures, openMillis } = connection.circuitBreaker ?? defaultCircuitBreaker
  return {
    ...connectionView(connection),
    timeout_ms: connection.timeoutMillis ?? providerTimeoutMillis,
    /** `false`: it names none, and the server's default holds. */
    has_own_timeout: connection.timeoutMillis !== null,
    circuit_breaker: { failures, open_ms: openMillis },
    /** As the provider named it, for the connection's payments and last; `null` where it never did. */
    account: account === undefined ? null : accountText(account.first),
    current_account: account === undefined ? null : accountText(account.current),
    account_changed_at: account?.changedAt == null ? null : new Date(account.changedAt).toISOString(),
    supports: connection.supports,
    restrictions: connection.restrictions,
    fees: (connection.fees ?? []).map(feeFileOf),
    /** `null`: they are not fetched by the server itself. */
    reports_every_ms: connection.reports?.everyMillis ?? null
  }
}

type ConnectionDetails = ReturnType<typeof connectionDetails>

export const connectionsText = (connections: ReadonlyArray<ConnectionView>): Text =>
  table(
    ["CONNECTION", shortened("NAME"), "WORKSPACE", "ENVIRONMENT", "CONNECTOR", "ACTIVE", "PRIORITY", "WEBHOOKS"],
    connections.map((one) => [
      one.id,
      one.name,
      one.workspace_id,
      one.environment,
      one.connector,
      one.active ? "yes" : "no",
      one.priority,
      one.has_webhook_secret ? "has a secret" : "no secret"
    ])
  )

export const connectionText = (one: ConnectionDetails): Text => {
  const limits = [
    ...limitsOf(one.supports),
    ...one.restrictions.map((condition) => ["refuses", conditionText(condition)] as const)
  ]
  const text = facts([
    ["Connection", one.id],
    ["Name", one.name],
    ["Workspace", `${one.workspace_id} (${one.environment})`],
    ["Connector", one.connector],
    ["Active", one.active ? "yes" : "no: receives no new payments, but serves its existing ones"],
    ["Priority", one.priority],
    ["Time-out", `${one.timeout_ms} ms, ${one.has_own_timeout ? "its own" : "the server's"}`],
    ["Account", accountOf(one)],
    [
      "Circuit",
      `opens for ${one.circuit_breaker.open_ms / 1000} s after ${one.circuit_breaker.failures} consecutive failures`
    ],
    ["Webhooks", `${one.webhook_path}, ${secretsText(one)}`],
    [
      "Reports",
      one.reports_every_ms === null ? "not fetched on a schedule" : `fetched every ${one.reports_every_ms} ms`
    ]
  ])
  const fees = one.fees.map((fee, index) => [index + 1, feeText(feeRuleOf(fee))] as const)
  return paragraphs(
    text,
    limits.length === 0 ? "The connection has no limits." : table(["LIMIT", "VALUE"], limits),
    fees.length === 0 ? "The connection states no fees." : table(["FEE", "CHARGED"], fees)
  )
}

const secretsText = ({ has_previous_webhook_secret, has_webhook_secret }: ConnectionDetails): string => {
  if (!has_webhook_secret) return "without a secret"
  return has_previous_webhook_secret ? "with a secret and the previous one" : "with a secret"
}

const accountOf = ({ account, account_changed_at, current_account }: ConnectionDetails): string => {
  if (account === null) return "not known"
  return account_changed_at === null
    ? account
    : `${account}; the credentials opened another one on ${account_changed_at} and now open ${current_account}: ` +
        "receives no new payments"
}

const limitsOf = ({ amount, paymentMethods, ...others }: Supports): ReadonlyArray<readonly [string, string]> => [
  ...Object.entries(others).map(([name, value]) => [name, valueText(value)] as const),
  ...Object.entries(paymentMethods ?? {}).map(
    ([name, { currencies, manualCapture }]) =>
      [
        `payment method ${name}`,
        [
          currencies === undefined ? "any currency" : valueText(currencies),
          manualCapture === false ? "captured at once" : ""
        ]
          .filter((text) => text !== "")
          .join("; ")
      ] as const
  ),
  ...Object.entries(amount ?? {}).map(
    ([currency, range]) =>
      [`amount in ${currency}`, rangeText(range, (minorUnits) => moneyText(minorUnits, currency))] as const
  )
]

const valueText = (value: ReadonlyArray<string> | boolean): string =>
  typeof value === "boolean" ? (value ? "yes" : "no") : value.length === 0 ? "none" : value.join(", ")

const rangeText = ({ max, min }: AmountRange, textOf: (minorUnits: number) => string): string =>
  [...(min === undefined ? [] : [`from ${textOf(min)}`]), ...(max === undefined ? [] : [`up to ${textOf(max)}`])].join(
    " "
  )

const conditionText = ({ amount, ...others }: Condition): string =>
  [
    ...Object.entries(others).map(([name, values]) => `${name} ${valueText(values)}`),
    ...(amount === undefined ? [] : [`amount ${rangeText(amount, String)} in minor units`])
  ].join("; ")
