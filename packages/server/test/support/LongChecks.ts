/**
 * What starts so many processes, or fills so many disks, that `npm test` would take too long with it:
 * `POINTSMAN_SERVER_FAULTS=all`, as in `.ci/run`.
 */
export const isLongCheck = process.env["POINTSMAN_SERVER_FAULTS"] === "all"
if (!isLongCheck) {
  process.stderr.write(
    "server: killed workers, shared limits and failing disks are left out: they take too long, and run with POINTSMAN_SERVER_FAULTS=all, as in .ci/run\n"
  )
}
