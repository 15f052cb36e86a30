package dev.sallyport.transforms.sigv4auth;

import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Headers;
import dev.sallyport.spi.RequestHead;
import dev.sallyport.toolkit.headers.FieldSyntax;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads how a request is signed: strictly, but with the spaces and the order that clients are known for. Pure
 * functions.
 */
final class InboundReader {

    private static final int CREDENTIAL_PARTS = 5;
    private static final int DATE_DIGITS = 8;

    private InboundReader() {}

    static Reading read(RequestHead head) {
        Headers headers = head.headers();
        String authorization = headers.first(Names.AUTHORIZATION);
        boolean inQuery = head.query().contains(Names.QUERY_ALGORITHM);
        if (authorization != null && isSigned(authorization)) {
            if (inQuery) {
                return new Reading.Refused(Refusals.AMBIGUOUS);
            }
            return headers.all(Names.AUTHORIZATION).size() > 1
                    ? malformed("Authorization occurs more than once")
                    : authorization(authorization);
        }
        if (!inQuery) {
            return new Reading.Refused(Refusals.MISSING);
        }
        return authorization == null ? presigned(head.query()) : new Reading.Refused(Refusals.AMBIGUOUS);
    }

    private static boolean isSigned(String authorization) {
        return authorization.startsWith("AWS4-");
    }

    private static Reading authorization(String value) {
        int space = value.indexOf(' ');
        String algorithm = space < 0 ? value : value.substring(0, space);
        Decision refusal = algorithm(algorithm);
        if (refusal != null) {
            return new Reading.Refused(refusal);
        }
        String credential = null;
        String signedHeaders = null;
        String signature = null;
        for (String parameter : value.substring(algorithm.length()).split(",", -1)) {
            String stripped = parameter.strip();
            int equals = stripped.indexOf('=');
            String name = equals < 0 ? stripped : stripped.substring(0, equals);
            String given = stripped.substring(equals + 1).strip();
            if (name.equals("Credential") && credential == null) {
                credential = given;
            } else if (name.equals("SignedHeaders") && signedHeaders == null) {
                signedHeaders = given;
            } else if (name.equals("Signature") && signature == null) {
                signature = given;
            } else {
                return malformed("Authorization has a duplicate or unknown parameter");
            }
        }
        return inbound(credential, signedHeaders, signature, false);
    }

    private static @Nullable Decision algorithm(String algorithm) {
        if (algorithm.equals(Names.ALGORITHM)) {
            return null;
        }
        return algorithm.equals(Names.ALGORITHM_V4A)
                ? Refusals.SIGV4A
                : Refusals.malformed("the algorithm is not AWS4-HMAC-SHA256");
    }

    private static Reading presigned(String raw) {
        RawQuery query = RawQuery.of(raw);
        String algorithm = query.first(Names.QUERY_ALGORITHM);
        if (algorithm == null) {
            return new Reading.Refused(Refusals.MISSING);
        }
        Decision refusal = algorithm(algorithm);
        if (refusal != null) {
            return new Reading.Refused(refusal);
        }
        for (String name : List.of(
                Names.QUERY_ALGORITHM,
                Names.QUERY_CREDENTIAL,
                Names.QUERY_SIGNED_HEADERS,
                Names.QUERY_SIGNATURE,
                Names.DATE)) {
            if (query.count(name) != 1) {
                return malformed(name + " must occur once in the query");
            }
        }
        if (query.count(Names.SECURITY_TOKEN) > 1 || query.count(Names.CONTENT_SHA256) > 1) {
            return malformed("a parameter occurs more than once in the query");
        }
        Reading reading = inbound(
                query.first(Names.QUERY_CREDENTIAL),
                query.first(Names.QUERY_SIGNED_HEADERS),
                query.first(Names.QUERY_SIGNATURE),
                true);
        String date = String.valueOf(query.first(Names.DATE));
        if (reading instanceof Inbound inbound
                && !(Timestamps.isTimestamp(date)
                        && Timestamps.date(date).equals(inbound.scope().date()))) {
            return malformed("X-Amz-Date is not a timestamp, or not of the day in the credential scope");
        }
        return reading;
    }

    private static Reading inbound(
            @Nullable String credential, @Nullable String headers, @Nullable String signature, boolean presigned) {
        if (credential == null || headers == null || signature == null) {
            return malformed("Credential, SignedHeaders or Signature is missing");
        }
        if (!Digests.isHash(signature.toLowerCase(Locale.ROOT))) {
            return malformed("the signature does not have 64 hexadecimal digits");
        }
        String[] parts = credential.split("/", -1);
        if (parts.length != CREDENTIAL_PARTS || !isScope(parts)) {
            return malformed("the credential is not of the form KEY/DATE/REGION/SERVICE/aws4_request");
        }
        List<String> names = new ArrayList<>();
        for (String name : headers.split(";", -1)) {
            if (!FieldSyntax.isToken(name)) {
                return malformed("SignedHeaders is not a list of header names");
            }
            names.add(name.toLowerCase(Locale.ROOT));
        }
        return new Inbound(parts[0], new Scope(parts[1], parts[2], parts[3]), names, signature, presigned);
    }

    private static boolean isScope(String[] parts) {
        return !parts[0].isEmpty()
                && parts[1].length() == DATE_DIGITS
                && parts[1].chars().allMatch(c -> c >= '0' && c <= '9')
                && FieldSyntax.isToken(parts[2])
                && FieldSyntax.isToken(parts[3])
                && parts[4].equals(Names.TERMINATOR);
    }

    private static Reading malformed(String why) {
        return new Reading.Refused(Refusals.malformed(why));
    }
}
