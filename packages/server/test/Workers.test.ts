/**
 * Several server processes by one start: one address, one greeting, one stop. What happens to them when one is killed,
 * and what they tell one another, is shown in the long checks (`POINTSMAN_LONG=all`).
 */
import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { assert, describe, it } from "vitest"
import { configurationWith, connectionTo, liveKey } from "./support/Configurations.ts"
import { serveHttp } from "./support/HttpHere.ts"
import { isLong } from "./support/LongRuns.ts"
import { pay as create } from "./support/Pay.ts"
import { environmentOn, newDatabase, query, sharedPostgres } from "./support/PostgresServer.ts"
import { ask, refusesConnections } from "./support/RawSocket.ts"
import { startProvider } from "./support/ScriptedProvider.ts"
import { runServer, type ServerOptions, type ServerProcess, startServer } from "./support/ServerProcess.ts"
import { until, untilAnswer } from "./support/Until.ts"

const path = "/api/v1/payments"

/** The tests' PostgreSQL does not wait for its disk, and the server warns of it. */
const withoutDurability = (stderr: string): string =>
  stderr.replaceAll(/^.*level=WARN.*message="(?:fsync|full_page_writes) is off.*\n/gmu, "")

describe.skipIf(sharedPostgres.url === "")("workers", () => {
  const environmentOf = (url: string, workers: number) => ({
    ...environmentOn(url),
    POINTSMAN_WORKERS: String(workers)
  })

  const start = async (workers: number, options: Omit<ServerOptions, "folder"> = {}) => {
    const environment = { ...environmentOf(await newDatabase(), workers), ...options.environment }
    return startServer({ ...options, environment })
  }

  it.runIf(isLong)("each of 2 workers answers at the admin port, and metrics are only there", async () => {
    const server = await start(2, { environment: { POINTSMAN_ADMIN_PORT: "0" } })
    const admin = /^ {2}Admin {5}(\S+)$/mu.exec(server.stdout())?.[1] ?? ""
    const scrapes = await Promise.all(Array.from({ length: 6 }, () => fetch(`${admin}/metrics`)))
    const pids = new Set(await Promise.all(scrapes.map(async (one) => /pid="(\d+)"/u.exec(await one.text())?.[1])))
    assert.strictEqual(pids.size, 2)
    assert.strictEqual((await fetch(`${server.url}/metrics`)).status, 404)
    const order = { amount: 1000, currency: "EUR", country: "NL" }
    assert.strictEqual((await server.request("POST", "/api/v1/payments", { body: order })).status, 201)
    assert.strictEqual((await server.stop()).code, 0)
  })

  it.runIf(isLong)("each of 2 workers leads to an issuer of the file, which they do not read", async () => {
    const oidc = { issuer: "http://127.0.0.1:1", clientId: "console", clientSecret: "secret", name: "Example" }
    const server = await start(2, { configuration: { workspaces: [{ id: "acme" }], console: { oidc } } })
    const pages = await Promise.all(Array.from({ length: 6 }, () => fetch(`${server.url}/console/sign-in`)))
    for (const page of pages) assert.include(await page.text(), "Sign in with Example")
    assert.strictEqual((await server.stop()).code, 0)
  })

  it("each of 3 workers answers on a free port, and the server greets once", async () => {
    const server = await start(3, { environment: { POINTSMAN_RATE_LIMIT: "5" } })
    const children = childrenOf(server.pid)
    assert.lengthOf(children, 3)
    const answering = new Set<number>()
    await until("each of them answers", async () => {
      const answers = await Promise.all(Array.from({ length: 6 }, () => fetch(`${server.url}/metrics`)))
      for (const answer of answers) answering.add(Number(/pid="(\d+)"/u.exec(await answer.text())?.[1]))
      return answering.size === 3
    })
    assert.sameMembers([...answering], [...children])
    if (isLong) {
      // Each of them counts for itself: two let no more through than twice the limit.
      const { limit, passed } = await letThrough([server], server.sandboxKey, 5)
      assert.isAbove(passed, 2 * limit)
    }
    const health = await Promise.all(Array.from({ length: 6 }, () => server.request("GET", "/health/ready")))
    assert.deepStrictEqual(new Set(health.map(({ status }) => status)), new Set([200]))
    await payUntilCounted(server)
    const { code, stderr, stdout } = await server.stop()
    assert.strictEqual(code, 0)
    assert.strictEqual(withoutDurability(stderr), "")
    assert.strictEqual(stdout.match(/^Pointsman listens on/gmu)?.length, 1)
    assert.strictEqual(stdout.match(/^curl /gmu)?.length, 1)
    assert.match(stdout, /^ {2}Workers {3}3$/mu)
  })

  it.runIf(isLong)("retries are answered once each when a worker is killed, and others replace it", async () => {
    const provider = await startProvider()
    provider.always("charge", async (call) => {
      await sleep(30)
      return call.execute()
    })
    const server = await start(2, {
      configuration: configurationWith({ ...connectionTo(provider), timeout: "1500 millis" }),
      environment: {
        POINTSMAN_CLAIM_WINDOW: "2 seconds",
        POINTSMAN_PROVIDER_TIMEOUT: "1500 millis",
        // Forty clients that try again at once are more than a key may ask in a second.
        POINTSMAN_RATE_LIMIT: "off"
      }
    })
    const [first = 0, second = 0] = childrenOf(server.pid)
    const paid = Promise.all(Array.from({ length: 40 }, (_, at) => payUntilAnswered(server, 1000 + at)))
    while (provider.calls.length < 8) await sleep(5)
    process.kill(first, "SIGSTOP")
    const live = ["GET /health/live HTTP/1.1", "host: x"]
    const connections = Promise.all(Array.from({ length: 4 }, () => ask(server.url, live)))
    await sleep(100)
    process.kill(first, "SIGKILL")
    // Also of those that were handed to it, and that it had not taken.
    await connections
    const statuses = await paid
    for (const [at, status] of statuses.entries()) {
      const charges = provider.charges.filter(({ amount }) => amount === 1000 + at)
      assert.include(["CAPTURED", "UNKNOWN"], status)
      assert.isAtMost(charges.length, 1)
      if (status === "CAPTURED") assert.lengthOf(charges, 1)
    }
    // Half of them were with the other one.
    assert.isAbove(statuses.filter((status) => status === "CAPTURED").length, 5)
    const after = childrenOf(server.pid)
    assert.lengthOf(after, 2)
    assert.notInclude(after, first)
    assert.match(server.stderr(), /a server process exited.*was terminated by SIGKILL/u)

    // The one that is left goes too: who came in the place of the first answers.
    process.kill(second, "SIGKILL")
    assert.strictEqual(await payUntilAnswered(server, 2000), "CAPTURED")

    const hold = provider.hold("charge")
    const last = pay(server, 3000)
    await hold.arrived
    server.kill("SIGTERM")
    const exited = server.kill("SIGTERM")
    await refusesConnections(server)
    hold.release()
    const made = await last
    assert.deepStrictEqual([made.status, made.body.data.status], [201, "CAPTURED"])
    assert.strictEqual(made.headers.get("connection"), "close")
    assert.strictEqual((await exited).code, 0)
  })

  it.runIf(isLong)("a payment is answered when the workers' process is killed, and no worker is left", async () => {
    const provider = await startProvider()
    const server = await start(2, { configuration: configurationWith(connectionTo(provider)) })
    const hold = provider.hold("charge")
    const answer = pay(server, 1000)
    await hold.arrived
    // Resolves when nobody has the standard output any more.
    const exited = server.kill("SIGKILL")
    await refusesConnections(server)
    hold.release()
    const made = await answer
    assert.deepStrictEqual([made.status, made.body.data.status], [201, "CAPTURED"])
    assert.strictEqual((await exited).signal, "SIGKILL")
  })

  it.runIf(isLong)("servers share rates and open circuits, and no request waits for that", async () => {
    const [database, provider] = [await newDatabase(), await startProvider()]
    const unreachable = {
      ...connectionTo({ ...provider, url: "http://127.0.0.1:1" }),
      circuitBreaker: { failures: 8, open: "1 minute" }
    }
    const configuration = configurationWith(unreachable, connectionTo(provider, "backup"))
    const environment = { ...environmentOf(database, 1), POINTSMAN_SHARED_LIMITS: "true", POINTSMAN_RATE_LIMIT: "10" }
    const startOne = () => startServer({ configuration, environment })
    const [one, other] = [await startOne(), await startOne()]

    const shared = await letThrough([one, other], liveKey, 10)
    assert.isAtLeast(shared.passed, 20)
    assert.isBelow(shared.passed, 1.4 * shared.limit)

    const firstAsked = async (server: ServerProcess) => {
      // The rate is slow to come back.
      for (;;) {
        const { body, status } = await create(server, randomUUID(), { debug: true })
        if (status !== 429 && status !== 201) throw new Error(JSON.stringify(body))
        if (status !== 429) return [status, body.data.routing.excluded.map(({ code }: { code: string }) => code)]
        await sleep(100)
      }
    }
    for (let times = 0; times < 8; times++) assert.deepStrictEqual(await firstAsked(one), [201, []])
    const seen: Array<unknown> = []
    // Fewer than would open it by themselves.
    for (let times = 0; times < 6 && !JSON.stringify(seen).includes("CIRCUIT_OPEN"); times++) {
      await sleep(500)
      seen.push(await firstAsked(other))
    }
    assert.deepStrictEqual(seen.at(-1), [201, ["CIRCUIT_OPEN"]])

    await query(database, "drop table pointsman_rates")
    for (const server of [one, other]) assert.strictEqual((await firstAsked(server))[0], 201)
    // Told in the background, within a tenth of a second.
    for (let turn = 0; turn < 250 && !one.stderr().includes("temporarily not shared"); turn++) await sleep(20)
    assert.match(one.stderr(), /rate limits are temporarily not shared/u)
  })

  it.runIf(isLong)("several workers end once, with the same message, where one server would", async () => {
    const database = await newDatabase(sharedPostgres, "template1")
    const [missing, limited] = [new URL(database), new URL(database)]
    missing.pathname = "/not_there"
    limited.username = `workers_${randomUUID().replaceAll("-", "")}`
    await query(database, `create role ${limited.username} login connection limit 4`)
    await query(database, `alter database ${limited.pathname.slice(1)} owner to ${limited.username}`)
    const { port: taken } = await serveHttp(() => {})
    const ended = async (environment: Record<string, string>) => {
      const { code, stderr, stdout } = await runServer({ environment })
      assert.strictEqual(code, 1)
      assert.strictEqual(stdout, "")
      return stderr
    }
    const [port, notThere, worker] = await Promise.all([
      ended({ ...environmentOf(database, 2), PORT: String(taken) }),
      ended(environmentOf(missing.href, 2)),
      ended(environmentOf(limited.href, 2))
    ])
    assert.strictEqual(
      port,
      `Port ${taken} on 127.0.0.1 is already in use. Stop the program that uses it, or set PORT (--port) to another port.\n`
    )
    assert.match(notThere, /^The database postgres:\S+ cannot be used: database "not_there" does not exist\.\n$/u)
    assert.match(worker, /too many connections for role/u)
    assert.match(worker, /^Server process \d of 2 exited with code 1\.$/mu)
  })
})

/**
 * Pays until a response of `GET /metrics` reports it, and by which process: another one may have taken either request.
 */
const payUntilCounted = async (server: ServerProcess) => {
  const pids = new Set<number>()
  await until("a payment is counted", async () => {
    await server.request("POST", path, { body: { amount: 1000, currency: "EUR", country: "NL" } })
    // At once, so that they come by several connections: each of them stays with one process.
    const answers = await Promise.all(Array.from({ length: 6 }, () => fetch(`${server.url}/metrics`)))
    for (const answer of answers) {
      const text = await answer.text()
      for (const [, pid] of text.matchAll(/^pointsman_attempts_total\{.*pid="(\d+)"\} \d+$/gmu)) pids.add(Number(pid))
    }
    return pids.size > 0
  })
  for (const pid of pids) assert.include(childrenOf(server.pid), pid)
}

const childrenOf = (pid: number): ReadonlyArray<number> =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number)

/** The amount identifies the order, so that the provider's record tells who was charged how often. */
const pay = (server: ServerProcess, amount: number) => create(server, `order-${amount}`, { amount })

/** As a client should: the same key again after a connection that broke, and while an earlier request holds the key. */
const payUntilAnswered = async (server: ServerProcess, amount: number): Promise<string> => {
  const attempt = async () => {
    const made = await pay(server, amount).catch(() => undefined)
    if (made !== undefined) assert.include([201, 409, 503], made.status)
    return made
  }
  return (await untilAnswer(`order-${amount} is answered`, attempt, (made) => made?.status === 201))?.body.data.status
}

/**
 * Asks for some two seconds, far more often than it may. `limit`: what one process with that limit lets through in the
 * time that it took, two seconds' worth of it at once.
 */
const letThrough = async (servers: ReadonlyArray<ServerProcess>, key: string | undefined, perSecond: number) => {
  const began = performance.now()
  const answers: Array<Promise<number>> = []
  for (let turn = 0; turn < 60; turn++) {
    for (let at = 0; at < 4; at++) {
      const server = servers[at % servers.length]
      if (server !== undefined) answers.push(server.request("GET", path, { key }).then(({ status }) => status))
    }
    await sleep(30)
  }
  const statuses = await Promise.all(answers)
  assert.deepStrictEqual(new Set(statuses), new Set([200, 429]))
  const seconds = (performance.now() - began) / 1000
  return { limit: perSecond * (2 + seconds), passed: statuses.filter((status) => status === 200).length }
}
