package dev.sallyport.sources.vault;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * Which field of which item: {@code op://<vault>/<item>/[<section>/]<field>}, after the vendor's <a
 * href="https://developer.1password.com/docs/cli/secret-reference-syntax">secret reference syntax</a>. Each part is a
 * percent-decoded name or an id; the case of names does not matter.
 *
 * @param text the configured text, which messages and audit records show
 * @param section empty for none
 * @param query what follows a question mark, such as {@code attribute=otp}; empty for nothing
 */
record SecretReference(String text, String vault, String item, String section, String field, String query) {

    static final String EXPECTED = "op://<vault>/<item>/[<section>/]<field>";

    private static final String SCHEME = "op://";

    static SecretReference parse(String text) throws BadReferenceException {
        if (!text.startsWith(SCHEME)) {
            throw new BadReferenceException("not a reference to a secret");
        }
        int question = text.indexOf('?');
        String path = text.substring(SCHEME.length(), question < 0 ? text.length() : question);
        List<String> parts = new ArrayList<>();
        for (String part : path.split("/", -1)) {
            parts.add(decoded(part));
        }
        if (parts.size() < 3 || parts.size() > 4) {
            throw new BadReferenceException(
                    "a reference to a secret with " + parts.size() + " parts instead of 3 or 4");
        }
        return new SecretReference(
                text,
                parts.get(0),
                parts.get(1),
                parts.size() == 4 ? parts.get(2) : "",
                parts.getLast(),
                question < 0 ? "" : text.substring(question + 1));
    }

    /** The parts in order, with the section if there is one. */
    List<String> parts() {
        return section.isEmpty() ? List.of(vault, item, field) : List.of(vault, item, section, field);
    }

    private static String decoded(String part) throws BadReferenceException {
        byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
        ByteBuffer plain = ByteBuffer.allocate(bytes.length);
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] != '%') {
                plain.put(bytes[i]);
                continue;
            }
            if (i + 2 >= bytes.length || !HexFormat.isHexDigit(bytes[i + 1]) || !HexFormat.isHexDigit(bytes[i + 2])) {
                throw new BadReferenceException(
                        "a % without two hexadecimal digits; the character itself is written %25");
            }
            plain.put((byte) (HexFormat.fromHexDigit(bytes[i + 1]) << 4 | HexFormat.fromHexDigit(bytes[i + 2])));
            i += 2;
        }
        String name = text(plain.flip());
        if (name.isBlank() || name.chars().anyMatch(Character::isISOControl)) {
            throw new BadReferenceException("a part of the reference is empty or has control characters");
        }
        return name;
    }

    private static String text(ByteBuffer utf8) throws BadReferenceException {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(utf8).toString();
        } catch (CharacterCodingException e) {
            throw new BadReferenceException("percent-encoded bytes that are not UTF-8");
        }
    }
}
