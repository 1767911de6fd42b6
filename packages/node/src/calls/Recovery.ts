/** Records that the database lost. */
import * as Core from "@pointsman/core"
import { Effect, Option } from "effect"
import { wrong } from "../Orders.ts"
import type { Pointsman } from "../Pointsman.ts"
import { lossView, recoveryView } from "../Views.ts"
import { fromStore } from "./RunCall.ts"

/** A caller of JavaScript may give anything. */
const readOrder = Effect.fnUntraced(function* (order: Parameters<Pointsman["recover"]>[0]) {
  const { connection = null, dryRun = false, since, ...rest } = order ?? {}
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) return yield* Effect.fail(wrong(`\`${unknown}\` is not known.`))
  if (connection !== null && typeof connection !== "string") {
    return yield* Effect.fail(wrong("`connection` must be the id of a connection."))
  }
  if (typeof dryRun !== "boolean") return yield* Effect.fail(wrong("`dryRun` must be a boolean."))
  if (since !== undefined && !(since instanceof Date && !Number.isNaN(since.getTime()))) {
    return yield* Effect.fail(wrong("`since` must be a date."))
  }
  return { since: since === undefined ? null : since.getTime(), connectionId: connection, isDryRun: dryRun }
})

export const recover = Effect.fnUntraced(function* (order: Parameters<Pointsman["recover"]>[0]) {
  const read = yield* readOrder(order)
  const recovery = (yield* Core.Pointsman)
    .recover(read)
    .pipe(Effect.catchTag("pointsman/RecoveryRefused", ({ reason }) => Effect.succeed(wrong(`${reason}.`))))
  const found = yield* fromStore(recovery)
  return "connections" in found ? recoveryView(found, read.isDryRun) : yield* Effect.fail(found)
})

export const acceptLoss = Effect.fnUntraced(function* (order: Parameters<Pointsman["acceptLoss"]>[0]) {
  const { connection = null, ...rest } = order ?? {}
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) return yield* Effect.fail(wrong(`\`${unknown}\` is not known.`))
  if (connection !== null && typeof connection !== "string") {
    return yield* Effect.fail(wrong("`connection` must be the id of a connection."))
  }
  const accepted = yield* fromStore((yield* Core.Pointsman).acceptLoss(connection))
  return Option.getOrNull(Option.map(accepted, lossView))
})
