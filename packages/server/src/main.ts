#!/usr/bin/env node
import { nodeFault } from "./NodeVersion.ts"

const fault = nodeFault(process.versions.node)
if (fault === undefined) {
  // Loaded only now: an old Node fails to parse it, with a message that helps nobody.
  import("./Command.ts").then((command) => command.run())
} else {
  console.error(fault)
  process.exitCode = 1
}
