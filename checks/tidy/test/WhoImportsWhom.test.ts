import { assert, describe, it } from "@effect/vitest"
import { ours, sourcesIn } from "../Files.ts"
import { importFaults } from "../WhoImportsWhom.ts"

describe("packages", () => {
  for (const owner of ours()) {
    it(`${owner.dir} imports only what the architecture allows`, () => {
      const sources = sourcesIn(owner.dir)
      assert.isNotEmpty(sources)
      assert.deepStrictEqual(importFaults(owner, sources), [])
    })
  }
})

describe("controls: what must be refused", () => {
  const faults = (dir: string, specifier: string, ...declared: ReadonlyArray<string>) => {
    const dependencies = Object.fromEntries(["effect", ...declared].map((name) => [name, "1.0.0"]))
    const source = { path: `${dir}/src/room/File.ts`, text: `import { x } from "${specifier}"` }
    return importFaults({ dir, manifest: { name: dir, dependencies } }, [source])
  }
  /** Declared by the package. */
  const declaring = (dir: string, specifier: string) =>
    faults(dir, specifier, /^(?:@[^/]+\/)?[^/]+/u.exec(specifier)?.[0] ?? "")

  const refused: ReadonlyArray<readonly [dir: string, specifier: string, message: RegExp]> = [
    ["packages/core", "undici", /may not import undici/],
    ["packages/core", "@pointsman/http", /may not import @pointsman\/http/],
    ["packages/core", "node:crypto", /module of Node/],
    ["packages/core", "crypto", /written node:crypto/],
    ["packages/core", "effect/sql", /marks unstable/],
    ["packages/core", "effect/http/HttpClient", /marks unstable/],
    ["packages/core", "../../../http/src/api.ts", /leaves packages\/core\/src/],
    ["packages/core", "../call/CallIds.faults.ts", /planted faults/],
    ["packages/contracts", "node:fs", /module of Node/],
    ["packages/core", "@pointsman/configuration", /may not import/],
    ["packages/configuration", "@pointsman/core/connector", /may not import/],
    ["packages/configuration", "node:fs", /module of Node/],
    ["packages/http", "@pointsman/configuration", /may not import/],
    ["packages/http", "node:http", /module of Node/],
    ["packages/http", "effect/sql/SqlClient", /marks unstable/],
    ["packages/http", "@pointsman/storage-sqlite", /may not import/],
    ["packages/storage/sqlite", "@pointsman/connector-http", /may not import/],
    ["packages/storage/sqlite", "effect/persistence", /marks unstable/],
    ["packages/storage/memory", "effect/sql", /marks unstable/],
    ["packages/connectors/http", "@pointsman/core", /may not import @pointsman\/core/],
    ["packages/connectors/http", "node:https", /module of Node/],
    ["packages/connectors/stripe", "@pointsman/storage-sqlite", /may not import/],
    ["packages/unheard-of", "effect", /not in the table/]
  ]
  it.each(refused)("%s may not import %s", (dir, specifier, message) => {
    const found = declaring(dir, specifier)
    assert.lengthOf(found, 1)
    assert.match(found[0] ?? "", message)
  })

  it("a package may not import what it does not declare", () => {
    assert.match(faults("packages/core", "i18n-iso-countries").join(), /does not declare i18n-iso-countries/)
    assert.match(faults("packages/server", "@pointsman/core").join(), /does not declare @pointsman\/core/)
  })

  const allowed: ReadonlyArray<readonly [dir: string, specifier: string]> = [
    ["packages/core", "effect"],
    ["packages/core", "effect/Effect"],
    ["packages/core", "effect/crypto"],
    ["packages/core", "i18n-iso-countries/codes.json"],
    ["packages/core", "../ports/Ledger.ts"],
    ["packages/http", "effect/http-api/HttpApi"],
    ["packages/storage/sqlite", "@pointsman/core/ports"],
    ["packages/storage/sqlite", "node:sqlite"],
    ["packages/connectors/stripe", "stripe"],
    ["packages/server", "@pointsman/storage-sqlite"]
  ]
  it.each(allowed)("%s may import %s", (dir, specifier) => {
    assert.deepStrictEqual(declaring(dir, specifier), [])
  })
})
