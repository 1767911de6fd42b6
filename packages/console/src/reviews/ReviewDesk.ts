/** What operations read of payments under review, and state about them, through core's door. The pages and the API share it. */
import { type OperatorStatement, type Payment, Pointsman, type Review } from "@pointsman/core"
import { CardNumbers, InProcess } from "@pointsman/http"
import { Effect } from "effect"
import { failure } from "../api/Errors.ts"
import { internalError } from "../Failures.ts"
import { callerOf, type TenantPath } from "../gate/Caller.ts"
import { CurrentOperator } from "../gate/CurrentOperator.ts"
import { type PaymentPath, paymentNotFound } from "../payments/PaymentDesk.ts"
import { readRevision } from "./ReviewRecords.ts"
import { statementExpectations } from "./Statements.ts"

const { validationErrorOf } = InProcess

export const reviewOrders = ["age", "amount"] as const
export type ReviewOrder = (typeof reviewOrders)[number]

/** The longest waiting first, or the largest amount of each currency. `after`: the cursor of the page before. */
export const reviews = Effect.fnUntraced(function* (
  path: TenantPath,
  { after, limit, order }: { readonly after?: string | undefined; readonly limit: number; readonly order: ReviewOrder }
) {
  const { tenant } = yield* callerOf(path)
  const place = after === undefined ? {} : placeOf[order](after)
  if (place === undefined) {
    return yield* Effect.fail(validationErrorOf("`after` must be the `next_cursor` of the previous page"))
  }
  const asked = { tenant, limit, ...(order === "amount" ? { byAmount: {} } : {}), ...place }
  const page = yield* Effect.catch((yield* Pointsman).reviews(asked), internalError)
  const items = page.items.flatMap(
    (payment): ReadonlyArray<Waiting> => (payment.review === null ? [] : [{ payment, review: payment.review }])
  )
  const last = items.at(-1)
  const next = page.hasMore && last !== undefined ? cursorOf[order](last) : null
  return { items, next }
})

interface Waiting {
  readonly payment: Payment
  readonly review: Review
}

const cursorOf = {
  age: ({ payment, review }: Waiting) => `${review.since}_${payment.id}`,
  amount: ({ payment: { id, money } }: Waiting) => `${money.currency}${money.minorUnits}_${id}`
}

const placeOf = {
  age: (cursor: string) => {
    const [, since, paymentId] = /^(\d{1,15})_([0-9a-f-]{36})$/u.exec(cursor) ?? []
    return since === undefined || paymentId === undefined ? undefined : { after: { since: Number(since), paymentId } }
  },
  amount: (cursor: string) => {
    const [, currency, digits, paymentId] = /^([A-Z]{3})(\d{1,15})_([0-9a-f-]{36})$/u.exec(cursor) ?? []
    return currency === undefined || paymentId === undefined
      ? undefined
      : { byAmount: { after: { money: { currency, minorUnits: Number(digits) }, paymentId } } }
  }
}

export const reviewFile = Effect.fnUntraced(function* (path: PaymentPath) {
  const { tenant } = yield* callerOf(path)
  return yield* (yield* Pointsman).reviewFile(tenant, path.payment).pipe(
    Effect.catchTags({
      "pointsman/PaymentNotFound": () => Effect.fail(paymentNotFound),
      "pointsman/StorageError": internalError
    })
  )
})

export interface EvidenceOrder {
  readonly stated: OperatorStatement
  readonly evidence: string
  readonly revision: string
}

/** Under the operator's name. A repeated order is recorded once: it names the record that it is based on. */
export const settle = Effect.fnUntraced(function* (path: PaymentPath, { evidence, revision, stated }: EvidenceOrder) {
  const { tenant } = yield* callerOf(path)
  const { operator } = yield* CurrentOperator
  const basedOn = readRevision(revision)
  if (basedOn === undefined) {
    return yield* Effect.fail(validationErrorOf(`\`revision\` must be ${statementExpectations.revision}`))
  }
  // It is stored, and sent out in an event.
  yield* CardNumbers.refuseCardNumbers({ evidence })
  const order = { tenant, paymentId: path.payment, stated, evidence, by: operator.displayName, basedOn }
  return yield* (yield* Pointsman).resolveReview(order).pipe(
    Effect.catchTags({
      "pointsman/PaymentNotFound": () => Effect.fail(paymentNotFound),
      "pointsman/StatementRefused": ({ field, reason }) =>
        Effect.fail(
          field === "stated"
            ? failure("statement_refused", `Nothing was recorded: ${reason}.`)
            : failure("validation_error", `\`${field === "amountMinor" ? "amount" : field}\`: ${reason}.`)
        ),
      // A repeat is recorded once, so that trying again is safe.
      "pointsman/StorageError": internalError
    })
  )
})
