package dev.sallyport.control.account;

import dev.sallyport.control.crypto.Envelope;
import dev.sallyport.control.crypto.Tokens;
import dev.sallyport.control.model.WithoutCaller;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;

/**
 * Marks of browsers in which an account has signed in: {@link SignInGuard} does not count strangers against them. A mark is
 * a sealed text, bound to the account and its password; nothing is stored. It opens nothing: who has it needs the password
 * all the same, and may be wrong ten times, like anybody. Whoever could make more of them knows the password; with another
 * password, all are worth nothing. A key that is taken out of the keyset takes its marks with it. Thread-safe; blocks.
 */
@Singleton
public final class KnownBrowsers {

    private static final String PLACE = "known_browser";
    private static final int BYTES = 16;
    private static final int LONGEST = 256;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Envelope envelope;
    private final Users users;

    public KnownBrowsers(Envelope envelope, Users users) {
        this.envelope = envelope;
        this.users = users;
    }

    /** A new mark for the browser in which this account has just signed in. */
    @WithoutCaller("whoever has signed in")
    public String mark(String email, SignedIn signedIn) {
        byte[] id = new byte[BYTES];
        RANDOM.nextBytes(id);
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(envelope.seal(id, "", PLACE, row(email, signedIn.passwordHash())));
    }

    /** What a mark is bound to. */
    private static String row(String email, String passwordHash) {
        return Tokens.hash(passwordHash) + " " + Users.key(email);
    }

    /** The identifier in a mark of this account; empty when it is none. */
    @WithoutCaller("it proves an earlier sign-in")
    public String identifier(String mark, String email) {
        if (mark.isEmpty() || mark.length() > LONGEST || !mark.matches("[A-Za-z0-9_-]+")) {
            return "";
        }
        byte[] sealed;
        try {
            sealed = Base64.getUrlDecoder().decode(mark.getBytes(StandardCharsets.US_ASCII));
        } catch (IllegalArgumentException e) {
            return ""; // a length that no encoding has
        }
        String hash = users.passwordHash(email).orElse("");
        byte[] id = envelope.openIfSealed(sealed, "", PLACE, row(email, hash));
        return id == null ? "" : HexFormat.of().formatHex(id);
    }
}
