package dev.sallyport.core.http;

import dev.sallyport.toolkit.headers.FieldSyntax;
import org.jspecify.annotations.Nullable;

/**
 * Finds what would make a message read differently on the wire from what was meant. Quotes nothing of the message: an
 * origin could otherwise have a credential that it was sent reported to the client, even as a name.
 */
public final class MessageFaults {

    private MessageFaults() {}

    /** The fault in the head of a request, or null. */
    public static @Nullable String find(RequestMessage head) {
        if (!FieldSyntax.isToken(head.method())) {
            return "the method is not a token";
        }
        if (!FieldSyntax.isTargetText(head.path(), "")
                || head.path().isEmpty()
                || !FieldSyntax.isTargetText(head.query(), "")) {
            return "the target holds white space or a control character";
        }
        return find(head.headers());
    }

    /** The fault in the head of a response, or null. */
    public static @Nullable String find(ResponseMessage head) {
        if (!FieldSyntax.isTransmissible(head.reason())) {
            return "the reason phrase holds a line break, NUL or a wide character";
        }
        return find(head.headers());
    }

    /** The fault in field lines, or null. */
    public static @Nullable String find(HeaderBlock fields) {
        for (int i = 0; i < fields.size(); i++) {
            if (!FieldSyntax.isToken(fields.name(i))) {
                return "a field name is not a token";
            }
            if (!FieldSyntax.isTransmissible(fields.value(i))) {
                return "a field value holds a line break, NUL or a wide character";
            }
        }
        return null;
    }
}
