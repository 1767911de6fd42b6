/** Sealed texts: where they are in the tables, and how each is replaced. Checkouts are in the books of their payments. */
import type { Tenant } from "@pointsman/core"
import * as Ports from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { entryKey, list, type Row, tenantKey } from "./Columns.ts"
import type { DirectoryForm } from "./DirectoryWrites.ts"
import { queryAll, readAll, readOne, repeatable, type Sql } from "./Sql.ts"

export interface SealedPlace {
  readonly table: string
  /** The columns of its key, which lead an index in this order. */
  readonly key: ReadonlyArray<string>
  readonly column: string
  /** Which rows have one; where the column is not null unless set. */
  readonly where?: string
  /** Whether processes keep copies of it. */
  readonly isDirectory?: boolean
}

const connection = { table: "connections", key: ["id"], isDirectory: true }
const endpoint = { table: "webhook_endpoints", key: ["id"], isDirectory: true }
const messageKey = [...tenantKey, "connection_id", "event_id"]

/** What has a column of its own. */
type PlacedKind = Exclude<Ports.SealedKind, "checkout">

export const sealedPlaces: Readonly<Record<PlacedKind, SealedPlace>> = {
  derivation: { table: "kept_secrets", key: ["name"], column: "sealed" },
  credentials: { ...connection, column: "sealed_credentials" },
  webhookSecret: { ...connection, column: "sealed_webhook_secret" },
  previousWebhookSecret: { ...connection, column: "sealed_previous_webhook_secret" },
  endpointSecret: { ...endpoint, column: "sealed_secret" },
  previousEndpointSecret: { ...endpoint, column: "sealed_previous_secret" },
  message: { table: "messages", key: messageKey, column: "body", where: "is_sealed" },
  evidence: { table: "dispute_evidence", key: entryKey, column: "sealed", where: "sealed <> ''" }
}

/** A checkout is JSON: this is the part of it that is its sealed address. */
const sealedUrlPart = (sealedUrl: string): string => `"sealedUrl":${JSON.stringify(sealedUrl)}`

/** How a database keeps what is sealed. */
export interface SealedForm {
  /** A column of a key, and its value: a text may be longer than an index takes. */
  readonly column: (name: string) => string
  readonly value: (name: string, place: string) => string
  /** The rows of a page where they are in several tables, from those that `later` says on, in the order. */
  readonly rows?: { readonly message: (later: string, order: string) => string }
  /** A second update of the same: gets what `Sql.every` gives, and the key. */
  readonly replaceAlso?: {
    readonly message: (item: ReadonlyArray<string>, items: string, isOf: (alias: string) => string) => string
  }
}

/** How a database finds the payments with a checkout, and replaces the text in the book of one. */
export interface CheckoutForm {
  /** In the order of tenants and ids, from the given payment on. */
  readonly books: (
    from: { readonly tenant: Tenant; readonly paymentId: string } | null,
    limit: number
  ) => Effect.Effect<ReadonlyArray<Ports.PaymentBook>, Ports.StorageError>
  readonly replace: (replacements: ReadonlyArray<CheckoutReplacement>) => Effect.Effect<number, Ports.StorageError>
}

/** `expected`, `sealed`: the part of the book that is the sealed address. */
export interface CheckoutReplacement {
  readonly tenant: Tenant
  readonly paymentId: string
  readonly expected: string
  readonly sealed: string
}

/** A page in the order of the keys, as the index has them. `$1`: how many; the key before it follows. */
const pageOf = (kind: PlacedKind, hasBefore: boolean, form: SealedForm): string => {
  const { column, key, table, where = `${column} is not null` } = sealedPlaces[kind]
  const order = list(key.map(form.column))
  const values = key.map((name, at) => form.value(name, `$${at + 2}::text`))
  const later = hasBefore ? ` and (${order}) > (${list(values)})` : ""
  const rows =
    kind === "message" && form.rows !== undefined
      ? form.rows.message(later, order)
      : `select ${list(key)}, ${column} as sealed from ${table} where ${where}${later}`
  return `${rows} order by ${order} limit $1`
}

const replacesOf = <V>({ every }: Sql<V>, kind: PlacedKind, form: SealedForm) => {
  const { column, key, table } = sealedPlaces[kind]
  const isOf = (item: ReadonlyArray<string>) => (alias: string) =>
    key.map((name, at) => `${alias}.${form.column(name)} = ${form.value(name, item[at + 2] as string)}`).join(" and ")
  const update = (item: ReadonlyArray<string>, items: string) =>
    `update ${table} as e set ${column} = ${item[1]} ${items}
      where ${isOf(item)("e")} and e.${column} = ${item[0]} returning 1 as one`
  const also = kind === "message" ? form.replaceAlso?.message : undefined
  const others =
    also === undefined ? [] : [(item: ReadonlyArray<string>, items: string) => also(item, items, isOf(item))]
  return [update, ...others].map((textOf) => every(0, ["text", "text", ...key.map(() => "text" as const)], textOf))
}

type After = ReadonlyArray<string> | null

const listCheckouts = ({ books }: CheckoutForm, after: After, limit: number) => {
  const [workspaceId = "", environment = "", paymentId = "", attemptId = ""] = after ?? []
  const tenant = { workspaceId, environment } as Tenant
  const isSame = (one: Tenant) => one.workspaceId === workspaceId && one.environment === environment
  return Effect.map(books(after && { tenant, paymentId }, limit + 1), (found) =>
    found
      .flatMap(({ attempts, payment }) =>
        attempts
          .toSorted((a, b) => (a.id < b.id ? -1 : 1))
          .flatMap(({ checkout, id }) => (checkout === null ? [] : [{ id, sealed: checkout.sealedUrl }]))
          .filter(({ id }) => !isSame(payment.tenant) || payment.id !== paymentId || id > attemptId)
          .map(({ id, sealed }) => ({
            kind: "checkout" as const,
            key: [payment.tenant.workspaceId, payment.tenant.environment, payment.id, id],
            sealed
          }))
      )
      .slice(0, limit)
  )
}

const ofBook = ({ expected, key, sealed }: Ports.SealedReplacement): CheckoutReplacement => {
  const [workspaceId, environment, paymentId = ""] = key
  return {
    tenant: { workspaceId, environment } as Tenant,
    paymentId,
    expected: sealedUrlPart(expected),
    sealed: sealedUrlPart(sealed)
  }
}

export const makeSealedTexts = <V>(
  sql: Sql<V>,
  { forget, tell }: Pick<DirectoryForm<V>, "forget" | "tell">,
  form: SealedForm,
  checkouts: CheckoutForm
): Ports.SealedTexts["Service"] => {
  const { bindText, readText } = sql.rows
  const selectDerivation = "select sealed from kept_secrets where name = $1"
  const derivation = readOne(sql, "derivation", ({ sealed }) => readText(sealed), selectDerivation, [
    ...Ports.derivationKey
  ])
  return Ports.SealedTexts.of({
    list: ({ after, kind, limit }) => {
      if (kind === "checkout") return listCheckouts(checkouts, after, limit)
      const read = (row: Row): Ports.SealedText => ({
        kind,
        key: sealedPlaces[kind].key.map((name) => readText(row[name])),
        sealed: readText(row["sealed"])
      })
      const values = [limit, ...(after ?? []).map(bindText)]
      return readAll(sql, "sealedTexts", read, pageOf(kind, after !== null, form), values)
    },
    replace: (kind, replacements) => {
      if (kind === "checkout") return checkouts.replace(replacements.map(ofBook))
      const isDirectory = sealedPlaces[kind].isDirectory === true
      const items = replacements.map(({ expected, key, sealed }) => [expected, sealed, ...key].map(bindText))
      const statements = replacesOf(sql, kind, form).flatMap((replace) => replace([], items))
      return repeatable(sql, "replaceSealed", (query) =>
        Effect.andThen(
          isDirectory ? tell(query) : Effect.void,
          Effect.map(queryAll(query, statements), (found) => found.flat().length)
        )
      ).pipe(Effect.ensuring(isDirectory ? forget : Effect.void))
    },
    derivation,
    // What another one wrote at the same time is seen by the next read.
    keepDerivation: (sealed) =>
      Effect.andThen(
        sql.update("keepDerivation", "insert into kept_secrets (name, sealed) values ($1, $2) on conflict do nothing", [
          ...Ports.derivationKey,
          bindText(sealed)
        ]),
        Effect.map(derivation, Option.getOrThrow)
      )
  })
}
