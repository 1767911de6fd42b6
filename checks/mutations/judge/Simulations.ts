/**
 * Judges planted faults by simulations, which nobody told what to look for: seed after seed, until one is wrong. The
 * sources are loaded once for every fault, with the fault in them, and once without.
 */
import { readFileSync } from "node:fs"
import { registerHooks } from "node:module"
import { fileURLToPath, pathToFileURL } from "node:url"
import type { Storage } from "@pointsman/contracts/simulator"
import { root } from "../../tidy/Files.ts"
import type { Fault } from "../Fault.ts"
import { assertPlantable, faults, plantedText } from "../Faults.ts"
import { judgedBySimulation, tell } from "../Judged.ts"

const packages = pathToFileURL(`${root}/packages/`).href

/** As many as the slowest of them takes, and some more. A seed takes some 20 ms. */
const seedsAtMost = 1_000

// Nobody looks at the places of errors here, and finding them takes a third of the time.
Error.stackTraceLimit = 0

/** Whatever is imported by a module of ours that was loaded for a fault is loaded for it too: `?planted=3`. */
registerHooks({
  resolve: (specifier, context, next) => {
    const resolved = next(specifier, context)
    const planted = plantedIn(specifier) ?? plantedIn(context.parentURL ?? "")
    const isOurs = resolved.url.startsWith(packages) && plantedIn(resolved.url) === undefined
    return planted === undefined || !isOurs ? resolved : { ...resolved, url: `${resolved.url}?planted=${planted}` }
  },
  load: (url, context, next) => {
    const loaded = next(url, context)
    const fault = faults[Number(plantedIn(url) ?? Number.NaN)]
    if (fault === undefined) return loaded
    const path = fileURLToPath(url.split("?")[0] ?? url)
    return { ...loaded, source: plantedText(fault, path, readFileSync(path, "utf8")) ?? loaded.source }
  }
})

const plantedIn = (url: string): string | undefined => /[?]planted=(\w+)$/u.exec(url)?.[1]

/** Runs a seed, and says what is wrong with it; a run that does not come to its end is. */
const loadSimulation = async (
  storage: NonNullable<Fault["simulatedOn"]>,
  planted: string,
  outside?: Fault["simulatedUnder"]
) => {
  const simulator: typeof import("@pointsman/contracts/simulator") = await import(
    `${packages}contracts/src/simulator.ts?planted=${planted}`
  )
  const { layer } = await import(`${packages}storage/${storage}/src/index.ts?planted=${planted}`)
  const { http } = await import(`${packages}connectors/http/src/index.ts?planted=${planted}`)
  const { applyConfiguration: applyFile } = await import(`${packages}configuration/src/index.ts?planted=${planted}`)
  const made: Storage = storage === "sqlite" ? layer({ filename: ":memory:" }) : layer()
  return async (seed: number): Promise<string | undefined> => {
    try {
      return (await simulator.simulate({ storage: made, seed, outside, http, applyFile })).wrong[0]
    } catch (cause) {
      return String(cause)
    }
  }
}

for (const fault of judgedBySimulation) {
  const { name, simulatedOn, simulatedUnder } = fault
  if (simulatedOn === undefined) continue
  assertPlantable(fault)
  const simulate = await loadSimulation(simulatedOn, String(faults.indexOf(fault)), simulatedUnder)
  let planted = `${seedsAtMost} seeds are all well`
  let seed = 1
  for (; seed <= seedsAtMost; seed++) {
    const wrong = await simulate(seed)
    if (wrong === undefined) continue
    planted = "failed"
    process.stderr.write(`${name}: seed ${seed}: ${wrong}\n`)
    break
  }
  // The very seed that was wrong is well without the fault.
  const sound = await loadSimulation(simulatedOn, "none", simulatedUnder)
  const control = (await sound(Math.min(seed, seedsAtMost))) ?? "passed"
  tell({ name, planted, control })
}
