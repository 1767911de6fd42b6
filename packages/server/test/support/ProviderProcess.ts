/**
 * A provider behind the connector `http`, in a process of its own: it costs the process that makes the load nothing, and
 * outlives every server and database. It executes each id once, at once, and keeps the books that payments are compared
 * with.
 */
import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"

export interface ProviderCharge {
  readonly attemptId: string
  readonly paymentId: string
  readonly reference: string
  readonly status: "authorized" | "captured" | "canceled"
  /** Minor units. */
  readonly amount: number
  readonly capturedAmount: number
  /** The ids of the captures that were executed. */
  readonly captures: ReadonlyArray<string>
  readonly refunds: ReadonlyArray<{ readonly id: string; readonly amount: number; readonly reason: string }>
}

export interface ProviderBooks {
  readonly charges: ReadonlyArray<ProviderCharge>
  /** How often each operation was asked for. */
  readonly asked: Readonly<Record<string, number>>
}

export interface ProviderProcess {
  /** For a connection's credentials. */
  readonly url: string
  readonly apiKey: string
  readonly books: () => Promise<ProviderBooks>
}

const providerKey = "provider-api-key"

/** Runs until the test is over. */
export const startProviderProcess = async (): Promise<ProviderProcess> => {
  const child = fork(fileURLToPath(new URL("./ProviderMain.ts", import.meta.url)), [providerKey], { execArgv: [] })
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  onTestFinished(async () => {
    child.kill("SIGKILL")
    await ended
  })
  const port = await Promise.race([
    new Promise<unknown>((resolve) => child.once("message", resolve)),
    ended.then(() => Promise.reject(new Error("the provider did not start")))
  ])
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    apiKey: providerKey,
    books: async () => {
      const answer = await fetch(`${url}/books`, { headers: { authorization: `Bearer ${providerKey}` } })
      return (await answer.json()) as ProviderBooks
    }
  }
}
