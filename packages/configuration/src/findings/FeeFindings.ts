/** What mode `auto` lacks to weigh value: fees of the connections that it orders. Pure. */
import type { AutoSettings, Connection } from "@pointsman/core"
import { askedConnections, type CourseSettings } from "./AskedConnections.ts"
import { listed } from "./RuleReasons.ts"

/** As one sentence; `undefined` where the course does not go by value, or where nothing is missing. */
export const missingFees = (
  course: CourseSettings,
  auto: AutoSettings | undefined,
  connections: ReadonlyArray<Pick<Connection, "id" | "active" | "fees">>
): string | undefined => {
  if (course.mode !== "auto" || auto?.objective !== "value") return undefined
  const active = new Map(connections.flatMap((one) => (one.active ? [[one.id, one] as const] : [])))
  const asked = askedConnections(course, [...active.keys()]).asked.flatMap((id) => active.get(id) ?? [])
  const without = asked.filter(({ fees = [] }) => fees.length === 0).map(({ id }) => id)
  // With one connection there is nothing to order.
  if (asked.length < 2 || without.length === 0) return undefined
  const state = without.length === 1 ? "states no fees" : "state no fees"
  return without.length === asked.length
    ? `The objective value has no effect: ${listed(without)} ${state}.`
    : `${listed(without)} ${state}, so the objective value cannot compare ${without.length === 1 ? "it" : "them"}.`
}
