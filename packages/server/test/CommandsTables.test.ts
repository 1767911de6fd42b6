/** Tables for people: aligned, as wide as the terminal at most, and coloured on it alone. */
import { stripVTControlCharacters } from "node:util"
import { Console, Effect } from "effect"
import { TerminalCapabilities } from "effect/cli"
import { assert, describe, it } from "vitest"
import { print, TerminalColumns } from "../src/commands/Output.ts"
import { facts, paragraphs, type Screen, shortened, status, type Text, table } from "../src/commands/Table.ts"

const whole: Screen = { columns: Number.POSITIVE_INFINITY, isColoured: false }
const wide = (columns: number): Screen => ({ columns, isColoured: false })

const id = "01a1fe08-9226-7266-a33a-e3e7f1609a4e"

const payments = table(
  ["PAYMENT", "STATUS", "AMOUNT", shortened("REFERENCE"), shortened("REASON")],
  [
    [id, status("CAPTURED"), "€19.99", "order 東京 1 of the customer who pays late", "none"],
    [id, status("CANCELLED"), "€5.00", "order 2", null]
  ]
)

const widthOf = (text: string): number => Math.max(...text.split("\n").map((line) => line.length))

describe("a table", () => {
  it("columns with cells of different widths and wide letters are aligned", () => {
    const cities = table(
      ["NAME", "N", "NOTE"],
      [
        ["東京", 1, null],
        ["Berlin", 22, "b"]
      ]
    )
    assert.strictEqual(cities(whole), "NAME    N   NOTE\n東京    1   -\nBerlin  22  b")
    assert.strictEqual(
      facts([
        ["A", "x"],
        ["Long", null]
      ])(whole),
      "A     x\nLong  -"
    )
    assert.strictEqual(paragraphs("Above.", facts([["A", 1]]))(whole), "Above.\n\nA  1")
  })

  it("the widest columns of a narrow terminal are shortened, in whole letters", () => {
    assert.strictEqual(
      payments(wide(86)),
      [
        "PAYMENT                               STATUS     AMOUNT  REFERENCE              REASON",
        `${id}  CAPTURED   €19.99  order 東京 1 of the …  none`,
        `${id}  CANCELLED  €5.00   order 2                -`
      ].join("\n")
    )
    // As it is where it fits.
    const fits = widthOf(payments(whole)) + 2
    assert.strictEqual(payments(wide(fits)), payments(whole))
    for (let columns = 77; columns < fits; columns++) {
      const text = payments(wide(columns))
      assert.isAtMost(widthOf(text), columns)
      for (const kept of [id, "CAPTURED", "CANCELLED", "€19.99"]) assert.include(text, kept)
    }
  })

  it("each row is printed whole, one fact a line, if no shortening suits", () => {
    assert.strictEqual(
      payments(wide(70)),
      [
        `PAYMENT    ${id}`,
        "STATUS     CAPTURED",
        "AMOUNT     €19.99",
        "REFERENCE  order 東京 1 of the customer who pays late",
        "REASON     none",
        "",
        `PAYMENT    ${id}`,
        "STATUS     CANCELLED",
        "AMOUNT     €5.00",
        "REFERENCE  order 2",
        "REASON     -"
      ].join("\n")
    )
  })

  it("colours follow the meaning of statuses, and nothing else changes", () => {
    const coloured = { columns: 90, isColoured: true }
    const text = payments(coloured)
    assert.strictEqual(stripVTControlCharacters(text), payments(wide(90)))
    assert.include(text, "  \u001b[32mCAPTURED\u001b[39m   €19.99")
    assert.include(text, "  CANCELLED  €5.00")
    assert.strictEqual(
      facts([["Status", status("UNKNOWN", " (void_unknown)")]])(coloured),
      "Status  \u001b[33mUNKNOWN\u001b[39m (void_unknown)"
    )
    assert.strictEqual(facts([["Result", status("declined")]])(coloured), "Result  \u001b[31mdeclined\u001b[39m")
    assert.strictEqual(facts([["Status", status("a\u001b[31mb")]])(coloured), "Status  a?[31mb")
  })
})

describe("what is printed", () => {
  const shown = async (columns: number | undefined, canColor: boolean, json = false): Promise<string> => {
    const lines: Array<string> = []
    const console: Console.Console = Object.assign(Object.create(globalThis.console), {
      log: (text: string) => lines.push(text)
    })
    const text: Text = (screen) => JSON.stringify([String(screen.columns), screen.isColoured])
    await Effect.runPromise(
      print(json, { data: 1 }, text).pipe(
        Effect.provideService(TerminalColumns, columns),
        Effect.provideService(TerminalCapabilities.TerminalCapabilities, {
          canColor,
          canAnimate: false,
          canPrompt: false
        }),
        Effect.provideService(Console.Console, console)
      )
    )
    return lines.join("\n")
  }

  it.each<[string, number | undefined, boolean, string]>([
    ["a terminal", 80, true, '["80",true]'],
    ["a terminal without colours", 80, false, '["80",false]'],
    ["a file, and colours that are forced", undefined, true, '["Infinity",false]']
  ])("%s has the width and the colours of the text", async (_, columns, canColor, text) => {
    assert.strictEqual(await shown(columns, canColor), text)
    assert.strictEqual(await shown(columns, canColor, true), '{\n  "data": 1\n}')
  })
})
