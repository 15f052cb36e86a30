package dev.sallyport.benchmarks;

import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.RedactResponse;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RequestStep;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.SecretRef;
import dev.sallyport.spi.Transform;
import dev.sallyport.testkit.TestContext;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.transforms.hmacsign.Algorithm;
import dev.sallyport.transforms.hmacsign.HmacSignConfig;
import dev.sallyport.transforms.hmacsign.HmacSignFactory;
import dev.sallyport.transforms.hmacsign.KeyEncoding;
import dev.sallyport.transforms.hmacsign.OutputEncoding;
import dev.sallyport.transforms.hmacsign.TimestampFormat;
import dev.sallyport.transforms.oauthtoken.ClientAuth;
import dev.sallyport.transforms.oauthtoken.Grant;
import dev.sallyport.transforms.oauthtoken.OauthTokenConfig;
import dev.sallyport.transforms.oauthtoken.OauthTokenFactory;
import dev.sallyport.transforms.svcacctauth.SvcacctAuthConfig;
import dev.sallyport.transforms.svcacctauth.SvcacctAuthFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
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

/** The transforms that mint and sign, on a request for which everything is there: the price of an inline hit. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class CredentialsBenchmark {

    private static final List<Rule> RULES = List.of(Rule.host("api.example.com"));
    private static final String TOKEN =
            "{\"access_token\":\"ya29.c.b0Aaekm1K-a-token-as-long-as-they-are\",\"token_type\":\"Bearer\",\"expires_in\":86400}";

    private final RequestContext request =
            TestContext.of(head(TestRequest.get("https://api.example.com/v1/keys?page=2")));
    private final RequestContext withBody = new ReadRequest(
            TestContext.of(head(
                    TestRequest.of("POST", "https://api.example.com/v1/keys").body(new byte[1024]))),
            new byte[1024]);
    private InlineTransform oauth = context -> Decision.proceed();
    private InlineTransform account = oauth;
    private InlineTransform hmac = oauth;

    private record Source() {}

    @Setup
    public void prepare() throws ConfigException, IOException {
        SampleContext context = new SampleContext(TOKEN);
        SecretRef secret = new SecretRef("sample", new Source(), "", false, "");
        oauth = ready(new OauthTokenFactory()
                .create(
                        new OauthTokenConfig(List.of(new OauthTokenConfig.Entry(
                                Grant.CLIENT_CREDENTIALS,
                                "https://issuer.example.com/token",
                                List.of("read"),
                                RULES,
                                "Authorization",
                                "Bearer",
                                Map.of(),
                                ClientAuth.BODY,
                                null,
                                secret,
                                secret,
                                null,
                                null,
                                null,
                                null,
                                null,
                                null,
                                null,
                                true,
                                false,
                                true,
                                RedactResponse.SWAPPED))),
                        context));
        account = ready(new SvcacctAuthFactory()
                .create(
                        new SvcacctAuthConfig(
                                keyFile(),
                                null,
                                null,
                                null,
                                List.of("read"),
                                RULES,
                                false,
                                true,
                                RedactResponse.SWAPPED),
                        context));
        hmac = (InlineTransform) new HmacSignFactory()
                .create(
                        new HmacSignConfig(
                                new HmacSignConfig.Timestamp(TimestampFormat.UNIX_SECONDS),
                                new HmacSignConfig.Signature(
                                        Algorithm.SHA256,
                                        KeyEncoding.RAW,
                                        OutputEncoding.HEX,
                                        "{{.Timestamp}}{{.Method}}{{.PathWithQuery}}{{.Body}}"),
                                Map.of("secret", secret, "key", secret),
                                List.of(
                                        new HmacSignConfig.Header("X-Key", "{{.Credentials.key}}"),
                                        new HmacSignConfig.Header("X-Sign", "{{.Signature}}")),
                                false,
                                false,
                                null,
                                RULES),
                        context);
    }

    private static TestRequest head(TestRequest request) {
        TestRequest full = request;
        for (String[] line : Samples.head()) {
            full = full.header(line[0], line[1]);
        }
        return full;
    }

    /** With a token in its cache. */
    private InlineTransform ready(Transform transform) {
        InlineTransform inline = (InlineTransform) transform;
        if (inline.decide(request) instanceof Decision.Later later && later.then() instanceof RequestStep.Async wait) {
            wait.apply(request).toCompletableFuture().join();
        }
        if (!(inline.decide(request) instanceof Decision.Continue)) {
            throw new IllegalStateException(transform + " has no token");
        }
        return inline;
    }

    private static Path keyFile() throws IOException {
        Path file = Files.createTempFile("account", ".json");
        file.toFile().deleteOnExit();
        return Files.writeString(file, Samples.serviceAccount());
    }

    /** {@code oauth_token} with its token. */
    @Benchmark
    public Decision oauthToken() {
        return oauth.decide(request);
    }

    /** {@code svcacct_auth} with its token. */
    @Benchmark
    public Decision svcacctAuth() {
        return account.decide(request);
    }

    /** {@code hmac_sign} of a content of 1 KiB that has been read. */
    @Benchmark
    public Decision hmacSign() {
        return hmac.decide(withBody) instanceof Decision.Read read && read.then() instanceof RequestStep.Inline step
                ? step.apply(withBody)
                : Decision.reject(500, "no_read", "Nothing was read.");
    }
}
