/** The page, the rules and the dashboard name what the server tells, and the page names all of it. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const read = (path: string) => readFileSync(join(root, path), "utf8")

const namesIn = (text: string): ReadonlyArray<string> =>
  [
    ...new Set([...text.matchAll(/\bpointsman_[a-z_]+/gu)].map(([name]) => name.replace(/_(?:bucket|sum|count)$/u, "")))
  ].toSorted()

/** As they are made, in the sources that make metrics. */
const made = [
  ...readdirSync(join(root, "packages/core/src/metrics")).map((file) => `packages/core/src/metrics/${file}`),
  "packages/core/src/door/StoredTexts.ts",
  "packages/http/src/ObserveRequest.ts",
  "packages/server/src/AdmitRequests.ts",
  "packages/server/src/Backlog.ts",
  "packages/server/src/Metrics.ts"
].flatMap((path) => namesIn(read(path)))

describe("the files for monitoring", () => {
  it("the page's table names every metric, and no other", () => {
    const rows = read("docs/guides/monitoring.md").matchAll(/^\| `(pointsman_\w+)` \|/gmu)
    assert.deepStrictEqual([...rows].map(([, name]) => name).toSorted(), [...new Set(made)].toSorted())
  })

  it.each(["docs/monitoring/alerts.yml", "docs/monitoring/grafana.json"])(
    "%s names only metrics that are exported",
    (path) => {
      const named = namesIn(read(path))
      assert.isAbove(named.length, 10)
      assert.deepStrictEqual(
        named.filter((name) => !made.includes(name)),
        []
      )
    }
  )

  it("there is one dashboard, and every panel asks for something", () => {
    const { panels } = JSON.parse(read("docs/monitoring/grafana.json"))
    for (const { targets, title } of panels) {
      assert.isNotEmpty(title)
      assert.isTrue(
        targets.every(({ expr }: { readonly expr: string }) => namesIn(expr).length > 0),
        title
      )
    }
  })
})
