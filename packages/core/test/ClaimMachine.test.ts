import { assert, expect, it } from "@effect/vitest"
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

it("a state and a fact have at most one row", () => {
  const cells = ClaimMachine.rows.map(({ from, on }) => `${from} on ${on}`)
  assert.deepStrictEqual(
    cells.filter((cell, index) => cells.indexOf(cell) !== index),
    []
  )
})

it("every state is reached by a walk of the table from the start", () => {
  assert.sameMembers([...Machine.walk(ClaimMachine).keys()], [...from])
})

it("every state of a claim can be left: a key is never stuck", () => {
  assert.deepStrictEqual(Machine.finalStates(ClaimMachine), [])
})

it("the cells of the whole table are these", () => {
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
