/**
 * The processor time of database servers, and the processors that processes may use (Linux). Rates depend on what else the
 * machine does; what a process used of a processor does not.
 */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"

/** Processes of one server: the first started all others. */
type Processes = () => ReadonlyArray<number>

/** The kernel counts in hundredths of a second for every program (https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html). */
const microsPerTick = 10_000

/** User and system time, of the process and of its children that have ended, in ticks. */
const ticksOf = (pid: number): { readonly own: number; readonly ended: number } => {
  try {
    const fields = (readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1) ?? "").split(" ").map(Number)
    const [own = 0, system = 0, ended = 0, endedSystem = 0] = fields.slice(11, 15)
    return { own: own + system, ended: ended + endedSystem }
  } catch {
    // It ended in between, and is counted with its parent.
    return { own: 0, ended: 0 }
  }
}

/** What all processes of the server have used so far, in microseconds. */
export const processorMicros = (processes: Processes): number => {
  const [server = 0, ...children] = processes()
  const { ended, own } = ticksOf(server)
  return (own + ended + children.reduce((sum, pid) => sum + ticksOf(pid).own, 0)) * microsPerTick
}

/** Of Linux: the processes that this one started, and that run. */
export const childrenOf = (pid: number): ReadonlyArray<number> =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").map(Number).filter(Boolean)

/** Lets the processes, and those that they start from now on, use these processors: `0`, or `0-3`. */
export const useProcessors = (pids: ReadonlyArray<number>, processors: string): void => {
  for (const pid of pids) execFileSync("taskset", ["--all-tasks", "--cpu-list", "--pid", processors, String(pid)])
}
