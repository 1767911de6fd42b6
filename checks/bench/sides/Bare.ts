/** The floor under a create: its two statements, and nothing of the library. */
import { type Load, run } from "../kit/Load.ts"
import { answerOrders } from "../kit/Side.ts"
import { type BareSettings, openPool } from "./Pool.ts"

answerOrders<BareSettings, Load>(async (settings) => {
  const { flow } = await openPool(settings)
  return (load) => run(load, flow)
})
