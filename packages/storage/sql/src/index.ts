/** What the SQL storages share: the rows of their tables, and what is kept of the directory. */

export * from "./Acknowledged.ts"
export { claimText, readClaimText } from "./AnswerText.ts"
export { makeAudit } from "./Audit.ts"
export * from "./BookText.ts"
export * from "./Checks.ts"
export {
  afterAll,
  type Bound,
  type Columns,
  entryKey,
  type Form,
  list,
  type Owner,
  onConflictReplace,
  type Part,
  type Row,
  readJson,
  valuesOf
} from "./Columns.ts"
export { type DeliveriesOfPayment, endpointsAndFirst, makeDeliveries } from "./Deliveries.ts"
export { makeDirectory, type Snapshot, snapshotOf } from "./Directory.ts"
export { type DirectoryTable, directoryState, directoryTables } from "./DirectoryRows.ts"
export { type DirectoryForm, makeDirectoryWrites, type Resume, resumeOf } from "./DirectoryWrites.ts"
export { makeDisputes } from "./Disputes.ts"
export { numberOfType } from "./EventRows.ts"
export { eventPrefix, makeKeys, type Name, uuidOf } from "./Keys.ts"
export { makeMerchants } from "./Merchants.ts"
export { makeMessages, messageWalk } from "./Messages.ts"
export { isAboutCharge, nameKinds, namesOf, withName } from "./NamedBooks.ts"
export { makeOperators, makePasskeys } from "./Operators.ts"
export { makePaymentReads, makeReadBook, type PaymentForm } from "./PaymentReads.ts"
export { makePaymentSearch, newestPage, type SearchForm, type Walk } from "./PaymentSearch.ts"
export { makeRecordLosses, readNewestLoss, selectNewestLoss } from "./RecordLoss.ts"
export * from "./Retention.ts"
export { endColumns, makeRows } from "./Rows.ts"
export { migrationsTable, newestOf, schemaIn } from "./Schema.ts"
export { type CheckoutForm, makeSealedTexts, type SealedForm, sealedPlaces } from "./SealedTexts.ts"
export { makeSettlements, mayLeaveEntry, type SettlementForm } from "./Settlements.ts"
export { insertInto, oneByOne, type Query, readOne, repeatable, type Sql, type Statement } from "./Sql.ts"
export { makeSuccessRates } from "./SuccessRates.ts"
