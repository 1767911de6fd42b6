/**
 * One provider's trouble is its own, over sockets and PostgreSQL: a provider that hangs with thousands of unknown payments, and
 * an endpoint that hangs. `POINTSMAN_SHARES` keeps the first going for so many seconds. Core has the share of messages.
 */
import { assert, describe, it } from "vitest"
import { connectionTo, workspaceWith } from "./support/Configurations.ts"
import { amountOf, isLong } from "./support/LongRuns.ts"
import { pay } from "./support/Pay.ts"
import { environmentOn, newDatabase, postgresMissing, query } from "./support/PostgresServer.ts"
import { type ScriptedProvider, startProvider } from "./support/ScriptedProvider.ts"
import { type ServerHere, startServerHere } from "./support/ServerHere.ts"
import { until } from "./support/Until.ts"
import { startReceiver } from "./support/WebhookReceiver.ts"

const second = 1_000
/**
 * Of a lookup after its time, and of a delivery after its event, on a machine that does other things as well. Times are
 * compared with `POINTSMAN_LONG=all` alone: a busy machine takes longer.
 */
const checkWithin = 5 * second
const deliverWithin = 2 * second
const checkEvery = 2 * second

const longSeconds = amountOf("POINTSMAN_SHARES", { long: 100 })

const connection = (provider: ScriptedProvider, id: string, currency: string) => ({
  ...connectionTo(provider, id),
  // Longer than the short form takes on a busy machine.
  timeout: isLong ? "30 seconds" : "5 minutes",
  supports: { currencies: [currency] }
})

const start = async (environment: Readonly<Record<string, string>> = {}, webhooks: ReadonlyArray<object> = []) => {
  const [euros, dollars, database] = await Promise.all([startProvider(), startProvider(), newDatabase()])
  const server = await startServerHere({
    environment: {
      ...environmentOn(database),
      POINTSMAN_RATE_LIMIT: "off",
      POINTSMAN_UNKNOWN_CHECK_INTERVAL: `${checkEvery} millis`,
      ...environment
    },
    configuration: {
      workspaces: [
        {
          ...workspaceWith([connection(euros, "euros", "EUR"), connection(dollars, "dollars", "USD")]),
          webhooks
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

    it("another endpoint hears of each event beside one that hangs on its share", async () => {
      const [hanging, other] = await Promise.all([startReceiver(), startReceiver()])
      hanging.status = () => undefined
      const { server } = await start(
        { POINTSMAN_ALLOW_PRIVATE_WEBHOOKS: "true", POINTSMAN_DELIVERIES_PER_ENDPOINT: "3" },
        [hanging, other].map(({ url }) => ({ environment: "production", url, secret: "whsec_merchant" }))
      )
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
