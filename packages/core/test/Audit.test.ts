/** Acts of operators and of the library in the audit trail. */
import { assert } from "@effect/vitest"
import { Pointsman } from "@pointsman/core"
import { Audit, AuditActor, detailsOfWorkspace } from "@pointsman/core/ports"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { itHere } from "./support/ItIn.ts"
import { chargeSays } from "./support/Operations.ts"
import { orderOf } from "./support/Reports.ts"
import { assertFields } from "./support/Steps.ts"
import { recovered, tenant } from "./support/World.ts"

const stated = chargeSays("captured", { amountMinor: 1_000, providerRef: "ch_1" })

itHere("each entry of an act at a connection is about the connection's workspace", function* () {
  const { applyMessage, reconciliation, recover } = yield* Pointsman
  const closing = { connectionId: "main", rowId: "txn_1", note: "a test charge" }
  yield* Effect.flip(reconciliation.close(closing))
  yield* Effect.flip(reconciliation.close({ ...closing, connectionId: "none" }))
  yield* Effect.ignore(reconciliation.run(orderOf([])))
  yield* Effect.flip(applyMessage("main", "msg_1"))
  yield* Effect.ignore(recovered(recover({ since: 1, connectionId: "main", isDryRun: false })))
  const entries = yield* (yield* Audit).list({ after: 0, limit: 10 })
  const of = { workspace_id: "acme", environment: "sandbox" }
  assert.deepStrictEqual(
    entries.map(({ action, details }) => [action, JSON.parse(details)]),
    [
      ["difference.closing", { ...of, note: "a test charge" }],
      ["difference.closing", { note: "a test charge" }],
      ["report.reconciling", { ...of, format: "test", file: "report.csv", sha256: "sha of []" }],
      ["message.applying", { ...of, connection_id: "main" }],
      ["records.recovering", { ...of, since: 1 }]
    ]
  )
  assert.isTrue(entries[0]?.details.startsWith(detailsOfWorkspace("acme")))
})

itHere("each act of an operator is recorded before it begins, also if it is refused", function* (_, pointsman) {
  const { list } = yield* Audit
  yield* TestClock.adjust(5_000)
  const seen = { evidence: "the evidence", by: "Ada" }
  const order = { tenant, paymentId: "01a1fe08-9226-7266-a33a-e3e7f1609a4e", stated, ...seen }
  const refusals = [
    yield* Effect.flip(pointsman.resolveReview(order).pipe(Effect.provideService(AuditActor, "Grace"))),
    yield* Effect.flip(pointsman.applyMessage("main", "msg_1")),
    yield* Effect.flip(pointsman.redeliver(tenant, "del_1")),
    yield* Effect.flip(pointsman.createInvitation("acme", "mer_1"))
  ]
  assertFields(
    refusals,
    "_tag",
    "pointsman/PaymentNotFound",
    "pointsman/MessageNotFound",
    "pointsman/DeliveryNotFound",
    "pointsman/MerchantNotFound"
  )
  yield* Effect.ignore(pointsman.recover({ since: 1, connectionId: null, isDryRun: true }))
  yield* Effect.ignore(recovered(pointsman.recover({ since: 1, connectionId: null, isDryRun: false })))
  yield* Effect.ignore(pointsman.acceptLoss(null))
  const { apiKey } = yield* pointsman.createApiKey(tenant, null)

  const entries = yield* list({ after: 0, limit: 100 })
  assertFields(
    entries,
    ["actor", "action", "subject"],
    ["Grace", "review.resolving", order.paymentId],
    ["library", "message.applying", "msg_1"],
    ["library", "webhook.redelivering", "del_1"],
    ["library", "merchant.inviting", "mer_1"],
    ["library", "records.recovering", "all connections"],
    ["library", "loss.accepting", "newest loss"],
    ["library", "key.created", apiKey.hash.slice(0, 12)]
  )
  assert.strictEqual(entries[0]?.at, 5_000)
  assert.deepStrictEqual(JSON.parse(entries[0]?.details ?? ""), {
    workspace_id: "acme",
    environment: "sandbox",
    by: "Ada",
    stated: { about: "Charge", says: "captured", attempt_id: null, amount_minor: 1_000, provider_ref: "ch_1" }
  })
})
