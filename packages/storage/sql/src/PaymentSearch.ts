/**
 * Lists of payments, newest first, by a walk along an index: of the provider's reference, the reference, the metadata, the
 * amount, the states, or the ids. A beginning of references is a walk for each reference where they are few, and one along
 * the ids where they are many. Each walk meets the payments in the order of the page and ends with it; the other
 * conditions are checked on the way. What would sort all that is found (`state in (...)`, an amount in any currency) is a
 * walk for each value instead.
 *
 * A search asks first for the id at which its walk has to end, and then for the page down to that id.
 */
import type { Payment, Tenant } from "@pointsman/core"
import { isPlainText } from "@pointsman/core/internal"
import type { Ledger, PaymentBook, PaymentQuery, StorageError } from "@pointsman/core/ports"
import { Effect } from "effect"
import { afterAll, type Bound, list, type Row } from "./Columns.ts"
import { idRangeOf } from "./Keys.ts"
import { makeReadBook } from "./PaymentReads.ts"
import { placesOf, type Sql } from "./Sql.ts"

/** Selects, newest first. Each is written where it is used, because it adds its values to those of its statement. */
export interface Walk {
  /** The id of each row that the walk meets: by the conditions of its index alone. */
  readonly ids: () => string
  /** The payments that match all conditions, `newestPage`. */
  readonly page: () => string
}

/** The conditions of a query. */
export interface Conditions<V> {
  readonly place: (value: Bound<V>) => string
  readonly text: (text: string) => string
  /** `prefix`: of the table, with its point. */
  readonly inRange: (prefix: string, id: string) => string
  /** All but those of these names, each behind `and`. */
  readonly where: (...led: ReadonlyArray<string>) => string
}

/** How a database walks where not all do the same. */
export interface SearchForm<V> {
  /** A short name, as it is read: a number would round it. */
  readonly shortName: string
  /** The first one is that of the index, which may hold the beginning of the reference. */
  readonly isReference: (reference: string) => readonly [string, ...ReadonlyArray<string>]
  /** What the index has of the reference. */
  readonly indexedReference: string
  /** The payments that rows of a table name, by a condition of their name. */
  readonly named: (
    table: "charges" | "names",
    condition: (name: string) => string
  ) => (conditions: Conditions<V>) => Walk
  /** Those with the text in their metadata, each once; under the name, or any. `led`: this condition's name. */
  readonly withText: (value: string, name: string | undefined, led: string) => Lead<V>
  readonly inStates: (states: ReadonlyArray<string>) => Lead<V>
}

/** The short names of the charges of a reference, each by one step along the index: one for each connection. `name`: as it is read. */
const selectShortNames = (name: string): string => {
  const next = (after: string) =>
    `(select name from names where t = $1 and name ${after} and name <= $3 order by name limit 1)`
  return `with recursive found (name) as (
      select ${next(">= $2")} union all select ${next("> found.name")} from found where found.name is not null
    ) select ${name} as name from found where name is not null`
}

export const newestPage = "order by id desc limit $3"

/** Walks that together meet all that a query may find. */
export type Lead<V> = (conditions: Conditions<V>) => ReadonlyArray<Walk>

/** `end`: the smallest id that is walked to. None where the walk ends by itself. `list`: how it is asked. */
interface Way<V> {
  readonly lead: Lead<V>
  readonly list: Sql<V>["list"]
  readonly end?: string
}

const none = (): ReadonlyArray<Walk> => []

/** To look only at the ids of so many takes less time than to ask a second time. */
const fewRows = 400

/**
 * Where many payments match, few rows make a page; a page of a time begins with some of later ids (`idRangeOf`). Those of
 * one reference are few, or are walked to by their names.
 */
const firstWalk = ({ limit, providerRef }: PaymentQuery, walkAtMost: number): number =>
  providerRef === undefined ? Math.min(Math.max(fewRows, 4 * limit), walkAtMost) : walkAtMost

export const makePaymentSearch = <V>(
  sql: Sql<V>,
  form: SearchForm<V>
): Pick<Ledger["Service"], "payments" | "search"> => {
  const readBook = makeReadBook(sql)
  /** `written`: the text, and the number of rows that is its `$3`. */
  const ask = (
    tenant: Tenant,
    query: PaymentQuery,
    { end, lead, list }: Way<V>,
    written: (walks: ReadonlyArray<Walk>) => readonly [text: string, rows: number]
  ): Effect.Effect<ReadonlyArray<Row>, StorageError> => {
    const values: Array<Bound<V>> = [sql.bindOwner(tenant), sql.keys.bindBefore(idRangeOf(query).before), 0]
    const walks = lead(conditionsOf(sql, form, query, end, values))
    if (walks.length === 0) return Effect.succeed([])
    const [text, rows] = written(walks)
    values[2] = rows
    return list("payments", text, values)
  }
  /** `walkedTo`: the last row, where there may be more. */
  const readPage = (tenant: Tenant, query: PaymentQuery, way: Way<V>) =>
    Effect.map(
      ask(tenant, query, way, (walks) => [
        merged(
          walks.map(({ page }) => page()),
          newestPage
        ),
        query.limit
      ]),
      (found) => {
        const { limit, providerRef } = query
        const books = found.map((row) => readBook(tenant, row))
        // A short name leads to what has, or had, another one, too.
        const those = providerRef === undefined ? books : books.filter((book) => hasReference(book, providerRef))
        return {
          payments: those.map(({ payment }) => payment),
          walkedTo: found.length < limit ? null : (books.at(-1)?.payment.id ?? null)
        }
      }
    )
  /** The way with its end after so many rows, of which each of its walks has a share. */
  const wayOf = (tenant: Tenant, query: PaymentQuery, lead: Lead<V>, rows: number) =>
    Effect.map(
      ask(tenant, query, { lead, list: sql.search }, (walks) => [
        // What is smaller than the greatest of their ends may be missing from that walk.
        merged(
          walks.map(({ ids }) => `${ids()} limit 1 offset $3`),
          "order by id desc limit 1"
        ),
        Math.max(0, Math.floor(rows / walks.length) - 1)
      ]),
      ([last]): Way<V> => ({
        lead,
        list: sql.search,
        ...(last === undefined ? {} : { end: sql.keys.readId(last["id"]) })
      })
    )
  const searchWithin = Effect.fnUntraced(function* (
    tenant: Tenant,
    query: PaymentQuery,
    leads: ReadonlyArray<Lead<V>>,
    rows: number
  ) {
    let furthest: Way<V> = { lead: none, list: sql.search, end: afterAll }
    for (const lead of leads) {
      // Each row of the page is compared with what leads the others.
      const way = yield* wayOf(tenant, query, lead, Math.floor(rows / leads.length))
      if (furthest.end !== undefined && (way.end === undefined || way.end < furthest.end)) furthest = way
      if (way.end === undefined) break
    }
    const { payments, walkedTo } = yield* readPage(tenant, query, furthest)
    return { payments, walkedTo: payments.length < query.limit ? (walkedTo ?? furthest.end ?? null) : null }
  })
  return {
    payments: Effect.fnUntraced(function* (tenant, query) {
      const [lead = none] = yield* leadsOf(sql, form, tenant, query)
      const found: Array<Payment> = []
      // Each page ends further along a walk that ends.
      for (let { before } = query; ; ) {
        const limit = query.limit - found.length
        const { payments, walkedTo } = yield* readPage(tenant, { ...query, before, limit }, { lead, list: sql.list })
        found.push(...payments)
        if (walkedTo === null || payments.length === limit) return found
        before = walkedTo
      }
    }),
    search: Effect.fnUntraced(function* (tenant, { walkAtMost, ...query }) {
      const leads = yield* leadsOf(sql, form, tenant, query)
      const few = firstWalk(query, walkAtMost)
      const found = yield* searchWithin(tenant, query, leads, few)
      const isEnough = found.walkedTo === null || few === walkAtMost
      return isEnough ? found : yield* searchWithin(tenant, query, leads, walkAtMost)
    })
  }
}

/** Each alone meets all that the query may find; the first one usually the fewest. */
const leadsOf = <V>(
  sql: Sql<V>,
  form: SearchForm<V>,
  tenant: Tenant,
  query: PaymentQuery
): Effect.Effect<ReadonlyArray<Lead<V>>, StorageError> => {
  const { amountMinor, currency, metadata, metadataValue, providerRef, reference, referencePrefix, states } = query
  if (states?.length === 0 || (referencePrefix !== undefined && !isPlainText(referencePrefix))) {
    return Effect.succeed([none])
  }
  if (providerRef !== undefined) {
    const [first, last] = sql.keys.chargeNames(providerRef)
    const range = [sql.bindOwner(tenant), ...sql.keys.shortChargeNames(providerRef)]
    return Effect.map(sql.read("payments", selectShortNames(form.shortName), range), (names) => [
      (conditions) => {
        const { place } = conditions
        const having = form.named("charges", (name) => `${name} >= ${place(first)} and ${name} <= ${place(last)}`)
        const naming = names.map((one) => form.named("names", (name) => `${name} = ${place(one["name"] as V)}`))
        return [having, ...naming].map((walk) => walk(conditions))
      }
    ])
  }
  const ofTexts = [
    ...(reference === undefined
      ? []
      : [along(sql, "payments_by_reference", ["reference"], ({ text }) => form.isReference(text(reference)))]),
    ...Object.entries(metadata ?? {}).map(([name, value]) => form.withText(value, name, pairOf(name))),
    ...(metadataValue === undefined ? [] : [form.withText(metadataValue, undefined, "value")])
  ]
  if (ofTexts.length > 0) return Effect.succeed(ofTexts)
  if (referencePrefix !== undefined) return leadsOfPrefix(sql, form, tenant, referencePrefix, states)
  if (amountMinor !== undefined) {
    return Effect.map(currency === undefined ? readCurrencies(sql, tenant) : Effect.succeed([currency]), (all) => [
      (conditions) =>
        all.flatMap((one) =>
          along<V>(sql, "payments_by_amount", ["currency", "amount"], ({ place }) => [
            `currency = ${place(one)} and amount_minor = ${place(amountMinor)} and amount_minor >= 0`
          ])(conditions)
        )
    ])
  }
  return Effect.succeed([byAge(sql, form, states)])
}

const byAge = <V>(sql: Sql<V>, form: SearchForm<V>, states: PaymentQuery["states"]): Lead<V> =>
  states === undefined ? along(sql, "payments_by_id", [], () => []) : form.inStates([...new Set(states)])

/** Each is a walk. Where more begin alike, a walk along all payments soon meets a page of them. */
const walkedReferences = 50

const leadsOfPrefix = <V>(
  sql: Sql<V>,
  form: SearchForm<V>,
  tenant: Tenant,
  prefix: string,
  states: PaymentQuery["states"]
): Effect.Effect<ReadonlyArray<Lead<V>>, StorageError> => {
  const { indexedReference: indexed } = form
  const next = (after: string) => `(select ${indexed} from ${sql.by("payments", "payments_by_reference")}
    where t = $1 and ${indexed} ${after} and ${indexed} < $3 order by ${indexed} limit 1)`
  const found = sql.list(
    "payments",
    `with recursive found (reference) as (
      select ${next(">= $2")} union all
      select ${next("> found.reference")} from found where found.reference is not null
    ) select reference from found where reference is not null limit ${walkedReferences + 1}`,
    [sql.bindOwner(tenant), ...rangeOf(sql, prefix)]
  )
  return Effect.map(found, (rows) => [
    rows.length > walkedReferences
      ? byAge(sql, form, states)
      : (conditions: Conditions<V>) =>
          rows.flatMap((row) =>
            along<V>(sql, "payments_by_reference", ["prefix"], ({ place }) => [
              `${indexed} = ${place(row["reference"] as V)}`
            ])(conditions)
          )
  ])
}

/** From the prefix to before what follows all texts with it. */
const rangeOf = <V>({ rows: { bindText } }: Sql<V>, prefix: string) => [
  bindText(prefix),
  bindText(`${prefix}\u{10ffff}`)
]

const pairOf = (name: string): string => `metadata.${name}`

/** A walk along payments themselves. `own`: the condition of the index first; `led`: the names of what they say. */
const along =
  <V>(
    { by }: Sql<V>,
    index: string,
    led: ReadonlyArray<string>,
    own: (conditions: Conditions<V>) => ReadonlyArray<string>
  ): Lead<V> =>
  (conditions) => {
    const rows = (those: ReadonlyArray<string>) =>
      `from ${by("payments", index)} where ${[conditions.inRange("", "id"), ...those].join(" and ")}`
    return [
      {
        ids: () => `select id ${rows(own(conditions).slice(0, 1))} order by id desc`,
        page: () => `select * ${rows(own(conditions))} ${conditions.where(...led)} ${newestPage}`
      }
    ]
  }

const conditionsOf = <V>(
  sql: Sql<V>,
  form: SearchForm<V>,
  query: PaymentQuery,
  end: string | undefined,
  values: Array<Bound<V>>
): Conditions<V> => {
  const { keys, rows } = sql
  const place = placesOf(values)
  const text = (given: string) => place(rows.bindText(given))
  const { from } = idRangeOf(query)
  const bounds = [
    ...(from === "" ? [] : [`> ${place(keys.bindAfter(from))}`]),
    ...(end === undefined ? [] : [`>= ${place(keys.bindId(end))}`])
  ]
  const all: ReadonlyArray<readonly [name: string, condition: () => string]> = [
    ...given("reference", query.reference, (one) => form.isReference(text(one)).join(" and ")),
    ...given("prefix", query.referencePrefix, (one) =>
      rangeOf(sql, one)
        .map((bound, at) => `${form.indexedReference} ${at === 0 ? ">=" : "<"} ${place(bound)}`)
        .join(" and ")
    ),
    ...given("currency", query.currency, (one) => `currency = ${place(one)}`),
    ...given("amount", query.amountMinor, (one) => `amount_minor = ${place(one)} and amount_minor >= 0`),
    ...given("connection", query.connectionId, (one) => `connection_id = ${text(one)}`),
    ...given("from", query.createdFrom, (one) => `created_at >= ${place(one)}`),
    ...given("before", query.createdBefore, (one) => `created_at < ${place(one)}`),
    ...given("states", query.states, (some) => `state in (${list([...new Set(some)].map(place))})`),
    ...Object.entries(query.metadata ?? {}).flatMap(([name, value]) =>
      given(pairOf(name), value, () => has(`other.name = ${text(name)} and other.value = ${text(value)}`))
    ),
    ...given("value", query.metadataValue, (one) => has(`other.value = ${text(one)}`))
  ]
  return {
    place,
    text,
    inRange: (prefix, id) =>
      [`${prefix}t = $1 and ${prefix}${id} < $2`, ...bounds.map((bound) => `${prefix}${id} ${bound}`)].join(" and "),
    where: (...led) => all.map(([name, condition]) => (led.includes(name) ? "" : `and ${condition()}`)).join(" ")
  }
}

const given = <A>(
  name: string,
  value: A | undefined,
  condition: (value: A) => string
): ReadonlyArray<readonly [name: string, condition: () => string]> =>
  value === undefined ? [] : [[name, () => condition(value)]]

/** The currencies of the tenant's payments, each found by one step along the index. */
const readCurrencies = <V>(sql: Sql<V>, tenant: Tenant): Effect.Effect<ReadonlyArray<string>, StorageError> => {
  const next = (after: string) => `(select currency from ${sql.by("payments", "payments_by_amount")}
    where t = $1 and amount_minor >= 0 ${after} order by currency limit 1)`
  return Effect.map(
    sql.list(
      "payments",
      `with recursive currencies (currency) as (
        select ${next("")} union all
        select ${next("and currency > last.currency")} from currencies as last where last.currency is not null
      ) select currency from currencies where currency is not null`,
      [sql.bindOwner(tenant)]
    ),
    (rows) => rows.map((row) => String(row["currency"]))
  )
}

/** One select of several, which may meet one payment. */
const merged = (selects: ReadonlyArray<string>, end: string): string =>
  selects.length === 1
    ? selects.join("")
    : `${selects.map((select) => `select * from (${select}) as walk`).join(" union ")} ${end}`

/** Whether the payment's charge or one of its attempts has the reference, at any connection. */
const hasReference = ({ attempts, payment }: PaymentBook, providerRef: string): boolean =>
  [payment, ...attempts].some((one) => one.providerRef === providerRef)

/** Whether a payment has such metadata. */
const has = (condition: string): string => `exists (
  select 1 from payment_metadata as other where other.t = payments.t and other.payment = payments.id and ${condition}
)`
