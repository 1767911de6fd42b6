// The first import of every entry that npm publishes, so that an old Node, which has read the entry and not run it, says
// what it lacks. The other files of the build hold no syntax that it cannot parse, and no import that it cannot link.
import { nodeFault } from "../../packages/server/src/NodeVersion.ts"

const fault = typeof process === "undefined" ? undefined : nodeFault(process.versions.node)
if (fault !== undefined) {
  const error = new Error(fault)
  // The places in this file help nobody.
  error.stack = fault
  throw error
}
