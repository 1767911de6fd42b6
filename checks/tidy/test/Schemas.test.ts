import { assert, describe, it } from "@effect/vitest"
import { steps as postgres } from "../../../packages/storage/postgres/src/Migrate.ts"
import { steps as sqlite } from "../../../packages/storage/sqlite/src/Migrations.ts"
import { files, packages } from "../Files.ts"

/** The version in the manifests before the first release. */
const unreleased = "0.1.0"

/** The first release writes a changelog into each package, and another version than that. */
const isReleased =
  files("packages/**/CHANGELOG.md").length > 0 ||
  packages().some(({ manifest }) => manifest.version !== undefined && manifest.version !== unreleased)

const fault = (steps: ReadonlyArray<string>): string | undefined =>
  steps.length <= 1
    ? undefined
    : `nothing was released, so no database exists that needs ${steps.slice(1).join(", ")}: change schema.sql instead. ` +
      "From the first release on, released steps stay as they are, and others follow them (docs/decisions/0038)"

describe.skipIf(isReleased)("schemas before the first release", () => {
  for (const [name, steps] of Object.entries({ postgres, sqlite })) {
    it(`the baseline is the only step of ${name}`, () => {
      assert.deepStrictEqual(Object.keys(steps), ["1_baseline"], fault(Object.keys(steps)))
    })
  }

  it("a second step is refused", () => {
    assert.match(
      fault(["1_baseline", "2_brands"]) ?? "",
      /^nothing was released, so no database exists that needs 2_brands/u
    )
    assert.isUndefined(fault(["1_baseline"]))
  })
})
