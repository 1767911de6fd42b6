/** Deliveries over many nodes. */
import { Deliveries } from "@pointsman/core/ports"
import { Effect } from "effect"
import type { Database } from "../Database.ts"
import { make as makePlain, selectDeliveries } from "../Deliveries.ts"
import { rows } from "../Rows.ts"
import { firstDueOnNodes, recordOnNodes, takeDueOnNodes } from "./DueDeliveries.ts"
import type { NodeReads } from "./NodeReads.ts"

export const make = (db: Database, nodes: NodeReads): Deliveries["Service"] =>
  Deliveries.of({
    ...makePlain(db),
    takeDue: (query) => takeDueOnNodes(db, nodes, query),
    firstDueAt: firstDueOnNodes(nodes),
    record: (records) => recordOnNodes(db, records),
    list: (tenant, query) =>
      Effect.map(db.read("list", ...selectDeliveries(tenant, query, true)), (found) => found.map(rows.readDelivery))
  })
