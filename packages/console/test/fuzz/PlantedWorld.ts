/** A world whose stored texts are all markup, with something to read and to do in every area of the console. */
import { createHash } from "node:crypto"
import { Pointsman } from "@pointsman/core"
import { Unanswered } from "@pointsman/core/connector"
import { Secrets } from "@pointsman/core/ports"
import { openSecretsLayer, sampleRequest } from "@pointsman/core/testing"
import { Effect, Layer, Redacted } from "effect"
import { addPartner } from "../support/Partner.ts"
import { readReport, rowOf, stateDispute } from "../support/Reports.ts"
import { routedShop } from "../support/RoutedShop.ts"
import { addEndpoint, deliver, firstSecret } from "../support/Webhooks.ts"
import { password, type World, type WorldParts, workspaceOf, world } from "../support/World.ts"

/** What no page may hold as it is: it would leave a text or an attribute. */
export const markup = `"'><x-planted onload=alert(1)>&`

/** A stored text of a workspace. */
const textOf = (workspaceId: string): string => `${markup} ${workspaceId}-only`

const formula = "=1+1"
const tenants = [
  { workspaceId: "acme", environment: "sandbox" },
  { workspaceId: "globex", environment: "production" }
] as const
type Tenant = (typeof tenants)[number]

export interface Planted {
  readonly here: World
  /** The cookie of an operator who may do everything. It is signed in again where a request ended its session. */
  readonly admin: () => Promise<string>
  /** What no response may hold. */
  readonly secrets: ReadonlyArray<string>
  /** By the names of the API's path parameters. */
  readonly ids: Readonly<Record<string, string>>
}

const login = "admin"

/** As with real keys, a fingerprint does not show its text. */
const hashing = Layer.effect(
  Secrets,
  Effect.map(Secrets, (secrets) => ({
    ...secrets,
    fingerprint: (text: string) => Effect.succeed(createHash("sha256").update(text).digest("base64url"))
  }))
).pipe(Layer.provide(openSecretsLayer))

export const plantedWorld = async (storage?: WorldParts["storage"]): Promise<Planted> => {
  const here = world({}, { secrets: hashing, ...(storage === undefined ? {} : { storage }) })
  const cookie = await here.signIn(login, [{ workspaceId: null, role: "admin" }])
  await here.signIn(`other${markup}`.replaceAll(" ", ""), [{ workspaceId: "acme", role: "viewer" }])
  const merchant = await addPartner(here)
  await routedShop(
    here,
    "sandbox",
    {
      mode: "auto",
      control: { share: 0.25, order: ["acme-sandbox"] },
      rules: [{ name: markup, when: { country: ["DE"] }, use: { mode: "failover" } }]
    },
    [{ id: "second" }]
  )
  const { connections, workspaces } = await here.contents()
  await here.write({
    workspaces: workspaces.map((one) => ({ ...one, name: textOf(one.id) })),
    connections: connections.map((one) => ({ ...one, name: textOf(one.workspaceId) }))
  })
  await addEndpoint(here, { id: "whe_shop", url: `https://shop.example/${markup}?token=${markup}` })
  const payments: Array<string> = []
  for (const tenant of tenants) payments.push(...(await payIn(here, tenant)))
  for (const { environment, workspaceId } of tenants) {
    await here.receive(workspaceId, environment, JSON.stringify({ id: markup, says: textOf(workspaceId) }))
    await here.receive(workspaceId, environment, JSON.stringify(markup))
  }
  for (const [at, tenant] of tenants.entries()) await planReports(here, tenant, payments[at * 3 + 1] ?? "")
  await deliver(here, 400)
  const key = await here.ask((pointsman) =>
    Effect.flatMap(pointsman.draftApiKey(tenants[0]), (draft) =>
      pointsman.createDraftedApiKey(tenants[0], draft, null, { expiresAt: null, name: markup, networks: null })
    )
  )
  const listed = async (path: string) => JSON.parse(await (await here.send(`/api${path}`, { cookie })).text()).data
  const at = "/workspaces/acme/sandbox"
  const ids = {
    workspace: "acme",
    environment: "sandbox",
    payment: payments[0] ?? "",
    delivery: (await listed(`${at}/deliveries`))[0].id,
    endpoint: "whe_shop",
    key: (await listed(`${at}/keys`))[0].id,
    connection: "acme-sandbox",
    partner: "acme",
    merchant,
    operator: (await listed("/operators")).at(-1).id,
    passkey: "passkey"
  }
  let present = cookie
  const admin = async () => {
    const answer = await here.send("/api/me", { cookie: present })
    const isAdmin =
      answer.status === 200 && (await answer.text()).includes('"roles":[{"workspace_id":null,"role":"admin"}]')
    if (isAdmin) return present
    const operators = await here.operators
    const order = { login, displayName: login, grants: [{ workspaceId: null, role: "admin" }] } as const
    await here.run(operators.edit({ ...order, version: null }).pipe(Effect.catch(() => operators.add(order))))
    present = await here.signInAgain(login)
    return present
  }
  return {
    here,
    admin,
    ids,
    secrets: [firstSecret, password, "hash of ", Redacted.value(key.secret), "sk_do_not_show"]
  }
}

/** A report with differences, and a dispute of the payment. */
const planReports = async (here: World, tenant: Tenant, paymentId: string) => {
  const text = textOf(tenant.workspaceId)
  const { connectionId, providerRef } = await here.ask(({ payment }) => payment(tenant, paymentId))
  if (connectionId === null) throw new Error("the payment has no connection")
  const gross = { minorUnits: 1, currency: "EUR" }
  await readReport(here.run, { connectionId, fileName: text }, [
    rowOf(text, { kind: "charge", ref: text, gross, payoutId: text }),
    rowOf("charge", { kind: "charge", ref: providerRef ?? "", gross, payoutId: text }),
    rowOf("payout")
  ])
  const stated = { providerRef, disputeId: text, providerReason: text, dueBy: Date.now() + 86_400_000 }
  await stateDispute(here.run, connectionId, tenant, stated)
}

/** One that is authorized, one that is refunded, and one whose result is unknown. */
const payIn = async (here: World, tenant: Tenant): Promise<ReadonlyArray<string>> => {
  const caller = { tenant, workspace: workspaceOf(tenant.workspaceId) }
  const create = (captureMethod: "automatic" | "manual", reference: string) =>
    here.run(
      Effect.gen(function* () {
        const { create } = yield* Pointsman
        const details = { captureMethod, reference, metadata: { [markup]: text } }
        return (yield* create(caller, sampleRequest({ details }))).payment.id
      })
    )
  const { onCharge } = here.provider
  const text = textOf(tenant.workspaceId)
  const authorized = await create("manual", text)
  const captured = await create("automatic", `${formula}${text}`)
  await here.ask(({ refund }) =>
    refund(
      { ...caller, operator: "admin" },
      {
        paymentId: captured,
        amountMinor: 1,
        idempotencyKey: "a-refund-of-the-world",
        reason: markup
      }
    )
  )
  here.provider.onCharge = () => Effect.fail(new Unanswered({ reason: markup }))
  const unknown = await create("automatic", text)
  here.provider.onCharge = onCharge
  return [authorized, captured, unknown]
}
