/** The events of a commit's statement, and their deliveries. */
import { type Bound, list, numberOfType } from "@pointsman/storage-sql"
import { type DrawnChange, type DrawnEvent, type Place, type Shape, written } from "./DrawnChange.ts"
import { bindEventId, rows, type Value } from "./Rows.ts"

export interface OwnerText {
  readonly workspace: string
  readonly environment: string
}

/** A statement for a tenant without endpoints writes nothing where it has one by then. */
export const endpoints = ({ environment, workspace }: OwnerText): string => `select 1 from webhook_endpoints as e
    where e.workspace_id = ${workspace} and e.environment = ${environment} and e.active`

type Column = readonly [type: string, read: (event: DrawnEvent, change: DrawnChange["change"]) => Bound<Value>]

/** What is written of an event, by the columns of `new_events`. */
const columns: Readonly<Record<string, Column>> = {
  event: ["uuid", ({ id }) => bindEventId(id)],
  seed: ["text", ({ seed }) => seed],
  name: ["text", ({ draft }) => draft.type],
  type: ["smallint", ({ draft }) => numberOfType(draft.type)],
  created_at: ["bigint", ({ draft }) => draft.createdAt],
  data: ["text", ({ draft }, change) => rows.bindData(draft, change)]
}
const names = Object.keys(columns)

export const eventWrites = (isMany: boolean, { deliveries, events: count }: Shape, place: Place, owner: OwnerText) => {
  const drafts = Array.from({ length: count }, (_, index) =>
    Object.entries(columns).map(([name, [type, read]]) =>
      !deliveries && (name === "seed" || name === "name")
        ? "null"
        : place(type, ({ change, events }) => (events[index] === undefined ? null : read(events[index], change)))
    )
  )
  if (count === 1 && !isMany && !deliveries) {
    const [id, , , ...rest] = drafts[0] ?? []
    return [
      `e as (insert into events (t, id, payment, type, created_at, data)
        select i.t, (event_ids(i.t, array[${id}]))[1], i.id, ${list(rest)} from ${written})`
    ]
  }
  const due = () => place("bigint", ({ change }) => change.deliverAt ?? null)
  const owned = () => `, ${owner.workspace} as workspace_id, ${owner.environment} as environment, ${due()} as due_at`
  const common = `i.t, i.id as payment${deliveries ? owned() : ""}`
  return [
    ...(isMany ? stampedForMany(common, drafts) : stampedForOne(common, drafts)),
    writtenEvents,
    ...(deliveries ? [writtenDeliveries] : [])
  ]
}

type Drafts = ReadonlyArray<ReadonlyArray<string>>

const stampedForOne = (common: string, drafts: Drafts): ReadonlyArray<string> => [
  `stamped as materialized (
    select ${common}, event_ids(i.t, array[${list(drafts.map(([id = ""]) => id))}]) as ids from ${written}
  )`,
  `new_events as materialized (
    select stamped.*, d.* from stamped cross join i cross join lateral (values
      ${list(drafts.map(([, ...rest], index) => `(ids[${index + 1}], ${list(rest)})`))}
    ) as d (id, ${list(names.slice(1))})
  )`
]

/** The events of one tenant, of whichever change, are stamped together. */
const stampedForMany = (common: string, drafts: Drafts): ReadonlyArray<string> => [
  `drafts as materialized (
    select ${common}, d.* from ${written} cross join lateral (values
      ${list(drafts.map((draft) => `(${list(draft)})`))}
    ) as d (${list(names)})
  )`,
  `stamped as materialized (
    select t, event_ids(t, array_agg(event order by event)) as ids from drafts group by t
  )`,
  `new_events as materialized (
    select drafts.*, ids[row_number() over (partition by t order by event)] as id
    from drafts join stamped using (t)
  )`
]

/**
 * Deliveries, one for each active endpoint that wants the type. The endpoints are those of the table, not of a copy: one
 * that another server has withdrawn is sent nothing. A delivery's id is that which was drawn for its event, with its place
 * among the deliveries of the event, from 0, added to the last four digits.
 */
const writtenDeliveries = `written_deliveries as (
    insert into deliveries
      (workspace_id, environment, id, endpoint_id, event_id, state, failures, attempts, due_at, created_at)
    select workspace_id, environment,
      substr(seed, 1, length(seed) - 4)
        || lpad(to_hex(('x' || right(seed, 4))::bit(16)::integer + place::integer & 65535), 4, '0'),
      endpoint_id, 'evt_' || id::text, 'Due', 0, 0, coalesce(due_at, created_at), created_at
    from (
      select n.*, e.id as endpoint_id, row_number() over (partition by n.id) - 1 as place
      from new_events as n join webhook_endpoints as e
        on e.workspace_id = n.workspace_id and e.environment = n.environment
          and e.active and e.events && array['*', n.name collate "C"]
    ) as wanted
  )`

const writtenEvents = `written_events as (
    insert into events (t, id, type, payment, created_at, data)
    select t, id, type, payment, created_at, data from new_events
  )`
