/**
 * What the routes check and say, for an entry point in the same process that has no request: the caller of a function
 * is refused for the same reasons, and told so in the same words.
 */
export { suspended } from "./AccessErrors.ts"
export { type CorrectionView, correctionView } from "./CorrectionView.ts"
export { decodeCreate } from "./CreatePaymentRequest.ts"
export { errorBodyOf, type FailureOf, type Operation, wordedBodyOf } from "./ErrorTable.ts"
export { isEvidenceForm, readEvidence, readParts } from "./EvidenceForm.ts"
export {
  cardNumberBody,
  createExpectations,
  queryExpectations,
  validationError,
  validationErrorOf
} from "./Expectations.ts"
export { Html, html } from "./hosted/Html.ts"
export { asOfHeader, eventView, filterOf, pageView, refuseUnknownParameters } from "./Lists.ts"
export { decodeCapture, decodeRefund } from "./OperationRequest.ts"
export { disputeView, exclusionView, PaymentViews, refundViews, timeView } from "./PaymentView.ts"
export { readPlace, takePlace, withSearchPlace } from "./ReadPlaces.ts"
export { balanceView, entryView, payoutEntryView, payoutView, runView } from "./ReconciliationView.ts"
export { settlementsOf } from "./SettlementView.ts"
