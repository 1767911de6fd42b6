/**
 * The writes of a commit's statement. Each hangs on the one before it: where another statement came between, the first
 * one finds nothing to do, and so do the others.
 */
import type { Payment } from "@pointsman/core"
import type { Change } from "@pointsman/core/ports"
import { type Columns, entryKey, list, type Owner, onConflictReplace, tenantKey } from "@pointsman/storage-sql"
import type { Conditions, PlacedReference } from "./CommitChecks.ts"
import { eventWrites } from "./CommitEvents.ts"
import { claim, decision, type Parameters, payment, type Source } from "./CommitParameters.ts"
import type { Shape } from "./DrawnChange.ts"
import { bindText, rows, type Value } from "./Rows.ts"

type Writer = ReturnType<typeof makeWriter>

/** What a write did is asked of `<name>`; of many changes it says their `n`. */
const makeWriter = ({ assignments, isMany, values }: Parameters) => {
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

  return { writes, gates, behindGate, inserted, moved }
}

export const writesOf = (
  shape: Shape,
  parameters: Parameters,
  { claimVersion, isClaim, isMessage, isPayment, outcome, version }: Conditions,
  references: ReadonlyArray<PlacedReference>
): Pick<Writer, "writes" | "gates"> => {
  const { environment, paymentId, workspace } = parameters
  const { behindGate, gates, inserted, moved, writes } = makeWriter(parameters)
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
        (workspace_id, environment, connection_id, provider_ref, payment_id)
      select ${workspace}, ${environment}, ${connection}, ${providerRef}, ${paymentId} from ${behindGate()}
      where not exists (select 1 from ${holder}) ${isTaken ? "" : "on conflict do nothing"}
    )`)
  })

  const entries = <A>(table: "attempts" | "operations" | "refunds", columns: Columns<A, Value, Owner>) => {
    const names = Object.keys(columns)
    for (let index = 0; index < shape[table]; index++) {
      const of = (change: Change) => change[table]?.[index] as A | undefined
      writes.push(`${table}_${index} as (
        insert into ${table} (${list(names)}) select ${parameters.values({ columns, of })}
        from ${behindGate()} ${onConflictReplace(names, entryKey)}
      )`)
    }
  }
  entries("attempts", rows.attemptColumns)
  entries("operations", rows.operationColumns)
  entries("refunds", rows.refundColumns)

  if (shape.events > 0) writes.push(...eventWrites(shape, parameters, behindGate()))
  return { writes, gates }
}

const metadataText = ({ metadata }: Payment): string =>
  JSON.stringify(Object.fromEntries(Object.entries(metadata ?? {}).map((pair) => pair.map(bindText))))
