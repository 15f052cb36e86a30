package dev.sallyport.spi;

import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One change that a transform requests. Made through {@link Edits.Builder}; applied in order by the engine, which keeps
 * the position and casing of the header lines that it does not replace.
 */
public sealed interface Edit {

    /** Whether the edit carries a secret: it needs {@link Effect#INJECTS_CREDENTIAL} and is masked for disclosers. */
    default boolean sensitive() {
        return false;
    }

    /**
     * Replaces all lines of a name: the first gets the new values and the given casing in its place, the others are
     * removed.
     */
    record SetHeader(String name, List<String> values, boolean sensitive) implements Edit {}

    /** Replaces the value of one existing line and keeps its name as it is. {@code occurrence} counts from 0. */
    record SetHeaderValue(String name, int occurrence, String value, boolean sensitive) implements Edit {}

    /** Appends a line at the end. */
    record AddHeader(String name, String value, boolean sensitive) implements Edit {}

    /** Removes all lines of a name. */
    record RemoveHeader(String name) implements Edit {}

    /** Sets the method. Requests only. */
    record SetMethod(String method) implements Edit {}

    /** Sets the percent-encoded path. Requests only. */
    record SetPath(String path, boolean sensitive) implements Edit {}

    /** Sets the raw query without question mark; empty removes it. Requests only. */
    record SetQuery(String query, boolean sensitive) implements Edit {}

    /** Sets status and reason phrase. Responses only; of an interim one the reason phrase alone can change. */
    record SetStatus(int status, String reason) implements Edit {}

    /** Replaces the body. Needs a complete {@link Buffered} read. The array is owned by the engine from now on. */
    record ReplaceBody(byte[] body, boolean sensitive) implements Edit {}

    /** Rewrites the body as it streams, from its first byte. {@code identity}: with the content coding removed. */
    record RewriteBody(BodyRewriter rewriter, boolean identity, boolean sensitive) implements Edit {}

    /** Watches the body as it streams, from its first byte. {@code identity}: with the content coding removed. */
    record ObserveBody(BodyObserver observer, boolean identity) implements Edit {}

    /** Checks the body as it streams, from its first byte. {@code identity}: with the content coding removed. */
    record CheckBody(BodyCheck check, boolean identity) implements Edit {}

    /** Edits the trailer fields once they are there. */
    record EditTrailers(TrailerEditor editor, boolean sensitive) implements Edit {}

    /**
     * Rewrites WebSocket messages (RFC 6455): each text message whole, with a rewriter of its own, and, where {@code
     * others} is there, each binary message as it streams, each ping and pong, and the reason of each close.
     *
     * @param direction whose messages: those of the client, or those of the origin
     * @param others makes rewriters that keep the length of what they rewrite; null leaves all but text alone
     */
    record RewriteMessages(
            Direction direction,
            Supplier<BodyRewriter> rewriters,
            @Nullable Supplier<BodyRewriter> others,
            boolean sensitive)
            implements Edit {}
}
