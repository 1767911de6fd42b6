import type { ConfigurationFile } from "./ConfigurationFile.ts"

/**
 * The id of the first connection that takes production payments; `undefined` for none. Such a configuration needs a storage
 * that survives the process: after a restart, a request that is sent again with its key would charge twice.
 */
export const productionConnection = ({ workspaces }: ConfigurationFile): string | undefined =>
  workspaces.flatMap(({ connections }) => connections ?? []).find(({ environment }) => environment === "production")?.id
