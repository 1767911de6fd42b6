import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { type Deadline, makeDeadlines } from "../src/Deadlines.ts"

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }))
afterEach(() => void vi.useRealTimers())

const pass = (millis: number): void => void vi.advanceTimersByTime(millis)

/** What passed, in order, with the milliseconds by which it was late. */
const started = () => {
  const deadlines = makeDeadlines()
  const passed: Array<{ readonly name: string; readonly late: number }> = []
  const due = (name: string, millis: number): Deadline => {
    const deadline: Deadline = {
      at: performance.now() + millis,
      pass: () => {
        passed.push({ name, late: performance.now() - deadline.at })
      }
    }
    deadlines.add(deadline)
    return deadline
  }
  return { due, deadlines, passed, names: () => passed.map(({ name }) => name) }
}

describe("makeDeadlines", () => {
  it("given deadlines in any order, then each passes once, after its time, and a deleted one never", () => {
    const { due, deadlines, names, passed } = started()
    due("third", 150)
    due("first", 30)
    const deleted = due("deleted", 60)
    due("second", 90)
    deadlines.delete(deleted)
    pass(400)
    expect(names()).toEqual(["first", "second", "third"])
    for (const { late } of passed) expect(late).toBeGreaterThanOrEqual(0)
  })

  it("given one that is added again with another time, then it passes at that time, also where that is earlier", () => {
    const { due, deadlines, names } = started()
    const earlier = due("earlier", 60_000)
    const later = due("later", 20)
    const now = performance.now()
    earlier.at = now + 40
    deadlines.add(earlier)
    later.at = now + 120
    deadlines.add(later)
    pass(80)
    expect(names()).toEqual(["earlier"])
    pass(300)
    expect(names()).toEqual(["earlier", "later"])
  })

  it("given one that deletes another when it passes, then the other does not pass", () => {
    const { due, deadlines, names } = started()
    const first = due("first", 20)
    const second = due("second", 20)
    first.pass = () => deadlines.delete(second)
    pass(100)
    expect(names()).toEqual([])
  })

  it("given all ended, when another is added much later, then it passes", () => {
    const { due, deadlines, names } = started()
    deadlines.delete(due("ended", 30))
    pass(80)
    due("next", 20)
    pass(200)
    expect(names()).toEqual(["next"])
  })
})
