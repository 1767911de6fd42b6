/** In the place of Vitest on other runtimes: keeps the cases, for `Program.ts` to run. */
export { assert } from "vitest"

export const collected: Array<readonly [name: string, run: () => unknown]> = []

export const describe = (_: string, declare: () => void): void => declare()

export const it = (name: string, run: () => unknown): void => void collected.push([name, run])
