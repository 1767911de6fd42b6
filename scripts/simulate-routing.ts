/** Prints what `docs/concepts/auto-routing.md` holds of the simulation of mode `auto`: `npm run simulate:routing`. */
import { feeBlocksOf } from "./auto-routing/FeeFigures.ts"
import { simulateFees } from "./auto-routing/FeeRuns.ts"
import { blocksOf } from "./auto-routing/Figures.ts"
import { simulate } from "./auto-routing/Runs.ts"

for (const block of Object.values({ ...blocksOf(simulate()), ...feeBlocksOf(simulateFees()) }))
  console.log(`${block()}\n`)
