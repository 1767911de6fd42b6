/** The cases of the client on Deno and on workerd, which runs Cloudflare's Workers, as `checks/runtimes` installs them. */
import { spawn } from "node:child_process"
import { createHmac } from "node:crypto"
import { globSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it, onTestFinished } from "vitest"
import { errorCases } from "../../node/test/support/MerchantCases.ts"
import { bundled } from "./support/Bundled.ts"
import type { Asked, Results } from "./support/Program.ts"
import { serverOfFile } from "./support/World.ts"

const support = join(import.meta.dirname, "support")
const installed = join(import.meta.dirname, "../../../checks/runtimes/node_modules")

/** The cases declare themselves to Vitest, which is Node's. */
const withoutVitest: NonNullable<Parameters<typeof bundled>[2]>[number] = {
  name: "without vitest",
  setup: (bundler) => {
    bundler.onResolve({ filter: /^vitest$/ }, ({ importer, resolveDir }) =>
      importer.endsWith("Collected.ts")
        ? bundler.resolve("chai", { kind: "import-statement", resolveDir })
        : { path: join(support, "Collected.ts") }
    )
  }
}

const workerdConfig = (program: string): string => {
  const path = join(dirname(program), "config.capnp")
  const worker =
    'modules = [(name = "index.mjs", esModule = embed "index.mjs")], compatibilityDate = "2026-11-01", globalOutbound = "net"'
  writeFileSync(
    path,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (${worker})), (name = "net", network = (allow = ["private"]))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);`
  )
  return path
}

/** By name: its executable, its command line for a program, and where it says on which port it listens. */
const runtimes = [
  [
    "Deno",
    "@deno/*/deno",
    (program: string) => [
      ...["serve", "--no-lock", "--no-remote", "--host", "127.0.0.1", "--port", "0", "--allow-net=127.0.0.1"],
      program
    ],
    /127\.0\.0\.1:(\d+)/u
  ],
  [
    "workerd",
    "@cloudflare/workerd-*/bin/workerd",
    (program: string) => ["serve", workerdConfig(program), "--control-fd=1"],
    /"port":(\d+)/u
  ]
] as const

/** Starts it and gives its port. It ends with the test. */
const started = (command: string, words: ReadonlyArray<string>, port: RegExp): Promise<string> => {
  const child = spawn(command, words, { env: { NO_COLOR: "1" }, stdio: ["ignore", "pipe", "pipe"] })
  onTestFinished(() => void child.kill("SIGKILL"))
  return new Promise((done, fail) => {
    let said = ""
    const read = (chunk: unknown) => {
      said += String(chunk)
      const found = port.exec(said)?.[1]
      if (found !== undefined) done(found)
    }
    child.stdout.on("data", read)
    child.stderr.on("data", read)
    child.once("error", fail)
    child.once("exit", (code) => fail(new Error(`${command} ended with ${code}: ${said}`)))
  })
}

const signedWebhook = (): Asked["webhook"] => {
  const body = JSON.stringify({ id: "evt_1", type: "payment.captured", created: "2026-11-22T09:00:00.000Z", data: {} })
  const secret = "whsec_of_the_shop"
  const time = Math.floor(Date.now() / 1000)
  const tag = createHmac("sha256", secret).update(`${time}.${body}`).digest("hex")
  return { body, secret, headers: { "x-service-signature": `t=${time},v1=${tag}` } }
}

describe.each(runtimes)("%s", (name, executable, wordsFor, port) => {
  const { settings } = serverOfFile()

  it("each case of the client passes there", async () => {
    const [command] = globSync(executable, { cwd: installed })
    if (command === undefined) throw new Error(`There is no ${name}. Install it with: (cd checks/runtimes && npm ci)`)
    const program = await bundled(join(support, "Program.ts"), "esm", [withoutVitest])
    const at = await started(join(installed, command), wordsFor(program), port)
    const asked: Asked = { settings, webhook: signedWebhook() }
    const answer = await fetch(`http://127.0.0.1:${at}/`, { method: "POST", body: JSON.stringify(asked) })
    const { "a webhook that was changed": changed, ...results } = (await answer.json()) as Results
    assert.match(changed ?? "", /not signed with a known secret/u)
    assert.isAbove(Object.keys(results).length, errorCases.length + 5)
    assert.deepStrictEqual(
      Object.entries(results).filter(([, result]) => result !== "passed"),
      []
    )
  }, 60_000)
})
