/**
 * The bundled server as a next release: its schema for PostgreSQL has one more step. A process that starts with
 * `nextRelease` in its environment loads this file first.
 */
import { registerHooks } from "node:module"
import type { Step } from "../../../storage/postgres/src/Migrations.ts"

const variable = "POINTSMAN_NEXT_STEP"
/** Behind all numbers of this release. */
export const nextSchema = 1000

export const nextRelease = (step: Step) => ({
  NODE_OPTIONS: `--import=${import.meta.url}`,
  [variable]: JSON.stringify(step)
})

/** The end of the steps, in the bundle, whose lines end anywhere. */
const end = /\}(\s*,\s*newest\s*=\s*Math\s*\.\s*max\s*\()/u
const text = new TextDecoder()

const step = process.env[variable]
if (step !== undefined) {
  registerHooks({
    load: (url, context, next) => {
      const loaded = next(url, context)
      const { source } = loaded
      if (!url.includes("/packages/server/dist/") || source == null) return loaded
      const code = typeof source === "string" ? source : text.decode(source)
      return { ...loaded, source: code.replace(end, (_, rest: string) => `,"${nextSchema}_next":${step}}${rest}`) }
    }
  })
}
