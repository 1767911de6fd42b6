/** Binds a sealed signing secret to its webhook endpoint: moved to another record, it does not open. */
export const endpointSecretContext = (endpointId: string): string => `webhook-endpoint:${endpointId}:secret`
