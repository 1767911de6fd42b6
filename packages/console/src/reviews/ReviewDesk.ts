/** What operations read of payments under review, and state about them, through core's door. The pages and the API share it. */
import {
  type CardNumberFound,
  type CorrectionFailure,
  type DecidedCorrection,
  type OperatorStatement,
  openCorrection,
  type Payment,
  Pointsman,
  type Review
} from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import { failure, internalError, told } from "../api/Errors.ts"
import { callerOf, currentPerson, type TenantPath } from "../gate/Caller.ts"
import { takeRecentSignIn } from "../gate/RecentSignIn.ts"
import type { PaymentPath } from "../payments/PaymentDesk.ts"
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
  return yield* (yield* Pointsman).reviewFile(tenant, path.payment).pipe(told)
})

export interface EvidenceOrder {
  readonly stated: OperatorStatement
  readonly evidence: string
  readonly revision: string
  readonly fileHash?: string | undefined
  readonly providerReference?: string | undefined
}

/** The fields of an order, as the API names them. */
const fieldNames = {
  stated: "statement",
  evidence: "evidence",
  by: "by",
  amountMinor: "amount",
  fileHash: "file_sha256",
  providerReference: "evidence_reference"
} as const

/**
 * Under the operator's name. A repeated order is recorded once: it names the record that it is based on. Where a second
 * person is needed, `proposed` is the statement, and nothing else of the payment changed.
 */
export const settle = Effect.fnUntraced(function* (path: PaymentPath, order: EvidenceOrder) {
  const { evidence, fileHash, providerReference, revision, stated } = order
  const { tenant } = yield* callerOf(path)
  const person = yield* currentPerson
  const basedOn = readRevision(revision)
  if (basedOn === undefined) {
    return yield* Effect.fail(validationErrorOf(`\`revision\` must be ${statementExpectations.revision}`))
  }
  const seen = { evidence, by: person.name, fileHash, providerReference }
  const statement = { tenant, paymentId: path.payment, stated, basedOn, person, ...seen }
  return yield* (yield* Pointsman).resolveReview(statement).pipe(
    Effect.map((payment) => ({ payment, proposed: openCorrection(payment) ?? null })),
    Effect.catchTags({
      "pointsman/CardNumberFound": (found) =>
        Effect.fail(InProcess.cardNumberBody(found, { provider_reference: fieldNames.providerReference })),
      "pointsman/StatementRefused": ({ field, reason }) =>
        Effect.fail(
          field === "stated"
            ? failure("statement_refused", `Nothing was recorded: ${reason}.`)
            : failure("validation_error", `\`${fieldNames[field]}\`: ${reason}.`)
        )
      // A repeat is recorded once, so that trying again is safe.
    }),
    told
  )
})

/** Corrections of the tenant that wait for a second person. */
export const proposals = Effect.fnUntraced(function* (path: TenantPath) {
  const { tenant } = yield* callerOf(path)
  const found = yield* Effect.catch((yield* Pointsman).proposals(tenant), internalError)
  return found.flatMap((payment) => {
    const correction = openCorrection(payment)
    return correction === undefined ? [] : [{ payment, correction }]
  })
})

export interface CorrectionPath extends PaymentPath {
  readonly correction: string
}

const orderOf = Effect.fnUntraced(function* ({ correction, ...path }: CorrectionPath) {
  const { tenant } = yield* callerOf(path)
  return { tenant, paymentId: path.payment, correctionId: correction, by: yield* currentPerson }
})

const decided = (decision: Effect.Effect<DecidedCorrection, CardNumberFound | CorrectionFailure>) =>
  decision.pipe(
    Effect.catchTags({
      "pointsman/CardNumberFound": (found) => Effect.fail(InProcess.cardNumberBody(found)),
      "pointsman/CorrectionNotFound": () => Effect.fail(failure("not_found", "The payment has no such correction.")),
      "pointsman/CorrectionRefused": ({ field, reason }) =>
        Effect.fail(
          field === "reason"
            ? failure("validation_error", `\`reason\`: ${reason}.`)
            : failure("correction_refused", `Nothing was changed: ${reason}.`)
        )
      // A repeat is recorded once, so that trying again is safe.
    }),
    told
  )

export const approve = Effect.fnUntraced(function* (path: CorrectionPath) {
  yield* takeRecentSignIn
  const order = yield* orderOf(path)
  return yield* decided((yield* Pointsman).approveCorrection(order))
})

export const reject = Effect.fnUntraced(function* (path: CorrectionPath, reason: string) {
  const order = yield* orderOf(path)
  return yield* decided((yield* Pointsman).rejectCorrection({ ...order, reason }))
})

export const withdraw = Effect.fnUntraced(function* (path: CorrectionPath) {
  const order = yield* orderOf(path)
  return yield* decided((yield* Pointsman).withdrawCorrection(order))
})
