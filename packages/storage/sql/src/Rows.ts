/** The rows of all tables, in the form in which one database keeps them. */
import type * as Model from "@pointsman/core"
import { emailKey, loginKey } from "@pointsman/core/internal"
import type * as Ports from "@pointsman/core/ports"
import type { BookColumns } from "./BookText.ts"
import {
  alike,
  bindJson,
  type Columns,
  columnOf,
  computed,
  type Fields,
  type Form,
  json,
  makeParts,
  moneyIn,
  type Owner,
  optional,
  type Parts,
  partOf,
  type Row,
  readJson,
  recordOf
} from "./Columns.ts"
import { makeDirectoryRows } from "./DirectoryRows.ts"
import { eventRows } from "./EventRows.ts"
import { makeRunRows, makeSettlementRows } from "./SettlementRows.ts"

export type Rows<V> = ReturnType<typeof makeRows<V>>

export const makeRows = <V>(form: Form<V>) => {
  const parts = makeParts(form)
  const { tenant, value } = parts
  const rate = recordOf<Ports.StoredRate, V, "tenant" | "rate">(alike(value, "connection_id", "segment", "version"), {
    tenant,
    rate: recordOf<Model.SuccessRate, V>({ ...alike(value, "succeeded", "failed", "at"), memory: optional(json) })
  })
  return {
    ...parts,
    ...makeDisputeRows(parts),
    ...eventRows,
    ...makeMessageRows(parts),
    ...makeDirectoryRows(parts),
    ...makeDeliveryRows(parts),
    ...makeMerchantRows(parts),
    ...makeSettlementRows(parts),
    ...makeRunRows(parts),
    ...makeOperatorRows(parts),
    payment: recordOf<Omit<BookColumns, "id" | "tenant">, V, "money">(
      {
        ...alike(value, "version", "state", "created_at", "reference", "connection_id"),
        ...alike(value, "authorized_minor", "captured_minor", "refunded_minor", "refund_pending_minor")
      },
      { money: moneyIn("amount_minor", "currency") }
    ),
    rateColumns: rate.columns,
    readRate: rate.read,
    audit: recordOf<Ports.AuditEntry, V>(
      alike(value, "number", "at", "actor", "via", "action", "subject", "details", "previous", "hash")
    )
  }
}

const makeMerchantRows = <V>({ bindText, readBoolean, value }: Parts<V>) => {
  const merchant = recordOf<Model.Merchant, V>({
    ...alike(value, "partner_id", "id", "workspace_id", "name", "email", "country", "category"),
    ...alike(value, "invitation_hash", "created_at")
  })
  const merchantColumns: Columns<Model.Merchant, V> = {
    ...merchant.columns,
    email_key: ({ email }) => bindText(emailKey(email))
  }
  return {
    merchantColumns,
    readStanding: (row: Row): Model.MerchantStanding => ({
      merchant: merchant.read(row),
      suspended: readBoolean(row["suspended"]),
      hasLiveKey: readBoolean(row["has_live_key"])
    })
  }
}

/** Disputes: what is searched for as columns, and the whole record as JSON. */
const makeDisputeRows = <V>({ tenant, tenantColumns, value }: Parts<V>) => {
  const searched = recordOf<Pick<Model.Dispute, "paymentId" | "id" | "status" | "checkAt">, V>(
    alike(value, "payment_id", "id", "status", "check_at")
  )
  // With escapes for what a database's text may not hold.
  const disputeColumns: Columns<Model.Dispute, V, Owner> = { ...tenantColumns, ...searched.columns, record: bindJson }
  const evidenceColumns: Columns<Ports.SealedEvidence, V, Owner> = {
    ...tenantColumns,
    ...recordOf<Ports.SealedEvidence, V>(alike(value, "payment_id", "id", "sealed")).columns
  }
  return {
    disputeColumns,
    evidenceColumns,
    readDispute: (row: Row): Model.Dispute => readJson(row["record"]),
    readDueDispute: partOf<Ports.DueDispute, V>({
      tenant,
      paymentId: columnOf("payment_id", value),
      disputeId: columnOf("id", value),
      checkAt: columnOf("check_at", value)
    }).read
  }
}

const makeMessageRows = <V>({ flag, tenant, tenantColumns, value }: Parts<V>) => {
  /** What is written when the message is decided. */
  const decision: Fields<Omit<Ports.MessageNote, "connectionId" | "eventId" | "receivedAt">, V> = {
    ...alike(value, "payment_id", "dispute_id", "reason", "about"),
    ...alike(value, "verdict", "outcome", "written_at", "subject_id")
  }
  const note: Fields<Ports.MessageNote, V> = {
    ...decision,
    ...alike(value, "connection_id", "event_id", "received_at")
  }
  const { columns: noteColumns, read: readNote } = recordOf<Ports.MessageNote, V>(note)
  const decisionColumns: Columns<Ports.MessageNote, V, Owner> = recordOf(decision).columns
  const message = recordOf<Ports.StoredMessage, V>({ ...note, body: value, is_sealed: flag })
  const messageColumns: Columns<Ports.StoredMessage, V, Owner> = { ...tenantColumns, ...message.columns }
  return {
    decisionColumns,
    noteColumns,
    messageColumns,
    readNote,
    readTenantMessage: recordOf<Ports.TenantMessage, V, "tenant">(note, { tenant }).read,
    readMessage: message.read
  }
}

const makeDeliveryRows = <V>({ tenant, value }: Parts<V>) => ({
  readDelivery: recordOf<Model.Delivery, V, "tenant">(
    alike(value, "id", "endpoint_id", "event_id", "state", "failures", "attempts", "due_at", "created_at"),
    { tenant }
  ).read,
  readDeliveryAttempt: recordOf<Model.DeliveryAttempt, V, "end">(
    alike(value, "delivery_id", "number", "sent_at", "ended_at"),
    { end: { columns: {}, read: readEnd } }
  ).read
})

type Failed = Extract<Model.DeliveryEnd, { readonly _tag: "Failed" }>

export const endColumns = (
  end: Model.DeliveryEnd | null
): { readonly status: number | null; readonly failure: string | null } => ({
  status: end?._tag === "Answered" ? end.status : null,
  failure: end?._tag === "Failed" ? end.failure : null
})

const readEnd = ({ failure, status }: Row): Model.DeliveryEnd | null => {
  if (status !== null) return { _tag: "Answered", status: status as number }
  return failure === null ? null : { _tag: "Failed", failure: failure as Failed["failure"] }
}

const makeOperatorRows = <V>({ bindText, flag, value }: Parts<V>) => {
  const operator = recordOf<Model.Operator, V>({
    ...alike(value, "id", "login", "display_name", "password_hash", "identity", "version", "created_at"),
    active: flag,
    grants: json
  })
  const operatorColumns: Columns<Model.Operator, V> = {
    ...operator.columns,
    login_key: ({ login }) => bindText(loginKey(login))
  }
  /** None of its columns has the name of one of an operator's: both are read as one row. */
  const session = recordOf<Model.OperatorSession, V, "createdAt">(
    alike(value, "hash", "operator_id", "method", "seen_at"),
    {
      createdAt: columnOf("signed_in_at", value)
    }
  )
  return {
    operatorColumns,
    readOperator: operator.read,
    session,
    readSignedIn: (row: Row): Ports.SignedIn => ({ session: session.read(row), operator: operator.read(row) }),
    link: recordOf<Model.SignInLink, V>(alike(value, "hash", "operator_id", "created_at", "expires_at")),
    readGuesses: recordOf<Ports.GuessCount, V>(alike(computed, "since", "count")).read,
    passkey: recordOf<Model.Passkey, V>({
      ...alike(value, "id", "operator_id", "name", "public_key", "counter", "created_at", "used_at"),
      transports: json
    }),
    challenge: recordOf<Model.PasskeyChallenge, V>(alike(value, "hash", "operator_id", "expires_at"))
  }
}
