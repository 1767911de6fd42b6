/** Payments on hosted pages: how they are created, found and watched. */
import { assert } from "@effect/vitest"
import {
  type Attempt,
  type Brand,
  type Caller,
  type Connection,
  type CreateRequest,
  type Payment,
  Pointsman,
  type Tenant
} from "@pointsman/core"
import { applyChargeFact } from "@pointsman/core/internal"
import { type CheckoutOpened, Directory, Ledger } from "@pointsman/core/ports"
import { Effect, Option, Result } from "effect"
import { caller, request, tenant, type World, workspace } from "./World.ts"

export const minute = 60_000
export const hour = 60 * minute
/** For how long a page can be acted on. */
export const pageMillis = 30 * minute

export const returnUrl = "https://shop.example/thanks"
export const cancelUrl = "https://shop.example/cart"
/** Where the provider sends the customer back to. */
export const comeBack = "https://pay.example/hosted/token/return"

export const live: Tenant = { workspaceId: tenant.workspaceId, environment: "production" }
export const liveCaller: Caller = { tenant: live, workspace }
export const liveConnections: ReadonlyArray<Partial<Connection> & { readonly id: string }> = [
  { id: "main", environment: "production" },
  { id: "backup", environment: "production" }
]

export const hosted = (change: Partial<CreateRequest> = {}): CreateRequest =>
  request({ returnUrl, cancelUrl, ...change })

/** What a provider answers that opened a checkout: one without an end, unless told otherwise. */
export const checkoutOpened = (change: Partial<CheckoutOpened> = {}): CheckoutOpened => ({
  ...{ _tag: "CheckoutOpened", reference: "co_1", url: "https://provider.example/pay/1", expiresAt: null },
  ...change
})

/** A new payment that waits for its customer, and the token of its page. */
export const paged = Effect.fnUntraced(function* (by: Caller = caller, change: Partial<CreateRequest> = {}) {
  const pointsman = yield* Pointsman
  const { payment } = yield* pointsman.create(by, hosted(change))
  return { payment, token: yield* pointsman.pageToken(payment.id) }
})

/** As it is stored, whether or not its page is over. */
export const stored = Effect.fnUntraced(function* (of: Pick<Payment, "id" | "tenant">) {
  const ledger = yield* Ledger
  return Option.getOrThrow(yield* ledger.payment(of.tenant, of.id))
})

/** The id of its first attempt, of those that its decision lists. */
export const attemptIdOf = ({ routing }: Pick<Payment, "routing">) => routing?.attempts[0]?.attemptId ?? ""

export const attemptsOf = Effect.fnUntraced(function* (of: Payment) {
  const ledger = yield* Ledger
  return yield* ledger.attempts(of.tenant, of.id)
})

export const bookOf = Effect.fnUntraced(function* (of: Pick<Payment, "id" | "tenant">) {
  const ledger = yield* Ledger
  return Option.getOrThrow(yield* ledger.book(of.tenant, of.id))
})

/** The payment that was created last. */
export const newest = Effect.gen(function* () {
  const [payment] = yield* (yield* Ledger).payments(tenant, { limit: 1 })
  return payment ?? assert.fail("no payment is stored")
})

export const outcomesOf = (of: Payment) =>
  Effect.map(attemptsOf(of), (attempts) => attempts.map(({ outcome }: Attempt) => outcome))

export const typesOf = Effect.fnUntraced(function* (of: Pick<Payment, "id" | "tenant">) {
  const ledger = yield* Ledger
  return (yield* ledger.timeline(of.tenant, of.id, { limit: 50 })).map(({ type }) => type)
})

export const suspend = Effect.gen(function* () {
  const directory = yield* Directory
  yield* directory.write({ ...(yield* directory.contents), workspaces: [{ ...workspace, suspended: true }] })
})

export const giveBrand = Effect.fnUntraced(function* (brand: Brand) {
  const directory = yield* Directory
  yield* directory.write({ ...(yield* directory.contents), workspaces: [{ ...workspace, brand }] })
})

/** As a configuration does that says otherwise of connections. */
export const changeConnections = Effect.fnUntraced(function* (to: (connection: Connection) => Connection) {
  const directory = yield* Directory
  const { connections, ...contents } = yield* directory.contents
  yield* directory.write({ ...contents, connections: connections.map(to) })
})

export const deactivateAll = changeConnections((connection) => ({ ...connection, active: false }))

/** A write of another process, on what is stored now. */
export const anotherWriter = (of: Payment, fact: Parameters<typeof applyChargeFact>[1]) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const now = Option.getOrThrow(yield* ledger.payment(of.tenant, of.id))
    const moved = Result.getOrThrow(applyChargeFact(now, fact, now.updatedAt))
    yield* ledger.commit({
      tenant: of.tenant,
      payment: { expected: now.version, after: moved.payment },
      attempts: [],
      events: moved.events
    })
  }).pipe(Effect.orDie)

/** Has another process write before our commit of that number, on the same payment. */
export const anotherBefore = (own: World, commit: number, fact: Parameters<typeof applyChargeFact>[1]) =>
  Effect.map(Ledger, (ledger) => {
    own.ledger.beforeCommit = (number, { payment: { after } }) =>
      number === commit ? Effect.provideService(anotherWriter(after, fact), Ledger, ledger) : Effect.void
  })
