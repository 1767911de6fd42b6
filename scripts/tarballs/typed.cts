// A TypeScript program in CommonJS; it is compiled and never run.
import { createPointsman } from "@pointsman/node"
import { memory } from "@pointsman/node/memory"

export const open = () => createPointsman({ storage: memory(), connectors: [] })
