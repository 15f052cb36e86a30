package dev.sallyport.transforms.sigv4auth;

import dev.sallyport.testkit.ForwardedRequest;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Verifies Signature Version 4 as a service of AWS does. Written from the documentation of AWS alone: it shares no code
 * with what it judges, and is as slow and plain as it may be.
 */
final class Verifier {

    private static final Pattern AUTHORIZATION = Pattern.compile("AWS4-HMAC-SHA256 Credential=([^/,]+)/(\\d{8})/"
            + "([^/,]+)/([^/,]+)/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})");
    private static final Pattern CHUNK = Pattern.compile("([0-9a-fA-F]+);chunk-signature=([0-9a-f]{64})");
    private static final String NOTHING = hex(sha256(new byte[0]));

    private final String accessKeyId;
    private final String secret;
    private final String token;
    private final Clock clock;

    /** What is wrong with a request. */
    static final class Mistake extends RuntimeException {

        private static final long serialVersionUID = 1L;

        Mistake(String message) {
            super(message);
        }
    }

    /** The parts of one request's signature. */
    private record Claim(
            String date, String region, String service, List<String> signed, String signature, boolean presigned) {

        boolean s3() {
            return service.startsWith("s3");
        }
    }

    /** @param token null for long-term credentials */
    Verifier(String accessKeyId, String secret, String token, Clock clock) {
        this.accessKeyId = accessKeyId;
        this.secret = secret;
        this.token = token;
        this.clock = clock;
    }

    /** Verifies a request; returns its content, without framing. */
    byte[] verify(ForwardedRequest request) {
        String path = request.target().split("\\?", 2)[0];
        String query = request.target().contains("?") ? request.target().split("\\?", 2)[1] : "";
        Claim claim = claim(request, query);
        String timestamp = claim.presigned() ? parameter(query, "X-Amz-Date") : request.header("X-Amz-Date");
        requireTime(claim, timestamp, query);
        require(claim.signed().contains("host"), "host is not signed");
        request.headers().lines().forEach(line -> {
            String name = line.name().toLowerCase(Locale.ROOT);
            require(!name.startsWith("x-amz-") || claim.signed().contains(name), name + " is not signed");
        });
        String given =
                claim.presigned() ? parameter(query, "X-Amz-Security-Token") : request.header("X-Amz-Security-Token");
        require(given.equals(token == null ? "" : token), "the session token is not the right one");

        String hash = payload(request, claim);
        StringBuilder canonical = new StringBuilder()
                .append(request.method())
                .append('\n')
                .append(claim.s3() ? segments(path) : encode(collapse(path), "/"))
                .append('\n')
                .append(query(query))
                .append('\n');
        for (String name : claim.signed()) {
            List<String> values = request.headers().all(name);
            require(!values.isEmpty(), "the signed header " + name + " is not there");
            canonical.append(name).append(':');
            canonical.append(String.join(
                    ",",
                    values.stream()
                            .map(value -> value.strip().replaceAll("[ \\t]+", " "))
                            .toList()));
            canonical.append('\n');
        }
        canonical
                .append('\n')
                .append(String.join(";", claim.signed()))
                .append('\n')
                .append(hash);
        String scope = claim.date() + "/" + claim.region() + "/" + claim.service() + "/aws4_request";
        byte[] key = hmac(
                hmac(hmac(hmac(bytes("AWS4" + secret), claim.date()), claim.region()), claim.service()),
                "aws4_request");
        String toSign =
                "AWS4-HMAC-SHA256\n" + timestamp + "\n" + scope + "\n" + hex(sha256(bytes(canonical.toString())));
        require(hex(hmac(key, toSign)).equals(claim.signature()), "the signature is wrong, of\n" + canonical);
        return switch (hash) {
            case "STREAMING-AWS4-HMAC-SHA256-PAYLOAD" ->
                chunks(request, key, timestamp + "\n" + scope, claim.signature(), true, false);
            case "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER" ->
                chunks(request, key, timestamp + "\n" + scope, claim.signature(), true, true);
            case "STREAMING-UNSIGNED-PAYLOAD-TRAILER" ->
                chunks(request, key, timestamp + "\n" + scope, claim.signature(), false, true);
            default -> request.content();
        };
    }

    private Claim claim(ForwardedRequest request, String query) {
        if (request.header("Authorization").isEmpty()) {
            require(parameter(query, "X-Amz-Algorithm").equals("AWS4-HMAC-SHA256"), "not signed");
            String[] credential = parameter(query, "X-Amz-Credential").split("/", -1);
            require(credential.length == 5 && credential[0].equals(accessKeyId), "another access key id");
            return new Claim(
                    credential[1],
                    credential[2],
                    credential[3],
                    List.of(parameter(query, "X-Amz-SignedHeaders").split(";")),
                    parameter(query, "X-Amz-Signature"),
                    true);
        }
        require(request.headers().all("Authorization").size() == 1, "signed twice");
        require(!query.contains("X-Amz-Signature"), "signed in two ways");
        Matcher parts = AUTHORIZATION.matcher(request.header("Authorization"));
        require(parts.matches(), "Authorization: " + request.header("Authorization"));
        require(parts.group(1).equals(accessKeyId), "another access key id");
        List<String> signed = List.of(parts.group(5).split(";"));
        require(signed.equals(signed.stream().sorted().distinct().toList()), "names are not sorted");
        return new Claim(parts.group(2), parts.group(3), parts.group(4), signed, parts.group(6), false);
    }

    private void requireTime(Claim claim, String timestamp, String query) {
        LocalDateTime then = LocalDateTime.parse(timestamp, DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'"));
        require(timestamp.startsWith(claim.date()), "the day of the scope is another one");
        Duration age = Duration.between(then.toInstant(ZoneOffset.UTC), clock.instant());
        if (claim.presigned()) {
            require(age.toSeconds() <= Long.parseLong(parameter(query, "X-Amz-Expires")), "expired");
        } else {
            require(age.abs().toMinutes() < 15, "RequestTimeTooSkewed");
        }
    }

    private static String payload(ForwardedRequest request, Claim claim) {
        List<String> given = request.headers().all("X-Amz-Content-Sha256");
        require(given.size() < 2, "two hashes");
        if (given.isEmpty()) {
            require(!claim.s3() || claim.presigned(), "S3 wants x-amz-content-sha256");
            return claim.s3() ? "UNSIGNED-PAYLOAD" : hex(sha256(request.content()));
        }
        boolean marker =
                given.getFirst().equals("UNSIGNED-PAYLOAD") || given.getFirst().startsWith("STREAMING-");
        require(marker || given.getFirst().equals(hex(sha256(request.content()))), "XAmzContentSHA256Mismatch");
        return given.getFirst();
    }

    private static byte[] chunks(
            ForwardedRequest request, byte[] key, String context, String seed, boolean signed, boolean trailer) {
        byte[] body = request.content();
        ByteArrayOutputStream decoded = new ByteArrayOutputStream();
        String previous = seed;
        int at = 0;
        long size = -1;
        while (size != 0) {
            int end = lineEnd(body, at);
            String line = text(body, at, end);
            Matcher parts = CHUNK.matcher(line);
            require(!signed || parts.matches(), "a chunk without signature: " + line);
            size = Long.parseLong(signed ? parts.group(1) : line, 16);
            at = end + 2;
            byte[] data = Arrays.copyOfRange(body, at, at + (int) size);
            decoded.writeBytes(data);
            if (signed) {
                previous = hex(hmac(
                        key,
                        "AWS4-HMAC-SHA256-PAYLOAD\n" + context + "\n" + previous + "\n" + NOTHING + "\n"
                                + hex(sha256(data))));
                require(previous.equals(parts.group(2)), "the signature of a chunk is wrong");
            }
            if (size > 0) {
                at += (int) size;
                require(body[at] == '\r' && body[at + 1] == '\n', "a chunk without end");
                at += 2;
            }
        }
        StringBuilder fields = new StringBuilder();
        String trailerSignature = "";
        for (int end = lineEnd(body, at); end > at; end = lineEnd(body, at)) {
            String[] field = text(body, at, end).split(":", 2);
            if (field[0].equalsIgnoreCase("x-amz-trailer-signature")) {
                trailerSignature = field[1].strip();
            } else {
                fields.append(field[0].strip().toLowerCase(Locale.ROOT))
                        .append(':')
                        .append(field[1].strip())
                        .append('\n');
            }
            at = end + 2;
        }
        require(at + 2 == body.length, "bytes follow the end");
        require(trailer || fields.isEmpty(), "a trailer");
        if (signed && trailer) {
            String expected = hex(hmac(
                    key,
                    "AWS4-HMAC-SHA256-TRAILER\n" + context + "\n" + previous + "\n"
                            + hex(sha256(bytes(fields.toString())))));
            require(expected.equals(trailerSignature), "the signature of the trailer is wrong");
        }
        String length = request.header("X-Amz-Decoded-Content-Length");
        require(length.equals("" + decoded.size()), "x-amz-decoded-content-length is " + length);
        return decoded.toByteArray();
    }

    private static int lineEnd(byte[] body, int from) {
        for (int i = from; i + 1 < body.length; i++) {
            if (body[i] == '\r' && body[i + 1] == '\n') {
                return i;
            }
        }
        throw new Mistake("the framing breaks off");
    }

    private static String query(String raw) {
        Map<String, List<String>> sorted = new TreeMap<>();
        for (String piece : raw.split("&", -1)) {
            String[] pair = piece.split("=", 2);
            String name = encode(decode(pair[0].replace('+', ' ')), "");
            if (!piece.isEmpty() && !name.equals("X-Amz-Signature")) {
                sorted.computeIfAbsent(name, any -> new ArrayList<>())
                        .add(pair.length == 1 ? "" : encode(decode(pair[1].replace('+', ' ')), ""));
            }
        }
        List<String> pieces = new ArrayList<>();
        sorted.forEach((name, values) -> {
            Collections.sort(values);
            values.forEach(value -> pieces.add(name + "=" + value));
        });
        return String.join("&", pieces);
    }

    static String parameter(String query, String name) {
        for (String piece : query.split("&", -1)) {
            if (piece.startsWith(name + "=")) {
                return decode(piece.substring(name.length() + 1));
            }
        }
        return "";
    }

    private static String segments(String path) {
        return Stream.of(path.split("/", -1))
                .map(segment -> encode(decode(segment), ""))
                .collect(Collectors.joining("/"));
    }

    private static String collapse(String path) {
        return path.replaceAll("/{2,}", "/");
    }

    static String encode(String text, String also) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".indexOf(c) >= 0;
            out.append(plain || also.indexOf(c) >= 0 ? "" + c : String.format("%%%02X", (int) c));
        }
        return out.toString();
    }

    static String decode(String text) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) == '%') {
                out.append((char) Integer.parseInt(text.substring(i + 1, i + 3), 16));
                i += 2;
            } else {
                out.append(text.charAt(i));
            }
        }
        return out.toString();
    }

    private static void require(boolean right, String mistake) {
        if (!right) {
            throw new Mistake(mistake);
        }
    }

    static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] hmac(byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(bytes(text));
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    private static String text(byte[] body, int from, int to) {
        return new String(body, from, to - from, StandardCharsets.ISO_8859_1);
    }

    private static byte[] bytes(String latin1) {
        return latin1.getBytes(StandardCharsets.ISO_8859_1);
    }
}
