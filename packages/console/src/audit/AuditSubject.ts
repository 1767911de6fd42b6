/** From an entry of the audit trail to the page of the record that it is about. */
import { environments, type Operator } from "@pointsman/core"
import { Option, Schema } from "effect"
import { areas, type EnvironmentArea } from "../frame/Navigation.ts"
import { pathOf } from "../frame/Page.ts"
import { isAllowed } from "../gate/Access.ts"
import type { AuditRecord } from "./AuditApi.ts"

/** The area of the record and the rest of its path. Keys have no page of their own. */
const pages: Readonly<Record<string, (subject: string) => readonly [EnvironmentArea, ...ReadonlyArray<string>]>> = {
  key: () => ["keys"],
  dispute: (id) => ["disputes", id],
  endpoint: (id) => ["webhooks", "endpoints", id],
  payment: (id) => ["payments", id],
  review: (id) => ["payments", id],
  webhook: (id) => ["webhooks", "deliveries", id]
}

const Place = Schema.Struct({ workspace_id: Schema.String, environment: Schema.Literals(environments) })
const placeOf = Schema.decodeUnknownOption(Place)

/** Under the mount; `undefined` where there is no page, or the operator may not open it. */
export const subjectPage = (operator: Operator, { action, details, subject }: AuditRecord): string | undefined => {
  const [kind = ""] = action.split(".")
  if (kind === "operator") {
    return isAllowed(operator, "operator.manage", undefined) ? `/operators/${encodeURIComponent(subject)}` : undefined
  }
  const place = Option.getOrUndefined(placeOf(details))
  const page = Object.hasOwn(pages, kind) ? pages[kind]?.(subject) : undefined
  if (place === undefined || page === undefined) return undefined
  const [area, ...rest] = page
  const { environment, workspace_id: workspace } = place
  return isAllowed(operator, areas[area].access, workspace)
    ? pathOf(area, { workspace, environment }, ...rest)
    : undefined
}
