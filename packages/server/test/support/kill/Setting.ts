/** What every world in which servers are killed is set up with: one merchant, its provider, and its endpoints. */
import { type EventType, formatApiKey } from "@pointsman/core"
import { type MoodyProvider, messageSecret, providerKey } from "./MoodyProvider.ts"
import { endpointSecret, type MoodyReceiver } from "./MoodyReceiver.ts"

export const apiKey = formatApiKey("sandbox", new Uint8Array(64).fill(31))

/** Which types each endpoint wants; `*` for all. */
export const endpoints: Readonly<Record<string, ReadonlyArray<EventType> | "*">> = {
  all: "*",
  money: ["payment.captured", "payment.refunded", "payment.cancelled"]
}

export const wantsOf =
  (types: ReadonlyArray<EventType> | "*") =>
  (type: string): boolean =>
    types === "*" || types.some((one) => one === type)

/** Short, as the test waits for them; a time-out has to be shorter than the claim window. */
export const environment = {
  POINTSMAN_PROVIDER_TIMEOUT: "600 millis",
  POINTSMAN_CLAIM_WINDOW: "2 seconds",
  POINTSMAN_UNKNOWN_CHECK_INTERVAL: "400 millis",
  POINTSMAN_PENDING_CHECK_INTERVAL: "400 millis",
  POINTSMAN_REFUND_CHECK_INTERVAL: "400 millis",
  POINTSMAN_DEAD_REQUEST_INTERVAL: "1 second",
  // A receiver with moods fails often, and what is given up would never arrive.
  POINTSMAN_WEBHOOK_SCHEDULE: ["0 seconds", ...Array.from({ length: 60 }, () => "200 millis")].join(","),
  POINTSMAN_ALLOW_PRIVATE_WEBHOOKS: "true",
  POINTSMAN_RATE_LIMIT: "off"
}

/** Longer than any lease and than any age that a call has to reach: the last server's clock is so far ahead. */
export const muchMillis = 75_000

export const configurationFor = (provider: Pick<MoodyProvider, "baseUrl">, receiver: MoodyReceiver) => ({
  workspaces: [
    {
      id: "acme",
      country: "NL",
      keys: [{ environment: "sandbox", secret: apiKey }],
      connections: ["main", "spare"].map((id) => ({
        id,
        environment: "sandbox",
        connector: "http",
        credentials: { baseUrl: provider.baseUrl(id), apiKey: providerKey },
        webhookSecret: messageSecret
      })),
      routing: { sandbox: { mode: "failover", order: ["main", "spare"] } },
      webhooks: Object.entries(endpoints).map(([name, types]) => ({
        environment: "sandbox",
        url: receiver.url(name),
        events: types === "*" ? ["*"] : types,
        secret: endpointSecret(name)
      }))
    }
  ]
})

export const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))
