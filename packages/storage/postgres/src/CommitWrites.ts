/**
 * The writes of a commit's statement. Each hangs on the one before it: where another statement came between, the first
 * one finds nothing to do, and so do the others.
 */
import type { Claim, Payment } from "@pointsman/core"
import type { Change, MessageNote } from "@pointsman/core/ports"
import { type Columns, entryKey, list, type Owner, onConflictReplace, tenantKey } from "@pointsman/storage-sql"
import type { Conditions, PlacedReference } from "./CommitChecks.ts"
import { eventWrites } from "./CommitEvents.ts"
import { claim, createdColumns, decision, type Parameters, payment, type Source } from "./CommitParameters.ts"
import type { Shape } from "./DrawnChange.ts"
import { bindText, rows, type Value } from "./Rows.ts"

interface Write<A> {
  readonly name: string
  readonly table: string
  readonly source: Source<A>
  readonly is: (table: string) => string
}

/** Another row that has its key already is left as it is. */
export interface Insert<A> extends Write<A> {
  readonly key: ReadonlyArray<string>
}

export interface Move<A> extends Write<A> {
  /** In which many rows are locked. */
  readonly order: ReadonlyArray<string>
  readonly expected: string
  /** Columns that stay as they are. */
  readonly kept?: ReadonlySet<string> | undefined
}

export const referenceColumns = "workspace_id, environment, connection_id, provider_ref, payment_id"

/** The rows that a change takes first, in the order in which all statements lock them. */
export const newClaim = ({ isClaim }: Conditions): Insert<Claim> => ({
  name: "claimed",
  table: "claims",
  source: claim,
  key: [...tenantKey, "key"],
  is: isClaim
})
export const movedClaim = ({ claimVersion, isClaim }: Conditions): Move<Claim> => ({
  name: "claimed",
  table: "claims",
  source: claim,
  order: ["key"],
  is: isClaim,
  expected: `version = ${claimVersion}`
})
export const decidedMessage = ({ isMessage, outcome }: Conditions): Move<MessageNote> => ({
  name: "told",
  table: "messages",
  source: decision,
  order: ["connection_id", "event_hash"],
  is: isMessage,
  expected: `outcome = ${outcome}`
})
export const newPayment = ({ isPayment }: Conditions): Insert<Payment> => ({
  name: "paid",
  table: "payments",
  source: payment,
  key: [...tenantKey, "id"],
  is: isPayment
})
export const movedPayment = ({ isPayment, version }: Conditions, keepsCreated: boolean): Move<Payment> => ({
  name: "paid",
  table: "payments",
  source: payment,
  order: ["id"],
  is: isPayment,
  expected: `version = ${version}`,
  kept: keepsCreated ? createdColumns : undefined
})

type Writer = ReturnType<typeof makeWriter>

/** What a write did is asked of `<name>`; of many changes it says their `n`. */
const makeWriter = (isMany: boolean, { assignments, values }: Parameters) => {
  const writes: Array<string> = []
  let gate = isMany ? "(select n from verdict where word = 'Sound')" : "(select 1 from verdict where word = 'Sound')"
  /** Where the values of a write come from: the changes that went through the gate. */
  const behindGate = () => (isMany ? `verdict as i join ${gate} as gate using (n)` : `${gate} as gate`)
  const gates: Array<string> = []
  const through = (name: string) => {
    gate = name
    gates.push(name)
  }
  const inserted = <A>({ is, key, name, source, table }: Insert<A>) => {
    const columns = Object.keys(source.columns)
    const into = `insert into ${table} (${list(columns)}) select ${values(source)} from ${behindGate()}`
    const unlessTaken = `on conflict (${list(key)}) do nothing`
    if (isMany) {
      const places = key.map((column) => String(columns.indexOf(column) + 1))
      writes.push(
        `inserted_${table} as (${into} order by ${list(places)} ${unlessTaken} returning ${list(key)})`,
        `${name} as materialized (select i.n from verdict as i join inserted_${table} as w on ${is("w")})`
      )
    } else writes.push(`${name} as (${into} ${unlessTaken} returning 1 as one)`)
    through(name)
  }
  const moved = <A>({ expected, is, kept, name, order, source: row, table }: Move<A>) => {
    let source = behindGate()
    if (isMany) {
      writes.push(`locked_${table} as materialized (
        select i.n from ${source} join ${table} as t on ${is("t")}
        order by ${list([...tenantKey, ...order], "t.")} for no key update of t
      )`)
      source = `verdict as i join locked_${table} using (n)`
    }
    writes.push(`${name} as (
      update ${table} as t set ${assignments(row, kept)} from ${source}
      where ${is("t")} and t.${expected} returning ${isMany ? "i.n" : "1 as one"}
    )`)
    through(name)
  }

  return { writes, gates, behindGate, inserted, moved }
}

export const writesOf = (
  isMany: boolean,
  shape: Shape,
  parameters: Parameters,
  conditions: Conditions,
  references: ReadonlyArray<PlacedReference>
): Pick<Writer, "writes" | "gates"> => {
  const { environment, paymentId, workspace } = parameters
  const { behindGate, gates, inserted, moved, writes } = makeWriter(isMany, parameters)
  if (shape.claim === "new") inserted(newClaim(conditions))
  if (shape.claim === "moved") moved(movedClaim(conditions))
  if (shape.message) moved(decidedMessage(conditions))
  if (shape.payment === "new") inserted(newPayment(conditions))
  else moved(movedPayment(conditions, shape.keepsCreated))

  if (shape.metadata) {
    const document = parameters.place("json", ({ change }) => metadataText(change.payment.after))
    writes.push(`named_metadata as (
      insert into payment_metadata (workspace_id, environment, payment_id, name, value)
      select ${workspace}, ${environment}, ${paymentId}, pair.key, pair.value
      from ${behindGate()} cross join lateral json_each_text(${document}) as pair
    )`)
  }

  // Where another statement took it since, the key refuses this one.
  references.forEach(({ connection, holder, providerRef }, index) => {
    const isTaken = index < shape.taken
    writes.push(`references_${index} as (
      insert into ${isTaken ? "charge_references" : "named_references"}
        (${referenceColumns})
      select ${workspace}, ${environment}, ${connection}, ${providerRef}, ${paymentId} from ${behindGate()}
      where not exists (select 1 from ${holder}) ${isTaken ? "" : "on conflict do nothing"}
    )`)
  })

  const entries = <A>(name: EntryName, columns: Columns<A, Value, Owner>) => {
    const names = Object.keys(columns)
    const table = entryTables[name]
    for (let index = 0; index < shape[name]; index++) {
      const of = (change: Change) => change[name]?.[index] as A | undefined
      writes.push(`${table}_${index} as (
        insert into ${table} (${list(names)}) select ${parameters.values({ columns, of })}
        from ${behindGate()} ${onConflictReplace(names, entryKey)}
      )`)
    }
  }
  entries("attempts", rows.attemptColumns)
  entries("operations", rows.operationColumns)
  entries("refunds", rows.refundColumns)
  entries("disputes", rows.disputeColumns)
  entries("evidence", rows.evidenceColumns)

  if (shape.events > 0) writes.push(...eventWrites(isMany, shape, parameters, behindGate()))
  return { writes, gates }
}

/** What a change has of each kind, and the table that it is in. */
export const entryTables = {
  attempts: "attempts",
  operations: "operations",
  refunds: "refunds",
  disputes: "disputes",
  evidence: "dispute_evidence"
} as const
export type EntryName = keyof typeof entryTables

export const metadataText = ({ metadata }: Payment): string =>
  JSON.stringify(Object.fromEntries(Object.entries(metadata ?? {}).map((pair) => pair.map(bindText))))
