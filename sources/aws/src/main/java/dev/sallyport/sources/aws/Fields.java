package dev.sallyport.sources.aws;

import dev.sallyport.spi.Problems;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.regex.Pattern;

/** Validates the fields of both sources. */
final class Fields {

    /** The longest name or ARN that either service takes. */
    private static final int MAX_NAME = 2048;

    private static final Pattern REGION = Pattern.compile("[a-z][a-z0-9-]{0,62}");
    private static final String A_URL = "a URL such as https://vpce-0a1b.secretsmanager.eu-west-1.vpce.amazonaws.com";

    private Fields() {}

    static void name(String pointer, String name, String expected, Problems problems) {
        boolean strange = name.isEmpty() || name.chars().anyMatch(c -> c <= ' ' || c == 0x7f);
        if (strange || name.length() > MAX_NAME) {
            problems.add(pointer, "not a valid AWS name", expected);
        }
    }

    static void region(String region, Problems problems) {
        if (!region.isEmpty() && !REGION.matcher(region).matches()) {
            problems.add("/region", "not the name of a region", "a name such as eu-west-1");
        }
    }

    static void endpoint(String endpoint, Problems problems) {
        if (!endpoint.isEmpty() && !isBase(endpoint)) {
            problems.add("/endpoint", "not an http or https URL with only host, port and path", A_URL);
        }
    }

    private static boolean isBase(String endpoint) {
        try {
            URI uri = new URI(endpoint);
            String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
            return (scheme.equals("http") || scheme.equals("https"))
                    && uri.getHost() != null
                    && uri.getRawUserInfo() == null
                    && uri.getRawQuery() == null
                    && uri.getRawFragment() == null;
        } catch (URISyntaxException e) {
            return false;
        }
    }
}
