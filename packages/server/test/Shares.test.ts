/**
 * One provider's trouble is its own, at a server in a process of its own, over sockets and PostgreSQL: a provider that
 * hangs with thousands of unknown payments, a provider that sends a thousand messages at once, an endpoint that hangs.
 * `POINTSMAN_SHARES` keeps the first of them going for so many seconds.
 */
import type { Clock } from "effect"
import { assert, describe, it } from "vitest"
import { connectionTo, workspaceWith } from "./support/Configurations.ts"
import { amountOf, isLong } from "./support/LongRuns.ts"
import { makeMovedClock } from "./support/MovedClock.ts"
import { pay, tellCaptured } from "./support/Pay.ts"
import { environmentOn, newDatabase, postgresMissing, query } from "./support/PostgresServer.ts"
import { type ScriptedProvider, startProvider } from "./support/ScriptedProvider.ts"
import { type ServerHere, startServerHere } from "./support/ServerHere.ts"
import { until } from "./support/Until.ts"
import { startReceiver } from "./support/WebhookReceiver.ts"

const secret = "whsec_provider_1"
/** Older than the charges, which it confirms. */
const told = { secret, created: "2026-11-21T12:00:00Z" }
const second = 1_000
/**
 * Of a lookup after its time, and of a delivery after its event, on a machine that does other things as well. Times are
 * compared with `POINTSMAN_LONG=all` alone: a busy machine takes longer.
 */
const checkWithin = 5 * second
const deliverWithin = 2 * second
const checkEvery = 2 * second

const longSeconds = amountOf("POINTSMAN_SHARES", { long: 100 })

/** At once; a busy machine takes seconds for a hundred. */
const messages = isLong ? 1_000 : 200

const connection = (provider: ScriptedProvider, id: string, currency: string) => ({
  ...connectionTo(provider, id),
  // Longer than the short form takes on a busy machine.
  timeout: isLong ? "30 seconds" : "5 minutes",
  webhookSecret: secret,
  supports: { currencies: [currency] }
})

const start = async (
  more: {
    readonly environment?: Record<string, string>
    readonly webhooks?: ReadonlyArray<object>
    readonly clock?: Clock.Clock
  } = {}
) => {
  const [euros, dollars, database] = await Promise.all([startProvider(), startProvider(), newDatabase()])
  const server = await startServerHere({
    environment: {
      ...environmentOn(database),
      POINTSMAN_RATE_LIMIT: "off",
      POINTSMAN_UNKNOWN_CHECK_INTERVAL: `${checkEvery} millis`,
      ...more.environment
    },
    clock: more.clock,
    configuration: {
      workspaces: [
        {
          ...workspaceWith([connection(euros, "euros", "EUR"), connection(dollars, "dollars", "USD")]),
          webhooks: more.webhooks ?? []
        }
      ]
    }
  })
  return { server, database, euros, dollars }
}

let orders = 0
const create = async (server: ServerHere, currency: "EUR" | "USD") => {
  const { body } = await pay(server, `order-${String(orders++).padStart(6, "0")}`, { currency })
  return body
}

/** 2,999 more payments as the only one that there is, due since a second ago. */
const multiply = async (database: string) => {
  const own = `jsonb_build_object('id', '00000000-0000-7000-8000-' || lpad(n::text, 12, '0'), 'key', null, 'claim', null,
    'claimed_at', null, 'claim_version', null)`
  const due = Date.now() - second
  await query(
    database,
    `with copies as (
      insert into payments select (jsonb_populate_record(p, ${own})).* from payments as p, generate_series(1, 2999) as n
      returning t, id
    ) insert into due (t, payment, at, connection, state)
      select d.t, copies.id, ${due}, d.connection, d.state from due as d join copies on copies.t = d.t`
  )
}

const lookUps = ({ calls }: ScriptedProvider) => calls.filter(({ operation }) => operation === "lookUpCharge").length

const untilWithin = async (what: string, isSo: () => boolean, withinMillis: number) => {
  const began = performance.now()
  await until(what, isSo)
  if (isLong) assert.isBelow(performance.now() - began, withinMillis, what)
}

describe.skipIf(postgresMissing !== undefined)(
  "the trouble of one",
  { timeout: 180_000 + longSeconds * second },
  () => {
    it("another's lookup is on schedule beside 3,000 unknown at a hanging provider", async () => {
      const { database, dollars, euros, server } = await start()
      for (const provider of [euros, dollars]) provider.always("charge", () => "drop")
      euros.always("lookUpCharge", () => "silent")
      await create(server, "EUR")
      await multiply(database)
      await untilWithin("the share is taken", () => lookUps(euros) >= 16, 2 * checkWithin)
      const ends = performance.now() + longSeconds * second
      do {
        const began = performance.now()
        await create(server, "USD")
        const attemptId = dollars.calls.findLast(({ operation }) => operation === "charge")?.body.attempt_id
        const isAsked = () =>
          dollars.calls.some(({ operation, path }) => operation === "lookUpCharge" && path.includes(attemptId))
        await untilWithin("the other's lookup", isAsked, checkEvery + checkWithin)
        assert.isAbove(performance.now() - began, checkEvery - second)
      } while (performance.now() < ends)
      // None is answered before its time-out.
      assert.isAtMost(lookUps(euros), 16 * (1 + Math.floor((longSeconds + 15) / 30)))
      const metrics = await (await fetch(`${server.url}/metrics`)).text()
      assert.match(metrics, /^pointsman_checks_due\{.*connection="euros".*\} 500$/mu)
      // What hangs ends with it.
      await euros.stop()
    })

    it(`none of ${messages} messages at one connection is refused or delays another's`, async () => {
      const { dollars, euros, server } = await start()
      await Promise.all([create(server, "EUR"), create(server, "USD")])
      const [charge] = euros.charges
      const [other] = dollars.charges
      const pending = new Set<number>()
      const flood = Array.from({ length: messages }, async (_, index) => {
        pending.add(index)
        const { status } = await tellCaptured(server, { ...told, connection: "euros" }, charge?.attemptId ?? "")
        pending.delete(index)
        return status
      })
      const answer = await tellCaptured(server, { ...told, connection: "dollars" }, other?.attemptId ?? "")
      const left = pending.size
      assert.deepStrictEqual([answer.status, new Set(await Promise.all(flood))], [200, new Set([200])])
      assert.isAbove(left, messages / 10)
    })

    it("messages above a connection's limit are answered with when to come again", async () => {
      const { clock, hold } = makeMovedClock()
      const { euros, server } = await start({ environment: { POINTSMAN_INBOUND_RATE_LIMIT: "1" }, clock })
      hold()
      await create(server, "EUR")
      const attemptId = euros.charges[0]?.attemptId ?? ""
      const answers = await Promise.all(
        Array.from({ length: 30 }, () => tellCaptured(server, { ...told, connection: "euros" }, attemptId))
      )
      const refused = answers.filter(({ status }) => status === 429)
      // Two at once, and one a second: no second passes.
      assert.lengthOf(refused, 28)
      assert.strictEqual(refused[0]?.headers.get("retry-after"), "1")
    })

    it("another endpoint hears of each event beside one that hangs on its share", async () => {
      const [hanging, other] = await Promise.all([startReceiver(), startReceiver()])
      hanging.status = () => undefined
      const { server } = await start({
        environment: { POINTSMAN_ALLOW_PRIVATE_WEBHOOKS: "true", POINTSMAN_DELIVERIES_PER_ENDPOINT: "3" },
        webhooks: [hanging, other].map(({ url }) => ({ environment: "production", url, secret: "whsec_merchant" }))
      })
      for (let times = 0; times < 20; times++) await create(server, "EUR")
      await untilWithin("the backlog at the other", () => other.heard.length >= 40, deliverWithin)
      for (let times = 0; times < 3; times++) {
        const before = other.heard.length
        await create(server, "EUR")
        await untilWithin("the other's webhooks", () => other.heard.length >= before + 2, deliverWithin)
      }
      // On a busy machine an attempt may have been given up, which leaves its place to another.
      await until("its share hangs", () => hanging.heard.length - hanging.hungUp() === 3)
      hanging.stop()
    })
  }
)
