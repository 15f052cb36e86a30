package dev.sallyport.control.feed;

/**
 * What a proxy is to have: a pipeline and the secrets that it refers to, of one moment.
 *
 * @param revision the order number of a change that it contains, with all earlier ones
 * @param hash tells the pipeline, the secrets and their versions
 */
public record Snapshot(long revision, Compiled pipeline, Credentials credentials, String hash) {

    /** A snapshot of what was read at one moment. */
    static Snapshot of(long revision, Compiled pipeline, Credentials credentials) {
        return new Snapshot(revision, pipeline, credentials, credentials.hash(pipeline.hash()));
    }

    /** The same, which is right up to another number. */
    Snapshot at(long number) {
        return new Snapshot(number, pipeline, credentials, hash);
    }

    /** For proxies that cannot be given secrets. */
    Snapshot withoutCredentials() {
        return of(revision, pipeline, Credentials.NONE);
    }

    /** Without the content. */
    @Override
    public String toString() {
        return "Snapshot[" + revision + ", " + hash + "]";
    }
}
