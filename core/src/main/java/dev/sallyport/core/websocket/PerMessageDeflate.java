package dev.sallyport.core.websocket;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The compression that a handshake has agreed (RFC 7692).
 *
 * @param clientTakeover whether the client's messages may refer to earlier ones
 * @param serverTakeover whether the server's messages may
 * @param clientBits the size of the client's window, as a power of two
 * @param serverBits the size of the server's window, as a power of two
 */
record PerMessageDeflate(boolean clientTakeover, boolean serverTakeover, int clientBits, int serverBits) {

    static final String NAME = "permessage-deflate";
    static final int WHOLE_WINDOW = 15;

    /** The part of a client's offer that is supported; empty for none. */
    static String understood(List<String> offers) {
        List<String> kept = new ArrayList<>(1);
        for (String offer : elements(offers)) {
            if (name(offer).equals(NAME)) {
                kept.add(offer);
            }
        }
        return String.join(", ", kept);
    }

    /**
     * The agreed compression, or null when no extension was agreed.
     *
     * @throws MessageException when another extension was agreed, or when a parameter is unknown, comes twice or has an
     *     invalid value (RFC 7692, 7.1)
     */
    static @Nullable PerMessageDeflate agreed(List<String> answers) throws MessageException {
        List<String> agreed = elements(answers);
        if (agreed.isEmpty()) {
            return null;
        }
        if (agreed.size() > 1 || !name(agreed.getFirst()).equals(NAME)) {
            throw MessageException.protocol("the server agreed to an extension that was not offered");
        }
        boolean clientTakeover = true;
        boolean serverTakeover = true;
        int clientBits = WHOLE_WINDOW;
        int serverBits = WHOLE_WINDOW;
        Set<String> seen = new HashSet<>();
        String[] parts = agreed.getFirst().split(";", -1);
        for (int i = 1; i < parts.length; i++) {
            String[] parameter = parts[i].split("=", 2);
            String name = parameter[0].strip().toLowerCase(Locale.ROOT);
            String value = parameter.length == 1 ? null : parameter[1];
            switch (name) {
                case "client_no_context_takeover" -> clientTakeover = withoutTakeover(value);
                case "server_no_context_takeover" -> serverTakeover = withoutTakeover(value);
                case "client_max_window_bits" -> clientBits = bits(value);
                case "server_max_window_bits" -> serverBits = bits(value);
                default -> throw MessageException.protocol(NAME + " was agreed with an unknown parameter");
            }
            if (!seen.add(name)) {
                throw MessageException.protocol("a parameter of " + NAME + " comes twice");
            }
        }
        return new PerMessageDeflate(clientTakeover, serverTakeover, clientBits, serverBits);
    }

    /** Returns false: later messages may not refer to earlier ones. */
    private static boolean withoutTakeover(@Nullable String value) throws MessageException {
        if (value != null) {
            throw MessageException.protocol("a parameter of " + NAME + " has a value (expected: none)");
        }
        return false;
    }

    private static int bits(@Nullable String value) throws MessageException {
        String digits = value == null ? "" : value.replace('"', ' ').strip();
        if (!digits.matches("[89]|1[0-5]")) {
            throw MessageException.protocol("the window size of " + NAME + " is invalid (expected: 8 to 15)");
        }
        return Integer.parseInt(digits);
    }

    /** The list's elements. No parameter in use is quoted with a comma in it. */
    private static List<String> elements(List<String> lines) {
        List<String> elements = new ArrayList<>(2);
        for (String line : lines) {
            for (String element : line.split(",", -1)) {
                if (!element.isBlank()) {
                    elements.add(element.strip());
                }
            }
        }
        return elements;
    }

    private static String name(String element) {
        int end = element.indexOf(';');
        return (end < 0 ? element : element.substring(0, end)).strip().toLowerCase(Locale.ROOT);
    }
}
