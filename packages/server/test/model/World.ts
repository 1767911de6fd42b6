/**
 * The whole API in this process, over one of the storages and the sandbox's simulator, on a clock that the test turns.
 * One world serves many sequences: each gets two workspaces of its own, which see nothing of the others.
 */
import { SandboxConnector, SandboxRecords } from "@pointsman/connector-sandbox"
import { type ApiKey, formatApiKey, Pointsman } from "@pointsman/core"
import { Connectors, Directory, Ids, Secrets, type StorageError, type StorageServices } from "@pointsman/core/ports"
import { openSecretsLayer } from "@pointsman/core/testing"
import * as PointsmanHttp from "@pointsman/http"
import { Clock, Effect, Layer, ManagedRuntime } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { TestClock } from "effect/testing"
import { apiKeyOf, connectionOf, noTransport, workspaceOf } from "../../../http/test/support/World.ts"
import { type ActorName, actors, baseUrl, connections, type Mode, workspaces } from "./Contract.ts"

export type Storage = Layer.Layer<StorageServices, StorageError, Ids>

interface Opened {
  /** Milliseconds since the epoch. */
  readonly now: number
  /** `null`: the actor sends no key. */
  readonly keys: Readonly<Record<ActorName, string | null>>
  /** The prefix of each connection id of the model. */
  readonly prefix: string
}

/** Any time but the epoch, so that a zero shows. */
const beginning = Date.UTC(2026, 9, 1)

export const startWorld = async (storage: Storage) => {
  const records = SandboxRecords.memory()
  const services = Pointsman.layer().pipe(
    Layer.provideMerge(storage),
    Layer.provideMerge(openSecretsLayer),
    Layer.provide([noTransport, Connectors.layer([SandboxConnector.make(records)])]),
    Layer.provideMerge(Ids.layer),
    Layer.provideMerge(TestClock.layer()),
    Layer.orDie
  )
  const runtime = ManagedRuntime.make(services)
  await runtime.runPromise(TestClock.setTime(beginning))
  const { dispose, handler } = HttpRouter.toWebHandler(
    PointsmanHttp.layer({ baseUrl }).pipe(Layer.provideMerge(services), Layer.provideMerge(HttpServer.layerServices)),
    { disableLogger: true, memoMap: runtime.memoMap }
  )
  let opened = 0
  return {
    /** Writes the model's workspaces under names of their own; gives the key of each actor. */
    open: (mode: Mode): Promise<Opened> => runtime.runPromise(open(++opened, mode)),
    send: (request: Request) => handler(request),
    /** What the provider itself has of a payment: executed charges, and minor units that it gave back. */
    provider: async (paymentId: string) => {
      const charges = await runtime.runPromise(records.charges(paymentId))
      const executed = charges.filter((charge) => charge.executed)
      const refunds = executed.flatMap((charge) => charge.refunds).filter(({ state }) => state === "Succeeded")
      return { charges: executed.length, refunded: refunds.reduce((sum, { minorUnits }) => sum + minorUnits, 0) }
    },
    /** Milliseconds of simulated time. */
    advance: (millis: number) => runtime.runPromise(TestClock.adjust(millis)),
    close: async () => {
      await dispose()
      await runtime.dispose()
    }
  }
}

export type World = Awaited<ReturnType<typeof startWorld>>

const open = Effect.fnUntraced(function* (count: number, mode: Mode) {
  const directory = yield* Directory
  const { hash } = yield* Secrets
  const prefix = `${count}-`
  const keys: Record<string, string | null> = {}
  const apiKeys: Array<ApiKey> = []
  for (const [index, [name, actor]] of Object.entries(actors).entries()) {
    const key = formatApiKey(actor.environment, keyBytes(count, index))
    keys[name] = actor.key === "missing" ? null : actor.key === "malformed" ? key.slice(0, -1) : key
    if (actor.key === "missing" || actor.key === "malformed" || actor.key === "unknown") continue
    const revokedAt = actor.key === "revoked" ? beginning : null
    const change = { hash: yield* hash(key), scopes: actor.scopes, revokedAt, createdAt: beginning }
    apiKeys.push(apiKeyOf(key, `${prefix}${actor.workspace}`, change))
  }
  // Circuits are no part of the model.
  const circuitBreaker = { failures: 1_000_000, openMillis: 30_000 }
  const rows = yield* Effect.forEach(connections, ({ id, name, priority, supports, workspace }) =>
    connectionOf(`${prefix}${id}`, {
      ...{ workspaceId: `${prefix}${workspace}`, connector: "sandbox", name, priority, supports, circuitBreaker }
    })
  )
  yield* directory.write({
    workspaces: workspaces.map(({ id, suspended }) => workspaceOf(`${prefix}${id}`, { name: id, suspended })),
    apiKeys,
    connections: rows,
    routing: workspaces.map(({ id }) => ({
      workspaceId: `${prefix}${id}`,
      environment: "sandbox" as const,
      settings: { mode }
    })),
    webhookEndpoints: []
  })
  return { keys: keys as Opened["keys"], now: yield* Clock.currentTimeMillis, prefix }
})

/** Bytes that no other key of the world has. */
const keyBytes = (count: number, index: number): Uint8Array =>
  new Uint8Array(64).fill(index).map((byte, at) => (at < 4 ? (count >> (at * 5)) & 31 : byte))
