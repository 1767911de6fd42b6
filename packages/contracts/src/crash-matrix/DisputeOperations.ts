/** The answers to a dispute: evidence, and an acceptance. */

import type { MessageAbout } from "@pointsman/core/ports"
import { sampleRequest } from "@pointsman/core/testing"
import { Clock, Effect } from "effect"
import { answers, idempotencyKey, type Operation, silence } from "./Operations.ts"

const hour = 60 * 60_000
/** Between the reminders of three days and of one. */
const dueInMillis = 30 * hour

/** A captured payment whose provider states a dispute, with evidence that is kept. */
const disputed: Operation["given"] = (pointsman, caller) =>
  Effect.gen(function* () {
    const { payment } = yield* pointsman.create(caller, sampleRequest())
    const at = yield* Clock.currentTimeMillis
    const about: MessageAbout = {
      _tag: "Dispute",
      charge: { providerRef: payment.providerRef ?? "" },
      disputeId: "du_1",
      verdict: "opened",
      dueBy: at + dueInMillis
    }
    yield* pointsman.recordMessage({
      connectionId: payment.connectionId ?? "",
      tenant: caller.tenant,
      receivedAt: at,
      body: "{}",
      message: { id: "msg_1", at, about },
      reason: null
    })
    const { items } = yield* pointsman.disputes(caller.tenant, { limit: 1 })
    const disputeId = items[0]?.id ?? ""
    yield* pointsman.keepEvidence(caller, { disputeId, texts: { summary: "It arrived." }, files: [] })
    return payment.id
  })

const answering =
  (kind: "submit" | "accept"): Operation["ask"] =>
  (pointsman, caller) =>
    Effect.gen(function* () {
      const { items } = yield* pointsman.disputes(caller.tenant, { limit: 1 })
      const order = { disputeId: items[0]?.id ?? "", kind, idempotencyKey }
      const { dispute, isReplay } = yield* pointsman.submitDispute(caller, order)
      return { says: dispute.status, paymentId: dispute.paymentId, isReplay }
    })

export const disputeOperations: ReadonlyArray<Operation> = [
  {
    name: "submitDispute",
    about: "The evidence that is kept for a dispute of 19.99 EUR, 30 hours before the deadline.",
    given: disputed,
    ask: answering("submit"),
    groups: [
      {
        title: "The provider answers",
        outcomes: answers("takes the evidence", "says that it failed", "takes the evidence")
      },
      silence
    ]
  },
  {
    name: "acceptDispute",
    about: "The acceptance of a dispute of 19.99 EUR, 30 hours before the deadline.",
    given: disputed,
    ask: answering("accept"),
    groups: [
      { title: "The provider answers", outcomes: answers("closes it", "says that it failed", "closes it") },
      silence
    ]
  }
]
