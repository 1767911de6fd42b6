/** Prints what `docs/concepts/auto-routing.md` holds of the simulation of mode `auto`: `npm run simulate:routing`. */
import { blocksOf } from "./auto-routing/Figures.ts"
import { simulate } from "./auto-routing/Runs.ts"

for (const block of Object.values(blocksOf(simulate()))) console.log(`${block()}\n`)
