/** All functions that a node is sent. */
import { commitFunction } from "./CommitFunction.ts"
import { takeChecksFunction } from "./DueChecks.ts"
import { recordFunction, takeDeliveriesFunction } from "./DueDeliveries.ts"
import { eraseFunction } from "./Erasure.ts"
import { horizonFunction } from "./Horizon.ts"
import { factsFunction } from "./NodeFacts.ts"
import type { NodeFunction } from "./NodeFunction.ts"
import { readFunction } from "./NodeReads.ts"
import { forgetRatesFunction, writeRatesFunction } from "./Rates.ts"
import { heldFunction, pruneBodiesFunction, pruneDeliveriesFunction, removeFunction } from "./Retention.ts"

export const nodeFunctions: ReadonlyArray<NodeFunction> = [
  commitFunction,
  takeChecksFunction,
  takeDeliveriesFunction,
  recordFunction,
  eraseFunction,
  horizonFunction,
  factsFunction,
  readFunction,
  writeRatesFunction,
  forgetRatesFunction,
  removeFunction,
  pruneDeliveriesFunction,
  pruneBodiesFunction,
  heldFunction
]
