import { assert, describe, it } from "@effect/vitest"
import { circles } from "../Circles.ts"
import { type Package, packages, sourcesIn } from "../Files.ts"
import { importFaults } from "../WhoImportsWhom.ts"

const sourcesOf = ({ dir }: Package) => sourcesIn(dir)

describe("packages", () => {
  for (const owner of packages().filter(({ dir }) => dir.startsWith("packages/"))) {
    it(`${owner.dir} imports only what the architecture allows`, () => {
      assert.isNotEmpty(sourcesOf(owner))
      assert.deepStrictEqual(importFaults(owner, sourcesOf(owner)), [])
    })
    it(`no import of ${owner.dir} leads in a circle`, () => {
      assert.deepStrictEqual(circles(sourcesOf(owner)), [])
    })
  }
})

describe("controls: what must be refused", () => {
  const owner = (dir: string, ...declared: ReadonlyArray<string>): Package => ({
    dir,
    manifest: { name: dir, dependencies: Object.fromEntries(["effect", ...declared].map((name) => [name, "1.0.0"])) }
  })
  const faults = (owner: Package, specifier: string) =>
    importFaults(owner, [{ path: `${owner.dir}/src/room/File.ts`, text: `import { x } from "${specifier}"` }])

  const refused: ReadonlyArray<readonly [owner: Package, specifier: string, message: RegExp]> = [
    [owner("packages/core", "undici"), "undici", /may not import undici/],
    [owner("packages/core", "@pointsman/http"), "@pointsman/http", /may not import @pointsman\/http/],
    [owner("packages/core"), "node:crypto", /module of Node/],
    [owner("packages/core"), "crypto", /written node:crypto/],
    [owner("packages/core"), "effect/sql", /marks unstable/],
    [owner("packages/core"), "effect/http/HttpClient", /marks unstable/],
    [owner("packages/core"), "i18n-iso-countries", /does not declare/],
    [owner("packages/core"), "../../../http/src/api.ts", /leaves packages\/core\/src/],
    [owner("packages/core"), "../call/CallIds.faults.ts", /planted faults/],
    [owner("packages/contracts"), "node:fs", /module of Node/],
    [owner("packages/core", "@pointsman/configuration"), "@pointsman/configuration", /may not import/],
    [owner("packages/configuration", "@pointsman/core"), "@pointsman/core/connector", /may not import/],
    [owner("packages/configuration"), "node:fs", /module of Node/],
    [owner("packages/http", "@pointsman/configuration"), "@pointsman/configuration", /may not import/],
    [owner("packages/http"), "node:http", /module of Node/],
    [owner("packages/http"), "effect/sql/SqlClient", /marks unstable/],
    [owner("packages/http", "@pointsman/storage-sqlite"), "@pointsman/storage-sqlite", /may not import/],
    [owner("packages/storage/sqlite", "@pointsman/connector-http"), "@pointsman/connector-http", /may not import/],
    [owner("packages/storage/sqlite"), "effect/persistence", /marks unstable/],
    [owner("packages/storage/memory"), "effect/sql", /marks unstable/],
    [owner("packages/connectors/http", "@pointsman/core"), "@pointsman/core", /may not import @pointsman\/core/],
    [owner("packages/connectors/http"), "node:https", /module of Node/],
    [owner("packages/connectors/stripe", "@pointsman/storage-sqlite"), "@pointsman/storage-sqlite", /may not import/],
    [owner("packages/server"), "@pointsman/core", /does not declare/],
    [owner("packages/unheard-of"), "effect", /not in the table/]
  ]
  for (const [from, specifier, message] of refused) {
    it(`${from.dir} may not import ${specifier}`, () => {
      const found = faults(from, specifier)
      assert.strictEqual(found.length, 1)
      assert.match(found[0] ?? "", message)
    })
  }

  const allowed: ReadonlyArray<readonly [owner: Package, specifier: string]> = [
    [owner("packages/core"), "effect"],
    [owner("packages/core"), "effect/Effect"],
    [owner("packages/core"), "effect/crypto"],
    [owner("packages/core", "i18n-iso-countries"), "i18n-iso-countries/codes.json"],
    [owner("packages/core"), "../ports/Ledger.ts"],
    [owner("packages/http"), "effect/http-api/HttpApi"],
    [owner("packages/storage/sqlite", "@pointsman/core"), "@pointsman/core/ports"],
    [owner("packages/storage/sqlite"), "node:sqlite"],
    [owner("packages/connectors/stripe", "@pointsman/core", "stripe"), "stripe"],
    [owner("packages/server", "@pointsman/storage-sqlite"), "@pointsman/storage-sqlite"]
  ]
  for (const [from, specifier] of allowed) {
    it(`${from.dir} may import ${specifier}`, () => {
      assert.deepStrictEqual(faults(from, specifier), [])
    })
  }

  it("the circle of files that import each other is named", () => {
    const found = circles([
      { path: "src/a.ts", text: 'import "./room/b.ts"' },
      { path: "src/room/b.ts", text: 'import type { C } from "./c.ts"' },
      { path: "src/room/c.ts", text: 'export { a } from "../a.ts"' },
      { path: "src/d.ts", text: 'import "./a.ts"' }
    ])
    assert.deepStrictEqual(found, ["src/a.ts -> src/room/b.ts -> src/room/c.ts -> src/a.ts"])
  })

  it("the circle of a file that imports itself is named", () => {
    assert.deepStrictEqual(circles([{ path: "a.ts", text: 'import "./a.ts"' }]), ["a.ts -> a.ts"])
  })

  it("files that meet again without a circle have no finding", () => {
    const found = circles([
      { path: "a.ts", text: 'import "./b.ts"; import "./c.ts"' },
      { path: "b.ts", text: 'import "./d.ts"' },
      { path: "c.ts", text: 'import "./d.ts"' },
      { path: "d.ts", text: "" }
    ])
    assert.deepStrictEqual(found, [])
  })
})
