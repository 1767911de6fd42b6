/** The list of payments that an address asks for: the text of the search, and the filters that narrow it. */

import type { PaymentFilter } from "@pointsman/core/ports"
import { InProcess } from "@pointsman/http"
import { PaymentFilter as Filter } from "@pointsman/http/api"
import { Effect, Schema } from "effect"

const names = ["status", "connection", "currency", "created_from", "created_before"] as const
export type FilterName = (typeof names)[number]

export interface ListFilter {
  readonly text: string
  /** As they were given; empty ones are left out. */
  readonly given: Readonly<Partial<Record<FilterName, string>>>
}

/** The first moment of a day, in UTC. */
const day = /^\d{4}-\d{2}-\d{2}$/u
export const isDay = (text: string): boolean => day.test(text)

const time = "a day such as 2026-11-01, or a time such as 2026-11-01T14:30:00Z"
const expectations = { ...InProcess.queryExpectations, created_from: time, created_before: time }

export const listFilterOf = (query: URLSearchParams): ListFilter => ({
  text: query.get("search")?.trim() ?? "",
  given: Object.fromEntries(
    names.flatMap((name) => {
      const text = query.get(name)?.trim() ?? ""
      return text === "" ? [] : [[name, name === "currency" || name === "status" ? text.toUpperCase() : text]]
    })
  )
})

const decode = Schema.decodeUnknownEffect(Filter, { errors: "all" })

/** Fails with the fields that are wrong, in words. */
export const decodeFilter = ({ given }: ListFilter) => {
  const times = Object.entries(given).map(([name, text]) => [name, isDay(text) ? `${text}T00:00:00Z` : text])
  return decode(Object.fromEntries(times)).pipe(
    Effect.map((filter): PaymentFilter => InProcess.filterOf(filter)),
    Effect.mapError(({ issue }) => InProcess.validationError(issue, expectations))
  )
}

/** The address's query; with `without`, that of the same list without one filter or without the text. */
export const queryOf = ({ given, text }: ListFilter, without?: FilterName | "search"): URLSearchParams =>
  new URLSearchParams(
    Object.entries({ ...given, ...(text === "" ? {} : { search: text }) }).filter(([name]) => name !== without)
  )
