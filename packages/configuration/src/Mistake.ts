/** A wrong field of the configuration file: its path, and what was expected there. Never its value. */
export interface Mistake {
  readonly path: ReadonlyArray<PropertyKey>
  readonly message: string
}

/** `workspaces[0].connections[1].priority`; the file itself for an empty path. */
export const formatPath = (path: ReadonlyArray<PropertyKey>): string => {
  const text = path
    .map((key) => {
      if (typeof key === "number") return `[${key}]`
      const name = String(key)
      return /^[A-Za-z_$][\w$-]*$/u.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`
    })
    .join("")
  return text === "" ? "(top level)" : text.replace(/^\./u, "")
}

export const formatMistake = (mistake: Mistake): string => `${formatPath(mistake.path)}: ${mistake.message}`
