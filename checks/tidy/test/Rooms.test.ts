import { assert, describe, it } from "@effect/vitest"
import { sourcesIn } from "../Files.ts"
import { roomFaults } from "../Rooms.ts"

const inCore = (path: string, specifier: string) =>
  roomFaults([{ path: `packages/core/src/${path}`, text: `import { x } from "${specifier}"` }])

describe("rooms of core", () => {
  it("every room of core imports only from rooms above it", () => {
    const sources = sourcesIn("packages/core")
    assert.isAbove(sources.length, 100)
    assert.deepStrictEqual(roomFaults(sources), [])
  })

  const refused: ReadonlyArray<readonly [path: string, specifier: string, message: RegExp]> = [
    ["model/Payment.ts", "../ports/Ledger.ts", /ports is below it/],
    ["decide/Facts.ts", "../ports/Ledger.ts", /ports is closed to it/],
    ["routing/Plan.ts", "./run/Circuits.ts", /routing\/run is below it/],
    ["commit/Loop.ts", "../verbs/create/ClaimCharge.ts", /verbs\/create is below it/],
    ["verbs/create/CreatePayment.ts", "../check/CheckPayment.ts", /verbs\/check is below it/],
    ["verbs/check/CheckPayment.ts", "../../Pointsman.ts", /a door/]
  ]
  it.each(refused)("control: %s may not import %s", (path, specifier, message) => {
    const found = inCore(path, specifier)
    assert.strictEqual(found.length, 1)
    assert.match(found[0] ?? "", message)
  })

  const allowed: ReadonlyArray<readonly [path: string, specifier: string]> = [
    ["verbs/check/CheckPayment.ts", "../create/RecordCharge.ts"],
    ["routing/run/Circuits.ts", "../RoutePlan.ts"],
    ["decide/Facts.ts", "../model/Payment.ts"],
    ["decide/Facts.ts", "./Holding.ts"],
    ["Pointsman.ts", "./verbs/create/CreatePayment.ts"]
  ]
  it.each(allowed)("%s may import %s", (path, specifier) => {
    assert.deepStrictEqual(inCore(path, specifier), [])
  })

  it("control: a file in a folder that is no room is refused", () => {
    assert.deepStrictEqual(inCore("helpers/Text.ts", "../model/Payment.ts"), [
      "packages/core/src/helpers/Text.ts: is in no room"
    ])
  })
})
