/**
 * Measures: `npm run bench:all -- --only creates,http --seconds 4 --rounds 5 --json out.json`. Everything that is
 * compared runs side by side in this one run; docs/performance.md says what and how.
 */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { Misuse, main, positive } from "./kit/Main.ts"
import { addMeasured, isMet, type Measure, type Section, toldSection } from "./kit/Result.ts"
import { stopAll } from "./kit/Side.ts"
import { batching } from "./measures/Batching.ts"
import { capacity } from "./measures/Capacity.ts"
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
  ...{ creates, batching, http, waiting, peer, scale, size, deliveries, routing, start, memory, export: exports },
  ...{ capacity, citus }
}
const names = Object.keys(measures)

const smokeNames = ["creates", "batching", "http", "waiting", "routing", "size", "start", "export", "capacity"]

const usage = `npm run bench:all -- [options]
  --only <names>    some of: ${names.join(", ")}
  --seconds <n>     how long a side is measured within a round; 4 unless set
  --rounds <n>      5 unless set
  --peer <folder>   the comparison with Medusa and hand-written floors, with its packages installed
  --json <file>     where to add the result, in the place of earlier ones of the same parts
  --smoke           only that it runs: ${smokeNames.join(", ")}, for a moment
DATABASE_URL names a PostgreSQL server to use; without it, one from npm is started. With POINTSMAN_CITUS=all, the part
citus starts a cluster, as the tests do (docs/contributing/checks.md).`

const sections: Array<Section> = []
let [json, rounds, seconds] = ["", 0, 0]

const options = { only: "", seconds: "", rounds: "", peer: "", json: "", smoke: false } as const
const machine = await main(usage, options, async (given, { folder, startPostgres }) => {
  const { smoke } = given
  const asked = given.only === "" ? (smoke ? smokeNames : names) : given.only.split(",")
  const unknown = asked.find((name) => !names.includes(name))
  if (unknown !== undefined) throw new Misuse(`--only: "${unknown}" is not one of ${names.join(", ")}`)
  json = given.json
  rounds = Math.round(positive("rounds", given.rounds || (smoke ? "1" : "5")))
  seconds = positive("seconds", given.seconds || (smoke ? "0.5" : "4"))
  execFileSync(process.execPath, [join(import.meta.dirname, "../../scripts/build/server.mjs")], { stdio: "inherit" })
  const postgres = await startPostgres()
  for (const name of asked) {
    const tell = (line: string) => console.error(`${name}: ${line}`)
    const section = await measures[name]?.({ folder, peer: given.peer, postgres, rounds, seconds, smoke, tell })
    await stopAll()
    await postgres.dropAll()
    if (section === undefined) continue
    sections.push(section)
    console.log(toldSection(section))
  }
  const rows = sections.flatMap((section) => section.rows)
  const without = rows.filter(({ value }) => !Number.isFinite(value.median))
  // A part that cannot run here says why.
  const isSilent = rows.length === 0 && sections.every(({ note }) => note === "")
  if (isSilent || without.length > 0) {
    throw new Error(`without a figure: ${without.map(({ id }) => id).join(", ") || "all of it"}`)
  }
  const short = rows.filter((row) => isMet(row) === false)
  if (short.length > 0 && !smoke) console.log(`Not met: ${short.map(({ id }) => id).join(", ")}`)
  console.log(`\n${rounds} rounds of ${seconds} s; the median of the rounds, and the least and the greatest`)
})
if (machine !== undefined && json !== "") {
  const added = sections.map((section) => ({ ...section, rounds, seconds, machine }))
  addMeasured(json, added, names)
}
