package dev.sallyport.conformance.echo;

import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.Part;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A way in which a credential gets to an origin. Requests to paths below {@code /send} carry it.
 *
 * @param name for messages
 * @param transforms the section of the configuration; {@code @ORIGIN@} stands for the origin
 * @param ask the request that carries it
 * @param value what must not come back, from the request as the origin has it
 * @param known how much of its beginning everybody knows
 * @param lasts whether it is used again
 */
record Carrier(String name, String transforms, Ask ask, UnaryOperator<String> value, int known, boolean lasts) {

    /** Everything in it is written in another way somewhere. */
    static final String NASTY = "r34l/cr3d+of \"the\\operator\"<&>'=%41";

    static final String TOKEN = "github_pat_11AB0C/dE+fG2hI3jK4lM5nO6pQ7rS8";
    static final String JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJvcGVyYXRvciJ9.c2lnbmVkLWJ5LXRoZS1pc3N1ZXI";

    private static final String HOLDER = "PLACEHOLDER";
    private static final String KEY_ID = "AKIAREALREALREAL1234";
    private static final String SESSION = "FwoGZXIvYXdzEJr/session+token/of-the-operator==";

    /** What sources read. */
    static Map<String, String> environment() {
        return Map.of(
                "NASTY",
                NASTY,
                "TOKEN",
                TOKEN,
                "JWT",
                JWT,
                "KEY_ID",
                KEY_ID,
                "KEY",
                "real-secret-access-key/40",
                "SESSION",
                SESSION,
                "ACCOUNT",
                account());
    }

    static List<Carrier> all() {
        List<Carrier> all = new ArrayList<>();
        replaced(all);
        injected(all);
        minted(all);
        signed(all);
        all.add(fixed("plug-in that declares nothing", "[]", Ask.get("/send/plug-in"), TOKEN));
        return List.copyOf(all);
    }

    private static void replaced(List<Carrier> all) {
        all.add(replace("header", "NASTY", "", Ask.get("/send/x", "X-Key: PLACEHOLDER"), NASTY));
        all.add(replace("bearer", "TOKEN", "", Ask.get("/send/x", "Authorization: Bearer PLACEHOLDER"), TOKEN));
        all.add(replace("JWT", "JWT", "", Ask.get("/send/x", "Authorization: Bearer PLACEHOLDER"), JWT));
        String basic = Base64.getEncoder().encodeToString(Line.bytes("user:PLACEHOLDER"));
        all.add(replace("basic", "NASTY", "", Ask.get("/send/x", "Authorization: Basic " + basic), NASTY));
        all.add(replace("query", "NASTY", ", match_query: true", Ask.get("/send/x?a=1&t=PLACEHOLDER"), NASTY));
        all.add(replace("path", "NASTY", ", match_path: true", Ask.get("/send/PLACEHOLDER/x"), NASTY));
        Ask json = Ask.post("/send/x", "{\"t\":\"PLACEHOLDER\"}", "Content-Type: application/json");
        all.add(replace("body", "NASTY", ", match_body: true", json, NASTY));
        Ask plain = Ask.post("/send/x", "hello").withTrailer("X-Key: PLACEHOLDER");
        all.add(replace("trailer", "TOKEN", "", plain, TOKEN));
        Ask message = Ask.get("/send/x", EchoOrigin.LISTEN + ": 1").withMessage("say PLACEHOLDER");
        all.add(replace("message", "NASTY", ", match_body: true", message, NASTY));
    }

    private static void injected(List<Carrier> all) {
        Ask ask = Ask.get("/send/x");
        all.add(fixed("inject, header", inject("{header: X-Key}"), ask, NASTY));
        all.add(fixed("inject, query", inject("{query_param: key}"), ask, NASTY));
        all.add(fixed(
                "inject, basic",
                inject("{header: Authorization, formatter: 'Basic {{base64 \"user:\" .Value}}'}"),
                ask,
                NASTY));
        String hex = HexFormat.of().formatHex(Line.bytes(NASTY));
        all.add(fixed(
                "inject, hexadecimal", inject("{header: X-Key, formatter: 'v1 {{printf \"%x\" .Value}}'}"), ask, hex));
        all.add(fixed(
                "inject, part of a text", inject("{header: X-Key, formatter: '{{.Value}}-{{.Value}}'}"), ask, NASTY));
    }

    private static void minted(List<Carrier> all) {
        all.add(fixed("oauth_token", """
                [{name: oauth_token, config: {tokens: [{grant: client_credentials, client_id: {type: env, var: KEY_ID},
                  client_secret: {type: env, var: KEY}, token_endpoint: "http://@ORIGIN@/token", rules: @RULES@}]}}]
                """, Ask.get("/send/x"), EchoOrigin.TOKEN));
        all.add(fixed("svcacct_auth", """
                [{name: svcacct_auth, config: {keyfile: {type: env, var: ACCOUNT}, scopes: [read], rules: @RULES@}}]
                """, Ask.get("/send/x"), EchoOrigin.TOKEN));
    }

    private static void signed(List<Carrier> all) {
        for (String service : List.of("execute-api", "s3")) {
            String sigv4 = """
                    [{name: sigv4_auth, config: {access_key_id: {type: env, var: KEY_ID}, secret_access_key: {type: env, var: KEY},
                      session_token: {type: env, var: SESSION}, rules: @RULES@}}]
                    """;
            Ask ask = Ask.get(
                    "/send/x",
                    "X-Amz-Date: 20260101T000000Z",
                    "X-Amz-Content-Sha256: UNSIGNED-PAYLOAD",
                    "Authorization: AWS4-HMAC-SHA256 Credential=AKIAFAKEFAKEFAKE0000/20260101/eu-west-1/" + service
                            + "/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature="
                            + "0".repeat(64));
            String name = "sigv4_auth for " + service + ", ";
            all.add(fixed(name + "key id", sigv4, ask, KEY_ID));
            all.add(fixed(name + "session token", sigv4, ask, SESSION));
            all.add(once(name + "signature", sigv4, ask, "Signature=([0-9a-f]{64})"));
        }
        Ask ask = Ask.get("/send/x");
        String hmac = """
                [{name: hmac_sign, config: {timestamp: {format: unix_nanos}, signature: {algorithm: sha256, key_encoding: raw,
                  output_encoding: base64, message: '{{.Timestamp}}{{.Path}}'}, credentials: {secret: {type: env, var: KEY},
                  id: {type: env, var: NASTY}}, headers: [{name: X-Sent, value: 'id=%s'}], rules: @RULES@}}]
                """;
        all.add(fixed("hmac_sign, credential", hmac.formatted("{{.Credentials.id}}"), ask, NASTY));
        String hex = HexFormat.of().formatHex(Line.bytes(NASTY));
        all.add(fixed("hmac_sign, hexadecimal", hmac.formatted("{{printf \"%x\" .Credentials.id}}"), ask, hex));
        all.add(once("hmac_sign, signature", hmac.formatted("{{.Signature}}"), ask, "(?i)X-Sent: id=(\\S+)"));
        all.add(once(
                "hmac_sign, signature in hexadecimal",
                hmac.formatted("{{printf \"%x\" .Signature}}"),
                ask,
                "(?i)X-Sent: id=(\\S+)"));
    }

    private static Carrier replace(String name, String source, String more, Ask ask, String value) {
        return fixed(
                "replace, " + name,
                "[{name: secrets, config: {secrets: [{source: {type: env, var: " + source + "}, replace: {proxy_value: "
                        + HOLDER + more + "}, rules: @RULES@}]}}]",
                ask,
                value);
    }

    private static String inject(String how) {
        return "[{name: secrets, config: {secrets: [{source: {type: env, var: NASTY}, inject: " + how
                + ", rules: @RULES@}]}}]";
    }

    private static Carrier fixed(String name, String transforms, Ask ask, String value) {
        int known = value.startsWith("github_pat_") ? 11 : value.startsWith("eyJ") ? value.indexOf('.') + 1 : 0;
        return new Carrier(name, transforms, ask, request -> value, known, true);
    }

    private static Carrier once(String name, String transforms, Ask ask, String pattern) {
        Pattern finder = Pattern.compile(pattern);
        return new Carrier(
                name,
                transforms,
                ask,
                request -> {
                    Matcher found = finder.matcher(request);
                    return found.find() ? found.group(1) : "";
                },
                0,
                false);
    }

    /** What beside the configuration's transforms puts it in, or null. */
    @Nullable InlineTransform plugIn() {
        if (!name.startsWith("plug-in")) {
            return null;
        }
        Edits edits =
                Edits.builder().sensitive().setHeader("X-Key", "key " + TOKEN).build();
        return request -> request.head().path().startsWith("/send") ? Decision.proceed(edits) : Decision.proceed();
    }

    static Capabilities plugInCapabilities() {
        return Capabilities.builder()
                .writes(Part.REQUEST_HEADERS)
                .effects(Effect.INJECTS_CREDENTIAL)
                .build();
    }

    /** The section for an origin; its token endpoint is the origin itself. */
    String transforms(String origin) {
        int colon = origin.lastIndexOf(':');
        String rules = "[{host: \"" + origin.substring(0, colon) + "\", paths: [\"/send/*\"]}]";
        return transforms.replace("@RULES@", rules).replace("@ORIGIN@", origin);
    }

    /** A key file whose token endpoint the run puts in. */
    private static String account() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(2048);
            String key = Base64.getEncoder()
                    .encodeToString(generator.generateKeyPair().getPrivate().getEncoded());
            return "{\"type\":\"service_account\",\"project_id\":\"p\",\"private_key_id\":\"7\",\"private_key\":"
                    + "\"-----BEGIN PRIVATE KEY-----\\n" + key + "\\n-----END PRIVATE KEY-----\\n\","
                    + "\"client_email\":\"robot@p.example\",\"client_id\":\"1\",\"token_uri\":\"http://@ORIGIN@/token\"}";
        } catch (NoSuchAlgorithmException e) {
            throw new LinkageError("RSA", e);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
