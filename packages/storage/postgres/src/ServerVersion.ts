/** Which servers the storage runs on. It is tested on the first and the last of these major versions, and between them. */

/** Still maintained (https://www.postgresql.org/support/versioning/). */
const oldestMajor = 15

/** `number`: the server's `server_version_num`, such as 150018 for 15.18. A newer server than was tested is used. */
export const versionRefusal = (number: number): string | undefined => {
  const major = Math.floor(number / 10_000)
  return major >= oldestMajor
    ? undefined
    : `the server is PostgreSQL ${nameOf(number)}: expected PostgreSQL ${oldestMajor} or newer`
}

/** Before 10 there were three parts. */
const nameOf = (number: number): string => {
  const major = Math.floor(number / 10_000)
  const rest = number % 10_000
  return major >= 10 ? `${major}.${rest}` : `${major}.${Math.floor(rest / 100)}.${rest % 100}`
}
