/** What `pointsman init --framework none` writes, for a server. Pure: the secrets are drawn by who writes them. */
import type { DrawnSecrets } from "../ProjectSettings.ts"

/** Names of environment variables, as the configuration file refers to them and `.env` sets them. */
const variables = {
  sandboxKey: "POINTSMAN_API_KEY",
  webhookSecret: "POINTSMAN_WEBHOOK_SECRET"
} as const

const env = (name: string) => ({ $env: name })

/** JSON has no comments: each part occurs once, with a descriptive name. */
const configuration = {
  workspaces: [
    {
      id: "my-shop",
      name: "My shop",
      country: "NL",
      keys: [{ environment: "sandbox", secret: env(variables.sandboxKey) }],
      connections: [
        {
          id: "sandbox-first",
          name: "First simulated provider",
          environment: "sandbox",
          connector: "sandbox",
          priority: 1
        },
        {
          id: "sandbox-second",
          name: "Second simulated provider",
          environment: "sandbox",
          connector: "sandbox",
          priority: 2,
          supports: { currencies: ["EUR", "USD"] },
          timeout: "10 seconds"
        }
      ],
      routing: {
        sandbox: {
          mode: "failover",
          order: ["sandbox-first", "sandbox-second"],
          rules: [
            {
              name: "large amounts to the second provider",
              when: { currency: ["EUR"], amount: { min: 100_000 } },
              use: { mode: "failover", order: ["sandbox-second", "sandbox-first"] }
            }
          ]
        }
      },
      webhooks: [
        {
          environment: "sandbox",
          url: "http://127.0.0.1:4000/webhooks",
          events: ["*"],
          secret: env(variables.webhookSecret)
        }
      ]
    }
  ]
}

const configurationText = `${JSON.stringify(configuration, null, 2)}\n`

/** With secrets it is `.env`, to be kept from others; without them `.env.example`, for everybody who works on this. */
const environmentText = (
  secrets: Pick<DrawnSecrets, "sandboxKey" | "webhookSecret"> | null
): string => `# What pointsman.json refers to. ${
  secrets === null ? "Copy this to .env and fill it in." : "It holds secrets: keep it out of version control."
}
# To load it into a shell:  set -a; . ./.env; set +a

POINTSMAN_CONFIG=pointsman.json

# The API key of the sandbox: ps_test_, 32 letters and digits, and a checksum. \`pointsman init\` makes one.
${variables.sandboxKey}=${secrets?.sandboxKey ?? ""}

# Webhooks are signed with it; your receiver verifies them with the same.
${variables.webhookSecret}=${secrets?.webhookSecret ?? ""}

# The receiver of the example is on this machine. Leave this out where others choose the addresses.
POINTSMAN_ALLOW_PRIVATE_WEBHOOKS=true

# Encrypts credentials and secrets at rest. On SQLite one is made beside the database; with PostgreSQL it is required, the
# same for all servers. To make one:  openssl rand -base64 32
# POINTSMAN_ENCRYPTION_KEY=
`

/** By their path. */
export const serverFiles = (secrets: DrawnSecrets): ReadonlyMap<string, string> =>
  new Map([
    ["pointsman.json", configurationText],
    [".env.example", environmentText(null)],
    [".env", environmentText(secrets)]
  ])
