/**
 * Runs of whole systems: load, kills, partitions, many processes, clocks that have to pass. They take minutes, and run
 * with `POINTSMAN_LONG=all`, most of them in `.ci/release`; `npm test` proves the same rules without them.
 */
export const isLong = process.env["POINTSMAN_LONG"] === "all"
if (!isLong) {
  process.stderr.write(
    "server: runs of whole systems are left out: they take minutes, and run with POINTSMAN_LONG=all: most of them in .ci/release\n"
  )
}

/** How much of it: what the variable says, or else as usual for a run of this length. */
export const amountOf = (variable: string, { long, short = 0 }: { readonly long: number; readonly short?: number }) =>
  Number(process.env[variable] ?? (isLong ? long : short))
