/**
 * The encryption key is rotated while clients pay, and servers and the command are killed: every credential stays readable,
 * and nothing is left under the old key.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { SecretsLayer } from "@pointsman/core"
import { Ids, Ledger, type SealedTexts, Secrets, type StorageError } from "@pointsman/core/ports"
import * as PostgresStorage from "@pointsman/storage-postgres"
import * as SqliteStorage from "@pointsman/storage-sqlite"
import { NodeMac } from "@pointsman/transport-node"
import { Effect, Layer, Redacted } from "effect"
import { assert, describe, it, onTestFinished } from "vitest"
import { bundledMain } from "./support/Bundle.ts"
import { documentOf, runCommand } from "./support/CommandProcess.ts"
import { connectionTo, liveKey, workspaceWith } from "./support/Configurations.ts"
import { encryptionKeyOf } from "./support/EncryptionKeys.ts"
import { environmentOn, newDatabase, postgresMissing, query } from "./support/PostgresServer.ts"
import { startProvider } from "./support/ScriptedProvider.ts"
import { type ServerProcess, startServer, temporaryFolder } from "./support/ServerProcess.ts"

const oldKey = encryptionKeyOf("old")
const newKey = encryptionKeyOf("new")
const underOld = { POINTSMAN_ENCRYPTION_KEY: oldKey, POINTSMAN_ENCRYPTION_KEY_PREVIOUS: newKey }
const underNew = { POINTSMAN_ENCRYPTION_KEY: newKey, POINTSMAN_ENCRYPTION_KEY_PREVIOUS: oldKey }

const idOf = (key: string): string =>
  createHash("sha256").update("pointsman/v2/key-id").update(Buffer.from(key, "base64")).digest("hex").slice(0, 16)

/** So many that a rotation takes some seconds. */
const messages = 3_000

/** Of the payments from before the rotation, how many are asked for again. */
const sampled = 100

const orderOf = (reference: string) => ({ amount: 1999, currency: "EUR", country: "NL", reference })

const tenant = { workspaceId: "acme", environment: "production" } as const

const storeMessages = Effect.gen(function* () {
  const ledger = yield* Ledger
  const secrets = yield* Secrets
  const store = (number: number) =>
    Effect.gen(function* () {
      const eventId = `evt_${number}`
      const body = yield* secrets.seal(Redacted.make(`{"number":${number}}`), `connection:main:message:${eventId}`)
      yield* ledger.storeMessage(tenant, {
        connectionId: "main",
        eventId,
        paymentId: null,
        about: "charge",
        subjectId: "",
        disputeId: null,
        verdict: null,
        outcome: "confirmed",
        reason: null,
        writtenAt: 1,
        receivedAt: 1,
        body,
        isSealed: true
      })
    })
  yield* Effect.forEach(
    Array.from({ length: messages }, (_, at) => at),
    store,
    { concurrency: 10 }
  )
})

/** The database with messages that the old key sealed. */
const fill = (storage: Layer.Layer<Ledger | SealedTexts, StorageError, Ids>) => {
  const keys = { current: Redacted.make(new Uint8Array(Buffer.from(oldKey, "base64"))), previous: [] }
  return Effect.runPromise(
    storeMessages.pipe(
      Effect.provide(
        SecretsLayer.layerRotating(Effect.succeed(keys)).pipe(
          Layer.provideMerge(storage),
          Layer.provide([Ids.layer, Layer.merge(NodeCrypto.layer, NodeMac.layer)])
        )
      )
    )
  )
}

/** A command that may be killed. */
const startRotation = (folder: string, environment: Readonly<Record<string, string>>): ChildProcess => {
  const child = spawn(process.execPath, [bundledMain, "keys", "rotate-encryption"], {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", ...environment },
    stdio: "ignore"
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  return child
}

const killWhen = async (child: ChildProcess, resealed: () => Promise<number>, atLeast: number) => {
  const exited = new Promise<NodeJS.Signals | null>((resolve) => child.on("exit", (_, signal) => resolve(signal)))
  let isOver = false
  void exited.then(() => {
    isOver = true
  })
  // It ends by itself if nothing is sealed again.
  while (!isOver && (await resealed()) < atLeast) await new Promise((resolve) => setTimeout(resolve, 10))
  child.kill("SIGKILL")
  assert.strictEqual(await exited, "SIGKILL", "the command ended before it was killed")
}

/** Pays without a pause at the servers that are up. A server that dies answers nothing; its request is sent again. */
const makeLoad = (servers: Array<ServerProcess>) => {
  const paid = new Map<string, string>()
  const wrong: Array<string> = []
  let isOn = true
  const client = async (name: string) => {
    for (let number = 0; isOn; number++) {
      const idempotencyKey = `order-${name}-${number}`
      for (let tries = 0; isOn; tries++) {
        const server = servers[(number + tries) % Math.max(1, servers.length)]
        const answer = await server
          ?.request("POST", "/api/v1/payments", {
            key: liveKey,
            idempotencyKey,
            body: orderOf(idempotencyKey)
          })
          .catch(() => undefined)
        if (answer === undefined) {
          await new Promise((resolve) => setTimeout(resolve, 20))
          continue
        }
        const { data, error } = answer.body
        if (answer.status === 201 && data.status === "CAPTURED") paid.set(idempotencyKey, data.payment_id)
        // The server that was asked first was killed.
        else if (!(tries > 0 && error?.code === "idempotency_in_progress")) {
          wrong.push(`${answer.status} ${JSON.stringify(answer.body)}`)
        }
        break
      }
    }
  }
  const clients = ["a", "b", "c"].map(client)
  return {
    paid,
    wrong,
    stop: () => {
      isOn = false
      return Promise.all(clients)
    }
  }
}

describe("rotating the encryption key under load", { timeout: 60_000 }, () => {
  it.for(["SQLite", "PostgreSQL"] as const)(
    "given servers and clients on %s, when the key is rotated with kills, then every credential stays readable",
    async (kind, { skip }) => {
      if (kind === "PostgreSQL" && postgresMissing !== undefined) skip(postgresMissing)
      const folder = temporaryFolder()
      const isSqlite = kind === "SQLite"
      const file = join(folder, "payments.db")
      const url = isSqlite ? `sqlite:${file}` : await newDatabase()
      const database = isSqlite ? { POINTSMAN_DATABASE_URL: url } : environmentOn(url)
      await fill(
        isSqlite
          ? SqliteStorage.layer({ filename: file })
          : PostgresStorage.layer({ url: Redacted.make(url), allowAsyncCommit: true })
      )
      const count = `select count(*) as n from messages where body like 'v2.${idOf(newKey)}.%'`
      const reader = isSqlite ? new DatabaseSync(file, { readOnly: true }) : undefined
      onTestFinished(() => reader?.close())
      const resealed = async (): Promise<number> =>
        Number(reader === undefined ? (await query(url, count))[0]?.["n"] : reader.prepare(count).get()?.["n"])

      const provider = await startProvider()
      const configuration = { workspaces: [workspaceWith([connectionTo(provider)])] }
      const printed: Array<ServerProcess> = []
      const start = async (keys: Readonly<Record<string, string>>) => {
        const server = await startServer({
          folder,
          configuration,
          environment: { ...database, POINTSMAN_RATE_LIMIT: "off", ...keys }
        })
        printed.push(server)
        return server
      }
      // One process is all that SQLite has.
      const servers = await Promise.all(Array.from({ length: isSqlite ? 1 : 2 }, () => start(underOld)))
      const load = makeLoad(servers)
      const commandEnvironment = { ...database, ...underNew }

      await killWhen(startRotation(folder, commandEnvironment), resealed, 1)
      const afterFirst = await resealed()
      assert.isBelow(afterFirst, messages)
      for (const [at, server] of [...servers.entries()]) {
        await server.kill("SIGKILL")
        servers[at] = await start(underNew)
      }
      await killWhen(startRotation(folder, commandEnvironment), resealed, afterFirst + 1)
      assert.isBelow(await resealed(), messages)
      const { data } = documentOf(await runCommand(folder, ["keys", "rotate-encryption", "--json"], commandEnvironment))
      assert.deepStrictEqual(
        data.left.map(({ key, texts }: { key: string; texts: number }) => [key, texts]),
        [
          [idOf(newKey), messages + 2],
          [idOf(oldKey), 0]
        ]
      )
      assert.strictEqual(data.unreadable.count, 0)
      for (const [at, server] of [...servers.entries()]) {
        await server.kill("SIGKILL")
        servers[at] = await start({ POINTSMAN_ENCRYPTION_KEY: newKey })
      }
      await load.stop()

      assert.deepStrictEqual(load.wrong, [])
      assert.isAbove(load.paid.size, 10)
      for (const { stderr } of printed) assert.notMatch(stderr(), /decrypt|cannot be opened/u)
      for (const [idempotencyKey, id] of [...load.paid].slice(0, sampled)) {
        const again = await servers[0]?.request("POST", "/api/v1/payments", {
          key: liveKey,
          idempotencyKey,
          body: orderOf(idempotencyKey)
        })
        assert.strictEqual(again?.body.data?.payment_id, id, idempotencyKey)
      }
      const charged = provider.calls.filter(({ operation }) => operation === "charge").map(({ body }) => body.reference)
      assert.strictEqual(new Set(charged).size, charged.length, "a charge was sent twice")
    }
  )
})
