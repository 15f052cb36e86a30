package dev.sallyport.spi;

import java.util.OptionalLong;

/**
 * The head of a request as the transforms before this one left it. Implemented by the engine and the test kit.
 *
 * <p>With {@link Visibility#HOST_ONLY} method, path and query are empty and there are no headers.
 */
public interface RequestHead {

    /** The method, as sent (methods are case-sensitive: RFC 9110, 9.1). */
    String method();

    /**
     * The path as it will be forwarded: percent-encoding untouched, without the query. It need not be a clean URI, and may
     * have dot segments, backslashes or malformed escapes, which origins read in their own ways; rules are asked about such a
     * path only when they judge every reading alike. A transform that looks at paths itself should use rules.
     */
    String path();

    /**
     * The path with percent-encoding removed (UTF-8); rules match against it. A malformed escape stays as it is, and octets
     * that are not UTF-8 become U+FFFD.
     */
    String decodedPath();

    /** The raw query without its question mark; empty when there is none. */
    String query();

    /** Path and query as they will be forwarded: {@code /a?} keeps its question mark, although its query is empty. */
    String target();

    /** The header fields. */
    Headers headers();

    /**
     * The declared length of the body in bytes: 0 for a message that ends with its head, empty for one whose length is
     * not declared (chunked, or HTTP/2 without {@code content-length}).
     */
    OptionalLong contentLength();
}
