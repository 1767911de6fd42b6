/**
 * Whether a list of a configuration names a value, in whatever case. Lists can be long (every country of a continent)
 * and are asked for each payment, by each rule and each connection: so a list is prepared, and the caller keeps the
 * test for as long as the configuration is the same.
 */
export const among = (list: ReadonlyArray<string>): ((value: string) => boolean) => {
  const items = new Set([...list, ...list.map((item) => item.toLowerCase())])
  return (value) => {
    // As it is written, which is what most are found by, and else in lower case.
    if (items.has(value)) return true
    const lower = value.toLowerCase()
    return lower !== value && items.has(lower)
  }
}
