#!/usr/bin/env node
// The whole of it, and not by name: an old Node refuses to link a name that it lacks, before it runs a line.
import nodeModule from "node:module"
import { fileURLToPath } from "node:url"
import { nodeFault } from "./NodeVersion.ts"

const fault = nodeFault(process.versions.node)
if (fault === undefined) {
  // Compiled code is kept beside the program: who can write there could change the program itself. Where this process
  // cannot write there, nothing is kept.
  nodeModule.enableCompileCache(fileURLToPath(new URL("../.cache", import.meta.url)))
  // Loaded only now: an old Node fails to parse it, with an unhelpful message.
  import("./CommandLine.ts").then((command) => command.run())
} else {
  console.error(fault)
  process.exitCode = 1
}
