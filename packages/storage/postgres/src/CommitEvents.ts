/** The events of a commit's statement, and their deliveries. */
import type { Parameters } from "./CommitParameters.ts"
import type { DrawnChange, DrawnEvent, Shape } from "./DrawnChange.ts"
import { rows } from "./Rows.ts"

export const eventWrites = (
  isMany: boolean,
  shape: Shape,
  { environment, paymentId, place, workspace }: Parameters,
  source: string
): ReadonlyArray<string> => {
  const drafts = Array.from({ length: shape.events }, (_, index) => {
    const event = (type: string, read: (event: DrawnEvent, change: DrawnChange["change"]) => string | null) =>
      place(type, ({ change, events }) => (events[index] === undefined ? null : read(events[index], change)))
    return {
      id: event("text", ({ id }) => id),
      rest: [
        event("text", ({ seed }) => seed),
        event("text", ({ draft }) => draft.type),
        event("bigint", ({ draft }) => String(draft.createdAt)),
        event("text", ({ draft }, change) => rows.bindData(draft, change))
      ].join(", ")
    }
  })
  const due = place("bigint", ({ change }) => (change.deliverAt === undefined ? null : String(change.deliverAt)))
  const common = `${workspace} as workspace_id, ${environment} as environment, ${paymentId} as payment_id,
    ${due} as due_at`
  return [
    ...(isMany ? stampedForMany(source, common, drafts) : stampedForOne(source, common, drafts)),
    ...writtenEvents(isMany ? "partition by n.id" : "")
  ]
}

interface Draft {
  readonly id: string
  readonly rest: string
}

const stampedForOne = (source: string, common: string, drafts: ReadonlyArray<Draft>): ReadonlyArray<string> => [
  `stamped as materialized (
    select ${common}, event_ids($1, $2, array[${drafts.map(({ id }) => id).join(", ")}]) as ids from ${source}
  )`,
  `new_events as materialized (
    select workspace_id, environment, payment_id, due_at, d.* from stamped cross join lateral (values
      ${drafts.map(({ rest }, index) => `(ids[${index + 1}], ${rest})`).join(", ")}
    ) as d (id, seed, type, created_at, data)
  )`
]

/** The events of one tenant, of whichever change, are stamped together. */
const stampedForMany = (source: string, common: string, drafts: ReadonlyArray<Draft>): ReadonlyArray<string> => [
  `drafts as materialized (
    select ${common}, d.* from ${source} cross join lateral (values
      ${drafts.map(({ id, rest }) => `(${id}, ${rest})`).join(", ")}
    ) as d (id, seed, type, created_at, data)
  )`,
  `stamped as materialized (
    select workspace_id, environment, event_ids(workspace_id, environment, array_agg(id order by id collate "C")) as ids
    from drafts group by workspace_id, environment
  )`,
  `new_events as materialized (
    select workspace_id, environment, payment_id, due_at, seed, type, created_at, data,
      ids[row_number() over (partition by workspace_id, environment order by drafts.id collate "C")] as id
    from drafts join stamped using (workspace_id, environment)
  )`
]

/** Of an active endpoint `e`: whether it wants events of the type. */
export const wants = (type: string): string => `e.active and e.events && array['*', ${type} collate "C"]`

/** The id of a delivery: `place` counts from 0 in the commit of the event. */
export const deliveryId = (seed: string, place: string): string =>
  `substr(${seed}, 1, length(${seed}) - 4)
        || lpad(to_hex(('x' || right(${seed}, 4))::bit(16)::integer + ${place}::integer & 65535), 4, '0')`

/**
 * With their deliveries, one for each active endpoint that wants the type. The endpoints are those of the table, not of
 * a copy: one that another server has withdrawn is sent nothing. A delivery's id is that which was drawn for its event,
 * with its place among the deliveries added to the last four digits.
 */
const writtenEvents = (places: string): ReadonlyArray<string> => [
  `written_events as (
    insert into events (workspace_id, environment, id, type, payment_id, created_at, data)
    select workspace_id, environment, id, type, payment_id, created_at, data from new_events
  )`,
  `written_deliveries as (
    insert into deliveries
      (workspace_id, environment, id, endpoint_id, event_id, state, failures, attempts, due_at, created_at)
    select workspace_id, environment,
      ${deliveryId("seed", "place")},
      endpoint_id, id, 'Due', 0, 0, coalesce(due_at, created_at), created_at
    from (
      select n.*, e.id as endpoint_id, row_number() over (${places}) - 1 as place
      from new_events as n join webhook_endpoints as e
        on e.workspace_id = n.workspace_id and e.environment = n.environment
          and ${wants("n.type")}
    ) as wanted
  )`
]
