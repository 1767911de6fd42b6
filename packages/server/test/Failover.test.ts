/**
 * A primary that is killed under load, and its standby promoted in its place. An asynchronous standby lacks the last
 * payments: `pointsman recover` brings them back, and no key moves money twice, by the provider's own books. A synchronous
 * one lacks nothing, and nothing is refused but by the promotion itself.
 *
 * A long run (`POINTSMAN_LONG=all`). `POINTSMAN_FAILOVERS` sets how many failovers of each kind are run: 1 unless set.
 * `POINTSMAN_FAILOVER_SEED` repeats the plan of a run.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { assert, describe, it } from "vitest"
import { documentOf, runCommand } from "./support/CommandProcess.ts"
import { configurationWith, connectionTo, liveKey } from "./support/Configurations.ts"
import { movedTwice, unaccounted } from "./support/failover/BooksAgree.ts"
import { ordersOf, unknownResults } from "./support/failover/Orders.ts"
import { startReplicated } from "./support/failover/Replicated.ts"
import { drawFrom } from "./support/kill/Draw.ts"
import type { PaymentShown } from "./support/kill/Evidence.ts"
import { pagesOf } from "./support/kill/Rest.ts"
import { amountOf } from "./support/LongRuns.ts"
import { environmentOn, postgresMissing } from "./support/PostgresServer.ts"
import { startProviderProcess } from "./support/ProviderProcess.ts"
import { type ServerProcess, startServer, temporaryFolder } from "./support/ServerProcess.ts"

const rounds = amountOf("POINTSMAN_FAILOVERS", { long: 1 })
const firstSeed = Number(process.env["POINTSMAN_FAILOVER_SEED"] ?? Date.now() % 1_000_000)

/** Everything that a provider executed is a payment or under review within this time. */
const accountedWithinMillis = 300_000
/** How many requests are acknowledged that the standby lacks. */
const lostAtLeast = 20
/** How long a server may take to notice a loss, on a busy machine: it compares every two seconds. */
const noticedWithinMillis = 20_000
/** How long requests may be refused after a promotion that lost nothing. */
const refusedWithinMillis = 5_000
/** Those that a merchant's jobs work through again right after the promotion. */
const repeatedAtOnce = 200

/** Short, as the test waits for them; the time-out is shorter than the claim window. */
const environment = {
  POINTSMAN_PROVIDER_TIMEOUT: "2 seconds",
  POINTSMAN_CLAIM_WINDOW: "10 seconds",
  POINTSMAN_UNKNOWN_CHECK_INTERVAL: "2 seconds",
  POINTSMAN_PENDING_CHECK_INTERVAL: "2 seconds",
  POINTSMAN_REFUND_CHECK_INTERVAL: "2 seconds",
  POINTSMAN_DEAD_REQUEST_INTERVAL: "2 seconds",
  POINTSMAN_RATE_LIMIT: "off",
  POINTSMAN_ALLOW_ASYNC_COMMIT: "false"
}

const setUp = async (seed: number, isSynchronous: boolean) => {
  const provider = await startProviderProcess()
  const replicated = await startReplicated(isSynchronous)
  const configuration = configurationWith(connectionTo(provider))
  const all = { ...environmentOn(replicated.url), ...environment }
  const start = () => startServer({ configuration, environment: all })
  const servers = [await start(), await start()] as const
  const draw = drawFrom(seed)
  const command = async (...words: ReadonlyArray<string>) => runCommand(temporaryFolder(), [...words, "--json"], all)
  return { command, draw, orders: ordersOf(`order-${seed}`, liveKey, draw, servers), provider, replicated, servers }
}

type World = Awaited<ReturnType<typeof setUp>>

const lossAt = async (server: ServerProcess) => {
  const { body } = await server.request("GET", "/health/ready", { key: null })
  return body.record_loss ?? null
}

const lossNoticed = async (servers: ReadonlyArray<ServerProcess>): Promise<void> => {
  const until = performance.now() + noticedWithinMillis
  while ((await Promise.all(servers.map(lossAt))).includes(null)) {
    if (performance.now() > until) throw new Error("a server did not notice the loss")
    await sleep(100)
  }
}

/** Load, a failover, and the same load from there on. Gives times in milliseconds. */
const failOver = async ({ draw, orders, replicated }: World, lagMillis: number, afterwards: () => Promise<void>) => {
  let isOver = false
  const load = orders.work(() => isOver)
  // A failure is reported below, and not as one that nobody handles.
  load.catch(() => {})
  await sleep(draw.between(1_500, 2_500))
  const began = performance.now()
  if (lagMillis > 0) replicated.partition()
  const before = orders.servedAt.length
  await sleep(lagMillis)
  // Otherwise there may be nothing to lose.
  while (lagMillis > 0 && orders.servedAt.length < before + lostAtLeast) await Promise.race([sleep(10), load])
  await replicated.killPrimary()
  await sleep(draw.between(0, 1_000))
  const promoting = replicated.promote()
  const repeated = promoting.then(() => orders.again(orders.all.slice(-repeatedAtOnce)))
  repeated.catch(() => {})
  await promoting
  const promotedAt = performance.now()
  await afterwards()
  await sleep(2_000)
  isOver = true
  await Promise.all([load, repeated])
  const served = orders.servedAt.filter((at) => at >= began)
  return {
    /** The longest time in which nothing was served. */
    unserved: Math.round(Math.max(...served.map((at, index) => (served[index + 1] ?? at) - at))),
    /** From the promotion to the last request that the servers failed. */
    refused: Math.round(Math.max(0, ...orders.failedAt) - promotedAt)
  }
}

const reviewedPayments = async ({ command }: World): Promise<ReadonlySet<string>> => {
  const all = new Set<string>()
  for (let after: ReadonlyArray<string> = []; ; ) {
    const { data, has_more, next_cursor } = documentOf(await command("unknown", "list", "--limit", "100", ...after))
    for (const { payment_id } of data) all.add(payment_id)
    if (!has_more) return all
    after = ["--after", next_cursor]
  }
}

/** Waits until everything is accounted for. Gives what was under review then, and what is wrong. */
const settled = async (world: World) => {
  const { orders, provider, servers } = world
  const until = performance.now() + accountedWithinMillis
  for (;;) {
    const books = await provider.books()
    const reviewed = await reviewedPayments(world)
    const payments = await pagesOf<PaymentShown>(servers[0], "/api/v1/payments", "before", liveKey)
    const missing = unaccounted(books, payments, reviewed)
    const wrong = [...movedTwice(books, orders.all), ...missing]
    if (missing.length === 0 || performance.now() > until) return { books, payments, reviewed, wrong }
    await sleep(1_000)
  }
}

const count = (amounts: ReadonlyArray<{ readonly count: number }>): number =>
  amounts.reduce((total, one) => total + one.count, 0)

const figures = (name: string, all: Readonly<Record<string, unknown>>): void => {
  process.stdout.write(`${name}: ${JSON.stringify(all)}\n`)
}

describe
  .skipIf(postgresMissing !== undefined || rounds === 0)
  .each(Array.from({ length: rounds }, (_, round) => firstSeed + round))(
  "a primary that is killed, POINTSMAN_FAILOVER_SEED=%i",
  { timeout: 900_000 },
  (seed) => {
    it("no key moves money twice after a lagging standby's promotion and recovery", async () => {
      const world = await setUp(seed, false)
      const { command, draw, orders, servers } = world
      const lagMillis = draw.between(50, 2_000)
      const since = new Date(Date.now() - 60_000).toISOString()
      let recovered: Readonly<Record<"payments" | "refunds" | "changed", ReadonlyArray<{ readonly count: number }>>> = {
        payments: [],
        refunds: [],
        changed: []
      }
      const millis = await failOver(world, lagMillis, async () => {
        await lossNoticed(servers)
        await sleep(draw.between(0, 2_000))
        const { connections, loss } = documentOf(await command("recover", "--since", since)).data
        assert.strictEqual(loss.ended?.outcome, "recovered")
        recovered = connections[0]
      })
      await orders.again(orders.all)
      const { books, payments, reviewed, wrong } = await settled(world)
      const open = orders.all.filter(({ ids }) => [...ids].every((id) => !reviewed.has(id)))
      const answers = open.flatMap(({ answers, name }) =>
        [...answers].map(([step, answer]) => `${answer}: ${step} ${name}`)
      )
      const isUnknown = (answer: string) => unknownResults.some((one) => answer.startsWith(one))
      figures("asynchronous standby", {
        seed,
        lagMillis,
        orders: orders.all.length,
        charges: books.charges.length,
        payments: payments.length,
        recovered: [count(recovered.payments), count(recovered.refunds), count(recovered.changed)],
        reviewed: reviewed.size,
        otherIds: orders.all.filter(({ ids }) => ids.size > 1).length,
        unknownResults: answers.filter(isUnknown).length,
        millis,
        refusals: Object.fromEntries(orders.refusals)
      })
      assert.deepStrictEqual(wrong, [])
      assert.deepStrictEqual(
        answers.filter((answer) => !answer.startsWith("done") && !isUnknown(answer)),
        []
      )
    })

    it("a promoted synchronous standby loses, reviews and refuses nothing any longer", async () => {
      const world = await setUp(seed, true)
      const { orders, servers } = world
      const millis = await failOver(world, 0, () => sleep(5_000))
      await orders.again(orders.all)
      const { books, payments, reviewed, wrong } = await settled(world)
      const losses = await Promise.all(servers.map(lossAt))
      figures("synchronous standby", {
        seed,
        orders: orders.all.length,
        charges: books.charges.length,
        payments: payments.length,
        reviewed: reviewed.size,
        millis,
        refusals: Object.fromEntries(orders.refusals)
      })
      assert.deepStrictEqual(wrong, [])
      assert.deepStrictEqual(losses, [null, null])
      assert.deepStrictEqual([...reviewed], [])
      assert.isBelow(millis.refused, refusedWithinMillis)
    })
  }
)
