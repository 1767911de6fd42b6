import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { plantMutation, plantVariable } from "./checks/mutations/PlantMutation.ts"
import projects from "./vitest.workspace.ts"

// Workers, and the processes that tests start, compile what one of them compiled already in half of the time. Node writes
// it when a process ends by itself.
process.env["NODE_COMPILE_CACHE"] ??= fileURLToPath(new URL("node_modules/.cache/node-compiled", import.meta.url))

/** What the projects one by one and `vitest.all.config.ts` have in common. */
export const shared = {
  // Outer limits, for a machine that is busy with ten times as much: a test that waits for what never comes ends by them.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  passWithNoTests: true,
  // The default leaves one processor idle, which is half of a small machine. These tests wait for servers that they
  // start, for time-outs and for disks: two more workers than there are processors have something to do meanwhile.
  maxWorkers: availableParallelism() + 2,
  // A process for each file would load Effect and our sources again for each of them: half of all the time. So a test
  // leaves nothing behind; `--sequence.shuffle.files` runs the files in another order.
  isolate: false,
  // A test drops most objects that it makes: with this room, core's tests take 4 % less processor time than by default.
  execArgv: ["--max-semi-space-size=64"]
}

export default defineConfig({
  plugins: [plantMutation()],
  ssr: { resolve: { conditions: ["@pointsman/source"] } },
  test: {
    projects,
    ...shared,
    // A planted fault that stayed in the cache of transformed modules would be run again as if it were ours.
    fsModuleCache: process.env[plantVariable] === undefined
  }
})
