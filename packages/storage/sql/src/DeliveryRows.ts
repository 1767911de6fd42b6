/** How deliveries and their attempts lie in their tables. */
import type { Delivery, DeliveryAttempt, DeliveryEnd } from "@pointsman/core"
import type { Parts, Row } from "./Columns.ts"

export const makeDeliveryRows = <V>({ readTenant, readText }: Parts<V>) => {
  const readDelivery = (row: Row): Delivery => ({
    id: readText(row["id"]),
    tenant: readTenant(row),
    endpointId: readText(row["endpoint_id"]),
    eventId: readText(row["event_id"]),
    state: row["state"] as Delivery["state"],
    failures: row["failures"] as number,
    attempts: row["attempts"] as number,
    dueAt: row["due_at"] as number | null,
    createdAt: row["created_at"] as number
  })

  const readDeliveryAttempt = (row: Row): DeliveryAttempt => ({
    deliveryId: readText(row["delivery_id"]),
    number: row["number"] as number,
    sentAt: row["sent_at"] as number,
    endedAt: row["ended_at"] as number | null,
    end: readEnd(row)
  })

  return { readDelivery, readDeliveryAttempt }
}

type Failed = Extract<DeliveryEnd, { readonly _tag: "Failed" }>

export const endColumns = (
  end: DeliveryEnd | null
): { readonly status: number | null; readonly failure: string | null } => ({
  status: end?._tag === "Answered" ? end.status : null,
  failure: end?._tag === "Failed" ? end.failure : null
})

const readEnd = (row: Row): DeliveryEnd | null => {
  if (row["status"] !== null) return { _tag: "Answered", status: row["status"] as number }
  if (row["failure"] === null) return null
  return { _tag: "Failed", failure: row["failure"] as Failed["failure"] }
}
