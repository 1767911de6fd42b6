/**
 * What the routes check and say, for an entry point in the same process that has no request: the caller of a function
 * is refused for the same reasons, and told so in the same words.
 */
export { asOfHeader } from "./AsOf.ts"
export { suspended } from "./AuthorizeRequest.ts"
export { type CorrectionView, correctionView } from "./CorrectionView.ts"
export { decodeCreate } from "./CreatePaymentRequest.ts"
export { messageOf as disputeMessageOf } from "./DisputeHandlers.ts"
export { disputeView } from "./DisputeView.ts"
export { isEvidenceForm, readEvidence } from "./EvidenceForm.ts"
export { createExpectations, queryExpectations, validationError, validationErrorOf } from "./Expectations.ts"
export { Html, html } from "./hosted/Html.ts"
export { messageOf } from "./OperationHandlers.ts"
export { decodeCapture, decodeRefund } from "./OperationRequest.ts"
export { eventView, pageView } from "./PageView.ts"
export { filterOf } from "./PaymentFilter.ts"
export { keyRequired } from "./PaymentHandlers.ts"
export { exclusionView, PaymentViews, refundViews, timeView } from "./PaymentView.ts"
export { refuseUnknownParameters } from "./QueryParameters.ts"
export { balanceView, entryView, payoutEntryView, payoutView, runView } from "./ReconciliationView.ts"
export { malformedKey } from "./RequestErrors.ts"
export { settlementsOf } from "./SettlementView.ts"
