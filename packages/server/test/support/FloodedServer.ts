/** A server with a workspace that pays, and one of a client that floods it. */
import { formatApiKey } from "@pointsman/core"
import { testKey } from "./Configurations.ts"
import { type ServerProcess, startServer, temporaryFolder } from "./ServerProcess.ts"

/** Of the workspace that pays, and of that of the hostile client. */
export const payingKey = testKey
export const floodingKey = formatApiKey("sandbox", new Uint8Array(64).fill(14))

const sandbox = (id: string) => ({ id, environment: "sandbox", connector: "sandbox" })

/**
 * The flooding workspace has connections of every kind that takes messages, and `no-secret`, which takes none. `more`: of
 * that workspace.
 */
export const floodedConfiguration = (more: object = {}) => ({
  workspaces: [
    {
      ...{ id: "shop", name: "Shop", country: "NL" },
      keys: [{ environment: "sandbox", secret: payingKey }],
      connections: [sandbox("shop-sandbox")]
    },
    {
      ...{ id: "rival", name: "Rival", country: "NL" },
      keys: [{ environment: "sandbox", secret: floodingKey }],
      ...more,
      connections: [
        sandbox("rival-sandbox"),
        {
          ...{ id: "adyen", environment: "production", connector: "adyen" },
          webhookSecret: "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056",
          credentials: { apiKey: "AQE_made_up", merchantAccount: "PointsmanNL", liveUrlPrefix: "1797a841fbb37ca7-Acme" }
        },
        {
          ...{ id: "stripe", environment: "production", connector: "stripe", webhookSecret: "whsec_0123456789" },
          credentials: { secretKey: "sk_live_made_up_0123456789" }
        },
        {
          ...{ id: "http", environment: "production", connector: "http", webhookSecret: "whsec_0123456789" },
          credentials: { baseUrl: "https://127.0.0.1:1/", apiKey: "sk_made_up" }
        },
        {
          ...{ id: "no-secret", environment: "production", connector: "http" },
          credentials: { baseUrl: "https://127.0.0.1:1/", apiKey: "sk_made_up" }
        }
      ]
    }
  ]
})

export const startFloodedServer = ({
  environment,
  folder,
  more
}: {
  readonly more?: object
  readonly folder?: string
  readonly environment?: Readonly<Record<string, string>>
} = {}): Promise<ServerProcess> =>
  startServer({
    folder: folder ?? temporaryFolder(),
    environment: {
      POINTSMAN_RATE_LIMIT: "off",
      POINTSMAN_LOG_LEVEL: "error",
      // As in the image and with `npm start`.
      NODE_OPTIONS: "--max-semi-space-size=4 --max-old-space-size=1000",
      ...environment
    },
    configuration: floodedConfiguration(more)
  })
