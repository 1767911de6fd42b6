/** The guide to the configuration is written by hand: its tables name what there is, all of it, and nothing else. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { variables } from "../../../packages/server/src/Settings.ts"
import { root } from "../../tidy/Files.ts"

const guide = readFileSync(join(root, "docs/guides/configuration.md"), "utf8")

it("given the settings of the server, when the guide's table is read, then it has each with its flag and default", () => {
  const rows = Array.from(guide.matchAll(/^\| `([A-Z_]+)` \| `--([a-z-]+)` \| .* \| ([^|]+) \|$/gmu), (row) => {
    const [, variable = "", flag = "", absent = ""] = row
    return { variable, flag, absent: absent.replaceAll("`", "") }
  })
  const byName = (a: { readonly variable: string }, b: { readonly variable: string }) =>
    a.variable.localeCompare(b.variable)
  assert.deepStrictEqual(
    rows.toSorted(byName).map(({ flag, variable }) => [variable, flag]),
    Object.values(variables)
      .map(({ flag, variable }) => ({ flag, variable }))
      .toSorted(byName)
      .map(({ flag, variable }) => [variable, flag])
  )
  for (const { default: absent, variable } of Object.values(variables)) {
    const written = rows.find((row) => row.variable === variable)?.absent ?? ""
    assert.strictEqual(written, absent.replace("postgres://", "PostgreSQL"), variable)
  }
})
