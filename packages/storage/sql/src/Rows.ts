/** The rows of all tables, in the form in which one database keeps them. */
import type { Passkey, PasskeyChallenge } from "@pointsman/core"
import type { AuditEntry } from "@pointsman/core/ports"
import { type Form, makeParts } from "./Columns.ts"
import { makeDeliveryRows } from "./DeliveryRows.ts"
import { makeDirectoryRows } from "./DirectoryRows.ts"
import { makeDisputeRows } from "./DisputeRows.ts"
import { makeEventRows } from "./EventRows.ts"
import { json, plain, recordOf } from "./Fields.ts"
import { makeMerchantRows } from "./MerchantRows.ts"
import { makeMessageRows } from "./MessageRows.ts"
import { makeOperatorRows } from "./OperatorRows.ts"
import { makeRunRows, makeSettlementRows } from "./SettlementRows.ts"
import { makeSuccessRateRows } from "./SuccessRateRows.ts"

export type Rows<V> = ReturnType<typeof makeRows<V>>

export const makeRows = <V>(form: Form<V>) => {
  const parts = makeParts(form)
  const { text, textOrNull } = parts
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
    ...makeOperatorRows(parts),
    audit: recordOf<AuditEntry, V>({
      number: plain(),
      at: plain(),
      actor: text,
      via: plain(),
      action: plain(),
      subject: text,
      details: plain(),
      previous: plain(),
      hash: plain()
    }),
    passkey: recordOf<Passkey, V>({
      id: text,
      operator_id: text,
      name: text,
      public_key: plain(),
      counter: plain(),
      transports: json(),
      created_at: plain(),
      used_at: plain()
    }),
    challenge: recordOf<PasskeyChallenge, V>({ hash: plain(), operator_id: textOrNull, expires_at: plain() })
  }
}
