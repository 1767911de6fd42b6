import { posix } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import projects from "../../../vitest.workspace.ts"
import { exists, files, type Manifest, ours, type Package, packages, rootManifest, textAt } from "../Files.ts"
import { agreementFaults, changesetFaults, lockFaults, wiringFaults } from "../Manifests.ts"

const read = (path: string) => JSON.parse(textAt(path) ?? "")

describe("packages", () => {
  it("versions, ranges, licences and doors of all packages agree", () => {
    assert.deepStrictEqual(agreementFaults(rootManifest(), packages()), [])
  })

  it("the build and the tests know every package", () => {
    const references = Object.fromEntries(
      files("tsconfig.build.json", "packages/**/tsconfig.json").map(({ path, text }) => {
        const dir = path === "tsconfig.build.json" ? "" : posix.dirname(path)
        const { references = [] }: { readonly references?: ReadonlyArray<{ readonly path: string }> } = JSON.parse(text)
        return [dir, references.map((one) => posix.join(dir, one.path))]
      })
    )
    const roots = projects.map((project) => String(Object(project).test?.root))
    assert.isAbove(ours().length, 20)
    assert.deepStrictEqual(wiringFaults(ours(), references, roots), [])
  })

  it("the licence of every published package is the one of the root", () => {
    const published = packages().filter(({ manifest }) => manifest.private !== true)
    assert.deepStrictEqual(
      published.filter(({ dir }) => textAt(`${dir}/LICENSE`) !== textAt("LICENSE")),
      []
    )
  })

  it("every changeset bumps packages that are published", () => {
    // A release writes changelogs.
    const isReleased = exists("packages/server/CHANGELOG.md")
    assert.deepStrictEqual(changesetFaults(files(".changeset/*.md"), packages(), isReleased), [])
  })

  it("the root holds at most nine folders", () => {
    const folders = new Set(files("*/**/package.json", "*/**/*.md", "*/**/*.ts").map(({ path }) => path.split("/")[0]))
    assert.includeMembers([...folders], ["packages", "examples", "docs"])
    assert.isAtMost(folders.size, 9)
  })

  it("no lock file names a host, and each has a manifest with exact versions", () => {
    // The repository, and the folders of tools that are installed apart.
    const lockFiles = files("{.,docs,checks/*,examples/*}/package-lock.json")
    assert.includeMembers(
      lockFiles.map(({ path }) => path),
      ["package-lock.json", "checks/tools/package-lock.json"]
    )
    for (const { path, text } of lockFiles) {
      assert.deepStrictEqual(lockFaults(JSON.parse(text)), [], path)
      const { devDependencies } = read(path.replace("package-lock", "package"))
      assert.deepStrictEqual(agreementFaults({ name: path, devDependencies }, []), [], path)
    }
  })
})

describe("controls: what must be refused", () => {
  const door = { "@pointsman/source": "./src/index.ts", types: "./dist/index.d.ts", default: "./dist/index.js" }
  const good: Manifest = {
    name: "@pointsman/a",
    version: "1.0.0",
    license: "MIT",
    engines: { node: ">=22" },
    scripts: { prepack: "node ../../scripts/prepack.mjs" },
    exports: { ".": door, "./package.json": "./package.json" }
  }
  const owner = (change: Partial<Manifest>, dir = "packages/a"): Package => ({ dir, manifest: { ...good, ...change } })
  const other = (change: Partial<Manifest>, dir?: string) => owner({ name: "@pointsman/b", ...change }, dir)

  const head = (...lines: ReadonlyArray<string>) => ({
    path: ".changeset/first-release.md",
    text: `---\n${lines.join("\n")}\n---\n\nWhat changed.\n`
  })
  const isPrivate = owner({ name: "private", private: true })
  const both = ['"@pointsman/a": minor', '"@pointsman/b": minor']

  it.each(['"@pointsman/gone": minor', '"private": minor', '"@pointsman/a": large', "@pointsman/a"])(
    "a changeset with the line %s is refused, and without it passes",
    (line) => {
      const packagesHere = [owner({}), isPrivate]
      assert.deepStrictEqual(changesetFaults([head('"@pointsman/a": patch')], packagesHere, true), [])
      assert.lengthOf(changesetFaults([head('"@pointsman/a": patch', line)], packagesHere, true), 1)
      assert.lengthOf(changesetFaults([{ path: "c.md", text: "What changed.\n" }], packagesHere, true), 1)
    }
  )

  it("several, partial or no changesets before the first release are refused", () => {
    const faultsOf = (...changesets: ReadonlyArray<ReturnType<typeof head>>) =>
      changesetFaults(changesets, [owner({}), other({}), isPrivate], false).length
    const whole = head(...both)
    assert.deepStrictEqual(
      [faultsOf(whole), faultsOf(), faultsOf(whole, { ...whole, path: ".changeset/second.md" })],
      [0, 2, 1]
    )
    assert.strictEqual(faultsOf(head(...both.slice(1))), 1)
  })

  it("a good package has nothing refused", () => {
    const packagesHere = [owner({}), other({ dependencies: { "@pointsman/a": "1.0.0" } }, "packages/b")]
    assert.deepStrictEqual(agreementFaults({ name: "root", devDependencies: { effect: "4.1.0" } }, packagesHere), [])
    assert.deepStrictEqual(lockFaults({ packages: { "node_modules/a": { resolved: "packages/a" } } }), [])
  })

  const { "@pointsman/source": source, types, default: built } = door
  const disagreements: Readonly<Record<string, Package>> = {
    "a door without types": other({ exports: { ".": { "@pointsman/source": source, default: built } } }),
    "conditions in another order": other({ exports: { ".": { types, "@pointsman/source": source, default: built } } }),
    "another version": other({ version: "1.0.1" }),
    "another licence": other({ license: "ISC" }),
    "another range of Node": other({ engines: { node: ">=20" } }),
    "an archive that npm packs without building it": other({ scripts: {} }),
    "a bundle with a peer that npm installs": other({ peerDependencies: { "s3-client": "^4.1.0" } }, "packages/node"),
    "a bundle that depends on a package": other({ dependencies: { effect: "^4.1.0" } }, "packages/node"),
    "a range of our own package that is not the version": other({ dependencies: { "@pointsman/a": "^1.0.0" } }),
    "our own package that does not exist": other({ dependencies: { "@pointsman/gone": "1.0.0" } }),
    "another range of a package of others": other({ peerDependencies: { effect: "^4.0.0" } })
  }
  it.each(Object.entries(disagreements))("packages with %s are refused", (_, second) => {
    const first = owner({ peerDependencies: { effect: "^4.1.0" } })
    assert.lengthOf(agreementFaults({ name: "root" }, [first, second]), 1)
  })

  it("a tool without an exact version is refused", () => {
    assert.lengthOf(agreementFaults({ name: "root", devDependencies: { vitest: "^5.1.0" } }, []), 1)
  })

  it("a package that nothing builds, tests or orders is refused", () => {
    const packagesHere = [owner({}), other({ dependencies: { "@pointsman/a": "1.0.0" } }, "packages/b")]
    assert.deepStrictEqual(wiringFaults(packagesHere, { "": ["packages/a"] }, ["packages/a"]), [
      "tsconfig.build.json does not refer to packages/b",
      "vitest.workspace.ts has no project for packages/b",
      "packages/b/tsconfig.json does not refer to packages/a, which its package.json depends on"
    ])
  })

  it("a lock file that names a host is refused", () => {
    const lock = { packages: { "node_modules/a": { resolved: "https://registry.example.com/a.tgz" } } }
    assert.lengthOf(lockFaults(lock), 1)
  })
})
