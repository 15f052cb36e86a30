package dev.sallyport.transforms.sigv4auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.urlconnection.ProxyConfiguration;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3Configuration;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.S3Object;
import software.amazon.awssdk.services.s3.presigner.S3Presigner;

/** The S3 client of the AWS SDK with worthless keys, a real proxy, and an S3 that takes nothing but good signatures. */
class S3ClientTest {

    private static final StaticCredentialsProvider FAKE =
            StaticCredentialsProvider.create(AwsBasicCredentials.create(Workload.FAKE_ID, "not a real secret"));
    private static final String KEY = "a folder/ä+b=c&d~(1)!*'.txt";

    @TempDir
    Path folder;

    private static TrustManager[] trust(Path certificate) throws Exception {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream pem = Files.newInputStream(certificate)) {
            store.setCertificateEntry(
                    "ca", CertificateFactory.getInstance("X.509").generateCertificate(pem));
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }

    private static S3Client client(S3Gate gate, boolean checksums, boolean chunked) throws Exception {
        TrustManager[] trusted = trust(gate.authority());
        return S3Client.builder()
                .region(Region.EU_WEST_1)
                .credentialsProvider(FAKE)
                .endpointOverride(gate.endpoint())
                .forcePathStyle(true)
                .requestChecksumCalculation(
                        checksums
                                ? RequestChecksumCalculation.WHEN_SUPPORTED
                                : RequestChecksumCalculation.WHEN_REQUIRED)
                .serviceConfiguration(S3Configuration.builder()
                        .chunkedEncodingEnabled(chunked)
                        .build())
                .httpClient(UrlConnectionHttpClient.builder()
                        .tlsTrustManagersProvider(() -> trusted)
                        .proxyConfiguration(ProxyConfiguration.builder()
                                .endpoint(gate.proxy())
                                .useSystemPropertyValues(false)
                                .useEnvironmentVariablesValues(false)
                                .build())
                        .build())
                .build();
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void objectsAreWrittenReadListedAndDeleted(boolean secure) throws Exception {
        byte[] content = random(300_000);
        try (S3Gate gate = new S3Gate(folder, secure);
                S3Client s3 = client(gate, true, true)) {
            s3.putObject(put -> put.bucket("bucket").key(KEY), RequestBody.fromBytes(content));
            assertThat(gate.server().object(KEY.replace("ä", "\u00c3\u00a4"))).isEqualTo(content);
            assertThat(s3.getObjectAsBytes(get -> get.bucket("bucket").key(KEY)).asByteArray())
                    .isEqualTo(content);
            assertThat(s3.getObjectAsBytes(get -> get.bucket("bucket").key(KEY).range("bytes=10-19"))
                            .asByteArray())
                    .hasSize(10)
                    .startsWith(content[10]);
            assertThat(s3.headObject(head -> head.bucket("bucket").key(KEY)).eTag())
                    .isEqualTo("\"e\"");
            s3.putObject(put -> put.bucket("bucket").key("empty"), RequestBody.empty());
            assertThat(s3.listObjectsV2(list -> list.bucket("bucket").prefix(""))
                            .contents())
                    .extracting(S3Object::size)
                    .containsExactly(300_000L, 0L);
            s3.deleteObject(delete -> delete.bucket("bucket").key(KEY));
            assertThatThrownBy(() ->
                            s3.getObjectAsBytes(get -> get.bucket("bucket").key(KEY)))
                    .isInstanceOf(NoSuchKeyException.class);
            assertThat(gate.server().mistakes()).isEmpty();
            assertThat(gate.audit())
                    .contains("\"service\":\"s3\"")
                    .doesNotContain(Workload.KEY_ID, Workload.SECRET, Workload.TOKEN);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void uploadsOfAllFormsAreAccepted(boolean secure) throws Exception {
        byte[] content = random(1_000_000);
        try (S3Gate gate = new S3Gate(folder, secure)) {
            for (boolean checksums : new boolean[] {true, false}) {
                for (boolean chunked : new boolean[] {true, false}) {
                    try (S3Client s3 = client(gate, checksums, chunked)) {
                        s3.putObject(
                                put -> put.bucket("bucket").key("object"),
                                RequestBody.fromContentProvider(
                                        () -> new ByteArrayInputStream(content), content.length, "text/plain"));
                        assertThat(gate.server().object("object")).isEqualTo(content);
                    }
                }
            }
            assertThat(gate.server().mistakes()).isEmpty();
            assertThat(gate.server().forms())
                    .contains(
                            secure
                                    ? "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
                                    : "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER")
                    .hasSize(4);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void multipartUploadIsAccepted(boolean secure) throws Exception {
        try (S3Gate gate = new S3Gate(folder, secure);
                S3Client s3 = client(gate, true, true)) {
            String upload = s3.createMultipartUpload(
                            create -> create.bucket("bucket").key("big"))
                    .uploadId();
            List<CompletedPart> parts = new ArrayList<>();
            for (int number = 1; number <= 3; number++) {
                int part = number;
                String tag = s3.uploadPart(
                                one -> one.bucket("bucket")
                                        .key("big")
                                        .uploadId(upload)
                                        .partNumber(part),
                                RequestBody.fromBytes(random(400_000 + part)))
                        .eTag();
                parts.add(CompletedPart.builder().eTag(tag).partNumber(part).build());
            }
            s3.completeMultipartUpload(complete ->
                    complete.bucket("bucket").key("big").uploadId(upload).multipartUpload(all -> all.parts(parts)));
            assertThat(gate.server().object("big")).hasSize(1_200_006);
            assertThat(gate.server().mistakes()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void presignedUrlsAreAcceptedAndFailuresShowNoRealCredential(boolean secure) throws Exception {
        byte[] content = random(50_000);
        try (S3Gate gate = new S3Gate(folder, secure, "swapped");
                S3Presigner presigner = S3Presigner.builder()
                        .region(Region.EU_WEST_1)
                        .credentialsProvider(FAKE)
                        .endpointOverride(gate.endpoint())
                        .serviceConfiguration(S3Configuration.builder()
                                .pathStyleAccessEnabled(true)
                                .build())
                        .build()) {
            URL put = presigner
                    .presignPutObject(request -> request.signatureDuration(Duration.ofMinutes(5))
                            .putObjectRequest(one -> one.bucket("bucket").key(KEY)))
                    .url();
            URL get = presigner
                    .presignGetObject(request -> request.signatureDuration(Duration.ofMinutes(5))
                            .getObjectRequest(one -> one.bucket("bucket").key(KEY)))
                    .url();
            HttpURLConnection upload = open(gate, put);
            upload.setRequestMethod("PUT");
            upload.setDoOutput(true);
            upload.getOutputStream().write(content);
            assertThat(upload.getResponseCode()).isEqualTo(200);
            assertThat(open(gate, get).getInputStream().readAllBytes()).isEqualTo(content);
            assertThat(gate.server().mistakes()).isEmpty();

            HttpURLConnection missing = open(
                    gate,
                    URI.create(get.toString().replace("a%20folder", "none")).toURL());
            assertThat(missing.getResponseCode()).isEqualTo(404);
            String answer = new String(missing.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(answer)
                    .contains("<AWSAccessKeyId>SALLYPORT_REDACTED</AWSAccessKeyId>")
                    .doesNotContain(Workload.KEY_ID, Workload.TOKEN);
        }
    }

    private static HttpURLConnection open(S3Gate gate, URL url) throws Exception {
        Proxy proxy = new Proxy(
                Proxy.Type.HTTP,
                new InetSocketAddress(gate.proxy().getHost(), gate.proxy().getPort()));
        HttpURLConnection connection = (HttpURLConnection) url.openConnection(proxy);
        if (connection instanceof HttpsURLConnection secure) {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust(gate.authority()), null);
            secure.setSSLSocketFactory(context.getSocketFactory());
        }
        return connection;
    }
}
