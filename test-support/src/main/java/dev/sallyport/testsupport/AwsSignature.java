package dev.sallyport.testsupport;

import com.sun.net.httpserver.Headers;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signature version 4 as its description has it, computed without the SDK. */
public record AwsSignature(String keyId, String scope, List<String> signedHeaders, String value) {

    private static final Pattern AUTHORIZATION = Pattern.compile(
            "AWS4-HMAC-SHA256 Credential=([^/]+)/(\\S+), SignedHeaders=(\\S+), Signature=([0-9a-f]{64})");

    /** That of a request; an empty one where there is none. */
    public static AwsSignature of(Headers headers) {
        Matcher matcher = AUTHORIZATION.matcher(String.valueOf(headers.getFirst("Authorization")));
        return matcher.matches()
                ? new AwsSignature(
                        matcher.group(1),
                        matcher.group(2),
                        List.of(matcher.group(3).split(";", -1)),
                        matcher.group(4))
                : new AwsSignature("", "", List.of(), "");
    }

    /** Whether this is the signature of a POST to {@code path}, made with the key. */
    public boolean isOf(String path, Headers headers, byte[] body, String secretKey) throws GeneralSecurityException {
        String canonical = "POST\n" + path + "\n\n"
                + signedHeaders.stream()
                        .map(name -> name + ":" + value(headers, name) + "\n")
                        .collect(Collectors.joining())
                + "\n" + String.join(";", signedHeaders) + "\n" + hex(sha256(body));
        String toSign = "AWS4-HMAC-SHA256\n" + headers.getFirst("X-Amz-Date") + "\n" + scope + "\n"
                + hex(sha256(canonical.getBytes(StandardCharsets.UTF_8)));
        byte[] key = ("AWS4" + secretKey).getBytes(StandardCharsets.UTF_8);
        for (String part : List.of(scope.split("/", -1))) {
            key = hmac(key, part);
        }
        return hex(hmac(key, toSign)).equals(value);
    }

    private static String value(Headers headers, String name) {
        return String.join(",", headers.getOrDefault(name, List.of("absent")))
                .strip()
                .replaceAll(" +", " ");
    }

    /** Whether every header of the names is signed. */
    public boolean covers(String... names) {
        return List.of(names).stream().allMatch(name -> signedHeaders.contains(name.toLowerCase(Locale.ROOT)));
    }

    private static byte[] sha256(byte[] bytes) throws GeneralSecurityException {
        return MessageDigest.getInstance("SHA-256").digest(bytes);
    }

    private static byte[] hmac(byte[] key, String text) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
