/** What a configuration file would say of the shop of the pictures. */
import { type Connection, type Environment, endpointSecretContext, type Workspace } from "@pointsman/core"
import { Directory, Secrets } from "@pointsman/core/ports"
import { Effect, Layer, Redacted } from "effect"
import { connectionOf } from "./World.ts"

export const tenant = { workspaceId: "nordwind", environment: "production" } as const

export const workspaces: ReadonlyArray<Workspace> = [
  { id: "nordwind", name: "Nordwind Coffee", partner: null },
  { id: "harbour", name: "Harbour Market", partner: { allowance: 25 } }
].map((one) => ({ ...one, country: "NL", category: null, suspended: false }))

export const configured = Layer.effectDiscard(
  Effect.gen(function* () {
    const { seal } = yield* Secrets
    const connection = (id: string, environment: Environment, fields: Partial<Connection>) =>
      connectionOf(id, { ...tenant, environment, connector: "stripe", ...fields })
    const endpoint = (id: string, url: string, events: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        const sealedSecret = yield* seal(Redacted.make("whsec"), endpointSecretContext(id))
        return { id, ...tenant, url, events, sealedSecret, active: true }
      })
    yield* (yield* Directory).write({
      workspaces,
      apiKeys: [],
      connections: [
        yield* connection("stripe-test", "sandbox", { name: "Stripe test" }),
        yield* connection("stripe-eu", "production", {
          name: "Stripe Europe",
          supports: { currencies: ["EUR", "GBP", "USD"], recurring: true },
          restrictions: [{ cardBrand: ["amex"], country: ["US"] }]
        }),
        yield* connection("adyen-nl", "production", { name: "Adyen Netherlands", connector: "adyen", priority: 2 }),
        yield* connection("adyen-us", "production", {
          name: "Adyen United States",
          connector: "adyen",
          priority: 3,
          supports: { currencies: ["USD"] }
        }),
        yield* connection("stripe-old", "production", { name: "Stripe, former account", active: false, priority: 4 })
      ],
      routing: [
        {
          ...tenant,
          settings: {
            mode: "auto",
            control: { share: 0.1, order: ["stripe-eu", "adyen-nl"] },
            rules: [
              {
                name: "large orders",
                when: { currency: ["EUR"], amount: { min: 100_000 } },
                use: { mode: "fixed", order: ["adyen-nl"] }
              },
              {
                name: "subscriptions",
                when: { initiator: ["mit"] },
                use: { mode: "failover", split: { "stripe-eu": 3, "adyen-nl": 1 } }
              }
            ]
          }
        }
      ],
      webhookEndpoints: [
        yield* endpoint("whe_shop", "https://shop.nordwind.example/hooks/payments", ["*"]),
        yield* endpoint("whe_books", "https://books.nordwind.example/inbox", ["payment.captured", "payment.refunded"])
      ]
    })
  }).pipe(Effect.orDie)
)
