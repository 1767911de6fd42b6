/** The machine of a run, and how much of it was at work for somebody else. */
import { readFileSync } from "node:fs"
import { availableParallelism, cpus, loadavg, totalmem } from "node:os"

export interface Machine {
  readonly cores: number
  readonly processor: string
  readonly memoryGigabytes: number
  readonly node: string
  readonly postgres: string
  /** The load of one minute before the run began, and when it ended. */
  readonly loadBefore: number
  readonly loadAfter: number
  /** Of the processors' time during the run, what went to processes that are not of it; `null` where it is unknown. */
  readonly othersShare: number | null
}

/** The load of a machine that does nothing else is near 0 when a run begins. */
const quiet = 0.5

export const watchMachine = () => {
  const loadBefore = load()
  const before = ticks()
  return {
    loadBefore,
    warning:
      loadBefore > quiet
        ? `The load is ${loadBefore} before anything was started: others are at work. Read ratios, and no absolute figure.`
        : undefined,
    /** Once every process of the run has ended: only then the system has counted them. */
    end: (postgres: string): Machine => {
      const after = ticks()
      return {
        cores: availableParallelism(),
        processor: cpus()[0]?.model ?? "unknown",
        memoryGigabytes: Math.round(totalmem() / 2 ** 30),
        node: process.version,
        postgres,
        loadBefore,
        loadAfter: load(),
        othersShare:
          before === undefined || after === undefined
            ? null
            : Math.max(0, 1 - (after.ours - before.ours) / (after.busy - before.busy))
      }
    }
  }
}

const load = () => Math.round((loadavg()[0] ?? 0) * 100) / 100

/** https://man7.org/linux/man-pages/man5/proc_stat.5.html: what all did, and what this process and its dead children did. */
const ticks = (): { readonly busy: number; readonly ours: number } | undefined => {
  try {
    const all = (readFileSync("/proc/stat", "utf8").split("\n")[0] ?? "").split(/\s+/).slice(1).map(Number)
    const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = all
    const own = readFileSync("/proc/self/stat", "utf8").split(") ")[1]?.split(" ").slice(11, 15).map(Number) ?? []
    return { busy: user + nice + system + irq + softirq, ours: own.reduce((sum, one) => sum + one, 0) }
  } catch {
    return undefined
  }
}

export const toldHardware = ({ cores, memoryGigabytes, node, postgres, processor }: Machine): string =>
  `${cores} cores (${processor}), ${memoryGigabytes} GB, Node ${node}, PostgreSQL ${postgres}`

export const toldLoad = ({ loadAfter, loadBefore, othersShare }: Machine): string => {
  const others = othersShare === null ? "" : `; others did ${Math.round(othersShare * 100)} % of the work`
  return `load ${loadBefore} before and ${loadAfter} after${others}`
}

export const toldMachine = (machine: Machine): string => `${toldHardware(machine)}; ${toldLoad(machine)}`
