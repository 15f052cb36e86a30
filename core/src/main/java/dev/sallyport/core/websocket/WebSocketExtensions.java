package dev.sallyport.core.websocket;

import dev.sallyport.core.http.HeaderBlock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code Sec-WebSocket-Extensions} in the two heads of a handshake whose messages will be read. */
public final class WebSocketExtensions {

    private static final String FIELD = "Sec-WebSocket-Extensions";

    private WebSocketExtensions() {}

    /** Reduces the client's offer to what is supported: messages under another extension could not be read. */
    public static void offerUnderstood(HeaderBlock request) {
        if (request.contains(FIELD)) {
            String understood = PerMessageDeflate.understood(lines(request));
            request.replace(FIELD, understood.isEmpty() ? List.of() : List.of(understood));
        }
    }

    static @Nullable PerMessageDeflate agreed(HeaderBlock response) throws MessageException {
        return PerMessageDeflate.agreed(lines(response));
    }

    private static List<String> lines(HeaderBlock headers) {
        List<String> lines = new ArrayList<>(1);
        for (int i = headers.indexOf(FIELD, 0); i >= 0; i = headers.indexOf(FIELD, i + 1)) {
            lines.add(headers.value(i));
        }
        return lines;
    }
}
