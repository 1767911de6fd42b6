/** The rows of all tables, in the form in which one database keeps them. */
import type {
  Delivery,
  DeliveryAttempt,
  DeliveryEnd,
  Dispute,
  Merchant,
  MerchantStanding,
  Operator,
  OperatorSession,
  Passkey,
  PasskeyChallenge,
  SignInLink,
  SuccessRate
} from "@pointsman/core"
import { emailKey, loginKey } from "@pointsman/core/internal"
import type {
  AuditEntry,
  DueDispute,
  GuessCount,
  MessageNote,
  SealedEvidence,
  SignedIn,
  StoredMessage,
  StoredRate,
  TenantMessage
} from "@pointsman/core/ports"
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
  plain,
  type Row,
  readJson,
  recordOf
} from "./Columns.ts"
import { makeDirectoryRows } from "./DirectoryRows.ts"
import { makeEventRows } from "./EventRows.ts"
import { makeRunRows, makeSettlementRows } from "./SettlementRows.ts"

export type Rows<V> = ReturnType<typeof makeRows<V>>

export const makeRows = <V>(form: Form<V>) => {
  const parts = makeParts(form)
  const { tenant, text, textOrNull } = parts
  const rate = recordOf<StoredRate, V, "tenant" | "rate">(
    { connection_id: text, segment: text, version: plain },
    {
      tenant,
      rate: recordOf<SuccessRate, V>({ succeeded: plain, failed: plain, at: plain, memory: optional(json) })
    }
  )
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
    ...makeOperatorRows(parts),
    payment: recordOf<Omit<BookColumns, "id" | "tenant">, V, "money">(
      {
        ...alike(plain, "version", "state", "created_at"),
        ...alike(plain, "authorized_minor", "captured_minor", "refunded_minor", "refund_pending_minor"),
        ...alike(textOrNull, "reference", "connection_id")
      },
      { money: moneyIn("amount_minor", "currency") }
    ),
    rateColumns: rate.columns,
    readRate: rate.read,
    audit: recordOf<AuditEntry, V>({
      ...alike(text, "actor", "subject"),
      ...alike(plain, "number", "at", "via", "action", "details", "previous", "hash")
    })
  }
}

const makeMerchantRows = <V>({ bindText, readBoolean, text, textOrNull }: Parts<V>) => {
  const merchant = recordOf<Merchant, V>({
    ...alike(text, "partner_id", "id", "workspace_id", "name", "email", "country", "invitation_hash"),
    category: textOrNull,
    created_at: plain
  })
  const merchantColumns: Columns<Merchant, V> = {
    ...merchant.columns,
    email_key: ({ email }) => bindText(emailKey(email))
  }
  return {
    merchantColumns,
    readStanding: (row: Row): MerchantStanding => ({
      merchant: merchant.read(row),
      suspended: readBoolean(row["suspended"]),
      hasLiveKey: readBoolean(row["has_live_key"])
    })
  }
}

/** Disputes: what is searched for as columns, and the whole record as JSON. */
const makeDisputeRows = <V>({ tenant, tenantColumns, text }: Parts<V>) => {
  const ids = { payment_id: text, id: text }
  const searched = recordOf<Pick<Dispute, "paymentId" | "id" | "status" | "checkAt">, V>({
    ...ids,
    status: plain,
    check_at: plain
  })
  // With escapes for what a database's text may not hold.
  const disputeColumns: Columns<Dispute, V, Owner> = { ...tenantColumns, ...searched.columns, record: bindJson }
  const evidenceColumns: Columns<SealedEvidence, V, Owner> = {
    ...tenantColumns,
    ...recordOf<SealedEvidence, V>({ ...ids, sealed: text }).columns
  }
  return {
    disputeColumns,
    evidenceColumns,
    readDispute: (row: Row): Dispute => readJson(row["record"]),
    readDueDispute: partOf<DueDispute, V>({
      tenant,
      paymentId: columnOf("payment_id", text),
      disputeId: columnOf("id", text),
      checkAt: columnOf("check_at", plain)
    }).read
  }
}

const makeMessageRows = <V>({ flag, tenant, tenantColumns, text, textOrNull }: Parts<V>) => {
  /** What is written when the message is decided. */
  const decision: Fields<Omit<MessageNote, "connectionId" | "eventId" | "receivedAt">, V> = {
    ...alike(textOrNull, "payment_id", "dispute_id", "reason"),
    ...alike(plain, "about", "verdict", "outcome", "written_at"),
    subject_id: text
  }
  const note: Fields<MessageNote, V> = { connection_id: text, event_id: text, ...decision, received_at: plain }
  const { columns: noteColumns, read: readNote } = recordOf<MessageNote, V>(note)
  const decisionColumns: Columns<MessageNote, V, Owner> = recordOf(decision).columns
  const message = recordOf<StoredMessage, V>({ ...note, body: text, is_sealed: flag })
  const messageColumns: Columns<StoredMessage, V, Owner> = { ...tenantColumns, ...message.columns }
  return {
    decisionColumns,
    noteColumns,
    messageColumns,
    readNote,
    readTenantMessage: recordOf<TenantMessage, V, "tenant">(note, { tenant }).read,
    readMessage: message.read
  }
}

const makeDeliveryRows = <V>({ tenant, text }: Parts<V>) => ({
  readDelivery: recordOf<Delivery, V, "tenant">(
    {
      ...alike(text, "id", "endpoint_id", "event_id"),
      ...alike(plain, "state", "failures", "attempts", "due_at", "created_at")
    },
    { tenant }
  ).read,
  readDeliveryAttempt: recordOf<DeliveryAttempt, V, "end">(
    { delivery_id: text, number: plain, sent_at: plain, ended_at: plain },
    { end: { columns: {}, read: readEnd } }
  ).read
})

type Failed = Extract<DeliveryEnd, { readonly _tag: "Failed" }>

export const endColumns = (
  end: DeliveryEnd | null
): { readonly status: number | null; readonly failure: string | null } => ({
  status: end?._tag === "Answered" ? end.status : null,
  failure: end?._tag === "Failed" ? end.failure : null
})

const readEnd = ({ failure, status }: Row): DeliveryEnd | null => {
  if (status !== null) return { _tag: "Answered", status: status as number }
  return failure === null ? null : { _tag: "Failed", failure: failure as Failed["failure"] }
}

const makeOperatorRows = <V>({ bindText, flag, text, textOrNull }: Parts<V>) => {
  const operator = recordOf<Operator, V>({
    ...alike(text, "id", "login", "display_name"),
    ...alike(textOrNull, "password_hash", "identity"),
    ...alike(plain, "version", "created_at"),
    active: flag,
    grants: json
  })
  const operatorColumns: Columns<Operator, V> = {
    ...operator.columns,
    login_key: ({ login }) => bindText(loginKey(login))
  }
  /** None of its columns has the name of one of an operator's: both are read as one row. */
  const session = recordOf<OperatorSession, V, "createdAt">(
    { hash: plain, operator_id: text, method: plain, seen_at: plain },
    { createdAt: columnOf("signed_in_at", plain) }
  )
  return {
    operatorColumns,
    readOperator: operator.read,
    session,
    readSignedIn: (row: Row): SignedIn => ({ session: session.read(row), operator: operator.read(row) }),
    link: recordOf<SignInLink, V>({ hash: plain, operator_id: text, created_at: plain, expires_at: plain }),
    readGuesses: recordOf<GuessCount, V>({ since: computed, count: computed }).read,
    passkey: recordOf<Passkey, V>({
      ...alike(text, "id", "operator_id", "name"),
      ...alike(plain, "public_key", "counter", "created_at", "used_at"),
      transports: json
    }),
    challenge: recordOf<PasskeyChallenge, V>({ hash: plain, operator_id: textOrNull, expires_at: plain })
  }
}
