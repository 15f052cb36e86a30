package dev.sallyport.transforms.headerallowlist;

import dev.sallyport.toolkit.headers.HeaderPattern;
import dev.sallyport.toolkit.headers.HeaderPatterns;
import dev.sallyport.toolkit.headers.ReservedFields;
import java.util.stream.Stream;

/**
 * The fields without which a message cannot be sent: those of the engine, those that negotiate an upgrade (RFC 6455,
 * 11.3), and the only defined expectation (RFC 9110, 10.1.1). No list has to name them.
 */
final class MessageHeaders {

    /** {@code Sec-WebSocket-Accept} belongs to responses. */
    private static final HeaderPatterns HANDSHAKE = HeaderPatterns.of(Stream.of(
                    "Sec-WebSocket-Key", "Sec-WebSocket-Version", "Sec-WebSocket-Protocol", "Sec-WebSocket-Extensions")
            .map(HeaderPattern::parse)
            .toList());

    private MessageHeaders() {}

    /** Whether a line stays whatever the list says. An {@code Expect} with any other value is an ordinary header. */
    static boolean contains(String name, String value) {
        return ReservedFields.isReserved(name)
                || HANDSHAKE.matches(name)
                || (name.equalsIgnoreCase("Expect") && value.equalsIgnoreCase("100-continue"));
    }
}
