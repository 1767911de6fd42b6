/** The endpoints of the areas: each answers with what its desk says. Those of the account are with it. */
import type { DecidedCorrection, Payment } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { pageLimits } from "@pointsman/http/api"
import { Context, Effect, Layer, Redacted, Scope } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import * as AuditDesk from "../audit/AuditDesk.ts"
import * as ConnectionDesk from "../connections/ConnectionDesk.ts"
import * as DayDesk from "../day/DayDesk.ts"
import type { DeskServices } from "../gate/Caller.ts"
import type { ConsoleSettings } from "../gate/Settings.ts"
import * as KeyDesk from "../keys/KeyDesk.ts"
import * as MessageDesk from "../messages/MessageDesk.ts"
import { messageView } from "../messages/MessageRecords.ts"
import * as OperatorDesk from "../operators/OperatorDesk.ts"
import * as PartnerDesk from "../partners/PartnerDesk.ts"
import * as PasskeyDesk from "../passkeys/PasskeyDesk.ts"
import { exportCsv, exportPayout } from "../payments/ExportDesk.ts"
import * as PaymentDesk from "../payments/PaymentDesk.ts"
import * as PayoutDesk from "../reconciliation/PayoutDesk.ts"
import * as ReviewDesk from "../reviews/ReviewDesk.ts"
import { recordView, reviewView } from "../reviews/ReviewRecords.ts"
import { statementOf } from "../reviews/Statements.ts"
import * as RoutingDesk from "../routing/RoutingDesk.ts"
import * as WebhookDesk from "../webhooks/WebhookDesk.ts"
import { ConsoleApi } from "./ConsoleApi.ts"
import { nextId, pageView } from "./Records.ts"

const { correctionView, entryView, payoutEntryView, payoutView } = InProcess

export const deskAnswers = Effect.map(Effect.context<DeskServices | ConsoleSettings>(), (built) => {
  // The scope here is the console's. What a response holds ends with the scope of its request.
  const services = Context.omit(Scope.Scope)(built)
  /** As it is. */
  const run = <A, E, R>(desk: Effect.Effect<A, E, R>) => Effect.provideContext(desk, services)
  /** As the `data` of the response. */
  const answer = <A, E, R>(desk: Effect.Effect<A, E, R>) => run(Effect.map(desk, (data) => ({ data })))
  return { answer, run }
})

const passkeys = HttpApiBuilder.group(
  ConsoleApi,
  "passkeys",
  Effect.fnUntraced(function* (handlers) {
    const { answer, run } = yield* deskAnswers
    return handlers
      .handle("passkeys", () => answer(PasskeyDesk.list))
      .handle("beginPasskey", () => answer(PasskeyDesk.begin))
      .handle("addPasskey", ({ payload }) => answer(PasskeyDesk.add(payload)))
      .handle("removePasskey", ({ params }) =>
        Effect.as(run(PasskeyDesk.remove(params.passkey)), HttpServerResponse.empty({ status: 204 }))
      )
  })
)

const days = HttpApiBuilder.group(
  ConsoleApi,
  "days",
  Effect.fnUntraced(function* (handlers) {
    const { answer } = yield* deskAnswers
    return handlers.handle("day", ({ params }) => answer(DayDesk.day(params)))
  })
)

const payments = HttpApiBuilder.group(
  ConsoleApi,
  "payments",
  Effect.fnUntraced(function* (handlers) {
    const views = yield* InProcess.PaymentViews
    const { answer, run } = yield* deskAnswers
    const shown = ({ payment }: Pick<PaymentDesk.Answered, "payment">) => views.payment(payment, false)
    return handlers
      .handle("payments", ({ params, query: { before, limit = pageLimits.default, ...filter } }) =>
        run(
          Effect.gen(function* () {
            const page = yield* PaymentDesk.payments(params, { ...InProcess.filterOf(filter), before, limit })
            const data = yield* Effect.forEach(page.items, (payment) => shown({ payment }))
            return pageView(data, nextId(page))
          })
        )
      )
      .handle("exportPayments", ({ params, query }) => run(exportCsv(params, InProcess.filterOf(query))))
      .handle("payment", ({ params }) => answer(Effect.map(PaymentDesk.paymentFile(params), ({ view }) => view)))
      .handle(
        "capture",
        ({ headers, params, payload: { amount = null } }) => {
          const order = { amountMinor: amount, idempotencyKey: headers["idempotency-key"] }
          return answer(Effect.flatMap(PaymentDesk.capture(params, order), shown))
        },
        { uninterruptible: true }
      )
      .handle(
        "void",
        ({ headers, params }) => {
          const order = { amountMinor: null, idempotencyKey: headers["idempotency-key"] }
          return answer(Effect.flatMap(PaymentDesk.voidPayment(params, order), shown))
        },
        { uninterruptible: true }
      )
      .handle(
        "refund",
        ({ headers, params, payload }) =>
          run(
            Effect.gen(function* () {
              const { amount = null, reason = null } = yield* PaymentDesk.checkedRefund(payload)
              const order = { amountMinor: amount, reason, idempotencyKey: headers["idempotency-key"] }
              const { payment, proposed } = yield* PaymentDesk.refund(params, order)
              const correction = proposed === null ? null : correctionView(proposed)
              return { data: yield* shown({ payment }), correction }
            })
          ),
        { uninterruptible: true }
      )
  })
)

const reviews = HttpApiBuilder.group(
  ConsoleApi,
  "reviews",
  Effect.fnUntraced(function* (handlers) {
    const views = yield* InProcess.PaymentViews
    const { answer, run } = yield* deskAnswers
    const shown = (payment: Payment) => views.payment(payment, false)
    const decided = <E, R>(decision: Effect.Effect<DecidedCorrection, E, R>) =>
      Effect.flatMap(decision, ({ correction, payment }) =>
        Effect.map(shown(payment), (data) => ({ data, correction: correctionView(correction) }))
      )
    return handlers
      .handle("reviews", ({ params, query: { after, limit = pageLimits.default, order = "age" } }) =>
        run(
          Effect.gen(function* () {
            const { items, next } = yield* ReviewDesk.reviews(params, { after, limit, order })
            const data = yield* Effect.forEach(items, ({ payment, review }) =>
              Effect.map(shown(payment), (view) => reviewView(view, review))
            )
            return pageView(data, next)
          })
        )
      )
      .handle("review", ({ params }) =>
        answer(
          Effect.flatMap(ReviewDesk.reviewFile(params), (file) =>
            Effect.map(shown(file.payment), (view) => recordView(file, view))
          )
        )
      )
      .handle(
        "evidence",
        ({ params, payload: { evidence_reference, file_sha256, statement, ...order } }) =>
          run(
            statementOf(statement).pipe(
              Effect.flatMap((stated) =>
                ReviewDesk.settle(params, {
                  ...order,
                  stated,
                  fileHash: file_sha256,
                  providerReference: evidence_reference
                })
              ),
              Effect.flatMap(({ payment, proposed }) =>
                Effect.map(shown(payment), (data) => ({
                  data,
                  correction: proposed === null ? null : correctionView(proposed)
                }))
              )
            )
          ),
        { uninterruptible: true }
      )
      .handle("corrections", ({ params }) =>
        answer(
          Effect.map(ReviewDesk.proposals(params), (found) =>
            found.map(({ correction, payment }) => ({ payment_id: payment.id, correction: correctionView(correction) }))
          )
        )
      )
      .handle("approveCorrection", ({ params }) => run(decided(ReviewDesk.approve(params))), { uninterruptible: true })
      .handle("rejectCorrection", ({ params, payload }) => run(decided(ReviewDesk.reject(params, payload.reason))), {
        uninterruptible: true
      })
      .handle("withdrawCorrection", ({ params }) => run(decided(ReviewDesk.withdraw(params))), {
        uninterruptible: true
      })
  })
)

const messages = HttpApiBuilder.group(
  ConsoleApi,
  "messages",
  Effect.fnUntraced(function* (handlers) {
    const { answer, run } = yield* deskAnswers
    return handlers
      .handle("messages", ({ params, query: { before, connection, limit = pageLimits.default, outcome, payment } }) => {
        const filter = { connectionId: connection, paymentId: payment, outcome }
        return run(
          Effect.map(MessageDesk.messages(params, { ...filter, before, limit }), ({ items, next }) =>
            pageView(items.map(messageView), next)
          )
        )
      })
      .handle("message", ({ params, query }) =>
        answer(Effect.map(MessageDesk.message(params, query), (found) => ({ ...messageView(found), body: found.body })))
      )
      .handle(
        "applyMessage",
        ({ params, payload }) => answer(Effect.map(MessageDesk.apply(params, payload), messageView)),
        {
          uninterruptible: true
        }
      )
  })
)

const routing = HttpApiBuilder.group(
  ConsoleApi,
  "routing",
  Effect.fnUntraced(function* (handlers) {
    const { answer } = yield* deskAnswers
    return handlers
      .handle("routing", ({ params }) => answer(RoutingDesk.routing(params)))
      .handle("successRates", ({ params }) => answer(RoutingDesk.rates(params)))
      .handle("successHistory", ({ params, query: { period = "24h", segment = "" } }) =>
        answer(RoutingDesk.history(params, period, segment))
      )
      .handle("previewRouting", ({ params, query }) => answer(RoutingDesk.preview(params, query)))
  })
)

const connections = HttpApiBuilder.group(
  ConsoleApi,
  "connections",
  Effect.fnUntraced(function* (handlers) {
    const { answer } = yield* deskAnswers
    return handlers
      .handle("connections", ({ params }) => answer(ConnectionDesk.connections(params)))
      .handle("connection", ({ params }) => answer(ConnectionDesk.connection(params)))
  })
)

const keys = HttpApiBuilder.group(
  ConsoleApi,
  "keys",
  Effect.fnUntraced(function* (handlers) {
    const { answer } = yield* deskAnswers
    return handlers
      .handle("keys", ({ params }) => answer(KeyDesk.keys(params)))
      .handle("keyDraft", ({ params }) => answer(Effect.map(KeyDesk.draft(params), (draft) => ({ draft }))))
      .handle(
        "createKey",
        ({ params, payload: { draft, expires = null, name = null, networks = null, scopes } }) =>
          answer(
            Effect.map(
              KeyDesk.create(params, { draft, scopes, name, networks, expiresAt: expires }),
              ({ secret, view }) => ({ ...view, key: Redacted.value(secret) })
            )
          ),
        { uninterruptible: true }
      )
      .handle("revokeKey", ({ params }) => answer(KeyDesk.revoke(params)), { uninterruptible: true })
  })
)

const partners = HttpApiBuilder.group(
  ConsoleApi,
  "partners",
  Effect.fnUntraced(function* (handlers) {
    const { answer, run } = yield* deskAnswers
    return handlers
      .handle("partners", ({ query }) => answer(Effect.flatMap(PartnerDesk.periodOf(query), PartnerDesk.partners)))
      .handle("partnerMerchants", ({ params, query: { before, limit = pageLimits.default, ...period } }) =>
        run(
          Effect.flatMap(PartnerDesk.periodOf(period), (during) =>
            PartnerDesk.merchants(params.partner, { before, limit }, during)
          )
        )
      )
      .handle("inviteMerchant", ({ params }) => answer(PartnerDesk.invite(params.partner, params.merchant)), {
        uninterruptible: true
      })
      .handle("usage", ({ params, query }) =>
        answer(Effect.flatMap(PartnerDesk.periodOf(query), (during) => PartnerDesk.usage(params.workspace, during)))
      )
  })
)

const operators = HttpApiBuilder.group(
  ConsoleApi,
  "operators",
  Effect.fnUntraced(function* (handlers) {
    const { answer } = yield* deskAnswers
    return handlers
      .handle("operators", () => answer(OperatorDesk.operators))
      .handle("addOperator", ({ payload }) => answer(OperatorDesk.add(payload)), { uninterruptible: true })
      .handle("editOperator", ({ params, payload }) => answer(OperatorDesk.edit(params.operator, payload)), {
        uninterruptible: true
      })
      .handle("removeOperator", ({ params }) => answer(OperatorDesk.remove(params.operator)), { uninterruptible: true })
      .handle("createSignInLink", ({ params }) => answer(OperatorDesk.createLink(params.operator)), {
        uninterruptible: true
      })
  })
)

const audit = HttpApiBuilder.group(
  ConsoleApi,
  "audit",
  Effect.fnUntraced(function* (handlers) {
    const { run } = yield* deskAnswers
    return handlers
      .handle("auditTrail", ({ query }) => run(AuditDesk.entries(undefined, { limit: pageLimits.default, ...query })))
      .handle("workspaceAudit", ({ params, query }) =>
        run(AuditDesk.entries(params.workspace, { limit: pageLimits.default, ...query }))
      )
  })
)

const webhooks = HttpApiBuilder.group(
  ConsoleApi,
  "webhooks",
  Effect.fnUntraced(function* (handlers) {
    const { answer, run } = yield* deskAnswers
    return handlers
      .handle("endpoints", ({ params }) => answer(WebhookDesk.endpoints(params)))
      .handle("endpoint", ({ params }) => answer(WebhookDesk.endpoint(params)))
      .handle("deliveries", ({ params, query: { limit = pageLimits.default, ...search } }) =>
        run(
          Effect.map(WebhookDesk.deliveries(params, { ...search, limit }), (found) =>
            pageView(found.items, nextId(found))
          )
        )
      )
      .handle("delivery", ({ params }) => answer(Effect.map(WebhookDesk.deliveryFile(params), ({ file }) => file)))
      .handle(
        "rotateSecret",
        ({ headers, params, payload: { overlap_seconds, secret_rotated } }) =>
          answer(
            WebhookDesk.rotateSecret(params, {
              overlapSeconds: overlap_seconds,
              idempotencyKey: headers["idempotency-key"],
              seen: secret_rotated
            })
          ),
        { uninterruptible: true }
      )
      .handle("redeliver", ({ params, payload }) => answer(WebhookDesk.redeliver(params, payload.attempts)), {
        uninterruptible: true
      })
  })
)

const payouts = HttpApiBuilder.group(
  ConsoleApi,
  "payouts",
  Effect.fnUntraced(function* (handlers) {
    const { answer, run } = yield* deskAnswers
    return handlers
      .handle("payouts", ({ params, query: { connection, limit = pageLimits.default, ...period } }) =>
        answer(
          Effect.flatMap(PayoutDesk.payouts(params, { ...period, connectionId: connection, limit }), (found) =>
            Effect.map(PayoutDesk.payoutStatuses(params, found), (statusOf) =>
              found.map((entry) => payoutEntryView(entry, statusOf(entry)))
            )
          )
        )
      )
      .handle("payout", ({ params, query }) => answer(Effect.map(PayoutDesk.payout(params, query), payoutView)))
      .handle("payoutEntries", ({ params, query: { after, limit = pageLimits.default, ...key } }) =>
        run(
          Effect.map(PayoutDesk.entries(params, key, { after, limit }), ({ items, next }) =>
            pageView(items.map(entryView), next)
          )
        )
      )
      .handle("exportPayout", ({ params, query }) => run(exportPayout(params, query)))
  })
)

export const layer = Layer.mergeAll(
  passkeys,
  days,
  payments,
  reviews,
  messages,
  routing,
  connections,
  keys,
  partners,
  operators,
  audit,
  webhooks,
  payouts
)
