/**
 * What Adyen gives back to us as `merchantReference`: our attempt's id, and what was asked of it.
 *
 * Adyen's word of an authorization says neither whether Adyen was asked to
 * take the money as well, nor whether the customer may try again on a page, and it signs a few fields alone
 * (https://docs.adyen.com/development-resources/webhooks/verify-hmac-signatures). The reference is one of them, so both
 * occur there and nowhere else. A reference without these words was not made here.
 */

/** `taken`: at once, without a capture. `held`: to be captured. */
export type Purpose = "taken" | "held"

export interface ChargeReference {
  readonly attemptId: string
  readonly purpose: Purpose
  /** Whether the customer pays on a page of Adyen's, and may try again there. */
  readonly isOnPage: boolean
}

/** At most 80 characters (https://docs.adyen.com/api-explorer/Checkout/72/post/payments): an attempt's id has 40. */
export const referenceOf = ({ attemptId, isOnPage, purpose }: ChargeReference): string =>
  `${attemptId}.${purpose}${isOnPage ? ".page" : ""}`

const form = /^([^.]+)\.(taken|held)(\.page)?$/u

/** `undefined` for a reference of another program. */
export const readReference = (reference: string): ChargeReference | undefined => {
  const [, attemptId, purpose, page] = form.exec(reference) ?? []
  return attemptId === undefined || (purpose !== "taken" && purpose !== "held")
    ? undefined
    : { attemptId, purpose, isOnPage: page !== undefined }
}

export type OperationKind = "capture" | "void"

/** What a reference says of a capture or a cancel. */
export interface OperationReference {
  readonly attemptId: string
  readonly kind: OperationKind
  /** `null` where the reference has no room for it. */
  readonly operationId: string | null
}

/**
 * The reference of a capture or a cancel: the attempt, and which of our operations requests it, so that the failure of
 * one is tied to it. At most 80 characters
 * (https://docs.adyen.com/api-explorer/Checkout/72/post/payments/(paymentPspReference)/captures): both complete ids
 * have 79 and leave no room for a word, so only the digits of our operation id are included.
 */
export const operationReferenceOf = ({
  attemptId,
  kind,
  operationId
}: {
  readonly attemptId: string
  readonly kind: OperationKind
  readonly operationId: string
}): string => {
  const digits = ourForm.exec(operationId)?.slice(1).join("") ?? operationId
  const reference = `${attemptId}.${words[kind]}.${digits}`
  return plain.test(digits) && reference.length <= 80 ? reference : `${attemptId}.${wordsAlone[kind]}`
}

const words = { capture: "take", void: "void" } as const satisfies Record<OperationKind, string>
const wordsAlone = { capture: "capture", void: "cancel" } as const satisfies Record<OperationKind, string>

/** `op_` and a UUID. */
const ourForm = /^op_([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})$/u
const digitsForm = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/u
const plain = /^[A-Za-z0-9_-]+$/u

const operationForm = /^([^.]+)\.(?:(take|void)\.([A-Za-z0-9_-]+)|(capture|cancel))$/u

/** `undefined` for any other reference. */
export const readOperationReference = (reference: string): OperationReference | undefined => {
  const [, attemptId, word, digits, wordAlone] = operationForm.exec(reference) ?? []
  if (attemptId === undefined) return undefined
  const kind = word === "take" || wordAlone === "capture" ? "capture" : "void"
  if (digits === undefined) return { attemptId, kind, operationId: null }
  const parts = digitsForm.exec(digits)?.slice(1)
  return { attemptId, kind, operationId: parts === undefined ? digits : `op_${parts.join("-")}` }
}

/** The attempt that a reference of any of these names; `undefined` for a reference that is not ours. */
export const attemptOf = (reference: string): string | undefined =>
  (readReference(reference) ?? readOperationReference(reference))?.attemptId

/** Whether a reference is the id of a refund of ours, whole. */
export const isRefundId = (reference: string): boolean => reference.startsWith("rf_")
