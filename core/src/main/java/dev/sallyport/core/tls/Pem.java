package dev.sallyport.core.tls;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * The textual encoding of keys and certificates (RFC 7468), read leniently: with any line ending and any text between
 * the blocks. Callers ignore blocks of other kinds.
 */
final class Pem {

    static final String CERTIFICATE = "CERTIFICATE";
    static final String PKCS8 = "PRIVATE KEY";

    private static final String BEGIN = "-----BEGIN ";
    private static final String END = "-----END ";
    private static final String DASHES = "-----";

    /** A limit above the size of any bundle of roots. */
    private static final int MAX_FILE_BYTES = 8 << 20;

    private Pem() {}

    /**
     * One block.
     *
     * @param label the text after {@code BEGIN}
     * @param legacyEncrypted whether it has the header {@code Proc-Type: 4,ENCRYPTED} (RFC 1421)
     */
    record Block(String label, boolean legacyEncrypted, byte[] der) {}

    /** Reads a file. Blocks. */
    static String read(Path file) throws TlsMaterialException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(MAX_FILE_BYTES + 1);
            if (bytes.length > MAX_FILE_BYTES) {
                throw new TlsMaterialException(file.toString(), "too large", "at most 8 MiB of PEM");
            }
            return new String(bytes, StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException e) {
            throw new TlsMaterialException(file.toString(), "no such file", "a PEM file");
        } catch (AccessDeniedException e) {
            throw new TlsMaterialException(file.toString(), "cannot be read: permission denied");
        } catch (IOException e) {
            String reason = Files.isDirectory(file) ? "it is a directory" : "input/output error";
            throw new TlsMaterialException(file.toString(), "cannot be read: " + reason, "a PEM file");
        }
    }

    /** The blocks of a text, in order. Errors name {@code file}. */
    static List<Block> blocks(String text, String file) throws TlsMaterialException {
        List<Block> blocks = new ArrayList<>(2);
        int from = 0;
        for (int begin; (begin = text.indexOf(BEGIN, from)) >= 0; ) {
            int labelEnd = text.indexOf(DASHES, begin + BEGIN.length());
            if (labelEnd < 0) {
                throw new TlsMaterialException(file, "a PEM block has a broken first line");
            }
            String label = text.substring(begin + BEGIN.length(), labelEnd);
            int end = text.indexOf(END + label + DASHES, labelEnd);
            if (end < 0) {
                throw new TlsMaterialException(file, "a PEM block does not end", "END " + printable(label));
            }
            blocks.add(block(label, text.substring(labelEnd + DASHES.length(), end), file));
            from = end + END.length() + label.length() + DASHES.length();
        }
        return blocks;
    }

    /** Encodes one block, with LF and lines of 64 characters. */
    static String encode(String label, byte[] der) {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return BEGIN + label + DASHES + "\n" + body + "\n" + END + label + DASHES + "\n";
    }

    /** Lists the labels of the blocks, for messages about a missing one. */
    static String found(List<Block> blocks) {
        if (blocks.isEmpty()) {
            return "none";
        }
        StringBuilder labels = new StringBuilder();
        for (Block block : blocks) {
            labels.append(labels.isEmpty() ? "" : ", ").append(printable(block.label));
        }
        return labels.toString();
    }

    private static Block block(String label, String body, String file) throws TlsMaterialException {
        StringBuilder base64 = new StringBuilder(body.length());
        boolean encrypted = false;
        for (String line : body.lines().toList()) {
            if (line.indexOf(':') >= 0) {
                encrypted |= line.contains("ENCRYPTED");
            } else if (!encrypted) {
                base64.append(line.strip());
            }
        }
        try {
            return new Block(label, encrypted, Base64.getDecoder().decode(base64.toString()));
        } catch (IllegalArgumentException e) {
            throw new TlsMaterialException(file, "the " + printable(label) + " block is not valid base64");
        }
    }

    /** A label is shown only if it is well-formed: the content of other files must not appear in messages. */
    private static String printable(String label) {
        return label.length() <= 32
                        && label.chars().allMatch(c -> c == ' ' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z'))
                ? label
                : "unknown";
    }
}
