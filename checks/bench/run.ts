/**
 * Measures: `npm run bench:all -- --only creates,http --seconds 4 --rounds 5 --json out.json`. Everything that is
 * compared runs side by side in this one run; docs/performance.md says what and how.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { toldMachine, watchMachine } from "./kit/Machine.ts"
import { addMeasured } from "./kit/Measured.ts"
import type { Measure, Options } from "./kit/Options.ts"
import { openPostgres } from "./kit/Postgres.ts"
import { isMet, type Section, toldSection } from "./kit/Result.ts"
import { endAll } from "./kit/Side.ts"
import { batching } from "./measures/Batching.ts"
import { citus } from "./measures/Citus.ts"
import { creates } from "./measures/Creates.ts"
import { deliveries } from "./measures/Deliveries.ts"
import { exports } from "./measures/Export.ts"
import { http } from "./measures/Http.ts"
import { memory } from "./measures/Memory.ts"
import { peer } from "./measures/Peer.ts"
import { routing } from "./measures/Routing.ts"
import { scale } from "./measures/Scale.ts"
import { size } from "./measures/Size.ts"
import { start } from "./measures/Start.ts"
import { waiting } from "./measures/Waiting.ts"

const measures: Readonly<Record<string, Measure>> = {
  creates,
  batching,
  http,
  waiting,
  peer,
  scale,
  size,
  deliveries,
  routing,
  start,
  memory,
  export: exports,
  citus
}

const smokeNames = ["creates", "batching", "http", "waiting", "routing", "size", "start", "export"]

const usage = `npm run bench:all -- [options]
  --only <names>    some of: ${Object.keys(measures).join(", ")}
  --seconds <n>     how long a side is measured within a round; 4 unless set
  --rounds <n>      5 unless set
  --peer <folder>   the comparison with Medusa and hand-written floors, with its packages installed
  --json <file>     where to add the result, in the place of earlier ones of the same parts
  --smoke           only that it runs: ${smokeNames.join(", ")}, for a moment
DATABASE_URL names a PostgreSQL server to use; without it, one from npm is started. With POINTSMAN_CITUS=all, the part
citus starts a cluster, as the tests do (docs/contributing/checks.md).`

class Misuse extends Error {}

const positive = (name: string, text: string): number => {
  const value = Number(text)
  if (!(value > 0)) throw new Misuse(`--${name}: expected a number above 0`)
  return value
}

const readFlags = () => {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      seconds: { type: "string" },
      rounds: { type: "string" },
      peer: { type: "string" },
      json: { type: "string" },
      smoke: { type: "boolean", default: false },
      help: { type: "boolean", default: false }
    }
  })
  const { smoke } = values
  const names = values.only?.split(",") ?? (smoke ? smokeNames : Object.keys(measures))
  const unknown = names.find((name) => !(name in measures))
  if (unknown !== undefined) {
    throw new Misuse(`--only: "${unknown}" is not one of ${Object.keys(measures).join(", ")}`)
  }
  return {
    help: values.help,
    json: values.json,
    names,
    peer: values.peer,
    rounds: Math.round(positive("rounds", values.rounds ?? (smoke ? "1" : "5"))),
    seconds: positive("seconds", values.seconds ?? (smoke ? "0.5" : "4")),
    smoke
  }
}

const main = async () => {
  const { help, json, names, peer, rounds, seconds, smoke } = readFlags()
  if (help) return console.log(usage)
  execFileSync(process.execPath, [join(import.meta.dirname, "../../scripts/build/server.mjs")], { stdio: "inherit" })
  const machine = watchMachine()
  if (machine.warning !== undefined) console.error(machine.warning)
  const postgres = await openPostgres()
  if ("missing" in postgres) throw new Error(`There is no PostgreSQL here: ${postgres.missing}`)
  const folder = mkdtempSync(join(tmpdir(), "pointsman-bench-"))
  const removeFolder = () => rmSync(folder, { recursive: true, force: true })
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      console.error(`ended by ${signal}`)
      endAll()
      removeFolder()
      process.exit(1)
    })
  }
  const sections: Array<Section> = []
  try {
    for (const name of names) {
      const tell = (line: string) => console.error(`${name}: ${line}`)
      const options: Options = { folder, peer, postgres, rounds, seconds, smoke, tell }
      const section = await measures[name]?.(options)
      if (section === undefined) continue
      sections.push(section)
      console.log(toldSection(section))
    }
  } finally {
    endAll()
    await postgres.stop()
    removeFolder()
  }
  const told = machine.end(`${postgres.version} ${postgres.origin}`)
  console.log(`\n${rounds} rounds of ${seconds} s; the median of the rounds, and the least and the greatest`)
  console.log(toldMachine(told))
  const rows = sections.flatMap((section) => section.rows)
  const without = rows.filter(({ value }) => !Number.isFinite(value.median))
  // A part that cannot run here says why.
  const isSilent = rows.length === 0 && sections.every(({ note }) => note === "")
  if (isSilent || without.length > 0) {
    throw new Error(`without a figure: ${without.map(({ id }) => id).join(", ") || "all of it"}`)
  }
  const short = rows.filter((row) => isMet(row) === false)
  if (short.length > 0 && !smoke) console.log(`Not met: ${short.map(({ id }) => id).join(", ")}`)
  if (json !== undefined) {
    const added = sections.map((section) => ({ ...section, rounds, seconds, machine: told }))
    addMeasured(json, added, Object.keys(measures))
  }
}

main().catch((cause: unknown) => {
  console.error(cause instanceof Misuse ? `${cause.message}\n\n${usage}` : cause)
  process.exitCode = 1
})
