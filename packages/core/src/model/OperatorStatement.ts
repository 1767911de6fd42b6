/** What an operator states that a provider's record says, and the evidence of it. */

export const statedOfCharges = [
  "captured",
  "authorized",
  "declined",
  "canceled",
  "capture_failed",
  "void_failed",
  "never_received"
] as const
export const statedOfRefunds = ["succeeded", "failed", "never_received"] as const

export type OperatorStatement =
  /** What the provider's record says of a charge, and of its capture or its void. */
  | {
      readonly _tag: "Charge"
      readonly says: (typeof statedOfCharges)[number]
      /** Which attempt; `null` for the one that is open, or holds the money. */
      readonly attemptId: string | null
      /** Minor units that are captured, or authorized; `null` for what was asked for. */
      readonly amountMinor: number | null
      /** The charge at the provider; `null` where it is known already. */
      readonly providerRef: string | null
    }
  | {
      readonly _tag: "Refund"
      readonly says: (typeof statedOfRefunds)[number]
      readonly refundId: string
      /** The refund at the provider; `null` where it is known already. */
      readonly providerRefundId: string | null
    }
  /** A person read the record, and the payment is correct as recorded. */
  | { readonly _tag: "NothingToChange" }

export interface Evidence {
  /** What was seen, and where; for people. It is on the payment's timeline, and in the webhook. */
  readonly evidence: string
  /** Who read the provider's record. */
  readonly by: string
  /** Lower-case hex SHA-256 of a file that shows it. The file itself is kept elsewhere. */
  readonly fileHash?: string | undefined
  /** Where the provider answers for it: a support case, the id of a report. */
  readonly providerReference?: string | undefined
}
