package dev.sallyport.toolkit.secret;

import java.util.regex.Pattern;

/** Names that AWS gives, as {@code cloud_sm} and {@code cloud_ssm} take them. */
public final class CloudNames {

    /** What the name of a region matches, such as {@code eu-west-1}. */
    public static final String REGION = "[a-z][a-z0-9-]{0,62}";

    /** The longest name of a region. */
    public static final int LONGEST_REGION = 63;

    /** The longest name or ARN of a secret or parameter that either service takes. */
    public static final int LONGEST = 2048;

    /** What the name or ARN of a secret or parameter matches: it has no blanks and no control characters. */
    public static final String NAME = "[^\\x00-\\x20\\x7F]+";

    private static final Pattern IS_NAME = Pattern.compile(NAME);
    private static final Pattern IS_REGION = Pattern.compile(REGION);

    private CloudNames() {}

    /** Whether this may be the name of a region. */
    public static boolean isRegion(String text) {
        return IS_REGION.matcher(text).matches();
    }

    /** Whether this may be the name or ARN of a secret or parameter. */
    public static boolean isName(String text) {
        return text.length() <= LONGEST && IS_NAME.matcher(text).matches();
    }
}
