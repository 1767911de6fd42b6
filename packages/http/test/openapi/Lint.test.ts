/** What the linters of others say of the document. Each rule that is off has its reason in the configuration. */
import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { document } from "../support/Contract.ts"

const configuration = fileURLToPath(new URL("../../openapi/", import.meta.url))

let folder = ""
let file = ""
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pointsman-openapi-"))
  file = join(folder, "openapi.json")
  await write(document)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const write = (content: unknown) => writeFile(file, JSON.stringify(content, null, 2))

/** The command of a package that `npm ci` in `checks/tools` installed. It exits with 1 for findings, which its output tells. */
const run = async (script: string, ...options: ReadonlyArray<string>): Promise<string> => {
  const path = createRequire(new URL("../../../../checks/tools/package.json", import.meta.url)).resolve(script)
  const { stdout } = await promisify(execFile)(process.execPath, [path, "lint", file, ...options], {
    cwd: configuration,
    // Neither tells anybody that it ran, nor asks whether there is a newer one.
    env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    timeout: 60_000
  }).catch((error: { readonly stdout?: string; readonly stderr?: string }) => {
    if (error.stdout === undefined || error.stdout === "") throw new Error(error.stderr)
    return { stdout: error.stdout }
  })
  return stdout
}

const redocly = async (): Promise<ReadonlyArray<string>> => {
  const { problems } = JSON.parse(await run("@redocly/cli/bin/cli.js", "--config", "redocly.yaml", "--format", "json"))
  return problems.map(({ message, ruleId }: Record<string, string>) => `${ruleId}: ${message}`)
}

const spectral = async (): Promise<ReadonlyArray<string>> => {
  const options = ["--ruleset", "spectral.yaml", "--format", "json", "--quiet"]
  const findings = JSON.parse(await run("@stoplight/spectral-cli/dist/index.js", ...options))
  return findings.map(
    ({ code, message, path }: { code: string; message: string; path: ReadonlyArray<string> }) =>
      `${code}: ${message} (${path.join("/")})`
  )
}

describe("the linters", () => {
  test("Redocly finds nothing in the served document", async () => {
    expect(await redocly()).toEqual([])
  })

  test("Spectral and OWASP's rules find nothing in the served document", async () => {
    expect(await spectral()).toEqual([])
  })

  test("both linters report a document with a mistake", async () => {
    await write({ ...document, paths: { "/api/v1/broken/{id}": { get: { responses: { 200: {} } } } } })
    expect((await redocly()).join("\n")).toContain("`description`")
    expect((await spectral()).join("\n")).toContain("description")
  })
})
