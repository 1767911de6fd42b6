import type { Plugin } from "vitest/config"
import type { PlantedFault } from "./Faults.ts"

/** The environment variable that names the fault to plant. It is read whenever a module is loaded. */
export const plantVariable = "POINTSMAN_PLANT"

// Loaded where something is planted: reading syntax takes a compiler, which other runs need not load.
const load = () => import("./Faults.ts")

const faultNamed = (faults: ReadonlyArray<PlantedFault>, name: string): PlantedFault => {
  const fault = faults.find((fault) => fault.name === name)
  if (fault === undefined) throw new Error(`no fault is named "${name}"`)
  return fault
}

/** Plants the named fault into the sources as they are loaded; without one it does nothing. */
export const plantMutation = (): Plugin => {
  const planted = () => process.env[plantVariable] || undefined
  return {
    name: "plant-mutation",
    enforce: "pre",
    configResolved: async () => {
      const first = planted()
      if (first === undefined) return
      const { assertPlantable, faults } = await load()
      assertPlantable(faultNamed(faults, first))
    },
    transform: async (code, id) => {
      const name = planted()
      if (name === undefined) return undefined
      const { faults, plantedText } = await load()
      return plantedText(faultNamed(faults, name), id.split("?")[0] ?? id, code)
    }
  }
}
