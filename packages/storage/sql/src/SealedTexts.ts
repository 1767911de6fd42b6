/** Sealed texts: where they are in the tables, and how each is replaced. */
import { derivationKey, type SealedKind, SealedTexts } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { entryKey, firstOf, list, type Row, tenantKey } from "./Columns.ts"
import type { DirectoryForm } from "./DirectoryWrites.ts"
import { repeatable, type Sql } from "./Sql.ts"

export interface SealedPlace {
  readonly table: string
  /** The columns of its key, which lead an index in this order. */
  readonly key: ReadonlyArray<string>
  readonly column: string
  /** Which rows have one. */
  readonly where: string
  /** Whether processes keep copies of it. */
  readonly isDirectory: boolean
}

const connection = { table: "connections", key: ["id"], isDirectory: true }
const endpoint = { table: "webhook_endpoints", key: ["id"], isDirectory: true }

export const sealedPlaces: Readonly<Record<SealedKind, SealedPlace>> = {
  derivation: { table: "kept_secrets", key: ["name"], column: "sealed", where: "true", isDirectory: false },
  credentials: { ...connection, column: "sealed_credentials", where: "true" },
  webhookSecret: { ...connection, column: "sealed_webhook_secret", where: "sealed_webhook_secret is not null" },
  previousWebhookSecret: {
    ...connection,
    column: "sealed_previous_webhook_secret",
    where: "sealed_previous_webhook_secret is not null"
  },
  endpointSecret: { ...endpoint, column: "sealed_secret", where: "true" },
  previousEndpointSecret: {
    ...endpoint,
    column: "sealed_previous_secret",
    where: "sealed_previous_secret is not null"
  },
  checkout: { table: "attempts", key: entryKey, column: "checkout", where: "checkout is not null", isDirectory: false },
  message: {
    table: "messages",
    key: [...tenantKey, "connection_id", "event_id"],
    column: "body",
    where: "is_sealed",
    isDirectory: false
  },
  evidence: {
    table: "dispute_evidence",
    key: entryKey,
    column: "sealed",
    where: "sealed <> ''",
    isDirectory: false
  }
}

/** A checkout is JSON: this is the part of it that is its sealed address. */
export const sealedUrlPart = (sealedUrl: string): string => `"sealedUrl":${JSON.stringify(sealedUrl)}`

/** How a database finds a column of a key whose text may be longer than an index takes. */
export interface KeyForm {
  readonly column: (name: string) => string
  readonly value: (name: string, place: string) => string
}

/** The text with the new one in it, and whether it has the expected one. */
export const replacement = (kind: SealedKind, expected: string, sealed: string): readonly [string, string] => {
  const { column, table } = sealedPlaces[kind]
  const stored = `${table}.${column}`
  return kind === "checkout"
    ? [`replace(${stored}, ${expected}, ${sealed})`, `replace(${stored}, ${expected}, '') <> ${stored}`]
    : [sealed, `${stored} = ${expected}`]
}

export const readSealed =
  (kind: SealedKind, readText: (value: unknown) => string) =>
  (row: Row): { readonly kind: SealedKind; readonly key: ReadonlyArray<string>; readonly sealed: string } => ({
    kind,
    key: sealedPlaces[kind].key.map((name) => readText(row[name])),
    sealed:
      kind === "checkout"
        ? (JSON.parse(row["sealed"] as string) as { readonly sealedUrl: string }).sealedUrl
        : readText(row["sealed"])
  })

/** A page in the order of the keys, as the index has them. `$1`: how many; the key before it follows. */
export const pageOfSealed = (kind: SealedKind, hasBefore: boolean, form: KeyForm): string => {
  const { column, key, table, where } = sealedPlaces[kind]
  const order = list(key.map(form.column))
  const isLater = `(${order}) > (${list(key.map((name, at) => form.value(name, `$${at + 2}::text`)))})`
  return `select ${list(key)}, ${column} as sealed from ${table} where ${where}${hasBefore ? ` and ${isLater}` : ""}
    order by ${order} limit $1`
}

const replaceOf = (kind: SealedKind, form: KeyForm): string => {
  const { column, key, table } = sealedPlaces[kind]
  const ofRecord = key.map((name, at) => `${form.column(name)} = ${form.value(name, `$${at + 3}::text`)}`).join(" and ")
  const [value, isExpected] = replacement(kind, "$1::text", "$2::text")
  return `update ${table} set ${column} = ${value} where ${ofRecord} and ${isExpected} returning 1 as one`
}

export const makeSealedTexts = <V>(
  sql: Sql<V>,
  { forget, tell }: Pick<DirectoryForm<V>, "forget" | "tell">,
  form: KeyForm
): SealedTexts["Service"] => {
  const { bindText, readText } = sql.rows
  const derivation = Effect.map(
    sql.read("derivation", "select sealed from kept_secrets where name = $1", [...derivationKey]),
    firstOf((row) => readText(row["sealed"]))
  )
  return SealedTexts.of({
    list: ({ after, kind, limit }) =>
      Effect.map(
        sql.read("sealedTexts", pageOfSealed(kind, after !== null, form), [limit, ...(after ?? []).map(bindText)]),
        (found) => found.map(readSealed(kind, readText))
      ),
    replace: (kind, replacements) => {
      const { isDirectory } = sealedPlaces[kind]
      const text = replaceOf(kind, form)
      const bindSealed = kind === "checkout" ? sealedUrlPart : bindText
      return repeatable(sql, "replaceSealed", (query) =>
        Effect.andThen(
          isDirectory ? tell(query) : Effect.void,
          Effect.map(
            Effect.forEach(replacements, ({ expected, key, sealed }) =>
              query(text, [bindSealed(expected), bindSealed(sealed), ...key.map(bindText)])
            ),
            (found) => found.flat().length
          )
        )
      ).pipe(Effect.ensuring(isDirectory ? forget : Effect.void))
    },
    derivation,
    // What another one wrote at the same time is seen by the next read.
    keepDerivation: (sealed) =>
      Effect.andThen(
        sql.update("keepDerivation", "insert into kept_secrets (name, sealed) values ($1, $2) on conflict do nothing", [
          ...derivationKey,
          bindText(sealed)
        ]),
        Effect.map(derivation, Option.getOrThrow)
      )
  })
}
