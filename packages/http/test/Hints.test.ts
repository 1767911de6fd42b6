/** Unsigned messages of a provider that name one of its objects: limited by their source, before anything is looked up. */
import { HintNotLookedUp } from "@pointsman/core"
import { RateLimit } from "@pointsman/http"
import { Effect } from "effect"
import { describe, expect, onTestFinished, test } from "vitest"
import { scripted } from "./support/Scripted.ts"
import { serve } from "./support/Web.ts"

const hint = {
  connectionId: "mollie",
  tenant: { workspaceId: "acme", environment: "sandbox" },
  receivedAt: 0,
  hint: "tr_1"
} as const

const sent = {
  method: "POST",
  body: "id=tr_1",
  headers: { "content-type": "application/x-www-form-urlencoded" }
} as const

const open = (answers: Parameters<typeof scripted>[0] = {}) => {
  const script = scripted({ verifyMessage: () => Effect.succeed(hint), ...answers })
  const web = serve(script.layer, undefined, [RateLimit.layerFailures({ messagesPerConnection: 2 })])
  onTestFinished(() => web.close())
  const send = async () => {
    const { body, status } = await web.send("/api/v1/psp-webhooks/mollie", sent)
    return status === 200 ? "200" : `${status} ${body.error.code}`
  }
  return { script, send }
}

describe("a hint over HTTP", () => {
  test("a hint is accepted without a signature once its lookup is recorded", async () => {
    const { script, send } = open()
    expect(await send()).toBe("200")
    expect(script.asked.map(([name]) => name)).toEqual(["verifyMessage", "recordMessage"])
    expect(script.asked[1]).toEqual(["recordMessage", hint])
  })

  test("the sender has to repeat a hint if the provider does not answer", async () => {
    const { send } = open({ recordMessage: () => new HintNotLookedUp({ reason: "silence" }) })
    expect(await send()).toBe("500 internal_error")
  })

  test("further hints of a source above its limit are not looked up", async () => {
    const { script, send } = open()
    const answers = await Promise.all(Array.from({ length: 9 }, send))
    expect(answers.filter((answer) => answer === "200")).toHaveLength(4)
    expect(new Set(answers)).toEqual(new Set(["200", "429 rate_limited"]))
    expect(script.asked.filter(([name]) => name === "recordMessage")).toHaveLength(4)
  })
})
