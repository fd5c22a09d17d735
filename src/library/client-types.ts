// What the client that programs import is given, and what its lists share. Its functions are in client-methods.ts.
export interface ClientOptions {
  /** The address of the service. The credential is sent to its origin and nowhere else. */
  baseUrl: string
  /**
   * An API key or a JWT, or a function that returns one. The function is called before every request; `wasRejected` is true
   * after the service has answered 401, and the same request is then sent once more.
   */
  credential: string | ((wasRejected: boolean) => string | Promise<string>)
  /** How long one request may take. 30 seconds if it is left out. */
  timeoutMs?: number | undefined
  /** Whether reads that fail for a moment are tried again, which is the default. Writes never are. */
  retries?: boolean | undefined
  /** Ends reads that are under way, and lets no further request start. */
  signal?: AbortSignal | undefined
  /** Called if a reply does not have what the interface says. The reply is returned all the same. */
  onWarning?: ((message: string) => void) | undefined
}

/** Which page of a list, and how long it is. */
export interface PageQuery {
  /** The nextPageToken of the previous page. */
  pageToken?: string | undefined
  pageSize?: number | undefined
}

export interface NextPage {
  /** Absent, null or empty on the last page. */
  nextPageToken?: string | null | undefined
}
