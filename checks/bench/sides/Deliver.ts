/** Delivers webhooks once for each order, over the database that it names, or sends as many bare requests. */
import { join } from "node:path"
import * as PostgresStorage from "@pointsman/storage-postgres"
import * as SqliteStorage from "@pointsman/storage-sqlite"
import { Redacted } from "effect"
import { deliverOver, postOver } from "../../../packages/server/bench/Delivering.ts"
import { answerOrders } from "../kit/Side.ts"

export type DeliverOrder =
  | { readonly _tag: "bare" }
  | { readonly _tag: "sqlite"; readonly folder: string; readonly name: string }
  | { readonly _tag: "postgres"; readonly url: string }

export interface DeliverAnswer {
  readonly perSecond: number
  /** Of the store, for each delivery. */
  readonly roundTrips: number
}

answerOrders<unknown, DeliverOrder>(async () => async (order): Promise<DeliverAnswer> => {
  switch (order._tag) {
    case "bare":
      return { perSecond: await postOver(), roundTrips: 0 }
    case "sqlite":
      return deliverOver(SqliteStorage.layer({ filename: join(order.folder, order.name) }), false)
    case "postgres":
      return deliverOver(PostgresStorage.layer({ url: Redacted.make(order.url) }), false)
  }
})
