declare namespace Cloudflare {
  interface Env {
    readonly ASSETS: Fetcher;
    readonly ARCHIVE: R2Bucket;
  }
  interface GlobalProps {
    mainModule: typeof import("../src/index");
  }
}
