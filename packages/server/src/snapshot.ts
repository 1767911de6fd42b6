/**
 * What a snapshot of the server runs (`scripts/build/Snapshot.ts`). All that it imports is loaded when the snapshot is built
 * (https://nodejs.org/docs/latest-v24.x/api/v8.html#startup-snapshot-api).
 */
import { createRequire } from "node:module"
import { startupSnapshot } from "node:v8"
import * as postgres from "@pointsman/storage-postgres"
import * as sqlite from "@pointsman/storage-sqlite"
import { run } from "./CommandLine.ts"
import * as serve from "./Serve.ts"
import { readServeLine } from "./ServeLine.ts"

/** Held, so that the snapshot has them: a server loads them by `import`. */
const loaded = { postgres, serve, sqlite }

/** `mainFile`: the path of `main.js`. */
export const keep = (mainFile: string): void =>
  startupSnapshot.setDeserializeMainFunction((held) => {
    const { argv } = process
    // A worker is started with the path of the program, and the first process without one.
    if (argv[1] !== mainFile) argv.splice(1, 0, mainFile)
    // Other commands are not in the snapshot.
    if (readServeLine(argv.slice(2)) === undefined) createRequire(mainFile)(mainFile)
    else if (held === loaded) run()
  }, loaded)
