/**
 * A connector of one's own by the steps of the guide, in a folder that knows nothing of this repository: the command of
 * the packed server writes it, its test is red, the author's work makes it green, and the server takes a payment by it.
 * `scripts/new-connector` plays the author and the provider.
 */
import { spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { formatApiKey } from "@pointsman/core"
import { signedCharge, startPocketPay } from "../new-connector/PocketPayProvider.ts"
import { insist, install, root, run, started, told, work } from "./Kit.ts"

const name = "pocket-pay"
const webhookSecret = "whsec_of_pocket_pay"
const fixtures = join(root, "scripts/new-connector")

interface Report {
  readonly failed: ReadonlyArray<string>
  readonly passed: number
}

/** Runs the contract test of the folder as `npm test` does, with a report. */
const runSuite = (folder: string): Report => {
  const report = join(folder, "report.json")
  spawnSync(process.execPath, ["node_modules/vitest/vitest.mjs", "run", "--reporter=json", `--outputFile=${report}`], {
    cwd: folder,
    stdio: "ignore",
    timeout: 300_000
  })
  const { testResults } = JSON.parse(readFileSync(report, "utf8")) as {
    readonly testResults: ReadonlyArray<{
      readonly assertionResults: ReadonlyArray<{
        readonly status: string
        readonly failureMessages: ReadonlyArray<string>
      }>
    }>
  }
  rmSync(report)
  const results = testResults.flatMap(({ assertionResults }) => assertionResults)
  return {
    failed: results.flatMap(({ failureMessages, status }) => (status === "failed" ? [failureMessages.join("\n")] : [])),
    passed: results.filter(({ status }) => status === "passed").length
  }
}

/** By the guide's steps, from nothing to a green test. `command`: a folder with the server's package. */
const writeConnector = (command: string, style: "plain" | "effect"): string => {
  const folder = join(work, `${name}-${style}`)
  const pointsman = join(command, "node_modules/.bin/pointsman")
  const words = ["new-connector", name, "--dir", folder, "--style", style, "--packages", work]
  run(process.execPath, [pointsman, ...words], work)
  install(folder)
  run("npm", ["run", "--silent", "typecheck"], folder)
  const red = runSuite(folder)
  insist(red.failed.length === 1 && red.passed > 0, `${style}: ${red.failed.length} of its first tests failed`)
  const [first = ""] = red.failed
  insist(first.includes("is missing: return"), `${style}: the failure does not say what is to be done: ${first}`)

  cpSync(join(fixtures, "fixture/test"), join(folder, "test"), { recursive: true })
  const unwritten = runSuite(folder)
  insist(unwritten.failed.length === 1, `${style}: ${unwritten.failed.length} tests of methods to be written failed`)
  const written = "src/PocketPayConnector.ts"
  cpSync(join(fixtures, style === "plain" ? "fixture-plain" : "fixture", written), join(folder, written))
  run("npm", ["run", "--silent", "typecheck"], folder)
  const green = runSuite(folder)
  insist(green.failed.length === 0, `${style}: ${green.failed.length} tests fail: ${green.failed[0]}`)
  insist(green.passed > 200, `${style}: only ${green.passed} tests ran`)
  told(`a connector (${style}): its first test was red, and ${green.passed} are green`)
  return folder
}

/** One payment and one signed message, by the server of the package `command`. `entry`: as the configuration names it. */
const payBy = async (command: string, entry: string, style: string): Promise<void> => {
  const provider = await startPocketPay()
  const key = formatApiKey("production", randomBytes(64))
  const credentials = { url: provider.url, apiKey: "key_of_the_check" }
  const configuration = {
    connectors: [entry],
    workspaces: [
      {
        id: "shop",
        keys: [{ environment: "production", secret: key }],
        connections: [{ id: "main", environment: "production", connector: name, credentials, webhookSecret }]
      }
    ]
  }
  const file = join(command, `${style}.json`)
  writeFileSync(file, JSON.stringify(configuration))
  const pointsman = join(command, "node_modules/.bin/pointsman")
  const storage = ["--database-url", "sqlite::memory:", "--allow-volatile-storage", "true"]
  const words = [pointsman, "serve", "--port", "0", "--config", file, ...storage]
  const { child, found } = await started(words, command, /Pointsman listens on (\S+)/u)
  const url = found[1]
  const instruments = [{ connection: "main", token: "card_1" }]
  const answer = await fetch(`${url}/api/v1/payments`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "idempotency-key": "order-1001" },
    body: JSON.stringify({ amount: 1000, currency: "EUR", country: "NL", method: "card", instruments })
  })
  const { data } = (await answer.json()) as { readonly data?: { readonly status: string } }
  const [charge] = provider.charges
  insist(data?.status === "CAPTURED" && charge?.body.card === "card_1", `${style}: no payment: ${answer.status}`)
  if (charge !== undefined) {
    const sent = { method: "POST", ...signedCharge(charge, webhookSecret) }
    const { status } = await fetch(`${url}/api/v1/psp-webhooks/main`, sent)
    insist(status === 200, `${style}: the provider's message was answered with ${status}`)
  }
  const ended = new Promise<number | null>((done) => child.on("exit", done))
  child.kill("SIGTERM")
  insist((await ended) === 0, `${style}: pointsman serve did not end well`)
  provider.close()
  told(`pointsman serve took a payment by the connector (${style}), from ${entry}`)
}

/** `command`: a folder in which the packed `pointsman` is installed. */
export const tryNewConnectors = async (command: string): Promise<void> => {
  const plain = writeConnector(command, "plain")
  // As it is: Node strips the types.
  await payBy(
    command,
    `./${relative(command, plain).replaceAll("\\", "/")}/src/index.ts`.replace("./..", ".."),
    "plain"
  )
  const effect = writeConnector(command, "effect")
  run("npm", ["run", "--silent", "build"], effect)
  run("npm", ["install", effect, "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"], command)
  await payBy(command, `pointsman-connector-${name}`, "effect")
}
