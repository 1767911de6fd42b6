/** A hosted page is found by the hash of its token, whichever tenant owns it, and by nothing else. */
import { expect } from "@effect/vitest"
import type { HostedPage, Tenant } from "@pointsman/core"
import { Machine } from "@pointsman/core/internal"
import { Effect, Option } from "effect"
import { blank, dies, firstChange, fresh, moveAlong, newTenant, rowOf, written } from "./Given.ts"
import { chapter } from "./StorageTest.ts"

const newPage = Effect.map(
  fresh("token-"),
  (token): HostedPage => ({
    tokenHash: `hash-of-${token}`,
    returnUrl: `https://shop.example/back?of=${token}`,
    cancelUrl: null,
    expiresAt: 1_800_000
  })
)

/** A payment that awaits its customer on the page. */
const awaiting = Effect.fnUntraced(function* (tenant: Tenant, hosted: HostedPage) {
  const start = yield* blank(tenant)
  const payment = { ...start.payment, hosted }
  return yield* moveAlong({ ...start, payment }, rowOf(Machine.Start, "CustomerAwaited"))
})

export const hostedPages = chapter("hosted pages", (it) => {
  it("a page's hash finds its payment among several tenants", function* ({ ledger }) {
    for (const environment of ["sandbox", "production"] as const) {
      const page = yield* newPage
      const { after, change } = yield* written(awaiting(yield* newTenant(environment), page))
      expect(yield* ledger.paymentOfPage(page.tokenHash)).toStrictEqual(Option.some(after.payment))
      expect(yield* ledger.payment(change.tenant, after.payment.id)).toStrictEqual(Option.some(after.payment))
    }
  })

  it("a page is found by its hash only", function* ({ ledger, tenant }) {
    const page = yield* newPage
    const { after } = yield* written(awaiting(tenant, page))
    yield* written(firstChange(tenant))
    const { tokenHash } = page
    const alike = [tokenHash.slice(0, -1), `${tokenHash} `, `${tokenHash}\u0000`, tokenHash.toUpperCase()]
    const named = [tokenHash.replace("hash-of-", ""), after.payment.id, page.returnUrl ?? ""]
    for (const other of ["", "null", "%", ...alike, ...named]) {
      expect(yield* ledger.paymentOfPage(other)).toEqual(Option.none())
    }
  })

  it("a page shows its payment as it is now", function* ({ ledger, tenant }) {
    const page = yield* newPage
    const first = yield* written(awaiting(tenant, page))
    const { after } = yield* written(moveAlong(first.after, rowOf("AwaitingCustomer", "ChargeSent")))
    expect(yield* ledger.paymentOfPage(page.tokenHash)).toStrictEqual(Option.some(after.payment))
  })

  it("the first page is found no more when its payment is written with another", function* ({ ledger, tenant }) {
    const [page, next] = [yield* newPage, yield* newPage]
    const first = yield* written(awaiting(tenant, page))
    const { change } = yield* moveAlong(first.after, rowOf("AwaitingCustomer", "ChargeSent"))
    const after = { ...change.payment.after, hosted: next }
    yield* ledger.commit({ ...change, payment: { ...change.payment, after } })
    expect(yield* ledger.paymentOfPage(page.tokenHash)).toEqual(Option.none())
    expect(yield* ledger.paymentOfPage(next.tokenHash)).toStrictEqual(Option.some(after))
  })

  it("another payment with a page's hash, of any tenant, dies and writes nothing", function* ({ ledger, tenant }) {
    const page = yield* newPage
    const { after } = yield* written(awaiting(tenant, page))
    for (const owner of [tenant, yield* newTenant()]) {
      const second = yield* awaiting(owner, page)
      yield* dies(second.change)
    }
    expect(yield* ledger.paymentOfPage(page.tokenHash)).toStrictEqual(Option.some(after.payment))
  })
})
