/** The server on PostgreSQL: what is promised on SQLite, and what several servers owe. */
import type { ChargeRecord } from "@pointsman/connector-sandbox"
import { type Clock, Effect, Redacted } from "effect"
import { assert, describe, it, onTestFinished } from "vitest"
import { openRecords } from "../src/PostgresSandboxRecords.ts"
import { runHere } from "./support/CommandInProcess.ts"
import { makeMovedClock } from "./support/MovedClock.ts"
import {
  environmentOn,
  newDatabase as newDatabaseOn,
  postgresMissing,
  query,
  sharedPostgres,
  startPostgresServer
} from "./support/PostgresServer.ts"
import { runServerHere, type ServerHere, startServerHere } from "./support/ServerHere.ts"
import { type ServerOptions, temporaryFolder } from "./support/ServerProcess.ts"
import { makeTurnedClock } from "./support/TurnedClock.ts"
import { until, untilAnswer } from "./support/Until.ts"

const path = "/api/v1/payments"
const body = { amount: 1000, currency: "EUR", country: "NL" }
const password = "visible"
/** Longer than a server waits between two looks at the schema, and less than clocks may differ. */
const lookMillis = 5_000

describe.skipIf(postgresMissing !== undefined)("on PostgreSQL", () => {
  /** The server of the tests trusts everybody: the password is there to be looked for in what is printed. */
  const withPassword = (of: string): string => {
    const url = new URL(of)
    url.password = password
    return url.href
  }
  const newDatabase = async () => withPassword(await newDatabaseOn())
  const emptyDatabase = async () => withPassword(await newDatabaseOn(sharedPostgres, "template1"))

  // Servers that run at the same time share a folder.
  const start = (folder: string, url: string, environment: ServerOptions["environment"] = {}, clock?: Clock.Clock) =>
    startServerHere({ folder, environment: { ...environmentOn(url), ...environment }, clock })

  const assertSilent = (...servers: ReadonlyArray<ServerHere>) => {
    for (const server of servers) assert.notInclude(server.stdout() + server.stderr(), password)
  }

  it("two servers started on an empty database share keys, payments and simulator", async () => {
    const [folder, url] = [temporaryFolder(), await emptyDatabase()]
    const [one, two] = await Promise.all([start(folder, url), start(folder, url)])
    assert.match(one.sandboxKey ?? "", /^ps_test_/u)
    assert.strictEqual(two.sandboxKey, one.sandboxKey)
    const create = (server: ServerHere, idempotencyKey: string, fields: object = {}) =>
      server.request("POST", path, { idempotencyKey, body: { ...body, ...fields } })

    const made = await create(one, "first-key", { capture_method: "manual" })
    assert.deepStrictEqual([made.status, made.body.data.status], [201, "AUTHORIZED"])
    const read = await two.request("GET", `${path}/${made.body.data.id}`)
    assert.deepStrictEqual([read.status, read.body.data.status], [200, "AUTHORIZED"])
    // The simulator captures what it was asked to hold by the other server.
    const captured = await two.request("POST", `${path}/${made.body.data.id}/capture`, { body: {} })
    assert.deepStrictEqual([captured.status, captured.body.data.status], [200, "CAPTURED"])
    const refunded = await one.request("POST", `${path}/${made.body.data.id}/refunds`, { body: { amount: 400 } })
    assert.deepStrictEqual([refunded.status, refunded.body.data.status], [200, "PARTIALLY_REFUNDED"])

    const both = await Promise.all([create(one, "both-key"), create(two, "both-key")])
    const statuses = both.map(({ status }) => status).sort()
    // A request that arrives while the other one is in progress is told so; the result is the same either way.
    assert.include([201, 409], statuses[1])
    assert.strictEqual(statuses[0], 201)
    const [again, other] = await Promise.all([create(one, "both-key"), create(two, "both-key")])
    assert.deepStrictEqual(other.body, again.body)
    assert.strictEqual(other.headers.get("idempotent-replay"), "true")
    assert.lengthOf((await two.request("GET", path)).body.data, 2)

    assert.deepStrictEqual([(await one.stop()).code, (await two.stop()).code], [0, 0])
    const third = await start(folder, url, { POINTSMAN_DATABASE_CONNECTIONS: "3" })
    assert.strictEqual(third.sandboxKey, one.sandboxKey)
    // On a busy machine, who waits for longer than a second is told to come again.
    const served = (idempotencyKey: string) =>
      untilAnswer(
        `${idempotencyKey} is served`,
        () => create(third, idempotencyKey),
        ({ status }) => status !== 503
      )
    assert.deepStrictEqual((await served("both-key")).body, again.body)
    const crowd = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => (await served(`crowded-${index}`)).status)
    )
    assert.deepStrictEqual(new Set(crowd), new Set([201]))
    const ours = "select count(*)::int as count from pg_stat_activity where application_name = 'pointsman'"
    assert.deepStrictEqual(await query(url, `${ours} and datname = current_database()`), [{ count: 3 }])
    assert.strictEqual((await third.stop()).code, 0)
    assertSilent(one, two, third)
  })

  it("a start names a database that it must not use and why, and tries no more", async () => {
    const unreachable = new URL(withPassword(sharedPostgres.url))
    unreachable.port = "1"
    const absent = new URL(withPassword(sharedPostgres.url))
    absent.pathname = "/not_there"
    const folder = temporaryFolder()
    // By a clock that stands still, what waits before it ends never does.
    const { clock } = makeTurnedClock(Date.now())
    const [refused, missing] = await Promise.all([
      runServerHere({ folder, environment: environmentOn(unreachable.href), clock }),
      runServerHere({ folder, environment: environmentOn(absent.href), clock })
    ])
    for (const [exited, why] of [
      [refused, "ECONNREFUSED"],
      [missing, 'database "not_there" does not exist']
    ] as const) {
      assert.strictEqual(exited.code, 1)
      assert.match(exited.stderr, /^The database postgres:\/\/127\.0\.0\.1:\d+\/\w+ cannot be used: .+\.\n$/u)
      assert.include(exited.stderr, why)
      assert.notInclude(exited.stdout + exited.stderr, password)
    }
  })

  it("retention on PostgreSQL says that deliveries leave by months", async () => {
    const url = await newDatabase()
    await query(url, "insert into workspaces (id, name, suspended) values ('acme', 'Acme', false)")
    const folder = temporaryFolder()
    const run = (...words: ReadonlyArray<string>) => runHere(folder, ["retention", ...words], environmentOn(url))
    const line = "Deliveries and message bodies of the longest retention leave by whole months."
    for (const words of [["status"], ["run", "--dry-run"]]) assert.include((await run(...words)).stdout, line)
    // Those of one workspace leave in batches.
    assert.notInclude((await run("status", "--workspace", "acme")).stdout, line)
  })

  it("a command changes no schema of a foreign, other or served database", async () => {
    const [empty, ours] = [await emptyDatabase(), await newDatabase()]
    const [older, newer] = [await newDatabase(), await newDatabase()]
    await query(ours, "insert into workspaces (id, name, suspended) values ('acme', 'Acme', false)")
    await query(older, "update pointsman_migrations set migration_id = 0")
    await query(newer, "insert into pointsman_migrations (migration_id, name) values (1000, 'later')")
    const list = ["webhooks", "list", "--environment", "sandbox", "--json"]
    const look = ["doctor", "--json"]
    const folder = temporaryFolder()
    const [onEmpty, onOurs, onOlder, onNewer, lookAtEmpty, lookAtOurs] = await Promise.all([
      runHere(folder, list, environmentOn(empty)),
      runHere(folder, list, environmentOn(ours)),
      runHere(folder, list, environmentOn(older)),
      runHere(folder, list, environmentOn(newer)),
      runHere(folder, look, environmentOn(empty)),
      runHere(folder, look, environmentOn(ours))
    ])
    assert.deepStrictEqual(JSON.parse(onOurs.stdout), { data: [], has_more: false, next_cursor: null })
    for (const [{ code, stderr, stdout }, why] of [
      [onEmpty, "cannot be used: it has no Pointsman tables: start the server once"],
      [onOlder, "it has the outdated schema version 0"],
      [onNewer, "the database has schema version 1000, created by a newer release"]
    ] as const) {
      assert.deepStrictEqual([code, stdout], [1, ""])
      assert.include(stderr, why)
      assert.notInclude(stderr, password)
    }
    for (const [{ code, stdout }, says] of [
      [lookAtEmpty, "warning: {} has no tables yet: the server creates them at first startup"],
      [lookAtOurs, "ok: {}, schema version {}"]
    ] as const) {
      assert.notInclude(stdout, password)
      const { checks, wrong } = JSON.parse(stdout).data
      assert.deepStrictEqual([code, wrong], [0, 0])
      const at = checks.findIndex(({ check }: { readonly check: string }) => check === "database")
      const told = `${checks[at].verdict}: ${checks[at].says}`
        .replace(/postgres:\/\/\S+?\d+\/\w+/u, "{}")
        .replace(/(?<=version )\d+$/u, "{}")
      assert.deepStrictEqual([told, checks[at + 1].check, checks[at + 1].verdict], [says, "clock", "ok"])
    }
    assert.strictEqual(JSON.parse(lookAtOurs.stdout).data.checks.length, 21)
    const tables = "select count(*)::int as n from information_schema.tables where table_schema = 'public'"
    assert.deepStrictEqual(await query(empty, tables), [{ n: 0 }])
    assert.deepStrictEqual(await query(older, "select migration_id as id from pointsman_migrations"), [{ id: 0 }])
  })

  it("two servers' simulators lose and repeat no step of one charge", async () => {
    const url = Redacted.make(await newDatabase())
    const charge: ChargeRecord = {
      connectionId: "main",
      attemptId: "attempt",
      paymentId: "payment",
      minorUnits: 1000,
      currency: "EUR",
      capture: true,
      state: "Captured",
      executed: true,
      capturedMinor: 1000,
      decline: null,
      operations: [],
      refunds: []
    }
    const execute = (before: ChargeRecord | undefined) => ({
      answer: before === undefined ? "executed" : "known",
      record: before ?? charge
    })
    const refund = (id: string) => (before: ChargeRecord | undefined) => {
      const known = before ?? charge
      return {
        answer: id,
        record: { ...known, refunds: [...known.refunds, { id, minorUnits: 1, state: "Succeeded" as const }] }
      }
    }
    const [executed, refunded, found, none, accounts] = await Effect.runPromise(
      Effect.gen(function* () {
        const both = yield* Effect.all([openRecords(url), openRecords(url)], { concurrency: 2 })
        const racers = Array.from({ length: 12 }, (_, at) => [both[at % 2 === 0 ? 0 : 1], `refund-${at}`] as const)
        const race = <A, E>(play: (racer: (typeof racers)[number]) => Effect.Effect<A, E>) =>
          Effect.forEach(racers, play, { concurrency: "unbounded" })
        const answers = yield* race(([records]) => records.playCharge("main", "attempt", execute))
        yield* race(([records, id]) => records.playCharge("main", "attempt", refund(id)))
        const look = (before: ChargeRecord | undefined) => ({ answer: before?.attemptId ?? "none", record: before })
        return [
          answers.filter((answer) => answer === "executed").length,
          (yield* both[0].charges("payment")).flatMap((record) => record.refunds.map(({ id }) => id)).sort(),
          yield* race(([records, id]) => records.playRefund("main", id, look)),
          yield* both[1].playRefund("other", "refund-0", look),
          yield* Effect.forEach(both, ({ account }) => account)
        ] as const
      }).pipe(Effect.scoped)
    )
    const ids = Array.from({ length: 12 }, (_, at) => `refund-${at}`)
    assert.strictEqual(executed, 1)
    assert.deepStrictEqual(refunded, ids.sort())
    assert.deepStrictEqual(new Set(found), new Set(["attempt"]))
    assert.strictEqual(none, "none")
    assert.match(accounts[0] ?? "", /^sandbox_[0-9a-f-]{36}$/)
    assert.strictEqual(accounts[0], accounts[1], "one account of both servers")
  })

  it("an older server takes no requests once a newer one migrates, and says so", async () => {
    const url = await newDatabase()
    const { clock, push } = makeMovedClock()
    const server = await start(temporaryFolder(), url, {}, clock)
    const made = await server.request("POST", path, {
      idempotencyKey: "before-it",
      body: { ...body, capture_method: "manual" }
    })
    assert.strictEqual(made.status, 201)
    await query(url, "insert into pointsman_migrations (migration_id, name) values (1000, 'newer')")
    const ready = () => server.request("GET", "/health/ready", { key: null })
    // The next look at the schema.
    push(lookMillis)
    await until("it is not ready", async () => (await ready()).status !== 200)
    const unavailable = await ready()
    assert.strictEqual(unavailable.status, 503)
    assert.match(unavailable.body.reason, /schema version 1000, created by a newer release/u)
    const refused = [
      await server.request("POST", path, { idempotencyKey: "after-it", body }),
      await server.request("POST", path, { body: { ...body, return_url: "https://shop.example" } }),
      ...(await Promise.all(
        ["capture", "void", "refunds"].map((operation) =>
          server.request("POST", `${path}/${made.body.data.id}/${operation}`, { body: {} })
        )
      ))
    ]
    for (const { body, headers, status } of refused) {
      assert.deepStrictEqual([status, body.error.code, headers.get("retry-after")], [503, "internal_error", "1"])
    }
    const read = await server.request("GET", path)
    assert.deepStrictEqual([read.status, read.body.data.length], [200, 1])
    // The newer one is undone: what was refused is free.
    await query(url, "delete from pointsman_migrations where migration_id = 1000")
    push(lookMillis)
    await until("it is ready", async () => (await ready()).status === 200)
    assert.strictEqual((await server.request("POST", path, { idempotencyKey: "after-it", body })).status, 201)
    assert.strictEqual((await server.stop()).code, 0)
  })

  it("a server is not ready while PostgreSQL is away, and ready afterwards", async () => {
    const postgres = await startPostgresServer()
    onTestFinished(postgres.stop)
    const server = await start(temporaryFolder(), withPassword(await newDatabaseOn(postgres)))
    const ready = () => server.request("GET", "/health/ready", { key: null })
    const untilReadyIs = (status: number) =>
      until(`readiness is ${status}`, async () => (await ready()).status === status)
    await untilReadyIs(200)
    await postgres.kill()
    // What was read is used for a second.
    await untilReadyIs(503)
    const refused = await server.request("POST", path, { idempotencyKey: "while-gone", body })
    assert.strictEqual(refused.status, 500)
    assert.strictEqual((await server.request("GET", "/health/live", { key: null })).status, 200)
    await postgres.restart()
    await untilReadyIs(200)
    const made = await server.request("POST", path, { idempotencyKey: "while-gone", body })
    assert.deepStrictEqual([made.status, made.body.data.status], [201, "CAPTURED"])
    assert.strictEqual((await server.stop()).code, 0)
    assertSilent(server)
  })
})
