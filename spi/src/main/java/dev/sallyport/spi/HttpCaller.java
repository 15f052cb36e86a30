package dev.sallyport.spi;

import java.util.concurrent.CompletionStage;

/** Makes requests for plug-ins. Thread-safe; never blocks. Certificates are verified as for upstreams. */
@FunctionalInterface
public interface HttpCaller {

    /**
     * Sends a call and waits for the whole reply. Redirects are not followed. The stage fails with an
     * {@link java.io.IOException} when there is no reply, whose message says in the engine's own words why, and is fit
     * for audit records; with {@link java.util.concurrent.TimeoutException} after the
     * call's limit. It completes on a thread that must not be blocked.
     */
    CompletionStage<HttpReply> call(HttpCall call);
}
