package dev.sallyport.sources.aws;

import dev.sallyport.spi.Problems;
import dev.sallyport.toolkit.secret.CloudNames;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;

/** Validates the fields of both sources. */
final class Fields {

    private static final String A_URL = "a URL such as https://vpce-0a1b.secretsmanager.eu-west-1.vpce.amazonaws.com";

    private Fields() {}

    static void name(String pointer, String name, String expected, Problems problems) {
        if (!CloudNames.isName(name)) {
            problems.add(pointer, "not a valid AWS name", expected);
        }
    }

    static void region(String region, Problems problems) {
        if (!region.isEmpty() && !CloudNames.isRegion(region)) {
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
