/**
 * A listening server with the real core over storage in memory, a shop that customers come back to, and a provider
 * with a page of its own in production. The clock can be set forward: a page is open for half an hour.
 */
import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { NodeHttpServer } from "@effect/platform-node"
import { SandboxConnector, SandboxRecords } from "@pointsman/connector-sandbox"
import { type Brand, type Environment, environments, Pointsman } from "@pointsman/core"
import { type ChargeState, type ConnectorDefinition, Connectors, Directory, Ids } from "@pointsman/core/ports"
import { openSecretsLayer, scriptedProvider } from "@pointsman/core/testing"
import * as PointsmanHttp from "@pointsman/http"
import * as MemoryStorage from "@pointsman/storage-memory"
import { Clock, Effect, Exit, Layer, Scope } from "effect"
import { HttpRouter } from "effect/http"
import { apiKeyOf, connectionOf, keyOf, noTransport } from "../support/World.ts"

export const merchant = "Kaffeerösterei Nordwind"

/** Of the second merchant. The darkest color is near the card's in the dark. */
export const brand: Brand = {
  name: "Südwind Kaffee",
  logo: "https://cdn.example/logo.svg",
  color: "#123524",
  support: "mailto:help@suedwind.example",
  terms: "https://suedwind.example/terms"
}

const workspaces = ["nordwind", "suedwind"] as const
type WorkspaceId = (typeof workspaces)[number]

const keys = {
  nordwind: { sandbox: keyOf("sandbox", 1), production: keyOf("production", 2) },
  suedwind: { sandbox: keyOf("sandbox", 3), production: keyOf("production", 4) }
} as const

export interface World {
  /** The server's own address: what the pages may load from. */
  readonly url: string
  /** The shop's. */
  readonly shop: string
  /** The provider's. */
  readonly provider: string
  /** Creates a payment and gives its id and where the customer is sent. */
  readonly create: (
    change?: Readonly<Record<string, unknown>>,
    environment?: Environment,
    workspaceId?: WorkspaceId
  ) => Promise<Created>
  readonly statusOf: (id: string, environment?: Environment) => Promise<string>
  /** The types of the payment's events, oldest first. */
  readonly timelineOf: (id: string) => Promise<ReadonlyArray<string>>
  /** What the provider's record says of every charge from now on; `undefined` for nothing. */
  record: ChargeState | undefined
  /** How many checkouts the provider has opened. */
  readonly checkouts: () => number
  readonly setForward: (millis: number) => void
  readonly close: () => Promise<void>
}

export interface Created {
  readonly id: string
  readonly page: string
}

export const openWorld = async (): Promise<World> => {
  const scope = Scope.makeUnsafe()
  const shop = await listen((_, response) => html(response, "Shop", "<p>Thank you for coming back.</p>"))
  const checkouts = new Map<string, string>()
  const provider = await listen((request, response) => {
    const back = checkouts.get(request.url ?? "") ?? "/nowhere"
    html(response, "Provider", `<p>Pay here.</p><p><a href="${back}">Done</a></p>`)
  })
  const pointsman = await listen((_, response) => response.writeHead(503).end())

  const reading = async (environment: Environment, path: string) => {
    const headers = { authorization: `Bearer ${keys.nordwind[environment]}` }
    return ((await (await fetch(`${pointsman.url}/api/v1/payments/${path}`, { headers })).json()) as { data: unknown })
      .data
  }
  const scripted = scriptedProvider()
  scripted.onOpenCheckout = ({ attemptId, returnUrl }) =>
    Effect.sync(() => {
      checkouts.set(`/pay/${attemptId}`, returnUrl)
      return {
        _tag: "CheckoutOpened",
        reference: `co_${attemptId}`,
        url: `${provider.url}/pay/${attemptId}`,
        expiresAt: null
      }
    })
  let shift = 0
  const world: World = {
    url: pointsman.url,
    shop: shop.url,
    provider: provider.url,
    record: undefined,
    checkouts: () => scripted.checkouts.length,
    setForward: (millis) => {
      shift += millis
    },
    create: async (change = {}, environment = "sandbox", workspaceId = "nordwind") => {
      const answer = await fetch(`${pointsman.url}/api/v1/payments`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${keys[workspaceId][environment]}`,
          "content-type": "application/json",
          "idempotency-key": `a key of ${counter++}`
        },
        body: JSON.stringify({
          amount: 123_456,
          currency: "EUR",
          country: "NL",
          reference: "order-20417",
          return_url: `${shop.url}/thanks?order=20417#receipt`,
          ...change
        })
      })
      const { data } = (await answer.json()) as { data: { payment_id: string; next_action: { url: string } } }
      return { id: data.payment_id, page: data.next_action.url }
    },
    statusOf: async (id, environment = "sandbox") =>
      ((await reading(environment, id)) as { payment_status: string }).payment_status,
    timelineOf: async (id) =>
      ((await reading("sandbox", `${id}/events`)) as ReadonlyArray<{ type: string }>).map(({ type }) => type),
    close: async () => {
      await Effect.runPromise(Scope.close(scope, Exit.void))
      for (const { server } of [shop, provider, pointsman]) {
        server.closeAllConnections()
        server.close()
      }
    }
  }
  let counter = 0
  scripted.onLookUpCharge = () =>
    Effect.sync(() =>
      world.record === undefined ? { _tag: "NotFound", conclusive: false } : { _tag: "Found", state: world.record }
    )

  const routes = PointsmanHttp.layer({ baseUrl: pointsman.url }).pipe(
    Layer.provide([core([SandboxConnector.make(SandboxRecords.memory()), scripted.definition]), Ids.layer])
  )
  const handler = await HttpRouter.toHttpEffect(routes).pipe(
    Effect.flatMap((app) => NodeHttpServer.makeHandler(app, { scope })),
    Effect.provide(NodeHttpServer.layerHttpServices),
    Scope.provide(scope),
    Effect.updateService(Clock.Clock, (clock) => ({
      ...clock,
      currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + shift,
      currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + shift),
      // Methods of the class, which the spread leaves behind.
      currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
      currentTimeNanos: clock.currentTimeNanos,
      // It passes and is not set.
      monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe() + BigInt(shift) * 1_000_000n,
      monotonicTimeNanos: Effect.map(clock.monotonicTimeNanos, (now) => now + BigInt(shift) * 1_000_000n),
      sleep: (duration) => clock.sleep(duration)
    })),
    Effect.runPromise
  )
  pointsman.server.removeAllListeners("request")
  pointsman.server.on("request", handler)
  return world
}

const html = (response: Parameters<RequestListener>[1], title: string, body: string) => {
  response.writeHead(200, { "content-type": "text/html; charset=utf-8" })
  response.end(`<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1>${body}`)
}

const listen = async (handler: RequestListener): Promise<{ readonly server: Server; readonly url: string }> => {
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const core = (connectors: ReadonlyArray<ConnectorDefinition>) =>
  Pointsman.layer().pipe(
    Layer.provide(configured),
    Layer.provide(MemoryStorage.layer()),
    Layer.provide([Ids.layer, openSecretsLayer, noTransport, Connectors.layer(connectors)]),
    Layer.orDie
  )

const configured = Layer.effectDiscard(
  Effect.gen(function* () {
    const directory = yield* Directory
    const workspace = { name: merchant, country: "DE", category: null, suspended: false, partner: null }
    const tenants = workspaces.flatMap((id) => environments.map((environment) => [id, environment] as const))
    yield* directory.write({
      workspaces: [
        { id: "nordwind", ...workspace },
        { id: "suedwind", ...workspace, brand }
      ],
      apiKeys: tenants.map(([id, environment]) => apiKeyOf(keys[id][environment], id)),
      connections: yield* Effect.forEach(tenants, ([workspaceId, environment]) =>
        connectionOf(`${workspaceId}-${environment}`, {
          ...{ workspaceId, environment },
          connector: environment === "sandbox" ? "sandbox" : "scripted"
        })
      ),
      routing: [],
      webhookEndpoints: []
    })
  })
)
