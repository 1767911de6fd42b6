/** What an operator reads of payments and does to them, through core's door. The pages and the API share it. */
import { type Page, type Payment, Pointsman } from "@pointsman/core"
import type { PaymentFilter, PaymentQuery } from "@pointsman/core/ports"
import { decodeRefund, type FailureOf, InProcess, wordedBodyOf } from "@pointsman/http"
import { Cause, Effect } from "effect"
import { failure, internalError, told } from "../api/Errors.ts"
import { callerOf, currentPerson, type TenantPath } from "../gate/Caller.ts"
import { OpenResponses } from "../gate/OpenResponses.ts"
import { takeRecentSignInFor } from "../gate/RecentSignIn.ts"
import { ConsoleSettings } from "../gate/Settings.ts"
import { fileView } from "./PaymentViews.ts"
import { comparedBy, meaningsOf } from "./SearchText.ts"

export interface PaymentPath extends TenantPath {
  readonly payment: string
}

const tooManySearches = failure(
  "too_many_requests",
  "Four searches of this workspace are under way. Try again in a moment."
)

export const payments = Effect.fnUntraced(function* (path: TenantPath, query: PaymentQuery) {
  const { tenant } = yield* callerOf(path)
  return yield* (yield* Pointsman)
    .payments(tenant, query)
    .pipe(Effect.catch(internalError), InProcess.withSearchPlace(yield* OpenResponses, tenant, query, tooManySearches))
})

/** Whether the text is the id of a payment: a merchant's reference may have the same form. */
export const isPayment = Effect.fnUntraced(function* (path: TenantPath, text: string) {
  const { tenant } = yield* callerOf(path)
  return yield* (yield* Pointsman).payment(tenant, text).pipe(
    Effect.as(true),
    Effect.catchTags({
      "pointsman/PaymentNotFound": () => Effect.succeed(false),
      "pointsman/StorageError": internalError
    })
  )
})

/** What the text may mean, of the payments that the filter finds. */
const filtersOf = (text: string, filter: PaymentFilter): ReadonlyArray<PaymentFilter> =>
  meaningsOf(text)
    .filter(({ currency }) => currency === undefined || currency === (filter.currency ?? currency))
    .map((meaning) => ({ ...filter, ...meaning }))

/**
 * The payments of the first meaning of the text that finds any. The next page has the same meaning: those before it found
 * nothing at all. Where none found any yet, and some may, the next page begins where the first of them ended.
 * `compared`: what was searched, the last of which found them.
 */
export const search = Effect.fnUntraced(function* (
  path: TenantPath,
  text: string,
  { before, limit, ...filter }: PaymentQuery
) {
  let none: Page<Payment> = { items: [], hasMore: false }
  const compared: Array<string> = []
  for (const meaning of filtersOf(text, filter)) {
    const found = yield* payments(path, { ...meaning, before, limit })
    compared.push(...comparedBy(meaning))
    if (found.items.length > 0) return { ...found, compared }
    if ((found.walkedTo ?? "") > (none.walkedTo ?? "")) none = found
  }
  return { ...none, compared }
})

/** The filter of what `search` finds. Where it finds nothing, that of the text's first meaning. */
export const searchFilter = Effect.fnUntraced(function* (path: TenantPath, text: string, filter: PaymentFilter) {
  const filters = filtersOf(text, filter)
  let mayFind: PaymentFilter | undefined
  for (const meaning of filters) {
    const { items, walkedTo } = yield* payments(path, { ...meaning, limit: 1 })
    if (items.length > 0) return meaning
    if (walkedTo !== undefined) mayFind ??= meaning
  }
  return mayFind ?? filters[0] ?? { ...filter, states: [] }
})

export const paymentFile = Effect.fnUntraced(function* (path: PaymentPath) {
  const { tenant } = yield* callerOf(path)
  const pointsman = yield* Pointsman
  const views = yield* InProcess.PaymentViews
  return yield* pointsman.payment(tenant, path.payment).pipe(
    Effect.andThen(pointsman.paymentFile(tenant, path.payment)),
    Effect.flatMap((file) =>
      Effect.map(views.payment(file.payment, false), (payment) => ({ file, view: fileView(file, payment) }))
    ),
    told
  )
})

/** Why it went where it went: what decided, in sentences. */
export const explainedRouting = Effect.fnUntraced(function* (path: PaymentPath) {
  const { tenant } = yield* callerOf(path)
  return yield* (yield* Pointsman).explainRouting(tenant, path.payment).pipe(told)
})

/** The reason is stored and sent out in events: it is checked as one of the payment API is. */
export const checkedRefund = (body: unknown) => decodeRefund(body)

export interface MoneyOrder {
  /** Minor units; `null` for all of it. */
  readonly amountMinor: number | null
  readonly idempotencyKey: string
}

export const capture = Effect.fnUntraced(function* (path: PaymentPath, order: MoneyOrder) {
  const caller = yield* callerOf(path)
  return yield* (yield* Pointsman).capture(caller, { paymentId: path.payment, ...order }).pipe(
    Effect.tapError(reportFailure),
    Effect.mapError((reason) => wordedBodyOf("capture", reason))
  )
})

export const voidPayment = Effect.fnUntraced(function* (path: PaymentPath, { idempotencyKey }: MoneyOrder) {
  const caller = yield* callerOf(path)
  return yield* (yield* Pointsman).void(caller, { paymentId: path.payment, idempotencyKey }).pipe(
    Effect.tapError(reportFailure),
    Effect.mapError((reason) => wordedBodyOf("void", reason))
  )
})

/** Above the limit it is `proposed`, and nothing is sent. */
export const refund = Effect.fnUntraced(function* (
  path: PaymentPath,
  order: MoneyOrder & { readonly reason: string | null }
) {
  const caller = yield* callerOf(path)
  const person = yield* currentPerson
  const payment = Effect.map(paymentFile(path), ({ file }) => file.payment)
  yield* takeRecentSignInFor(payment, order.amountMinor)
  const { refundLimits: limits } = yield* ConsoleSettings
  const pointsman = yield* Pointsman
  return yield* refunded(pointsman.refundByOperator(caller, { paymentId: path.payment, person, limits, ...order }))
})

/** Proposed whatever its amount. It takes no recent sign-in: the operator who approves it has one. */
export const draftRefund = Effect.fnUntraced(function* (
  path: PaymentPath,
  order: MoneyOrder & { readonly reason: string | null }
) {
  const caller = yield* callerOf(path)
  const person = yield* currentPerson
  return yield* refunded((yield* Pointsman).draftRefund(caller, { paymentId: path.payment, person, ...order }))
})

const refunded = (refunding: ReturnType<(typeof Pointsman)["Service"]["refundByOperator"]>) =>
  refunding.pipe(
    Effect.catchTag("pointsman/CorrectionRefused", ({ reason }) =>
      Effect.fail(failure("correction_refused", `Nothing was sent: ${reason}.`))
    ),
    Effect.tapError((reason) => ("_tag" in reason ? reportFailure(reason) : Effect.void)),
    Effect.mapError((reason) => ("_tag" in reason ? wordedBodyOf("refund", reason) : reason))
  )

type MoneyFailure = FailureOf<"capture" | "void" | "refund">

const reportFailure = (reason: MoneyFailure) =>
  reason._tag === "pointsman/NothingSent" ? Effect.logError(reason._tag, Cause.die(reason.cause)) : Effect.void
