/** Statements of one database as the texts that a node runs on its shards (`RunFunction.ts`). */
import { arrayText, type Params } from "@pointsman/storage-postgres/internal"
import { eventIdsName, type How, mark } from "./RunFunction.ts"
import { tablePlacements } from "./TablePlacement.ts"

const templates = new Map<string, ReturnType<typeof make>>()

const templateOf = (sql: string) => {
  const template = templates.get(sql) ?? make(sql)
  templates.set(sql, template)
  return template
}

const partName = /\b(\w+)(?:\s*\([\w\s,]*\))?\s+as\s+(?:not\s+)?(?:materialized\s+)?\(/gu
const tableName = /\b(from|join|into|update|using|analyze)\s+(\w+)\b(\s+as\b)?/gu

const make = (sql: string) => {
  const parts = new Set([...sql.matchAll(partName)].map(([, name]) => name))
  const tables = new Set<string>()
  const nameOf = (table: string) => {
    tables.add(table)
    return `${mark}${table}${mark}`
  }
  const text = sql
    .replaceAll(tableName, (found, word: string, table: string, alias: string | undefined) => {
      if (parts.has(table) || (tablePlacements[table] ?? "coordinator") === "coordinator") return found
      const as = word === "analyze" ? "" : alias === undefined ? ` as ${table}` : alias
      return `${word} ${nameOf(table)}${as}`
    })
    .replaceAll("on conflict (t, payment)", "on conflict (t, payment, workspace_id)")
    .replaceAll(/\bevent_ids\(/gu, () => `${eventIdsName}('${nameOf("events")}', `)
  return {
    text,
    tables: arrayText([...tables]),
    hasRows: hasRows(sql),
    isSharded: [...tables].some((table) => tablePlacements[table] === "workspace")
  }
}

/** By what is in no parentheses: a part of the statement answers nothing. */
const hasRows = (sql: string): boolean => {
  let depth = 0
  let outside = ""
  for (const char of sql) {
    if (char === "(") depth++
    if (depth === 0) outside += char
    if (char === ")") depth--
  }
  return (
    /\breturning\b/u.test(outside) ||
    !/\b(?:insert|update|delete|analyze)\b/u.test(outside.replaceAll(/\bfor (?:no key )?update\b/gu, ""))
  )
}

export const isSharded = (sql: string): boolean => templateOf(sql).isSharded

/** In statements: what versions begin after in the newest history that this process knows of. */
export const knownBase = "known_base()"

/** The parameters of a call. `key`: of the workspace, or one that leads to the node. `base`: see `knownBase`. */
export const paramsOf = (key: string, sql: string, params: Params, how: How, base = "0"): Params => {
  const { hasRows, tables, text } = templateOf(sql)
  const statement = text
    .replaceAll(knownBase, base)
    .replaceAll(/\$(\d+)/gu, (_, at: string) => literal(params[Number(at) - 1] ?? null))
  return [key, tables, statement, how, hasRows]
}

/** https://www.postgresql.org/docs/current/sql-syntax-lexical.html#SQL-SYNTAX-STRINGS */
const literal = (value: Params[number]): string => {
  if (value === null) return "null"
  const quoted = String(value).replaceAll("\\", "\\\\").replaceAll("'", "''").replaceAll(mark, "\\x02")
  return ` E'${quoted}'`
}
