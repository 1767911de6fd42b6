/** What a stranger's compiler sees of this package: the API's own shapes. The build refuses types of Effect. */
import type * as Configuration from "@pointsman/configuration"
import type * as Core from "@pointsman/core"
import { openApiDocument } from "@pointsman/http"
import type * as Api from "@pointsman/http/api"
import { assert, it } from "vitest"
import type {
  Attempt,
  CreatePayment,
  DeclineCategory,
  DeliveryAttempt,
  Event,
  EventOf,
  EventType,
  Payment,
  Workspace
} from "../src/index.ts"

it("these types are the same as the API's shapes", () => {
  const same = <A, B>(_there: (a: A) => B, _back: (b: B) => A) => true
  assert.isTrue(
    same<Api.Payment, Payment>(
      (api) => api,
      (payment) => payment
    )
  )
  // The API's type names no fields: each of these types is one of its events.
  const asApi = (event: Event): Api.Event => event
  assert.isFunction(asApi)
  assert.isTrue(
    same<Core.EventType, EventType>(
      (core) => core,
      (type) => type
    )
  )
  // What may be written here may be written there; a token is redacted only once it was read.
  const createTo = (order: CreatePayment): typeof Api.CreatePayment.Encoded => order
  const createBack = (order: typeof Api.CreatePayment.Encoded): CreatePayment => order
  assert.isTrue(same(createTo, createBack))
  /** Every field of the configuration file, and no other. */
  type Names<A> = { readonly [Name in keyof A]-?: true }
  const names = (workspace: Names<Workspace>): Names<Configuration.WorkspaceFile> => workspace
  const back = (workspace: Names<Configuration.WorkspaceFile>): Names<Workspace> => workspace
  assert.isTrue(same(names, back))
})

/** The fields of `data` by type: a field more or less does not compile. */
type Fields = { readonly [Type in EventType]: { readonly [Name in keyof EventOf<Type>["data"]]-?: true } }

const payment = {
  payment_id: true,
  reference: true,
  payment_status: true,
  environment: true,
  amount: true,
  currency: true,
  metadata: true
} as const
const operationFailed = { ...payment, operation_id: true, failure_reason: true, captured_amount: true } as const
const refund = {
  ...payment,
  refund_id: true,
  refund_amount: true,
  origin: true,
  refunded_total: true,
  refund_pending_amount: true
} as const

const dispute = {
  ...payment,
  dispute_id: true,
  dispute_status: true,
  dispute_amount: true,
  dispute_currency: true,
  dispute_reason: true,
  evidence_due_by: true
} as const

const fields: Fields = {
  "payment.created": payment,
  "payment.requires_action": payment,
  "payment.pending": payment,
  "payment.authorized": payment,
  "payment.captured": { ...payment, captured_amount: true },
  "payment.declined": { ...payment, decline_category: true, decline_code: true, decline: true },
  "payment.failed": payment,
  "payment.unknown": payment,
  "payment.cancelled": { ...payment, origin: true },
  "payment.capture_failed": operationFailed,
  "payment.void_failed": operationFailed,
  "payment.capture_unknown": payment,
  "payment.void_unknown": payment,
  "payment.refund_pending": refund,
  "payment.refund_unknown": refund,
  "payment.refunded": refund,
  "payment.refund_failed": { ...refund, failure_reason: true },
  "payment.settled": payment,
  "payment.chargeback": payment,
  "payment.chargeback_reversed": payment,
  "payment.conflict": {
    ...refund,
    stated: true,
    operation_id: true,
    dispute_id: true,
    dispute_status: true,
    capture_id: true,
    provider_refund_id: true,
    stated_amount: true,
    stated_currency: true,
    failure_reason: true,
    reason: true,
    other_refund_id: true,
    account: true,
    current_account: true,
    attempt_id: true,
    connection_id: true,
    provider_reference: true,
    other_payment_id: true
  },
  "payment.amount_mismatch": { ...payment, stated_amount: true, stated_currency: true, captured_amount: true },
  "payment.reviewed": {
    ...payment,
    reviewed_by: true,
    approved_by: true,
    evidence: true,
    evidence_sha256: true,
    evidence_reference: true,
    finding: true
  },
  "dispute.opened": dispute,
  "dispute.updated": dispute,
  "dispute.evidence_due": { ...dispute, days: true },
  "dispute.submitted": dispute,
  "dispute.won": dispute,
  "dispute.lost": dispute,
  "dispute.accepted": dispute
}

it("each type of event has the same fields as the contract's webhooks", () => {
  // biome-ignore lint/suspicious/noExplicitAny: the document is JSON.
  const document = openApiDocument() as any
  assert.sameMembers(Object.keys(fields), Object.keys(document.webhooks))
  for (const [type, names] of Object.entries(fields)) {
    const body = document.webhooks[type].post.requestBody.content["application/json"].schema
    const schema = document.components.schemas[body.properties.data.$ref.split("/").at(-1)]
    assert.sameMembers(Object.keys(names), Object.keys(schema.properties), type)
  }
})

it("the fields of an event or an attempt are known by its type or outcome", () => {
  const categoryOf = (event: Event): DeclineCategory | null => {
    // @ts-expect-error Not every event is a decline.
    event.data.decline_category
    // @ts-expect-error There is no such type.
    if (event.type === "payment.lost") return null
    return event.type === "payment.declined" ? event.data.decline_category : null
  }
  const refundedOf = (event: Event): number => {
    switch (event.type) {
      case "payment.refunded":
      case "payment.refund_failed":
        return event.data.refunded_total
      default:
        return event.data.amount
    }
  }
  const answeredAt = (attempt: Attempt): string => {
    if (attempt.outcome === null || attempt.outcome === "unanswered" || attempt.outcome === "abandoned") {
      const never: null = attempt.answered_at
      return String(never)
    }
    return attempt.answered_at
  }
  const statusOf = (attempt: DeliveryAttempt): number | string =>
    attempt.response_status !== null ? attempt.response_status : (attempt.failure ?? "in flight")
  for (const check of [categoryOf, refundedOf, answeredAt, statusOf]) assert.isFunction(check)
})
