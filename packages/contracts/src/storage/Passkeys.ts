/** Passkeys and their challenges: what two servers do at once is done once, and a removed operator has none. */
import { expect } from "@effect/vitest"
import type { Operator, Passkey, PasskeyChallenge } from "@pointsman/core"
import { auditDraft, Passkeys } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { fresh } from "./Given.ts"
import { actionsOn, storedOperator, writeOperator } from "./Operators.ts"
import { chapter, itWith } from "./StorageTest.ts"
import { atOnce } from "./Unguarded.ts"

const passkeyFor = ({ id: operatorId }: Operator, fields: Partial<Passkey> = {}) =>
  Effect.map(
    fresh("passkey-"),
    (id): Passkey => ({
      id,
      operatorId,
      name: "Laptop ü \u{1f600}",
      publicKey: "pQECAyYgASFY",
      counter: 0,
      transports: ["internal", "hybrid"],
      createdAt: 100_000,
      usedAt: null,
      ...fields
    })
  )

const add = Effect.fnUntraced(function* (passkey: Passkey) {
  const audit = yield* auditDraft("operator.passkey_added", passkey.operatorId, {})
  return yield* (yield* Passkeys).add(passkey, audit)
})

const remove = Effect.fnUntraced(function* (operatorId: string, id: string) {
  const audit = yield* auditDraft("operator.passkey_removed", operatorId, {})
  return yield* (yield* Passkeys).remove(operatorId, id, audit)
})

const challengeFor = (fields: Partial<PasskeyChallenge> = {}) =>
  Effect.map(
    fresh("challenge "),
    (hash): PasskeyChallenge => ({ hash, operatorId: null, expiresAt: 200_000, ...fields })
  )

export const passkeys = chapter("passkeys", (suiteIt) => {
  /** With two operators that are stored. */
  const it = itWith(suiteIt, () => Effect.all({ operator: storedOperator(), other: storedOperator() }))

  it("each operator has its own passkeys, in the order of their times", function* (given) {
    const { operator, other: neighbour, passkeys } = given
    const { byId, list } = passkeys
    const second = yield* passkeyFor(operator, { createdAt: 200_000, transports: [], usedAt: 300_000 })
    const first = yield* passkeyFor(operator)
    const other = yield* passkeyFor(neighbour)
    for (const passkey of [second, first, other]) expect(yield* add(passkey)).toBe(true)
    expect(yield* list(operator.id)).toEqual([first, second])
    expect(yield* byId(second.id)).toEqual(Option.some(second))
    expect(yield* byId("passkey-unknown")).toEqual(Option.none())
    expect(yield* actionsOn(operator)).toEqual(["operator.changed", "operator.passkey_added", "operator.passkey_added"])
  })

  it("one of two operators that add a passkey at once has it", function* ({ operator, other }) {
    const passkey = yield* passkeyFor(operator)
    const ends = yield* atOnce([operator, other], ({ id }) => add({ ...passkey, operatorId: id }))
    expect(ends.toSorted()).toEqual([false, true])
    expect((yield* actionsOn(operator)).length + (yield* actionsOn(other)).length).toBe(3)
  })

  it("a counter only grows at sign-ins, and 0 stays 0", function* ({ operator, passkeys: { byId, used } }) {
    const counting = yield* passkeyFor(operator, { counter: 5 })
    const still = yield* passkeyFor(operator)
    for (const passkey of [counting, still]) yield* add(passkey)
    expect(yield* used(counting.id, 5, 110_000)).toBe(false)
    expect(yield* used(counting.id, 0, 110_000)).toBe(false)
    expect(yield* byId(counting.id)).toEqual(Option.some(counting))
    const at = [120_000, 120_000, 120_000]
    const ends = yield* atOnce(at, (time) => used(counting.id, 6, time))
    expect(ends.toSorted()).toEqual([false, false, true])
    expect(yield* byId(counting.id)).toEqual(Option.some({ ...counting, counter: 6, usedAt: 120_000 }))
    for (const time of [130_000, 140_000]) expect(yield* used(still.id, 0, time)).toBe(true)
    expect(yield* byId(still.id)).toEqual(Option.some({ ...still, usedAt: 140_000 }))
    expect(yield* used("passkey-unknown", 1, 1)).toBe(false)
  })

  it("a passkey removed twice at once is removed once, and only by its operator", function* (given) {
    const { operator, other, passkeys } = given
    const passkey = yield* passkeyFor(operator)
    yield* add(passkey)
    expect(yield* remove(other.id, passkey.id)).toBe(false)
    expect(yield* passkeys.byId(passkey.id)).toEqual(Option.some(passkey))
    const ends = yield* atOnce([1, 2], () => remove(operator.id, passkey.id))
    expect(ends.toSorted()).toEqual([false, true])
    expect(yield* passkeys.byId(passkey.id)).toEqual(Option.none())
    expect((yield* actionsOn(operator)).slice(2)).toEqual(["operator.passkey_removed"])
    expect(yield* actionsOn(other)).toEqual(["operator.changed"])
  })

  it("a deactivated operator's passkeys are gone for good, and it gets no others", function* (given) {
    const { operator, other: neighbour, passkeys } = given
    const { list } = passkeys
    yield* add(yield* passkeyFor(operator))
    yield* add(yield* passkeyFor(neighbour))
    yield* writeOperator({ ...operator, displayName: "Joan", version: 2 })
    expect(yield* list(operator.id)).toHaveLength(1)
    yield* writeOperator({ ...operator, active: false, version: 3 }, true)
    expect(yield* add(yield* passkeyFor(operator))).toBe(false)
    yield* writeOperator({ ...operator, version: 4 })
    expect(yield* list(operator.id)).toEqual([])
    expect(yield* list(neighbour.id)).toHaveLength(1)
  })

  it("one of eight requests that take a challenge at once gets it", function* ({ operator, passkeys }) {
    const { addChallenge, takeChallenge } = passkeys
    for (const operatorId of [null, operator.id]) {
      const challenge = yield* challengeFor({ operatorId })
      yield* addChallenge(challenge, 100_000)
      const taken = yield* atOnce(Array(8).keys(), () => takeChallenge(challenge.hash))
      expect(taken.filter(Option.isSome)).toEqual([Option.some(challenge)])
    }
  })

  suiteIt(
    "a challenge that is over is deleted when another one is added",
    function* ({ passkeys: { addChallenge, takeChallenge } }) {
      const over = yield* challengeFor({ expiresAt: 150_000 })
      const later = yield* challengeFor({ expiresAt: 150_001 })
      yield* addChallenge(over, 100_000)
      yield* addChallenge(later, 100_000)
      yield* addChallenge(yield* challengeFor(), 150_000)
      expect(yield* takeChallenge(over.hash)).toEqual(Option.none())
      expect(yield* takeChallenge(later.hash)).toEqual(Option.some(later))
    }
  )
})
