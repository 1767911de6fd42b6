/** The configuration of a new shop, and the environment that it refers to. Pure: the secrets are drawn by who writes them. */
import { type Provider, type ProviderRow, providerRows } from "./ProviderRows.ts"

export interface DrawnSecrets {
  /** `ps_test_…` */
  readonly sandboxKey: string
  readonly webhookSecret: string
  /** Base64 of 32 bytes. */
  readonly encryptionKey: string
  /** In place of the secret of the provider's webhooks, until the shop has one: hexadecimal, as Adyen's is. */
  readonly providerSecret: string
}

const env = (name: string) => ({ $env: name })

export const projectConfiguration = (provider: Provider) => {
  const { title, variables, webhookSecret } = providerRows[provider]
  return {
    workspaces: [
      {
        id: "my-shop",
        name: "My shop",
        country: "NL",
        // The sandbox leads to the provider's own test page.
        hostedPage: "provider",
        keys: [{ environment: "sandbox", secret: env("POINTSMAN_API_KEY") }],
        connections: [
          {
            ...{ id: provider, name: title, environment: "sandbox", connector: provider },
            credentials: Object.fromEntries(variables.map(({ field, name }) => [field, env(name)])),
            webhookSecret: env(webhookSecret.name)
          },
          { id: "simulator", name: "Simulator", environment: "sandbox", connector: "sandbox" }
        ],
        webhooks: [
          {
            ...{ environment: "sandbox", url: env("SHOP_WEBHOOK_URL"), events: ["*"] },
            secret: env("POINTSMAN_WEBHOOK_SECRET")
          }
        ]
      }
    ]
  }
}

/** With secrets it is `.env`; without them `.env.example`, for everybody who works on this. */
export const environmentOf = ({ title, variables, webhookSecret }: ProviderRow, secrets: DrawnSecrets | null): string =>
  `# ${secrets === null ? "Copy this to .env and fill it in." : "It holds secrets: keep it out of version control."}

# The test account at ${title}. Without the first of them, the simulator takes the payments.
${variables.map(({ hint, name }) => `# ${hint}\n${name}=\n`).join("")}
# ${webhookSecret.hint}${secrets === null ? "" : "; until you have it, a random text"}
${webhookSecret.name}=${secrets?.providerSecret ?? ""}

# Where customers reach the shop, and where Pointsman sends its events.
SHOP_URL=http://127.0.0.1:3000
SHOP_WEBHOOK_URL=http://127.0.0.1:3000/webhooks

# The events are signed with it (any text of 16 characters or more).
POINTSMAN_WEBHOOK_SECRET=${secrets?.webhookSecret ?? ""}

# An API key of the sandbox: ps_test_, 32 letters and digits, and a checksum. \`pointsman init\` makes one.
POINTSMAN_API_KEY=${secrets?.sandboxKey ?? ""}

# Encrypts credentials and secrets in payments.db. To make one:  openssl rand -base64 32
POINTSMAN_ENCRYPTION_KEY=${secrets?.encryptionKey ?? ""}
`
