package dev.sallyport.transforms.sigv4auth;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edit;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.testkit.FakeSecrets;
import dev.sallyport.testkit.TestContext;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TransformHarness;
import dev.sallyport.testkit.VirtualTime;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The vectors that AWS publishes. */
class SigningSuiteTest {

    private static final Path SUITE = Path.of("src", "test", "resources", "aws-signing-test-suite");
    private static final Pattern FIELD = Pattern.compile("\"(\\w+)\": (?:\"([^\"]*)\"|(\\w+))");
    private static final Pattern SIGNATURE = Pattern.compile("Signature=[0-9a-f]{64}");
    private static final Instant MOMENT = Instant.parse("2015-08-30T12:36:00Z");

    /** One case of the suite. */
    record Vector(Path folder, Map<String, String> context) {

        static Vector in(Path folder) {
            Map<String, String> context = new HashMap<>();
            Matcher fields = FIELD.matcher(read(folder, "context.json"));
            while (fields.find()) {
                context.put(fields.group(1), fields.group(2) == null ? fields.group(3) : fields.group(2));
            }
            return new Vector(folder, context);
        }

        String file(String name) {
            return read(folder, name);
        }

        boolean normalize() {
            return context.get("normalize").equals("true");
        }

        /** One case sends a session token that it does not sign, as no client does any more. */
        boolean signsAll() {
            return !"true".equals(context.get("omit_session_token"));
        }

        Map<String, String> secrets() {
            return Map.of(
                    "ID", context.get("access_key_id"),
                    "SECRET", context.get("secret_access_key"),
                    "TOKEN", context.getOrDefault("token", "none"));
        }

        boolean token() {
            return context.containsKey("token");
        }

        @Override
        public String toString() {
            return folder.getFileName().toString();
        }
    }

    /** Each byte a character, as the engine shows it. */
    private static String read(Path folder, String name) {
        try {
            return Files.readString(folder.resolve(name), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static Stream<Vector> all() throws IOException {
        try (Stream<Path> folders = Files.list(SUITE)) {
            return folders.filter(Files::isDirectory).sorted().map(Vector::in).toList().stream();
        }
    }

    static Stream<Vector> vectors() throws IOException {
        return all().filter(vector -> vector.normalize() && vector.signsAll());
    }

    static Stream<Vector> unnormalized() throws IOException {
        return all().filter(vector -> !vector.normalize());
    }

    @Test
    void suiteIsComplete() throws IOException {
        assertThat(all()).hasSize(38);
        assertThat(vectors()).hasSize(30);
    }

    /** A request with the signature taken away. */
    private static TestRequest request(String text) {
        int blank = text.indexOf("\n\n");
        List<String> lines = (blank < 0 ? text : text.substring(0, blank))
                .replace("\n ", "\u0001 ")
                .lines()
                .toList();
        String target =
                lines.getFirst().substring(lines.getFirst().indexOf(' ') + 1).replace(" HTTP/1.1", "");
        TestRequest request =
                TestRequest.of(lines.getFirst().split(" ", -1)[0], "https://example.amazonaws.com" + target);
        for (String line : lines.subList(1, lines.size())) {
            int colon = line.indexOf(':');
            String name = line.substring(0, colon);
            if (!name.equals("Host") && !name.equals("Content-Length")) {
                String value = line.substring(colon + 1).replace('\u0001', '\n').strip();
                request = request.header(
                        name, SIGNATURE.matcher(value).replaceAll("Signature=" + Workload.FAKE_SIGNATURE));
            }
        }
        String body = blank < 0 ? "" : text.substring(blank + 2);
        return body.isEmpty() ? request : request.body(body);
    }

    private static Decision.Continue decide(Vector vector, TestRequest request) throws Exception {
        InlineTransform transform = (InlineTransform) new SigV4AuthFactory()
                .create(
                        Lent.config(vector.token()),
                        new Lent(vector.secrets(), Clock.fixed(MOMENT, ZoneOffset.UTC), new VirtualTime()));
        return (Decision.Continue) transform.decide(TestContext.of(request));
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void signatureInTheHeaderIsThatOfTheSuite(Vector vector) throws Exception {
        String signed = vector.file("header-signed-request.txt");

        List<Edit> edits = decide(vector, request(signed)).edits().list();

        assertThat(edits)
                .filteredOn(Edit.SetHeaderValue.class::isInstance)
                .extracting(edit -> ((Edit.SetHeaderValue) edit).value())
                .anySatisfy(value -> assertThat(signed).contains("\nAuthorization:" + value + "\n"));
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void signatureInTheQueryIsThatOfTheSuite(Vector vector) throws Exception {
        String signed = vector.file("query-signed-request.txt");
        String expected = signed.substring(signed.indexOf('?') + 1, signed.indexOf(" HTTP/1.1"));
        String faked = expected.replaceAll("Signature=\\w+", "Signature=" + Workload.FAKE_SIGNATURE);

        TestRequest request = request(signed.replace(expected, faked));

        if (vector.context().get("sign_body").equals("true")) {
            assertThat(query(vector, request)).isEqualTo(expected);
        } else {
            assertThat(decide(vector, request).edits().list())
                    .filteredOn(Edit.SetQuery.class::isInstance)
                    .singleElement()
                    .extracting(edit -> ((Edit.SetQuery) edit).query())
                    .isEqualTo(expected);
        }
    }

    /** Through the engine, which reads the content. */
    private static String query(Vector vector, TestRequest request) {
        FakeSecrets secrets = new FakeSecrets();
        vector.secrets().forEach(secrets::set);
        try (TransformHarness harness = Workload.harness(false).secrets(secrets).start()) {
            return harness.send(request).sent().target().split("\\?", 2)[1];
        }
    }

    /** The path as S3 wants it. */
    @ParameterizedTest
    @MethodSource("unnormalized")
    void pathThatIsNotNormalizedIsThatOfTheSuite(Vector vector) {
        String request = vector.file("request.txt");
        String path = request.substring(request.indexOf(' ') + 1, request.indexOf(" HTTP/1.1"));
        StringBuilder canonical = new StringBuilder();

        Canonical.objectPath(path, canonical);

        assertThat(canonical)
                .hasToString(vector.file("header-canonical-request.txt").split("\n", -1)[1]);
    }
}
