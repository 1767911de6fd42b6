/** The rows of all tables, in the form in which one database keeps them. */
import { makeAuditRows } from "./AuditRows.ts"
import { type Form, makeParts } from "./Columns.ts"
import { makeDeliveryRows } from "./DeliveryRows.ts"
import { makeDirectoryRows } from "./DirectoryRows.ts"
import { makeDisputeRows } from "./DisputeRows.ts"
import { makeEventRows } from "./EventRows.ts"
import { makeMerchantRows } from "./MerchantRows.ts"
import { makeMessageRows } from "./MessageRows.ts"
import { makeOperatorRows } from "./OperatorRows.ts"
import { makePasskeyRows } from "./PasskeyRows.ts"
import { makeRunRows, makeSettlementRows } from "./SettlementRows.ts"
import { makeSuccessRateRows } from "./SuccessRateRows.ts"

export type Rows<V> = ReturnType<typeof makeRows<V>>

export const makeRows = <V>(form: Form<V>) => {
  const parts = makeParts(form)
  return {
    ...parts,
    ...makeDisputeRows(parts),
    ...makeEventRows(),
    ...makeMessageRows(parts),
    ...makeDirectoryRows(parts),
    ...makeDeliveryRows(parts),
    ...makeMerchantRows(parts),
    ...makeSettlementRows(parts),
    ...makeRunRows(parts),
    ...makeSuccessRateRows(parts),
    ...makeAuditRows(parts),
    ...makeOperatorRows(parts),
    ...makePasskeyRows(parts)
  }
}
