/**
 * The tools that a model can call (https://modelcontextprotocol.io/specification/2025-11-25/server/tools). Each takes the
 * action that the console takes for the same page, and reads by the same desk.
 */
import * as Desks from "@pointsman/console/internal"
import { type Dispute, disputeStatuses, isRefundProposal, type OperatorAction, type Pointsman } from "@pointsman/core"
import { type Directory, Ids } from "@pointsman/core/ports"
import { InProcess } from "@pointsman/http"
import type { Payment } from "@pointsman/http/api"
import { Effect, Schema } from "effect"
import { explanationView } from "../commands/RoutingView.ts"
import {
  afterField,
  decodeInput,
  defaultLimit,
  disputeField,
  draftFields,
  type Given,
  type Input,
  jsonSchemaOf,
  limitField,
  type NamedTenant,
  paymentField,
  refuseUnknownFields,
  searchFields,
  tenantInput
} from "./ToolInput.ts"

export type ToolServices = Pointsman | Directory | Ids | Desks.DeskServices

export interface Refusal {
  readonly error: { readonly code: string; readonly message: string }
}

type Answer = Effect.Effect<Given, Refusal, ToolServices>

interface Described<A> {
  readonly name: string
  readonly title: string
  readonly description: string
  /** What the operator's role in the workspace has to allow. */
  readonly access: OperatorAction
  readonly writes?: true
  /** Besides the workspace and the environment. */
  readonly input: Input<A> & Schema.Struct<Schema.Struct.Fields>
  /** Of fields that other tools have with another meaning. */
  readonly expected?: Readonly<Record<string, string>>
  readonly run: (input: A, path: Desks.TenantPath) => Answer
}

export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly access: OperatorAction
  readonly writes: boolean
  readonly inputSchema: ReturnType<typeof jsonSchemaOf>
  /** `tenantOf`: one that the operator may see, in which the role allows the tool. */
  readonly call: (
    given: Given,
    tenantOf: (named: NamedTenant) => Effect.Effect<Desks.TenantPath, Refusal, Directory>
  ) => Answer
}

const tool = <A>({ expected, input, run, writes, ...shown }: Described<A>): Tool => ({
  ...shown,
  writes: writes === true,
  inputSchema: jsonSchemaOf(Schema.Struct({ ...tenantInput.fields, ...input.fields })),
  call: Effect.fnUntraced(function* ({ environment, workspace, ...given }, tenantOf) {
    yield* refuseUnknownFields([...Object.keys(tenantInput.fields), ...Object.keys(input.fields)], given)
    const named = {
      ...(workspace === undefined ? {} : { workspace }),
      ...(environment === undefined ? {} : { environment })
    }
    const decoded = yield* decodeInput(input, given, expected)
    return yield* run(decoded, yield* tenantOf(yield* decodeInput(tenantInput, named)))
  })
})

const paymentRow = (payment: Payment) => ({
  payment_id: payment.payment_id,
  reference: payment.reference,
  status: payment.status,
  amount: payment.amount,
  currency: payment.currency,
  captured_amount: payment.captured_amount,
  refunded_amount: payment.refunded_amount,
  decline_category: payment.decline_category,
  created: payment.created
})

const findPayments = tool({
  name: "find_payments",
  title: "Find payments",
  description:
    "Finds payments by the console's search, newest first. Amounts are in minor units of the currency. Use show_payment " +
    "for attempts, refunds and the timeline of one.",
  access: "payment.read",
  input: Schema.Struct({ ...searchFields, ...limitField }),
  run: Effect.fnUntraced(function* ({ before, limit = defaultLimit, text = "", ...filter }, path) {
    const searched = text.trim()
    const views = yield* InProcess.PaymentViews
    if (searched !== "" && (yield* Desks.isPayment(path, searched))) {
      const { view } = yield* Desks.paymentFile({ ...path, payment: searched })
      return Desks.pageView([paymentRow(view.payment)], null)
    }
    const page = yield* Desks.search(path, searched, { ...InProcess.filterOf(filter), before, limit })
    const rows = yield* Effect.forEach(page.items, (payment) => views.payment(payment, false))
    return {
      ...Desks.pageView(rows.map(paymentRow), Desks.nextId(page)),
      ...(page.walkedTo === undefined ? {} : { search_incomplete: true })
    }
  })
})

const showPayment = tool({
  name: "show_payment",
  title: "Show a payment",
  description:
    "Everything recorded of one payment: status, amounts in minor units, attempts with the provider's answers, captures, " +
    "refunds, refunds that wait for a person, disputes, and the timeline.",
  access: "payment.read",
  input: Schema.Struct(paymentField),
  run: Effect.fnUntraced(function* ({ payment }, path) {
    const { file, view } = yield* Desks.paymentFile({ ...path, payment })
    const { items } = yield* Desks.disputes(path, { paymentId: file.payment.id, limit: 100 })
    const drafts = (file.payment.corrections ?? []).filter(isRefundProposal)
    return { ...view, refund_drafts: drafts.map(InProcess.correctionView), disputes: items.map(disputeRow) }
  })
})

const explainRouting = tool({
  name: "explain_routing",
  title: "Explain a payment's routing",
  description:
    "Why a payment went where it went: the rule or mode that decided, the order of connections with their scores, which " +
    "were excluded and why, and how each attempt ended.",
  access: "payment.read",
  input: Schema.Struct(paymentField),
  run: ({ payment }, path) => Effect.map(Desks.explainedRouting({ ...path, payment }), explanationView)
})

const listReviews = tool({
  name: "list_reviews",
  title: "List payments under review",
  description:
    "Payments whose result is in doubt or contradicts the record, the longest waiting first. A person settles them in the " +
    "console. Never tell a customer that such a payment failed.",
  access: "review.resolve",
  input: Schema.Struct({ ...afterField, ...limitField }),
  run: Effect.fnUntraced(function* ({ after, limit = defaultLimit }, path) {
    const views = yield* InProcess.PaymentViews
    const { items, next } = yield* Desks.reviews(path, { after, limit, order: "age" })
    const rows = yield* Effect.forEach(items, ({ payment, review }) =>
      Effect.map(views.payment(payment, false), (view) => ({
        ...paymentRow(view),
        since: InProcess.timeView(review.since),
        reasons: review.reasons
      }))
    )
    return Desks.pageView(rows, next)
  })
})

const disputeRow = (dispute: Dispute) => {
  const { evidence, ...row } = InProcess.disputeView(dispute)
  return { ...row, has_evidence: evidence !== null }
}

const listDisputes = tool({
  name: "list_disputes",
  title: "List disputes",
  description:
    "Disputes (chargebacks). Without a status, the open ones, the earliest deadline for evidence first; with one, the " +
    "newest first.",
  access: "payment.read",
  input: Schema.Struct({
    status: Schema.optionalKey(Schema.Literals(disputeStatuses)),
    before: searchFields.before,
    ...limitField
  }),
  expected: { status: `one of ${disputeStatuses.join(", ")}` },
  run: Effect.fnUntraced(function* ({ before, limit = defaultLimit, status }, path) {
    if (status !== undefined) {
      const page = yield* Desks.disputes(path, { status, before, limit })
      return Desks.pageView(page.items.map(disputeRow), Desks.nextId(page))
    }
    const { hasMore, items } = yield* Desks.openDisputes(path)
    const rows = items.slice(0, limit).map(disputeRow)
    return { data: rows, has_more: hasMore || items.length > limit, next_cursor: null }
  })
})

const showDispute = tool({
  name: "show_dispute",
  title: "Show a dispute",
  description: "One dispute with its deadline, the evidence that is kept for it, and what was sent to the provider.",
  access: "payment.read",
  input: Schema.Struct(disputeField),
  run: Effect.fnUntraced(function* ({ dispute }, path) {
    const found = yield* Desks.dispute({ ...path, dispute })
    const sent = found.submissions.map(({ answeredAt, failureReason, kind, sentAt, stage }) => ({
      kind,
      stage,
      sent: InProcess.timeView(sentAt),
      answered: answeredAt === null ? null : InProcess.timeView(answeredAt),
      failure_reason: failureReason
    }))
    return { ...InProcess.disputeView(found), connection_id: found.connectionId, submissions: sent }
  })
})

const connectionHealth = tool({
  name: "connection_health",
  title: "Health of connections",
  description:
    "Each connection with how its newest payments ended, its last success and failure, and whether its account was " +
    "verified. Circuits belong to each server and are not here.",
  access: "connection.read",
  input: Schema.Struct({}),
  run: (_, path) =>
    Effect.map(Desks.connections(path), (found) => ({
      data: found.map(({ account, active, connector, health, id, name, priority, webhook }) => ({
        id,
        name,
        connector,
        active,
        priority,
        account_standing: account.standing,
        has_webhook_secret: webhook.has_secret,
        ...health
      }))
    }))
})

const draftRefund = tool({
  name: "draft_refund",
  title: "Draft a refund",
  description:
    "Proposes a refund, which another operator approves or rejects in the console within 7 days. It moves no money and " +
    "sends nothing to the provider. A payment has one draft at a time.",
  access: "payment.refund",
  writes: true,
  input: Schema.Struct({ ...paymentField, ...draftFields }),
  run: Effect.fnUntraced(function* ({ amount = null, idempotency_key, payment, reason = null }, path) {
    yield* Desks.checkedRefund({ ...(amount === null ? {} : { amount }), ...(reason === null ? {} : { reason }) })
    const idempotencyKey = idempotency_key ?? (yield* (yield* Ids).request)
    const order = { amountMinor: amount, reason, idempotencyKey }
    const { proposed } = yield* Desks.draftRefund({ ...path, payment }, order)
    return {
      payment_id: payment,
      draft: proposed === null ? null : InProcess.correctionView(proposed),
      idempotency_key: idempotencyKey,
      next: "Nothing was sent. Another operator approves or rejects it in the console, at the payment's review."
    }
  }, Effect.uninterruptible)
})

export const tools: ReadonlyArray<Tool> = [
  findPayments,
  showPayment,
  explainRouting,
  listReviews,
  listDisputes,
  showDispute,
  connectionHealth,
  draftRefund
]
