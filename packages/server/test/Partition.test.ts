/**
 * A network between the server and PostgreSQL that loses every packet and says nothing. Each request is answered within
 * 15 seconds beyond its provider's time-out, nothing acknowledged is lost, and nothing moves twice, by the provider's own
 * books. A long run (`POINTSMAN_LONG=all`); `POINTSMAN_PARTITIONS=130,190` sets the lengths, in seconds: 30 unless set.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { EmbeddedPostgres } from "../../storage/postgres/test/support/EmbeddedPostgres.ts"
import { configurationWith, connectionTo, liveKey as key } from "./support/Configurations.ts"
import { isLong } from "./support/LongRuns.ts"
import { environmentOn, newDatabase, postgresMissing, startPostgresServer } from "./support/PostgresServer.ts"
import { startProvider } from "./support/ScriptedProvider.ts"
import { type JsonAnswer, startServer } from "./support/ServerProcess.ts"
import { silentProxy } from "./support/SilentProxy.ts"

const path = "/api/v1/payments"
const providerTimeoutMillis = 2_000
const beyondProviderMillis = 15_000
/** Short, so that requests whose result was lost are settled within the test. */
const claimWindowMillis = 8_000
const clients = 20
const order = { amount: 1000, currency: "EUR", country: "NL" }

const lengths = (process.env["POINTSMAN_PARTITIONS"] ?? (isLong ? "30" : "")).split(",").filter(Boolean).map(Number)

interface Asked {
  readonly idempotencyKey: string
  readonly millis: number
  readonly answer: JsonAnswer
}

describe.skipIf(postgresMissing !== undefined || lengths.length === 0)(
  "a silent partition from PostgreSQL",
  { timeout: 400_000 },
  () => {
    let postgres: EmbeddedPostgres
    beforeAll(async () => {
      postgres = await startPostgresServer()
    }, 60_000)
    afterAll(() => postgres?.stop())

    const start = async () => {
      const provider = await startProvider({ looksUpOperations: true })
      const proxy = await silentProxy(await newDatabase(postgres))
      const connection = {
        ...{ ...connectionTo(provider), timeout: `${providerTimeoutMillis} millis` },
        circuitBreaker: { failures: 1_000, open: "1 second" }
      }
      const server = await startServer({
        environment: {
          ...environmentOn(proxy.url),
          POINTSMAN_PROVIDER_TIMEOUT: `${providerTimeoutMillis} millis`,
          POINTSMAN_CLAIM_WINDOW: `${claimWindowMillis} millis`,
          POINTSMAN_UNKNOWN_CHECK_INTERVAL: "1 second",
          POINTSMAN_PENDING_CHECK_INTERVAL: "1 second",
          POINTSMAN_REFUND_CHECK_INTERVAL: "1 second",
          POINTSMAN_RATE_LIMIT: "off"
        },
        configuration: configurationWith(connection)
      })
      const ask = async (idempotencyKey: string, to = path, body: object = {}): Promise<Asked> => {
        const began = performance.now()
        const answer = await server.request("POST", to, { key, idempotencyKey, body })
        return { idempotencyKey, answer, millis: performance.now() - began }
      }
      const create = (idempotencyKey: string, fields: object = {}) =>
        ask(idempotencyKey, path, { ...order, reference: idempotencyKey, ...fields })
      /** Until the request has a lasting answer. */
      const settled = async (again: () => Promise<Asked>): Promise<Asked> => {
        for (let turn = 0; ; turn++) {
          const asked = await again()
          if (turn > 60 || ![409, 500, 503].includes(asked.answer.status)) return asked
          await sleep(500)
        }
      }
      /** The payment, once nothing of it is open. */
      const quiet = async (id: string) => {
        for (;;) {
          const { body, status } = await server.request("GET", `${path}/${id}`, { key })
          assert.strictEqual(status, 200, id)
          const { payment_status, refund_pending_amount } = body.data
          if (!["UNKNOWN", "PENDING"].includes(payment_status) && refund_pending_amount === 0) return body.data
          await sleep(250)
        }
      }
      return { ask, create, provider, proxy, quiet, server, settled }
    }

    for (const seconds of lengths) {
      it(`every request is answered during ${seconds} s of silence, and none charged twice`, async () => {
        const { ask, create, provider, proxy, quiet, server, settled } = await start()
        const authorized: Array<string> = []
        for (const name of ["captured", "voided", "refunded"]) {
          const manual = name === "refunded" ? {} : { capture_method: "manual" }
          authorized.push((await create(`before-${name}`, manual)).answer.body.data.id)
        }
        const holds = Array.from({ length: 3 }, () => provider.hold("charge"))
        const inFlight = holds.map((_, at) => create(`in-flight-${at}`))
        await Promise.all(holds.map(({ arrived }) => arrived))

        proxy.fallSilent()
        const endsAt = performance.now() + seconds * 1_000
        for (const hold of holds) hold.release()
        const [capture, release, refund] = authorized.map((id) => `${path}/${id}`)
        const operations = [
          ask("operation-capture", `${capture}/capture`),
          ask("operation-void", `${release}/void`),
          ask("operation-refund", `${refund}/refunds`)
        ]
        const asked: Array<Asked> = []
        const client = async (at: number) => {
          for (let turn = 0; performance.now() < endsAt; turn++) {
            asked.push(await create(`silent-${at}-${turn}`))
            await sleep(250)
          }
        }
        await Promise.all([sleep(seconds * 1_000), ...Array.from({ length: clients }, (_, at) => client(at))])
        const inSilence = [...asked, ...(await Promise.all([...inFlight, ...operations]))]
        assert.isAbove(proxy.lost(), 0)
        proxy.heal()

        const slowest = Math.max(...inSilence.map(({ millis }) => millis))
        const answers = Object.groupBy(inSilence, ({ answer }) => `${answer.status} ${answer.body.error?.code ?? ""}`)
        process.stderr.write(
          `partition of ${seconds} s: ${inSilence.length} requests, the slowest ${Math.round(slowest)} ms: ${Object.entries(
            answers
          )
            .map(([answer, all]) => `${answer} ${all?.length}`)
            .join(", ")}\n`
        )
        assert.isBelow(slowest, beyondProviderMillis + providerTimeoutMillis)

        // Each of them again, under its key, as a client does it.
        const recovering = performance.now()
        assert.strictEqual((await settled(() => create("after-silence"))).answer.status, 201)
        assert.isBelow(performance.now() - recovering, 15_000)
        const sample = [...new Set([...asked.slice(0, 20), ...asked.slice(-20)])]
        const again = await Promise.all(
          [...(await Promise.all(inFlight)), ...sample].map(({ idempotencyKey }) =>
            settled(() => create(idempotencyKey))
          )
        )
        for (const { answer, idempotencyKey } of again) {
          assert.strictEqual(answer.status, 201, `${idempotencyKey}: ${JSON.stringify(answer.body)}`)
        }
        // The reference is the request's key.
        const sent = provider.calls.filter(({ operation }) => operation === "charge").map(({ body }) => body.reference)
        assert.includeMembers(
          sent,
          [...inFlight.keys()].map((at) => `in-flight-${at}`)
        )
        assert.strictEqual(new Set(sent).size, sent.length, "a request was charged twice")
        // Every payment that was acknowledged at any time is there, and what moved is what the provider executed.
        const acknowledged = new Set([
          ...authorized,
          ...[...inSilence, ...again]
            .filter(({ answer }) => answer.status === 201)
            .map(({ answer }) => answer.body.data.id)
        ])
        for (const id of acknowledged) {
          const { captured_amount, refunded_amount } = await quiet(id)
          const [charge, ...more] = provider.chargesOf(id)
          assert.isEmpty(more, id)
          const refunded = [...(charge?.refunds.values() ?? [])].reduce((sum, amount) => sum + amount, 0)
          assert.deepStrictEqual([captured_amount, refunded_amount], [charge?.capturedAmount ?? 0, refunded], id)
        }
        assert.strictEqual((await server.stop()).code, 0)
      })
    }
  }
)
