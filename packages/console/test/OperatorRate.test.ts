/** How often one operator asks, whatever the pages and endpoints: the others have their own rate. */
import { RateLimit } from "@pointsman/http"
import { assert, describe, it } from "vitest"
import { everywhere } from "./support/Responses.ts"
import { usedWorld } from "./support/UsedWorld.ts"

const here = usedWorld({}, { clock: "test", limits: RateLimit.layerOperators() })

describe("the requests of an operator", () => {
  it("40 of 50 at once pass a rate of 20 a second, and another operator's do", async () => {
    const cookie = await here.signIn("ann", everywhere("admin"))
    const other = await here.signIn("jo", everywhere("admin"))
    const paths = Array.from({ length: 50 }, (_, at) => (at % 2 === 0 ? "/api/me" : "/account"))
    const answers = await Promise.all(paths.map((path) => here.send(path, { cookie })))
    const refused = answers.filter(({ status }) => status === 429)
    assert.lengthOf(refused, 10)
    for (const answer of refused) assert.include(await answer.text(), "Too many requests of this operator.")
    assert.strictEqual(answers.filter(({ status }) => status === 200).length, 40)
    assert.strictEqual((await here.send("/api/me", { cookie: other })).status, 200)
    await here.pass("1 second")
    const later = await Promise.all(Array.from({ length: 21 }, () => here.send("/api/me", { cookie })))
    assert.strictEqual(later.filter(({ status }) => status === 429).length, 1)
    await here.pass("1 minute")
    const form = new FormData()
    form.set("receipt", new File([new Uint8Array(165_000)], "receipt.pdf"))
    // Each counts as eleven requests, of 16,384 bytes each.
    const path = "/disputes/acme/sandbox/dp_none/evidence"
    for (const isAdmitted of [true, true, true, false])
      assert.strictEqual((await here.send(path, { cookie, form })).status !== 429, isAdmitted)
  })
})
