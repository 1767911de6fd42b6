/** The API in this process over the real core, with the installed connectors, for inputs of strangers and of merchants. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { applyConfiguration } from "@pointsman/configuration"
import { formatApiKey, Pointsman, SecretsLayer } from "@pointsman/core"
import { RefusalTick } from "@pointsman/core/internal"
import { Connectors, Ids } from "@pointsman/core/ports"
import * as MemoryStorage from "@pointsman/storage-memory"
import { NodeMac } from "@pointsman/transport-node"
import { Context, Effect, Layer, Redacted } from "effect"
import { serve } from "../../../http/test/support/Web.ts"
import { noTransport } from "../../../http/test/support/World.ts"
import { forChecking } from "../../src/InstalledConnectors.ts"
import type { Receiver } from "./Judge.ts"
import { sendable } from "./Values.ts"

export const testKey = formatApiKey("sandbox", new Uint8Array(64).fill(31))
export const liveKey = formatApiKey("production", new Uint8Array(64).fill(32))
export const unknownKey = formatApiKey("sandbox", new Uint8Array(64).fill(33))

export const httpSecret = "whsec_of_http_0123456789"
export const stripeSecret = "whsec_of_stripe_0123456789"
export const adyenSecret = "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056"
export const merchantAccount = "PointsmanNL"

export interface Input {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  /** Whether each character of the body is one byte. */
  readonly isBinary?: boolean
}

/** As the server has them: what they cost is part of what an input costs. */
const platform = Layer.merge(NodeCrypto.layer, NodeMac.layer)
const secretsLayer = SecretsLayer.layer(Redacted.make(new Uint8Array(32).fill(7))).pipe(Layer.provideMerge(platform))

/** Thousands of results are unknown. */
const circuitBreaker = { failures: 1_000_000, open: "1 second" }
const live = (connector: string, credentials: Readonly<Record<string, string>>, webhookSecret: string) => ({
  ...{ id: connector, environment: "production" as const, connector, credentials, webhookSecret, circuitBreaker }
})

const configured = Layer.effectDiscard(
  applyConfiguration({
    workspaces: [
      {
        ...{ id: "acme", country: "NL", partner: { allowance: 1_000_000 } },
        keys: [
          { environment: "sandbox", secret: testKey },
          { environment: "production", secret: liveKey }
        ],
        connections: [
          { id: "sandbox", environment: "sandbox", circuitBreaker },
          live("http", { baseUrl: "http://provider.test", apiKey: "sk_1" }, httpSecret),
          live("stripe", { secretKey: "sk_live_made_up_0123456789" }, stripeSecret),
          live("adyen", { apiKey: "AQE_made_up", merchantAccount, liveUrlPrefix: "1797a841fbb37ca7-Acme" }, adyenSecret)
        ]
      }
    ]
  })
)

/** Payments of each kind that operations, pages and messages may name, by `@kind-number`. */
const kinds = { captured: {}, authorized: { capture_method: "manual" }, hosted: { return_url: "https://shop.example" } }
const ofEachKind = 8

/** What an input writes for a payment of the world; `token-` before it is the token of its page. */
export const names: ReadonlyArray<string> = Object.keys(kinds).flatMap((kind) =>
  Array.from({ length: ofEachKind }, (_, number) => `@${kind}-${number}`)
)

const tenant = { workspaceId: "acme", environment: "sandbox" } as const

/** The id of a dispute of the payment, which is `@dispute-0`. */
const disputeOf = (pointsman: typeof Pointsman.Service, paymentId: string): Promise<string> =>
  Effect.gen(function* () {
    const { providerRef } = yield* pointsman.payment(tenant, paymentId)
    yield* pointsman.recordMessage({
      connectionId: "sandbox",
      tenant,
      receivedAt: 0,
      body: "{}",
      message: {
        id: "msg_1",
        at: 0,
        about: {
          _tag: "Dispute",
          charge: { providerRef: providerRef ?? "" },
          disputeId: "du_1",
          verdict: "opened",
          money: { minorUnits: 900, currency: "EUR" }
        }
      },
      reason: null
    })
    const { items } = yield* pointsman.disputes(tenant, { limit: 1 })
    return items[0]?.id ?? ""
  }).pipe(Effect.runPromise)

export const openWorld = async (): Promise<Receiver<Input>> => {
  const made: Array<typeof Pointsman.Service> = []
  const core = Pointsman.layer().pipe(
    Layer.provide(configured),
    Layer.provide(MemoryStorage.layer()),
    Layer.provide([Ids.layer, secretsLayer, noTransport, Layer.sync(Connectors, forChecking)]),
    // Thousands of messages are refused, one after the other.
    Layer.provide(Layer.succeed(RefusalTick, 0)),
    Layer.tap((context) => Effect.sync(() => made.push(Context.get(context, Pointsman)))),
    Layer.orDie
  )
  const web = serve(core, { baseUrl: "https://pay.example", docs: false })
  const ids = new Map<string, string>()
  for (const name of names) {
    const [kind = "", number] = name.slice(1).split("-")
    const answer = await web.send("/api/v1/payments", {
      key: testKey,
      headers: { "idempotency-key": `fuzz-${name}-0000` },
      body: { amount: 5_000 + Number(number), currency: "EUR", country: "NL", ...kinds[kind as keyof typeof kinds] }
    })
    if (answer.status !== 201) throw new Error(`a payment could not be made: ${answer.status}`)
    ids.set(name, answer.body.data.id)
    const page: string | undefined = answer.body.data.next_action?.url
    if (page !== undefined) ids.set(`token-${name}`, new URL(page).pathname.split("/").at(-1) ?? "")
  }
  for (const pointsman of made) ids.set("@dispute-0", await disputeOf(pointsman, ids.get("@captured-0") ?? ""))
  const withIds = (text: string) => text.replace(/(?:token-)?@[a-z]+-\d/gu, (name) => ids.get(name) ?? name)
  return {
    send: async ({ body, headers, isBinary = false, method, path }) => {
      const request = new Request(`http://pointsman.test${withIds(path)}`, {
        method,
        headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, sendable(value)])),
        ...(body === undefined ? {} : { body: isBinary ? Buffer.from(body, "latin1") : withIds(body) })
      })
      const response = await web.fetch(request)
      const text = await response.text()
      return { status: response.status, code: /"code":"([a-z_]+)"/u.exec(text)?.[1] }
    },
    close: web.close
  }
}
