/**
 * Generated inputs, nearly valid ones and garbage: none may fail the server, reject unseen, or cost over 50 ms of the
 * processor. `POINTSMAN_FUZZ_COUNT` sets how many requests there are altogether, 350 unless set; of
 * forms of evidence, queries of lists and reports there are three fifths as many each. What fails is printed
 * with its seed; `POINTSMAN_FUZZ_SEED` generates the inputs of that seed again.
 */
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { type Answer, budgetOf, judge, type Receiver, withoutRejections } from "./Judge.ts"
import { evidence } from "./Multipart.ts"
import { configurationText, findsSource, forwardedFor, readsConfiguration } from "./Pure.ts"
import { queries } from "./Queries.ts"
import { openServer, rawBytes, rawCreate } from "./Raw.ts"
import { budgetOfReport, openReader, reports } from "./Reports.ts"
import { subjects } from "./Requests.ts"
import { sendInputs } from "./SendInputs.ts"
import { openWorld } from "./World.ts"

const count = Number(process.env["POINTSMAN_FUZZ_COUNT"] ?? 350)
const seed = Number(process.env["POINTSMAN_FUZZ_SEED"] ?? Math.floor(Math.random() * 2 ** 31))

/** Its payments are captured and refunded soon, and the storage in memory grows slower with every payment. */
const inputsPerReceiver = 500

/** More than three minutes for 100,000, on a machine that does other things too. */
const timeout = 60_000 + count * 60

const nothingToClose = async () => {}
const runsOf = (hundredths: number) => Math.ceil((count * hundredths) / 100)

describe(`inputs of POINTSMAN_FUZZ_SEED=${seed} POINTSMAN_FUZZ_COUNT=${count}`, () => {
  const test = <Input>(
    name: string,
    hundredths: number,
    inputs: fc.Arbitrary<Input>,
    open: () => Promise<Receiver<Input>>,
    budget?: (input: Input) => number
  ) =>
    it(`none of ${runsOf(hundredths)} ${name} fails or is slow when sent`, {
      timeout
    }, async () => {
      const accepted = await sendInputs({ inputs, seed, numRuns: runsOf(hundredths), open, inputsPerReceiver, budget })
      // Of a few inputs each may be refused; of thousands, one in a hundred at least is accepted.
      if (runsOf(hundredths) >= 2_000) assert.isAbove(accepted, runsOf(hundredths) / 100, "nearly all is garbage")
    })

  for (const [name, hundredths, inputs] of subjects) test(name, hundredths, inputs, openWorld)
  test("connections of raw bytes", 5, rawBytes, openServer)
  test("configuration files", 5, configurationText, async () => ({ send: readsConfiguration, close: nothingToClose }))
  test("forms of evidence", 60, evidence, openWorld, ({ body = "" }) => budgetOf(body.length))
  test("queries of lists", 60, queries, openWorld)
  test("reports", 60, reports, openReader, budgetOfReport)
  test("headers of proxies", 2, forwardedFor, async () => ({ send: findsSource, close: nothingToClose }))
})

describe("controls", () => {
  const answer: Answer = { status: 200, code: undefined }
  const rejected = async (send: () => Promise<Answer>) => {
    const open = receiver(send)
    return judge(await open(), 0, open).then(
      () => "passed",
      (error: Error) => error.message
    )
  }
  const busyFor = (millis: number) => {
    const before = process.threadCpuUsage()
    for (;;) {
      const { system, user } = process.threadCpuUsage(before)
      if (system + user > millis * 1_000) return
    }
  }
  const receiver = (send: (input: number) => Promise<Answer>) => async () => ({ send, close: nothingToClose })
  const failingIn = (open: () => Promise<Receiver<number>>) =>
    sendInputs({ inputs: fc.constantFrom(1, 2, 3), seed, numRuns: 50, open, inputsPerReceiver }).then(
      () => "passed",
      (error: Error) => `${error.message} ${String(error.cause)}`
    )
  const failing = (send: (input: number) => Promise<Answer>) => failingIn(receiver(send))

  it("a payment in raw bytes is made: the server's answer is waited for", async () => {
    const server = await openServer()
    assert.strictEqual((await server.send(rawCreate, 9000)).status, 201)
    await server.close()
  })

  it("an input whose handler answers 500 is named", async () => {
    const message = await failing(async (input) => (input === 2 ? { status: 500, code: "internal_error" } : answer))
    assert.include(message, "Counterexample: [2]")
    assert.include(message, "answered 500 internal_error")
  })

  it("an input whose handler is slow and then replays it is named", async () => {
    const message = await failingIn(async () => {
      const seen = new Set<number>()
      const send = async (input: number) => {
        if (input === 3 && !seen.has(input)) busyFor(60)
        seen.add(input)
        return answer
      }
      return { send, close: nothingToClose }
    })
    assert.include(message, "Counterexample: [3]")
    assert.include(message, "of the processor at each of ten runs")
  })

  it("an input whose handler throws is named", async () => {
    assert.include(
      await failing(async (input) => {
        if (input === 1) throw new Error("broken")
        return answer
      }),
      "Counterexample: [1]"
    )
  })

  it("an input whose handler is slow once passes", async () => {
    let runs = 0
    const passed = await rejected(async () => {
      if (++runs === 1) busyFor(60)
      return answer
    })
    assert.deepStrictEqual([passed, runs], ["passed", 2])
  })

  it("only a 500 without a code fails, and a documented 502 does not", async () => {
    assert.strictEqual(await rejected(async () => ({ status: 502, code: "psp_error" })), "passed")
    assert.strictEqual(await rejected(async () => ({ status: 500, code: undefined })), "answered 500 without a code")
  })

  it("a rejected promise without a handler is reported after the inputs", async () => {
    const outcome = await withoutRejections(async () => void Promise.reject(new Error("unseen"))).then(
      () => "passed",
      (error: Error) => error.message
    )
    assert.strictEqual(outcome, "a promise was rejected without a handler: Error: unseen")
  })
})
