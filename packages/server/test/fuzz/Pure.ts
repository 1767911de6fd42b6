/** Texts that are read without a request: configuration files, and addresses that proxies forward. */
import { Effect, FileSystem } from "effect"
import * as fc from "fast-check"
import { readConfigurationFile } from "../../src/ReadConfiguration.ts"
import { makeSources } from "../../src/SourceOf.ts"
import type { Answer } from "./Judge.ts"
import { body, headerText, scratched, text } from "./Values.ts"
import { adyenSecret, liveKey, merchantAccount, testKey } from "./World.ts"

const configuration = {
  workspaces: [
    {
      ...{ id: "acme", name: "Acme", country: "NL", category: "retail", suspended: false, partner: { allowance: 2 } },
      keys: [
        { environment: "sandbox", secret: testKey, scopes: ["payments:read"] },
        { environment: "production", secret: liveKey }
      ],
      connections: [
        {
          ...{ id: "main", name: "Main", environment: "production", connector: "http", priority: 1, active: true },
          credentials: { baseUrl: "https://provider.example/", apiKey: { $env: "PROVIDER_KEY" } },
          ...{ webhookSecret: "whsec_0123456789", timeout: "20 seconds" },
          supports: { currencies: ["EUR"], methods: ["card"] },
          circuitBreaker: { failures: 5, open: "30 seconds" }
        },
        {
          ...{ id: "adyen", environment: "production", connector: "adyen", webhookSecret: adyenSecret },
          credentials: { apiKey: "AQE_made_up", merchantAccount, liveUrlPrefix: "1797a841fbb37ca7-Acme" }
        },
        {
          ...{ id: "stripe", environment: "production", connector: "stripe" },
          credentials: { secretKey: "sk_live_made_up_0123456789" }
        }
      ],
      routing: {
        production: {
          ...{ mode: "failover", order: ["main", "adyen"], maxAttempts: 2 },
          rules: [
            {
              name: "large",
              when: { amount: { min: 10_000 }, currency: ["EUR"] },
              use: { mode: "fixed", order: ["adyen"] }
            }
          ]
        }
      },
      webhooks: [
        { environment: "production", url: "https://shop.example/hook", events: ["*"], secret: "whsec_0123456789abcdef" }
      ]
    }
  ]
}

export const configurationText: fc.Arbitrary<string> = body(fc.constant(configuration), 20_000)

/** 200 for a configuration, 400 for one that is refused; a defect rejects. */
export const readsConfiguration = (text: string): Promise<Answer> =>
  readConfigurationFile("pointsman.json", {
    claimWindowMillis: 900_000,
    providerTimeoutMillis: 30_000,
    environment: { PROVIDER_KEY: "sk_1" }
  }).pipe(
    Effect.match({
      onSuccess: ({ _tag }) => ({ status: _tag === "Success" ? 200 : 400, code: undefined }),
      onFailure: () => ({ status: 400, code: undefined })
    }),
    Effect.provide(FileSystem.layerNoop({ readFileString: () => Effect.succeed(text) })),
    Effect.runPromise
  )

const addresses = fc
  .array(
    fc.oneof(fc.ipV4(), fc.ipV6(), text(40), fc.constantFrom("10.0.0.1:80", "[2001:db8::1]:443", "::ffff:10.1.1.1"))
  )
  .map((hops) => hops.join(", "))

export const forwardedFor: fc.Arbitrary<string> = fc.oneof(scratched(addresses), headerText(16_000))

const sources = makeSources(["127.0.0.1", "10.0.0.0/8", "2001:db8::/32"])

export const findsSource = async (header: string): Promise<Answer> => {
  const source = sources.sourceOf("10.0.0.1", header)
  return { status: source === "10.0.0.1" ? 400 : 200, code: undefined }
}
