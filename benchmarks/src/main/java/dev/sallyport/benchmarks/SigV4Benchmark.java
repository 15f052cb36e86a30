package dev.sallyport.benchmarks;

import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edit;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.RedactResponse;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.SecretRef;
import dev.sallyport.testkit.TestContext;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.transforms.sigv4auth.SigV4AuthConfig;
import dev.sallyport.transforms.sigv4auth.SigV4AuthFactory;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The transform {@code sigv4_auth} on requests as SDKs send them. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class SigV4Benchmark {

    private static final String URL = "https://bucket.s3.eu-west-1.amazonaws.com/folder/key%20of%20an%20object";
    private static final String SIGNED =
            "amz-sdk-invocation-id;amz-sdk-request;host;x-amz-content-sha256;x-amz-date;x-amz-security-token";

    private final ByteBuffer body = ByteBuffer.allocate(1024);
    private InlineTransform sigv4 = context -> Decision.proceed();
    private TestContext header = TestContext.of(TestRequest.get(URL));
    private TestContext withBody = header;
    private TestContext presigned = header;
    private TestContext elsewhere = header;

    private record Source() {}

    @Setup
    public void prepare() throws ConfigException, NoSuchAlgorithmException {
        SecretRef source = new SecretRef("sample", new Source(), "", false, "");
        sigv4 = (InlineTransform) new SigV4AuthFactory()
                .create(
                        new SigV4AuthConfig(
                                source,
                                source,
                                source,
                                null,
                                List.of(),
                                List.of(),
                                false,
                                false,
                                false,
                                RedactResponse.SWAPPED,
                                List.of(Rule.host("*.amazonaws.com"))),
                        new SampleContext());
        String empty =
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest());
        String hash =
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(body.array()));
        header = TestContext.of(signed(TestRequest.get(URL + "?list-type=2&prefix=a%2Fb&max-keys=100"), empty));
        withBody = TestContext.of(signed(TestRequest.of("PUT", URL).body(body.array()), hash));
        presigned = TestContext.of(TestRequest.get(URL + "?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential="
                + scope().replace("/", "%2F") + "&X-Amz-Date=" + now()
                + "&X-Amz-Expires=900&X-Amz-SignedHeaders=host&X-Amz-Signature=" + empty));
        elsewhere = TestContext.of(TestRequest.get("https://elsewhere.test/v1/keys"));
    }

    private static TestRequest signed(TestRequest request, String hash) {
        return request.header("User-Agent", "aws-sdk-java/2.54.13 md/io#sync md/http#Apache ua/2.1 os/Linux#6.1")
                .header("amz-sdk-invocation-id", "b2a0f3f0-5f0e-4f8b-9c63-4f1d4d0c5a11")
                .header("amz-sdk-request", "attempt=1; max=4")
                .header("x-amz-content-sha256", hash)
                .header("X-Amz-Date", now())
                .header("X-Amz-Security-Token", "placeholder")
                .header(
                        "Authorization",
                        "AWS4-HMAC-SHA256 Credential=" + scope() + ", SignedHeaders=" + SIGNED + ", Signature=" + hash);
    }

    private static String now() {
        return DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'")
                .withZone(ZoneOffset.UTC)
                .format(Instant.now());
    }

    private static String scope() {
        return "AKIDPLACEHOLDER00000/" + now().substring(0, 8) + "/eu-west-1/s3/aws4_request";
    }

    /** Signed in the header, without content. */
    @Benchmark
    public Decision header() {
        return sigv4.decide(header);
    }

    /** Signed in the header, with a content of 1 KiB that is verified. */
    @Benchmark
    public long headerAndBody() {
        Decision.Continue decision = (Decision.Continue) sigv4.decide(withBody);
        long checked = 0;
        for (Edit edit : decision.edits().list()) {
            if (edit instanceof Edit.CheckBody check) {
                check.check().data(body.duplicate());
                check.check().end();
                checked += body.capacity();
            }
        }
        return checked;
    }

    /** A presigned URL. */
    @Benchmark
    public Decision presigned() {
        return sigv4.decide(presigned);
    }

    /** To a destination of no rule. */
    @Benchmark
    public Decision elsewhere() {
        return sigv4.decide(elsewhere);
    }
}
