/** The shop's one Pointsman. */
import type { Pointsman } from "@pointsman/node"
import { openPointsman } from "./shop.ts"

/**
 * Next bundles each route by itself and loads modules anew while it develops, so that a variable of this module would be
 * several; and it loads them while it builds, when nothing may be opened. So it is opened at the first request, and kept
 * where all of them look.
 */
const held = globalThis as typeof globalThis & { shopPointsman?: Promise<Pointsman> | undefined }

export const pointsman = (): Promise<Pointsman> => {
  held.shopPointsman ??= openPointsman().then(
    (opened) => {
      const close = () => void opened.close()
      process.once("SIGTERM", close)
      process.once("SIGINT", close)
      return opened
    },
    (error) => {
      // The next request tries again.
      held.shopPointsman = undefined
      throw error
    }
  )
  return held.shopPointsman
}
