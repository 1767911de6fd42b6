/**
 * Webhooks delivered as the server does it, from a database, signed, over sockets and by the real clock. The receiver
 * runs in the same process and costs it about as much as the sender does.
 */
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as SandboxConnector from "@pointsman/connector-sandbox"
import { type Caller, credentialsContext, endpointSecretContext, Pointsman, SecretsLayer } from "@pointsman/core"
import {
  Connectors,
  Deliveries,
  Directory,
  Ids,
  Secrets,
  type StorageError,
  type StorageServices,
  Transport,
  Unanswered
} from "@pointsman/core/ports"
import { sampleRequest } from "@pointsman/core/testing"
import * as SqliteStorage from "@pointsman/storage-sqlite"
import { NodeMac, NodeWebhookSender } from "@pointsman/transport-node"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { Pool } from "undici"

const endpoints = 500
const eventsEach = 20

const caller: Caller = {
  tenant: { workspaceId: "acme", environment: "sandbox" },
  workspace: { id: "acme", name: "Acme", country: "NL", category: null, suspended: false, partner: null }
}

/** One of the endpoints, whose connections are taken and never answered. */
const hanging = "/hook-250"

/** As many as one of our processes sends concurrently. */
const atOnce = 128

/** As long as an event. */
const sampleBody = JSON.stringify({ id: "evt", type: "payment.captured", data: "x".repeat(300) })

/** What a merchant's server may take to keep an event. */
const answersAfterMillis = 50

const startReceiver = async (hangs: boolean) => {
  const server = createServer((request, response) => {
    request.resume()
    if (hangs && request.url === hanging) return
    request.on("end", () => setTimeout(() => response.writeHead(204).end(), answersAfterMillis))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}

const configured = (origin: string) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const directory = yield* Directory
      const secrets = yield* Secrets
      yield* directory.write({
        workspaces: [caller.workspace],
        apiKeys: [],
        connections: [
          {
            ...caller.tenant,
            id: "main",
            name: "Main",
            connector: "sandbox",
            active: true,
            priority: 1,
            sealedCredentials: yield* secrets.seal(Redacted.make("{}"), credentialsContext("main")),
            sealedWebhookSecret: null,
            timeoutMillis: null,
            supports: {},
            restrictions: [],
            circuitBreaker: null
          }
        ],
        routing: [{ ...caller.tenant, settings: { mode: "failover" } }],
        webhookEndpoints: yield* Effect.forEach(Array(endpoints).keys(), (number) =>
          Effect.gen(function* () {
            const id = `hook-${number}`
            return {
              ...caller.tenant,
              id,
              url: `${origin}/${id}`,
              events: ["payment.captured"],
              sealedSecret: yield* secrets.seal(Redacted.make(`whsec_${id}`), endpointSecretContext(id)),
              active: true
            }
          })
        )
      })
    })
  )

export interface Delivered {
  readonly perSecond: number
  /** Round trips to the store for each delivery that arrived: taking what is due, and recording its outcome. */
  readonly roundTrips: number
}

type Storage = Layer.Layer<StorageServices, StorageError, Ids>

/** Over a SQLite file, which is gone afterwards. */
export const deliver = async (hangs: boolean): Promise<Delivered> => {
  const folder = mkdtempSync(join(tmpdir(), "pointsman-bench-"))
  try {
    return await deliverOver(SqliteStorage.layer({ filename: join(folder, "pointsman.db") }), hangs)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Over an empty store. Every event is due at every endpoint; how fast they arrive at all that answer. */
export const deliverOver = async (storage: Storage, hangs: boolean): Promise<Delivered> => {
  const receiver = await startReceiver(hangs)
  const expected = (hangs ? endpoints - 1 : endpoints) * eventsEach
  let arrived = 0
  let roundTrips = 0
  const { promise: all, resolve } = Promise.withResolvers<void>()
  const counted = Layer.effect(
    Deliveries,
    Effect.map(Deliveries, (store) => ({
      ...store,
      takeDue: (query) => {
        roundTrips += 1
        return store.takeDue(query)
      },
      record: (records) => {
        roundTrips += 1
        return Effect.tap(store.record(records), () =>
          Effect.sync(() => {
            arrived += records.filter(({ after }) => after.state === "Delivered").length
            if (arrived === expected) resolve()
          })
        )
      }
    }))
  )
  const runtime = ManagedRuntime.make(
    Pointsman.layer().pipe(
      Layer.provide(counted),
      Layer.provide(configured(receiver.origin)),
      Layer.provide(storage),
      Layer.provide([
        Connectors.layer([SandboxConnector.SandboxConnector.make(SandboxConnector.SandboxRecords.memory())]),
        NodeWebhookSender.layer({ allowPrivate: true }),
        SecretsLayer.layer(Redacted.make(new Uint8Array(32).fill(7))),
        Layer.succeed(Transport, { send: () => Effect.fail(new Unanswered({ reason: "there is no network here" })) })
      ]),
      Layer.provide([Ids.layer, Layer.merge(NodeCrypto.layer, NodeMac.layer)]),
      Layer.orDie
    )
  )
  try {
    const pointsman = await runtime.runPromise(Pointsman)
    await runtime.runPromise(
      Effect.forEach(Array(eventsEach).keys(), () => pointsman.create(caller, sampleRequest()), { concurrency: 10 })
    )
    const began = performance.now()
    const delivering = new AbortController()
    const background = runtime.runPromiseExit(pointsman.keepDelivering(1_000), { signal: delivering.signal })
    await all
    const seconds = (performance.now() - began) / 1_000
    delivering.abort()
    await background
    return { perSecond: arrived / seconds, roundTrips: roundTrips / arrived }
  } finally {
    await runtime.dispose()
    receiver.close()
  }
}

/** The least that a sender does: as many requests of that length to that receiver, and nothing written or signed. */
export const postOver = async (): Promise<number> => {
  const receiver = await startReceiver(false)
  const pool = new Pool(receiver.origin, { connections: atOnce, pipelining: 1 })
  const left = Array(endpoints * eventsEach).keys()
  const began = performance.now()
  const post = async () => {
    for (const number of left) {
      const path = `/hook-${number % endpoints}`
      const headers = { "content-type": "application/json" }
      const answer = await pool.request({ method: "POST", path, headers, body: sampleBody })
      await answer.body.dump()
    }
  }
  try {
    await Promise.all(Array.from({ length: atOnce }, post))
    return (endpoints * eventsEach * 1_000) / (performance.now() - began)
  } finally {
    await pool.close()
    receiver.close()
  }
}
