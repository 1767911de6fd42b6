/**
 * A shop as `pointsman init` writes it, against the packages of this repository: their sources are linked where `npm install`
 * would put them, so that no network is needed.
 */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { createServer } from "node:net"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, onTestFinished } from "vitest"
import type { Framework } from "../../src/ProjectFiles.ts"
import { type Provider as ProviderName, providerRows } from "../../src/ProviderRows.ts"
import { runHere } from "./CommandInProcess.ts"
import type { Customer } from "./journeys/Customer.ts"
import { openMollie } from "./journeys/MollieStandIn.ts"
import { type Provider, providers } from "./journeys/Providers.ts"
import type { StandIn } from "./journeys/StandIn.ts"
import { temporaryFolder } from "./ServerProcess.ts"
import { until } from "./Until.ts"

const root = fileURLToPath(new URL("../../../..", import.meta.url))

/** Writes it by the command, and gives its folder. */
export const writeShop = async (framework: Framework, provider: ProviderName): Promise<string> => {
  const folder = temporaryFolder()
  const end = await runHere(folder, ["init", "--framework", framework, "--provider", provider])
  assert.deepStrictEqual([end.code, end.stderr], [0, ""])
  return folder
}

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))

/** What `npm install` does. Each package has the version that its `package.json` says. */
export const install = (folder: string): void => {
  const { dependencies, devDependencies } = manifestOf(folder)
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
    const found = [
      ...(name.startsWith("@pointsman/") ? [join(root, name.replace("@pointsman/", "packages/"))] : []),
      ...(name === "typescript" ? [join(root, "node_modules/@typescript/native")] : []),
      ...[join(root, "node_modules", name), join(root, "examples/next/node_modules", name)]
    ].find(existsSync)
    if (found === undefined) throw new Error(`${name} is not installed`)
    assert.strictEqual(JSON.parse(readFileSync(join(found, "package.json"), "utf8")).version, version, name)
    const at = join(folder, "node_modules", name)
    mkdirSync(dirname(at), { recursive: true })
    symlinkSync(found, at)
  }
}

/**
 * Its own compiler with its own settings. The sources of this repository, which stand in for declarations, need two more, which
 * are stricter.
 */
export const checkTypes = async (folder: string): Promise<void> => {
  const ofSources = [
    "--customConditions",
    "@pointsman/source",
    "--exactOptionalPropertyTypes",
    "--noUncheckedIndexedAccess"
  ]
  const words = [join(folder, "node_modules/typescript/bin/tsc"), "-p", folder, "--incremental", "false", ...ofSources]
  const { stdout } = await promisify(execFile)(process.execPath, words).catch((cause) => cause)
  assert.strictEqual(stdout, "")
}

const changeFile = (path: string, change: (text: string) => string): void =>
  writeFileSync(path, change(readFileSync(path, "utf8")))

/** A stand-in of the provider, which takes test keys. */
export const openProvider = async (name: ProviderName): Promise<{ provider: Provider; standIn: StandIn }> => {
  const provider = providers.find((one) => one.name.startsWith(providerRows[name].title))
  if (provider === undefined) throw new Error(`no stand-in of ${name}`)
  // The shop has a webhook secret.
  const standIn = name === "mollie" ? await openMollie(Date.now, true, "test") : await provider.open(Date.now, "test")
  return { provider, standIn }
}

/** What a person does: the test key and the secret of the webhooks into `.env`. And the address of the stand-in. */
export const enterKeys = (folder: string, name: ProviderName, { connection }: StandIn): void => {
  const credentials = connection["credentials"] as Readonly<Record<string, string>>
  const { variables, webhookSecret } = providerRows[name]
  changeFile(join(folder, ".env"), (text) =>
    [
      ...variables.map((one) => [one.name, credentials[one.field]]),
      [webhookSecret.name, connection["webhookSecret"]]
    ].reduce(
      (changed, [variable, value]) => changed.replace(new RegExp(`^${variable}=.*$`, "mu"), `${variable}=${value}`),
      text
    )
  )
  changeFile(join(folder, "pointsman.json"), (text) => {
    const configuration = JSON.parse(text)
    configuration.workspaces[0].connections[0].credentials.baseUrl = credentials["baseUrl"]
    return JSON.stringify(configuration)
  })
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Runs a program in the shop's folder, and waits until it says that it is ready. */
export const runShop = async (
  folder: string,
  wordsOf: (port: number) => ReadonlyArray<string>,
  {
    environment = {},
    ready = /^The shop listens on /mu
  }: { readonly environment?: object; readonly ready?: RegExp } = {}
) => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const child = spawn(process.execPath, wordsOf(port), {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", SHOP_URL: url, SHOP_WEBHOOK_URL: `${url}/webhooks`, ...environment },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = once(child, "exit")
  let told = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    told += text
  })
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM")
    await ended
  }
  onTestFinished(stop)
  /** Resolves once a part of the output matches. */
  const printed = (pattern: RegExp) =>
    until(`${pattern} of the shop`, () => {
      if (!pattern.test(told) && child.exitCode !== null) throw new Error(`the shop ended: ${told}`)
      return pattern.test(told)
    })
  await printed(ready)
  return { url, printed, stop }
}

export type RunningShop = Awaited<ReturnType<typeof runShop>>

/** Runs the script `start`. Next has no part in it: its routes are called as Next does. */
export const startShop = (folder: string): Promise<RunningShop> => {
  const [program = "", ...words] = (manifestOf(folder).scripts["start"] ?? "").split(" ")
  const line = program === "node" ? words : ["--env-file=.env", copyOfRoutes(folder)]
  return runShop(folder, () => ["--conditions=@pointsman/source", ...line])
}

/** In the shop's folder, so that its imports are those of the shop. */
const copyOfRoutes = (folder: string): string => {
  cpSync(fileURLToPath(new URL("./NextRoutes.ts", import.meta.url)), join(folder, "NextRoutes.ts"))
  return "NextRoutes.ts"
}

/** Without a key of the provider, on the simulator's page. */
export const payOnSimulator = async ({ printed, url }: RunningShop, customer: Customer): Promise<void> => {
  await customer.goTo(url)
  await customer.press("Buy tea")
  await customer.press("Approve")
  await customer.sees("Thank you")
  await printed(/^payment\.captured /mu)
}

/** On the provider's test page, whose webhook comes before the customer is back. */
export const payAtProvider = async (
  { printed, url }: RunningShop,
  { provider, standIn }: Awaited<ReturnType<typeof openProvider>>,
  customer: Customer
): Promise<void> => {
  standIn.beforeReturn = async () => {
    standIn.settle()
    // PayPal's are signed by certificates that a stand-in does not have; a payment at it is completed by the return.
    if (provider.isTakenApart) return
    for (const { body, headers, path } of standIn.takeMessages()) {
      const answer = await fetch(`${url}${path}`, { method: "POST", headers, body })
      assert.strictEqual(answer.status, 200, await answer.text())
    }
  }
  await customer.goTo(url)
  await customer.press("Buy tea")
  await customer.press("Continue to payment")
  await provider.pay(customer)
  await customer.sees("Thank you")
  await printed(/^payment\.captured /mu)
  assert.deepStrictEqual(
    standIn.books().map(({ charges, taken }) => ({ charges, taken })),
    [{ charges: 1, taken: 450 }]
  )
}
