/** The endpoints of the areas: each answers with what its desk says. Those of the account are with it. */
import type { Correction, DecidedCorrection, Payment } from "@pointsman/core"
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
import { exportCsv, exportJournal, exportPayout } from "../payments/ExportDesk.ts"
import * as PaymentDesk from "../payments/PaymentDesk.ts"
import * as BooksDesk from "../reconciliation/BooksDesk.ts"
import * as PayoutDesk from "../reconciliation/PayoutDesk.ts"
import { readReport } from "../reconciliation/ReportForm.ts"
import * as ReviewDesk from "../reviews/ReviewDesk.ts"
import { recordView, reviewView } from "../reviews/ReviewRecords.ts"
import { statementOf } from "../reviews/Statements.ts"
import * as RoutingDesk from "../routing/RoutingDesk.ts"
import * as WebhookDesk from "../webhooks/WebhookDesk.ts"
import { ConsoleApi } from "./ConsoleApi.ts"
import { nextId, pageView } from "./Records.ts"

const { correctionView, entryView, payoutEntryView, payoutView } = InProcess

const deskAnswers = Effect.map(Effect.context<DeskServices | ConsoleSettings>(), (built) => {
  // The scope here is the console's. What a response holds ends with the scope of its request.
  const services = Context.omit(Scope.Scope)(built)
  /** As it is. */
  const run = <A, E, R>(desk: Effect.Effect<A, E, R>) => Effect.provideContext(desk, services)
  /** As the `data` of the response. */
  const answer = <A, E, R>(desk: Effect.Effect<A, E, R>) => run(Effect.map(desk, (data) => ({ data })))
  return { answer, run }
})

const passkeys = HttpApiBuilder.group(ConsoleApi, "passkeys", (handlers) =>
  Effect.map(deskAnswers, ({ answer, run }) =>
    handlers.handleAll({
      passkeys: () => answer(PasskeyDesk.list),
      beginPasskey: () => answer(PasskeyDesk.begin),
      addPasskey: ({ payload }) => answer(PasskeyDesk.add(payload)),
      removePasskey: ({ params }) =>
        Effect.as(run(PasskeyDesk.remove(params.passkey)), HttpServerResponse.empty({ status: 204 }))
    })
  )
)

const days = HttpApiBuilder.group(ConsoleApi, "days", (handlers) =>
  Effect.map(deskAnswers, ({ answer }) => handlers.handleAll({ day: ({ params }) => answer(DayDesk.day(params)) }))
)

const shown = (payment: Payment) => Effect.flatMap(InProcess.PaymentViews, (views) => views.payment(payment, false))

/** A payment, and the correction that a second person has to decide or has decided. */
const withCorrection = (payment: Payment, correction: Correction | null) =>
  Effect.map(shown(payment), (data) => ({ data, correction: correction === null ? null : correctionView(correction) }))

const payments = HttpApiBuilder.group(ConsoleApi, "payments", (handlers) =>
  Effect.map(deskAnswers, ({ answer, run }) =>
    handlers.handleAll({
      payments: ({ params, query: { before, limit = pageLimits.default, ...filter } }) =>
        run(
          Effect.gen(function* () {
            const page = yield* PaymentDesk.payments(params, { ...InProcess.filterOf(filter), before, limit })
            return pageView(yield* Effect.forEach(page.items, shown), nextId(page))
          })
        ),
      exportPayments: ({ params, query }) => run(exportCsv(params, InProcess.filterOf(query))),
      payment: ({ params }) => answer(Effect.map(PaymentDesk.paymentFile(params), ({ view }) => view)),
      capture: ({ headers, params, payload: { amount = null } }) => {
        const order = { amountMinor: amount, idempotencyKey: headers["idempotency-key"] }
        return answer(Effect.flatMap(PaymentDesk.capture(params, order), ({ payment }) => shown(payment)))
      },
      void: ({ headers, params }) => {
        const order = { amountMinor: null, idempotencyKey: headers["idempotency-key"] }
        return answer(Effect.flatMap(PaymentDesk.voidPayment(params, order), ({ payment }) => shown(payment)))
      },
      refund: ({ headers, params, payload }) =>
        run(
          Effect.gen(function* () {
            const { amount = null, reason = null } = yield* PaymentDesk.checkedRefund(payload)
            const order = { amountMinor: amount, reason, idempotencyKey: headers["idempotency-key"] }
            const { payment, proposed } = yield* PaymentDesk.refund(params, order)
            return yield* withCorrection(payment, proposed)
          })
        )
    })
  )
)

const decided = <E, R>(decision: Effect.Effect<DecidedCorrection, E, R>) =>
  Effect.flatMap(decision, ({ correction, payment }) =>
    Effect.map(shown(payment), (data) => ({ data, correction: correctionView(correction) }))
  )

const reviews = HttpApiBuilder.group(ConsoleApi, "reviews", (handlers) =>
  Effect.map(deskAnswers, ({ answer, run }) =>
    handlers.handleAll({
      reviews: ({ params, query: { after, limit = pageLimits.default, order = "age" } }) =>
        run(
          Effect.gen(function* () {
            const { items, next } = yield* ReviewDesk.reviews(params, { after, limit, order })
            const data = yield* Effect.forEach(items, ({ payment, review }) =>
              Effect.map(shown(payment), (view) => reviewView(view, review))
            )
            return pageView(data, next)
          })
        ),
      review: ({ params }) =>
        answer(
          Effect.flatMap(ReviewDesk.reviewFile(params), (file) =>
            Effect.map(shown(file.payment), (view) => recordView(file, view))
          )
        ),
      evidence: ({ params, payload: { evidence_reference, file_sha256, statement, ...order } }) => {
        const proof = { fileHash: file_sha256, providerReference: evidence_reference }
        return run(
          statementOf(statement).pipe(
            Effect.flatMap((stated) => ReviewDesk.settle(params, { ...order, ...proof, stated })),
            Effect.flatMap(({ payment, proposed }) => withCorrection(payment, proposed))
          )
        )
      },
      corrections: ({ params }) =>
        answer(
          Effect.map(ReviewDesk.proposals(params), (found) =>
            found.map(({ correction, payment }) => ({ payment_id: payment.id, correction: correctionView(correction) }))
          )
        ),
      approveCorrection: ({ params }) => run(decided(ReviewDesk.approve(params))),
      rejectCorrection: ({ params, payload }) => run(decided(ReviewDesk.reject(params, payload.reason))),
      withdrawCorrection: ({ params }) => run(decided(ReviewDesk.withdraw(params)))
    })
  )
)

const messages = HttpApiBuilder.group(ConsoleApi, "messages", (handlers) =>
  Effect.map(deskAnswers, ({ answer, run }) =>
    handlers.handleAll({
      messages: ({ params, query: { before, connection, limit = pageLimits.default, outcome, payment } }) => {
        const filter = { connectionId: connection, paymentId: payment, outcome }
        return run(
          Effect.map(MessageDesk.messages(params, { ...filter, before, limit }), ({ items, next }) =>
            pageView(items.map(messageView), next)
          )
        )
      },
      message: ({ params, query }) =>
        answer(
          Effect.map(MessageDesk.message(params, query), (found) => ({ ...messageView(found), body: found.body }))
        ),
      applyMessage: ({ params, payload }) => answer(Effect.map(MessageDesk.apply(params, payload), messageView))
    })
  )
)

const routing = HttpApiBuilder.group(ConsoleApi, "routing", (handlers) =>
  Effect.map(deskAnswers, ({ answer }) =>
    handlers.handleAll({
      routing: ({ params }) => answer(RoutingDesk.routing(params)),
      successRates: ({ params }) => answer(RoutingDesk.rates(params)),
      successHistory: ({ params, query: { period = "24h", segment = "" } }) =>
        answer(RoutingDesk.history(params, period, segment)),
      previewRouting: ({ params, query }) => answer(RoutingDesk.preview(params, query))
    })
  )
)

const connections = HttpApiBuilder.group(ConsoleApi, "connections", (handlers) =>
  Effect.map(deskAnswers, ({ answer }) =>
    handlers.handleAll({
      connections: ({ params }) => answer(ConnectionDesk.connections(params)),
      connection: ({ params }) => answer(ConnectionDesk.connection(params))
    })
  )
)

const keys = HttpApiBuilder.group(ConsoleApi, "keys", (handlers) =>
  Effect.map(deskAnswers, ({ answer }) =>
    handlers.handleAll({
      keys: ({ params }) => answer(KeyDesk.keys(params)),
      keyDraft: ({ params }) => answer(Effect.map(KeyDesk.draft(params), (draft) => ({ draft }))),
      createKey: ({ params, payload: { draft, expires = null, name = null, networks = null, scopes } }) =>
        answer(
          Effect.map(
            KeyDesk.create(params, { draft, scopes, name, networks, expiresAt: expires }),
            ({ secret, view }) => ({ ...view, key: Redacted.value(secret) })
          )
        ),
      revokeKey: ({ params }) => answer(KeyDesk.revoke(params))
    })
  )
)

const partners = HttpApiBuilder.group(ConsoleApi, "partners", (handlers) =>
  Effect.map(deskAnswers, ({ answer, run }) =>
    handlers.handleAll({
      partners: ({ query }) => answer(Effect.flatMap(PartnerDesk.periodOf(query), PartnerDesk.partners)),
      partnerMerchants: ({ params, query: { before, limit = pageLimits.default, ...period } }) =>
        run(
          Effect.flatMap(PartnerDesk.periodOf(period), (during) =>
            PartnerDesk.merchants(params.partner, { before, limit }, during)
          )
        ),
      inviteMerchant: ({ params }) => answer(PartnerDesk.invite(params.partner, params.merchant)),
      usage: ({ params, query }) =>
        answer(Effect.flatMap(PartnerDesk.periodOf(query), (during) => PartnerDesk.usage(params.workspace, during)))
    })
  )
)

const operators = HttpApiBuilder.group(ConsoleApi, "operators", (handlers) =>
  Effect.map(deskAnswers, ({ answer }) =>
    handlers.handleAll({
      operators: () => answer(OperatorDesk.operators),
      addOperator: ({ payload }) => answer(OperatorDesk.add(payload)),
      editOperator: ({ params, payload }) => answer(OperatorDesk.edit(params.operator, payload)),
      removeOperator: ({ params }) => answer(OperatorDesk.remove(params.operator)),
      createSignInLink: ({ params }) => answer(OperatorDesk.createLink(params.operator))
    })
  )
)

const audit = HttpApiBuilder.group(ConsoleApi, "audit", (handlers) =>
  Effect.map(deskAnswers, ({ run }) =>
    handlers.handleAll({
      auditTrail: ({ query }) => run(AuditDesk.entries(undefined, { limit: pageLimits.default, ...query })),
      workspaceAudit: ({ params, query }) =>
        run(AuditDesk.entries(params.workspace, { limit: pageLimits.default, ...query }))
    })
  )
)

const webhooks = HttpApiBuilder.group(ConsoleApi, "webhooks", (handlers) =>
  Effect.map(deskAnswers, ({ answer, run }) =>
    handlers.handleAll({
      endpoints: ({ params }) => answer(WebhookDesk.endpoints(params)),
      endpoint: ({ params }) => answer(WebhookDesk.endpoint(params)),
      deliveries: ({ params, query: { limit = pageLimits.default, ...search } }) =>
        run(
          Effect.map(WebhookDesk.deliveries(params, { ...search, limit }), (found) =>
            pageView(found.items, nextId(found))
          )
        ),
      delivery: ({ params }) => answer(Effect.map(WebhookDesk.deliveryFile(params), ({ file }) => file)),
      rotateSecret: ({ headers, params, payload: { overlap_seconds, secret_rotated } }) =>
        answer(
          WebhookDesk.rotateSecret(params, {
            overlapSeconds: overlap_seconds,
            idempotencyKey: headers["idempotency-key"],
            seen: secret_rotated
          })
        ),
      redeliver: ({ params, payload }) => answer(WebhookDesk.redeliver(params, payload.attempts))
    })
  )
)

const payouts = HttpApiBuilder.group(ConsoleApi, "payouts", (handlers) =>
  Effect.map(deskAnswers, ({ answer, run }) =>
    handlers.handleAll({
      payouts: ({ params, query: { connection, limit = pageLimits.default, ...period } }) =>
        answer(
          Effect.flatMap(PayoutDesk.payouts(params, { ...period, connectionId: connection, limit }), (found) =>
            Effect.map(PayoutDesk.payoutStatuses(params, found), (statusOf) =>
              found.map((entry) => payoutEntryView(entry, statusOf(entry)))
            )
          )
        ),
      payout: ({ params, query }) => answer(Effect.map(PayoutDesk.payout(params, query), payoutView)),
      payoutEntries: ({ params, query: { after, limit = pageLimits.default, ...key } }) =>
        run(
          Effect.map(PayoutDesk.entries(params, key, { after, limit }), ({ items, next }) =>
            pageView(items.map(entryView), next)
          )
        ),
      exportPayout: ({ params, query }) => run(exportPayout(params, query))
    })
  )
)

const books = HttpApiBuilder.group(ConsoleApi, "books", (handlers) =>
  Effect.map(deskAnswers, ({ answer, run }) =>
    handlers
      .handleRaw("readReport", ({ params, request }) =>
        run(
          Effect.map(readReport(params, request), ({ id, isKnown }) =>
            HttpServerResponse.jsonUnsafe({ data: { id, known: isKnown } })
          )
        )
      )
      .handleAll({
        balances: ({ params, query }) => answer(BooksDesk.balances(params, query.before)),
        journal: ({ params, query }) => run(exportJournal(params, query))
      })
  )
)

export const layer = Layer.mergeAll(
  ...([passkeys, days, payments, reviews, messages, routing, connections] as const),
  ...([keys, partners, operators, audit, webhooks, payouts, books] as const)
)
