/**
 * A shop with a day of payments, for pictures of the pages: connections that succeed and fail, payments in all states, a
 * review, messages, deliveries, keys and operators. Its clock stands still between steps and its random numbers are the
 * same in each run, so that pictures of the same pages are the same.
 */
import { createHash } from "node:crypto"
import { type OperatorGrant, Pointsman, type Workspace } from "@pointsman/core"
import { type ChargeAnswer, Ids, type ProviderMessage, Secrets, Unanswered } from "@pointsman/core/ports"
import { openSecretsLayer, sampleRequest, scriptedProvider } from "@pointsman/core/testing"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { configured, tenant, workspaces } from "./ShopConfiguration.ts"
import { addReports } from "./ShopReports.ts"
import { deliver } from "./Webhooks.ts"
import { bodyOf, clockAt, speaking, world } from "./World.ts"

const api = `/api/workspaces/${tenant.workspaceId}/${tenant.environment}`
const beginsAt = Date.parse("2026-11-23T12:40:00Z")
const minute = 60_000

/** Numbers from 0 to 1, the same in each run. */
const drawing = (state: number) => () => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return state / 2 ** 32
}

const random = drawing(7)
const ids = Ids.layerNoDeps.pipe(
  Layer.provide(
    Layer.sync(SecureRandom.SecureRandom, () =>
      SecureRandom.make((size) => Uint8Array.from({ length: size }, () => Math.floor(random() * 256)))
    )
  )
)

/** Open, but a message without an id is named by a hash, as outside of tests. */
const secrets = Layer.effect(
  Secrets,
  Effect.map(Secrets, (open) => ({
    ...open,
    hash: (text: string) => Effect.sync(() => createHash("sha256").update(text).digest("hex"))
  }))
).pipe(Layer.provide(openSecretsLayer))

interface Order {
  readonly reference: string
  readonly amount: number
  readonly currency?: "EUR" | "GBP" | "USD"
  readonly country?: string
  readonly brand?: string
  readonly initiator?: "cit" | "mit"
  readonly isManual?: boolean
  readonly returnUrl?: string
}

type Said = ChargeAnswer | Unanswered

const declined = (
  category: "insufficient_funds" | "do_not_honor" | "issuer_unavailable",
  code: string
): ChargeAnswer => ({
  _tag: "Declined",
  providerRef: null,
  category,
  code,
  soft: category !== "insufficient_funds"
})

const unanswered = new Unanswered({ reason: "no response within 30 seconds" })

export const openShop = async () => {
  let now = beginsAt
  const said: Array<Said> = []
  /** Where nothing is said, by connector. */
  let declineRates: Readonly<Record<string, number>> = {}
  const providers = ["stripe", "adyen"].map((name) => {
    const provider = scriptedProvider({ name })
    provider.onCharge = ({ attemptId, capture }) =>
      Effect.suspend(() => {
        const answer = said.shift()
        if (answer?._tag === "pointsman/Unanswered") return Effect.fail(answer)
        if (answer === undefined && random() < (declineRates[name] ?? 0)) {
          return Effect.succeed(declined("do_not_honor", "05"))
        }
        return Effect.succeed(
          answer ?? { _tag: capture ? "Captured" : "Authorized", providerRef: `${name}_${attemptId.slice(-12)}` }
        )
      })
    provider.onRefund = ({ refundId }) =>
      Effect.succeed({ _tag: "Succeeded", providerRefundId: `re_${refundId.slice(-12)}` })
    return provider
  })
  const here = world(
    {},
    {
      clock: clockAt(() => now),
      configured,
      ids,
      secrets,
      connectors: providers.map((one) => speaking(one.definition))
    }
  )

  const caller = { tenant, workspace: workspaces[0] as Workspace }
  /** After so many minutes, with these answers of the providers. */
  const pay = async (after: number, order: Order, ...answers: ReadonlyArray<Said>) => {
    now += after * minute
    said.push(...answers)
    const request = sampleRequest({
      returnUrl: order.returnUrl ?? null,
      details: {
        money: { minorUnits: order.amount, currency: order.currency ?? "EUR" },
        country: order.country ?? "NL",
        cardBrand: order.brand ?? "visa",
        initiator: order.initiator ?? "cit",
        captureMethod: order.isManual === true ? "manual" : "automatic",
        reference: order.reference,
        metadata: { order: order.reference.replaceAll(/\D/gu, "") }
      }
    })
    const { payment } = await here.ask(({ create }) => create(caller, request))
    said.length = 0
    return payment
  }
  const receive = (connectionId: string, body: string, message: ProviderMessage | null, reason: string | null = null) =>
    here.ask(({ recordMessage }) => recordMessage({ connectionId, tenant, receivedAt: now, body, message, reason }))
  /** It stores what was learned when it is interrupted. */
  const learn = () =>
    here.run(
      Effect.timeoutOption(
        Effect.flatMap(Pointsman, ({ keepLearning }) => keepLearning(minute)),
        "50 millis"
      )
    )
  const addOperator = async (login: string, displayName: string, grants: ReadonlyArray<OperatorGrant>) =>
    here.run((await here.operators).add({ login, displayName, grants }))
  const act = async (cookie: string, path: string, body: unknown = {}) => {
    const sent = { cookie, body, headers: { "idempotency-key": `key-${path}` } }
    const response = await here.send(path, sent)
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return (await bodyOf(response)).data
  }

  await addOperator("ann@nordwind.example", "Ann de Wit", [{ workspaceId: null, role: "admin" }])
  await addOperator("jo@nordwind.example", "Jo Lind", [{ workspaceId: "nordwind", role: "support" }])
  await addOperator("sam@nordwind.example", "Sam Okafor", [{ workspaceId: null, role: "operations" }])
  await addOperator("lee@harbour.example", "Lee Brandt", [{ workspaceId: "harbour", role: "viewer" }])

  const merchants = [
    ["Bakery Oost", "owner@bakery-oost.example"],
    ["Fietsen Jansen", "jansen@fietsen.example"],
    ["Tea & Time", "hello@tea-time.example"]
  ] as const
  for (const [name, email] of merchants) {
    const partner = { tenant: { ...tenant, workspaceId: "harbour" }, workspace: workspaces[1] as Workspace }
    await here.ask(({ provisionMerchant }) =>
      provisionMerchant(partner, { name, email, country: "NL", category: null })
    )
    now += minute
  }

  // A day of payments, and in the middle of it Stripe's worse hours.
  for (let number = 0; number < 280; number++) {
    const isWorse = number > 120 && number < 170
    declineRates = { stripe: isWorse ? 0.3 : 0.05, adyen: 0.08 }
    await pay(5, {
      reference: `order-${20_100 + number}`,
      amount: 790 + Math.floor(random() * 6_000),
      country: random() < 0.6 ? "NL" : "DE",
      brand: random() < 0.6 ? "visa" : "mastercard",
      initiator: random() < 0.5 ? "mit" : "cit"
    })
    if (number === 140) await pay(1, { reference: "gift-card-118", amount: 21_900 }, unanswered)
  }
  declineRates = {}
  await deliver(here, 200, tenant)
  await learn()

  await pay(20, { reference: "order-20401", amount: 5_490, brand: "mastercard", country: "DE" })
  const large = await pay(4, { reference: "order-20402", amount: 128_000 })
  await pay(3, { reference: "order-20403", amount: 1_290 }, declined("insufficient_funds", "51"))
  const damaged = await pay(
    2,
    { reference: "order-20404", amount: 4_780, country: "DE" },
    declined("issuer_unavailable", "91")
  )
  const returned = await pay(5, { reference: "order-20405", amount: 2_150, currency: "GBP", country: "GB" })
  const cancelled = await pay(2, { reference: "order-20406", amount: 8_900, isManual: true })
  await pay(4, { reference: "subscription-77", amount: 1_499, initiator: "mit", brand: "mastercard" })
  const pending = await pay(
    1,
    { reference: "order-20407", amount: 3_600, country: "BE" },
    { _tag: "Pending", providerRef: "stripe_pending20407" }
  )
  await pay(3, { reference: "order-20408", amount: 15_900, isManual: true, brand: "mastercard" })
  const lost = await pay(4, { reference: "order-20409", amount: 7_450 }, unanswered)
  await pay(6, { reference: "order-20410", amount: 2_490, returnUrl: "https://shop.nordwind.example/thanks" })
  await pay(2, { reference: "order-20411", amount: 3_200, currency: "USD", country: "US" })
  now += 4 * minute
  const jo = await here.signInAgain("jo@nordwind.example")
  await act(jo, `${api}/payments/${damaged.id}/refunds`, { amount: 1_500, reason: "One bag arrived damaged" })
  await act(jo, `${api}/payments/${returned.id}/refunds`, { reason: "Returned" })
  await act(jo, `${api}/payments/${cancelled.id}/void`)
  await deliver(here, 200, tenant)
  await learn()

  const attemptOf = async (id: string) => (await here.ask(({ paymentFile }) => paymentFile(tenant, id))).attempts[0]
  const attempt = await attemptOf(pending.id)
  now += 3 * minute
  await receive(
    attempt?.connectionId ?? "",
    JSON.stringify({ id: "evt_3Q8fPENDING", type: "charge.captured", data: { reference: "order-20407" } }),
    {
      id: "evt_3Q8fPENDING",
      at: null,
      about: {
        _tag: "Charge",
        charge: { attemptId: attempt?.id ?? "" },
        state: (stated) => ({ _tag: "Captured", providerRef: "stripe_pending20407", stated })
      }
    }
  )
  await receive(
    "adyen-nl",
    JSON.stringify({
      eventCode: "OFFER_CLOSED",
      eventDate: "2026-11-24T14:31:07+01:00",
      merchantReference: "order-20402",
      paymentMethod: "mc",
      success: "true"
    }),
    null,
    "eventCode"
  )
  await addReports({ run: here.run, now, disputed: [large, damaged] })
  await deliver(here, 410, tenant)

  const ann = await here.signInAgain("ann@nordwind.example")
  for (const [name, scopes] of [
    ["Shop", ["payments:write", "payments:read"]],
    ["Bookkeeping", ["payments:read"]]
  ] as const) {
    const { draft } = (await bodyOf(await here.send(`${api}/key-draft`, { cookie: ann }))).data
    await act(ann, `${api}/keys`, { draft, name, scopes })
  }
  return { here, damaged, large, lost, now, tenant }
}
