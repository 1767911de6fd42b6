/**
 * The encryption key is rotated while clients pay, and servers and the command are killed: every credential stays readable,
 * and nothing is left under the old key.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { SecretsLayer } from "@pointsman/core"
import { Ids, Ledger, type SealedTexts, Secrets, type StorageError } from "@pointsman/core/ports"
import * as PostgresStorage from "@pointsman/storage-postgres"
import * as SqliteStorage from "@pointsman/storage-sqlite"
import { NodeMac } from "@pointsman/transport-node"
import { Effect, Layer, Redacted } from "effect"
import { assert, describe, it, onTestFinished, vi } from "vitest"
import { bundledMain } from "./support/Bundle.ts"
import { runHere } from "./support/CommandInProcess.ts"
import { documentOf } from "./support/CommandProcess.ts"
import { configurationWith, connectionTo } from "./support/Configurations.ts"
import { encryptionKeyOf, keyIdOf } from "./support/EncryptionKeys.ts"
import { amountOf, isLong } from "./support/LongRuns.ts"
import { pay } from "./support/Pay.ts"
import { environmentOn, newDatabase, postgresMissing, query } from "./support/PostgresServer.ts"
import { startProvider } from "./support/ScriptedProvider.ts"
import { type ServerProcess, startServer, temporaryFolder } from "./support/ServerProcess.ts"

const oldKey = encryptionKeyOf("old")
const newKey = encryptionKeyOf("new")
const underOld = { POINTSMAN_ENCRYPTION_KEY: oldKey, POINTSMAN_ENCRYPTION_KEY_PREVIOUS: newKey }
const underNew = { POINTSMAN_ENCRYPTION_KEY: newKey, POINTSMAN_ENCRYPTION_KEY_PREVIOUS: oldKey }

const messages = amountOf("POINTSMAN_ROTATED_MESSAGES", { long: 1_000 })
/** What a rotation writes at once. */
const batch = 50
/** After how many messages the command is killed. */
const kills = [1 / 3, 2 / 3].map((part) => Math.floor(messages * part))

/** Of the payments from before the rotation, how many are asked for again. */
const sampled = 100

const order = (server: ServerProcess, reference: string) => pay(server, reference, { reference })

const tenant = { workspaceId: "acme", environment: "production" } as const

const storeMessages = Effect.gen(function* () {
  const ledger = yield* Ledger
  const secrets = yield* Secrets
  const store = (number: number) =>
    Effect.gen(function* () {
      const eventId = `evt_${String(number).padStart(6, "0")}`
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

/** Each message takes some milliseconds to be sealed again, so that a kill meets the command at work. */
const slowDownSqlite = (file: string) => {
  const db = new DatabaseSync(file, { timeout: 10_000 })
  db.exec(`create trigger slowly before update on messages begin
    select count(*) from (with recursive n(x) as (select 1 union all select x + 1 from n where x < 20000) select x from n);
  end`)
  db.close()
}

const slowDownPostgres = async (url: string) => {
  await query(
    url,
    "create function slowly() returns trigger language plpgsql as 'begin perform pg_sleep(0.005); return new; end'"
  )
  await query(url, "create trigger slowly before update on message_bodies for each row execute function slowly()")
}

/** Starts the command, and kills it once it has sealed so many again: whole batches, whenever it dies. */
const killAt = async (least: number, start: () => ChildProcess, resealed: () => Promise<number>) => {
  const child = start()
  const exited = new Promise<NodeJS.Signals | null>((resolve) => child.on("exit", (_, signal) => resolve(signal)))
  await vi.waitFor(async () => assert.isAtLeast(await resealed(), least), { timeout: 100_000, interval: 20 })
  child.kill("SIGKILL")
  assert.strictEqual(await exited, "SIGKILL", "the command ended before it was killed")
  assert.strictEqual((await resealed()) % batch, 0)
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
        const answer = await (server && order(server, idempotencyKey))?.catch(() => undefined)
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
    /** Resolves when ten more are paid. */
    paysOn: async () => {
      const before = paid.size
      await vi.waitFor(() => assert.isAtLeast(paid.size, before + 10, wrong.join("\n")), {
        timeout: 100_000,
        interval: 20
      })
    },
    stop: () => {
      isOn = false
      return Promise.all(clients)
    }
  }
}

describe.runIf(isLong)("rotating the encryption key under load", { timeout: 300_000 }, () => {
  it.for(["SQLite", "PostgreSQL"] as const)(
    "every credential on %s stays readable in a rotation under load with kills",
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
      const bodies = isSqlite ? "messages" : "message_bodies"
      const count = `select count(*) as n from ${bodies} where body like 'v2.${keyIdOf(newKey)}.%'`
      const reader = isSqlite ? new DatabaseSync(file, { readOnly: true }) : undefined
      onTestFinished(() => reader?.close())
      const resealed = async (): Promise<number> =>
        Number(reader === undefined ? (await query(url, count))[0]?.["n"] : reader.prepare(count).get()?.["n"])

      const provider = await startProvider()
      const configuration = configurationWith(connectionTo(provider))
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
      await (isSqlite ? slowDownSqlite(file) : slowDownPostgres(url))
      const restart = async (keys: Readonly<Record<string, string>>) => {
        await load.paysOn()
        for (const [at, server] of [...servers.entries()]) {
          await server.kill("SIGKILL")
          servers[at] = await start(keys)
        }
        await load.paysOn()
      }

      for (const [at, least] of kills.entries()) {
        await killAt(least, () => startRotation(folder, commandEnvironment), resealed)
        if (at === 0) await restart(underNew)
      }
      const { data } = documentOf(await runHere(folder, ["keys", "rotate-encryption", "--json"], commandEnvironment))
      assert.deepStrictEqual(
        data.left.map(({ key, texts }: { key: string; texts: number }) => [key, texts]),
        [
          [keyIdOf(newKey), messages + 2],
          [keyIdOf(oldKey), 0]
        ]
      )
      assert.strictEqual(data.unreadable.count, 0)
      // Payments after this one are made with the new key alone.
      await restart({ POINTSMAN_ENCRYPTION_KEY: newKey })
      await load.stop()

      assert.deepStrictEqual(load.wrong, [])
      for (const { stderr } of printed) assert.notMatch(stderr(), /decrypt|cannot be opened/u)
      for (const [idempotencyKey, id] of [...load.paid].slice(0, sampled)) {
        const again = servers[0] && (await order(servers[0], idempotencyKey))
        assert.strictEqual(again?.body.data?.payment_id, id, idempotencyKey)
      }
      const charged = provider.calls.filter(({ operation }) => operation === "charge").map(({ body }) => body.reference)
      assert.strictEqual(new Set(charged).size, charged.length, "a charge was sent twice")
    }
  )
})
