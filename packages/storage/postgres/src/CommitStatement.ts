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
 */
import { list, type Row } from "@pointsman/storage-sql"
import { checksOf, conditionsOf } from "./CommitChecks.ts"
import { claim, makeParameters } from "./CommitParameters.ts"
import { writesOf } from "./CommitWrites.ts"
import type { DrawnChange, Shape } from "./DrawnChange.ts"
import { paymentOfClaim } from "./Rows.ts"

export interface Statement {
  readonly sql: string
  /** Its parameters, in their order. */
  readonly bind: (changes: ReadonlyArray<DrawnChange>) => ReadonlyArray<string | null>
  /** A row of its answer by columns, where it is not told by columns. */
  readonly read?: ((row: Row) => Row) | undefined
}

export const statementForOne =
  (history?: string) =>
  (shape: Shape): Statement =>
    statement(shape, false, history)

/** Of changes that share no payment and no key. Its rows say with `n` which change they are about, from 1. */
export const statementForMany =
  (history?: string) =>
  (shape: Shape): Statement =>
    statement(shape, true, history)

const statement = (shape: Shape, isMany: boolean, history: string | undefined): Statement => {
  const base = history === undefined ? undefined : "(select base from history)"
  const parameters = makeParameters(isMany ? "column" : "parameter", base)
  const conditions = conditionsOf(shape, parameters)
  const { checks, references } = checksOf(shape, parameters, conditions)
  const { gates, writes } = writesOf(isMany, shape, parameters, conditions, references)
  const { reads, types } = parameters
  const [first] = gates
  const wrote = (name: string) => `exists (select 1 from ${name} as w ${isMany ? "where w.n = i.n" : ""})`
  const cameBetween =
    first === undefined || first === "paid"
      ? ""
      : `, case when word = 'Sound' and not ${wrote("paid")} and ${wrote(first)} then came_between() end`
  const taken = shape.claim === "new"
  const answer = `select ${isMany ? "i.n, " : ""}word, ${wrote("paid")} as written${cameBetween}${
    taken
      ? `, ${list(Object.keys(claim.columns), "t.")}, case when word = 'KeyTaken' then ${paymentOfClaim("t")} end as payment`
      : ""
  } from verdict as i ${taken ? `left join claims as t on word = 'KeyTaken' and ${conditions.isClaim("t")}` : ""}`

  const before = history === undefined ? [] : [`history as materialized (select ${history} as base)`]
  const word = `case ${checks.join("\n    ")} else 'Sound' end as word`
  if (!isMany) {
    return {
      sql: `with ${[...before, `verdict as materialized (select ${word})`, ...writes].join(",\n")}\n${answer}`,
      bind: ([change]) => (change === undefined ? [] : reads.map((read) => read(change)))
    }
  }
  const verdict = `verdict as materialized (
    select i.*, ${word} from unnest(${types.map((type, index) => `$${index + 1}::${type}[]`).join(", ")})
      with ordinality as i (${types.map((_, index) => `c${index + 1}`).join(", ")}, n)
  )`
  return {
    sql: `with ${[...before, verdict, ...writes].join(",\n")}\n${answer}`,
    bind: (changes) => reads.map((read) => arrayLiteral(changes.map(read)))
  }
}

/**
 * https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO: quotation marks and backslashes are escaped as in JSON, which
 * the engine writes at once. What JSON escapes by letters, such as line ends, is written as it is.
 */
export const arrayLiteral = (values: ReadonlyArray<string | null>): string => {
  const json = JSON.stringify(values)
  return letterEscape.test(json) ? `{${values.map(literalOf).join(",")}}` : `{${json.slice(1, -1)}}`
}

/** An escaped backslash in front of such a letter is found too, and costs the longer way alone. */
const letterEscape = /\\[bfnrtu]/

const literalOf = (value: string | null): string =>
  value === null ? "NULL" : `"${value.replaceAll(/["\\]/g, "\\$&")}"`
