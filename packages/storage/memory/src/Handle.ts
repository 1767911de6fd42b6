import type { StorageHandle } from "@pointsman/core/ports"
import { layer } from "./Layer.ts"

/** Storage that is gone with the process, for `createPointsman` of `@pointsman/node`. */
export const memory = (): StorageHandle => ({ name: "memory", lasts: false, "~pointsman/storage": layer() })
