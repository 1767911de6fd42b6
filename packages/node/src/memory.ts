/** `@pointsman/node/memory`: storage that is gone with the process. */
import { memory as open } from "@pointsman/storage-memory"
import type { Storage } from "./Settings.ts"

export const memory: () => Storage = open
