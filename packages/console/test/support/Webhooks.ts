/** Webhook endpoints of the world, and a receiver with scripted answers. */
import { type Environment, endpointSecretContext, Pointsman, type Tenant } from "@pointsman/core"
import { Directory, Secrets, type WebhookEndpoint } from "@pointsman/core/ports"
import { scriptedSender } from "@pointsman/core/testing"
import { Effect, Redacted } from "effect"
import { contentsOf, type World } from "./World.ts"

export const firstSecret = "whsec_first"

/** Writes an endpoint as a configuration does. */
export const addEndpoint = (
  here: World,
  { environment = "sandbox", ...fields }: Partial<WebhookEndpoint> & { readonly environment?: Environment } = {}
): Promise<WebhookEndpoint> =>
  here.run(
    Effect.gen(function* () {
      const id = fields.id ?? "whe_shop"
      const endpoint: WebhookEndpoint = {
        id,
        workspaceId: "acme",
        environment,
        url: `https://shop.example/hooks/${id}?token=<secret>`,
        events: ["*"],
        sealedSecret: yield* (yield* Secrets).seal(Redacted.make(firstSecret), endpointSecretContext(id)),
        active: true,
        ...fields
      }
      yield* (yield* Directory).write(contentsOf({ webhookEndpoints: [endpoint] }))
      return endpoint
    })
  )

/** Sends what is due to a receiver that answers by this status; gives the requests. */
export const deliver = async (
  here: World,
  status: number,
  tenant: Tenant = { workspaceId: "acme", environment: "sandbox" }
) => {
  const sender = scriptedSender()
  sender.onSend = () => Effect.succeed(status)
  const isDone = Effect.gen(function* () {
    const pointsman = yield* Pointsman
    for (const state of ["Due", "Sending"] as const) {
      if ((yield* pointsman.deliveries(tenant, { state, limit: 1 })).items.length > 0) return false
    }
    return true
  })
  const ended = Effect.repeat(Effect.delay(isDone, "5 millis"), { until: (done) => done })
  await here.run(
    Effect.raceFirst(
      ended,
      Effect.flatMap(Pointsman, ({ keepDelivering }) => keepDelivering(5))
    ).pipe(Effect.provide(sender.layer))
  )
  return sender.sent
}
