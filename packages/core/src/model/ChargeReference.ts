/** A provider's names of the charges of a connection. A name belongs to one payment of the connection. */
import type { Attempt } from "./Attempt.ts"
import type { Payment } from "./Payment.ts"

export interface ChargeReference {
  readonly connectionId: string
  /** The provider's. */
  readonly providerRef: string
}

/** A reference that another payment of the connection has. */
export interface ReusedReference extends ChargeReference {
  /** The other payment. */
  readonly paymentId: string
}

/** A reference that a change names. */
export interface NamedReference extends ChargeReference {
  /** `false`: of a charge that moved no money. Nothing is sent under it, so its payment does not take it. */
  readonly isTaken: boolean
}

const mayHoldMoney: ReadonlySet<Attempt["outcome"]> = new Set(["Authorized", "Captured", "Pending", "Mismatched"])

type Charged = Pick<Payment, "connectionId" | "providerRef">
type Written = Charged & Pick<Payment, "reported">

/** A payment as a change writes it. */
export interface WrittenPayment {
  /** As it is stored: a reference that it has is recorded already. */
  readonly before?: { readonly payment: Written } | undefined
  readonly after: Written
}

/**
 * The references of the payment's own charge, unless it keeps that, and of its attempts, each once; those that it takes
 * first. Then the ids of its captures, where they are new: a message may name its charge by nothing else.
 */
export const referencesOf = ({
  attempts,
  payment: { after, before: stored }
}: {
  readonly attempts: ReadonlyArray<Pick<Attempt, "connectionId" | "providerRef" | "outcome">>
  readonly payment: WrittenPayment
}): ReadonlyArray<NamedReference> => {
  const before = stored?.payment
  const found: Array<NamedReference> = []
  const name = ({ connectionId, providerRef }: Charged, isTaken: boolean) => {
    if (connectionId === null || providerRef === null) return
    const reference = { connectionId, providerRef, isTaken }
    if (!found.some((one) => isSameReference(one, reference))) found.push(reference)
  }
  const isKept = before?.connectionId === after.connectionId && before?.providerRef === after.providerRef
  if (!isKept) name(after, true)
  for (const attempt of attempts) if (mayHoldMoney.has(attempt.outcome)) name(attempt, true)
  for (const attempt of attempts) name(attempt, false)
  const named = before?.connectionId === after.connectionId ? before.reported?.captures : undefined
  for (const { id } of after.reported?.captures ?? []) {
    if (named?.some((one) => one.id === id) !== true) name({ ...after, providerRef: id }, false)
  }
  return found
}

export const isSameReference = (
  one: { readonly connectionId: string | null; readonly providerRef: string | null },
  { connectionId, providerRef }: ChargeReference
): boolean => one.connectionId === connectionId && one.providerRef === providerRef
