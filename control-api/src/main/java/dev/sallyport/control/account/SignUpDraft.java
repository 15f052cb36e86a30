package dev.sallyport.control.account;

import dev.sallyport.control.model.Checked;
import dev.sallyport.control.model.FieldProblems;
import dev.sallyport.control.model.Limits;
import dev.sallyport.control.model.ServerOwned;
import dev.sallyport.control.model.Texts;

/** What somebody signs up with. */
@ServerOwned({"id", "email_verified", "created_at"})
public record SignUpDraft(
        @Limits(min = 1, max = 64, pattern = Texts.PRINTABLE, expected = Texts.PRINTABLE_WORDS)
        String firstName,

        @Limits(min = 1, max = 64, pattern = Texts.PRINTABLE, expected = Texts.PRINTABLE_WORDS)
        String lastName,

        @Limits(min = 1, max = SignUpDraft.LONGEST_EMAIL, pattern = SignUpDraft.EMAIL, expected = "an e-mail address")
        String email,

        @Limits(
                min = SignUpDraft.SHORTEST_PASSWORD,
                max = SignUpDraft.LONGEST_PASSWORD,
                description = "Only a hash of it is stored.")
        String password)
        implements Checked {

    /** The greatest length of an e-mail address, in characters (RFC 5321, 4.5.3.1.3, without the brackets). */
    public static final int LONGEST_EMAIL = 254;

    /** The least length of a password, in characters. */
    public static final int SHORTEST_PASSWORD = 8;

    /** The greatest one. */
    public static final int LONGEST_PASSWORD = 256;

    private static final String ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
    private static final String LABEL = "[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
    private static final int LONGEST_LOCAL_PART = 64;

    /** A {@code Dot-string} and a {@code Domain} (RFC 5321, 4.1.2): no spaces, control characters or quotes. */
    public static final String EMAIL = ATOM + "(\\." + ATOM + ")*@" + LABEL + "(\\." + LABEL + ")*";

    /** Reports a local part of more than 64 octets (RFC 5321, 4.5.3.1.1). */
    @Override
    public void check(FieldProblems problems) {
        if (email.indexOf('@') > LONGEST_LOCAL_PART) {
            problems.addUnlessTouched("email", "more than 64 characters before the @ (expected: an e-mail address)");
        }
    }

    /** Without the password. */
    @Override
    public String toString() {
        return "SignUpDraft[" + email + "]";
    }
}
