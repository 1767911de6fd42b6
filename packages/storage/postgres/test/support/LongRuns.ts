/** Tests that start several servers, or run the storage suite again, run with `POINTSMAN_LONG=all`, as in `.ci/release`. */
export const isLong = process.env["POINTSMAN_LONG"] === "all"
if (!isLong) {
  process.stderr.write(
    "storage-postgres: tests of unusable standbys, of PgBouncer with the whole suite and of other versions are left out: " +
      "they take most of a minute, and run with POINTSMAN_LONG=all, as in .ci/release\n"
  )
}
