package dev.sallyport.transforms.sigv4auth;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testkit.ExchangeResult;
import dev.sallyport.testkit.ForwardedRequest;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TransformHarness;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.http.SdkHttpFullRequest;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4FamilyHttpSigner;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.SignRequest;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;
import software.amazon.awssdk.identity.spi.AwsSessionCredentialsIdentity;

/** Random requests, signed again and compared with what the signer of the AWS SDK makes of them, and with the verifier. */
@Tag("differential")
class SecondOpinionTest {

    /** How many requests the SDK's signer is asked about; a third more are the verifier's alone. */
    private static final int REQUESTS = Integer.getInteger("sallyport.differential.cases", 500);

    private static final String UNRESERVED = "abcXYZ019-._~";
    private static final String ODD = " !\"#$%&'()*+,/:;<=>?@[]^`{|}\u00e4";
    private static final List<String> SERVICES =
            List.of("s3", "s3", "s3-outposts", "s3express", "sqs", "execute-api", "dynamodb", "bedrock", "iam");

    private final AwsV4HttpSigner signer = AwsV4HttpSigner.create();

    /** What is drawn for one request. */
    private static final class Draw {

        private final Random random;
        final String service;
        final boolean s3;
        final boolean presigned;
        final boolean hashed;
        final String path;
        final String query;
        final byte[] body;
        final boolean oracle;

        Draw(Random random) {
            this.random = random;
            service = SERVICES.get(random.nextInt(SERVICES.size()));
            s3 = service.startsWith("s3");
            presigned = random.nextInt(4) == 0;
            // The SDK's signer takes the path as it is, S3 the path as it understands it: odd spellings are the
            // verifier's.
            oracle = random.nextInt(4) != 0;
            path = path();
            query = query();
            body = presigned || random.nextBoolean() ? new byte[0] : text(60).getBytes(StandardCharsets.ISO_8859_1);
            hashed = oracle || s3 || random.nextBoolean();
        }

        private String text(int most) {
            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(most); i >= 0; i--) {
                String from = random.nextInt(3) == 0 ? ODD : UNRESERVED;
                text.append(from.charAt(random.nextInt(from.length())));
            }
            // Bytes of UTF-8, each of them a character.
            return new String(text.toString().getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        }

        private String path() {
            StringBuilder path = new StringBuilder();
            for (int i = random.nextInt(4); i >= 0; i--) {
                String segment = text(8).replace(".", "");
                path.append('/').append(oracle ? Verifier.encode(segment, "") : spelled(segment));
                if (random.nextInt(8) == 0) {
                    path.append('/');
                }
            }
            return path.toString();
        }

        private String query() {
            List<String> pieces = new ArrayList<>();
            for (int i = random.nextInt(6); i > 0; i--) {
                String name = text(4);
                pieces.add(
                        random.nextInt(6) == 0
                                ? spelled(name)
                                : spelled(name) + "=" + (random.nextInt(6) == 0 ? "" : spelled(text(6))));
            }
            return String.join("&", pieces);
        }

        /** The same text in one of its many encodings. */
        private String spelled(String text) {
            StringBuilder out = new StringBuilder();
            for (int i = 0; i < text.length(); i++) {
                char c = text.charAt(i);
                boolean must = c <= ' ' || c > '~' || "%?#&=+/\"<>[]^`{|}".indexOf(c) >= 0;
                if (must || random.nextInt(5) == 0) {
                    out.append(String.format(random.nextBoolean() ? "%%%02X" : "%%%02x", (int) c));
                } else {
                    out.append(c);
                }
            }
            return out.toString();
        }

        TestRequest request() {
            String url = "https://host.amazonaws.com" + path + (query.isEmpty() ? "" : "?" + query);
            TestRequest request = TestRequest.of(
                    body.length == 0 ? "GET" : "POST", presigned ? Workload.presigned(url, service) : url);
            TreeSet<String> names = new TreeSet<>(List.of("host"));
            for (int i = random.nextInt(5); i > 0; i--) {
                String name = "X-Header-" + random.nextInt(4);
                String value = text(10).replaceAll("[\u0080-\u00ff]", "")
                        + (random.nextBoolean() ? "   " + text(3).replaceAll("[\u0080-\u00ff]", "") : "");
                request = request.header(name, value.strip().isEmpty() ? "x" : value.strip());
                names.add(name.toLowerCase(Locale.ROOT));
            }
            if (random.nextBoolean()) {
                request = request.header(
                        "x-amz-meta-a",
                        text(5).replaceAll("[\u0080-\u00ff]", "").strip() + "v");
            }
            if (body.length > 0) {
                request = request.body(body);
            }
            if (presigned) {
                return request;
            }
            if (hashed) {
                request = request.header("x-amz-content-sha256", Verifier.hex(Verifier.sha256(body)));
            }
            return request.header("x-amz-date", Workload.NOW)
                    .header("Authorization", Workload.authorization(service, String.join(";", names)));
        }
    }

    @Test
    @Tag("long")
    void signerOfTheSdkAndTheVerifierAgree() {
        long seed = Long.getLong("sallyport.seed", System.nanoTime());
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (boolean token : new boolean[] {false, true}) {
            try (TransformHarness harness = Workload.harness(token).start()) {
                int compared = 0;
                for (int i = 0; compared < REQUESTS / 2; i++) {
                    Draw draw = new Draw(random);
                    TestRequest request = draw.request();
                    ExchangeResult result = harness.send(request);
                    assertThat(result.forwarded())
                            .as("seed %s, request %s: %s %s, %s", seed, i, draw.path, draw.query, result)
                            .isNotNull();
                    ForwardedRequest sent = result.sent();
                    String what = "seed " + seed + ", request " + i + ": " + sent;

                    Workload.verifier(harness.time().clock(), token).verify(sent);
                    if (draw.oracle) {
                        compared++;
                        SdkHttpRequest opinion =
                                sign(sent, draw, token, harness.time().clock());
                        if (draw.presigned) {
                            assertThat(Verifier.parameter(sent.target(), "X-Amz-Signature"))
                                    .as(what)
                                    .isEqualTo(opinion.firstMatchingRawQueryParameter("X-Amz-Signature")
                                            .orElseThrow());
                        } else {
                            assertThat(sent.header("Authorization"))
                                    .as(what)
                                    .isEqualTo(opinion.firstMatchingHeader("Authorization")
                                            .orElseThrow());
                        }
                    }
                }
            }
        }
    }

    private SdkHttpRequest sign(ForwardedRequest sent, Draw draw, boolean token, Clock clock) {
        SdkHttpFullRequest.Builder request = SdkHttpFullRequest.builder()
                .method(SdkHttpMethod.fromValue(sent.method()))
                .protocol("https")
                .host("host.amazonaws.com")
                .encodedPath(draw.path);
        String query = sent.target().contains("?") ? sent.target().split("\\?", 2)[1] : "";
        for (String piece : query.split("&", -1)) {
            String[] pair = piece.split("=", 2);
            String name = Verifier.decode(pair[0]);
            if (!piece.isEmpty() && !(draw.presigned && name.startsWith("X-Amz-"))) {
                request.appendRawQueryParameter(utf8(name), pair.length == 1 ? "" : utf8(Verifier.decode(pair[1])));
            }
        }
        List<String> signed =
                List.of(Verifier.parameter(sent.target(), "X-Amz-SignedHeaders").split(";"));
        sent.headers().lines().forEach(line -> {
            boolean unsigned = draw.presigned && !signed.contains(line.name().toLowerCase(Locale.ROOT));
            if (!unsigned
                    && !List.of("authorization", "x-amz-date", "x-amz-security-token", "content-length")
                            .contains(line.name().toLowerCase(Locale.ROOT))) {
                request.appendHeader(line.name(), line.value());
            }
        });
        AwsCredentialsIdentity identity = token
                ? AwsSessionCredentialsIdentity.create(Workload.KEY_ID, Workload.SECRET, Workload.TOKEN)
                : AwsCredentialsIdentity.create(Workload.KEY_ID, Workload.SECRET);
        SignRequest.Builder<AwsCredentialsIdentity> what = SignRequest.builder(identity)
                .request(request.build())
                .payload(() -> new ByteArrayInputStream(draw.body))
                .putProperty(AwsV4FamilyHttpSigner.SERVICE_SIGNING_NAME, draw.service)
                .putProperty(AwsV4HttpSigner.REGION_NAME, "eu-west-1")
                .putProperty(AwsV4FamilyHttpSigner.DOUBLE_URL_ENCODE, !draw.s3)
                .putProperty(AwsV4FamilyHttpSigner.NORMALIZE_PATH, !draw.s3)
                .putProperty(HttpSigner.SIGNING_CLOCK, clock);
        if (draw.presigned) {
            what.putProperty(AwsV4FamilyHttpSigner.AUTH_LOCATION, AwsV4FamilyHttpSigner.AuthLocation.QUERY_STRING)
                    .putProperty(AwsV4FamilyHttpSigner.EXPIRATION_DURATION, Duration.ofMinutes(15))
                    .putProperty(AwsV4FamilyHttpSigner.PAYLOAD_SIGNING_ENABLED, !draw.s3);
        }
        return signer.sign(what.build()).request();
    }

    /** The SDK's texts have characters, those of the wire bytes. */
    private static String utf8(String bytes) {
        return new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }
}
