/**
 * A side of a comparison, in a process of its own: neither the compiled code nor the garbage of one side weighs on the
 * other. It is idle while others are measured.
 *
 * A side ends with the process that started it, however that ends: the channel between them closes.
 */
import { type ChildProcess, fork } from "node:child_process"
import type { AddressInfo, Server } from "node:net"
import { fileURLToPath } from "node:url"

/** The conditions and the hook under which every program of the benches runs. */
export const nodeFlags = [
  "--conditions=@pointsman/source",
  `--import=${new URL("./EndWithParent.ts", import.meta.url).href}`
]

const running = new Set<ChildProcess>()

/** Starts a program of Node that ends with this process. */
export const forked = (
  program: string,
  {
    args = [],
    environment = process.env,
    folder,
    output = "ignore",
    flags = nodeFlags
  }: {
    readonly args?: ReadonlyArray<string>
    readonly environment?: NodeJS.ProcessEnv
    readonly folder?: string
    readonly output?: "ignore" | "pipe"
    readonly flags?: ReadonlyArray<string>
  } = {}
): ChildProcess => {
  const child = fork(program, args, {
    env: environment,
    execArgv: [...flags],
    stdio: ["ignore", output, "inherit", "ipc"],
    ...(folder === undefined ? {} : { cwd: folder })
  })
  endWithRun(child)
  return child
}

export const endWithRun = (child: ChildProcess): void => {
  running.add(child)
  child.once("exit", () => running.delete(child))
}

/** Ends what is still running; for a run that fails or is interrupted. */
export const endAll = (): void => {
  for (const child of running) child.kill("SIGTERM")
}

/** The same, and waits for them: at the end of each measurement. */
export const stopAll = async (): Promise<void> => {
  const children = [...running]
  endAll()
  await Promise.all(children.map(ended))
}

export const ended = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve()
    else child.once("exit", () => resolve())
  })

export interface Side<Order, Answer> {
  readonly pid: number
  readonly ask: (order: Order) => Promise<Answer>
  readonly stop: () => Promise<void>
}

type Told = { readonly answer: unknown } | { readonly failure: string }

/** Starts a side: `answerOrders` in a file of `checks/bench/sides`. */
export const startSide = async <Settings, Order, Answer>(
  name: string,
  settings: Settings
): Promise<Side<Order, Answer>> => {
  const child = forked(fileURLToPath(new URL(`../sides/${name}.ts`, import.meta.url)))
  const ask = (order: unknown) =>
    new Promise<Answer>((resolve, reject) => {
      const gone = () => reject(new Error(`${name} ended`))
      child.once("exit", gone)
      child.once("message", (told: Told) => {
        child.off("exit", gone)
        if ("answer" in told) resolve(told.answer as Answer)
        else reject(new Error(`${name}: ${told.failure}`))
      })
      child.send({ order })
    })
  await ask(settings)
  return {
    pid: child.pid as number,
    ask,
    stop: async () => {
      child.disconnect()
      await ended(child)
    }
  }
}

/** The other end of `startSide`: the first message is the settings, every other one an order. */
export const answerOrders = <Settings, Order>(
  open: (settings: Settings) => Promise<(order: Order) => Promise<unknown>>
): void => {
  let answer: ((order: Order) => Promise<unknown>) | undefined
  process.on("message", async ({ order }: { readonly order: unknown }) => {
    const tell = (told: Told) => process.send?.(told)
    try {
      if (answer === undefined) {
        answer = await open(order as Settings)
        tell({ answer: null })
      } else tell({ answer: await answer(order as Order) })
    } catch (cause) {
      tell({ failure: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause) })
    }
  })
}

/** A server that listens somewhere on this machine; gives its URL. */
export const listen = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
