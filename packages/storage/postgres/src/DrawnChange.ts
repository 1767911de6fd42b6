/** A change with what its statement is made of: what was drawn for it, and its shape. */
import type { EventDraft } from "@pointsman/core"
import { keepsCreated, type NamedReference, referencesOf } from "@pointsman/core/internal"
import type { Change } from "@pointsman/core/ports"
import type { Owner } from "@pointsman/storage-sql"

/** What decides about the text of the statement. */
export interface Shape {
  readonly apiKey: boolean
  readonly claim: "none" | "new" | "moved"
  readonly message: boolean
  readonly payment: "new" | "moved"
  /** What its guard asks about. */
  readonly missing: boolean
  readonly key: boolean
  /** Whether the payment keeps what its create decided. */
  readonly keepsCreated: boolean
  /** Whether the payment is new and has metadata. */
  readonly metadata: boolean
  /** Of charges; the payment takes as many of them, the first ones. */
  readonly references: number
  readonly taken: number
  readonly attempts: number
  readonly operations: number
  readonly refunds: number
  readonly disputes: number
  readonly evidence: number
  readonly events: number
}

/** An event, with the id that was drawn for it and the one that its deliveries' ids are made of. */
export interface DrawnEvent {
  readonly draft: EventDraft
  readonly id: string
  readonly seed: string
}

/** A change with all that its statement is made of. */
export interface DrawnChange {
  readonly change: Change & Owner
  readonly shape: Shape
  readonly events: ReadonlyArray<DrawnEvent>
  readonly references: ReadonlyArray<NamedReference>
}

export const drawnChange = (change: Change, events: ReadonlyArray<DrawnEvent>): DrawnChange => {
  const { apiKeyHash, attempts, claim, message, operations, payment, refunds } = change
  const references = referencesOf(change)
  return {
    change: { ...change, isDerived: true },
    references,
    shape: {
      apiKey: apiKeyHash !== undefined,
      claim: claim === undefined ? "none" : claim.expected === 0 ? "new" : "moved",
      message: message !== undefined,
      payment: payment.expected === 0 ? "new" : "moved",
      missing: change.guard?.refusesMissing === true,
      key: change.guard?.key != null,
      keepsCreated: payment.expected !== 0 && keepsCreated(payment),
      metadata: payment.expected === 0 && payment.after.metadata !== null,
      references: references.length,
      taken: references.filter(({ isTaken }) => isTaken).length,
      attempts: attempts.length,
      operations: operations?.length ?? 0,
      refunds: refunds?.length ?? 0,
      disputes: change.disputes?.length ?? 0,
      evidence: change.evidence?.length ?? 0,
      events: events.length
    },
    events
  }
}

export const nameOf = (shape: Shape): string => {
  const { apiKey, attempts, claim, events, message, metadata, operations, payment, references, refunds, taken } = shape
  const { disputes, evidence, key, missing } = shape
  return `${missing} ${key} ${apiKey} ${claim} ${message} ${payment} ${shape.keepsCreated} ${metadata} ${references} ${taken} ${attempts} ${operations} ${refunds} ${disputes} ${evidence} ${events}`
}
