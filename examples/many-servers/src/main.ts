/**
 * Three servers over one PostgreSQL, one of which is killed while it works. Nothing that was acknowledged is lost, and a
 * request that is sent again to another server is answered with the payment that is there.
 *
 * It ends by itself: with 0 when all of that was so, with 1 when it was not, or took too long.
 */
import { randomBytes } from "node:crypto"
import { call, create, type Paid, type Payment, pay, type Troubles } from "./Client.ts"
import { startFront } from "./Front.ts"
import { startPostgres } from "./Postgres.ts"
import { type Server, startServer } from "./Server.ts"

/** All of their payments fit on one page of the list. */
const orders = Array.from({ length: 90 }, (_, at) => `order-${String(at + 1).padStart(4, "0")}`)
const atOnce = 9
const killAfter = 30

/** Slow machines included; then something hangs. */
const endsWithinMillis = 120_000

const say = (line: string) => process.stdout.write(`${line}\n`)

const closing: Array<() => Promise<void>> = []

const environmentOn = (url: string): Readonly<Record<string, string>> => ({
  POINTSMAN_DATABASE_URL: url,
  // The database of this example ends with it, and does not wait for its disk. In earnest: never.
  POINTSMAN_ALLOW_ASYNC_COMMIT: "true",
  // A database belongs to its key: with a DATABASE_URL of yours, set the key too if you run this more than once.
  POINTSMAN_ENCRYPTION_KEY: process.env["POINTSMAN_ENCRYPTION_KEY"] ?? randomBytes(32).toString("base64"),
  POINTSMAN_RATE_LIMIT: "off",
  // So short that you can watch a request that died being settled. In earnest: the defaults, 15 minutes among them.
  POINTSMAN_PROVIDER_TIMEOUT: "1 second",
  POINTSMAN_CLAIM_WINDOW: "8 seconds",
  POINTSMAN_UNKNOWN_CHECK_INTERVAL: "1 second"
})

const startDatabase = async (): Promise<string> => {
  const given = process.env["DATABASE_URL"]
  if (given !== undefined && given !== "") {
    say("PostgreSQL    yours, by DATABASE_URL")
    return given
  }
  const postgres = await startPostgres()
  closing.push(postgres.stop)
  say("PostgreSQL    from npm, for as long as this runs")
  return postgres.url
}

const startServers = async (url: string, signal: AbortSignal): Promise<ReadonlyArray<Server>> => {
  const environment = environmentOn(url)
  // One by one they would do as well. At once they follow one another where the tables are made.
  const started = await Promise.allSettled([1, 2, 3].map(() => startServer(environment, signal)))
  const servers = started.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []))
  closing.push(async () => void (await Promise.all(servers.map((server) => server.end("SIGTERM")))))
  const failed = started.find((one) => one.status === "rejected")
  if (failed !== undefined) throw failed.reason
  for (const [at, server] of servers.entries()) say(`Server ${at + 1}      ${server.url}`)
  return servers
}

/** Pays all orders, and kills a server in the middle of it. */
const payAll = async (front: string, apiKey: string, killed: Server, signal: AbortSignal) => {
  const troubles: Troubles = { unanswered: 0, inProgress: 0, unknown: 0, nothingCharged: 0 }
  const paid = new Map<string, Paid>()
  const waiting = [...orders]
  let kill: Promise<void> | undefined
  const lane = async () => {
    for (let order = waiting.shift(); order !== undefined; order = waiting.shift()) {
      paid.set(order, await pay(front, apiKey, order, troubles, signal))
      if (paid.size >= killAfter && kill === undefined) {
        kill = killed.end("SIGKILL")
        say(`Server 2 is killed (kill -9) after ${paid.size} acknowledged payments.`)
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  await kill
  return { paid, troubles }
}

/** Reads every payment at a server, and sends every request to it again; gives what is not as it should be. */
const compare = async (
  { apiKey, url }: Server,
  paid: ReadonlyMap<string, Paid>,
  signal: AbortSignal
): Promise<ReadonlyArray<string>> => {
  const wrong: Array<string> = []
  for (const [order, { id, key }] of paid) {
    signal.throwIfAborted()
    const read = (await call(url, apiKey, "GET", `/api/v1/payments/${id}`)).body.data as Payment | undefined
    if (read?.status !== "CAPTURED") wrong.push(`${order} is ${read?.status ?? "not there"}`)
    const again = await create(url, apiKey, order, key)
    const payment = again.body.data as Payment | undefined
    if (!again.isReplay || payment?.id !== id) wrong.push(`${order}, sent again, was answered ${again.status}`)
  }
  const list = await call(url, apiKey, "GET", "/api/v1/payments?status=CAPTURED&limit=100")
  const ours = (list.body.data as ReadonlyArray<Payment>).filter(({ reference }) => paid.has(reference))
  if (list.body.has_more === true || ours.length !== paid.size) {
    wrong.push(`${ours.length} payments were captured for ${paid.size} orders`)
  }
  return wrong
}

const run = async (signal: AbortSignal): Promise<boolean> => {
  const servers = await startServers(await startDatabase(), signal)
  const [first, second, third] = servers
  if (first === undefined || second === undefined || third === undefined) throw new Error("three servers were expected")
  const front = await startFront(servers.map(({ port }) => port))
  closing.push(front.close)
  say(`Front         ${front.url}, each connection to the next server; it retries nothing`)
  say(`Paying ${orders.length} orders, ${atOnce} at once.`)

  const { paid, troubles } = await payAll(front.url, first.apiKey, second, signal)
  say(`${paid.size} of ${orders.length} orders are paid. On the way, the shop got`)
  say(`  no answer                  ${troubles.unanswered} time(s), and sent the same request again`)
  say(`  "still being worked on"    ${troubles.inProgress} time(s), of requests that died with server 2`)
  say(`  "not known yet"            ${troubles.unknown} time(s), until the provider was asked what it had done`)
  say(`  "nothing was charged"      ${troubles.nothingCharged} time(s), and paid under a new key`)

  let isAsItShouldBe = true
  for (const [name, server] of [["1", first] as const, ["3", third] as const]) {
    const wrong = await compare(server, paid, signal)
    for (const line of wrong) say(`Server ${name}: ${line}`)
    if (wrong.length > 0) isAsItShouldBe = false
    else
      say(`Server ${name} shows ${paid.size} captured payments, and answers each key with the payment that is there.`)
  }
  return isAsItShouldBe
}

const stopping = new AbortController()
const giveUp = () => stopping.abort(new Error("stopped"))
process.once("SIGINT", giveUp)
process.once("SIGTERM", giveUp)
const timer = setTimeout(() => stopping.abort(new Error("it took too long")), endsWithinMillis)

try {
  if (!(await run(stopping.signal))) process.exitCode = 1
} catch (failure) {
  const reason = stopping.signal.aborted ? stopping.signal.reason : failure
  process.stderr.write(`${reason instanceof Error ? reason.message : String(reason)}\n`)
  process.exitCode = 1
} finally {
  clearTimeout(timer)
  for (const close of closing.toReversed()) await close()
}
