/** Making, moving and reading payments. */
import { Effect, Stream } from "effect"
import {
  type Caller,
  type Created,
  type CreateRequest,
  type KeyReused,
  NothingSent,
  type PaymentResultUnknown,
  type RequestInProgress,
  type RoutingFailed
} from "../decide/CreateRequest.ts"
import type {
  Answered,
  CaptureOrder,
  InvalidAmount,
  NoProviderRef,
  NotCapturable,
  NotRefundable,
  NotVoidable,
  ProviderRefused,
  RefundOrder,
  RefundPending,
  ResultUnknown,
  StateConflict,
  StateUnconfirmed,
  TakenByAnother,
  Unsupported,
  VoidOrder
} from "../decide/OperationOrder.ts"
import type { Event } from "../model/Event.ts"
import type { Payment } from "../model/Payment.ts"
import type { Refund } from "../model/Refund.ts"
import type { Tenant } from "../model/Tenant.ts"
import type { AuditAction } from "../ports/Audit.ts"
import {
  type ApiKeyRevoked,
  type EventQuery,
  Ledger,
  type PaymentFilter,
  type PaymentQuery,
  type TimelineQuery,
  type UsageQuery
} from "../ports/Ledger.ts"
import type { NotAdmitted } from "../ports/StorageCondition.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { create } from "../verbs/create/CreatePayment.ts"
import { capture, voidPayment } from "../verbs/operate/OperatePayment.ts"
import { auditedFilter, exportPayments } from "../verbs/read/ExportPayments.ts"
import { archivedPayment, type PaymentArchived, PaymentNotFound, refuseArchived } from "../verbs/read/ReadArchive.ts"
import { events, type Page, payment, payments, paymentWithRefunds, timeline } from "../verbs/read/ReadPayments.ts"
import { refund } from "../verbs/refund/RefundPayment.ts"
import { type PaymentFile, paymentFile } from "../verbs/review/ReadReviews.ts"
import {
  draftRefund,
  type OperatorRefund,
  type RefundDraft,
  type RefundedOrProposed,
  refundByOperator
} from "../verbs/review/RefundByOperator.ts"
import type { CorrectionRefused } from "../verbs/review/SecondPerson.ts"
import { actsOf, type DoorContext, type DoorServices, requests } from "./DoorContext.ts"
import { type CardNumberFound, storing, textsOfCreate } from "./StoredTexts.ts"

export type CreateFailure =
  | CardNumberFound
  | RoutingFailed
  | KeyReused
  | RequestInProgress
  | NotAdmitted
  | NothingSent
  | PaymentResultUnknown
  | ApiKeyRevoked

/** What capturing and voiding share. */
type OperationFailure =
  | PaymentNotFound
  | PaymentArchived
  | KeyReused
  | TakenByAnother
  | ProviderRefused
  | ResultUnknown
  | StateUnconfirmed
  | NotAdmitted
  | NothingSent
  | ApiKeyRevoked

export type VoidFailure =
  | OperationFailure
  | NotVoidable
  | RequestInProgress
  | NoProviderRef
  | Unsupported
  | StateConflict

export type CaptureFailure = Exclude<VoidFailure, NotVoidable> | NotCapturable | InvalidAmount

export type RefundFailure = OperationFailure | CardNumberFound | NotRefundable | RefundPending | InvalidAmount

export interface PaymentMethods {
  /** Routes and charges a payment. Once claimed it runs to its end, also when the caller is interrupted. */
  readonly create: (caller: Caller, request: CreateRequest) => Effect.Effect<Created, CreateFailure>
  /** Takes the money of an authorization, or part of it. Once claimed it runs to its end. */
  readonly capture: (caller: Caller, order: CaptureOrder) => Effect.Effect<Answered, CaptureFailure>
  /** Releases an authorization. Once claimed it runs to its end. */
  readonly void: (caller: Caller, order: VoidOrder) => Effect.Effect<Answered, VoidFailure>
  /** Gives captured money back. It succeeds where the provider confirmed. Once claimed it runs to its end. */
  readonly refund: (caller: Caller, order: RefundOrder) => Effect.Effect<Answered, RefundFailure>
  /**
   * The same by an operator. Above the limit it is proposed instead, and sent once another person approves it
   * (`approveCorrection`): nothing else of the payment changes before.
   */
  readonly refundByOperator: (
    caller: Caller,
    order: OperatorRefund
  ) => Effect.Effect<RefundedOrProposed, RefundFailure | CorrectionRefused>
  /** Proposed whatever its amount, and sent as above. Nothing is sent now, also where no connector is installed. */
  readonly draftRefund: (
    caller: Caller,
    order: RefundDraft
  ) => Effect.Effect<RefundedOrProposed, RefundFailure | CorrectionRefused>
  /** From the archive where it left the store. */
  readonly payment: (tenant: Tenant, id: string) => Effect.Effect<Payment, PaymentNotFound | StorageError>
  /** As `payment`, with every refund of it. */
  readonly paymentWithRefunds: (
    tenant: Tenant,
    id: string
  ) => Effect.Effect<
    { readonly payment: Payment; readonly refunds: ReadonlyArray<Refund> },
    PaymentNotFound | StorageError
  >
  /** Newest first. */
  readonly payments: (tenant: Tenant, query: PaymentQuery) => Effect.Effect<Page<Payment>, StorageError>
  /**
   * Every payment that the filter finds, newest first. It reads pages as they are consumed, so that its memory does not
   * grow with their number. An operator's export has its entry in the audit trail first. Without one, nothing is read.
   */
  readonly exportPayments: (
    caller: Pick<Caller, "tenant" | "operator">,
    filter: PaymentFilter
  ) => Stream.Stream<Payment, StorageError>
  /** All that is recorded of a payment. It only reads, where `payment` ends a hosted page whose time is over. */
  readonly paymentFile: (tenant: Tenant, id: string) => Effect.Effect<PaymentFile, PaymentNotFound | StorageError>
  /** Oldest first. */
  readonly timeline: (
    tenant: Tenant,
    paymentId: string,
    query: TimelineQuery
  ) => Effect.Effect<Page<Event>, PaymentNotFound | StorageError>
  /** Newest first; oldest first when only `after` is given. */
  readonly events: (tenant: Tenant, query: EventQuery) => Effect.Effect<Page<Event>, StorageError>
  /** How many production payments reached a provider; sandbox payments are never counted. */
  readonly usage: (query: UsageQuery) => Effect.Effect<number, StorageError>
}

export const paymentMethods = (context: DoorContext): PaymentMethods => {
  const { ask, begin } = requests(context)
  const acts = actsOf(context)
  const stores = storing(context)
  /** An operator's act has its entry in the audit trail first. Without one, the act does not begin. */
  const acting =
    <Order extends CaptureOrder | VoidOrder | RefundOrder, A, E>(
      action: AuditAction,
      act: (caller: Caller, order: Order) => Effect.Effect<A, E | PaymentNotFound, DoorServices>
    ) =>
    (caller: Caller, order: Order) => {
      const { idempotencyKey, paymentId } = order
      const amount = "amountMinor" in order ? order.amountMinor : null
      return acts(caller, action, paymentId, { amount, idempotency_key: idempotencyKey }).pipe(
        Effect.mapError((cause) => new NothingSent({ cause })),
        Effect.andThen(begin(named(paymentId)(refuseArchived(caller.tenant, paymentId)(act(caller, order)))))
      )
    }
  const refunding = acting("payment.refunding", refund)
  const refundingByOperator = acting("payment.refunding", (caller, order: OperatorRefund) => {
    const details = { amount: order.amountMinor, idempotency_key: order.idempotencyKey }
    return refundByOperator(caller, order, acts(caller, "refund.proposing", order.paymentId, details))
  })
  const drafting = acting("refund.proposing", draftRefund)
  return {
    create: (caller, request) => stores(textsOfCreate(request), begin(create(caller, request))),
    capture: acting("payment.capturing", capture),
    void: acting("payment.voiding", voidPayment),
    refund: (caller, order) => stores({ reason: order.reason }, refunding(caller, order)),
    refundByOperator: (caller, order) => stores({ reason: order.reason }, refundingByOperator(caller, order)),
    draftRefund: (caller, order) => stores({ reason: order.reason }, drafting(caller, order)),
    payment: (tenant, id) => ask(payment(tenant, id)),
    paymentWithRefunds: (tenant, id) => ask(paymentWithRefunds(tenant, id)),
    payments: (tenant, query) => ask(payments(tenant, query)),
    exportPayments: (caller, filter) => {
      const { tenant } = caller
      const entry = acts(caller, "payments.exporting", tenant.workspaceId, { filter: auditedFilter(filter) })
      return Stream.unwrap(Effect.as(entry, Stream.provideContext(exportPayments(tenant, filter), context)))
    },
    paymentFile: (tenant, id) =>
      ask(Effect.catchTag(paymentFile(tenant, id), "pointsman/PaymentNotFound", () => archivedFile(tenant, id))),
    timeline: (tenant, id, query) => ask(timeline(tenant, id, query)),
    events: (tenant, query) => ask(events(tenant, query)),
    usage: (query) => Effect.flatMap(Ledger, (ledger) => ledger.usage(query)).pipe(Effect.provideContext(context))
  }
}

const archivedFile = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
  const { book, events } = yield* Effect.fromOption(yield* archivedPayment(tenant, id), () => new PaymentNotFound())
  return { ...book, timeline: events } satisfies PaymentFile
})

/** Entries of the log that are about a payment name it. */
const named = (paymentId: string) => Effect.annotateLogs("payment_id", paymentId)
