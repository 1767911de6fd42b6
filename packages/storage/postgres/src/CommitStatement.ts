/**
 * The text of a commit, and what it binds: one text for each shape of a change, for one change or for many of that
 * shape at once.
 *
 * The rule that a reader would otherwise break: all parts of a statement see the database as it was when the statement
 * began. So the checks come first, all of them and in the port's order, and where one refuses nothing of that change is
 * written. Where all agree, another statement may still come between: then the first write finds nothing to do, and all
 * that hangs on it neither; a later one that finds nothing takes everything back by an error.
 *
 * Rows are locked in one order by every statement: claims by their keys, then messages, then payments by their ids, each
 * kind whole before the next. So no two statements wait for each other.
 *
 * Each value is a parameter of its own: to take a JSON document of them apart was a quarter of the statement's time.
 */
import type { Claim, EventDraft, Payment } from "@pointsman/core"
import { type NamedReference, referencesOf, refundTotals } from "@pointsman/core/internal"
import type { Change, MessageNote } from "@pointsman/core/ports"
import { type Columns, entryKey, list, type Owner, onConflictReplace, tenantKey } from "@pointsman/storage-sql"
import { bindText, bindValue, rows, typeOf, type Value } from "./Rows.ts"

/** With what SQLite derives itself, or writes later. */
const paymentColumns: Columns<Payment, Value, Owner> = {
  ...rows.paymentColumns,
  refunded_minor: ({ refundedMinor }) => refundedMinor,
  refund_pending_minor: ({ refundPendingMinor }) => refundPendingMinor,
  page_token_hash: ({ hosted }) => hosted?.tokenHash ?? null,
  review_since: ({ review }) => review?.since ?? null
}

/** What decides about the text of the statement. */
export interface Shape {
  readonly apiKey: boolean
  readonly claim: "none" | "new" | "moved"
  readonly message: boolean
  readonly payment: "new" | "moved"
  /** Of charges; the payment takes as many of them, the first ones. */
  readonly references: number
  readonly taken: number
  readonly attempts: number
  readonly operations: number
  readonly refunds: number
  readonly events: number
}

/** An event, with the id that was drawn for it and the one that its deliveries' ids are made of. */
export interface DrawnEvent {
  readonly draft: EventDraft
  readonly id: string
  readonly seed: string
}

/** A change with all that its statement is made of. */
export interface DrawnChange {
  readonly change: Change
  readonly shape: Shape
  readonly events: ReadonlyArray<DrawnEvent>
  readonly references: ReadonlyArray<NamedReference>
}

export const drawnChange = (change: Change, events: ReadonlyArray<DrawnEvent>): DrawnChange => {
  const { apiKeyHash, attempts, claim, message, operations, payment, refunds } = change
  const references = referencesOf(payment.after, attempts)
  return {
    change,
    references,
    shape: {
      apiKey: apiKeyHash !== undefined,
      claim: claim === undefined ? "none" : claim.expected === 0 ? "new" : "moved",
      message: message !== undefined,
      payment: payment.expected === 0 ? "new" : "moved",
      references: references.length,
      taken: references.filter(({ isTaken }) => isTaken).length,
      attempts: attempts.length,
      operations: operations?.length ?? 0,
      refunds: refunds?.length ?? 0,
      events: events.length
    },
    events
  }
}

export const nameOf = (shape: Shape): string => {
  const { apiKey, attempts, claim, events, message, operations, payment, references, refunds, taken } = shape
  return `${apiKey} ${claim} ${message} ${payment} ${references} ${taken} ${attempts} ${operations} ${refunds} ${events}`
}

/** What the statement says of a change. */
export type Word = "Sound" | "ApiKeyRevoked" | "KeyTaken" | "MessageTaken" | "Stale" | "ReferenceTaken" | "Unbalanced"

export interface Statement {
  readonly sql: string
  /** Its parameters, in their order. */
  readonly bind: (changes: ReadonlyArray<DrawnChange>) => ReadonlyArray<string | null>
}

export const statementForOne = (shape: Shape): Statement => statement(shape, false)

/** Of changes that share no payment and no key. Its rows say with `n` which change they are about, from 1. */
export const statementForMany = (shape: Shape): Statement => statement(shape, true)

type Read = (from: DrawnChange) => string | null

/** Where a row's record is in the change, and what is taken of it. */
interface Source<A> {
  readonly columns: Columns<A, Value, Owner>
  readonly of: (change: Change) => A | undefined
}

const payment: Source<Payment> = { columns: paymentColumns, of: (change) => change.payment.after }
const claim: Source<Claim> = { columns: rows.claimColumns, of: (change) => change.claim?.after }
const message: Source<MessageNote> = { columns: rows.noteColumns, of: (change) => change.message?.after }
const decision: Source<MessageNote> = { columns: rows.decisionColumns, of: message.of }

const statement = (shape: Shape, isMany: boolean): Statement => {
  const reads: Array<Read> = []
  const types: Array<string> = []
  /** A value of the change: of many changes it is a column of `verdict`. */
  const place = (type: string, read: Read): string => {
    types.push(type)
    const number = reads.push(read)
    return isMany ? `i.c${number}` : `$${number}::${type}`
  }
  const workspace = place("text", ({ change }) => bindText(change.tenant.workspaceId))
  const environment = place("text", ({ change }) => change.tenant.environment)
  const paymentId = place("text", ({ change }) => bindText(change.payment.after.id))
  const ofTenant = (table: string) => `${table}.workspace_id = ${workspace} and ${table}.environment = ${environment}`
  const shared: Readonly<Record<string, string>> = { workspace_id: workspace, environment, payment_id: paymentId }

  const value = <A>({ columns, of }: Source<A>, column: string): string => {
    const known = shared[column]
    if (known !== undefined) return known
    const take = columns[column] as Columns<A, Value, Owner>[string]
    return place(typeOf(column), ({ change }) => {
      const record = of(change)
      return record === undefined ? null : bindValue(take(record, change))
    })
  }
  const values = <A>(source: Source<A>): string =>
    list(Object.keys(source.columns).map((column) => value(source, column)))
  /** The keys of a row stay as they are. */
  const assignments = <A>(source: Source<A>): string =>
    list(
      Object.keys(source.columns)
        .filter((column) => ![...tenantKey, "id", "key"].includes(column))
        .map((column) => `${column} = ${value(source, column)}`)
    )

  const claimKey = shape.claim === "none" ? "" : value(claim, "key")
  const claimVersion =
    shape.claim === "moved" ? place("bigint", ({ change: { claim } }) => String(claim?.expected ?? 0)) : ""
  const connection = shape.message ? value(message, "connection_id") : ""
  const messageId = shape.message ? value(message, "event_id") : ""
  const outcome = shape.message ? place("text", ({ change }) => change.message?.expected ?? null) : ""
  const version = shape.payment === "moved" ? place("bigint", ({ change }) => String(change.payment.expected)) : ""

  const isClaim = (table: string) => `${ofTenant(table)} and ${table}.key = ${claimKey}`
  const isPayment = (table: string) => `${ofTenant(table)} and ${table}.id = ${paymentId}`
  const isMessage = (table: string) =>
    `${ofTenant(table)} and ${table}.connection_id = ${connection} and ${table}.event_hash = md5(${messageId})`

  /** The checks, in the port's order. */
  const checks: Array<string> = []
  if (shape.apiKey) {
    const hash = place("text", ({ change }) => bindText(change.apiKeyHash ?? ""))
    checks.push(
      `when not exists (select 1 from api_keys where hash = ${hash} and revoked_at is null) then 'ApiKeyRevoked'`
    )
  }
  const storedClaim = `(select version from claims where ${isClaim("claims")})`
  if (shape.claim === "new") checks.push(`when ${storedClaim} is not null then 'KeyTaken'`)
  if (shape.claim === "moved") checks.push(`when ${storedClaim} is distinct from ${claimVersion} then 'Stale'`)
  if (shape.message) {
    const stored = `(select outcome from messages where ${isMessage("messages")})`
    checks.push(`when ${stored} is null then 'Stale'`, `when ${stored} <> ${outcome} then 'MessageTaken'`)
  }
  const storedPayment = `(select version from payments where ${isPayment("payments")})`
  checks.push(`when ${storedPayment} is ${version === "" ? "not null" : `distinct from ${version}`} then 'Stale'`)
  const references = Array.from({ length: shape.references }, (_, index) => {
    const part = (read: (reference: NamedReference) => string) =>
      place("text", ({ references }) => (references[index] === undefined ? null : bindText(read(references[index]))))
    const connection = part(({ connectionId }) => connectionId)
    const providerRef = part(({ providerRef }) => providerRef)
    const holder = `charge_references as r where ${ofTenant("r")} and r.connection_id = ${connection}
      and r.reference_hash = md5(${providerRef})`
    return { connection, providerRef, holder }
  })
  for (const { connection, holder, providerRef } of references) {
    checks.push(`when exists (select 1 from ${holder} and r.payment_id <> ${paymentId}) and not exists (
      select 1 from payments
      where ${isPayment("payments")} and payments.connection_id = ${connection} and provider_ref = ${providerRef}
    ) then 'ReferenceTaken'`)
  }
  if (shape.refunds > 0) {
    // What the refunds that are stored and stay as they are must add up to. Where the change writes none, a trigger
    // compares what the payment says with what is stored.
    const rest = (of: (change: Change) => number) => place("bigint", ({ change }) => String(of(change)))
    const refunded = rest(
      ({ payment, refunds = [] }) => payment.after.refundedMinor - refundTotals(refunds).refundedMinor
    )
    const pending = rest(
      ({ payment, refunds = [] }) => payment.after.refundPendingMinor - refundTotals(refunds).refundPendingMinor
    )
    const written = Array.from({ length: shape.refunds }, (_, index) =>
      value({ columns: rows.refundColumns, of: ({ refunds }) => refunds?.[index] }, "id")
    )
    checks.push(`when not (
      select coalesce(sum(amount_minor) filter (where balance = 'refunded'), 0) = ${refunded}
        and coalesce(sum(amount_minor) filter (where balance = 'pending'), 0) = ${pending}
      from refunds where ${ofTenant("refunds")} and refunds.payment_id = ${paymentId}
        and refunds.id not in (${written.join(", ")})
    ) then 'Unbalanced'`)
  }

  // Each write hangs on the one before it. What a write did is asked of `<name>`; of many changes it says their `n`.
  const writes: Array<string> = []
  let gate = isMany ? "(select n from verdict where word = 'Sound')" : "(select 1 from verdict where word = 'Sound')"
  /** Where the values of a write come from: the changes that went through the gate. */
  const behindGate = () => (isMany ? `verdict as i join ${gate} as gate using (n)` : `${gate} as gate`)
  const gates: Array<string> = []
  const through = (name: string) => {
    gate = name
    gates.push(name)
  }
  /** Another row that has its key already is left as it is. */
  const inserted = <A>(
    name: string,
    table: string,
    source: Source<A>,
    key: ReadonlyArray<string>,
    order: ReadonlyArray<string>,
    is: (table: string) => string
  ) => {
    const columns = Object.keys(source.columns)
    const into = `insert into ${table} (${list(columns)}) select ${values(source)} from ${behindGate()}`
    const unlessTaken = `on conflict (${list(key)}) do nothing`
    if (isMany) {
      const places = order.map((column) => String(columns.indexOf(column) + 1))
      writes.push(
        `inserted_${table} as (${into} order by ${list(places)} ${unlessTaken} returning ${list(key)})`,
        `${name} as materialized (select i.n from verdict as i join inserted_${table} as w on ${is("w")})`
      )
    } else writes.push(`${name} as (${into} ${unlessTaken} returning 1 as one)`)
    through(name)
  }
  const moved = <A>(
    name: string,
    table: string,
    row: Source<A>,
    order: ReadonlyArray<string>,
    is: (table: string) => string,
    expected: string
  ) => {
    let source = behindGate()
    if (isMany) {
      writes.push(`locked_${table} as materialized (
        select i.n from ${source} join ${table} as t on ${is("t")}
        order by ${list([...tenantKey, ...order], "t.")} for no key update of t
      )`)
      source = `verdict as i join locked_${table} using (n)`
    }
    writes.push(`${name} as (
      update ${table} as t set ${assignments(row)} from ${source}
      where ${is("t")} and t.${expected} returning ${isMany ? "i.n" : "1 as one"}
    )`)
    through(name)
  }

  if (shape.claim === "new") {
    const key = [...tenantKey, "key"]
    inserted("claimed", "claims", claim, key, key, isClaim)
  }
  if (shape.claim === "moved") {
    moved("claimed", "claims", claim, ["key"], isClaim, `version = ${claimVersion}`)
  }
  if (shape.message) {
    moved("told", "messages", decision, ["connection_id", "event_hash"], isMessage, `outcome = ${outcome}`)
  }
  if (version === "") {
    const key = [...tenantKey, "id"]
    inserted("paid", "payments", payment, key, key, isPayment)
  } else moved("paid", "payments", payment, ["id"], isPayment, `version = ${version}`)

  // Where another statement took it since, the key refuses this one.
  references.slice(0, shape.taken).forEach(({ connection, holder, providerRef }, index) => {
    writes.push(`references_${index} as (
      insert into charge_references (workspace_id, environment, connection_id, provider_ref, payment_id)
      select ${workspace}, ${environment}, ${connection}, ${providerRef}, ${paymentId} from ${behindGate()}
      where not exists (select 1 from ${holder})
    )`)
  })

  const entries = <A>(table: "attempts" | "operations" | "refunds", columns: Columns<A, Value, Owner>) => {
    const names = Object.keys(columns)
    for (let index = 0; index < shape[table]; index++) {
      const of = (change: Change) => change[table]?.[index] as A | undefined
      writes.push(`${table}_${index} as (
        insert into ${table} (${list(names)}) select ${values({ columns, of })}
        from ${behindGate()} ${onConflictReplace(names, entryKey)}
      )`)
    }
  }
  entries("attempts", rows.attemptColumns)
  entries("operations", rows.operationColumns)
  entries("refunds", rows.refundColumns)

  if (shape.events > 0) {
    const drafts = Array.from({ length: shape.events }, (_, index) => {
      const event = (type: string, read: (event: DrawnEvent) => string | null) =>
        place(type, ({ events }) => (events[index] === undefined ? null : read(events[index])))
      return {
        id: event("text", ({ id }) => id),
        rest: [
          event("text", ({ seed }) => seed),
          event("text", ({ draft }) => draft.type),
          event("bigint", ({ draft }) => String(draft.createdAt)),
          event("text", ({ draft }) => JSON.stringify(draft.data))
        ].join(", ")
      }
    })
    const due = place("bigint", ({ change }) => (change.deliverAt === undefined ? null : String(change.deliverAt)))
    const common = `${workspace} as workspace_id, ${environment} as environment, ${paymentId} as payment_id,
      ${due} as due_at`
    writes.push(
      ...(isMany ? stampedForMany(behindGate(), common, drafts) : stampedForOne(behindGate(), common, drafts)),
      ...writtenEvents(isMany ? "partition by n.id" : "")
    )
  }

  const [first] = gates
  const wrote = (name: string) => `exists (select 1 from ${name} as w ${isMany ? "where w.n = i.n" : ""})`
  const cameBetween =
    first === undefined || first === "paid"
      ? ""
      : `, case when word = 'Sound' and not ${wrote("paid")} and ${wrote(first)} then came_between() end`
  const taken = shape.claim === "new"
  const answer = `select ${isMany ? "i.n, " : ""}word, ${wrote("paid")} as written${cameBetween}${
    taken ? `, ${list(Object.keys(claim.columns), "t.")}` : ""
  } from verdict as i ${taken ? `left join claims as t on word = 'KeyTaken' and ${isClaim("t")}` : ""}`

  const word = `case ${checks.join("\n    ")} else 'Sound' end as word`
  if (!isMany) {
    return {
      sql: `with ${[`verdict as materialized (select ${word})`, ...writes].join(",\n")}\n${answer}`,
      bind: ([change]) => (change === undefined ? [] : reads.map((read) => read(change)))
    }
  }
  const verdict = `verdict as materialized (
    select i.*, ${word} from unnest(${types.map((type, index) => `$${index + 1}::${type}[]`).join(", ")})
      with ordinality as i (${types.map((_, index) => `c${index + 1}`).join(", ")}, n)
  )`
  return {
    sql: `with ${[verdict, ...writes].join(",\n")}\n${answer}`,
    bind: (changes) => reads.map((read) => arrayLiteral(changes.map(read)))
  }
}

/** https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO */
const arrayLiteral = (values: ReadonlyArray<string | null>): string =>
  `{${values.map((value) => (value === null ? "NULL" : `"${value.replaceAll(/["\\]/g, "\\$&")}"`)).join(",")}}`

interface Draft {
  readonly id: string
  readonly rest: string
}

const stampedForOne = (source: string, common: string, drafts: ReadonlyArray<Draft>): ReadonlyArray<string> => [
  `stamped as materialized (
    select ${common}, event_ids($1, $2, array[${drafts.map(({ id }) => id).join(", ")}]) as ids from ${source}
  )`,
  `new_events as materialized (
    select workspace_id, environment, payment_id, due_at, d.* from stamped cross join lateral (values
      ${drafts.map(({ rest }, index) => `(ids[${index + 1}], ${rest})`).join(", ")}
    ) as d (id, seed, type, created_at, data)
  )`
]

/** The events of one tenant, of whichever change, are stamped together. */
const stampedForMany = (source: string, common: string, drafts: ReadonlyArray<Draft>): ReadonlyArray<string> => [
  `drafts as materialized (
    select ${common}, d.* from ${source} cross join lateral (values
      ${drafts.map(({ id, rest }) => `(${id}, ${rest})`).join(", ")}
    ) as d (id, seed, type, created_at, data)
  )`,
  `stamped as materialized (
    select workspace_id, environment, event_ids(workspace_id, environment, array_agg(id order by id collate "C")) as ids
    from drafts group by workspace_id, environment
  )`,
  `new_events as materialized (
    select workspace_id, environment, payment_id, due_at, seed, type, created_at, data,
      ids[row_number() over (partition by workspace_id, environment order by drafts.id collate "C")] as id
    from drafts join stamped using (workspace_id, environment)
  )`
]

/**
 * With their deliveries, one for each active endpoint that wants the type. The endpoints are those of the table, not of
 * a copy: one that another server has withdrawn is sent nothing. A delivery's id is that which was drawn for its event,
 * with its place among the deliveries added to the last four digits.
 */
const writtenEvents = (places: string): ReadonlyArray<string> => [
  `written_events as (
    insert into events (workspace_id, environment, id, type, payment_id, created_at, data)
    select workspace_id, environment, id, type, payment_id, created_at, data from new_events
  )`,
  `written_deliveries as (
    insert into deliveries
      (workspace_id, environment, id, endpoint_id, event_id, state, failures, attempts, due_at, created_at)
    select workspace_id, environment,
      substr(seed, 1, length(seed) - 4)
        || lpad(to_hex(('x' || right(seed, 4))::bit(16)::integer + place::integer & 65535), 4, '0'),
      endpoint_id, id, 'Due', 0, 0, coalesce(due_at, created_at), created_at
    from (
      select n.*, e.id as endpoint_id, row_number() over (${places}) - 1 as place
      from new_events as n join webhook_endpoints as e
        on e.workspace_id = n.workspace_id and e.environment = n.environment
          and e.active and e.events && array['*', n.type collate "C"]
    ) as wanted
  )`
]
