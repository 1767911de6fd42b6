/** Providers' messages: how one is stored before it is applied, the two ways in which it is decided, and how texts are erased. */
import type { Tenant } from "@pointsman/core"
import * as Ports from "@pointsman/core/ports"
import { insertInto, list, type Row, valuesOf } from "@pointsman/storage-sql"
import { Effect, Option, Result } from "effect"
import { versionOf } from "./Books.ts"
import { type Database, read, update, write } from "./Database.ts"
import { bindEventId, bindId, bindTenant, bindText, rows, tenantHash } from "./Rows.ts"

const insert = `${insertInto("messages", Object.keys(rows.messageColumns))} on conflict do nothing`
const bindMessage = valuesOf(rows.messageColumns)

const isMessage = "workspace_id = ? and environment = ? and connection_id = ? and event_id = ?"
const decide = `update messages set ${list(Object.keys(rows.decisionColumns).map((column) => `${column} = ?`))}
  where ${isMessage} and outcome = ?`
const bindDecision = valuesOf(rows.decisionColumns)

type MessageKey = Pick<Ports.MessageNote, "connectionId" | "eventId">

const keyOf = (tenant: Tenant, { connectionId, eventId }: MessageKey) => [
  ...bindTenant(tenant),
  bindText(connectionId),
  bindText(eventId)
]

export const outcomeOf = (db: Database, tenant: Tenant, message: MessageKey) =>
  selectMessage(db, tenant, message)?.["outcome"] as Ports.MessageOutcome | undefined

export const decideMessage = (db: Database, tenant: Tenant, { after, expected }: Ports.MessageDecision): void =>
  void db.prepare(decide).run(...bindDecision(after, { tenant }), ...keyOf(tenant, after), expected)

const selectMessage = (db: Database, tenant: Tenant, message: MessageKey): Row | undefined =>
  db.prepare(`select * from messages where ${isMessage}`).get(...keyOf(tenant, message))

const replaceData = "update events set data = ? where t = ? and id = ? and payment = ?"
const forgetMetadata = "delete from payment_metadata where t = ? and payment = ?"
/** An empty body is not sealed: there is nothing to decrypt. */
const emptyBodies = `update messages indexed by messages_by_payment set body = '', is_sealed = 0
  where payment_id = ? and workspace_id = ? and environment = ? and body <> ''`

export const messagesIn = (db: Database) =>
  ({
    storeMessage: (tenant, message) =>
      write(db, "storeMessage", (): Result.Result<Option.Option<Ports.MessageNote>> => {
        const { changes } = db.prepare(insert).run(...bindMessage(message, { tenant }))
        const earlier = changes === 0 ? selectMessage(db, tenant, message) : undefined
        return Result.succeed(Option.map(Option.fromUndefinedOr(earlier), rows.readNote))
      }),
    keepMessage: (tenant, message, seen) =>
      write(db, "keepMessage", () => {
        const isMoved = seen !== null && versionOf(db, tenant, seen.paymentId) !== seen.version
        const refusal = Ports.messageRefusal(message, outcomeOf(db, tenant, message.after))
        if (refusal !== undefined || isMoved) return Result.fail(refusal ?? new Ports.Stale())
        return Result.succeed(decideMessage(db, tenant, message))
      }),
    message: (tenant, connectionId, eventId) =>
      Effect.map(
        read("message", () => selectMessage(db, tenant, { connectionId, eventId })),
        (row) => Option.map(Option.fromUndefinedOr(row), rows.readMessage)
      ),
    /** Of a payment: those that its own row does not hold. */
    eraseTexts: (tenant, { events, paymentId }) =>
      update(db, "eraseTexts", () => {
        const t = tenantHash(tenant)
        const replace = db.prepare(replaceData)
        for (const { data, id } of events) replace.run(JSON.stringify(data), t, bindEventId(id), bindId(paymentId))
        db.prepare(forgetMetadata).run(t, bindId(paymentId))
        return Number(db.prepare(emptyBodies).run(bindText(paymentId), ...bindTenant(tenant)).changes)
      })
  }) satisfies Partial<Ports.Ledger["Service"]>
