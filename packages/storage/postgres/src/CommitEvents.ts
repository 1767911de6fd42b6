/** The events of a commit's statement, and their deliveries. */

import { numberOfType } from "@pointsman/storage-sql"
import type { DrawnChange, DrawnEvent, Shape } from "./DrawnChange.ts"
import { bindEventId } from "./Keys.ts"
import { type Place, written } from "./PaymentRow.ts"
import { rows } from "./Rows.ts"

export interface OwnerText {
  readonly workspace: string
  readonly environment: string
}

/** A statement for a tenant without endpoints writes nothing where it has one by then. */
export const endpoints = ({ environment, workspace }: OwnerText): string => `select 1 from webhook_endpoints as e
    where e.workspace_id = ${workspace} and e.environment = ${environment} and e.active`

export const eventWrites = (
  isMany: boolean,
  { deliveries, events: count }: Shape,
  place: Place,
  { environment, workspace }: OwnerText
): ReadonlyArray<string> => {
  const drafts = Array.from({ length: count }, (_, index): Draft => {
    const event = (type: string, read: (event: DrawnEvent, change: DrawnChange["change"]) => string | null) =>
      place(type, ({ change, events }) => (events[index] === undefined ? null : read(events[index], change)))
    return {
      id: event("uuid", ({ id }) => bindEventId(id)),
      seed: deliveries ? event("text", ({ seed }) => seed) : "null",
      name: deliveries ? event("text", ({ draft }) => draft.type) : "null",
      type: event("smallint", ({ draft }) => String(numberOfType(draft.type))),
      createdAt: event("bigint", ({ draft }) => String(draft.createdAt)),
      data: event("text", ({ draft }, change) => rows.bindData(draft, change))
    }
  })
  const [only] = drafts
  if (only !== undefined && count === 1 && !isMany && !deliveries) {
    return [
      `e as (insert into events (t, id, type, payment, created_at, data)
        select i.t, (event_ids(i.t, array[${only.id}]))[1], ${only.type}, i.id, ${only.createdAt}, ${only.data} from ${written})`
    ]
  }
  const due = deliveries
    ? place("bigint", ({ change }) => (change.deliverAt === undefined ? null : String(change.deliverAt)))
    : "null"
  const owned = deliveries ? `, ${workspace} as workspace_id, ${environment} as environment, ${due} as due_at` : ""
  const common = `i.t, i.id as payment${owned}`
  return [
    ...(isMany ? stampedForMany(common, drafts) : stampedForOne(common, drafts)),
    writtenEvents,
    ...(deliveries ? [writtenDeliveries] : [])
  ]
}

interface Draft {
  readonly id: string
  readonly seed: string
  /** Of its type. */
  readonly name: string
  readonly type: string
  readonly createdAt: string
  readonly data: string
}

const restOf = ({ createdAt, data, name, seed, type }: Draft): string => [seed, name, type, createdAt, data].join(", ")

const stampedForOne = (common: string, drafts: ReadonlyArray<Draft>): ReadonlyArray<string> => [
  `stamped as materialized (
    select ${common}, event_ids(i.t, array[${drafts.map(({ id }) => id).join(", ")}]) as ids from ${written}
  )`,
  `new_events as materialized (
    select stamped.*, d.* from stamped cross join i cross join lateral (values
      ${drafts.map((draft, index) => `(ids[${index + 1}], ${restOf(draft)})`).join(", ")}
    ) as d (id, seed, name, type, created_at, data)
  )`
]

/** The events of one tenant, of whichever change, are stamped together. */
const stampedForMany = (common: string, drafts: ReadonlyArray<Draft>): ReadonlyArray<string> => [
  `drafts as materialized (
    select ${common}, d.* from ${written} cross join lateral (values
      ${drafts.map((draft) => `(${draft.id}, ${restOf(draft)})`).join(", ")}
    ) as d (event, seed, name, type, created_at, data)
  )`,
  `stamped as materialized (
    select t, event_ids(t, array_agg(event order by event)) as ids from drafts group by t
  )`,
  `new_events as materialized (
    select drafts.*, ids[row_number() over (partition by t order by event)] as id
    from drafts join stamped using (t)
  )`
]

/** Of an active endpoint `e`: whether it wants events of the type. */
const wants = (type: string): string => `e.active and e.events && array['*', ${type} collate "C"]`

/** The id of a delivery: `place` counts from 0 for each event. */
const deliveryId = (seed: string, place: string): string =>
  `substr(${seed}, 1, length(${seed}) - 4)
        || lpad(to_hex(('x' || right(${seed}, 4))::bit(16)::integer + ${place}::integer & 65535), 4, '0')`

/**
 * Deliveries, one for each active endpoint that wants the type. The endpoints are those of the table, not of
 * a copy: one that another server has withdrawn is sent nothing. A delivery's id is that which was drawn for its event,
 * with its place among the deliveries added to the last four digits.
 */
const writtenDeliveries = `written_deliveries as (
    insert into deliveries
      (workspace_id, environment, id, endpoint_id, event_id, state, failures, attempts, due_at, created_at)
    select workspace_id, environment,
      ${deliveryId("seed", "place")},
      endpoint_id, 'evt_' || id::text, 'Due', 0, 0, coalesce(due_at, created_at), created_at
    from (
      select n.*, e.id as endpoint_id, row_number() over (partition by n.id) - 1 as place
      from new_events as n join webhook_endpoints as e
        on e.workspace_id = n.workspace_id and e.environment = n.environment
          and ${wants("n.name")}
    ) as wanted
  )`

const writtenEvents = `written_events as (
    insert into events (t, id, type, payment, created_at, data)
    select t, id, type, payment, created_at, data from new_events
  )`
