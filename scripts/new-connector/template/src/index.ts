export { definition } from "./NewProviderConnector.ts"
