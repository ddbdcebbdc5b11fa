/** A request that ends in an error reply; thrown from any depth, turned into JSON at the top. */
export class Failure extends Error {
  /** @param status the HTTP status of the reply, @param message what the caller reads in `msg` */
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
    this.name = "Failure";
  }
}

/** Something the Worker stands on (an asset, the archive) is missing or broken: worth another try later. */
export function fault(what: string, cause?: unknown): Failure {
  console.error(what, cause);
  return new Failure(503, "temporarily unavailable");
}
