/** The server as its users run it, for the tests that start it or a command in a process of its own. */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const inRoot = (path: string): string => fileURLToPath(new URL(`../../../../${path}`, import.meta.url))

export const bundledMain = inRoot("packages/server/dist/main.js")

/** Builds it where its sources are newer. */
export default async function setup(): Promise<void> {
  await promisify(execFile)(process.execPath, [inRoot("scripts/build/server.mjs")])
}
