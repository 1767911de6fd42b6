/** What the tests of disputes are given: a captured payment, and what its provider states of a dispute. */
import { type Dispute, type EvidenceOrder, Pointsman, type SubmissionFailure } from "@pointsman/core"
import type { StatedDispute } from "@pointsman/core/ports"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { say } from "./Messages.ts"
import { caller, request, tenant } from "./World.ts"

export const day = 24 * 60 * 60_000
/** When the tests begin, in epoch milliseconds. */
export const begin = Date.UTC(2026, 10, 1)

/** A message about the dispute of a payment. */
export const state = (providerRef: string | null, said: Partial<StatedDispute>, at: number | null = begin) =>
  say(
    { _tag: "Dispute", charge: { providerRef: providerRef ?? "" }, disputeId: "du_1", verdict: "opened", ...said },
    { at, receivedAt: begin }
  )

export const opened = {
  money: { minorUnits: 900, currency: "EUR" },
  reason: "not_received",
  providerReason: "13.1"
} as const

/** A captured payment whose provider states a dispute, with ten days for an answer. */
export const disputed = Effect.fnUntraced(function* (said: Partial<StatedDispute> = {}) {
  const pointsman = yield* Pointsman
  yield* TestClock.setTime(begin)
  const { payment } = yield* pointsman.create(caller, request())
  yield* state(payment.providerRef, { ...opened, dueBy: begin + 10 * day, ...said })
  const { items } = yield* pointsman.disputes(tenant, { limit: 10 })
  return { payment, dispute: items[0] as Dispute }
})

export const read = (id: string) => Effect.flatMap(Pointsman, (pointsman) => pointsman.dispute(tenant, id))

export const disputeEvents = (paymentId: string) =>
  Effect.flatMap(Pointsman, (pointsman) => pointsman.timeline(tenant, paymentId, { limit: 100 })).pipe(
    Effect.map(({ items }) => items.map(({ type }) => type).filter((type) => type.startsWith("dispute.")))
  )

export const pdf = new Uint8Array([0x25, 0x50, 0x44, 0x46, 0x2d, 0x31])

export const keep = (disputeId: string, order: Partial<EvidenceOrder> = {}) =>
  Effect.flatMap(Pointsman, (pointsman) =>
    pointsman.keepEvidence(caller, {
      disputeId,
      texts: { summary: "It arrived." },
      files: [{ name: "receipt", bytes: pdf }],
      ...order
    })
  )

/** How it ended: the status, or the tag of the failure. */
export const answer = (
  disputeId: string,
  idempotencyKey: string | null = "key-12345",
  kind: "submit" | "accept" = "submit"
): Effect.Effect<string, never, Pointsman> =>
  Effect.flatMap(Pointsman, (pointsman) =>
    Effect.map(
      Effect.result(pointsman.submitDispute(caller, { disputeId, kind, idempotencyKey })),
      Result.match({
        onFailure: (failure: SubmissionFailure): string => failure._tag.replace("pointsman/", ""),
        onSuccess: ({ dispute }): string => dispute.status
      })
    )
  )
