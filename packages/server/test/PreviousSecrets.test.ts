/** While a provider's webhook secret is rotated: messages signed with either secret, by each connector's scheme, at a socket. */
import { assert, describe, it } from "vitest"
import { type ServerHere, startServerHere } from "./support/ServerHere.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"
import { talkingProviders, tellServer } from "./support/TalkingProviders.ts"

const providers = Object.values(talkingProviders).map((provider) => ({
  ...{ provider, connection: provider.connection("http://127.0.0.1:9") }
}))
type Scheme = (typeof providers)[number]

const ownSecrets: Readonly<Record<string, readonly [string, string, string]>> = {
  adyen: ["11".repeat(32), "22".repeat(32), "33".repeat(32)],
  paypal: ["1JE4291016473214C", "2JE4291016473214C", "3JE4291016473214C"]
}
const usual = ["whsec_new_0123456789", "whsec_previous_0123456789", "whsec_of_nobody_0123456789"] as const

/** New, previous, and nobody's. */
const secretsOf = ({ connection }: Scheme) => ownSecrets[String(connection["id"])] ?? usual

const configurationOf = (hasPrevious: boolean) => ({
  connectors: providers.flatMap(({ provider }) => provider.connectors ?? []),
  workspaces: [
    {
      ...{ id: "acme", name: "Acme", country: "NL" },
      connections: providers.map((scheme) => {
        const [webhookSecret, previousWebhookSecret] = secretsOf(scheme)
        return { ...scheme.connection, webhookSecret, ...(hasPrevious ? { previousWebhookSecret } : {}) }
      })
    }
  ]
})

/** Of messages about nothing that is here: each is stored. */
const statuses = async (server: ServerHere, scheme: Scheme) => {
  const found: Array<number> = []
  for (const [nth, secret] of secretsOf(scheme).entries()) {
    const { message, types } = scheme.provider
    const told = message(types[0] ?? "", nth, secret)
    found.push((await tellServer(server.url, scheme.connection["id"], told)).status)
  }
  return found
}

describe("a rotated webhook secret", () => {
  it("a previous secret is refused once removed, beside new and unknown ones", async () => {
    const folder = temporaryFolder()
    let all = ""
    for (const [hasPrevious, expected] of [
      [true, [200, 200, 401]],
      [false, [200, 401, 401]]
    ] as const) {
      const server = await startServerHere({ folder, configuration: configurationOf(hasPrevious) })
      for (const one of providers) {
        assert.deepStrictEqual(await statuses(server, one), [...expected], String(one.connection["id"]))
      }
      const { stderr, stdout } = await server.stop()
      all += stdout + stderr
    }
    for (const secret of providers.flatMap(secretsOf)) assert.notInclude(all, secret)
  })
})
