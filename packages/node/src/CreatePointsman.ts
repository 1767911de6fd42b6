import { atCaller } from "./CallersStack.ts"
import type { Pointsman } from "./Pointsman.ts"
import type { PointsmanSettings } from "./Settings.ts"

/**
 * Opens the storage, applies the workspaces, and starts the background. Fails with `StartError`, and has closed then what
 * it had opened. Close what it gives before the process ends.
 */
export const createPointsman = async (settings: PointsmanSettings): Promise<Pointsman> => {
  // Nearly all of the package: a program that only names it in an import does not wait for it.
  const { openPointsman } = await import("./OpenPointsman.ts")
  try {
    return await openPointsman(settings)
  } catch (error) {
    throw atCaller(error, createPointsman)
  }
}
