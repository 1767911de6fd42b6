import { readFileSync } from "node:fs"

/** Of this package, whose manifest is one folder above its sources and its bundle. */
export const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  readonly version: string
}
