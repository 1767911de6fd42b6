/**
 * Generated requests to every page and endpoint, with the session of an operator who may do everything and with none: none
 * may fail the server, cost over 50 ms of the processor, show a secret, or answer with markup that was stored or sent.
 * `POINTSMAN_FUZZ_COUNT` and `POINTSMAN_FUZZ_SEED` are those of the server's fuzz tests; a fifth of the count is the
 * console's.
 */

import { maxBodyBytes } from "@pointsman/console"
import { assert, describe, it } from "vitest"
import { budgetOf, judge, type Receiver } from "../../../server/test/fuzz/Judge.ts"
import { sendInputs } from "../../../server/test/fuzz/SendInputs.ts"
import { worstBodies, worstTexts } from "../../../server/test/fuzz/WorstTexts.ts"
import { checked, hasSlip } from "./Answers.ts"
import { plantedWorld } from "./PlantedWorld.ts"
import { type Input, inputs, requestOf } from "./Requests.ts"
import { paramsOf, type Target, targetsOf } from "./Targets.ts"

const count = Math.ceil(Number(process.env["POINTSMAN_FUZZ_COUNT"] ?? 1_000) / 5)
const seed = Number(process.env["POINTSMAN_FUZZ_SEED"] ?? Math.floor(Math.random() * 2 ** 31))

/** What they change is soon used up: payments are captured, and operators removed. */
const inputsPerReceiver = 300

const open = async (): Promise<Receiver<Input>> => {
  const planted = await plantedWorld()
  const { here, secrets } = planted
  const targets = await targetsOf(planted)
  let requests = 0
  /** A note that was kept is shown by later pages, such as that of the audit trail. */
  let shown = ""
  return {
    close: here.close,
    send: async (input) => {
      const asked = await requestOf(planted, targets, input)
      if (asked === undefined) return { status: 400, code: undefined }
      const { init, url } = asked
      const response = await here.handler(new Request(url, init), { source: `203.0.113.${++requests}` })
      const sent = JSON.stringify(input)
      if (hasSlip(sent)) shown += sent
      const text = await checked(response, init.method ?? "GET", secrets, shown)
      // What failed is not in the response.
      if (response.status === 500) throw new Error(`${init.method} ${url} ${init.body}: ${here.log.at(-1)}`)
      return { status: response.status, code: /"code":"([a-z_]+)"/u.exec(text)?.[1] }
    }
  }
}

describe(`generated requests, again by POINTSMAN_FUZZ_SEED=${seed}`, () => {
  it(`none of ${count} requests fails, is slow, or answers what it must not`, {
    timeout: 60_000 + count * 60
  }, async () => {
    const budget = ({ multipart }: Input) => budgetOf(multipart?.body.length ?? 0)
    const accepted = await sendInputs({ inputs, seed, numRuns: count, open, inputsPerReceiver, budget })
    assert.isAbove(accepted, count / 10, "nearly all is garbage")
  })
})

/** Bodies of the largest size, of what costs most: as JSON, or with one of the fields of a form. */
const worstOf = ({ form = [], json }: Target): ReadonlyArray<string> =>
  json === undefined
    ? form.flatMap(([name], at) => {
        const rest = `${paramsOf(form.toSpliced(at, 1))}&${name}=`
        return worstTexts(maxBodyBytes - rest.length).map((text) => rest + text.replaceAll("&", "%"))
      })
    : worstBodies(maxBodyBytes, json as Readonly<Record<string, unknown>>)

describe.skipIf(process.env["POINTSMAN_LONG"] !== "all")("the largest bodies", () => {
  it("no form or endpoint fails with them or costs over 50 ms", {
    timeout: 1_800_000
  }, async () => {
    const planted = await plantedWorld()
    const targets = await targetsOf(planted)
    await planted.here.close()
    const sent = targets.flatMap((target, nth) =>
      target.method === "GET" ? [] : worstOf(target).map((value) => ({ nth, value }))
    )
    assert.isAbove(sent.length, 1_000)
    let receiver = await open()
    for (const [at, { nth, value }] of sent.entries()) {
      if (at % inputsPerReceiver === inputsPerReceiver - 1) {
        await receiver.close()
        receiver = await open()
      }
      const edits = [{ place: "body", nth: 0, name: "", value }] as const
      await judge(receiver, { session: "admin", target: nth, edits }, open)
    }
    await receiver.close()
  })
})
