/**
 * `npm run new-connector`: what it writes is red, and says what is to be done; what an author makes of it is green. The
 * author is played by `scripts/new-connector/fixture` and `fixture-plain`, finished connectors of a made-up provider.
 * `npm run tarballs` does the same outside of this repository, by the command of the packed server.
 */
import { execFile } from "node:child_process"
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it, onTestFinished } from "vitest"
import { connectorFilesHere } from "../../../scripts/new-connector/ConnectorFiles.ts"
import { newConnector } from "../../../scripts/new-connector.ts"
import { connectorStyles, ownConnectorFiles, versionsOfOthers } from "../../server/src/NewConnector.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const fixture = join(root, "scripts/new-connector/fixture")
const read = (path: string) => readFileSync(join(root, path), "utf8")

/** Compilers and test runners are started for it, some twenty seconds. */
const isLong = process.env["POINTSMAN_LONG"] === "all"
if (!isLong) {
  process.stderr.write(
    "contracts: the new connector's own compiler and test runner are left out: they take seconds, and run with POINTSMAN_LONG=all, as in .ci/release\n"
  )
}

const inRepository = () => {
  // Inside of it, so that its packages are found; the dot keeps it from those who look for sources.
  const folder = mkdtempSync(join(root, ".new-connector-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, "pocket-pay")
}

const elsewhere = () => {
  const folder = mkdtempSync(join(tmpdir(), "pointsman-connector-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, "pocket-pay")
}

/** How the failures name a method that is still to be written. */
const missing = {
  effect: [
    "the connector failed with NotSent: charge is still to be written, in src/PocketPayConnector.ts",
    "the connector failed with NotSent: lookUpRefund is still to be written, in src/PocketPayConnector.ts"
  ],
  plain: [
    "the connector failed with Unanswered: pocket-pay.charge threw StillToBeWritten",
    "the connector failed with Unanswered: pocket-pay.lookUpRefund threw StillToBeWritten"
  ]
} as const

describe("npm run new-connector", () => {
  it.each(connectorStyles)("a name and the style %s give the files under it, and existing ones stay", (style) => {
    const folder = elsewhere()
    const told = newConnector(["pocket-pay", "--dir", folder, "--style", style])
    const written = [...ownConnectorFiles({ name: "pocket-pay", style, versionOf: () => "" }).keys()]
    assert.deepStrictEqual(written, [
      "package.json",
      "tsconfig.json",
      "vitest.config.ts",
      "README.md",
      ...(style === "effect" ? ["src/Credentials.ts"] : []),
      "src/Exchange.ts",
      "src/PocketPayConnector.ts",
      "src/index.ts",
      "test/pocket-pay.contract.test.ts"
    ])
    for (const path of written) {
      assert.include(told, path)
      assert.notMatch(readFileSync(join(folder, path), "utf8"), /new-?provider/iu, path)
    }
    const test = readFileSync(join(folder, "test/pocket-pay.contract.test.ts"), "utf8")
    assert.strictEqual(test.includes("lists:"), style === "effect")
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
    assert.deepInclude(manifest, { name: "pointsman-connector-pocket-pay", private: true })
    assert.deepStrictEqual(
      Object.keys(manifest.dependencies),
      style === "effect" ? ["@pointsman/core"] : ["@pointsman/node"]
    )
    const ofEffect = style === "effect" ? ["effect", "@effect/vitest"] : []
    const tools = ["@pointsman/contracts", ...ofEffect, "@types/node", "typescript", "vitest"]
    assert.deepStrictEqual(Object.keys(manifest.devDependencies), tools)
    for (const version of Object.values(manifest.devDependencies)) assert.match(String(version), /^\^\d+\.\d+\.\d+$/u)
    if (style === "plain") {
      for (const path of written) {
        assert.notMatch(readFileSync(join(folder, path), "utf8"), /"@?effect|"@pointsman\/core/u, path)
      }
    }
    // Nothing of this repository is needed there.
    assert.notMatch(
      JSON.stringify([manifest, readFileSync(join(folder, "tsconfig.json"), "utf8")]),
      /\.\.\/|@pointsman\/source/u
    )
    assert.throws(() => newConnector(["pocket-pay", "--dir", folder]), /is there and not empty: nothing was written/u)
  })

  it("the versions of others' packages that it writes are this repository's", () => {
    const { devDependencies: ours } = JSON.parse(read("package.json"))
    const { peerDependencies } = JSON.parse(read("packages/connectors/http/package.json"))
    assert.deepStrictEqual<Readonly<Record<string, string>>>(versionsOfOthers, {
      "@effect/vitest": `^${ours["@effect/vitest"]}`,
      "@types/node": `^${ours["@types/node"]}`,
      effect: peerDependencies.effect,
      // `npm:typescript@7.0.2` is a name and a version.
      typescript: `^${ours["@typescript/native"].split("@").at(-1)}`,
      vitest: `^${ours["vitest"]}`
    })
  })

  it("plain functions without a folder, and another style, are refused with why", () => {
    assert.throws(() => newConnector(["pocket-pay", "--style", "plain"]), /--style plain: expected --dir/u)
    assert.throws(() => newConnector(["pocket-pay", "--style", "class"]), /--style class: expected plain or effect/u)
  })

  it.each(["", "Pocket", "pocket_pay", "9pay", "pocket--pay", "../pay", "a".repeat(41)])(
    "the name %j is refused and nothing is written",
    (name) => {
      assert.throws(() => newConnector([name]), /expected a name of lower-case letters/u)
      assert.isFalse(existsSync(join(root, "packages/connectors", name, "vitest.config.ts")))
    }
  )

  it("all but two files of the author's finished connector are as they were written", () => {
    const files = connectorFilesHere({ name: "pocket-pay", style: "effect", toRoot: "../..", read })
    const template = "packages/server/templates/connector/effect"
    assert.strictEqual(readFileSync(join(fixture, "src/index.ts"), "utf8"), files.get("src/index.ts"))
    for (const path of ["src/Credentials.ts", "src/Exchange.ts"]) {
      assert.include(readFileSync(join(fixture, path), "utf8"), `export * from "../../../../${template}/${path}"`)
      assert.strictEqual(read(`${template}/${path}`), files.get(path), path)
    }
  })

  it.runIf(isLong).each(connectorStyles)(
    "the style %s has good types, fails once with advice, and becomes green by work",
    { timeout: 300_000 },
    async (style) => {
      const folder = inRepository()
      newConnector(["pocket-pay", "--dir", folder, "--style", style])
      assert.deepStrictEqual(await typeFaults(folder), { code: 0, output: "" })
      const first = await runSuite(folder)
      assert.lengthOf(first.failures, 1)
      assert.match(
        first.failures[0] ?? "",
        /"charge authorized" is missing: return the provider's response from `play`.*It is followed by 49 more situations \(charge 6, .*, and then the other parts of the suite/u
      )
      assert.isAbove(first.passed, 0)
      assert.isAbove(first.pending, 50)

      // The test is written: every operation that is not says so.
      cpSync(join(fixture, "test"), join(folder, "test"), { recursive: true })
      const { failures: second } = await runSuite(folder)
      assert.lengthOf(second, 1)
      assert.include(second[0], missing[style][0])
      const said = (await runSuite(folder, "--bail=0")).failures.join("\n")
      for (const expected of missing[style]) assert.include(said, expected)

      const written = "src/PocketPayConnector.ts"
      cpSync(join(style === "plain" ? `${fixture}-plain` : fixture, written), join(folder, written))
      assert.deepStrictEqual(await typeFaults(folder), { code: 0, output: "" })
      const green = await runSuite(folder)
      assert.deepStrictEqual([green.failures, green.pending], [[], 0])
      assert.isAbove(green.passed, 200)
    }
  )
})

const run = (command: string, words: ReadonlyArray<string>, cwd: string) =>
  new Promise<{ readonly code: number; readonly output: string }>((resolve) => {
    execFile(
      process.execPath,
      [join(root, command), ...words],
      { cwd, env: { PATH: process.env["PATH"] ?? "" }, maxBuffer: 100_000_000 },
      (failure, stdout, stderr) => {
        resolve({ code: failure === null ? 0 : 1, output: stdout + stderr })
      }
    )
  })

/** Sources and tests, by the compiler's settings of this repository; nothing is built for it. */
const typeFaults = (folder: string) => {
  const path = join(folder, "tsconfig.check.json")
  writeFileSync(
    path,
    JSON.stringify({
      extends: "../../tsconfig.base.json",
      compilerOptions: { composite: false, incremental: false, noEmit: true },
      include: ["src", "test", "vitest.config.ts"]
    })
  )
  return run("node_modules/@typescript/native/bin/tsc", ["-p", path], folder)
}

const runSuite = async (folder: string, ...more: ReadonlyArray<string>) => {
  const report = join(folder, "report.json")
  await run(
    "node_modules/vitest/vitest.mjs",
    ["run", "--root", folder, "--reporter=json", `--outputFile=${report}`, ...more],
    folder
  )
  const { testResults } = JSON.parse(readFileSync(report, "utf8"))
  const results: ReadonlyArray<{ readonly status: string; readonly failureMessages: ReadonlyArray<string> }> =
    testResults.flatMap(({ assertionResults }: { readonly assertionResults: unknown }) => assertionResults)
  return {
    failures: results
      .filter(({ status }) => status === "failed")
      .map(({ failureMessages }) => failureMessages.join("\n")),
    passed: results.filter(({ status }) => status === "passed").length,
    pending: results.filter(({ status }) => status !== "passed" && status !== "failed").length
  }
}
