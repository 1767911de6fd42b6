/**
 * What Adyen gives back to us as `merchantReference`: our attempt's id, and what was asked of it.
 *
 * The rule that a reader would otherwise break: Adyen's word of an authorization says neither whether Adyen was asked to
 * take the money as well, nor whether the customer may try again on a page, and it signs a few fields alone
 * (https://docs.adyen.com/development-resources/webhooks/verify-hmac-signatures). The reference is one of them, so both
 * stand there and nowhere else. A reference without these words was not made here.
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

/** `undefined` for a reference of somebody else's. */
export const readReference = (reference: string): ChargeReference | undefined => {
  const [, attemptId, purpose, page] = form.exec(reference) ?? []
  return attemptId === undefined || (purpose !== "taken" && purpose !== "held")
    ? undefined
    : { attemptId, purpose, isOnPage: page !== undefined }
}

/** The reference of a capture or a cancel. Its own purpose is no question any more. */
export const operationReferenceOf = (attemptId: string, operation: "capture" | "cancel"): string =>
  `${attemptId}.${operation}`

const operationForm = /^([^.]+)\.(?:capture|cancel|taken|held)(?:\.page)?$/u

/** The attempt that a reference of any of these names; `undefined` for a reference of somebody else's. */
export const attemptOf = (reference: string): string | undefined => operationForm.exec(reference)?.[1]
