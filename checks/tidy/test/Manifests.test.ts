import { readFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import projects from "../../../vitest.workspace.ts"
import { exists, files, type Manifest, type Package, packages, root, rootManifest } from "../Files.ts"
import {
  agreementFaults,
  changesetFaults,
  doorFaults,
  firstReleaseFaults,
  lockFaults,
  wiringFaults
} from "../Manifests.ts"

describe("packages", () => {
  it("each door and command of every package leads to a source", () => {
    assert.isNotEmpty(packages())
    assert.deepStrictEqual(
      packages().flatMap((owner) => doorFaults(owner, exists)),
      []
    )
  })

  it("versions, ranges and licences of all packages agree", () => {
    assert.deepStrictEqual(agreementFaults(rootManifest(), packages()), [])
  })

  it("the build and the tests know every package", () => {
    const references = Object.fromEntries(
      files("tsconfig.build.json", "packages/**/tsconfig.json").map(({ path, text }) => {
        const dir = path === "tsconfig.build.json" ? "" : dirname(path)
        const paths = (JSON.parse(text).references ?? []).map((reference: { readonly path: string }) =>
          posix.join(dir, reference.path)
        )
        return [dir, paths]
      })
    )
    const roots = projects.map((project) => String(Object(project).test?.root))
    assert.deepStrictEqual(wiringFaults(packages(), references, roots), [])
  })

  it("the licence of every published package is the one of the root", () => {
    const licence = readFileSync(join(root, "LICENSE"), "utf8")
    const others = packages().filter(
      ({ dir, manifest }) =>
        manifest.private !== true &&
        (!exists(`${dir}/LICENSE`) || readFileSync(join(root, dir, "LICENSE"), "utf8") !== licence)
    )
    assert.deepStrictEqual(
      others.map(({ dir }) => dir),
      []
    )
  })

  it("every changeset bumps packages that are published", () => {
    const changesets = files(".changeset/*.md")
    assert.deepStrictEqual(
      changesets.flatMap((changeset) => changesetFaults(changeset, packages())),
      []
    )
    // A release writes changelogs.
    if (!exists("packages/server/CHANGELOG.md")) {
      assert.deepStrictEqual(firstReleaseFaults(changesets, packages()), [])
    }
  })

  it("the root holds at most nine folders", () => {
    const folders = new Set(files("*/**/package.json", "*/**/*.md", "*/**/*.ts").map(({ path }) => path.split("/")[0]))
    assert.includeMembers([...folders], ["packages", "examples", "docs"])
    assert.isAtMost(folders.size, 9)
  })

  /** The repository, and the folders of tools that are installed apart. */
  const lockFiles = files(
    "package-lock.json",
    "docs/package-lock.json",
    "checks/*/package-lock.json",
    "examples/*/package-lock.json"
  )
  it("no lock file names a host, and each has a manifest with exact versions", () => {
    assert.includeMembers(
      lockFiles.map(({ path }) => path),
      ["package-lock.json", "checks/tools/package-lock.json"]
    )
    for (const { path, text } of lockFiles) {
      assert.deepStrictEqual(lockFaults(JSON.parse(text)), [], path)
      const manifest = JSON.parse(readFileSync(join(root, dirname(path), "package.json"), "utf8"))
      assert.deepStrictEqual(agreementFaults({ name: path, devDependencies: manifest.devDependencies }, []), [], path)
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
    files: ["dist", "src", "!src/**/*.faults.ts"],
    scripts: { prepack: "node ../../scripts/prepack.mjs" },
    exports: { ".": door }
  }
  const owner = (change: Partial<Manifest>, dir = "packages/a"): Package => ({ dir, manifest: { ...good, ...change } })
  const other = (change: Partial<Manifest>) => owner({ name: "@pointsman/b", ...change }, "packages/b")

  it("a changeset of an unknown package, of another bump, or without head is refused", () => {
    const packagesHere = [owner({}), other({ private: true })]
    const faultsOf = (text: string) => changesetFaults({ path: "c.md", text }, packagesHere).length
    assert.strictEqual(faultsOf('---\n"@pointsman/a": minor\n---\n\nWhat changed.\n'), 0)
    for (const line of ['"@pointsman/gone": minor', '"@pointsman/b": minor', '"@pointsman/a": large', "@pointsman/a"]) {
      assert.strictEqual(faultsOf(`---\n${line}\n---\n\nWhat changed.\n`), 1, line)
    }
    assert.strictEqual(faultsOf("What changed.\n"), 1)
  })

  it("several or no changesets before the first release are refused", () => {
    const packagesHere = [owner({}), other({}), owner({ name: "private", private: true })]
    const first = {
      path: ".changeset/first-release.md",
      text: '---\n"@pointsman/a": minor\n"@pointsman/b": minor\n---\n\nThe first release.\n'
    }
    const faultsOf = (...changesets: ReadonlyArray<typeof first>) => firstReleaseFaults(changesets, packagesHere).length
    assert.strictEqual(faultsOf(first), 0)
    assert.strictEqual(faultsOf(), 1)
    assert.strictEqual(faultsOf(first, { ...first, path: ".changeset/second.md" }), 1)
    assert.strictEqual(faultsOf({ ...first, text: '---\n"@pointsman/a": minor\n---\n\nThe first release.\n' }), 1)
  })

  it("a good package has nothing refused", () => {
    const both = [owner({}), other({ dependencies: { "@pointsman/a": "1.0.0" } })]
    assert.deepStrictEqual(
      doorFaults(owner({}), () => true),
      []
    )
    assert.deepStrictEqual(agreementFaults({ name: "root", devDependencies: { effect: "4.1.0" } }, both), [])
    const references = { "": ["packages/a", "packages/b"], "packages/b": ["packages/a"] }
    assert.deepStrictEqual(wiringFaults(both, references, ["packages/a", "packages/b"]), [])
    assert.deepStrictEqual(lockFaults({ packages: { "node_modules/a": { resolved: "packages/a" } } }), [])
  })

  const doors: Readonly<Record<string, readonly [change: Partial<Manifest>, isThere: boolean]>> = {
    "a door without a source file": [{}, false],
    "a door whose build is another file": [{ exports: { ".": { ...door, default: "./dist/main.js" } } }, true],
    "a door without types": [
      { exports: { ".": { "@pointsman/source": "./src/index.ts", default: "./dist/index.js" } } },
      true
    ],
    "conditions in another order": [
      { exports: { ".": { default: door.default, types: door.types, "@pointsman/source": "./src/index.ts" } } },
      true
    ],
    "a command without a source file": [{ exports: {}, bin: { pointsman: "./dist/gone.js" } }, false]
  }
  for (const [name, [change, isThere]] of Object.entries(doors)) {
    it(`${name} is refused`, () => {
      assert.strictEqual(doorFaults(owner(change), () => isThere).length, 1)
    })
  }

  const disagreements: Readonly<Record<string, Package>> = {
    "another version": other({ version: "1.0.1" }),
    "another licence": other({ license: "ISC" }),
    "another range of Node": other({ engines: { node: ">=20" } }),
    "files without its sources": other({ files: ["dist", "!src/**/*.faults.ts"] }),
    "files with its planted faults": other({ files: ["dist", "src"] }),
    "a package that npm packs without building it": other({ scripts: {} }),
    "a bundle with a peer that npm installs": {
      ...other({ peerDependencies: { "s3-client": "^4.1.0" } }),
      dir: "packages/node"
    },
    "a bundle that depends on a package": { ...other({ dependencies: { effect: "^4.1.0" } }), dir: "packages/node" },
    "a range of our own package that is not the version": other({ dependencies: { "@pointsman/a": "^1.0.0" } }),
    "our own package that does not exist": other({ dependencies: { "@pointsman/gone": "1.0.0" } }),
    "another range of a package of others": other({ peerDependencies: { effect: "^4.0.0" } })
  }
  for (const [name, second] of Object.entries(disagreements)) {
    it(`packages with ${name} are refused`, () => {
      const first = owner({ peerDependencies: { effect: "^4.1.0" } })
      assert.strictEqual(agreementFaults({ name: "root" }, [first, second]).length, 1)
    })
  }

  it("a tool without an exact version is refused", () => {
    const rootManifest = { name: "root", devDependencies: { vitest: "^5.1.0" } }
    assert.strictEqual(agreementFaults(rootManifest, []).length, 1)
  })

  it("a package that nothing builds, tests or orders is refused", () => {
    const both = [owner({}), other({ dependencies: { "@pointsman/a": "1.0.0" } })]
    assert.deepStrictEqual(wiringFaults(both, { "": ["packages/a"] }, ["packages/a"]), [
      "tsconfig.build.json does not refer to packages/b",
      "vitest.workspace.ts has no project for packages/b",
      "packages/b/tsconfig.json does not refer to packages/a, which its package.json depends on"
    ])
  })

  it("a lock file that names a host is refused", () => {
    const lock = { packages: { "node_modules/a": { resolved: "https://registry.example.com/a.tgz" } } }
    assert.strictEqual(lockFaults(lock).length, 1)
  })
})
