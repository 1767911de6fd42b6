/**
 * The running server on a disk that is full or broken: the responses to requests, by the API and by the provider's
 * books, on the way and after a kill. The disk fails below the process (see
 * packages/storage/sqlite/test/DiskFaults.ts); where that cannot be done, a limit on the size of files simulates a full
 * disk.
 */
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { type DiskFault, diskFaults, diskFaultsMissing } from "../../storage/sqlite/test/DiskFaults.ts"
import { configurationWith, connectionTo, liveKey } from "./support/Configurations.ts"
import { isLong } from "./support/LongRuns.ts"
import { pay as create } from "./support/Pay.ts"
import { type ScriptedProvider, startProvider } from "./support/ScriptedProvider.ts"
import {
  type JsonAnswer,
  type ServerOptions,
  type ServerProcess,
  startServer,
  temporaryFolder
} from "./support/ServerProcess.ts"
import { until } from "./support/Until.ts"

const path = "/api/v1/payments"

/** A test asks often. */
const settings = { POINTSMAN_RATE_LIMIT: "off" }

const start = (folder: string, provider: ScriptedProvider, options: Pick<ServerOptions, "environment" | "under">) =>
  startServer({
    ...options,
    folder,
    configuration: configurationWith(connectionTo(provider)),
    environment: {
      ...settings,
      POINTSMAN_DATABASE_URL: `sqlite:${join(folder, "pointsman.db")}`,
      ...options.environment
    }
  })

/** For the server that comes after a kill: what was under way counts as dead soon, and is looked up at once. */
const impatient = {
  POINTSMAN_PROVIDER_TIMEOUT: "5 seconds",
  POINTSMAN_CLAIM_WINDOW: "6 seconds",
  POINTSMAN_UNKNOWN_CHECK_INTERVAL: "1 second",
  POINTSMAN_REFUND_CHECK_INTERVAL: "1 second"
}

const pay = (server: ServerProcess, idempotencyKey: string, change: object = {}) =>
  create(server, idempotencyKey, { reference: idempotencyKey, ...change })

const operate = (server: ServerProcess, id: string, operation: "capture" | "refunds") =>
  server.request("POST", `${path}/${id}/${operation}`, { key: liveKey, idempotencyKey: `${operation}-key` })

const read = async (server: ServerProcess, id: string) =>
  (await server.request("GET", `${path}/${id}`, { key: liveKey })).body.data

/** The key's answer, once its claim is not taken for fresh any more. */
const answered = async (server: ServerProcess, key: string) => {
  await until(`${key} is answered`, async () => (await pay(server, key)).status === 201)
  return pay(server, key)
}

const untilStatus = (server: ServerProcess, id: string, status: string) =>
  until(`${id} is ${status}`, async () => (await read(server, id)).status === status)

const told = ({ body, status }: JsonAnswer) => [status, body.error?.code ?? body.data.status]

const callsOf = ({ calls }: ScriptedProvider, operation: string) =>
  calls.filter((call) => call.operation === operation).length

const booksOf = (provider: ScriptedProvider) => ["charge", "capture", "refund"].map((one) => callsOf(provider, one))

/** A charge, a capture and a refund at once, which the provider executes; `meanwhile` comes before it answers. */
const executeAll = async (
  server: ServerProcess,
  provider: ScriptedProvider,
  ids: { readonly key: string; readonly toCapture: string; readonly toRefund: string },
  meanwhile: () => void
) => {
  const holds = (["charge", "capture", "refund"] as const).map((operation) => provider.hold(operation))
  const answers = [
    pay(server, ids.key),
    operate(server, ids.toCapture, "capture"),
    operate(server, ids.toRefund, "refunds")
  ] as const
  await Promise.all(holds.map(({ arrived }) => arrived))
  meanwhile()
  for (const { release } of holds) release()
  return answers
}

const disks: Readonly<Record<string, DiskFault>> = {
  "a disk that is full": { call: "write", file: "-wal", code: "full" },
  "a disk that fails to flush": { call: "sync", file: "-wal", code: "broken" }
}

const missing = diskFaultsMissing()

/** The disk fails before the provider is asked, after it executed, and once more with a kill before the disk is well. */
const live = async (fault: DiskFault): Promise<void> => {
  const folder = temporaryFolder()
  const provider = await startProvider()
  const disk = diskFaults(join(folder, "pointsman.db"))
  const first = await start(folder, provider, { environment: disk.environment })
  const created = async (key: string, change: object = {}): Promise<string> => {
    const answer = await pay(first, key, change)
    assert.strictEqual(answer.status, 201)
    return answer.body.data.payment_id
  }
  const manual = { capture_method: "manual" }
  const toCapture = [await created("to-capture-1", manual), await created("to-capture-2", manual)] as const
  const toRefund = [await created("to-refund-1"), await created("to-refund-2")] as const
  const books = booksOf(provider)

  // Before the provider is asked.
  disk.fail(fault)
  assert.deepStrictEqual(told(await pay(first, "unasked-1")), [500, "internal_error"])
  assert.deepStrictEqual(told(await operate(first, toCapture[0], "capture")), [500, "internal_error"])
  assert.deepStrictEqual(told(await operate(first, toRefund[0], "refunds")), [500, "internal_error"])
  assert.isNotEmpty(disk.failed())
  assert.deepStrictEqual(booksOf(provider), books)
  // What is stored can be read.
  assert.strictEqual((await read(first, toCapture[0])).status, "AUTHORIZED")
  disk.heal()
  assert.deepStrictEqual(told(await pay(first, "unasked-1")), [201, "CAPTURED"])
  assert.strictEqual(callsOf(provider, "charge"), (books[0] ?? 0) + 1)

  // After the provider executed.
  const [charge, capture, refund] = await executeAll(
    first,
    provider,
    { key: "executed-1", toCapture: toCapture[0], toRefund: toRefund[0] },
    () => disk.fail(fault)
  )
  const unknown = await charge
  assert.deepStrictEqual(told(unknown), [500, "payment_result_unknown"])
  assert.match(unknown.body.error.request_id, /^req_/u)
  for (const answer of [capture, refund]) assert.deepStrictEqual(told(await answer), [500, "state_unconfirmed"])
  assert.isNotEmpty(disk.failed())
  disk.heal()
  await untilStatus(first, toCapture[0], "CAPTURED")
  await untilStatus(first, toRefund[0], "REFUNDED")
  assert.deepStrictEqual(told(await pay(first, "executed-1")), [409, "idempotency_in_progress"])
  assert.deepStrictEqual(told(await operate(first, toCapture[0], "capture")), [500, "state_unconfirmed"])
  assert.deepStrictEqual(told(await operate(first, toRefund[0], "refunds")), [500, "state_unconfirmed"])

  // Both again, with a kill before the disk is well.
  const gone = await executeAll(
    first,
    provider,
    { key: "executed-2", toCapture: toCapture[1], toRefund: toRefund[1] },
    () => disk.fail(fault)
  )
  assert.deepStrictEqual(told(await pay(first, "unasked-2")), [500, "internal_error"])
  const all = Promise.allSettled(gone)
  await first.kill("SIGKILL")
  await all
  disk.heal()
  const second = await start(folder, provider, { environment: impatient })
  // A retry does not wait for the daily job, and does nothing but ask.
  const operated = async (id: string, operation: "capture" | "refunds", status: string) => {
    const waits = ["idempotency_in_progress", "refund_pending"]
    await until(`${id} waits no more`, async () => !waits.includes(told(await operate(second, id, operation))[1]))
    await untilStatus(second, id, status)
  }
  const charged = async (key: string) =>
    untilStatus(second, (await answered(second, key)).body.data.payment_id, "CAPTURED")
  await Promise.all([
    operated(toCapture[1], "capture", "CAPTURED"),
    operated(toRefund[1], "refunds", "REFUNDED"),
    charged("executed-1"),
    charged("executed-2")
  ])
  assert.deepStrictEqual(told(await answered(second, "unasked-2")), [201, "CAPTURED"])
  await untilStatus(second, toCapture[0], "CAPTURED")
  await untilStatus(second, toRefund[0], "REFUNDED")
  for (const id of provider.charges.map(({ paymentId }) => paymentId)) {
    assert.lengthOf(provider.chargesOf(id), 1)
    assert.include(["CAPTURED", "REFUNDED"], (await read(second, id)).status)
  }
  assert.deepStrictEqual(booksOf(provider), [8, 2, 2])
}

describe.skipIf(!isLong)(
  `a server on a bad disk${missing === undefined ? "" : ` (${missing})`}`,
  { timeout: 480_000 },
  () => {
    // At once, because each waits most of the time.
    it.skipIf(missing !== undefined)(
      "a disk fault on either side of a call sends, repeats and forgets nothing",
      async () => {
        const ends = await Promise.allSettled(Object.values(disks).map(live))
        for (const [index, name] of Object.keys(disks).entries()) {
          const end = ends[index]
          if (end?.status === "rejected") throw new Error(`on ${name}`, { cause: end.reason })
        }
      }
    )

    it.skipIf(process.platform === "win32")(
      "a server killed after payments fail has told the truth in its answers",
      async () => {
        const folder = temporaryFolder()
        const provider = await startProvider()
        // In blocks of 512 bytes, on some systems 1024.
        const limited = await start(folder, provider, { under: ["sh", "-c", 'ulimit -f 3600 && exec "$@"', "sh"] })
        const answers = new Map<string, JsonAnswer>()
        const failed = () => [...answers.values()].filter(({ status }) => status !== 201)
        while (failed().length < 5) {
          const key = `payment-${answers.size + 1}`
          answers.set(key, await pay(limited, key))
          assert.isBelow(answers.size, 500)
        }
        await limited.kill("SIGKILL")
        assert.deepStrictEqual([...new Set(failed().map(({ status }) => status))], [500])

        const server = await start(folder, provider, { environment: impatient })
        const chargesOf = (key: string) =>
          provider.calls.filter(({ body, operation }) => operation === "charge" && body.reference === key).length
        for (const [key, answer] of answers) {
          if (answer.status === 201) {
            const { routing: _, ...payment } = answer.body.data
            assert.deepStrictEqual(await read(server, payment.payment_id), { ...payment, refunds: [] })
          } else {
            const wasSent = answer.body.error.code === "payment_result_unknown"
            if (!wasSent) assert.strictEqual(answer.body.error.code, "internal_error")
            assert.strictEqual(chargesOf(key), wasSent ? 1 : 0)
            const again = await answered(server, key)
            await untilStatus(server, again.body.data.payment_id, "CAPTURED")
          }
          assert.strictEqual(chargesOf(key), 1, key)
        }
      }
    )
  }
)
