/** A shop in the test's own process: its provider, a server with a connection to it, and its operators' commands. */
import type { Clock } from "effect"
import { assert } from "vitest"
import { runHere } from "./CommandInProcess.ts"
import { documentOf } from "./CommandProcess.ts"
import { configurationWith, connectionTo, liveKey } from "./Configurations.ts"
import { pay } from "./Pay.ts"
import { type ProviderOperation, type ScriptedProvider, startProvider } from "./ScriptedProvider.ts"
import { startServerHere } from "./ServerHere.ts"
import { temporaryFolder } from "./ServerProcess.ts"

export interface ShopOptions {
  /** One workspace with one connection unless set. */
  readonly configured?: (provider: ScriptedProvider, folder: string) => object
  /** Of the server and of every command. */
  readonly environment?: Readonly<Record<string, string>>
  readonly clock?: Clock.Clock
  /** The provider's. */
  readonly account?: string
}

export const openShop = async ({ account, clock, configured, environment }: ShopOptions = {}) => {
  const provider = await startProvider(account === undefined ? {} : { account })
  const folder = temporaryFolder()
  const configuration = configured?.(provider, folder) ?? configurationWith(connectionTo(provider))
  const server = await startServerHere({ folder, configuration, environment, clock })
  const run = (...words: ReadonlyArray<string>) => runHere(folder, words, environment)
  const get = async (path: string) => (await server.request("GET", `/api/v1/${path}`, { key: liveKey })).body.data
  return {
    provider,
    folder,
    configuration,
    server,
    run,
    /** What a command prints for programs. */
    data: async (...words: ReadonlyArray<string>) => documentOf(await run(...words, "--json")).data,
    get,
    /** Creates a payment under a key of its reference; gives its id. */
    create: async (reference: string, change: object = {}, key = liveKey): Promise<string> => {
      const made = await pay(server, `order-of-${reference}`, { reference, ...change }, key)
      assert.strictEqual(made.status, 201, JSON.stringify(made.body))
      return made.body.data.payment_id
    },
    refund: (id: string, body: object, idempotencyKey?: string) =>
      server.request("POST", `/api/v1/payments/${id}/refunds`, { key: liveKey, idempotencyKey, body }),
    read: (id: string) => get(`payments/${id}`),
    events: (id: string) => get(`payments/${id}/events`),
    callsOf: (operation: ProviderOperation) => provider.calls.filter((call) => call.operation === operation)
  }
}
