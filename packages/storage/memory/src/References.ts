/** Which payment has a charge: a reference of the provider belongs to one payment of its connection. */
import { type NamedReference, referencesOf } from "@pointsman/core/internal"
import { type Change, ReferenceTaken } from "@pointsman/core/ports"
import type { TenantState } from "./State.ts"

type References = TenantState["references"]

/** JSON shows where the connection ends and the reference begins. */
const keyOf = ({ connectionId, providerRef }: NamedReference): string => JSON.stringify([connectionId, providerRef])

/** The refusal where another payment has a reference that the change takes. */
export const takenReference = (references: References, change: Change) => {
  for (const reference of referencesOf(change)) {
    const paymentId = references.get(keyOf(reference))
    const { connectionId, providerRef } = reference
    if (paymentId !== undefined && paymentId !== change.payment.after.id) {
      return new ReferenceTaken({ connectionId, providerRef, paymentId })
    }
  }
  return undefined
}

export const takeReferences = (references: References, change: Change): void => {
  for (const reference of referencesOf(change)) {
    if (reference.isTaken) references.set(keyOf(reference), change.payment.after.id)
  }
}
