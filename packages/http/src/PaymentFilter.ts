/** From the filters of a list of payments to core's. */
import { type Metadata, statesOf } from "@pointsman/core"
import type { PaymentFilter as Filter } from "@pointsman/core/ports"
import type { PaymentFilter } from "./api/PaymentFilter.ts"

export const filterOf = (given: PaymentFilter & { readonly metadata?: Metadata | undefined }): Filter => ({
  states: given.status === undefined ? undefined : statesOf(given.status),
  reference: given.reference,
  amountMinor: given.amount,
  currency: given.currency,
  connectionId: given.connection,
  providerRef: given.provider_reference,
  metadata: given.metadata,
  createdFrom: given.created_from,
  createdBefore: given.created_before
})
