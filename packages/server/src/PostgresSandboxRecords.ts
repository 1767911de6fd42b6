/**
 * The simulated provider's record in two tables of a PostgreSQL database that servers share.
 *
 * A step is pure, so that it may be played again. It is decided on the
 * record as it was read, and written only where the record is still that one; the second writer plays again.
 */

import { ChargeRecord, SandboxRecords, SandboxRecordsError } from "@pointsman/connector-sandbox"
import { Effect, type Redacted, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { openSideClient } from "./SideClient.ts"

/** "pointsbx" in ASCII: an advisory lock of our own. Two servers that make a table at once are in each other's way. */
const makeTables = `do $$ begin
  perform pg_advisory_xact_lock(8101810177783849592);
  if to_regclass('pointsman_sandbox_refunds') is null then
    create table if not exists pointsman_sandbox_charges (
      connection_id text not null, attempt_id text not null, payment_id text not null, document text not null,
      primary key (connection_id, attempt_id)
    );
    create index if not exists pointsman_sandbox_charges_payment on pointsman_sandbox_charges (payment_id);
    create table pointsman_sandbox_refunds (
      connection_id text not null, refund_id text not null, attempt_id text not null,
      primary key (connection_id, refund_id)
    );
  end if;
  if to_regclass('pointsman_sandbox_account') is null then
    create table pointsman_sandbox_account (id text primary key);
    insert into pointsman_sandbox_account values (gen_random_uuid()::text);
  end if;
end $$`

const readCharge = "select document from pointsman_sandbox_charges where connection_id = $1 and attempt_id = $2"
const readCharges = "select document from pointsman_sandbox_charges where payment_id = $1"
const readChargesOf = "select document from pointsman_sandbox_charges where connection_id = $1"
const readByReference = `select document from pointsman_sandbox_charges
  where starts_with(document::json #>> '{told,reference}', $1)`
const readAccount = "select id from pointsman_sandbox_account"
const readRefund = "select attempt_id from pointsman_sandbox_refunds where connection_id = $1 and refund_id = $2"

/** Answers with a row where the charge was as `$5` says, or was not there and `$5` is null. */
const write = `with put as (
    insert into pointsman_sandbox_charges as stored (connection_id, attempt_id, payment_id, document)
    values ($1::text, $2::text, $3::text, $4::text)
    on conflict (connection_id, attempt_id) do update set document = excluded.document
      where stored.document = $5::text
    returning attempt_id
  ), refunded as (
    insert into pointsman_sandbox_refunds (connection_id, refund_id, attempt_id)
    select $1::text, refund_id, attempt_id from put, json_array_elements_text($6::json) as refund_id
    on conflict do nothing
  )
  select attempt_id from put`

/** A few calls of the simulator at once; each takes two statements of well under a millisecond. */
const maxConnections = 4
const statementTimeoutMillis = 10_000

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(ChargeRecord))

/** Without the server's details, which quote rows. */
const failed = (operation: string) => (error: SqlError) => {
  const { cause } = error.reason
  return new SandboxRecordsError({
    operation,
    cause: new Error(cause instanceof Error ? cause.message : error.message)
  })
}

/** Makes the tables where they are missing. */
export const openRecords = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const options = { url, applicationName: "pointsman sandbox", maxConnections, statementTimeoutMillis, makeTables }
  const client = yield* Effect.mapError(openSideClient(options), failed("open"))

  const query = (operation: string, sql: string, params: ReadonlyArray<string | null>) =>
    Effect.mapError(client.unsafe<Readonly<Record<string, string>>>(sql, params), failed(operation))
  const decoded = (operation: string, document: string | undefined) =>
    Effect.mapError(decode(document), (cause) => new SandboxRecordsError({ operation, cause }))

  const playAt = <A>(
    operation: string,
    connectionId: string,
    attemptId: string,
    step: Parameters<typeof SandboxRecords.Service.playCharge<A>>[2]
  ): Effect.Effect<A | null, SandboxRecordsError> =>
    Effect.gen(function* () {
      while (true) {
        const [stored] = yield* query(operation, readCharge, [connectionId, attemptId])
        const before = stored === undefined ? undefined : yield* decoded(operation, stored["document"])
        const { answer, record } = step(before)
        if (record === undefined || record === before) return answer
        const written = yield* query(operation, write, [
          connectionId,
          attemptId,
          record.paymentId,
          JSON.stringify(record),
          stored?.["document"] ?? null,
          JSON.stringify(record.refunds.map((refund) => refund.id))
        ])
        if (written.length > 0) return answer
      }
    })

  return SandboxRecords.of({
    account: Effect.map(query("account", readAccount, []), ([row]) => `sandbox_${row?.["id"]}`),
    playCharge: (connectionId, attemptId, step) => playAt("playCharge", connectionId, attemptId, step),
    playRefund: (connectionId, refundId, step) =>
      Effect.flatMap(query("playRefund", readRefund, [connectionId, refundId]), ([refund]) =>
        refund?.["attempt_id"] === undefined
          ? Effect.sync(() => step(undefined).answer)
          : playAt("playRefund", connectionId, refund["attempt_id"], step)
      ),
    charges: (paymentId) =>
      Effect.flatMap(query("charges", readCharges, [paymentId]), (rows) =>
        Effect.forEach(rows, (row) => decoded("charges", row["document"]))
      ),
    chargesOf: (connectionId) =>
      Effect.flatMap(query("chargesOf", readChargesOf, [connectionId]), (rows) =>
        Effect.forEach(rows, (row) => decoded("chargesOf", row["document"]))
      ),
    chargesByReference: (beginning) =>
      Effect.flatMap(query("chargesByReference", readByReference, [beginning]), (rows) =>
        Effect.forEach(rows, (row) => decoded("chargesByReference", row["document"]))
      )
  })
})
