/** The rows of providers' reports that are stored, for the journal. */
import { Context, Effect } from "effect"
import type { PostedMovement } from "../model/Journal.ts"
import type { Tenant } from "../model/Tenant.ts"
import type { StorageError } from "./StorageError.ts"

export interface ReportedMovements {
  /** All rows that were matched with these payments, in any order. */
  readonly ofPayments: (
    tenant: Tenant,
    paymentIds: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<PostedMovement>, StorageError>
  /**
   * Rows that were matched with no payment: payouts, fees, adjustments, and what is missing here. All versions of a row are
   * in one page. An empty page ends the list.
   */
  readonly withoutPayment: (
    tenant: Tenant,
    query: {
      /** The last row of the page before. */
      readonly after: Pick<PostedMovement, "connectionId" | "rowId"> | undefined
      readonly limit: number
    }
  ) => Effect.Effect<ReadonlyArray<PostedMovement>, StorageError>
}

/** Without one no reports are stored: the journal has what is recorded of payments. */
export const ReportedMovements = Context.Reference<ReportedMovements>("pointsman/ports/ReportedMovements", {
  defaultValue: () => ({
    ofPayments: () => Effect.succeed([]),
    withoutPayment: () => Effect.succeed([])
  })
})
