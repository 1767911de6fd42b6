import { assert, describe, expect, it } from "@effect/vitest"
import { type ClaimState, claimStates } from "@pointsman/core"
import { type ClaimEvent, ClaimMachine, Machine } from "@pointsman/core/internal"
import { Result } from "effect"

const from: ReadonlyArray<ClaimState | Machine.Start> = [Machine.Start, ...claimStates]

/** Where a state goes on a fact, or what the table says where it goes nowhere. */
const cell = (state: ClaimState | Machine.Start, event: ClaimEvent): string =>
  Result.match(Machine.step(ClaimMachine, state, event), {
    onFailure: (refusal) => refusal,
    onSuccess: ({ to }) => `-> ${to}`
  })

describe("the claim's table", () => {
  it("given a state and a fact, when rows are counted, then there is at most one", () => {
    const cells = ClaimMachine.rows.map(({ from, on }) => `${from} on ${on}`)
    assert.deepStrictEqual(
      cells.filter((cell, index) => cells.indexOf(cell) !== index),
      []
    )
  })

  it("given the start, when the table is walked, then every state is reached", () => {
    assert.sameMembers([...Machine.walk(ClaimMachine).keys()], [...from])
  })

  it("given every state, when its rows are read, then it can be left: a key is never stuck", () => {
    assert.deepStrictEqual(Machine.finalStates(ClaimMachine), [])
  })

  it("given an answered key, when any fact comes, then only the end of its time makes it free again", () => {
    const leaving = ClaimMachine.rows.filter((row) => row.from === "Answered")
    assert.deepStrictEqual(
      leaving.map(({ on, to }) => [on, to]),
      [["RetentionEnded", "Expired"]]
    )
  })

  it("given every fact, when the table is read, then a row or a refusal answers it in every state", () => {
    for (const state of from) {
      for (const event of ClaimMachine.events) assert.match(cell(state, event), /^(?:-> \w+|KeyTaken|Ignored)$/)
    }
  })

  it("given the whole table, when it is laid out, then its cells are these", () => {
    const matrix = Object.fromEntries(
      from.map((state) => [state, ClaimMachine.events.map((event) => `${event}: ${cell(state, event)}`)])
    )
    expect(matrix).toMatchInlineSnapshot(`
      {
        "Answered": [
          "KeyClaimed: KeyTaken",
          "AttemptFollowed: Ignored",
          "RequestAnswered: Ignored",
          "RequestAbandoned: Ignored",
          "RetentionEnded: -> Expired",
        ],
        "Claimed": [
          "KeyClaimed: KeyTaken",
          "AttemptFollowed: -> Claimed",
          "RequestAnswered: -> Answered",
          "RequestAbandoned: -> Released",
          "RetentionEnded: -> Expired",
        ],
        "Expired": [
          "KeyClaimed: -> Claimed",
          "AttemptFollowed: Ignored",
          "RequestAnswered: Ignored",
          "RequestAbandoned: Ignored",
          "RetentionEnded: Ignored",
        ],
        "Released": [
          "KeyClaimed: -> Claimed",
          "AttemptFollowed: Ignored",
          "RequestAnswered: Ignored",
          "RequestAbandoned: Ignored",
          "RetentionEnded: Ignored",
        ],
        "Start": [
          "KeyClaimed: -> Claimed",
          "AttemptFollowed: Ignored",
          "RequestAnswered: Ignored",
          "RequestAbandoned: Ignored",
          "RetentionEnded: Ignored",
        ],
      }
    `)
  })
})
