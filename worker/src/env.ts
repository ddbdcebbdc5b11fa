/** The bindings that wrangler.toml gives the Worker. */
export interface Env {
  /** The files of dist/, this deployment's snapshot. */
  readonly ASSETS: Fetcher;
  /** Every chart ever released, key `charts/<name>-<version>.tgz`; written once, never overwritten. */
  readonly ARCHIVE: R2Bucket;
}
