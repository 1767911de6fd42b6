/**
 * The example of generated clients, as a user would run it: generate from what the server serves, compile strictly,
 * and make a payment.
 */
import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Listening, listen } from "../support/Listening.ts"
import { keys, realCore } from "../support/RealCore.ts"

const example = fileURLToPath(new URL("../../../../examples/generated-clients/", import.meta.url))

/** The script of an installed package's command, as the example finds the package. */
const commandOf = async (name: string): Promise<string> => {
  const manifest = createRequire(join(example, "package.json")).resolve(`${name}/package.json`)
  const { bin } = JSON.parse(await readFile(manifest, "utf8"))
  return join(dirname(manifest), typeof bin === "string" ? bin : String(Object.values(bin)[0]))
}

const run = async (
  cwd: string,
  [script = "", ...options]: ReadonlyArray<string>,
  env: Record<string, string> = {}
): Promise<string> => {
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...options], {
    cwd,
    env: { ...process.env, ...env },
    timeout: 120_000
  }).catch((error: { readonly stdout: string; readonly stderr: string }) => {
    throw new Error(`${script}\n${error.stdout}\n${error.stderr}`)
  })
  return stdout
}

let server: Listening
let temporary = ""
let document = ""
beforeAll(async () => {
  server = await listen(realCore)
  temporary = await mkdtemp(join(tmpdir(), "pointsman-clients-"))
  document = join(temporary, "openapi.json")
  await writeFile(document, await (await fetch(`${server.url}/api/v1/openapi.json`)).text())
})
afterAll(async () => {
  await rm(temporary, { recursive: true, force: true })
  await server.close()
})

const clients: ReadonlyArray<readonly [folder: string, generator: string, options: () => ReadonlyArray<string>]> = [
  [
    "openapi-fetch",
    "openapi-typescript",
    () => [document, "-o", "generated/schema.ts", "--default-non-nullable=false"]
  ],
  ["hey-api", "@hey-api/openapi-ts", () => ["-i", document, "-o", "generated"]]
]

describe("generated clients", { timeout: 240_000 }, () => {
  test.each(clients)("%s makes a payment once generated and compiled", async (...client) => {
    const [folder, generator, options] = client
    const cwd = join(example, folder)
    await Promise.all(["dist", "generated"].map((made) => rm(join(cwd, made), { recursive: true, force: true })))
    await run(cwd, [await commandOf(generator), ...options()])
    // The compiler that builds this repository: the generators bring an older one for themselves.
    await run(cwd, [await commandOf("@typescript/native"), "-p", "."])
    const said = await run(cwd, ["dist/pay.js"], { POINTSMAN_URL: server.url, POINTSMAN_API_KEY: keys.acme })
    const { payment_id, ...rest } = JSON.parse(said)
    expect(rest).toEqual({ status: "CAPTURED", refused: "not_capturable" })
    const answer = await fetch(`${server.url}/api/v1/payments/${payment_id}`, {
      headers: { authorization: `Bearer ${keys.acme}` }
    })
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      { data: { payment_id, status: "CAPTURED", amount: 1999, currency: "EUR", reference: "order-1001" } }
    ])
  })
})
