/** The page docs/reference/release-checks.md: what each part proves, and how it ended when it last ran. */
import { parts } from "./Parts.ts"

export interface Row {
  readonly name: string
  readonly commit: string
  readonly date: string
  /** `passed`, `failed`, or `skipped: <reason>`. */
  readonly result: string
  readonly seconds: number
}

const intro = `# Release checks

[\`.ci/run\`](../../.ci/run) runs what must pass before a change is merged. \`bash .ci/release\` runs everything else, and all of it must pass before a release; \`bash .ci/release <part> …\` runs the named parts. A change whose promise a part proves runs that part. \`.ci/release\` writes this page.

| Part | Proves | Commit | Date | Result | Seconds |
|---|---|---|---|---|---|
`

/** The rows of a page that this file wrote; parts that have never run have none. */
export const readRows = (text: string): ReadonlyArray<Row> =>
  [...text.matchAll(/^\| `([\w-]+)` \| [^|]* \| ([^|]+) \| ([\d-]+) \| ([^|]+) \| (\d+) \|$/gmu)].map(
    ([, name = "", commit = "", date = "", result = "", seconds]) => ({
      name,
      commit,
      date,
      result,
      seconds: Number(seconds)
    })
  )

/** A row for each part, in the order in which they run. */
export const releasePage = (rows: ReadonlyArray<Row>): string =>
  intro +
  Object.entries(parts)
    .map(([name, [proves]]) => {
      const row = rows.find((one) => one.name === name)
      const last =
        row === undefined ? "| | not run | |" : `${row.commit} | ${row.date} | ${row.result} | ${row.seconds} |`
      return `| \`${name}\` | ${proves} | ${last}\n`
    })
    .join("")
